//! Agents come, stay and go, and are found (draft §4.1).
//!
//! Whoever speaks for an agent is the agent itself or an administrator. Hosted agents are a matter
//! of configuration. Read next: `domain::registry` (what a place is), [`crate::registry::roster`].

pub(crate) mod directory;
pub(crate) mod introduction;
pub(crate) mod lookup;
pub(crate) mod membership;
pub(crate) mod operation;
pub(crate) mod remote_stub;
pub(crate) mod roster;
pub(crate) mod wanted;

pub use domain::access::Credential;

use crate::Refusal;
use crate::refusal::{NotAvailable, OverLimit};
use directory::Directory;
use domain::discovery::{Criteria, Match};
use domain::registry::Registration;
use roster::{Proxy, Roster};
use std::sync::Arc;
use wanted::Introductions;

/// The most agents that one search tells.
const FOUND_MOST: usize = 1_000;

/// The most tags that a search may name.
const TAGS_MOST: usize = 64;

/// The longest text of a search, in bytes.
const TEXT_MOST: usize = 4_096;

/// Whose a name is; none if the host knows no credential of that name of its own.
pub type Credentials = Box<dyn Fn(&str) -> Option<Credential> + Send + Sync>;

/// The digest of the keys of a name; none if the host knows no key of that name that lets anybody in.
pub type KeyDigests = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Agents that are here, as decided and as committed.
pub(crate) struct Registry {
    pub(crate) roster: Roster,
    pub(crate) directory: Arc<Directory>,
    credentials: Credentials,
    key_digests: KeyDigests,
    /// Who looks at the cards of A2A agents; nobody at first.
    introductions: Introductions,
    proxy: Option<Proxy>,
}

impl Registry {
    pub(crate) fn new(
        roster: Roster,
        directory: Arc<Directory>,
        credentials: Credentials,
        key_digests: KeyDigests,
        proxy: Option<Proxy>,
    ) -> Self {
        Self {
            roster,
            directory,
            credentials,
            key_digests,
            introductions: Introductions::default(),
            proxy,
        }
    }

    /// True if the name is an agent's: by its credential, else by the roster.
    pub(crate) fn is_agent(&self, name: &str) -> bool {
        match (self.credentials)(name) {
            Some(credential) => credential == Credential::Agent,
            None => self.roster.find(name).is_some(),
        }
    }

    /// Whose a name is; none if the host knows no credential of that name.
    pub(crate) fn credential(&self, name: &str) -> Option<Credential> {
        (self.credentials)(name)
    }

    /// The digest of the keys of a name.
    pub(crate) fn key_digest(&self, name: &str) -> Option<String> {
        (self.key_digests)(name)
    }

    /// Who fits, best first.
    pub(crate) fn discover(
        &self,
        criteria: &Criteria,
        limit: usize,
    ) -> Result<Vec<Match>, Refusal> {
        check(criteria)?;
        let limit = limit.min(FOUND_MOST);
        Ok(self.directory.search(criteria, limit))
    }

    /// The registration of an agent that can be given something to do.
    pub(crate) fn available(&self, index: usize) -> Result<Arc<Registration>, Refusal> {
        let registration = self.roster.registration(index);
        if registration.is_available() {
            return Ok(registration);
        }
        Err(NotAvailable::Agent {
            name: registration.profile.name.clone(),
            why: match registration.expired {
                true => "its lease has expired".to_owned(),
                false => format!("it is {}", registration.health.as_str()),
            },
        }
        .into())
    }
}

/// Bounds what a search may ask for.
pub(crate) fn check(criteria: &Criteria) -> Result<(), Refusal> {
    if criteria.tags.len() > TAGS_MOST {
        return Err(OverLimit::TooMany {
            what: "tags of a search",
            most: TAGS_MOST as u64,
        }
        .into());
    }
    match criteria.text.as_ref().map_or(0, String::len) > TEXT_MOST {
        true => Err(OverLimit::TooMany {
            what: "bytes in the text of a search",
            most: TEXT_MOST as u64,
        }
        .into()),
        false => Ok(()),
    }
}
