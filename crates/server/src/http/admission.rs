//! Whose the connections of the server are: a user's, or, while nobody has authenticated, their
//! source's.
//!
//! ```text
//! accepted ──► unauthenticated ──► authenticated: counts among those of its user
//!     │ no room                         ▲
//!     └──────► reserve ─────────────────┘
//! ```
//!
//! Unauthenticated connections cost nothing, so that they have a bound of their own, and each source
//! a share of it. One more does not wait for the others: the oldest of the source that has most makes
//! room, or of its own source one that is stale. So many slow connections keep none out but their own.
//! Where there is no room even so, there is the reserve: whoever asks there whether the platform lives
//! is told, whoever shows a credential is let in, and nobody else is. The newest always gets into it,
//! so that it cannot be kept full. Knows addresses, names and times; who has failed too often is known
//! to a [`crate::ssh::Gate`].

use super::delivery::Untaken;
use super::limits::HttpLimits;
use super::request::Share;
use crate::ssh::gate::Source;
use engine::accounts::{Accounts, Connections};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Why a connection does not count as that of who has authenticated on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// There are too many connections.
    Connections,
    /// There are too many of this user.
    OfUser,
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Admission {
    connections_max: usize,
    unauthenticated: Bounds,
    reserve: Bounds,
    state: Mutex<State>,
}

/// How many connections there may be before anyone has authenticated on them.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    most: usize,
    of_source: usize,
    /// How old one is when it makes room for another of its own source.
    stale: Duration,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    authenticated: usize,
    unauthenticated: Queue,
    reserve: Queue,
}

/// Connections by number, and so by age.
#[derive(Debug, Default)]
struct Queue(BTreeMap<u64, Unauthenticated>);

#[derive(Clone, Debug)]
struct Unauthenticated {
    source: Source,
    since: Instant,
    cut: Arc<Notify>,
}

impl Admission {
    pub(super) fn new(limits: &HttpLimits) -> Arc<Self> {
        Arc::new(Self {
            connections_max: limits.connections_max,
            unauthenticated: Bounds {
                most: limits.unauthenticated_max,
                of_source: limits.unauthenticated_source_max,
                stale: limits.stale,
            },
            reserve: Bounds {
                most: limits.reserve,
                of_source: limits.reserve,
                stale: Duration::ZERO,
            },
            state: Mutex::default(),
        })
    }

    /// Lets a connection in on which nobody has authenticated yet.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> ConnectionPermit {
        let entry = Unauthenticated {
            source: Source::of(address),
            since: Instant::now(),
            cut: Arc::default(),
        };
        let cut = Arc::clone(&entry.cut);
        let mut state = self.lock();
        state.next += 1;
        let number = state.next;
        let is_in = state
            .unauthenticated
            .enter(number, &entry, self.unauthenticated);
        if !is_in {
            state.reserve.enter(number, &entry, self.reserve);
        }
        drop(state);
        ConnectionPermit {
            admission: Arc::clone(self),
            number,
            reserved: !is_in,
            failed: AtomicBool::new(false),
            cut,
            leaving: AtomicBool::new(false),
            leaves: Notify::new(),
            untaken: Arc::default(),
            is_shared: AtomicBool::new(false),
            user: Mutex::default(),
        }
    }

    /// Somebody has authenticated on a connection.
    fn authenticate(&self, number: u64) -> Result<(), Full> {
        let mut state = self.lock();
        if state.authenticated >= self.connections_max {
            return Err(Full::Connections);
        }
        state.authenticated += 1;
        state.forget(number);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget(&mut self, number: u64) {
        self.unauthenticated.0.remove(&number);
        self.reserve.0.remove(&number);
    }
}

impl Queue {
    /// Takes a connection in if there is room, or if another makes room, which is cut.
    fn enter(&mut self, number: u64, entry: &Unauthenticated, bounds: Bounds) -> bool {
        let mut held: HashMap<Source, usize> = HashMap::new();
        for other in self.0.values() {
            *held.entry(other.source).or_default() += 1;
        }
        let own = held.get(&entry.source).copied().unwrap_or(0);
        if own >= bounds.of_source || self.0.len() >= bounds.most {
            let Some(out) = self.to_make_room(&held, entry, bounds) else {
                return false;
            };
            if let Some(out) = self.0.remove(&out) {
                out.cut.notify_one();
            }
        }
        self.0.insert(number, entry.clone());
        true
    }

    /// The connection that goes so that another can come: the oldest of the source that has most. A
    /// source that has as many itself, or its share, must wait until one of those is stale.
    fn to_make_room(
        &self,
        held: &HashMap<Source, usize>,
        entry: &Unauthenticated,
        bounds: Bounds,
    ) -> Option<u64> {
        let own = held.get(&entry.source).copied().unwrap_or(0);
        let most = held.values().copied().max()?;
        let is_stale = |other: &Unauthenticated| {
            entry.since.saturating_duration_since(other.since) >= bounds.stale
        };
        let goes = |other: &Unauthenticated| match own >= bounds.of_source {
            true => other.source == entry.source && is_stale(other),
            false => held[&other.source] == most && (most > own + 1 || is_stale(other)),
        };
        let (number, _) = self.0.iter().find(|(_, other)| goes(other))?;
        Some(*number)
    }
}

/// The right to a connection; given back when dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    admission: Arc<Admission>,
    number: u64,
    /// True if it came in where there was no room but in the reserve.
    reserved: bool,
    /// True if a credential did not count on it.
    failed: AtomicBool,
    cut: Arc<Notify>,
    leaving: AtomicBool,
    leaves: Notify,
    /// Bytes of answers that are not taken and count for no user.
    untaken: Arc<AtomicUsize>,
    /// The user who was the last to authenticate on it, among whose connections it counts.
    user: Mutex<Option<Connections>>,
    /// True if several users have authenticated on it.
    is_shared: AtomicBool,
}

impl ConnectionPermit {
    /// A user has authenticated on it: from now on it counts among his. True if the one before was
    /// another, or nobody.
    ///
    /// # Errors
    /// [`Full`]; then it counts as before.
    pub(super) fn authenticate(&self, name: &str, accounts: &Accounts) -> Result<bool, Full> {
        let mut user = self.user();
        if user.as_ref().is_some_and(|user| user.user() == name) {
            return Ok(false);
        }
        let mut own = accounts.connections(name);
        if !own.set(1) {
            return Err(Full::OfUser);
        }
        match *user {
            None => self.admission.authenticate(self.number)?,
            Some(_) => self.is_shared.store(true, Relaxed),
        }
        *user = Some(own);
        Ok(true)
    }

    /// True if somebody has authenticated on it, among whose connections it counts.
    pub(super) fn is_of_user(&self) -> bool {
        self.user().is_some()
    }

    /// In whose share it is worked on, unless that is known already: its user's, or its own once several
    /// have authenticated on it. Names of users have no '/'.
    pub(super) fn sharer_other_than(&self, known: Option<&str>) -> Option<String> {
        if self.is_shared.load(Relaxed) {
            let own = format!("/connection/{}", self.number);
            return Some(own).filter(|own| known != Some(own));
        }
        let user = self.user();
        let user = user.as_ref().map(Connections::user);
        user.filter(|user| known != Some(user)).map(str::to_owned)
    }

    /// A credential did not count on it.
    pub(super) fn fail(&self) {
        self.failed.store(true, Relaxed);
    }

    /// True if a credential did not count on it, and none has.
    pub(super) fn has_but_failed(&self) -> bool {
        self.failed.load(Relaxed) && !self.is_of_user()
    }

    /// For whom it counts what is not taken of an answer to `name`, or to nobody who is known: for the
    /// user of the connection then, if it has one.
    pub(super) fn untaken(&self, name: Option<&str>, accounts: &Accounts) -> Untaken {
        let user = self.user();
        match name.or(user.as_ref().map(Connections::user)) {
            Some(name) => Untaken::OfUser(accounts.hold(name)),
            None => Untaken::OfConnection(Share::of(&self.untaken)),
        }
    }

    /// True if it is in the reserve, where only whoever authenticates may stay.
    pub(super) fn is_in_reserve(&self) -> bool {
        self.reserved && !self.is_of_user()
    }

    /// Lets it end once what is under way on it is answered.
    pub(super) fn leave(&self) {
        self.leaving.store(true, Relaxed);
        self.leaves.notify_one();
    }

    /// True if it is to end.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Relaxed)
    }

    /// Completes when it is to end.
    pub(super) async fn leaves(&self) {
        self.leaves.notified().await;
    }

    /// Completes when the connection must make room for another.
    pub(super) async fn cut(&self) {
        self.cut.notified().await;
    }

    fn user(&self) -> MutexGuard<'_, Option<Connections>> {
        self.user.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let authenticated = self.is_of_user();
        let mut state = self.admission.lock();
        state.authenticated -= usize::from(authenticated);
        state.forget(self.number);
    }
}

#[cfg(test)]
mod tests;
