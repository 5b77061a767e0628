//! The log: everything that was committed or announced, in one gap-free sequence.
//!
//! State is the truth, the log is its explanation: it feeds notifications, replay and audit. Read
//! next: [`crate::notification`]; rows and the hash chain are in `store`.

use crate::audit::AuditRecord;
use crate::cluster::LeadMoved;
use crate::notification::{AgentUpdate, NegotiationUpdate, Notification, SchemaUpdate};
use crate::policy::PolicyUpdate;
use crate::task::TaskId;
use crate::time::Timestamp;
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The place of an entry in the log, from 1, without gaps.
pub type Sequence = u64;

/// The reason for which a session ended (RFC 6470, `termination-reason`).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Termination {
    /// By `close-session`.
    Closed,
    /// By another session's `kill-session`.
    Killed,
    /// The transport was lost.
    Dropped,
    /// The session timed out.
    Timeout,
    /// The hello was malformed.
    BadHello,
    /// Anything else.
    Other,
}

crate::named! {
    /// The name in `ietf-netconf-notifications`.
    Termination
}

/// The content of a log entry.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEvent {
    /// A task changed: `condition-notifications`.
    Task(Arc<Notification>),
    /// A negotiation moved on: `negotiation-update`.
    Negotiation(Arc<NegotiationUpdate>),
    /// An agent came, went or changed: `agent-update`.
    Agent(Arc<AgentUpdate>),
    /// A schema changed: `schema-update`.
    Schema(Arc<SchemaUpdate>),
    /// Another node of the cluster leads: `lead-moved`.
    Lead(Arc<LeadMoved>),
    /// A standing rule was added or withdrawn, or something became of one: `policy-update`.
    Policy(Arc<PolicyUpdate>),
    /// An audited event. Read by auditors, never sent to subscribers.
    Audit(Arc<AuditRecord>),
    /// A session began: `netconf-session-start`.
    SessionStarted {
        /// The principal.
        username: String,
        /// Its number.
        session: u32,
        /// The address it came from; empty if unknown.
        source_host: String,
    },
    /// A session ended: `netconf-session-end`.
    SessionEnded {
        /// The principal.
        username: String,
        /// Its number.
        session: u32,
        /// The address it came from; empty if unknown.
        source_host: String,
        /// The session that killed it, if one did.
        killed_by: Option<u32>,
        /// The reason.
        reason: Termination,
    },
}

impl LogEvent {
    /// The task that it is about; none if it is about none.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Task(change) => Some(&change.task),
            Self::Negotiation(change) => Some(&change.task),
            Self::Agent(_)
            | Self::Schema(_)
            | Self::Lead(_)
            | Self::Policy(_)
            | Self::Audit(_)
            | Self::SessionStarted { .. }
            | Self::SessionEnded { .. } => None,
        }
    }
}

/// One entry of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its place.
    pub sequence: Sequence,
    /// The time of the commit; never before that of the entry in front of it.
    pub time: Timestamp,
    /// The content.
    pub happening: LogEvent,
}

impl Entry {
    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        match &self.happening {
            LogEvent::Task(change) => change.content.bytes(),
            LogEvent::Negotiation(change) => {
                change.turn.as_ref().map_or(0, |turn| turn.speech.bytes())
            }
            LogEvent::Schema(change) => {
                let names = change.key_names.iter().chain(&change.reason);
                names.map(String::len).sum()
            }
            // Names and addresses, bounded each.
            LogEvent::Agent(_)
            | LogEvent::Lead(_)
            | LogEvent::Policy(_)
            | LogEvent::Audit(_)
            | LogEvent::SessionStarted { .. }
            | LogEvent::SessionEnded { .. } => 0,
        }
    }
}
