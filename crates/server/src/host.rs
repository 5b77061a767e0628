//! A composed platform: engine, generation, endpoints, and optionally listeners.
//!
//! A host without listeners serves the same sessions over pipes; `simulate` and many tests run so.
//! Read next: `composition`, which starts one; [`crate::runtime`], which runs agents on it.

mod check;
mod composition;
mod error;
mod housekeeping;
mod http_server;
mod listeners;
mod platform_agent;
mod roster;

pub use check::check_files;
pub use engine::Endpoint;
pub use error::StartError;
pub use http_server::HttpServerError;
pub(crate) use http_server::forward;
pub(crate) use listeners::{Sockets, make_known};

use crate::clock::Clock;
use crate::fair::FairShares;
use crate::http;
use crate::http::forward::ForwardedRequests;
use crate::outside::Watched;
use crate::post::Post;
use crate::session::{self, Timeouts};
use crate::ssh::keys::StateKeys;
use crate::ssh::{Authenticator, ByteStream, ConnectionLimiter, Login, SshServing};
use crate::state::StateFolder;
use crate::webhook::Deliveries;
use bindings::netconf::{Peer, Platform};
use domain::access::AccessRules;
use domain::profile::Profile;
use engine::Hosted;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Condition;
use store::lead::Lease;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::warn;

/// The interval at which the store and the watching tasks are checked.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The reason for which a platform cannot go on after a decision panicked.
const BROKEN: &str = "a decision failed: nothing more can be decided";

/// The buffer of a pipe between two sessions of this process, in bytes.
const PIPE_BYTES: usize = 1_024 * 1_024;

/// One listener.
#[derive(Clone, Debug)]
pub struct Listening {
    /// The endpoint served there.
    pub endpoint: Endpoint,
    /// The agent whose `agent` and `tasks` are served there; for a management system its own name,
    /// such as `wireless-ems`.
    pub agent: String,
    /// The address, with the actual port.
    pub address: SocketAddr,
}

/// A platform except for its sockets.
pub struct Host {
    /// The state shared by sessions.
    pub platform: Arc<Platform>,
    /// The clock.
    pub clock: Arc<Clock>,
    /// The profiles, in roster order.
    pub profiles: Vec<Arc<Profile>>,
    /// The telemetry that hosted agents receive and their rights on the network, by name.
    pub posts: BTreeMap<String, Post>,
    /// The listeners; empty without sockets.
    pub listening: Vec<Listening>,
    /// The address of the HTTP server; none without one.
    pub http: Option<http::HttpListening>,
    /// The keys; none without a state folder.
    pub keys: Option<StateKeys>,
    patience: Timeouts,
    shares: Arc<FairShares>,
    serving: Vec<SshServing>,
    http_server: Option<http::HttpServing>,
    housekeeping: Option<JoinHandle<()>>,
    learning: Option<JoinHandle<()>>,
    revocation: Option<JoinHandle<()>>,
    memory: Option<JoinHandle<()>>,
    deliveries: Option<Deliveries>,
    /// The A2A agents elsewhere; none if no connection is allowed.
    pub(crate) outside: Option<Watched>,
    /// What serves clients; none without listeners.
    entrance: Option<Entrance>,
    /// True once clients are accepted.
    open: watch::Sender<bool>,
}

/// What serves clients that are connected to another node of a cluster: the same platform, with the same
/// rights, shares and limits.
#[derive(Clone)]
pub(crate) struct Entrance {
    pub(crate) platform: Arc<Platform>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) patience: Timeouts,
    pub(crate) shares: Arc<FairShares>,
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) limiter: Arc<ConnectionLimiter>,
    /// The HTTP server; none without one.
    pub(crate) http: Option<Arc<ForwardedRequests>>,
    /// The file of the last head of the state.
    pub(crate) store_head: PathBuf,
    endpoints: Vec<Endpoint>,
}

impl Entrance {
    /// True if there is such an endpoint.
    pub(crate) fn serves(&self, endpoint: &Endpoint) -> bool {
        self.endpoints.contains(endpoint)
    }
}

/// The agents of a platform, and its access rules.
pub struct Company {
    /// The agents, in roster order.
    pub agents: Vec<Hosted>,
    /// The telemetry that they receive and their rights on the network, by name.
    pub posts: BTreeMap<String, Post>,
    /// The agent that takes tasks without an addressee.
    pub default_agent: String,
    /// The access rules.
    pub access: AccessRules,
}

/// The place of a host's state.
pub enum Home {
    /// In a folder, with listeners whose clients wait until [`Host::open`]: agents are to be briefed first.
    Folder(StateFolder),
    /// In a folder, led by one of several nodes.
    Leading(StateFolder, Seat),
    /// In memory, without listeners.
    Memory,
}

impl Home {
    /// The folder, if there is one.
    fn folder(&self) -> Option<&StateFolder> {
        match self {
            Self::Folder(folder) | Self::Leading(folder, _) => Some(folder),
            Self::Memory => None,
        }
    }

    /// What a node brings, if it is one.
    fn seat(&self) -> Option<&Seat> {
        match self {
            Self::Leading(_, seat) => Some(seat),
            Self::Folder(_) | Self::Memory => None,
        }
    }
}

/// What a node that leads brings to the platform.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The lease under which the store is opened; the clock of the platform is fenced by it.
    pub lease: Lease,
    /// The NETCONF endpoints of the node, which forwards whom it accepts there.
    pub listening: Vec<Listening>,
    /// The same of its HTTP server, if there is one.
    pub http: Option<http::HttpListening>,
}

impl Host {
    /// Accepts clients from now on, those that have waited among them.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// A session of `user` at `endpoint` over a pipe in this process, without SSH.
    pub fn pipe(&self, user: &str, endpoint: Endpoint) -> ByteStream {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let peer = Peer {
            user: user.to_owned(),
            source_host: String::new(),
        };
        tokio::spawn(session::serve(
            ByteStream::new(theirs),
            Arc::clone(&self.platform),
            endpoint,
            peer,
            Arc::clone(&self.clock),
            self.patience,
            Login::lasting(),
        ));
        ByteStream::new(ours)
    }

    /// What serves clients that are connected to another node; none if this host has no listeners.
    pub(crate) fn entrance(&self) -> Option<Entrance> {
        self.entrance.clone()
    }

    /// The address of an endpoint.
    pub fn address_of(&self, endpoint: &Endpoint) -> Option<SocketAddr> {
        self.listening
            .iter()
            .find(|l| l.endpoint == *endpoint)
            .map(|l| l.address)
    }

    /// Resolves with the reason once the platform cannot go on: the store accepts nothing because
    /// writing failed, or a decision or a watching task panicked.
    pub async fn failed(&self) -> &'static str {
        let found = async {
            loop {
                match self.has_failed() {
                    Some(why) => break why,
                    None => tokio::time::sleep(LOOK_AGAIN).await,
                }
            }
        };
        tokio::select! {
            () = self.platform.engine().broken() => BROKEN,
            why = found => why,
        }
    }

    /// The same, as of now.
    pub fn has_failed(&self) -> Option<&'static str> {
        let has_ended = |task: &Option<JoinHandle<()>>| match task {
            Some(task) => task.is_finished(),
            None => false,
        };
        let store = self.platform.engine().store().statistics();
        if self.platform.engine().is_broken() {
            Some(BROKEN)
        } else if store.condition == Condition::Stopped {
            Some("the store failed: nothing more can be promised")
        } else if has_ended(&self.revocation) {
            Some("nobody looks any more whether keys were taken away: nobody can be let in")
        } else if has_ended(&self.memory) {
            Some("nobody looks any more whether memory is short: nothing bounds what is taken")
        } else {
            None
        }
    }

    /// Stops accepting connections on all listeners, and disconnects the clients.
    fn begin_stop(&self) {
        if let Some(http_server) = &self.http_server {
            http_server.begin_close();
        }
        self.serving.iter().for_each(SshServing::begin_close);
    }

    /// Stops listening, ends all sessions, and seals the log explicitly, as other holders of the
    /// store may outlive this.
    pub async fn stop(self) {
        self.begin_stop();
        if let Some(http_server) = self.http_server {
            http_server.close().await;
        }
        if let Some(outside) = self.outside {
            outside.stop().await;
        }
        for serving in self.serving {
            serving.close().await;
        }
        // As long as anybody is in, somebody watches over keys and memory.
        let tasks = [
            self.housekeeping,
            self.learning,
            self.revocation,
            self.memory,
        ];
        for task in tasks.into_iter().flatten() {
            task.abort();
            // It ended, or was ended: nothing to learn from either.
            let _ = task.await;
        }
        if let Some(deliveries) = self.deliveries {
            deliveries.stop().await;
        }
        let engine = self.platform.engine();
        engine.end_trail(self.clock.now());
        if engine.store().statistics().condition == Condition::Unreachable {
            // Nobody knows for how long that would be waited for.
            return warn!("the end of the log is not sealed: the database cannot be reached");
        }
        if let Err(cause) = engine.store().seal().await {
            warn!("the end of the log is not sealed: {cause}");
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
