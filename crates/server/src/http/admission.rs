//! The accounting of connections: to a user, or, before authentication, to their source.
//!
//! ```text
//! accepted ──► unauthenticated ──► authenticated: counts among those of its user
//!     │ no room                         ▲
//!     └──────► reserve ─────────────────┘
//! ```
//!
//! Unauthenticated connections cost their clients nothing, so they have a limit of their own, and
//! each source a share of it. A new one does not wait for the others: the oldest connection of the
//! source with most of them is closed for it, or a stale one of its own source. So many slow
//! connections shut out only their own source. If none can be closed, the new one goes into the
//! reserve, where only health checks and requests with a credential are answered. The newest
//! connection always gets into the reserve, so that it cannot be kept full. Knows addresses, names
//! and times; failures are counted by a [`crate::ssh::ConnectionLimiter`].

use super::limits::HttpLimits;
use super::share::Share;
use super::untaken::Untaken;
use crate::ssh::limiter::Source;
use engine::accounts::{Accounts, Connections};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The reason for which a connection is not counted to its authenticated user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// The server has too many connections.
    Connections,
    /// The user has too many connections.
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

/// The limits of connections before authentication.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    most: usize,
    of_source: usize,
    /// The age at which one may be closed for another of its own source.
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

    /// Admits a connection before authentication.
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

    /// Counts a connection as authenticated.
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
    /// Admits a connection if there is room, or if another can be closed, which is cut.
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

    /// The connection to close for another one: the oldest of the source with most of them. A
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

/// The permit of a connection; given back when dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    admission: Arc<Admission>,
    number: u64,
    /// True if it was admitted to the reserve only.
    reserved: bool,
    /// True if a credential on it was refused.
    failed: AtomicBool,
    cut: Arc<Notify>,
    leaving: AtomicBool,
    leaves: Notify,
    /// Bytes of responses that are not taken and count for no user.
    untaken: Arc<AtomicUsize>,
    /// The user who was the last to authenticate on it, to whom it counts.
    user: Mutex<Option<Connections>>,
    /// True if several users have authenticated on it.
    is_shared: AtomicBool,
}

impl ConnectionPermit {
    /// Counts it to a user who has authenticated on it. True if the one before was another, or
    /// none.
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

    /// True if a user has authenticated on it.
    pub(super) fn is_of_user(&self) -> bool {
        self.user().is_some()
    }

    /// The owner of the turns in which it is worked on, unless already known: its user, or the
    /// connection itself once several have authenticated on it. User names have no '/'.
    pub(super) fn sharer_other_than(&self, known: Option<&str>) -> Option<String> {
        if self.is_shared.load(Relaxed) {
            let own = format!("/connection/{}", self.number);
            return Some(own).filter(|own| known != Some(own));
        }
        let user = self.user();
        let user = user.as_ref().map(Connections::user);
        user.filter(|user| known != Some(user)).map(str::to_owned)
    }

    /// Notes that a credential on it was refused.
    pub(super) fn fail(&self) {
        self.failed.store(true, Relaxed);
    }

    /// True if a credential on it was refused, and none accepted.
    pub(super) fn has_but_failed(&self) -> bool {
        self.failed.load(Relaxed) && !self.is_of_user()
    }

    /// Its number among those of its server.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The account of the bytes not taken of a response to `name`, or to an unknown caller: then
    /// that of the connection's user, if it has one.
    pub(super) fn untaken(&self, name: Option<&str>, accounts: &Accounts) -> Untaken {
        let user = self.user();
        match name.or(user.as_ref().map(Connections::user)) {
            Some(name) => Untaken::OfUser(accounts.hold(name)),
            None => Untaken::OfConnection(Share::of(&self.untaken)),
        }
    }

    /// True if it is in the reserve, where only authenticated connections may stay.
    pub(super) fn is_in_reserve(&self) -> bool {
        self.reserved && !self.is_of_user()
    }

    /// Lets it end once its requests under way are answered.
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

    /// Completes when the connection must be closed for another.
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
