//! The fate of triggers, patches and keys in one scenario and cohort (draft-zhou §6.2.2, §6.2.3).
//!
//! ```text
//!           Fire           Propose            Approve                 trial, window
//!  cluster ──────► queued ─────────► pending ─────────► experimental ───────────────► stable
//!                    │ Drop            │ Reject, lapse        │ measures, expiry        │ measures
//!                    ▼                 ▼                      ▼                         │
//!               (may fire again)   rejected               deprecated ◄──────────────────┘
//!                                  (rests)                    │ grace
//!                                                             ▼          backward window
//!                                                         withdrawn ──────────────────► (forgotten)
//! ```
//! A key that becomes stable in everyone's lineage enters the next version of the base; in a
//! client's own it stays in the client's patch. A base that was published never changes: where a
//! promoted key is deprecated or withdrawn, that is another version. `decide` changes
//! nothing; `apply` cannot fail. Counting payloads is no decision: [`Lineage::observe`].

mod apply;
mod decide;
mod judge;
mod publish;
mod refusal;
mod views;

pub use judge::DeprecationReason;
pub use refusal::LineageRefusal;
pub use views::Activity;

use super::{ClusterId, Metrics, Resolved};
use crate::patch::Patch;
use crate::template::{Key, Template};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The evolution of one scenario, for everyone or for one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lineage {
    /// The client whose own this is; none if everyone's.
    cohort: Option<String>,
    /// The version of the base that is in force.
    #[serde(with = "Document")]
    base: Template,
    /// Patches proposed so far; names the next one.
    serial: u64,
    /// Changes that clients can see so far.
    changes: u64,
    queue: VecDeque<Queued>,
    pending: BTreeMap<String, Proposal>,
    patches: Vec<Live>,
    /// Keys of patches and keys that came from patches, until they are forgotten.
    keys: BTreeMap<String, Tracked>,
    /// Clusters that shall not fire, and why.
    settled: BTreeMap<ClusterId, Settled>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Queued {
    cluster: ClusterId,
    at: Timestamp,
}

/// A patch that waits for approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The patch that would become active; its times are set anew then.
    pub patch: Patch,
    /// The cluster that it comes from.
    pub cluster: ClusterId,
    /// The instant at which it was proposed.
    pub at: Timestamp,
    /// True if it is security-relevant or exposes a capability (§7).
    pub sensitive: bool,
    /// The number of approvers that it needs.
    pub approvers_min: usize,
    /// Those who approved so far.
    pub approvers: BTreeSet<String>,
}

/// An active patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Live {
    patch: Patch,
    cluster: ClusterId,
    /// Of the lineage's visible changes, the last that touched it.
    changed: u64,
    /// The one with which it became active.
    since: u64,
}

/// A key that came from a patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tracked {
    /// As it is advertised, or was.
    pub key: Key,
    /// Its stage of life.
    pub state: LifecycleState,
    /// The patch that brought it.
    pub patch_id: String,
    /// The cluster that it comes from.
    pub cluster: ClusterId,
    /// The instant at which it became active.
    pub introduced: Timestamp,
    /// True if it is part of the base by now.
    pub in_base: bool,
    /// The counts.
    pub metrics: Metrics,
}

/// The stage of life of a key that came from a patch (§6.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LifecycleState {
    /// On trial, judged at this instant.
    Experimental(Timestamp),
    /// Promoted, judged again at this instant.
    Stable(Timestamp),
    /// On its way out since this instant.
    Deprecated(Timestamp),
    /// Gone since this instant, still accepted for a while.
    Withdrawn(Timestamp),
}

impl LifecycleState {
    /// As told to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Experimental(_) => "experimental",
            Self::Stable(_) => "stable",
            Self::Deprecated(_) => "deprecated",
            Self::Withdrawn(_) => "withdrawn",
        }
    }
}

/// The reason why a cluster does not fire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Settled {
    /// Its patch waits or is active, or its key is there.
    By { patch_id: String },
    /// It rests.
    Until(Timestamp),
}

/// A command to a lineage.
#[derive(Clone, Debug, PartialEq)]
pub enum LineageCommand {
    /// Both gates of a cluster hold: let it wait for its turn.
    Fire {
        /// The cluster.
        cluster: ClusterId,
    },
    /// It is the cluster's turn, its gates still hold, and this is what it comes to.
    Propose {
        /// The first in the queue.
        cluster: ClusterId,
        /// Its candidate, placed among the keys there are.
        resolved: Resolved,
        /// True if serving the key would let clients do what they could not do before.
        exposes_capability: bool,
    },
    /// It is the cluster's turn, and nothing comes of it.
    Drop {
        /// A cluster in the queue.
        cluster: ClusterId,
        /// The reason.
        why: Dropped,
    },
    /// Someone who may approve, approves.
    Approve {
        /// The patch.
        patch_id: String,
        /// The principal.
        principal: String,
    },
    /// Someone who may approve, rejects.
    Reject {
        /// The patch.
        patch_id: String,
        /// The principal.
        principal: String,
        /// The reason, for the record.
        reason: String,
    },
    /// Someone who may approve ends an active patch: its keys are withdrawn at once, its
    /// refinements are undone.
    End {
        /// The patch.
        patch_id: String,
        /// The principal.
        principal: String,
        /// The reason, for the record.
        reason: String,
    },
    /// An operator takes a key out, without waiting for its measures.
    Deprecate {
        /// The key.
        key_name: String,
        /// The principal.
        principal: String,
    },
    /// Everyone's base has another version; for a client's own lineage.
    Rebase {
        /// It.
        base: Template,
    },
    /// Time has passed.
    Tick,
}

/// The reason why a trigger came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dropped {
    /// Its heat decayed, or its fragments are too old, or it is gone.
    Cooled,
    /// Nothing of its fragments can be shown.
    Unshowable,
    /// A patch that waits would bring the same key.
    Pending,
}

/// An event of a lineage; applied in order, events make its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "members are called as what they are")]
pub enum LineageEvent {
    /// A trigger waits.
    Queued { cluster: ClusterId, at: Timestamp },
    /// A trigger came to nothing.
    Dropped {
        cluster: ClusterId,
        why: Dropped,
        at: Timestamp,
    },
    /// A patch waits for approval.
    Proposed { proposal: Proposal },
    /// Someone approved; `principal` is `policy` where the policy did.
    Approved {
        patch_id: String,
        principal: String,
        at: Timestamp,
    },
    /// A patch is active; its keys are on trial until `judged_at`.
    Activated {
        patch: Patch,
        cluster: ClusterId,
        judged_at: Timestamp,
        at: Timestamp,
    },
    /// Someone rejected a patch that waited, or ended one that was active; the cluster rests.
    Rejected {
        patch_id: String,
        principal: String,
        reason: String,
        rests_until: Timestamp,
    },
    /// Nobody decided; the cluster rests.
    Lapsed {
        patch_id: String,
        rests_until: Timestamp,
    },
    /// A trial or a stable key's month goes on; judged again then.
    Extended {
        key_name: String,
        judged_at: Timestamp,
    },
    /// A key is stable.
    Promoted {
        key_name: String,
        judged_at: Timestamp,
        at: Timestamp,
    },
    /// A key is on its way out; `principal` is who said so, if anyone did.
    Deprecated {
        key_name: String,
        why: DeprecationReason,
        principal: Option<String>,
        at: Timestamp,
    },
    /// A key is gone, and its cluster rests.
    Withdrawn {
        key_name: String,
        rests_until: Timestamp,
        at: Timestamp,
    },
    /// A withdrawn key is not accepted any more.
    Forgotten { key_name: String },
    /// A patch ends later: it is used, or its keys are on their way out.
    Renewed {
        patch_id: String,
        expires_at: Timestamp,
    },
    /// The next version of the base, with what was promoted and without what was withdrawn;
    /// refinements of `folded` patches are part of it.
    Published {
        #[serde(with = "Document")]
        base: Template,
        folded: Vec<String>,
        at: Timestamp,
    },
    /// A client's own lineage stands on another base.
    Rebased {
        #[serde(with = "Document")]
        base: Template,
    },
}

impl Lineage {
    /// A lineage in which nothing happened yet; of everyone, or of one client.
    pub fn new(base: Template, cohort: Option<String>) -> Self {
        Self {
            cohort,
            base,
            serial: 0,
            changes: 0,
            queue: VecDeque::new(),
            pending: BTreeMap::new(),
            patches: Vec::new(),
            keys: BTreeMap::new(),
            settled: BTreeMap::new(),
        }
    }
}

/// A template in a document.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Template")]
struct Document {
    schema_id: String,
    scenario: String,
    title: Option<crate::template::Annotation>,
    language: crate::language::Language,
    keys: Vec<Key>,
    response_schema_id: Option<String>,
}
