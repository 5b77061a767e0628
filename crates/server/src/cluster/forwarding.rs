//! What a node is to clients and to other nodes for as long as it lives: it forwards its clients to whoever
//! leads, and serves those of others while it leads itself.
//!
//! Who leads is told by a watch, whatever makes it known. Read next: [`super::accepted`] and
//! [`super::led`], the two sides of a session.

use super::Passes;
use super::accepted::{self, Accepting};
use super::channel::{Answering, ChannelClient, ChannelServer, ChannelService};
use super::forward::LeaderWatch;
use super::identity::Identity;
use super::led::{Led, refusal};
use super::requests::{self, Asking};
use crate::fair::FairShares;
use crate::host::Host;
use crate::http::Elsewhere;
use crate::session::relay::Relayed;
use crate::ssh::{ByteStream, SshPeer, Subsystem};
use engine::{Accounts, Endpoint, Quotas};
use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::net::TcpListener;

/// The parts of a node that forwards.
pub struct ForwardingSetup {
    /// Who it is.
    pub identity: Identity,
    /// Who leads.
    pub leader: LeaderWatch,
    /// What each user may hold at this node.
    pub quotas: Quotas,
    /// The users' shares of the runtime.
    pub shares: Arc<FairShares>,
}

/// A node that forwards. Its channel ends when it is dropped.
pub struct Forwarding {
    accepting: Arc<Accepting>,
    shares: Arc<FairShares>,
    service: Arc<Service>,
    _channel: ChannelServer,
}

/// What other nodes ask of this one.
#[derive(Default)]
struct Service {
    led: RwLock<Option<Arc<Led>>>,
    relayed: Arc<Relayed>,
}

impl Forwarding {
    /// Begins to serve the channel on `socket`; clients are forwarded by what [`Self::subsystem`] makes. Must
    /// be called inside a tokio runtime.
    #[must_use]
    pub fn start(setup: ForwardingSetup, socket: TcpListener) -> Arc<Self> {
        let service = Arc::new(Service::default());
        let asked = Arc::clone(&service) as Arc<dyn ChannelService>;
        let channel = ChannelServer::start(socket, &setup.identity, asked);
        let accepting = Accepting {
            client: Arc::new(ChannelClient::new(setup.identity)),
            leader: setup.leader,
            accounts: Arc::new(Accounts::new(setup.quotas)),
        };
        Arc::new(Self {
            accepting: Arc::new(accepting),
            shares: setup.shares,
            service,
            _channel: channel,
        })
    }

    /// What serves the NETCONF sessions of an endpoint by forwarding them.
    #[must_use]
    pub fn subsystem(&self, endpoint: Endpoint) -> Arc<dyn Subsystem> {
        let (accepting, shares) = (Arc::clone(&self.accepting), Arc::clone(&self.shares));
        Arc::new(move |stream: ByteStream, peer: SshPeer| {
            let share = shares.of(&peer.principal);
            share.run(Arc::clone(&accepting).serve(stream, peer, endpoint.clone()))
        })
    }

    /// What answers the requests of HTTP clients by forwarding them; see
    /// [`HttpListener::forward`](crate::http::HttpListener::forward).
    #[must_use]
    pub fn elsewhere(&self) -> Arc<dyn Elsewhere> {
        Arc::new(Asking {
            client: Arc::clone(&self.accepting.client),
            leader: self.accepting.leader.clone(),
        })
    }

    /// What users hold at this node.
    #[must_use]
    pub fn accounts(&self) -> &Arc<Accounts> {
        &self.accepting.accounts
    }

    /// This node leads from now on, and `host` serves whom others forward, as long as `passes` lets it: it is
    /// asked before anything goes out. No part of the host outlives [`Self::leads_no_more`] but by the time
    /// that sessions take to leave. A host in memory serves nobody.
    pub fn leads(&self, host: &Host, passes: Passes) {
        self.service.set(None);
        let relayed = Arc::clone(&self.service.relayed);
        let led = host.entrance().map(|entrance| Led {
            entrance,
            lead: relayed.lead(),
            relayed,
            passes,
        });
        self.service.set(led.map(Arc::new));
    }

    /// This node leads no more. Sessions that others forwarded leave without an end in the log, and go on at
    /// the next leader.
    pub fn leads_no_more(&self) {
        self.service.set(None);
    }
}

impl Service {
    fn set(&self, led: Option<Arc<Led>>) {
        let mut place = self.led.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, led);
        if before.is_some() {
            self.relayed.let_all_go();
        }
    }
}

impl ChannelService for Service {
    fn answer(self: Arc<Self>, request: Request<Incoming>, way: u64) -> Answering {
        let led = self
            .led
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Box::pin(async move {
            let Some(led) = led.filter(|led| (led.passes)()) else {
                return refusal(StatusCode::MISDIRECTED_REQUEST, "this node does not lead");
            };
            match request.uri().path() {
                accepted::PATH => led.session(request.into_body()).await,
                requests::PATH => led.request(request, way).await,
                requests::GONE_PATH => led.gone(&request, way),
                _ => refusal(StatusCode::NOT_FOUND, "there is nothing here"),
            }
        })
    }

    fn ended(&self, way: u64) {
        let led = self.led.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(http) = led.as_ref().and_then(|led| led.entrance.http.as_ref()) {
            http.ended(way);
        }
    }
}
