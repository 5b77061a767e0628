//! `condition-notifications`: what the publisher of a task is told (draft §5.4).
//!
//! Read next: [`crate::task`], whose events become notifications.

use crate::content::Content;
use crate::task::{Status, TaskId};
use crate::time::Timestamp;
use crate::verb::Verb;

/// One change of one task, as its publisher reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// When the change was committed.
    pub time: Timestamp,
    /// The task.
    pub task: TaskId,
    /// The executor.
    pub from: String,
    /// The publisher.
    pub to: String,
    /// `taskResultNotify`.
    pub verb: Verb,
    /// Whether the task is asynchronous.
    pub asynchronous: bool,
    /// The state after the change.
    pub status: Status,
    /// The state before it; none when the task was created.
    pub previous: Option<Status>,
    /// When the task began.
    pub start_time: Timestamp,
    /// 0 to 100.
    pub percent: u8,
    /// What there is to tell: incident, finding, question or result.
    pub content: Content,
    /// The result's entry in `data-params`, once there is one.
    pub data: Option<String>,
}
