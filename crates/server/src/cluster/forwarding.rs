//! What a node is to clients and to other nodes for as long as it lives: it forwards its clients to whoever
//! leads, and serves those of others while it leads itself.
//!
//! Who leads is told by a watch, whatever makes it known. Read next: [`super::session_forwarder`] and
//! [`super::leading`], the two sides of a session.

use super::channel::{Answering, ChannelClient, ChannelServer, ChannelService, at_once, refusal};
use super::heads::{self, KeepsHeads, KeptHead};
use super::http_forwarder::{self, HttpForwarder};
use super::identity::ChannelIdentity;
use super::leader::LeaderWatch;
use super::leading::LeadingNode;
use super::offering::{self, Offering};
use super::refusals;
use super::session_end;
use super::session_forwarder::{self, SessionForwarder};
use super::settings_digests::SettingsDigests;
use super::wanted;
use crate::clock::Clock;
use crate::config::HttpSettings;
use crate::fair::FairShares;
use crate::host::{Host, HttpServerError, forward};
use crate::http::{HttpListener, HttpServing};
use crate::session::forwarded::ForwardedSessions;
use crate::ssh::{Authenticator, ByteStream, SshListener, SshPeer, SshServing, Subsystem};
use crate::state::StateFolder;
use crate::trail::{Trail, Witnessed};
use engine::{Accounts, Endpoint, Quotas};
use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::timeout;

/// The longest time for sessions to leave.
const FAREWELL: Duration = Duration::from_secs(3);

/// The parts of a node that forwards.
pub struct ForwardingSetup {
    /// Who it is.
    pub identity: ChannelIdentity,
    /// Who leads.
    pub leader: LeaderWatch,
    /// What each user may hold at this node.
    pub quotas: Quotas,
    /// The users' shares of the runtime.
    pub shares: Arc<FairShares>,
}

/// A node that forwards. Its channel ends when it is dropped.
pub struct Forwarding {
    forwarder: Arc<SessionForwarder>,
    shares: Arc<FairShares>,
    service: Arc<Service>,
    /// What becomes of logins that are refused here.
    trail: Trail,
    _channel: ChannelServer,
}

/// What other nodes ask of this one.
#[derive(Default)]
struct Service {
    leading: RwLock<Option<Arc<LeadingNode>>>,
    sessions: Arc<ForwardedSessions>,
    offering: OnceLock<Arc<Offering>>,
    settings: OnceLock<Arc<SettingsDigests>>,
}

impl Forwarding {
    /// Begins to serve the channel on `socket`; clients are forwarded by what [`Self::subsystem`] makes. Must
    /// be called inside a tokio runtime.
    #[must_use]
    pub fn start(setup: ForwardingSetup, socket: TcpListener) -> Arc<Self> {
        let service = Arc::new(Service::default());
        let asked = Arc::clone(&service) as Arc<dyn ChannelService>;
        let channel = ChannelServer::start(socket, &setup.identity, asked);
        let forwarder = SessionForwarder {
            client: Arc::new(ChannelClient::new(setup.identity)),
            leader: setup.leader,
            accounts: Arc::new(Accounts::new(setup.quotas)),
        };
        Arc::new(Self {
            trail: refusals::trail(&forwarder.client, &forwarder.leader),
            forwarder: Arc::new(forwarder),
            shares: setup.shares,
            service,
            _channel: channel,
        })
    }

    /// Gives others what the folders of all nodes have alike, from now on.
    pub(super) fn offers(&self, offering: Offering) {
        let is_first = self.service.offering.set(Arc::new(offering)).is_ok();
        debug_assert!(is_first, "a node has one folder");
    }

    /// The same authenticator, whose refusals the leader records.
    pub fn witnessed(&self, authenticator: impl Authenticator) -> Arc<dyn Authenticator> {
        Arc::new(Witnessed {
            authenticator,
            trail: Arc::clone(&self.trail),
        })
    }

    /// Serves the clients of a NETCONF endpoint, whom `authenticator` lets in by the files of this node, and the
    /// leader by its own.
    #[must_use = "dropping it ends the service"]
    pub fn ssh(
        &self,
        listener: SshListener,
        endpoint: Endpoint,
        authenticator: &Arc<dyn Authenticator>,
    ) -> SshServing {
        listener.serve(Arc::clone(authenticator), self.subsystem(endpoint))
    }

    /// What users hold at this node.
    #[must_use]
    pub fn accounts(&self) -> &Arc<Accounts> {
        &self.forwarder.accounts
    }

    /// Serves the clients of the HTTP server, with the TLS and the names in `settings`.
    ///
    /// # Errors
    /// [`HttpServerError`]
    pub fn http(
        &self,
        listener: HttpListener,
        settings: &HttpSettings,
        folder: &StateFolder,
        clock: &Arc<Clock>,
    ) -> Result<HttpServing, HttpServerError> {
        let elsewhere = Arc::new(HttpForwarder {
            client: Arc::clone(&self.forwarder.client),
            leader: self.forwarder.leader.clone(),
            expected: AtomicU64::default(),
        });
        let theirs = (&self.shares, &self.forwarder.accounts);
        let trail = Arc::clone(&self.trail);
        forward(
            listener,
            settings,
            folder,
            clock,
            theirs,
            (elsewhere, trail),
        )
    }

    /// How many connections of other nodes' clients over HTTP are known here while this node leads.
    #[must_use]
    pub fn known_connections(&self) -> usize {
        let leading = self
            .service
            .leading
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let http = leading
            .as_ref()
            .and_then(|leading| leading.entrance.http.as_ref());
        http.map_or(0, |http| http.count())
    }

    /// What serves the NETCONF sessions of an endpoint by forwarding them.
    #[must_use]
    pub fn subsystem(&self, endpoint: Endpoint) -> Arc<dyn Subsystem> {
        let (forwarder, shares) = (Arc::clone(&self.forwarder), Arc::clone(&self.shares));
        Arc::new(move |stream: ByteStream, peer: SshPeer| {
            let share = shares.of(&peer.principal);
            share.run(Arc::clone(&forwarder).serve(stream, peer, endpoint.clone()))
        })
    }

    /// Keeps the heads that whoever leads tells in this file, and tells others its settings.
    pub(super) fn keeps_heads(&self, kept: &Arc<KeptHead>) -> KeepsHeads {
        let is_first = self
            .service
            .settings
            .set(Arc::clone(kept.settings()))
            .is_ok();
        debug_assert!(is_first, "the settings of a node are told once");
        let (client, leader) = (&self.forwarder.client, &self.forwarder.leader);
        KeepsHeads::start(Arc::clone(kept), Arc::clone(client), leader.clone())
    }

    /// This node leads from now on, and `host` serves whom others forward, as long as the fence of its clock
    /// lets it. No part of the host outlives [`Self::leads_no_more`] but by the time that sessions take to
    /// leave. A host in memory serves nobody.
    pub fn leads(&self, host: &Host) {
        self.service.set(None);
        let sessions = Arc::clone(&self.service.sessions);
        let leading = host.entrance().map(|entrance| LeadingNode {
            entrance,
            term: sessions.term(),
            sessions,
            wanted: Arc::default(),
        });
        self.service.set(leading.map(Arc::new));
    }

    /// The sessions of other nodes, and of this one, that are here while it leads.
    pub(super) fn sessions(&self) -> Arc<ForwardedSessions> {
        Arc::clone(&self.service.sessions)
    }

    /// This node leads no more. Sessions that were forwarded to it leave once what they have taken up is
    /// answered, without an end in the log, and go on at the next leader. Returns when they have, after 3 s at
    /// most; until then the lease must be held.
    pub async fn leads_no_more(&self) {
        self.service.set(None);
        drop(timeout(FAREWELL, self.service.sessions.are_gone()).await);
    }
}

impl Drop for Forwarding {
    /// Sessions of other nodes do not wait for a channel that is gone.
    fn drop(&mut self) {
        self.service.set(None);
    }
}

impl Service {
    fn set(&self, leading: Option<Arc<LeadingNode>>) {
        let mut place = self.leading.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, leading);
        if before.is_some() {
            self.sessions.let_all_go();
        }
    }
}

impl ChannelService for Service {
    fn answer(self: Arc<Self>, request: Request<Incoming>, way: u64) -> Answering {
        let leading = self
            .leading
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let leading = leading.filter(|leading| leading.fence().passes());
        let offering = self.offering.get().cloned();
        if let Some(offering) = offering.filter(|_| request.uri().path() == offering::PATH) {
            return Box::pin(async move { offering.answer(leading.as_deref(), &request).await });
        }
        let Some(leading) = leading else {
            let why = "this node does not lead";
            return at_once(refusal(StatusCode::MISDIRECTED_REQUEST, why));
        };
        match request.uri().path() {
            session_forwarder::PATH => Box::pin(leading.session(request)),
            session_end::PATH => Box::pin(leading.session_ended(request.into_body())),
            session_forwarder::OVER_PATH => at_once(leading.is_over(&request)),
            http_forwarder::PATH => leading.request(request, way),
            http_forwarder::AUDIT_PATH => Box::pin(leading.audit(request.into_body())),
            wanted::PATH => leading.wanted.answer(request.headers(), way),
            http_forwarder::GONE_PATH => at_once(leading.gone(&request, way)),
            heads::PATH => {
                let settings = self.settings.get().cloned();
                Box::pin(leading.head(request.into_body(), settings))
            }
            _ => at_once(refusal(StatusCode::NOT_FOUND, "there is nothing here")),
        }
    }

    fn connection_ended(&self, way: u64) {
        let leading = self.leading.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(http) = leading
            .as_ref()
            .and_then(|leading| leading.entrance.http.as_ref())
        {
            http.connection_ended(way);
        }
    }
}
