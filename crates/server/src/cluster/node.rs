//! The life of a node: its sockets, when it may lead, and when it is to give the lead back.
//!
//! Its clients are forwarded to whoever leads for as long as it lives, to itself as well: so a session is not
//! concerned by who that is. Composes no platform: whoever runs it does, on the lease that it is given. Read
//! next: [`super::membership`], [`super::forwarding`]; [`crate::host`].

use super::folder::{place, prepared};
use super::forwarding::{Forwarding, ForwardingSetup};
use super::heads::{KeepsHeads, KeptHead};
use super::heir::heir;
use super::identity::{ChannelIdentity, ClusterKey, IdentityError};
use super::listeners::NodeListeners;
use super::membership::{
    ClusterView, DRAINING, LEADING, Membership, MembershipError, NodeIdentity, STANDING_BY,
};
use super::nodes::{KnownNodes, reason};
use super::offering::Offering;
use super::rules;
use super::settings_digests::SettingsDigests;
use super::shared_files::{SharedFilesError, finish};
use crate::cluster_key::{self, ClusterKeyError};
use crate::config::Settings;
use crate::fair::FairShares;
use crate::host::{Host, HttpServerError, Listening, Sockets, StartError, make_known};
use crate::http::HttpListening;
use crate::memory::MemoryMeter;
use crate::revocation::Seen;
use crate::roster::Roster;
use crate::seal::HostSeal;
use crate::ssh::BindError;
use crate::ssh::listener::listen;
use crate::state::StateFolder;
use domain::cluster::NodeRequest;
use domain::cluster::{LeadMoved, LeadReason};
use russh::keys::HashAlg;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;
use store::lead::{LeadCandidate, LeadRow, Lease, Obstacle, Taking};
use store::{Location, OpenError, PostgresAddress, locked};
use tokio::net::TcpListener;
use tokio::task::JoinError;
use tracing::{debug, warn};

/// The time after which the database is asked again for a lead that it could not give.
const AGAIN: Duration = Duration::from_millis(500);

/// The reason for which a node ends, or does not start.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Settings, files, keys or sockets cannot be used, or the state cannot be opened.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It is not among the others.
    #[error(transparent)]
    Membership(#[from] MembershipError),
    /// The key that the nodes share cannot be used.
    #[error(transparent)]
    Key(#[from] ClusterKeyError),
    /// It cannot show who it is.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Files that it was given when it joined are not all in their places.
    #[error(transparent)]
    Files(#[from] SharedFilesError),
    /// Its HTTP server cannot be started.
    #[error(transparent)]
    Http(#[from] HttpServerError),
    /// Work in the background was broken off.
    #[error("work in the background was broken off: {0}")]
    Broken(#[from] JoinError),
}

impl From<OpenError> for NodeError {
    fn from(error: OpenError) -> Self {
        StartError::from(error).into()
    }
}

/// What changed while a node stands by, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeNews {
    /// It stands by, and this node leads; nobody, if there is none.
    By(Option<String>),
    /// It cannot lead: its rules are not those last in force.
    RulesDiffer,
    /// It was asked not to lead.
    Drained,
}

/// A node of a platform.
pub struct ClusterNode {
    listening: Vec<Listening>,
    http: Option<HttpListening>,
    forwarding: Arc<Forwarding>,
    membership: Membership,
    candidate: LeadCandidate,
    address: PostgresAddress,
    folder: StateFolder,
    /// True until the first look: a former life of this node may hold the lead.
    is_new: bool,
    /// Whose the lead was before it was taken, and why it was.
    before: Option<(LeadRow, LeadReason)>,
    kept_head: Arc<KeptHead>,
    _keeping: KeepsHeads,
    _listeners: NodeListeners,
    /// Held as long as the node lives.
    _lock: File,
}

impl ClusterNode {
    /// Joins the other nodes: locks and checks the folder, binds all sockets, says that it is there, and forwards
    /// clients from then on.
    ///
    /// # Errors
    /// [`NodeError`]
    pub async fn start(
        folder: &StateFolder,
        settings: &Settings,
        roster: &Roster,
    ) -> Result<Self, NodeError> {
        let (name, address) = settings.cluster_node().map_err(StartError::from)?;
        finish(folder)?;
        let seen = Seen::of(folder);
        let keys = prepared(folder, settings)?;
        let lock = locked(&folder.lock(), &Location::Postgres(address.clone()))?;
        let (key, is_made) = cluster_key::load_or_make(folder)?;
        if is_made {
            let file = folder.cluster_key();
            warn!("{} was made: the other nodes need the same", file.display());
        }
        let identity = ChannelIdentity::issue(&ClusterKey::new(key.bytes()), &name)?;
        let ttl = settings.cluster.ttl();
        let sockets = Sockets::bind(folder, settings, roster)?;
        let channel = channel(settings)?;
        let listening: Vec<Listening> = sockets.ssh.iter().map(|(at, _)| at.clone()).collect();
        make_known(&keys, &listening).map_err(StartError::from)?;
        let host = keys.host().map_err(StartError::from)?;
        let candidate = LeadCandidate {
            fingerprint: host.public_key().fingerprint(HashAlg::Sha256).to_string(),
            node: name.clone(),
            rules: String::new(),
            any_rules: settings.cluster.accept_rules,
            ttl,
            durable: true,
        };
        let advertised = {
            let bound = |cause| unbound(settings, cause);
            settings
                .cluster
                .advertised(channel.local_addr().map_err(bound)?)
        };
        let membership = {
            let (address, folder) = (address.clone(), folder.clone());
            let identity = NodeIdentity {
                name,
                place: place(&folder),
                address: advertised,
            };
            let join = move || Membership::join(&address, &folder, &identity, ttl);
            tokio::task::spawn_blocking(join).await??
        };
        let meter = MemoryMeter::new(settings.limits.memory_mib.map(|mib| mib << 20));
        let setup = ForwardingSetup {
            identity,
            leader: membership.leader(),
            quotas: settings.bounds(meter.most()).users,
            shares: Arc::new(FairShares::of_this_machine()),
        };
        let forwarding = Forwarding::start(setup, channel);
        let key_is_kept = settings.store.key_command.is_some();
        let of = (folder.clone(), address.clone(), key_is_kept);
        forwarding.offers(Offering::new(of, membership.leader()));
        let http = sockets.http.as_ref().map(|it| settings.http.listening(it));
        let kept_head = Arc::new(KeptHead::new(
            folder.store_head(),
            HostSeal(host),
            SettingsDigests::of(settings, folder),
        ));
        Ok(Self {
            listening,
            http,
            _listeners: NodeListeners::open(
                &forwarding,
                sockets,
                (folder, settings),
                (meter, seen),
            )?,
            membership,
            candidate,
            address,
            folder: folder.clone(),
            is_new: true,
            before: None,
            _keeping: forwarding.keeps_heads(&kept_head),
            kept_head,
            forwarding,
            _lock: lock,
        })
    }

    /// Its NETCONF endpoints.
    pub fn listening(&self) -> &[Listening] {
        &self.listening
    }

    /// Its HTTP server, if there is one.
    pub fn http(&self) -> Option<HttpListening> {
        self.http
    }

    /// Stands by until it has the lead. `tell` is told what changes meanwhile. May be dropped before; a
    /// lease that was taken just then is given back.
    ///
    /// # Errors
    /// [`NodeError`], after which it cannot go on.
    pub async fn takes_lead(&mut self, mut tell: impl FnMut(NodeNews)) -> Result<Lease, NodeError> {
        let mut views = self.membership.view();
        let mut told = None;
        loop {
            let view = views.borrow_and_update().clone();
            if view.taken {
                let name = self.candidate.node.clone();
                return Err(MembershipError::NameTaken(name).into());
            }
            let drained = view.requested == Some(NodeRequest::Drain);
            let state = if drained { DRAINING } else { STANDING_BY };
            self.membership.does(state, None);
            if self.may_try(&view) {
                match self.attempt().await? {
                    Some(lease) => {
                        let before = view.lead.clone();
                        let why = |lead: LeadRow| {
                            let why = reason(&self.candidate.node, &lead, &view);
                            (lead, why)
                        };
                        self.before = before.map(why);
                        // That was for once.
                        self.candidate.any_rules = false;
                        return Ok(lease);
                    }
                    None => tokio::time::sleep(AGAIN).await,
                }
            }
            if let Some(now) = self.standing(&view)
                && told.as_ref() != Some(&now)
            {
                tell(now.clone());
                told = Some(now);
            }
            if views.changed().await.is_err() {
                let gone = std::io::Error::other("it has ended");
                return Err(MembershipError::Thread(gone).into());
            }
        }
    }

    /// What there is to say of a node with this view.
    fn standing(&self, view: &ClusterView) -> Option<NodeNews> {
        if !view.reached {
            return None;
        }
        let differs = view.rules_differ() && !self.candidate.any_rules;
        Some(match view.requested {
            Some(NodeRequest::Drain) => NodeNews::Drained,
            _ if differs => NodeNews::RulesDiffer,
            _ => NodeNews::By(view.leader().map(|leader| leader.node)),
        })
    }

    /// Whether the lead can be had, as far as can be seen.
    fn may_try(&mut self, view: &ClusterView) -> bool {
        let Some(lead) = view.lead.as_ref().filter(|_| view.reached) else {
            return false;
        };
        let me = &self.candidate.node;
        let former = std::mem::take(&mut self.is_new) && lead.holder == self.candidate.holder();
        let promised = lead.heir.as_ref().is_some_and(|heir| heir != me);
        let differs = view.rules_differ() && !self.candidate.any_rules;
        view.requested != Some(NodeRequest::Drain)
            && !promised
            && !differs
            && (former || !lead.held)
    }

    async fn attempt(&mut self) -> Result<Option<Lease>, NodeError> {
        let (address, folder) = (self.address.clone(), self.folder.clone());
        let mut candidate = self.candidate.clone();
        let kept_head = Arc::clone(&self.kept_head);
        let take = move || -> Result<Taking, NodeError> {
            // As they are now, for they are read anew when it leads.
            candidate.rules = rules::digest(&folder).map_err(MembershipError::from)?;
            let taking = Lease::take(&address, &candidate)?;
            kept_head.set_standing_by(!matches!(taking, Taking::Leads(_)));
            Ok(taking)
        };
        match tokio::task::spawn_blocking(take).await? {
            Ok(Taking::Leads(lease)) => Ok(Some(lease)),
            Ok(Taking::Obstructed(Obstacle::Rules)) => Ok(None),
            Ok(Taking::Obstructed(why)) => {
                debug!("the lead cannot be taken: {why}");
                Ok(None)
            }
            Err(NodeError::Start(StartError::Store(
                cause @ (OpenError::Unreachable { passes: true, .. }
                | OpenError::Failed(_)
                | OpenError::Busy),
            ))) => {
                warn!("the lead cannot be taken just now: {cause}");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The platform is composed, on this host: clients of all nodes are served by it from now on.
    pub fn leads(&mut self, host: &Host, lease: &Lease) {
        let now = host.clock.now();
        let engine = host.platform.engine();
        engine.join_cluster(Arc::new(KnownNodes {
            view: self.membership.view(),
            requests: self.membership.requests(),
            sessions: self.forwarding.sessions(),
            engine: Arc::downgrade(engine),
            clock: Arc::clone(&host.clock),
        }));
        if let Some((before, reason)) = self.before.take() {
            let moved = LeadMoved {
                time: now,
                from: Some(before.node).filter(|node| !node.is_empty()),
                to: self.candidate.node.clone(),
                epoch: lease.epoch(),
                reason,
            };
            engine.record_lead(moved, now);
        }
        host.platform
            .number_sessions_from(first_session(lease.epoch()));
        self.forwarding.leads(host);
        self.membership.does(LEADING, Some(lease.clone()));
        self.membership.fulfilled(NodeRequest::Lead);
    }

    /// Resolves once a leader is to give the lead back, with the node that is to have it.
    ///
    /// # Errors
    /// [`NodeError`], after which it cannot go on.
    pub async fn relieved(&self) -> Result<String, NodeError> {
        let mut views = self.membership.view();
        let mut told = false;
        loop {
            let view = views.borrow_and_update().clone();
            if view.taken {
                let name = self.candidate.node.clone();
                return Err(MembershipError::NameTaken(name).into());
            }
            if let Some(heir) = heir(&self.candidate.node, &view) {
                // They may have changed since others were told of them.
                let now = tokio::task::spawn_blocking(self.digest()).await?;
                if now.is_none_or(|now| now == view.rules) {
                    return Ok(heir);
                }
            }
            if view.requested == Some(NodeRequest::Drain) && !std::mem::replace(&mut told, true) {
                warn!("nobody else can lead: this node does until another can");
            }
            if views.changed().await.is_err() {
                let gone = std::io::Error::other("it has ended");
                return Err(MembershipError::Thread(gone).into());
            }
        }
    }

    /// The platform is about to be stopped: sessions leave it, and go on at the next leader.
    pub async fn stops_leading(&self) {
        self.forwarding.leads_no_more().await;
    }

    /// Gives the lead back, to this node alone for a while if one is named and has the rules that are in this folder
    /// now, and stands by. The platform was stopped, and its store closed.
    ///
    /// # Errors
    /// [`NodeError`]
    pub async fn gives_back(
        &mut self,
        lease: Lease,
        heir: Option<String>,
    ) -> Result<(), NodeError> {
        self.membership.does(STANDING_BY, None);
        let (rules, view) = (self.digest(), self.membership.view());
        let released = move || {
            let rules = rules();
            if let Some(digest) = &rules {
                // What changed since they were last read is in force for whoever is next.
                lease.in_force(digest);
            }
            let able = |heir: &String| {
                let view = view.borrow();
                let heir = view.nodes.iter().find(|node| node.name == *heir);
                rules.is_none() || heir.is_some_and(|it| Some(&it.rules) == rules.as_ref())
            };
            lease.release(heir.filter(able).as_deref())
        };
        if let Err(cause) = tokio::task::spawn_blocking(released).await? {
            warn!("the others wait until the lead has run out: {cause}");
        }
        self.kept_head.set_standing_by(true);
        Ok(())
    }

    /// Reads the rules that are in its folder now; none, and logs it, if they cannot be read.
    fn digest(&self) -> impl FnOnce() -> Option<String> + Send + use<> {
        let folder = self.folder.clone();
        move || {
            let read = rules::digest(&folder);
            read.inspect_err(|cause| warn!("the rules cannot be read just now: {cause}"))
                .ok()
        }
    }

    /// Leaves the others.
    pub async fn leaves(self) {
        let left = tokio::task::spawn_blocking(move || drop(self.membership));
        // It ended, or was ended: nothing to learn from either.
        let _ = left.await;
    }
}

/// The socket of the channel between nodes.
fn channel(settings: &Settings) -> Result<TcpListener, StartError> {
    listen(settings.cluster.listen()).map_err(|cause| unbound(settings, cause))
}

fn unbound(settings: &Settings, cause: std::io::Error) -> StartError {
    let address = settings.cluster.listen();
    BindError { address, cause }.into()
}

/// The number after which sessions of a lead are numbered: those of earlier leads go on under their own.
fn first_session(epoch: u64) -> u32 {
    ((epoch % 4_096) as u32) << 20
}
