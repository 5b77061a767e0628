//! Generated attacks: the requests of a hostile but authenticated client.
//!
//! An attack is a [`Kind`] and a seed, which determine every byte of it, so that a harmful one can
//! be reproduced from these two. The client is a guest, with a key or a token but without rights;
//! nothing here knows a platform or a socket. They are sent by `tests/generated.rs`, which counts
//! costs, and the bench `neighbours`, which measures the effect on others.
//!
//! A tour: [`xpath`] makes expressions, [`filter`] subtree filters, [`operation`] the content of an
//! `<rpc>`, [`spoilt`] malformed messages, [`http`] requests of A2A.

pub mod filter;
pub mod http;
pub mod operation;
pub mod spoilt;
pub mod xpath;

use crate::rng::SeededRng;
use http::Post;

/// The kind of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Searches: nested predicates, unions, every axis, functions.
    XPath,
    /// Subtree filters: wide, deep, repeated.
    Subtree,
    /// `get-data` in every form of its parameters.
    GetData,
    /// Operations that are unknown, denied or large.
    Operations,
    /// Registrations of profiles, and other RPCs for agents.
    Registrations,
    /// Subscriptions with filters and replays.
    Subscriptions,
    /// Malformed XML, malformed messages or bad framing, on session after session.
    Malformed,
    /// Valid requests, a few bytes at a time.
    Slow,
    /// Valid requests, many at once.
    Pipelined,
    /// Valid requests, many at once, whose replies are never read.
    Unread,
    /// Calls of A2A over JSON-RPC.
    JsonRpc,
    /// Requests of A2A over HTTP+JSON.
    Rest,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::XPath,
        Self::Subtree,
        Self::GetData,
        Self::Operations,
        Self::Registrations,
        Self::Subscriptions,
        Self::Malformed,
        Self::Slow,
        Self::Pipelined,
        Self::Unread,
        Self::JsonRpc,
        Self::Rest,
    ];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::XPath => "xpath",
            Self::Subtree => "subtree",
            Self::GetData => "get-data",
            Self::Operations => "operations",
            Self::Registrations => "registrations",
            Self::Subscriptions => "subscriptions",
            Self::Malformed => "malformed",
            Self::Slow => "slow",
            Self::Pipelined => "pipelined",
            Self::Unread => "unread",
            Self::JsonRpc => "json-rpc",
            Self::Rest => "rest",
        }
    }

    /// The kind with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// True if it goes to the HTTP server, by [`Attack::post`]; the others go over NETCONF, by
    /// [`Attack::message`].
    pub fn is_http(self) -> bool {
        matches!(self, Self::JsonRpc | Self::Rest)
    }
}

/// One attack, the same for the same kind and seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The kind.
    pub kind: Kind,
    /// The seed.
    pub seed: u64,
}

/// A message to a NETCONF session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message without its framing; with it if `is_framed`.
    pub bytes: Vec<u8>,
    /// True if the bytes are sent unchanged.
    pub is_framed: bool,
    /// True if it is an `<rpc>` within the limits of messages: it must get one reply, and the
    /// session goes on.
    pub is_sound: bool,
}

impl Attack {
    /// The number of sessions or connections, 1 to 16.
    pub fn sessions(self) -> usize {
        let mut rng = self.rng(&[0]);
        match self.kind {
            // Each costs both sides a handshake, or a process.
            Kind::Malformed | Kind::Unread => 1 + rng.below(8),
            _ => 1 + rng.below(16),
        }
    }

    /// The number of requests in flight per session, 1 to 64.
    pub fn in_flight(self) -> usize {
        let mut rng = self.rng(&[1]);
        match self.kind {
            Kind::Pipelined | Kind::Unread => 16 + rng.below(49),
            Kind::Slow | Kind::Malformed => 1,
            _ => 1 + rng.below(4),
        }
    }

    /// The message of that number in a session.
    pub fn message(self, session: usize, number: usize) -> Message {
        let mut rng = self.rng(&[2, session as u64, number as u64]);
        match self.kind {
            Kind::Malformed => spoilt::message(number, &mut rng),
            kind => {
                let operation = operation::of(kind, &mut rng);
                Message {
                    bytes: operation::rpc(number, &operation).into_bytes(),
                    is_framed: false,
                    is_sound: true,
                }
            }
        }
    }

    /// The number of bytes sent at a time, if it is sent slowly.
    pub fn piece(self, session: usize) -> Option<usize> {
        let mut rng = self.rng(&[3, session as u64]);
        (self.kind == Kind::Slow).then(|| 1 + rng.below(24))
    }

    /// The request of that number on a connection.
    pub fn post(self, connection: usize, number: usize) -> Post {
        let mut rng = self.rng(&[4, connection as u64, number as u64]);
        match self.kind {
            Kind::Rest => http::rest(&mut rng),
            _ => http::json_rpc(&mut rng),
        }
    }

    fn rng(self, purpose: &[u64]) -> SeededRng {
        let purpose: Vec<u64> = [self.kind as u64].iter().chain(purpose).copied().collect();
        SeededRng::of(self.seed, &purpose)
    }
}

/// Escapes text for an attribute or element.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_attack_is_the_same_for_the_same_seed_and_another_for_another() {
        for kind in Kind::ALL {
            let told = |seed| {
                let attack = Attack { kind, seed };
                match kind.is_http() {
                    true => attack.post(1, 2).bytes("h", "t", true),
                    false => attack.message(1, 2).bytes,
                }
            };
            assert_eq!(told(7), told(7), "{kind:?}");
            let several: BTreeSet<Vec<u8>> = (0..20).map(told).collect();
            assert!(several.len() > 5, "{kind:?}");
        }
    }

    #[test]
    fn what_is_said_to_be_sound_is_xml_within_the_limits() {
        for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_http()) {
            for seed in 0..200 {
                let message = Attack { kind, seed }.message(0, 0);
                assert!(message.bytes.len() < 1 << 20, "{kind:?} {seed}");
                if message.is_sound {
                    let limits = netconf::xml::Limits::default();
                    let read = netconf::xml::XmlDocument::parse(message.bytes, &limits);
                    assert!(read.is_ok(), "{kind:?} {seed}: {:?}", read.err());
                }
            }
        }
    }
}
