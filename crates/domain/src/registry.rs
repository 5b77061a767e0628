//! An agent's place on the platform: since when, how it is reached, how well it is, for how long
//! (draft §4.1).
//!
//! ```text
//!             Register                 Expire, at the end of the lease
//!    (none) ────────────► in its place ───────────────────────────────► expired
//!                           │      ▲  ▲                                    │
//!            Renew, Register└──────┘  └────────────────────────────────────┘
//!                                                  Renew, Register
//! ```
//! Who an agent *is* stands in its profile ([`crate::profile`]). Hosted agents hold their place as
//! long as they are configured; others hold it by a lease that they renew, and give it up by
//! leaving. `decide` changes nothing; `apply` cannot fail. Pure: time is an argument. Read next:
//! [`crate::discovery`].

use crate::notification::AgentChange;
use crate::profile::{Profile, ProfileError};
use crate::time::Timestamp;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// How an agent is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It runs inside the platform.
    Hosted,
    /// It connects as a NETCONF client, follows the notifications of its tasks and answers by rpc.
    Client,
    /// It is a NETCONF server with `irtf-agent` itself, at `host:port`, and the platform connects
    /// to it.
    Server {
        /// `host:port`.
        address: String,
        /// The server's host key, as in `known_hosts` (algorithm and base64); it must match.
        host_key: String,
    },
    /// It is an A2A agent, and the platform is its client. Its profile is what its card says.
    A2a {
        /// Where its card is: an `http` or `https` URL.
        card_url: String,
        /// True once a card was seen there whose signature holds; from then on none counts without.
        signed: bool,
    },
}

impl Reach {
    /// The name in module convoke-registry.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Hosted => "hosted",
            Self::Client => "client",
            Self::Server { .. } => "server",
            Self::A2a { .. } => "a2a",
        }
    }

    /// True if both lead to the same agent: whether its card is signed says nothing of where it is.
    pub fn leads_where(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::A2a { card_url, .. },
                Self::A2a {
                    card_url: there, ..
                },
            ) => card_url == there,
            _ => self == other,
        }
    }

    /// True if a card was signed before, and the one in the same place now is not.
    fn lost_its_signature(&self, now: &Self) -> bool {
        let signed = |it: &Self| matches!(it, Self::A2a { signed: true, .. });
        self.leads_where(now) && signed(self) && !signed(now)
    }
}

/// How an agent says it is.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    /// All is well.
    #[default]
    Ok,
    /// It works, with restrictions.
    Degraded,
    /// It takes nothing new on.
    Failing,
}

crate::named! {
    /// The name in module convoke-registry.
    Health
}

/// With what an agent takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Who it is.
    pub profile: Arc<Profile>,
    /// How it is spoken to.
    pub reach: Reach,
    /// How long a renewal lasts, in milliseconds, from [`Registration::LEASE_LEAST_MS`] to
    /// [`Registration::LEASE_MOST_MS`].
    pub lease_ms: i64,
}

/// What is wanted of a place that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The agent: I am here, on these terms, and well.
    Register(Terms),
    /// The agent: I am still here, and this is how I am.
    Renew {
        /// How it is.
        health: Health,
        /// Its words to that, up to [`Registration::NOTE_MOST`] bytes.
        note: String,
    },
    /// Time: the lease is over.
    Expire,
    /// The platform: its credential was taken away, so that nobody renews the lease.
    Suspend,
}

/// What happened to a place: how it is after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// What is told of it; nothing of a renewal that only renews.
    pub change: Option<AgentChange>,
    /// The terms, if the agent registered.
    pub terms: Option<Terms>,
    /// Its health after it.
    pub health: Health,
    /// Its words to that.
    pub health_note: String,
    /// True if its lease has expired.
    pub expired: bool,
}

/// A place that cannot be taken or kept like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Improper {
    /// The profile is not usable.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The lease is out of range.
    #[error("a lease lasts {least} to {most} seconds, not {lease_ms} ms", least = Registration::LEASE_LEAST_MS / 1_000, most = Registration::LEASE_MOST_MS / 1_000)]
    Lease {
        /// The lease asked for.
        lease_ms: i64,
    },
    /// The words on its health are too many.
    #[error("the words on an agent's health are at most {most} bytes, not {bytes}", most = Registration::NOTE_MOST)]
    Note {
        /// How long they are.
        bytes: usize,
    },
    /// Not `host:port`.
    #[error("'{address}' is not an address such as agent.example:830")]
    Address {
        /// What was given.
        address: String,
    },
    /// Not a host key.
    #[error("'{host_key}' is not a host key such as 'ssh-ed25519 AAAA…'")]
    HostKey {
        /// What was given.
        host_key: String,
    },
    /// Not the URL of a card.
    #[error("'{card_url}' is not a URL such as https://agent.example")]
    CardUrl {
        /// What was given.
        card_url: String,
    },
    /// Its card does not carry the signature any more that it had.
    #[error("its card was signed before, and is not now")]
    Unsigned,
    /// Configuration makes and removes hosted agents.
    #[error("a hosted agent holds its place by configuration")]
    Hosted,
    /// The lease is not over, or has expired before.
    #[error("no lease of the agent is over")]
    NotDue,
}

/// An agent's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Who it is.
    pub profile: Arc<Profile>,
    /// How it is spoken to.
    pub reach: Reach,
    /// When it registered first.
    pub registered_at: Timestamp,
    /// When it was heard of last: registered or renewed.
    pub renewed_at: Timestamp,
    /// How long a renewal lasts, in milliseconds; none for as long as the platform runs.
    pub lease_ms: Option<i64>,
    /// How it says it is.
    pub health: Health,
    /// Its words to that; empty if there are none.
    pub health_note: String,
    /// True once its lease has expired; a renewal ends that.
    pub expired: bool,
}

impl Registration {
    /// The shortest lease, in milliseconds.
    pub const LEASE_LEAST_MS: i64 = 10_000;
    /// The longest lease, in milliseconds: a week.
    pub const LEASE_MOST_MS: i64 = 7 * 86_400_000;
    /// The most words on an agent's health, in bytes.
    pub const NOTE_MOST: usize = 1_024;

    /// The place of an agent that runs inside the platform.
    pub fn hosted(profile: Arc<Profile>, at: Timestamp) -> Self {
        Self {
            profile,
            reach: Reach::Hosted,
            registered_at: at,
            renewed_at: at,
            lease_ms: None,
            health: Health::Ok,
            health_note: String::new(),
            expired: false,
        }
    }

    /// The place of an agent that registers for the first time.
    ///
    /// # Errors
    /// [`Improper`] if profile, reach or lease cannot be.
    pub fn first(terms: Terms, at: Timestamp) -> Result<Self, Improper> {
        terms.check()?;
        Ok(Self {
            reach: terms.reach,
            lease_ms: Some(terms.lease_ms),
            ..Self::hosted(terms.profile, at)
        })
    }

    /// When its lease ends; none without a lease.
    pub fn lease_until(&self) -> Option<Timestamp> {
        self.lease_ms.map(|lease| self.renewed_at + lease)
    }

    /// True if it can be given something to do.
    pub fn is_available(&self) -> bool {
        !self.expired && self.health != Health::Failing
    }

    /// What follows from the command; a clock that jumps back never dates it before what was heard
    /// of the agent last.
    ///
    /// # Errors
    /// [`Improper`] if the place cannot be kept like this.
    pub fn decide(&self, command: Command, now: Timestamp) -> Result<Event, Improper> {
        if self.reach == Reach::Hosted {
            return Err(Improper::Hosted);
        }
        let unchanged = Event {
            at: now.max(self.renewed_at),
            change: None,
            terms: None,
            health: Health::Ok,
            health_note: String::new(),
            expired: false,
        };
        let event = match command.clone() {
            Command::Register(terms) => {
                terms.check()?;
                if self.reach.lost_its_signature(&terms.reach) {
                    return Err(Improper::Unsigned);
                }
                Event {
                    terms: Some(terms),
                    ..unchanged
                }
            }
            Command::Renew { health, note } => {
                if note.len() > Self::NOTE_MOST {
                    return Err(Improper::Note { bytes: note.len() });
                }
                Event {
                    health,
                    health_note: note,
                    ..unchanged
                }
            }
            Command::Expire | Command::Suspend => {
                let over = self.lease_until().is_some_and(|end| unchanged.at >= end);
                if self.expired || !(over || command == Command::Suspend) {
                    return Err(Improper::NotDue);
                }
                Event {
                    health: self.health,
                    health_note: self.health_note.clone(),
                    expired: true,
                    ..unchanged
                }
            }
        };
        Ok(Event {
            change: self.change(&event),
            ..event
        })
    }

    /// Makes what was decided true.
    pub fn apply(&mut self, event: &Event) {
        if let Some(terms) = &event.terms {
            self.profile = Arc::clone(&terms.profile);
            self.reach = terms.reach.clone();
            self.lease_ms = Some(terms.lease_ms);
        }
        if !event.expired {
            self.renewed_at = event.at;
        }
        self.health = event.health;
        self.health_note.clone_from(&event.health_note);
        self.expired = event.expired;
    }

    /// The one change that is told, the weightiest first.
    fn change(&self, event: &Event) -> Option<AgentChange> {
        let new = |terms: &Terms| terms.profile != self.profile || terms.reach != self.reach;
        if event.terms.as_ref().is_some_and(new) {
            Some(AgentChange::Registered)
        } else if event.expired {
            Some(AgentChange::Expired)
        } else if self.expired {
            Some(AgentChange::Returned)
        } else if event.health != self.health || event.health_note != self.health_note {
            Some(AgentChange::Health)
        } else {
            None
        }
    }
}

impl Terms {
    fn check(&self) -> Result<(), Improper> {
        self.profile.check()?;
        let leases = Registration::LEASE_LEAST_MS..=Registration::LEASE_MOST_MS;
        if !leases.contains(&self.lease_ms) {
            return Err(Improper::Lease {
                lease_ms: self.lease_ms,
            });
        }
        match &self.reach {
            Reach::Hosted => Err(Improper::Hosted),
            Reach::Client => Ok(()),
            Reach::Server { address, .. } if !is_address(address) => Err(Improper::Address {
                address: address.clone(),
            }),
            Reach::Server { host_key, .. } if !is_host_key(host_key) => Err(Improper::HostKey {
                host_key: host_key.clone(),
            }),
            Reach::A2a { card_url, .. } if !is_card_url(card_url) => Err(Improper::CardUrl {
                card_url: card_url.clone(),
            }),
            Reach::Server { .. } | Reach::A2a { .. } => Ok(()),
        }
    }
}

/// The longest URL of a card, in bytes.
const CARD_URL_MOST: usize = 2_048;

/// A URL of HTTP; whether anybody may be spoken to there is not decided here.
fn is_card_url(text: &str) -> bool {
    let rest = ["http://", "https://"].map(|scheme| text.strip_prefix(scheme));
    let mut rest = rest.into_iter().flatten();
    text.len() <= CARD_URL_MOST && rest.any(|rest| rest.starts_with(|c: char| c != '/'))
}

/// The longest name of a host, in bytes (RFC 1035 §2.3.4).
const HOST_MOST: usize = 255;

/// The longest host key, in bytes: an RSA key of 16,384 bits takes less than 3,000.
const HOST_KEY_MOST: usize = 4_096;

/// `host:port`; an IPv6 host stands in brackets.
fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    let named = |host: &str| {
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
        (1..=HOST_MOST).contains(&host.len()) && host.bytes().all(fits)
    };
    let is_host = match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
        None => named(host),
    };
    is_host && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// An algorithm and base64, as in `known_hosts`.
fn is_host_key(text: &str) -> bool {
    let algorithm = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'@' | b'.');
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    text.len() <= HOST_KEY_MOST
        && text.split_once(' ').is_some_and(|(name, key)| {
            let filled = !name.is_empty() && !key.is_empty();
            filled && name.bytes().all(algorithm) && key.bytes().all(base64)
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
