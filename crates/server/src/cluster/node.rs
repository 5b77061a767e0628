//! The life of a node: its sockets, when it may lead, and when it is to give the lead back.
//!
//! Composes no platform: whoever runs it does, on the lease and the sockets that it is given. Read next:
//! [`super::membership`], [`super::forward`]; [`crate::host`].

use super::forward::Forward;
use super::membership::{
    ClusterView, DRAINING, LEADING, Membership, MembershipError, NodeIdentity, STANDING_BY,
};
use super::rules;
use crate::access;
use crate::config::Settings;
use crate::host::{Host, Sockets, StartError};
use crate::http::HttpServing;
use crate::http::tls::{self, TlsError};
use crate::roster::Roster;
use crate::ssh::SshServing;
use crate::ssh::keys::{self, StateKeys};
use crate::ssh::listener::listen;
use crate::state::StateFolder;
use crate::writable;
use crate::{clock::Clock, ssh::BindError};
use russh::keys::HashAlg;
use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions, TryLockError};
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::sync::Arc;
use std::time::Duration;
use store::lead::{LeadCandidate, Lease, NodeRow, Obstacle, Taking, Wish};
use store::{Location, OpenError, PostgresAddress};
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
    sockets: Sockets,
    /// What serves its clients while it stands by, and what such clients are left of former times.
    doors: Vec<Door>,
    forward: Arc<dyn Forward>,
    membership: Membership,
    candidate: LeadCandidate,
    address: PostgresAddress,
    folder: StateFolder,
    /// True until the first look: a former life of this node may hold the lead.
    is_new: bool,
    /// Held as long as the node lives.
    _lock: File,
}

enum Door {
    Ssh(SshServing),
    Http(HttpServing),
}

impl Door {
    fn rest(&self) {
        match self {
            Self::Ssh(door) => door.rest(),
            Self::Http(door) => door.rest(),
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Self::Ssh(door) => door.is_over(),
            Self::Http(door) => door.is_over(),
        }
    }
}

/// What a node has to forward with.
pub struct Forwarding {
    /// Who leads.
    pub leader: super::LeaderWatch,
    /// Where other nodes reach this one.
    pub socket: TcpListener,
    /// The TLS of its HTTP server, if that speaks it.
    pub tls: Option<Arc<tokio_rustls::rustls::ServerConfig>>,
}

impl ClusterNode {
    /// Joins the other nodes: locks and checks the folder, binds all sockets, and says that it is there.
    /// `forward` makes what serves its clients while it stands by.
    ///
    /// # Errors
    /// [`NodeError`]
    pub async fn start(
        folder: &StateFolder,
        settings: &Settings,
        roster: &Roster,
        forward: impl FnOnce(Forwarding) -> Arc<dyn Forward>,
    ) -> Result<Self, NodeError> {
        let (name, address) = settings.cluster_node().map_err(StartError::from)?;
        let keys = prepared(folder, settings)?;
        let lock = lock(folder, &address)?;
        let ttl = settings.cluster.ttl();
        let sockets = Sockets::bind(folder, settings, roster)?;
        let bound = |cause| {
            let address = settings.cluster.listen();
            StartError::from(BindError { address, cause })
        };
        let channel = listen(settings.cluster.listen()).map_err(bound)?;
        let listening = channel.local_addr().map_err(bound)?;
        let advertised = settings.cluster.advertised(listening);
        let host = keys.host().map_err(StartError::from)?;
        let addresses: Vec<SocketAddr> = sockets.addresses().collect();
        let known_hosts = keys.known_hosts();
        keys::write_known_hosts(&known_hosts, host.public_key(), &addresses)
            .map_err(StartError::from)?;
        let candidate = LeadCandidate {
            fingerprint: host.public_key().fingerprint(HashAlg::Sha256).to_string(),
            node: name.clone(),
            rules: String::new(),
            any_rules: settings.cluster.accept_rules,
            ttl,
            durable: true,
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
        let files = settings.http.tls.as_ref();
        let clock = Arc::new(Clock::wall());
        let tls = files.map(|files| tls::configure(&files.files(), &clock));
        let tls = tls.transpose().map_err(|cause: TlsError| {
            StartError::from(crate::config::SettingsError::from(cause))
        })?;
        let forward = forward(Forwarding {
            leader: membership.leader(),
            socket: channel,
            tls,
        });
        let mut node = Self {
            sockets,
            doors: Vec::new(),
            forward,
            membership,
            candidate,
            address,
            folder: folder.clone(),
            is_new: true,
            _lock: lock,
        };
        node.open_doors();
        Ok(node)
    }

    /// Its sockets, and what is served there.
    pub fn sockets(&self) -> &Sockets {
        &self.sockets
    }

    /// The nodes, and what can be asked of them.
    pub fn membership(&self) -> &Membership {
        &self.membership
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
            let drained = view.wish == Wish::Drain;
            let state = if drained { DRAINING } else { STANDING_BY };
            self.membership.does(state, None);
            if self.may_try(&view) {
                match self.attempt().await? {
                    Some(lease) => {
                        // Whoever comes from here on waits for the platform.
                        self.doors.iter().for_each(Door::rest);
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
        Some(match view.wish {
            Wish::Drain => NodeNews::Drained,
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
        view.wish != Wish::Drain && !promised && !differs && (former || !lead.held)
    }

    async fn attempt(&mut self) -> Result<Option<Lease>, NodeError> {
        let (address, folder) = (self.address.clone(), self.folder.clone());
        let mut candidate = self.candidate.clone();
        let take = move || -> Result<Taking, NodeError> {
            // As they are now, for they are read anew when it leads.
            candidate.rules = rules::digest(&folder).map_err(MembershipError::from)?;
            Ok(Lease::take(&address, &candidate)?)
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

    /// The platform is composed, on this host, and serves the sockets; what clients began before goes on as
    /// it did.
    pub fn leads(&mut self, host: &Host, lease: &Lease) {
        self.forward.leads(Some(host));
        self.membership.does(LEADING, Some(lease.clone()));
        self.membership.fulfilled(Wish::Lead);
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
                return Ok(heir);
            }
            if view.wish == Wish::Drain && !std::mem::replace(&mut told, true) {
                warn!("nobody else can lead: this node does until another can");
            }
            if views.changed().await.is_err() {
                let gone = std::io::Error::other("it has ended");
                return Err(MembershipError::Thread(gone).into());
            }
        }
    }

    /// The platform is about to be stopped: what clients of other nodes have begun there is to end in order.
    pub fn stops_leading(&self) {
        self.forward.leads(None);
    }

    /// Gives the lead back, to this node alone for a while if one is named, and stands by. The platform was
    /// stopped, and its store closed.
    ///
    /// # Errors
    /// [`NodeError`]
    pub async fn gives_back(
        &mut self,
        lease: Lease,
        heir: Option<String>,
    ) -> Result<(), NodeError> {
        self.membership.does(STANDING_BY, None);
        self.open_doors();
        let released = move || lease.release(heir.as_deref());
        if let Err(cause) = tokio::task::spawn_blocking(released).await? {
            warn!("the others wait until the lead has run out: {cause}");
        }
        Ok(())
    }

    /// Leaves the others.
    pub async fn leaves(self) {
        let left = tokio::task::spawn_blocking(move || drop(self.membership));
        // It ended, or was ended: nothing to learn from either.
        let _ = left.await;
    }

    fn open_doors(&mut self) {
        self.doors.retain(|door| !door.is_over());
        for (listening, listener) in &self.sockets.ssh {
            let door = self.forward.ssh(listening, listener.clone());
            self.doors.push(Door::Ssh(door));
        }
        if let Some(listener) = &self.sockets.http {
            let door = self.forward.http(listener.clone());
            self.doors.push(Door::Http(door));
        }
    }
}

/// The node to which the lead is to be handed: one that was asked to lead, or any other, if `me` was asked
/// not to.
fn heir(me: &str, view: &ClusterView) -> Option<String> {
    let able = |node: &&NodeRow| {
        node.name != me
            && node.alive
            && node.rules == view.rules
            && node.wish != Wish::Drain
            && node.state == STANDING_BY
    };
    let mut others = view.nodes.iter().filter(able);
    let wanted = { others.clone() }.find(|node| node.wish == Wish::Lead);
    let any = || others.next().filter(|_| view.wish == Wish::Drain);
    wanted.or_else(any).map(|node| node.name.clone())
}

/// Checks the files of a folder as a start of a platform does.
fn prepared(folder: &StateFolder, settings: &Settings) -> Result<StateKeys, StartError> {
    writable::check(folder)?;
    settings.check(folder)?;
    let keys = StateKeys::open(folder.path())?;
    access::load(&folder.access())?;
    Ok(keys)
}

/// Locks the folder, so that no second process is this node.
fn lock(folder: &StateFolder, address: &PostgresAddress) -> Result<File, StartError> {
    let path = folder.lock();
    let failed = |cause| OpenError::File {
        path: path.clone(),
        cause,
    };
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600);
    let file = options.open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let state = Location::Postgres(address.clone());
            Err(OpenError::Locked { state }.into())
        }
        Err(TryLockError::Error(cause)) => Err(failed(cause).into()),
    }
}

/// A word for a folder on this machine that no other has.
fn place(folder: &StateFolder) -> String {
    let mut digest = Sha256::new();
    // Nothing of it is known where there is no such file; the folder is told from others here at least.
    digest.update(std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default());
    let path = folder.path();
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    digest.update(path.as_os_str().as_encoded_bytes());
    if let Ok(found) = path.metadata() {
        digest.update(found.dev().to_be_bytes());
        digest.update(found.ino().to_be_bytes());
    }
    base16ct::lower::encode_string(&digest.finalize())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    fn node(name: &str) -> NodeRow {
        NodeRow {
            name: name.to_owned(),
            life: name.to_owned(),
            address: String::new(),
            version: String::new(),
            state: STANDING_BY.to_owned(),
            rules: "these".to_owned(),
            started: Timestamp::from_ms(0),
            seen: Timestamp::from_ms(0),
            alive: true,
            wish: Wish::None,
        }
    }

    fn found(wish: Wish, nodes: Vec<NodeRow>) -> Option<String> {
        let view = ClusterView {
            nodes,
            wish,
            rules: "these".to_owned(),
            ..ClusterView::default()
        };
        heir("a", &view)
    }

    #[test]
    fn the_lead_goes_to_who_was_asked_to_have_it_and_can() {
        let asked = NodeRow {
            wish: Wish::Lead,
            ..node("c")
        };
        let all = || vec![node("a"), node("b"), asked.clone()];
        assert_eq!(found(Wish::None, vec![node("a"), node("b")]), None);
        assert_eq!(found(Wish::None, all()).as_deref(), Some("c"));
        assert_eq!(
            found(Wish::Drain, vec![node("a"), node("b")]).as_deref(),
            Some("b")
        );
        assert_eq!(found(Wish::Drain, vec![node("a")]), None);
        let gone = NodeRow {
            alive: false,
            ..asked.clone()
        };
        let strange = NodeRow {
            rules: "others".to_owned(),
            ..asked.clone()
        };
        let drained = NodeRow {
            wish: Wish::Drain,
            ..asked.clone()
        };
        let busy = NodeRow {
            state: DRAINING.to_owned(),
            ..asked
        };
        for unable in [gone, strange, drained, busy] {
            assert_eq!(
                found(Wish::Drain, vec![node("a"), unable.clone()]),
                None,
                "{unable:?}"
            );
        }
    }
}
