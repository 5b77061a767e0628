//! The checks of a reference to a task, by the task's state.
//!
//! Knows the order of the checks. Tasks are looked up by the caller, who hands in a task of
//! somebody else as none, so that both look the same. Read next: [`crate::intake`], which reads the
//! content of a message.

use crate::error::{Error, ErrorKind};
use crate::message::Message;
use crate::task::TaskState;

/// The facts on a task that the checks of a reference need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskFacts<'a> {
    /// The conversation that it belongs to.
    pub context_id: &'a str,
    /// Its state.
    pub state: TaskState,
}

/// Checks that a message may continue the task that it names; `task` is the result of its lookup.
/// True if the message names one; the conversation is then that of the task, whether the message
/// names it or not (v1.0 §3.4.3).
///
/// # Errors
/// In this order: [`ErrorKind::TaskNotFound`], [`ErrorKind::InvalidParams`] for a conversation that
/// is not the task's, [`ErrorKind::UnsupportedOperation`] for a task that has ended.
pub fn continues(message: &Message, task: Option<TaskFacts<'_>>) -> Result<bool, Error> {
    let Some(task_id) = &message.task_id else {
        return Ok(false);
    };
    let task = task.ok_or_else(|| Error::task_not_found(task_id))?;
    if message
        .context_id
        .as_ref()
        .is_some_and(|it| it != task.context_id)
    {
        let why = "the task belongs to another conversation";
        return Err(Error::new(ErrorKind::InvalidParams, why).at("message.contextId", why));
    }
    match task.state.is_terminal() {
        true => Err(ended(ErrorKind::UnsupportedOperation, task_id)),
        false => Ok(true),
    }
}

/// Checks that a task can be cancelled.
///
/// # Errors
/// [`ErrorKind::TaskNotFound`], [`ErrorKind::TaskNotCancelable`] for a task that has ended.
pub fn can_be_cancelled(task_id: &str, task: Option<TaskFacts<'_>>) -> Result<(), Error> {
    is_open(ErrorKind::TaskNotCancelable, task_id, task)
}

/// Checks that a task can be subscribed to.
///
/// # Errors
/// [`ErrorKind::TaskNotFound`], [`ErrorKind::UnsupportedOperation`] for a task that has ended.
pub fn can_be_followed(task_id: &str, task: Option<TaskFacts<'_>>) -> Result<(), Error> {
    is_open(ErrorKind::UnsupportedOperation, task_id, task)
}

fn is_open(kind: ErrorKind, task_id: &str, task: Option<TaskFacts<'_>>) -> Result<(), Error> {
    match task {
        None => Err(Error::task_not_found(task_id)),
        Some(task) if task.state.is_terminal() => Err(ended(kind, task_id)),
        Some(_) => Ok(()),
    }
}

fn ended(kind: ErrorKind, task_id: &str) -> Error {
    Error::new(kind, "the task has ended").with("taskId", task_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Part, Role};

    /// A8, Q65: an unknown task is reported before a wrong conversation, and that before an ended
    /// task.
    #[test]
    fn references_are_judged_in_order() {
        let known = |state| TaskFacts {
            context_id: "c",
            state,
        };
        let message = |task: Option<&str>, context: Option<&str>| Message {
            task_id: task.map(str::to_owned),
            context_id: context.map(str::to_owned),
            ..Message::new("m", Role::User, vec![Part::text("go on")])
        };
        let judged = |task, context, found| {
            continues(&message(task, context), found).map_err(|refusal| refusal.kind)
        };
        let open = Some(known(TaskState::InputRequired));
        let over = Some(known(TaskState::Completed));
        assert_eq!(judged(None, None, None), Ok(false));
        assert_eq!(judged(None, Some("new"), None), Ok(false));
        assert_eq!(judged(Some("t"), None, open), Ok(true));
        assert_eq!(judged(Some("t"), Some("c"), open), Ok(true));
        assert_eq!(
            judged(Some("t"), Some("d"), None),
            Err(ErrorKind::TaskNotFound)
        );
        assert_eq!(
            judged(Some("t"), Some("d"), over),
            Err(ErrorKind::InvalidParams)
        );
        assert_eq!(
            judged(Some("t"), Some("c"), over),
            Err(ErrorKind::UnsupportedOperation)
        );
    }

    /// A8: an ended task can be neither cancelled nor subscribed to.
    #[test]
    fn ended_tasks_are_left_alone() {
        for state in TaskState::ALL {
            let task = Some(TaskFacts {
                context_id: "c",
                state,
            });
            let ended = state.is_terminal();
            let cancelled = can_be_cancelled("t", task).map_err(|it| it.kind);
            assert_eq!(cancelled.is_err(), ended);
            let followed = can_be_followed("t", task).map_err(|it| it.kind);
            assert_eq!(followed.is_err(), ended);
            if ended {
                assert_eq!(cancelled, Err(ErrorKind::TaskNotCancelable));
                assert_eq!(followed, Err(ErrorKind::UnsupportedOperation));
            }
        }
        let gone = can_be_cancelled("t", None).map_err(|it| it.kind);
        assert_eq!(gone, Err(ErrorKind::TaskNotFound));
    }
}
