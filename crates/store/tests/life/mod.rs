//! The life of one task as one batch, with which tests, examples and benches fill states.
//!
//! Knows the domain and the public interface of the store. Read next: `store::Batch`.
#![allow(clippy::unwrap_used)]

use domain::content::Content;
use domain::context::{DataParam, Exchange};
use domain::event::LogEvent;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::{Command, Status, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use store::Batch;

/// Identifiers as unordered as those that publishers choose; no two numbers share one.
pub(crate) fn name(n: usize) -> String {
    format!(
        "task-{:016x}",
        (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    )
}

/// A task from its assignment to its end, with everything that belongs to it: an exchange, its
/// response and two entries of the log.
pub(crate) fn life(id: &str, [from, to]: [&str; 2], content: Content, at: Timestamp) -> Batch {
    let (id, text) = (TaskId::new(id), content.render());
    let begun = Task::assigned(id.clone(), from, to, text.clone(), content, true, at);
    let ended = ended(&begun, at);
    let response = response(&begun, at);
    let exchange = Exchange {
        id: format!("{id}/assign"),
        task: Some(id),
        from: from.to_owned(),
        to: to.to_owned(),
        verb: Verb::TaskAssign,
        request: text,
        request_time: at,
        response: Some(response.id.clone()),
        response_time: Some(at),
    };
    Batch {
        happenings: vec![told(&begun, None), told(&ended, Some(begun.status))],
        tasks: vec![Arc::new(begun), Arc::new(ended)],
        exchanges: vec![exchange],
        data: vec![response],
        ..Batch::default()
    }
}

fn ended(begun: &Task, at: Timestamp) -> Task {
    let result = Content::new("link:a--b", "Diagnosis").with_result("the fibre is cut");
    let offer = Command::Offer {
        result,
        held: false,
    };
    let mut ended = begun.clone();
    ended.apply(&begun.decide(offer, at).unwrap());
    ended
}

fn response(task: &Task, at: Timestamp) -> DataParam {
    let parties = [task.from.clone(), task.to.clone()];
    let (id, reply) = (format!("{}/assign/response", task.id), Reply::accepted());
    let (what, json) = ("Response to taskAssign", "application/json");
    DataParam {
        task: Some(task.id.clone()),
        ..DataParam::inline(id, parties, what, json, reply.to_json(), at)
    }
}

fn told(task: &Task, previous: Option<Status>) -> (Timestamp, LogEvent) {
    let notification = Notification {
        time: task.changed_at,
        task: task.id.clone(),
        from: task.to.clone(),
        to: task.from.clone(),
        verb: Verb::TaskResultNotify,
        asynchronous: true,
        status: task.status,
        previous,
        start_time: task.created_at,
        percent: task.percent,
        content: task.content.clone(),
        awaits: task.awaits,
        data: None,
    };
    (task.changed_at, LogEvent::Task(Arc::new(notification)))
}
