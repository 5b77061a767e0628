//! The logins: their keys, the number of sessions of each user, and the end of those whose key is
//! revoked.
//!
//! Knows names and keys; their validity is asked of the authenticator. Read next:
//! [`super::authentication`], [`crate::revocation`], which asks.

use engine::{Accounts, UserLimits};
use russh::keys::ssh_key::public::KeyData;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::watch;

/// The logins. One for all listeners.
#[derive(Debug)]
pub struct Logins {
    accounts: OnceLock<Arc<Accounts>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    users: BTreeMap<String, User>,
}

#[derive(Debug, Default)]
struct User {
    /// The number of connections, and of further channels on them.
    sessions: usize,
    open: HashMap<u64, Arc<Key>>,
}

#[derive(Debug)]
struct Key {
    data: KeyData,
    over: watch::Sender<bool>,
}

/// The error for a user that has the most sessions allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Logins {
    /// No logins yet.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            accounts: OnceLock::new(),
            state: Mutex::default(),
        })
    }

    /// Sets the accounts, which hold the limits of users and tell whether memory is short. The
    /// first call counts; until then users have the default limits.
    pub fn heed(&self, accounts: Arc<Accounts>) {
        let _ = self.accounts.set(accounts);
    }

    /// True while nobody new is admitted.
    pub(super) fn is_short(&self) -> bool {
        self.accounts.get().is_some_and(|all| all.is_short())
    }

    fn sessions_max(&self, user: &str) -> usize {
        match self.accounts.get() {
            Some(accounts) => accounts.limits_of(user).sessions,
            None => UserLimits::default().sessions,
        }
    }

    /// Counts a connection of a user that has authenticated with a key.
    pub(super) fn enter(self: &Arc<Self>, user: &str, key: &KeyData) -> Result<Place, TooMany> {
        let session = self.count(user)?;
        let key = Arc::new(Key {
            data: key.clone(),
            over: watch::Sender::new(false),
        });
        let mut state = self.lock();
        state.next += 1;
        let number = state.next;
        let entry = state.users.entry(user.to_owned()).or_default();
        entry.open.insert(number, Arc::clone(&key));
        Ok(Place {
            session,
            number,
            login: Login(Some(key.over.subscribe())),
        })
    }

    fn count(self: &Arc<Self>, user: &str) -> Result<UserSession, TooMany> {
        let mut state = self.lock();
        let entry = state.users.entry(user.to_owned()).or_default();
        if entry.sessions >= self.sessions_max(user) {
            if let Some(accounts) = self.accounts.get() {
                accounts.of(user).refuse();
            }
            return Err(TooMany);
        }
        entry.sessions += 1;
        Ok(UserSession {
            logins: Arc::clone(self),
            user: user.to_owned(),
        })
    }

    /// Ends every login whose name and key are no longer valid; returns those names. Each pair is
    /// checked once, without holding a lock.
    pub fn recheck(&self, counts: impl Fn(&str, &KeyData) -> bool) -> Vec<String> {
        let open: Vec<(String, Vec<Arc<Key>>)> = {
            let state = self.lock();
            let open = state.users.iter().filter(|(_, user)| !user.open.is_empty());
            open.map(|(name, user)| (name.clone(), user.open.values().cloned().collect()))
                .collect()
        };
        let mut ended = Vec::new();
        for (name, keys) in open {
            let mut asked: Vec<(&KeyData, bool)> = Vec::new();
            let mut any = false;
            for key in &keys {
                let known = asked.iter().find(|(data, _)| **data == key.data);
                let still = match known {
                    Some((_, still)) => *still,
                    None => {
                        let still = counts(&name, &key.data);
                        asked.push((&key.data, still));
                        still
                    }
                };
                if !still {
                    any |= !key.over.send_replace(true);
                }
            }
            if any {
                ended.push(name);
            }
        }
        ended
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session among those of its user; given back when dropped.
#[derive(Debug)]
pub(super) struct UserSession {
    logins: Arc<Logins>,
    user: String,
}

impl Drop for UserSession {
    fn drop(&mut self) {
        let mut state = self.logins.lock();
        if let Some(user) = state.users.get_mut(&self.user) {
            user.sessions -= 1;
            if user.sessions == 0 {
                state.users.remove(&self.user);
            }
        }
    }
}

/// A connection of a user; its first session is counted with it.
#[derive(Debug)]
pub(super) struct Place {
    session: UserSession,
    number: u64,
    login: Login,
}

impl Place {
    /// The signal that the login is revoked.
    pub(super) fn login(&self) -> Login {
        self.login.clone()
    }

    /// Counts a further session on the connection.
    pub(super) fn another(&self) -> Result<UserSession, TooMany> {
        self.session.logins.count(&self.session.user)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.session.logins.lock();
        if let Some(user) = state.users.get_mut(&self.session.user) {
            user.open.remove(&self.number);
        }
    }
}

/// The validity of the credential of a session.
#[derive(Clone, Debug, Default)]
pub struct Login(Option<watch::Receiver<bool>>);

impl Login {
    /// A login that is never revoked: of a session inside this process.
    #[must_use]
    pub fn lasting() -> Self {
        Self(None)
    }

    /// True once the credential is revoked.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|over| *over.borrow())
    }

    /// Completes once the credential is revoked.
    pub async fn over(&mut self) {
        if let Some(over) = &mut self.0
            && over.wait_for(|over| *over).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ssh::keys::generate;
    use engine::Quotas;

    fn key() -> KeyData {
        generate("k").public_key().key_data().clone()
    }

    #[test]
    fn a_key_that_counts_no_more_ends_its_logins_and_no_others() {
        let logins = Logins::new();
        let (gone, stays) = (key(), key());
        let first = logins.enter("noc", &gone).unwrap();
        let second = logins.enter("noc", &stays).unwrap();
        let other = logins.enter("ip", &gone).unwrap();
        let counts = |name: &str, key: &KeyData| name != "noc" || *key != gone;
        assert_eq!(logins.recheck(counts), ["noc"]);
        assert_eq!(logins.recheck(counts), [""; 0], "it is ended once");
        let over = [&first, &second, &other].map(|place| place.login().is_over());
        assert_eq!(over, [true, false, false]);
    }

    /// The number of sessions of a user is limited, and does not affect others.
    #[test]
    fn a_user_has_so_many_sessions_and_no_more() {
        let limits = UserLimits {
            sessions: 2,
            ..UserLimits::default()
        };
        let named = BTreeMap::from([("oss".to_owned(), UserLimits::default())]);
        let usual = limits;
        let accounts = Arc::new(Accounts::new(Quotas { usual, named }));
        let logins = Logins::new();
        logins.heed(Arc::clone(&accounts));
        let key = key();
        let first = logins.enter("noc", &key).unwrap();
        let second = first.another().unwrap();
        assert_eq!(logins.enter("noc", &key).unwrap_err(), TooMany);
        assert_eq!(first.another().unwrap_err(), TooMany);
        let other = logins.enter("ip", &key).unwrap();
        drop(second);
        let third = logins.enter("noc", &key).unwrap();
        let open = || -> Vec<(String, usize)> {
            let state = logins.lock();
            let users = state.users.iter();
            users
                .map(|(name, of)| (name.clone(), of.sessions))
                .collect()
        };
        assert_eq!(open(), [("ip".to_owned(), 1), ("noc".to_owned(), 2)]);
        let more: Vec<_> = (0..3).map(|_| logins.enter("oss", &key).unwrap()).collect();
        assert_eq!(accounts.all().len(), 1, "nobody else was refused");
        drop((first, third, other, more));
        assert_eq!(open(), []);
    }
}
