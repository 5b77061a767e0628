//! A task of the engine as A2A tells it, as it is or as a change left it: its state, what its executor
//! said, what came of it.
//!
//! What the executor said last stands beside the state, its result is an artifact. Refuses to know who
//! is told, and the history. Read next: [`super::history`]; [`super::event`], which tells changes.

use super::extras;
use super::telecom::kept;
use a2a::message::{Message, Metadata, Part, Role};
use a2a::state::{state_of, state_of_status};
use a2a::task::{Artifact, Task as Told, TaskState, TaskStatus};
use a2a::{objects, schema_part};
use domain::content::{Content, Payload};
use domain::notification::Notification;
use domain::task::{Awaits, Status, Task};

/// The artifact that is a task's result.
const RESULT: &str = "result";

/// A message about a task.
pub(super) fn message(task: &Task, id: String, role: Role, parts: Vec<Part>) -> Message {
    Message {
        context_id: Some(task.conversation().to_owned()),
        task_id: Some(task.id.to_string()),
        ..Message::new(id, role, parts)
    }
}

/// A message of the executor of a task.
pub(super) fn from_agent(task: &Task, what: &str, parts: Vec<Part>, metadata: Metadata) -> Message {
    Message {
        context_id: Some(task.conversation().to_owned()),
        task_id: Some(task.id.to_string()),
        metadata,
        ..Message::new(format!("{}/{what}", task.id), Role::Agent, parts)
    }
}

/// The words beside a state.
fn spoken(task: &Task, id: String, said: &Content) -> Message {
    Message {
        metadata: kept::metadata(said),
        ..message(task, id, Role::Agent, parts(said, &|_| false))
    }
}

/// The state, and what the executor said last while that tells something: what it asks, why it
/// ended.
pub(super) fn status(task: &Task) -> TaskStatus {
    let is_told = task.status != Status::Finished && task.awaits != Some(Awaits::Judgement);
    let said = task.said.as_ref().filter(|_| is_told);
    let told = said.map(|said| {
        let id = format!("{}/said/{}", task.id, task.version);
        spoken(task, id, said)
    });
    TaskStatus {
        state: state_of(task),
        message: told,
        timestamp: Some(task.changed_at),
    }
}

/// The same as a change of it is told.
pub(super) fn changed(task: &Task, change: &Notification, sequence: u64) -> TaskStatus {
    let is_result = change.data.is_some();
    // A result that waits for parts of the task is at work to A2A (`a2a::state`).
    let state = match change.status {
        Status::Blocked if is_result => TaskState::Working,
        status => state_of_status(status),
    };
    let is_new = !is_result && is_of_executor(change) && change.content != task.content;
    let told = is_new.then(|| {
        let id = format!("{}/said/{sequence}", task.id);
        spoken(task, id, &change.content)
    });
    TaskStatus {
        state,
        message: told,
        timestamp: Some(change.time),
    }
}

/// True if the executor said what a change tells. What the publisher says begins a task, completes
/// it, or sets one on that waited for it.
fn is_of_executor(change: &Notification) -> bool {
    let waited = [Status::InputRequired, Status::AuthRequired].map(Some);
    match change.status {
        Status::Created => false,
        Status::Processing => !waited.contains(&change.previous),
        _ => true,
    }
}

/// A task as a change of it left it, without its history.
pub(super) fn as_left(
    task: &Task,
    change: &Notification,
    sequence: u64,
    is_declared: &dyn Fn(&str) -> bool,
) -> Told {
    let artifacts = match offered(change, is_declared) {
        Some(artifact) => vec![artifact],
        None if change.status.is_terminal() => artifacts(task, is_declared),
        None => Vec::new(),
    };
    Told {
        id: task.id.to_string(),
        context_id: task.conversation().to_owned(),
        status: changed(task, change, sequence),
        artifacts: Some(artifacts),
        history: Vec::new(),
        metadata: Default::default(),
    }
}

/// The result that a change brings; one that waits for parts of the task is not offered yet.
pub(super) fn offered(
    change: &Notification,
    is_declared: &dyn Fn(&str) -> bool,
) -> Option<Artifact> {
    let is_offered = change.data.is_some() && change.status != Status::Blocked;
    is_offered.then(|| artifact(&change.content, is_declared))
}

/// The artifacts of the task; a result that waits for parts of the task is not offered yet.
pub(super) fn artifacts(task: &Task, is_declared: &dyn Fn(&str) -> bool) -> Vec<Artifact> {
    let offered = task.result.as_ref().filter(|_| !task.is_held());
    let offered = offered.map(|result| artifact(result, is_declared));
    offered.into_iter().collect()
}

/// A result.
fn artifact(result: &Content, is_declared: &dyn Fn(&str) -> bool) -> Artifact {
    Artifact {
        name: Some(RESULT.to_owned()),
        ..Artifact::new(RESULT, parts(result, is_declared))
    }
}

/// The payload, typed by its schema where the card declares it (002 §4), the part that only A2A has,
/// then the words.
pub(super) fn parts(content: &Content, is_declared: &dyn Fn(&str) -> bool) -> Vec<Part> {
    let typed = |payload: &Payload| match is_declared(&payload.schema_id) {
        true => objects::typed(&payload.schema_id, payload.values.clone()),
        false => schema_part::payload_part(payload),
    };
    let words = [Some(&content.task_description), content.result.as_ref()];
    let words = words.into_iter().flatten().filter(|text| !text.is_empty());
    let words = words.map(|text| Part::text(text.as_str()));
    let typed = content.payload.iter().map(typed);
    typed.chain(extras::part(content)).chain(words).collect()
}
