//! Deadlines: what falls due, and when.
//!
//! Knows no clock: whoever has one takes out what is due. Read next: [`crate::deadlines`], which holds them;
//! [`crate::drive`], which carries it out.

use crate::tasks::awaited::Awaited;
use domain::negotiation::Kind;
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::Timestamp;
use std::collections::{BTreeMap, HashMap};

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
    fn stands_on_decisions(&self) -> bool {
        match self {
            Self::Team(_) | Self::Task(_) | Self::Negotiation(..) | Self::Lease(_) => true,
            // Agents go on stepping, and callers waiting. One wakes whom nothing else wakes.
            Self::Wake { .. } | Self::Step { .. } | Self::Reply(_) | Self::Store => false,
        }
    }
}

/// What falls due, by time; what falls due at the same time, by the number that it was given.
#[derive(Default)]
pub(crate) struct Timers {
    due: BTreeMap<(Timestamp, u64), Due>,
    /// Where those that move with the state of something stand in `due`.
    scheduled: HashMap<Due, (Timestamp, u64)>,
}

impl Timers {
    /// Adds something that may be due at several times.
    pub(crate) fn add(&mut self, at: Timestamp, number: u64, due: Due) {
        self.due.insert((at, number), due);
    }

    /// Sets when something is due that is due at one time only; none withdraws it. A number is drawn
    /// if that is another time than before.
    pub(crate) fn schedule(
        &mut self,
        due: Due,
        at: Option<Timestamp>,
        number: impl FnOnce() -> u64,
    ) {
        if let Some(before) = self.scheduled.remove(&due) {
            if at == Some(before.0) {
                self.scheduled.insert(due, before);
                return;
            }
            self.due.remove(&before);
        }
        if let Some(at) = at {
            let place = (at, number());
            self.due.insert(place, due.clone());
            self.scheduled.insert(due, place);
        }
    }

    /// Withdraws what follows from what was decided.
    pub(crate) fn withdraw_decided(&mut self) {
        let Self { due, scheduled } = self;
        scheduled.retain(|timer, place| {
            let stays = !timer.stands_on_decisions();
            if !stays {
                due.remove(place);
            }
            stays
        });
    }

    /// What is due first, with its time and number.
    pub(crate) fn first(&self) -> Option<((Timestamp, u64), &Due)> {
        self.due.first_key_value().map(|(place, due)| (*place, due))
    }

    /// Takes out what is due there; false if there is nothing.
    pub(crate) fn take(&mut self, place: (Timestamp, u64)) -> bool {
        let Some(due) = self.due.remove(&place) else {
            return false;
        };
        self.scheduled.remove(&due);
        true
    }
}
