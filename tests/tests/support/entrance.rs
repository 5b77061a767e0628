//! What a client knows of a platform: where it is reached, and the folder with the keys.
//!
//! It is the same whether one process is behind it or several nodes are. Read next: [`super::process`].

use super::process::{Finished, run};
use serde_json::Value;
use server::client::Identity;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// How clients get into a platform.
pub struct Entrance {
    state: PathBuf,
    netconf: String,
    http: Option<String>,
    agents: Vec<String>,
}

impl Entrance {
    /// That of a process, by the object that it printed when it was ready.
    pub(super) fn of(state: &Path, ready: &Value) -> Self {
        let listeners = ready["listeners"].as_array().unwrap();
        let address = |listener: &Value| listener["address"].as_str().unwrap().to_owned();
        let is_http = |listener: &&Value| {
            let protocol = listener["protocol"].as_str();
            protocol.is_some_and(|it| it.starts_with("http"))
        };
        let agents = listeners.iter().filter(|it| it["agent"].is_string());
        Self {
            state: state.to_owned(),
            netconf: address(&listeners[0]),
            http: listeners.iter().find(is_http).map(address),
            // The first is where the platform speaks for one of them.
            agents: agents.skip(1).map(address).collect(),
        }
    }

    /// The same by load balancers, of which clients are told that they have the platform's key.
    pub fn behind(&self, netconf: SocketAddr, http: SocketAddr) -> Self {
        let file = self.state.join("known_hosts");
        let mut known = std::fs::read_to_string(&file).unwrap();
        let (_, key) = known.lines().next().unwrap().split_once(' ').unwrap();
        known += &format!("[{}]:{} {key}\n", netconf.ip(), netconf.port());
        std::fs::write(file, known).unwrap();
        Self {
            state: self.state.clone(),
            netconf: netconf.to_string(),
            http: Some(http.to_string()),
            agents: self.agents.clone(),
        }
    }

    /// The address of the platform.
    pub fn address(&self) -> &str {
        &self.netconf
    }

    /// The address of its HTTP server.
    pub fn http(&self) -> &str {
        self.http.as_deref().expect("it has an HTTP server")
    }

    /// The addresses of its agents, in the order of the roster.
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// The port of the platform.
    pub fn port(&self) -> &str {
        self.netconf.rsplit(':').next().unwrap()
    }

    /// The identity of the operator.
    pub fn operator(&self) -> Identity {
        Identity::operator(&self.state)
    }

    /// Its state folder.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Runs a client command against it.
    pub async fn client(&self, arguments: &[&str]) -> Finished {
        let at = ["--netconf", &self.netconf];
        run(&self.state, &[arguments, &at].concat()).await
    }
}
