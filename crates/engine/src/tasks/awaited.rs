//! Callers who wait for something to be said of a task, and for what.
//!
//! Read next: [`crate::tasks::work`], which holds them.

use crate::commit::stored::Resolution;
use domain::context::Exchange;
use domain::negotiation::Kind;
use domain::task::TaskId;
use tokio::sync::oneshot;

/// What callers wait for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Awaited {
    /// A synchronous task: until it has ended, or waits for its publisher.
    Task(TaskId),
    /// The other side's turn in this round of a negotiation.
    Turn(TaskId, Kind, u32),
    /// What an agent in here says to what was said of a task in this exchange.
    Answer(TaskId, String),
}

impl Awaited {
    /// The task about which it is.
    pub(crate) fn task(&self) -> &TaskId {
        let (Self::Task(task) | Self::Turn(task, ..) | Self::Answer(task, _)) = self;
        task
    }
}

/// Callers who wait, and the record of their exchange.
pub(crate) struct Waiting {
    pub(crate) exchange: Exchange,
    pub(crate) callers: Vec<oneshot::Sender<Resolution>>,
}

/// The last answer to a question of a task: sent again while nothing is asked, it is no plan.
#[derive(Debug)]
pub(crate) struct Answered {
    /// Who gave it.
    pub(crate) from: String,
    /// As it was sent.
    pub(crate) text: String,
    /// The identifier of its record.
    pub(crate) record: String,
}
