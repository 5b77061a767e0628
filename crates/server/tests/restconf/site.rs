//! A platform with one agent, its users, and a client of its RESTCONF.

use domain::agent::Agent;
use serde_json::Value;
use server::clock::Clock;
use server::config::Listen;
use server::sign_in::SignIn;
use server::ssh::keys::{StateKeys, write_public};
use server::state::StateFolder;
use server::token::{Grant, TokenTerms, Tokens};
use std::collections::BTreeSet;
use testkit::http::{self, Answer};
use testkit::{Site, Willing, hosted, loopback, profile};
use tokio::net::TcpStream;

pub const JSON: &str = "application/yang-data+json";
pub const XML: &str = "application/yang-data+xml";

/// A running platform, with a token of its operator and one of a user without rights.
pub struct Served {
    pub site: Site,
    pub operator: String,
    pub guest: String,
    folder: StateFolder,
    _state: tempfile::TempDir,
}

impl Served {
    /// A platform that hosts the agent `digger`, who takes whatever he is asked.
    pub async fn start() -> Self {
        Self::hosting(Willing).await
    }

    /// A platform whose `digger` is this agent.
    pub async fn hosting(digger: impl Agent + 'static) -> Self {
        let state = tempfile::tempdir().unwrap();
        let mut settings = loopback();
        settings.http.listen = Some(Listen::At(([127, 0, 0, 1], 0).into()));
        let digger = hosted(profile("digger"), digger, Clock::wall_time());
        let site = Site::start(state.path(), &settings, vec![digger]).await;
        let keys = StateKeys::open(state.path()).unwrap();
        let key = keys.agent("guest").unwrap();
        write_public(&state.path().join("users/guest.pub"), key.public_key()).unwrap();
        let folder = StateFolder::new(state.path());
        Self {
            site,
            operator: issue(&folder, "operator", &[]),
            guest: issue(&folder, "guest", &[]),
            folder,
            _state: state,
        }
    }

    /// A token of the operator with scopes.
    pub fn scoped(&self, scope: &[&str]) -> String {
        issue(&self.folder, "operator", scope)
    }

    /// The links and sessions of its console.
    pub fn sign_in(&self) -> SignIn {
        SignIn::of(&self.folder)
    }

    pub fn address(&self) -> String {
        self.site.http().to_string()
    }

    /// Asks as the operator: a path below `/restconf`, with header fields and a body.
    pub async fn ask(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let path = format!("/restconf{path}");
        let token = Some(self.operator.as_str());
        http::ask(&self.address(), method, &path, token, fields, body).await
    }

    /// Reads as the operator in JSON, which must succeed.
    pub async fn json(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, &[("Accept", JSON)], "").await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert_eq!(answer.field("content-type"), JSON, "{path}");
        answer.json()
    }

    /// The same in XML.
    pub async fn xml(&self, path: &str) -> String {
        let answer = self.ask("GET", path, &[("Accept", XML)], "").await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert_eq!(answer.field("content-type"), XML, "{path}");
        answer.body
    }

    /// Reads as somebody without rights.
    pub async fn as_guest(&self, path: &str) -> Answer {
        let path = format!("/restconf{path}");
        http::get(&self.address(), &path, Some(&self.guest)).await
    }

    /// Carries an operation out as the operator, in JSON both ways.
    pub async fn call(&self, operation: &str, input: &Value) -> Answer {
        let module = operation.split(':').next().unwrap();
        let body = serde_json::json!({ format!("{module}:input"): input }).to_string();
        let fields = [("Content-Type", JSON), ("Accept", JSON)];
        let path = format!("/operations/{operation}");
        self.ask("POST", &path, &fields, &body).await
    }

    /// Assigns a task to the agent.
    pub async fn assign(&self, task: &str) {
        let answer = self
            .call(
                "irtf-agent:task-negotiate",
                &serde_json::json!({
                    "task-sendTo": "digger",
                    "commuType": "taskAssgin",
                    "task-id": task,
                    "content": [CONTENT],
                    "convoke-negotiation:task-async": true,
                }),
            )
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// A connection on which a stream was asked for.
    pub async fn stream(&self, path: &str, fields: &[(&str, &str)]) -> TcpStream {
        let path = format!("/restconf{path}");
        let token = Some(self.operator.as_str());
        http::sent(&self.address(), "GET", &path, token, fields, "").await
    }
}

/// What a task says.
pub const CONTENT: &str = "## target object\ngarden\n## task description\ndig <deep> & \"wide\"";

fn issue(folder: &StateFolder, name: &str, scope: &[&str]) -> String {
    let tokens = Tokens::open(folder, TokenTerms::default()).unwrap();
    let grant = Grant {
        name: name.to_owned(),
        valid_s: 600,
        scope: scope
            .iter()
            .map(|it| (*it).to_owned())
            .collect::<BTreeSet<_>>(),
    };
    tokens.issue(&grant, Clock::wall_time()).unwrap().token
}

/// The error of an answer, which must be one of RESTCONF in JSON.
#[track_caller]
pub fn error_of(answer: &Answer, status: u16) -> Value {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.field("content-type"), JSON, "{answer:?}");
    answer.json()["ietf-restconf:errors"]["error"][0].clone()
}
