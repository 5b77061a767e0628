//! What each user holds of what all share, and how much of it one may hold.
//!
//! Counts only: whoever takes something says so here, and is told whether there was room. Knows no
//! clock: rates are reckoned with the time that a request carries. Read next: `quota`, which asks for
//! room in the name of the engine, and `server`'s `memory`.

pub(crate) mod quota;
mod usage;

use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::warn;

/// How much one user may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserLimits {
    /// Sessions at once; they are counted where they come in.
    pub sessions: usize,
    /// Connections over HTTP at once.
    pub connections: usize,
    /// Bytes that came in and are not handled, or are to go out and not taken, over all sessions
    /// and connections.
    pub held_bytes: usize,
    /// Requests under way, over all sessions and connections.
    pub requests: usize,
    /// Tasks published that have not ended.
    pub tasks_open: usize,
    /// Bytes of data stored in `/data-params`.
    pub data_bytes: u64,
    /// Bytes written a second, in data and in contents, over a longer time.
    pub write_bytes_s: u64,
    /// Bytes that may be written at once before that rate holds.
    pub write_burst_bytes: u64,
}

impl Default for UserLimits {
    /// 1,000 sessions, 1,000 connections, 256 MiB held, 4,096 requests, 10,000 open tasks, 4 GiB stored, 8 MiB/s after
    /// 1 GiB.
    fn default() -> Self {
        Self {
            sessions: 1_000,
            connections: 1_000,
            held_bytes: 256 << 20,
            requests: 4_096,
            tasks_open: 10_000,
            data_bytes: 4 << 30,
            write_bytes_s: 8 << 20,
            write_burst_bytes: 1 << 30,
        }
    }
}

/// How much users may hold: most as much as each other, some more or less.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Whoever is not named.
    pub usual: UserLimits,
    /// Those who are, by name.
    pub named: BTreeMap<String, UserLimits>,
}

impl Quotas {
    /// How much a user may hold.
    pub fn of(&self, user: &str) -> &UserLimits {
        self.named.get(user).unwrap_or(&self.usual)
    }
}

impl From<UserLimits> for Quotas {
    fn from(usual: UserLimits) -> Self {
        let named = BTreeMap::new();
        Self { usual, named }
    }
}

/// The accounts of all users.
#[derive(Debug)]
pub struct Accounts {
    quotas: Quotas,
    /// Memory is short: nothing is begun that takes more of it.
    short: Arc<AtomicBool>,
    users: Mutex<BTreeMap<String, Arc<Account>>>,
}

/// The account of one user.
#[derive(Debug, Default)]
pub struct Account {
    user: String,
    limits: UserLimits,
    connections: AtomicUsize,
    held: AtomicUsize,
    requests: AtomicUsize,
    refused: AtomicU64,
    writing: Mutex<Writing>,
}

#[derive(Debug, Default)]
struct Writing {
    /// Bytes stored: as they were summed up last, with what was written since.
    stored: u64,
    /// What was written since.
    since: u64,
    /// What was written and has not drained off, as of an instant.
    level: u64,
    as_of: Timestamp,
}

/// What a user holds at this moment, and how often more was refused since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The user.
    pub name: String,
    /// See [`UserLimits::connections`].
    pub connections: u64,
    /// See [`UserLimits::held_bytes`].
    pub held_bytes: u64,
    /// See [`UserLimits::requests`].
    pub requests: u64,
    /// See [`UserLimits::tasks_open`].
    pub tasks_open: u64,
    /// See [`UserLimits::data_bytes`].
    pub data_bytes: u64,
    /// What was refused because of a bound: sessions, connections, requests, input.
    pub refused: u64,
}

impl Accounts {
    /// Nobody holds anything yet.
    pub fn new(quotas: impl Into<Quotas>) -> Self {
        Self {
            quotas: quotas.into(),
            short: Arc::default(),
            users: Mutex::default(),
        }
    }

    /// How much a user may hold.
    pub fn limits_of(&self, user: &str) -> &UserLimits {
        self.quotas.of(user)
    }

    /// The account of a user.
    pub fn of(&self, user: &str) -> Arc<Account> {
        let mut users = self.lock();
        if let Some(account) = users.get(user) {
            return Arc::clone(account);
        }
        let account = Arc::new(Account {
            user: user.to_owned(),
            limits: *self.limits_of(user),
            ..Account::default()
        });
        users.insert(user.to_owned(), Arc::clone(&account));
        account
    }

    /// Every account that was asked for, by the name of its user.
    pub fn all(&self) -> Vec<Arc<Account>> {
        self.lock().values().cloned().collect()
    }

    /// A share of the connections that a user may have, none at first.
    pub fn connections(&self, user: &str) -> Connections {
        let account = self.of(user);
        let most = account.limits.connections;
        Connections::none(account, most)
    }

    /// A share of what a user's sessions and connections may hold together, empty at first.
    pub fn hold(&self, user: &str) -> Held {
        let account = self.of(user);
        let most = account.limits.held_bytes;
        Held::none(account, most)
    }

    /// Counts a request that is under way, unless the user has too many.
    pub fn begin(&self, user: &str) -> Option<Requests> {
        let mut requests = self.requests(user);
        requests.set(1).then_some(requests)
    }

    /// A share of the requests that a user may have under way, none at first.
    pub fn requests(&self, user: &str) -> Requests {
        let account = self.of(user);
        let most = account.limits.requests;
        Requests::none(account, most)
    }

    /// Set while memory is short; cleared by whoever set it.
    pub fn short_of_memory(&self) -> &Arc<AtomicBool> {
        &self.short
    }

    /// True while memory is short: nothing is begun then that takes more of it.
    pub fn is_short(&self) -> bool {
        self.short.load(Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Account>>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    /// How much its user may hold.
    pub fn limits(&self) -> &UserLimits {
        &self.limits
    }

    /// Counts one more refusal. The first is told in the process log, and each that makes ten times
    /// as many.
    pub fn refuse(&self) {
        let refused = self.refused.fetch_add(1, Relaxed) + 1;
        if 10_u64.pow(refused.ilog10()) == refused {
            let user = &self.user;
            warn!(
                user,
                user.refused = refused,
                "'{user}' has as much as [limits] allows: refused {refused} times since the start"
            );
        }
    }

    /// What the user holds, but for open tasks, which are the engine's to tell.
    pub(crate) fn usage(&self) -> Usage {
        Usage {
            name: self.user.clone(),
            connections: self.connections.load(Relaxed) as u64,
            held_bytes: self.held.load(Relaxed) as u64,
            requests: self.requests.load(Relaxed) as u64,
            tasks_open: 0,
            data_bytes: self.writing().stored,
            refused: self.refused.load(Relaxed),
        }
    }

    /// Writes so many bytes of any kind; else tells how long to wait for it, in milliseconds.
    pub(crate) fn write(&self, bytes: u64, now: Timestamp) -> Result<(), u64> {
        self.writing().pour(bytes, &self.limits, now)
    }

    /// So many bytes were written for the user that nobody knew of before: what comes next waits until
    /// they have drained off.
    pub(crate) fn wrote(&self, bytes: u64, now: Timestamp) {
        let mut writing = self.writing();
        writing.drain(&self.limits, now);
        writing.level = writing.level.saturating_add(bytes);
    }

    /// Stores so many bytes more; false if the user would then have more than one may.
    pub(crate) fn store(&self, bytes: u64) -> bool {
        let mut writing = self.writing();
        let after = writing.stored.saturating_add(bytes);
        if after > self.limits.data_bytes {
            return false;
        }
        writing.stored = after;
        writing.since += bytes;
        true
    }

    /// So many bytes were not stored after all.
    pub(crate) fn give_back(&self, bytes: u64) {
        let mut writing = self.writing();
        writing.stored = writing.stored.saturating_sub(bytes);
        writing.since = writing.since.saturating_sub(bytes);
    }

    /// What is stored is summed up: what comes from here on is not in the sum.
    pub(crate) fn begin_sum(&self) {
        self.writing().since = 0;
    }

    /// So much was stored when it was summed up.
    pub(crate) fn end_sum(&self, stored: u64) {
        let mut writing = self.writing();
        writing.stored = stored.saturating_add(writing.since);
    }

    /// Whose account it is.
    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writing {
    /// Lets drain off what has.
    fn drain(&mut self, limits: &UserLimits, now: Timestamp) {
        let rate = limits.write_bytes_s.max(1);
        let passed_ms = now.as_ms().saturating_sub(self.as_of.as_ms()).max(0) as u64;
        let drained = (u128::from(rate) * u128::from(passed_ms) / 1_000).min(u128::from(u64::MAX));
        self.level = self.level.saturating_sub(drained as u64);
        self.as_of = now.max(self.as_of);
    }

    /// Adds what is written; else tells how long to wait, in ms.
    fn pour(&mut self, bytes: u64, limits: &UserLimits, now: Timestamp) -> Result<(), u64> {
        self.drain(limits, now);
        let rate = limits.write_bytes_s.max(1);
        // Whoever writes more at once than the burst waits until all has drained off.
        let after = self.level.saturating_add(bytes);
        if self.level > 0 && after > limits.write_burst_bytes {
            let over = (after - limits.write_burst_bytes).min(self.level);
            return Err((over.saturating_mul(1_000) / rate).max(1));
        }
        self.level = after;
        Ok(())
    }
}

macro_rules! share {
    ($(#[$doc:meta])* $name:ident, $counter:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            account: Arc<Account>,
            most: usize,
            own: usize,
        }

        impl $name {
            fn none(account: Arc<Account>, most: usize) -> Self {
                let own = 0;
                Self { account, most, own }
            }

            /// Whose share it is.
            pub fn user(&self) -> &str {
                &self.account.user
            }

            /// Takes so much in all; false if the user would then have more than one may, and
            /// then it stays as it was. Less is always taken.
            pub fn set(&mut self, own: usize) -> bool {
                let counter = &self.account.$counter;
                if own <= self.own {
                    counter.fetch_sub(self.own - own, Relaxed);
                } else {
                    let more = own - self.own;
                    let before = counter.fetch_add(more, Relaxed);
                    if before + more > self.most {
                        counter.fetch_sub(more, Relaxed);
                        self.account.refuse();
                        return false;
                    }
                }
                self.own = own;
                true
            }

            /// Counts what is under way already, whatever the bound.
            pub fn note(&mut self, own: usize) {
                let counter = &self.account.$counter;
                match own.checked_sub(self.own) {
                    Some(more) => counter.fetch_add(more, Relaxed),
                    None => counter.fetch_sub(self.own - own, Relaxed),
                };
                self.own = own;
            }

            /// What all shares of the user have taken together.
            pub fn of_user(&self) -> usize {
                self.account.$counter.load(Relaxed)
            }

            /// True if the user has no room for one more.
            pub fn is_full(&self) -> bool {
                self.account.$counter.load(Relaxed) >= self.most
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.account.$counter.fetch_sub(self.own, Relaxed);
            }
        }
    };
}

share!(
    /// Connections over HTTP, given back when dropped.
    Connections,
    connections
);
share!(
    /// Bytes that a session or connection holds, given back when dropped.
    Held,
    held
);
share!(
    /// Requests under way, given back when dropped.
    Requests,
    requests
);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_holds_has_an_end_and_is_given_back() {
        let limits = UserLimits {
            connections: 1,
            held_bytes: 100,
            requests: 2,
            ..UserLimits::default()
        };
        let accounts = Accounts::new(limits);
        let (mut one, mut two) = (accounts.hold("guest"), accounts.hold("guest"));
        assert!(one.set(60) && two.set(40) && !two.set(41));
        assert!(accounts.hold("noc").set(100), "others have their own");
        assert!(one.set(10) && two.set(90));
        drop(two);
        assert!(one.set(100));
        let first = accounts.begin("guest").unwrap();
        let second = accounts.begin("guest").unwrap();
        assert!(accounts.begin("guest").is_none() && first.is_full());
        drop(second);
        assert!(accounts.begin("guest").is_some());
        let mut connections = [0, 1].map(|_| accounts.connections("guest"));
        assert_eq!(connections.each_mut().map(|it| it.set(1)), [true, false]);
        let usage = accounts.of("guest").usage();
        assert_eq!(
            (usage.connections, usage.refused),
            (1, 3),
            "each bound counts"
        );
    }

    /// A law: over any time nobody writes more than the burst and the rate let through, and who waits
    /// as long as told gets on.
    #[test]
    fn what_is_written_keeps_to_its_rate() {
        let limits = UserLimits {
            write_bytes_s: 1_000,
            write_burst_bytes: 5_000,
            ..UserLimits::default()
        };
        let at = |ms: i64| Timestamp::from_ms(1_000_000 + ms);
        let (mut writing, mut sum, mut ms) = (Writing::default(), 0_u64, 0_i64);
        writing.as_of = at(0);
        let mut waited = 0;
        for step in 0..1_000_u64 {
            let bytes = 1 + step * 37 % 900;
            match writing.pour(bytes, &limits, at(ms)) {
                Ok(()) => sum += bytes,
                Err(wait) => {
                    waited += 1;
                    ms += wait as i64;
                    writing.pour(bytes, &limits, at(ms + 1)).unwrap();
                    sum += bytes;
                }
            }
            assert!(sum <= 5_000 + (ms as u64 + 1) + 900, "{sum} after {ms} ms");
        }
        assert!(waited > 100);
        let mut once = Writing::default();
        once.pour(1 << 40, &limits, at(0)).unwrap();
        assert!(
            once.pour(1, &limits, at(1)).is_err(),
            "what is too much at once is paid for"
        );
    }
}
