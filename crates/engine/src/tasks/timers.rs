//! Deadlines: what falls due, and when.
//!
//! Knows no clock: whoever has one takes out what is due. Read next: [`crate::drive`], which carries it
//! out.

use crate::tasks::awaited::Awaited;
use domain::negotiation::Kind;
use domain::task::TaskId;
use domain::telemetry::Token;

/// What falls due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Due {
    /// An agent asked to be woken.
    Wake {
        agent: usize,
        /// Which of the agent's lives asked for it.
        incarnation: u64,
        token: Token,
    },
    /// An agent that steps on this input must have come back.
    Step { agent: usize, number: u64 },
    /// Whoever forms a team has waited long enough.
    Team(TaskId),
    /// Callers have waited long enough.
    Reply(Awaited),
    /// The deadline of a task, or of its publisher.
    Task(TaskId),
    /// The silence in a negotiation.
    Negotiation(TaskId, Kind),
    /// The lease of an agent.
    Lease(String),
    /// Whether the store takes something, and what waits for that.
    Store,
}

impl Due {
    /// True of what follows from what was decided: where that is taken back, so is this.
    pub(crate) fn stands_on_decisions(&self) -> bool {
        match self {
            Self::Team(_) | Self::Task(_) | Self::Negotiation(..) | Self::Lease(_) => true,
            // Agents go on stepping, and callers waiting. One wakes whom nothing else wakes.
            Self::Wake { .. } | Self::Step { .. } | Self::Reply(_) | Self::Store => false,
        }
    }
}
