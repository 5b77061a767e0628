//! Who is at the door: how many connections there are, and on how many nobody has authenticated.
//!
//! Strangers are limited in number, for what they may do costs them nothing. One stranger more does
//! not wait for the others: whoever has been one longest, of the source that sends most of them,
//! makes room. So many slow connections keep none out but their own. Knows addresses and times;
//! who has failed too often is known to a [`crate::ssh::Gate`].

use super::limits::Limits;
use crate::ssh::gate::Source;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Why there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// There are too many connections.
    Connections,
    /// There are too many on which nobody has authenticated.
    Unauthenticated,
}

/// The connections of a door.
#[derive(Debug)]
pub(super) struct Admission {
    unauthenticated_max: usize,
    stale: Duration,
    connections_max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    connections: usize,
    /// By number, and so by age.
    unauthenticated: BTreeMap<u64, Unauthenticated>,
}

#[derive(Debug)]
struct Unauthenticated {
    source: Source,
    since: Instant,
    cut: Arc<Notify>,
}

impl Admission {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            unauthenticated_max: limits.unauthenticated_max,
            stale: limits.stale,
            connections_max: limits.connections_max,
            state: Mutex::default(),
        })
    }

    /// Lets a connection in, as a stranger.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Result<ConnectionPermit, Full> {
        let (source, since, cut) = (Source::of(address), Instant::now(), Arc::new(Notify::new()));
        let mut state = self.lock();
        if state.connections >= self.connections_max {
            return Err(Full::Connections);
        }
        if state.unauthenticated.len() >= self.unauthenticated_max {
            let out = state.to_make_room(source, since, self.stale);
            let out = out.and_then(|number| state.unauthenticated.remove(&number));
            out.ok_or(Full::Unauthenticated)?.cut.notify_one();
        }
        state.next += 1;
        state.connections += 1;
        let number = state.next;
        let entry = Unauthenticated {
            source,
            since,
            cut: Arc::clone(&cut),
        };
        state.unauthenticated.insert(number, entry);
        Ok(ConnectionPermit {
            admission: Arc::clone(self),
            number,
            cut,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The stranger that goes so that one of `source` can come: the oldest of the source that has
    /// most. A source that has as many itself must wait until one is stale.
    fn to_make_room(&self, source: Source, now: Instant, stale: Duration) -> Option<u64> {
        let mut held: HashMap<Source, usize> = HashMap::new();
        for stranger in self.unauthenticated.values() {
            *held.entry(stranger.source).or_default() += 1;
        }
        let own = held.get(&source).copied().unwrap_or(0);
        let most = held.values().copied().max()?;
        let goes = |stranger: &Unauthenticated| {
            held[&stranger.source] == most
                && (most > own + 1 || now.duration_since(stranger.since) >= stale)
        };
        let (number, _) = self
            .unauthenticated
            .iter()
            .find(|(_, stranger)| goes(stranger))?;
        Some(*number)
    }
}

/// The permit of a connection; given back when dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    admission: Arc<Admission>,
    number: u64,
    cut: Arc<Notify>,
}

impl ConnectionPermit {
    /// Somebody has authenticated on it.
    pub(super) fn authenticate(&self) {
        self.admission.lock().unauthenticated.remove(&self.number);
    }

    /// Completes when the connection must make room for another.
    pub(super) async fn cut(&self) {
        self.cut.notified().await;
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut state = self.admission.lock();
        state.connections -= 1;
        state.unauthenticated.remove(&self.number);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn admission(
        unauthenticated_max: usize,
        connections_max: usize,
        stale: Duration,
    ) -> Arc<Admission> {
        Admission::new(&Limits {
            unauthenticated_max,
            connections_max,
            stale,
            ..Limits::default()
        })
    }

    fn of(host: u8) -> IpAddr {
        [192, 0, 2, host].into()
    }

    fn is_cut(permit: &ConnectionPermit) -> bool {
        let mut cut = std::pin::pin!(permit.cut());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        cut.as_mut().poll(&mut context).is_ready()
    }

    /// Row 20, 21: a crowd of one source keeps no other out.
    #[test]
    fn a_crowd_makes_room_for_others_and_not_for_itself() {
        let admission = admission(4, 100, Duration::from_secs(3_600));
        let many: Vec<ConnectionPermit> = (0..4).map(|_| admission.enter(of(1)).unwrap()).collect();
        assert_eq!(admission.enter(of(1)).unwrap_err(), Full::Unauthenticated);
        let other = admission.enter(of(2)).unwrap();
        let cut: Vec<bool> = many.iter().map(is_cut).collect();
        assert_eq!(cut, [true, false, false, false], "the oldest goes");
        let third = admission.enter(of(3)).unwrap();
        assert!(is_cut(&many[1]) && !is_cut(&other));
        // Two of one source, one each of two: nobody gains by going on.
        assert_eq!(admission.enter(of(2)).unwrap_err(), Full::Unauthenticated);
        drop(third);
        assert!(admission.enter(of(2)).is_ok());
    }

    #[test]
    fn whoever_is_stale_makes_room_for_its_own() {
        let admission = admission(2, 100, Duration::ZERO);
        let (first, second) = (
            admission.enter(of(1)).unwrap(),
            admission.enter(of(1)).unwrap(),
        );
        let _third = admission.enter(of(1)).unwrap();
        assert!(is_cut(&first) && !is_cut(&second));
    }

    /// Row 10, 20: those who have authenticated are no strangers, but count as connections.
    #[test]
    fn whoever_is_known_takes_no_strangers_place() {
        let admission = admission(1, 3, Duration::from_secs(3_600));
        let first = admission.enter(of(1)).unwrap();
        first.authenticate();
        let second = admission.enter(of(1)).unwrap();
        assert_eq!(admission.enter(of(1)).unwrap_err(), Full::Unauthenticated);
        second.authenticate();
        let _third = admission.enter(of(1)).unwrap();
        assert_eq!(admission.enter(of(1)).unwrap_err(), Full::Connections);
        drop(first);
        assert_eq!(admission.enter(of(2)).unwrap_err(), Full::Unauthenticated);
    }
}
