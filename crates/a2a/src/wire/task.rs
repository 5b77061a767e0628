//! Tasks, artifacts and events in each dialect (v1.0 §4.1.1, §4.2; v0.3 §6.1, §7.2).
//!
//! In v0.3 each change of state has the member `final`; it follows from the state
//! ([`crate::event::StreamResponse::is_last`]) and is not kept when read.

use super::message::{message, part, read_message, read_part};
use super::read::{Malformed, Object};
use super::write::Members;
use crate::event::{ArtifactUpdate, SendMessageResponse, StatusUpdate, StreamResponse};
use crate::task::{Artifact, Task, TaskState, TaskStatus};
use crate::version::Dialect;
use serde_json::Value;

/// The name of a state in v0.3 and in v1.0.
fn names(state: TaskState) -> (&'static str, &'static str) {
    match state {
        TaskState::Submitted => ("submitted", "TASK_STATE_SUBMITTED"),
        TaskState::Working => ("working", "TASK_STATE_WORKING"),
        TaskState::InputRequired => ("input-required", "TASK_STATE_INPUT_REQUIRED"),
        TaskState::AuthRequired => ("auth-required", "TASK_STATE_AUTH_REQUIRED"),
        TaskState::Completed => ("completed", "TASK_STATE_COMPLETED"),
        TaskState::Failed => ("failed", "TASK_STATE_FAILED"),
        TaskState::Canceled => ("canceled", "TASK_STATE_CANCELED"),
        TaskState::Rejected => ("rejected", "TASK_STATE_REJECTED"),
        TaskState::Unknown => ("unknown", "TASK_STATE_UNSPECIFIED"),
    }
}

/// The name of a state.
pub fn task_state(dialect: Dialect, state: TaskState) -> &'static str {
    match (dialect, state) {
        // The v0.3 messages spell it so.
        (Dialect::V03Proto, TaskState::Canceled) => "TASK_STATE_CANCELLED",
        (Dialect::V03, _) => names(state).0,
        (Dialect::V03Proto | Dialect::V10, _) => names(state).1,
    }
}

/// The state with a name.
pub(crate) fn read_task_state(dialect: Dialect, value: &Value) -> Result<TaskState, Malformed> {
    let mut all = TaskState::ALL.into_iter();
    let found = all.find(|state| value == task_state(dialect, *state));
    found.ok_or_else(|| {
        let example = task_state(dialect, TaskState::Working);
        Malformed::whole(format!("a state such as '{example}' is needed"))
    })
}

fn status(dialect: Dialect, status: &TaskStatus) -> Value {
    let said = status.message.as_ref().map(|it| message(dialect, it));
    let members = Members::new()
        .with("state", task_state(dialect, status.state))
        .maybe("message", said)
        .maybe("timestamp", status.timestamp.map(|it| it.to_string()));
    members.into()
}

fn read_status(dialect: Dialect, value: &Value) -> Result<TaskStatus, Malformed> {
    let object = Object::of(value)?;
    Ok(TaskStatus {
        state: object.needed("state", |value| read_task_state(dialect, value))?,
        message: object.at("message", |value| read_message(dialect, value))?,
        timestamp: object.instant("timestamp")?,
    })
}

/// An artifact as JSON.
pub fn artifact(dialect: Dialect, artifact: &Artifact) -> Value {
    let members = Members::new()
        .with("artifactId", artifact.artifact_id.as_str())
        .text("name", artifact.name.as_ref())
        .text("description", artifact.description.as_ref())
        .with(
            "parts",
            artifact
                .parts
                .iter()
                .map(|it| part(dialect, it))
                .collect::<Value>(),
        )
        .free("metadata", &artifact.metadata)
        .texts("extensions", &artifact.extensions);
    members.into()
}

/// An artifact from JSON.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn read_artifact(dialect: Dialect, value: &Value) -> Result<Artifact, Malformed> {
    let object = Object::of(value)?;
    Ok(Artifact {
        artifact_id: object.needed_text("artifactId")?,
        name: object.text("name")?,
        description: object.text("description")?,
        parts: object.each("parts", |value| read_part(dialect, value))?,
        metadata: object.free("metadata")?,
        extensions: object.texts("extensions")?,
    })
}

/// A task as JSON.
pub fn task(dialect: Dialect, task: &Task) -> Value {
    let artifacts = task.artifacts.as_ref().map(|all| {
        let written = all.iter().map(|it| artifact(dialect, it));
        written.collect::<Value>()
    });
    let members = Members::new()
        .maybe("kind", kind(dialect, "task"))
        .with("id", task.id.as_str())
        .with("contextId", task.context_id.as_str())
        .with("status", status(dialect, &task.status))
        .maybe("artifacts", artifacts)
        .each("history", &task.history, |it| message(dialect, it))
        .free("metadata", &task.metadata);
    members.into()
}

/// A task from JSON.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn read_task(dialect: Dialect, value: &Value) -> Result<Task, Malformed> {
    let object = Object::of(value)?;
    let artifacts = |value| super::read::entries(value, |it| read_artifact(dialect, it));
    Ok(Task {
        id: object.needed_text("id")?,
        context_id: object.text("contextId")?.unwrap_or_default(),
        status: object.needed("status", |value| read_status(dialect, value))?,
        artifacts: object.at("artifacts", artifacts)?,
        history: object.each("history", |value| read_message(dialect, value))?,
        metadata: object.free("metadata")?,
    })
}

/// The answer to a message, as JSON.
pub fn sent(dialect: Dialect, sent: &SendMessageResponse) -> Value {
    match sent {
        SendMessageResponse::Task(it) => told(dialect, "task", task(dialect, it)),
        SendMessageResponse::Message(it) => told(dialect, "message", message(dialect, it)),
    }
}

/// An event of a stream as JSON; also the body of a v1.0 push notification.
pub fn event(dialect: Dialect, event: &StreamResponse) -> Value {
    match event {
        StreamResponse::Task(it) => told(dialect, "task", task(dialect, it)),
        StreamResponse::Message(it) => told(dialect, "message", message(dialect, it)),
        StreamResponse::Status(it) => {
            let update = status_update(dialect, it, event.is_last());
            told(dialect, "statusUpdate", update.into())
        }
        StreamResponse::Artifact(it) => told(
            dialect,
            "artifactUpdate",
            artifact_update(dialect, it).into(),
        ),
    }
}

/// Wraps the members of an event or answer: v0.3 §7.2.1 distinguishes them by their own `kind`, the
/// other dialects by member name.
fn told(dialect: Dialect, name: &str, members: Value) -> Value {
    match dialect {
        Dialect::V03 => members,
        Dialect::V03Proto | Dialect::V10 => Members::new().with(name, members).into(),
    }
}

/// The `kind` of v0.3; none in other dialects.
fn kind(dialect: Dialect, kind: &'static str) -> Option<&'static str> {
    (dialect == Dialect::V03).then_some(kind)
}

fn status_update(dialect: Dialect, update: &StatusUpdate, last: bool) -> Members {
    Members::new()
        .maybe("kind", kind(dialect, "status-update"))
        .with("taskId", update.task_id.as_str())
        .with("contextId", update.context_id.as_str())
        .with("status", status(dialect, &update.status))
        .maybe("final", (dialect != Dialect::V10).then_some(last))
        .free("metadata", &update.metadata)
}

fn artifact_update(dialect: Dialect, update: &ArtifactUpdate) -> Members {
    Members::new()
        .maybe("kind", kind(dialect, "artifact-update"))
        .with("taskId", update.task_id.as_str())
        .with("contextId", update.context_id.as_str())
        .with("artifact", artifact(dialect, &update.artifact))
        .flag("append", update.append)
        .flag("lastChunk", update.last_chunk)
        .free("metadata", &update.metadata)
}

/// An event of a stream from JSON.
///
/// # Errors
/// [`Malformed`]: the first member that is wrong.
pub fn read_event(dialect: Dialect, value: &Value) -> Result<StreamResponse, Malformed> {
    let object = Object::of(value)?;
    if dialect == Dialect::V03 {
        return read_event_by_kind(object, value);
    }
    let events = [
        object
            .at("task", |it| read_task(dialect, it))?
            .map(StreamResponse::Task),
        object
            .at("message", |it| read_message(dialect, it))?
            .map(StreamResponse::Message),
        object
            .at("statusUpdate", |it| read_status_update(dialect, it))?
            .map(StreamResponse::Status),
        object
            .at("artifactUpdate", |it| read_artifact_update(dialect, it))?
            .map(StreamResponse::Artifact),
    ];
    let mut said = events.into_iter().flatten();
    match (said.next(), said.next()) {
        (Some(event), None) => Ok(event),
        _ => Err(Malformed::whole(
            "one of task, message, statusUpdate and artifactUpdate is needed",
        )),
    }
}

fn read_event_by_kind(object: Object<'_>, value: &Value) -> Result<StreamResponse, Malformed> {
    let dialect = Dialect::V03;
    match object.said_text("kind")?.as_str() {
        "task" => read_task(dialect, value).map(StreamResponse::Task),
        "message" => read_message(dialect, value).map(StreamResponse::Message),
        "status-update" => read_status_update(dialect, value).map(StreamResponse::Status),
        "artifact-update" => read_artifact_update(dialect, value).map(StreamResponse::Artifact),
        _ => Err(Malformed::member(
            "kind",
            "'task', 'message', 'status-update' or 'artifact-update' is needed",
        )),
    }
}

fn read_status_update(dialect: Dialect, value: &Value) -> Result<StatusUpdate, Malformed> {
    let object = Object::of(value)?;
    Ok(StatusUpdate {
        task_id: object.needed_text("taskId")?,
        context_id: object.text("contextId")?.unwrap_or_default(),
        status: object.needed("status", |value| read_status(dialect, value))?,
        metadata: object.free("metadata")?,
    })
}

fn read_artifact_update(dialect: Dialect, value: &Value) -> Result<ArtifactUpdate, Malformed> {
    let object = Object::of(value)?;
    Ok(ArtifactUpdate {
        task_id: object.needed_text("taskId")?,
        context_id: object.text("contextId")?.unwrap_or_default(),
        artifact: object.needed("artifact", |value| read_artifact(dialect, value))?,
        append: object.flag("append")?.unwrap_or_default(),
        last_chunk: object.flag("lastChunk")?.unwrap_or_default(),
        metadata: object.free("metadata")?,
    })
}
