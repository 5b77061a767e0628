//! The limits that all listeners share.
//!
//! Only connections that have not yet authenticated are limited in number and rate (CVE-2002-20001
//! and its kind: a handshake costs the server far more than the client); sessions have a limit of
//! their own. So has the work on bytes of a source or a user before there is a message, in turns.
//! Knows addresses and times, and sockets only to shut them down.
//!
//! ```text
//! accepted ──► refused (its source failed too often, or the queue is full)
//!     │
//!     ├──► waiting ──► admitted ──► authenticated (leaves the gate)
//!     └───────────────────▲  └────► failed: counted against its source
//! ```

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tracing::info;

use super::logins::Logins;
use super::wire::Socket;
use crate::fair::{FairShares, Share};

mod limits;

pub use limits::SshLimits;

/// The present counts of the gate, and totals of refusals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Connections in handshake.
    pub unauthenticated: usize,
    /// Connections waiting for their handshake.
    pub waiting: usize,
    /// Sessions.
    pub sessions: usize,
    /// Connections refused since the start.
    pub refused: u64,
    /// Authentications that failed since the start.
    pub failed: u64,
}

/// The shared gate. One per process; every listener holds it.
#[derive(Debug)]
pub struct ConnectionLimiter {
    limits: SshLimits,
    logins: Arc<Logins>,
    /// The turns of work on bytes below messages; messages have other ones.
    shares: FairShares,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// The admitted handshakes by number, and so by age.
    admitted: BTreeMap<u64, Admitted>,
    /// The waiting connections, by source; `turns` holds the same sources in the order in which
    /// they are served, so that no source can wait behind another's crowd.
    waiting: HashMap<Source, VecDeque<Waiter>>,
    turns: VecDeque<Source>,
    sources: HashMap<Source, Record>,
    counts: ConnectionCounts,
}

#[derive(Debug)]
struct Admitted {
    source: Source,
    since: Instant,
    socket: Weak<Socket>,
}

#[derive(Debug)]
struct Waiter {
    socket: Weak<Socket>,
    admit: oneshot::Sender<AdmissionPermit>,
}

/// The source that an address belongs to: a whole IPv6 /64 is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source(IpAddr);

#[derive(Debug, Default)]
struct Record {
    second: Option<Instant>,
    failed: u32,
    refused_until: Option<Instant>,
}

/// The most sources remembered; beyond it, those without a refusal are forgotten.
const SOURCES_MAX: usize = 65_536;

impl ConnectionLimiter {
    /// A gate with these limits.
    #[must_use]
    pub fn new(limits: SshLimits) -> Arc<Self> {
        Arc::new(Self {
            logins: Logins::new(),
            shares: FairShares::new(limits.at_once),
            limits,
            state: Mutex::new(State::default()),
        })
    }

    /// The limits it enforces.
    #[must_use]
    pub fn limits(&self) -> &SshLimits {
        &self.limits
    }

    /// The logins.
    #[must_use]
    pub fn logins(&self) -> &Arc<Logins> {
        &self.logins
    }

    /// The present counts.
    #[must_use]
    pub fn counts(&self) -> ConnectionCounts {
        let state = self.lock();
        ConnectionCounts {
            unauthenticated: state.admitted.len(),
            waiting: state.waiting.values().map(VecDeque::len).sum(),
            ..state.counts
        }
    }

    /// Waits until a connection may begin its handshake; `None` refuses it.
    pub(super) async fn admit(
        self: &Arc<Self>,
        address: IpAddr,
        socket: &Arc<Socket>,
    ) -> Option<AdmissionPermit> {
        let mut turn = match self.knock(Source::of(address), Arc::downgrade(socket)) {
            Admission::Admitted(admission) => return Some(admission),
            Admission::Refused => return None,
            Admission::Waiting(turn) => turn,
        };
        loop {
            match tokio::time::timeout(Duration::from_millis(500), &mut turn).await {
                Ok(turn) => return turn.ok(),
                Err(_) => self.make_room(),
            }
        }
    }

    /// Counts one more session, unless there are too many.
    pub(super) fn session(self: &Arc<Self>) -> Option<SessionPermit> {
        let mut state = self.lock();
        if state.counts.sessions >= self.limits.sessions_max {
            return None;
        }
        state.counts.sessions += 1;
        Some(SessionPermit(Arc::clone(self)))
    }

    /// Counts a failure to authenticate other than in an SSH handshake.
    pub(crate) fn record_failure(&self, address: IpAddr) {
        let mut state = self.lock();
        self.count_failure(&mut state, Source::of(address), Instant::now());
    }

    /// The time for which an address is still refused after too many failures; none if it is not.
    pub(crate) fn refused_for(&self, address: IpAddr) -> Option<Duration> {
        let state = self.lock();
        let until = state.sources.get(&Source::of(address))?.refused_until?;
        until.checked_duration_since(Instant::now())
    }

    /// A user's share of the work on bytes below messages. User names have no '/', so that no user
    /// shares with a source.
    #[must_use]
    pub fn share_of(&self, user: &str) -> Share {
        self.shares.of(user)
    }

    /// The share of a source, before authentication.
    #[must_use]
    pub fn share_of_source(&self, address: IpAddr) -> Share {
        self.shares.of(&format!("/{}", Source::of(address)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn knock(self: &Arc<Self>, source: Source, socket: Weak<Socket>) -> Admission {
        let mut state = self.lock();
        let now = Instant::now();
        let waiting = state.waiting.get(&source).map_or(0, VecDeque::len);
        if state.refuses(source, now)
            || waiting >= self.limits.waiting_source_max
            || state.waiting.values().map(VecDeque::len).sum::<usize>() >= self.limits.waiting_max
        {
            state.counts.refused += 1;
            return Admission::Refused;
        }
        if waiting == 0 && state.has_room(source, &self.limits) {
            return Admission::Admitted(self.enter(&mut state, source, now, socket));
        }
        let (admit, turn) = oneshot::channel();
        if waiting == 0 && !state.turns.contains(&source) {
            state.turns.push_back(source);
        }
        let queue = state.waiting.entry(source).or_default();
        queue.push_back(Waiter { socket, admit });
        Admission::Waiting(turn)
    }

    fn enter(
        self: &Arc<Self>,
        state: &mut State,
        source: Source,
        since: Instant,
        socket: Weak<Socket>,
    ) -> AdmissionPermit {
        state.next += 1;
        let number = state.next;
        state.admitted.insert(
            number,
            Admitted {
                source,
                since,
                socket,
            },
        );
        AdmissionPermit {
            limiter: Arc::clone(self),
            source,
            number,
            outcome: Outcome::Silent,
        }
    }

    /// Cuts the stalest handshakes, at most one for each waiting connection.
    fn make_room(self: &Arc<Self>) {
        let mut state = self.lock();
        let now = Instant::now();
        let wanted = state.waiting.values().map(VecDeque::len).sum();
        let stale: Vec<u64> = state
            .admitted
            .iter()
            .filter(|(_, admitted)| now.duration_since(admitted.since) >= self.limits.stale)
            .map(|(number, _)| *number)
            .take(wanted)
            .collect();
        for number in &stale {
            if let Some(admitted) = state.admitted.remove(number) {
                state.counts.refused += 1;
                self.count_failure(&mut state, admitted.source, now);
                if let Some(socket) = admitted.socket.upgrade() {
                    socket.cut();
                }
            }
        }
        self.promote(&mut state, now);
    }

    /// Admits waiting connections, one of each source in turn, as far as there is room.
    fn promote(self: &Arc<Self>, state: &mut State, now: Instant) {
        let mut passed_over = 0;
        while state.admitted.len() < self.limits.unauthenticated_max
            && passed_over < state.turns.len()
        {
            let Some(source) = state.turns.pop_front() else {
                break;
            };
            if state.refuses(source, now) {
                // Dropping those who wait tells their connections.
                let dropped = state.waiting.remove(&source).map_or(0, |queue| queue.len());
                state.counts.refused += dropped as u64;
                continue;
            }
            if !state.has_room(source, &self.limits) {
                state.turns.push_back(source);
                passed_over += 1;
                continue;
            }
            let Some(waiter) = state.waiting.get_mut(&source).and_then(VecDeque::pop_front) else {
                state.waiting.remove(&source);
                continue;
            };
            state.turns.push_back(source);
            passed_over = 0;
            let admission = self.enter(state, source, now, waiter.socket);
            if let Err(admission) = waiter.admit.send(admission) {
                // It has given up: undo without taking the lock again.
                state.admitted.remove(&admission.number);
                admission.forget();
            }
        }
    }

    fn count_failure(&self, state: &mut State, source: Source, now: Instant) {
        state.counts.failed += 1;
        state.forget_sources(now);
        let record = state.sources.entry(source).or_default();
        let same_second = record
            .second
            .is_some_and(|start| now.duration_since(start) < Duration::from_secs(1));
        if !same_second {
            record.second = Some(now);
            record.failed = 0;
        }
        record.failed += 1;
        if record.failed > self.limits.failed_max {
            record.failed = 0;
            let already = record.refused_until.is_some_and(|until| until > now);
            record.refused_until = Some(now + self.limits.refusal);
            if !already {
                let address = source.0;
                info!(ssh.source = %address, "{address} fails too often and is refused for a while");
            }
        }
    }
}

enum Admission {
    Admitted(AdmissionPermit),
    Waiting(oneshot::Receiver<AdmissionPermit>),
    Refused,
}

impl State {
    fn refuses(&self, source: Source, now: Instant) -> bool {
        let record = self.sources.get(&source);
        record
            .and_then(|record| record.refused_until)
            .is_some_and(|until| until > now)
    }

    fn has_room(&self, source: Source, limits: &SshLimits) -> bool {
        let held = self
            .admitted
            .values()
            .filter(|a| a.source == source)
            .count();
        self.admitted.len() < limits.unauthenticated_max && held < limits.unauthenticated_source_max
    }

    fn forget_sources(&mut self, now: Instant) {
        if self.sources.len() < SOURCES_MAX {
            return;
        }
        self.sources
            .retain(|_, record| record.refused_until.is_some_and(|until| until > now));
        if self.sources.len() >= SOURCES_MAX {
            self.sources.clear();
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Source {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            v4 => v4,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing was tried: the connection itself counts when it ends.
    Silent,
    /// An attempt failed and has been counted.
    Failed,
    /// Does not count: authenticated, or closed by us.
    Excused,
}

/// The permit for a handshake; dropping it ends the handshake.
#[derive(Debug)]
pub(super) struct AdmissionPermit {
    limiter: Arc<ConnectionLimiter>,
    source: Source,
    number: u64,
    outcome: Outcome,
}

impl AdmissionPermit {
    /// The number of the connection.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Counts a failed attempt to authenticate.
    pub(super) fn failed(&mut self) {
        self.outcome = Outcome::Failed;
        let mut state = self.limiter.lock();
        self.limiter
            .count_failure(&mut state, self.source, Instant::now());
    }

    /// Leaves the gate without being counted as a failure.
    pub(super) fn excuse(mut self) {
        self.outcome = Outcome::Excused;
    }

    /// Ends without touching the gate, which is locked.
    fn forget(mut self) {
        self.number = 0;
    }
}

impl Drop for AdmissionPermit {
    fn drop(&mut self) {
        if self.number == 0 {
            return;
        }
        let mut state = self.limiter.lock();
        let now = Instant::now();
        // One that was cut to make room has been counted already.
        let present = state.admitted.remove(&self.number).is_some();
        if present && self.outcome == Outcome::Silent {
            self.limiter.count_failure(&mut state, self.source, now);
        }
        self.limiter.promote(&mut state, now);
    }
}

/// The permit for a session.
#[derive(Debug)]
pub(super) struct SessionPermit(Arc<ConnectionLimiter>);

impl Drop for SessionPermit {
    fn drop(&mut self) {
        self.0.lock().counts.sessions -= 1;
    }
}

#[cfg(test)]
mod tests;
