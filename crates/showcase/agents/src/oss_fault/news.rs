//! The news of a task: by notification, or as the answer to a query.
//!
//! Both say the same in different forms; here they become one. The trouble-ticket agent hears of
//! its parts in the same way. Read next: [`super::workflow`].

use domain::agent::Message;
use domain::content::Content;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::{Awaits, Status, TaskId};

/// The state of a task, and what was said with it.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) task: TaskId,
    /// The executor.
    pub(crate) from: String,
    pub(crate) status: Status,
    pub(crate) awaits: Option<Awaits>,
    /// 0 to 100.
    pub(crate) percent: u8,
    pub(crate) content: Content,
}

impl From<&Notification> for News {
    fn from(told: &Notification) -> Self {
        Self {
            task: told.task.clone(),
            from: told.from.clone(),
            status: told.status,
            awaits: told.awaits,
            percent: told.percent,
            content: told.content.clone(),
        }
    }
}

impl News {
    /// The state that the reply to a `taskResultQuery` says; none if it tells no state.
    pub(crate) fn in_reply(query: &Message, reply: &Reply) -> Option<Self> {
        let status = reply.status?;
        Some(Self {
            task: query.task.clone(),
            from: query.to.clone(),
            status,
            awaits: reply.awaits(),
            percent: 0,
            content: reply.content.first().cloned().unwrap_or_default(),
        })
    }

    /// True if the task ended without a result that counts.
    pub(crate) fn is_bad_end(&self) -> bool {
        self.status.is_terminal() && self.status != Status::Finished
    }
}
