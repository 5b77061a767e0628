//! Where a task is told beside its publisher: push notification configurations (A2A §4.3).
//!
//! Read next: [`crate::tasks::push`], which keeps them.

use crate::Refusal;
use crate::operation::{Call, Cost, ENTRY_BYTES, Execution, Operation};
use domain::access::Request;
use domain::push::PushConfig;
use domain::task::TaskId;

/// Has a task told by a configuration too; one of the same identifier is replaced. What it says of its
/// owner, and since when the task is told, the engine says. Answers the configuration as kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepPush(pub PushConfig);

/// Ends the telling of a task by a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgetPush {
    /// The task.
    pub task: TaskId,
    /// The configuration, of the principal's own.
    pub id: String,
}

impl Operation for KeepPush {
    type Output = PushConfig;

    /// Rights are those on the task.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn cost(&self) -> Option<Cost> {
        Some(Cost::of_new(self.0.bytes() as u64 + ENTRY_BYTES))
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<PushConfig>, Refusal> {
        call.engine.keep_push(call.who, self.0)
    }
}

impl Operation for ForgetPush {
    type Output = ();

    /// Rights are those on the task.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<()>, Refusal> {
        call.engine.forget_push(call.who, self.task, self.id)
    }
}
