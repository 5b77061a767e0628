//! The clients whose word counts: names are cheap, histories are not.
//!
//! Knows when a client was first seen and how many of its payloads were accepted; refuses to know
//! what they said. Read next: [`super::Sybil`].

use super::Sybil;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Clients remembered at most. The first to be forgotten is who never had a payload accepted and
/// was not heard of for longest; whoever comes back starts anew.
const CLIENTS_MAX: usize = 100_000;

/// The origin of a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentSource<'a> {
    /// The authenticated principal; none for all that are not authenticated.
    pub client: Option<&'a str>,
    /// True if it has the history that [`Sybil`] asks for.
    pub proven: bool,
}

/// The clients known to one server agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(
    from = "BTreeMap<String, ClientHistory>",
    into = "BTreeMap<String, ClientHistory>"
)]
pub struct KnownClients {
    clients: BTreeMap<String, ClientHistory>,
    /// The same, whoever is to be forgotten first in front.
    order: BTreeSet<(bool, Timestamp, String)>,
}

/// The history of one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClientHistory {
    first_seen: Timestamp,
    last_seen: Timestamp,
    accepted: u32,
}

impl KnownClients {
    /// A client was heard of; `accepted` if a payload of it passed the check.
    pub fn met(&mut self, client: &str, accepted: bool, now: Timestamp) {
        let known = self.clients.get(client).copied();
        if known.is_none() && self.clients.len() >= CLIENTS_MAX {
            self.forget_one();
        }
        let mut known = known.unwrap_or(ClientHistory {
            first_seen: now,
            last_seen: now,
            accepted: 0,
        });
        self.order.remove(&known.place(client));
        known.last_seen = known.last_seen.max(now);
        known.accepted = known.accepted.saturating_add(u32::from(accepted));
        self.order.insert(known.place(client));
        self.clients.insert(client.to_owned(), known);
    }

    /// A client as a source of fragments; without a name it is never proven.
    pub fn source<'a>(
        &self,
        client: Option<&'a str>,
        sybil: &Sybil,
        now: Timestamp,
    ) -> FragmentSource<'a> {
        let known = client.and_then(|name| self.clients.get(name));
        let proven = known.is_some_and(|known| {
            now - known.first_seen >= sybil.age_min_ms && known.accepted >= sybil.accepted_min
        });
        FragmentSource { client, proven }
    }

    /// Forgets a client, on its request; true if it was known.
    pub fn erase(&mut self, client: &str) -> bool {
        let Some(known) = self.clients.remove(client) else {
            return false;
        };
        self.order.remove(&known.place(client))
    }

    /// The clients that are known, by name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.clients.keys().map(String::as_str)
    }

    /// The number of known clients.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// True if nobody is known.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    fn forget_one(&mut self) {
        if let Some((_, _, client)) = self.order.pop_first() {
            self.clients.remove(&client);
        }
    }
}

impl ClientHistory {
    fn place(&self, client: &str) -> (bool, Timestamp, String) {
        (self.accepted > 0, self.last_seen, client.to_owned())
    }
}

impl From<BTreeMap<String, ClientHistory>> for KnownClients {
    fn from(clients: BTreeMap<String, ClientHistory>) -> Self {
        let order = clients
            .iter()
            .map(|(client, known)| known.place(client))
            .collect();
        Self { clients, order }
    }
}

impl From<KnownClients> for BTreeMap<String, ClientHistory> {
    fn from(known: KnownClients) -> Self {
        known.clients
    }
}
