//! The registration of an agent on the platform: its address, health and lease (draft §4.1).
//!
//! ```text
//!             Register                 Expire, at the end of the lease
//!    (none) ────────────► in its place ───────────────────────────────► expired
//!                           │      ▲  ▲                                    │
//!            Renew, Register└──────┘  └────────────────────────────────────┘
//!                                                  Renew, Register
//! ```
//! An agent is described by its profile ([`crate::profile`]). Hosted agents stay registered as long
//! as they are configured; others hold a lease that they renew, and end it by leaving. `decide`
//! changes nothing; `apply` cannot fail. Pure: time is an argument. Read next:
//! [`crate::discovery`].

use crate::profile::{Profile, ProfileError};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The way an agent is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
        /// The address of its card: an `http` or `https` URL.
        card_url: String,
        /// True once a card with a valid signature was seen there; from then on an unsigned one is
        /// refused.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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

    /// True if both lead to the same agent; the signature of its card makes no difference.
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

    /// True if the card was signed before, and the one now in the same place is not.
    fn lost_its_signature(&self, now: &Self) -> bool {
        let signed = |it: &Self| matches!(it, Self::A2a { signed: true, .. });
        self.leads_where(now) && signed(self) && !signed(now)
    }
}

/// The health that an agent reports.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Health {
    /// Without restrictions.
    #[default]
    Ok,
    /// Working, with restrictions.
    Degraded,
    /// Not taking on anything new.
    Failing,
}

crate::named! {
    /// The name in module convoke-registry.
    Health
}

/// A change of an agent (§4.1).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentChange {
    /// It registered, for the first time or with a new profile.
    Registered,
    /// Its health changed.
    Health,
    /// It did not renew its lease.
    Expired,
    /// It renewed a lease that had expired.
    Returned,
    /// It left.
    Left,
}

crate::named! {
    /// The name in module convoke-registry.
    AgentChange
}

/// The terms on which an agent registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The profile.
    pub profile: Arc<Profile>,
    /// The way it is reached.
    pub reach: Reach,
    /// The length of its lease, in milliseconds, from [`Registration::LEASE_LEAST_MS`] to
    /// [`Registration::LEASE_MOST_MS`].
    pub lease_ms: i64,
}

/// A command to a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The agent: I am here, on these terms, and well.
    Register(Terms),
    /// The agent: I am still here, and this is how I am.
    Renew {
        /// Its health.
        health: Health,
        /// A note on its health, up to [`Registration::NOTE_MOST`] bytes.
        note: String,
    },
    /// Time: the lease is over.
    Expire,
    /// The platform: its credential was revoked, so that the lease cannot be renewed.
    Suspend,
}

/// A change of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The time of the change.
    pub at: Timestamp,
    /// The change that subscribers are notified of; none for a mere renewal.
    pub change: Option<AgentChange>,
    /// The terms, if the agent registered.
    pub terms: Option<Terms>,
    /// Its health after it.
    pub health: Health,
    /// The note on its health.
    pub health_note: String,
    /// True if its lease has expired.
    pub expired: bool,
}

/// The error for a registration that cannot be made or kept.
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
    /// The note on its health is too long.
    #[error("the words on an agent's health are at most {most} bytes, not {bytes}", most = Registration::NOTE_MOST)]
    Note {
        /// Its length.
        bytes: usize,
    },
    /// The address is not of the form `host:port`.
    #[error("'{address}' is not an address such as agent.example:830")]
    Address {
        /// The address given.
        address: String,
    },
    /// The host key is malformed.
    #[error("'{host_key}' is not a host key such as 'ssh-ed25519 AAAA…'")]
    HostKey {
        /// The host key given.
        host_key: String,
    },
    /// The URL of the card is malformed.
    #[error("'{card_url}' is not a URL such as https://agent.example")]
    CardUrl {
        /// The URL given.
        card_url: String,
    },
    /// The card was signed before, and is not any more.
    #[error("its card was signed before, and is not now")]
    Unsigned,
    /// The agent is hosted: it is registered and removed by configuration alone.
    #[error("a hosted agent holds its place by configuration")]
    Hosted,
    /// The lease is not over, or has expired before.
    #[error("no lease of the agent is over")]
    NotDue,
}

/// The registration of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The profile.
    pub profile: Arc<Profile>,
    /// The way it is reached.
    pub reach: Reach,
    /// The time of its first registration.
    pub registered_at: Timestamp,
    /// The time at which it last registered or renewed.
    pub renewed_at: Timestamp,
    /// The length of its lease, in milliseconds; none for an agent that is hosted.
    pub lease_ms: Option<i64>,
    /// The health that it reports.
    pub health: Health,
    /// The note on its health; empty if there is none.
    pub health_note: String,
    /// True once its lease has expired; a renewal ends that.
    pub expired: bool,
}

impl Registration {
    /// The shortest lease, in milliseconds.
    pub const LEASE_LEAST_MS: i64 = 10_000;
    /// The longest lease, in milliseconds: a week.
    pub const LEASE_MOST_MS: i64 = 7 * 86_400_000;
    /// The longest note on an agent's health, in bytes.
    pub const NOTE_MOST: usize = 1_024;

    /// The registration of an agent that runs inside the platform.
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

    /// The first registration of an agent.
    ///
    /// # Errors
    /// [`Improper`] if profile, reach or lease are unacceptable.
    pub fn first(terms: Terms, at: Timestamp) -> Result<Self, Improper> {
        terms.check()?;
        Ok(Self {
            reach: terms.reach,
            lease_ms: Some(terms.lease_ms),
            ..Self::hosted(terms.profile, at)
        })
    }

    /// The end of its lease; none without a lease.
    pub fn lease_until(&self) -> Option<Timestamp> {
        self.lease_ms.map(|lease| self.renewed_at + lease)
    }

    /// True if tasks can be assigned to it.
    pub fn is_available(&self) -> bool {
        !self.expired && self.health != Health::Failing
    }

    /// Returns the change that a command would make; a clock that jumps back never dates it before
    /// the agent's last renewal.
    ///
    /// # Errors
    /// [`Improper`] if the command cannot be carried out.
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

    /// Applies a change that was decided.
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

    /// The change that subscribers are notified of, the most important if there are several.
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

/// True for an HTTP URL; whether the platform may connect to it is not decided here.
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
