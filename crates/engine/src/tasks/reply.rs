//! Replies to what was said of a task: how it is, and what an agent in here answered.
//!
//! Pure. Read next: [`crate::tasks::negotiate`].

use domain::agent::Output;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, Task};

/// A task's state as a reply: what the caller of a synchronous task gets, and who queries one.
pub(crate) fn state_reply(task: &Task) -> Reply {
    let said = || task.said.clone().into_iter().collect::<Vec<_>>();
    let result = || task.result.clone().into_iter().collect::<Vec<_>>();
    let mut reply = match (task.status, task.awaits) {
        (Status::Finished, _) | (_, Some(Awaits::Judgement)) => {
            Reply::new(Verdict::Result, result())
        }
        (_, Some(Awaits::Decision)) => Reply::new(Verdict::Offered, said()),
        (Status::InputRequired | Status::AuthRequired, _) => {
            Reply::new(Verdict::InputRequired, said())
        }
        (Status::Failed | Status::Rejected | Status::Cancelled | Status::Unconfirmed, _) => {
            let why = task.said.as_ref();
            let why = why.map_or("", |s| s.task_description.as_str());
            Reply {
                content: said(),
                ..Reply::refused(task.status.as_str(), "", why)
            }
        }
        (Status::Created, _) => Reply::new(Verdict::Pending, said()),
        (Status::Processing | Status::Blocked, _) => Reply::new(Verdict::Accepted, said()),
    };
    reply.task = Some(task.id.clone());
    reply.status = Some(task.status);
    reply
}

/// The answer with what only the platform knows.
pub(crate) fn complete(answer: Reply, task: &Task) -> Reply {
    Reply {
        task: Some(task.id.clone()),
        status: Some(task.status),
        ..answer
    }
}

/// The answer among an agent's outputs, taken out of them.
pub(crate) fn take_answer(outputs: &mut Vec<Output>) -> Option<Reply> {
    let place = outputs
        .iter()
        .position(|o| matches!(o, Output::Answer(_)))?;
    match outputs.remove(place) {
        Output::Answer(reply) => Some(reply),
        _ => None,
    }
}

/// What stands for an agent elsewhere answers later, if it says nothing.
pub(crate) fn pending() -> Reply {
    Reply::new(Verdict::Pending, Vec::new())
}
