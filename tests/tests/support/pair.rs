//! A platform, and a node in front of it that forwards its clients; the lead goes to another platform on the
//! same state at will.
//!
//! Read next: `harness::node`.

use engine::Quotas;
use harness::node::Node;
use netconf::client::Reply;
use server::client::{CallError, Client};
use server::clock::Clock;
use server::config::{Listen, Settings};
use server::host::Endpoint;
use server::ssh::keys::{StateKeys, write_public};
use server::ssh::{ByteStream, ConnectError, HostKeyPolicy};
use server::state::StateFolder;
use server::token::{Grant, TokenTerms, Tokens};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use testkit::{Site, Willing, hosted, loopback, profile, within};

/// What lists sessions.
pub const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";

fn settings() -> Settings {
    let mut settings = loopback();
    settings.http.listen = Some(Listen::At(([127, 0, 0, 1], 0).into()));
    settings.tasks.synchronous_s = Some(4);
    settings
}

async fn site(folder: &Path) -> Site {
    let digger = hosted(profile("digger"), Willing, Clock::wall_time());
    Site::start(folder, &settings(), vec![digger]).await
}

/// A platform, and a node in front of it.
pub struct Pair {
    pub site: Site,
    pub node: Node,
    pub folder: tempfile::TempDir,
}

impl Pair {
    /// Both, in a fresh folder.
    pub async fn start() -> Self {
        Self::bounded(Quotas::default()).await
    }

    /// The same, with a node at which users may hold so much.
    pub async fn bounded(quotas: Quotas) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = StateKeys::open(folder.path()).unwrap();
        let guest = state.agent("guest").unwrap();
        write_public(&state.users().join("guest.pub"), guest.public_key()).unwrap();
        let site = site(folder.path()).await;
        let node = Node::bounded(&site.host, quotas).await;
        Self { site, node, folder }
    }

    /// Another platform on the same state, which leads.
    pub async fn led_again(node: Node, folder: tempfile::TempDir) -> Self {
        let mut pair = Self::led_by_nobody(node, folder).await;
        pair.node.leads(&pair.site.host);
        pair
    }

    /// Another platform on the same state, which no node knows of yet.
    pub async fn led_by_nobody(node: Node, folder: tempfile::TempDir) -> Self {
        let site = site(folder.path()).await;
        Self { site, node, folder }
    }

    /// The stream of a session at the node, or at the platform itself.
    pub async fn stream(&self, user: &str, at_node: bool) -> ByteStream {
        let address = match at_node {
            true => self.node.address_of(&Endpoint::Platform).unwrap(),
            false => self.site.address(),
        };
        self.connected(user, address).await.unwrap()
    }

    /// The stream of a session at this address, if the user is let in.
    pub async fn connected(
        &self,
        user: &str,
        address: SocketAddr,
    ) -> Result<ByteStream, ConnectError> {
        let state = StateKeys::open(self.folder.path()).unwrap();
        let key = match user {
            "operator" => state.operator().unwrap(),
            user => state.agent(user).unwrap(),
        };
        let trusted = HostKeyPolicy::Exactly(state.host().unwrap().public_key().clone());
        let (address, key) = (address.to_string(), Arc::new(key));
        server::ssh::connect(&address, user, &key, trusted).await
    }

    /// A client at the node.
    pub async fn client(&self, user: &str) -> Client {
        Client::over(self.stream(user, true).await).await.unwrap()
    }

    /// The platform ends in order, and another one leads on the same state.
    pub async fn moves(mut self) -> Self {
        self.node.is_left().await;
        self.site.stop().await;
        Self::led_again(self.node, self.folder).await
    }

    /// The way to the platform is lost, and another one leads on the same state.
    pub async fn loses(mut self) -> Self {
        self.node.loses_its_leader().await;
        self.site.stop().await;
        Self::led_again(self.node, self.folder).await
    }

    /// Both end.
    pub async fn end(self) {
        drop(self.node);
        self.site.stop().await;
    }

    /// A token of a user, of all scopes.
    pub fn token(&self, name: &str) -> String {
        let tokens = Tokens::open(&StateFolder::new(self.folder.path()), TokenTerms::default());
        let grant = Grant {
            name: name.to_owned(),
            valid_s: 600,
            scope: Default::default(),
        };
        let issued = tokens.unwrap().issue(&grant, Clock::wall_time());
        issued.unwrap().token
    }
}

/// The reply to an operation.
pub async fn called(client: &mut Client, operation: &str) -> Result<Reply, CallError> {
    within("a reply", client.call(operation)).await
}

/// What gives a task to the agent that is there.
pub fn assign(task: &str) -> String {
    format!(
        "<task-negotiate xmlns='urn:ietf:params:xml:ns:yang:irtf-agent'><task-sendTo>digger</task-sendTo>\
         <commuType>taskAssgin</commuType><task-id>{task}</task-id>\
         <content>## target object\ngarden\n## task description\ndig</content>\
         <task-async xmlns='urn:convoke:params:xml:ns:yang:convoke-negotiation'>true</task-async>\
         </task-negotiate>"
    )
}

/// What asks for the sessions that the platform lists.
pub fn sessions() -> String {
    format!(
        "<get><filter><netconf-state xmlns='{MONITORING}'><sessions/></netconf-state></filter></get>"
    )
}

/// The numbers of the sessions that the platform lists.
pub async fn listed(client: &mut Client) -> Vec<u32> {
    let reply = called(client, &sessions()).await.unwrap();
    let numbers = reply.raw().split("<session-id>").skip(1);
    let numbers = numbers.map(|rest| rest.split('<').next().unwrap().parse().unwrap());
    numbers.collect()
}
