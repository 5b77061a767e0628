//! What the database says of nodes and of who leads.
//!
//! Read next: [`super::directory`], [`super::lease`].

use domain::cluster::NodeRequest;
use domain::time::Timestamp;
use std::time::Duration;

/// What a node says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Its name.
    pub name: String,
    /// What tells its place, the folder on the machine that it runs in, from all others: a new life there
    /// follows the old one at once.
    pub place: String,
    /// What tells this life of it, a process, from all others.
    pub life: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Its release.
    pub version: String,
    /// What it does, in one word.
    pub state: String,
    /// The digest of its rules.
    pub rules: String,
}

/// The word in the directory for what is asked of a node.
pub(crate) fn word_of(request: Option<NodeRequest>) -> &'static str {
    match request {
        None => "",
        Some(NodeRequest::Drain) => "drain",
        Some(NodeRequest::Lead) => "lead",
    }
}

/// What a word in the directory asks of a node; one that this release does not know asks nothing.
pub(crate) fn request_of(word: &str) -> Option<NodeRequest> {
    match word {
        "drain" => Some(NodeRequest::Drain),
        "lead" => Some(NodeRequest::Lead),
        _ => None,
    }
}

/// What came of an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// The node is in the directory.
    Known {
        /// What is asked of it.
        requested: Option<NodeRequest>,
    },
    /// Another process elsewhere has this name.
    Taken {
        /// The time after which it has not, unless it goes on.
        left: Duration,
    },
}

/// A node of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Its name.
    pub name: String,
    /// What tells this life of it from others.
    pub life: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Its release.
    pub version: String,
    /// What it does, in one word, as it said last.
    pub state: String,
    /// The digest of its rules.
    pub rules: String,
    /// When it was started.
    pub started: Timestamp,
    /// When it was heard of last.
    pub seen: Timestamp,
    /// True if that is not long ago.
    pub alive: bool,
    /// What is asked of it.
    pub requested: Option<NodeRequest>,
}

/// Who leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadRow {
    /// The fencing token of the lead: greater than that of any before.
    pub epoch: u64,
    /// Who has it, or had it last; empty if nobody ever had.
    pub holder: String,
    /// The name of that node; empty if it is a platform alone.
    pub node: String,
    /// When it was taken.
    pub since: Timestamp,
    /// Until when it is held; 1970 if it was given back.
    pub until: Timestamp,
    /// True if that is not over.
    pub held: bool,
    /// The digest of the rules that were in force last; empty if any may be.
    pub rules: String,
    /// The node that alone may take it now.
    pub heir: Option<String>,
}

/// Why a state cannot be taken now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Another holds it.
    #[error("{by} holds it for {} ms more", left.as_millis())]
    Held {
        /// Who.
        by: String,
        /// The time after which it may be taken, unless it is renewed.
        left: Duration,
    },
    /// It was handed to another node.
    #[error("it was handed to {to}, who has {} ms to take it", left.as_millis())]
    Promised {
        /// The name of that node.
        to: String,
        /// The time after which anybody may take it.
        left: Duration,
    },
    /// The rules are not those last in force.
    #[error("its access rules, users, agents or revoked certificates are not those last in force")]
    Rules,
}
