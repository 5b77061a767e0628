//! A task of the engine as A2A tells it: its state, what was said, what came of it.
//!
//! The history is the record of exchanges: what each asked, and what was answered if that says
//! anything; questions about the task are no part of it. Of a long record it is the end. What the
//! executor said last stands beside the state, its result is an artifact. Read next:
//! [`super::follow`], which tells changes.

use super::begin::message_id;
use super::extras;
use super::request_context::RequestContext;
use super::telecom::kept;
use a2a::error::Error;
use a2a::message::{Message, Part, Role};
use a2a::state::{state_of, state_of_status};
use a2a::task::{Artifact, Task as Told, TaskState, TaskStatus};
use a2a::{objects, schema_part};
use domain::content::{Content, Payload};
use domain::context::Exchange;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::{Awaits, Status, Task, TaskId};
use domain::verb::Verb;
use engine::query::{DataParamsOf, ExchangePage};
use engine::{Filter, Page};

/// The artifact that is a task's result.
const RESULT: &str = "result";

/// The most exchanges, the last ones, of a history.
const EXCHANGES_MOST: usize = 1_000;

/// The least exchanges that are read at once, and the most bytes of them.
const PAGE_LEAST: usize = 8;
const PAGE_BYTES: u64 = 1 << 20;

/// The bytes of an exchange besides its words.
const EXCHANGE_BYTES: u64 = 256;

impl RequestContext<'_> {
    /// A task as it is now, with at most so many messages of its history.
    pub(super) fn told(&self, id: &TaskId, history_length: Option<u32>) -> Result<Told, Error> {
        let task = self.task(id.as_str())?;
        self.of_task(&task, history_length)
    }

    pub(super) fn of_task(&self, task: &Task, history_length: Option<u32>) -> Result<Told, Error> {
        let mut left = self.engine().read_bytes();
        self.of_task_within(task, history_length, &mut left)
    }

    /// The same where so many bytes are left for the histories of one answer.
    pub(super) fn of_task_within(
        &self,
        task: &Task,
        history_length: Option<u32>,
        left: &mut u64,
    ) -> Result<Told, Error> {
        let history = self.history(task, history_length, left)?;
        let told = Told {
            id: task.id.to_string(),
            context_id: task.conversation().to_owned(),
            status: status(task),
            artifacts: Some(artifacts(task, &|id| self.is_declared(id))),
            history,
            metadata: Default::default(),
        };
        let told = self.teller().task(task, told);
        Ok(told.with_history(history_length))
    }

    /// The message that a task was answered with, if it was: it has ended, and there is nothing to
    /// follow (v1.0 §3.1.1).
    pub(super) fn answered_with(&self, id: &TaskId) -> Result<Option<Message>, Error> {
        let task = self.task(id.as_str())?;
        let result = task.result.as_ref().filter(|it| extras::is_message(it));
        let ended = result.filter(|_| task.status.is_terminal());
        Ok(ended.map(|result| {
            let said = parts(result, &|id| self.is_declared(id));
            message(&task, format!("{}/answer", task.id), Role::Agent, said)
        }))
    }

    /// True if the card tells what a schema says.
    pub(super) fn is_declared(&self, schema_id: &str) -> bool {
        self.served.declared.contains(schema_id)
    }

    /// A page of what was exchanged, newest first.
    pub(super) fn record_of(&self, wanted: Filter) -> Result<Page<Exchange>, Error> {
        self.read(ExchangePage(Filter {
            newest_first: true,
            ..wanted
        }))
    }

    /// The last messages, at most so many, as far as bytes are left for them.
    fn history(
        &self,
        task: &Task,
        length: Option<u32>,
        left: &mut u64,
    ) -> Result<Vec<Message>, Error> {
        let length = length.map_or(usize::MAX, |length| length as usize);
        let mut newest = Vec::new();
        if length == 0 || *left == 0 {
            return Ok(newest);
        }
        let (mut told, mut after) = (0, None);
        'record: loop {
            // What is not told is not read, but for the rest of such a page.
            let page = self.record_of(Filter {
                task: Some(task.id.clone()),
                after,
                limit: length.saturating_mul(2).clamp(PAGE_LEAST, EXCHANGES_MOST),
                bytes: PAGE_BYTES.min(*left),
                ..Filter::default()
            })?;
            for exchange in &page.rows {
                let bytes = exchange.request.len() as u64 + EXCHANGE_BYTES;
                let is_full = *left == 0 || *left < bytes && told > 0;
                if newest.len() >= length || told >= EXCHANGES_MOST || is_full {
                    break 'record;
                }
                *left = left.saturating_sub(bytes);
                if !is_about_it_only(exchange.verb) {
                    told += 1;
                    newest.extend(self.answered(task, exchange, left)?);
                    newest.extend(self.asked(task, exchange));
                }
            }
            after = page.rows.last().map(|exchange| exchange.id.clone());
            if !page.more {
                break;
            }
        }
        newest.truncate(length);
        newest.reverse();
        Ok(newest)
    }

    fn asked(&self, task: &Task, exchange: &Exchange) -> Option<Message> {
        let content = Content::parse([exchange.request.as_str()]).ok()?;
        let role = match exchange.from == task.to {
            true => Role::Agent,
            false => Role::User,
        };
        let id = message_id(&content).unwrap_or_else(|| exchange.id.clone());
        let parts = parts(&content, &|id| self.is_declared(id));
        let metadata = kept::metadata(&content);
        Some(Message {
            metadata,
            ..message(task, id, role, parts)
        })
    }

    /// The answer; none if that is but a nod.
    fn answered(
        &self,
        task: &Task,
        exchange: &Exchange,
        left: &mut u64,
    ) -> Result<Option<Message>, Error> {
        let Some(id) = &exchange.response else {
            return Ok(None);
        };
        let found = self.read(DataParamsOf {
            party: None,
            id: Some(id.clone()),
        })?;
        let text = found.first().and_then(|data| data.text());
        *left = left.saturating_sub(text.map_or(0, str::len) as u64);
        let Some(reply) = text.and_then(Reply::from_json) else {
            return Ok(None);
        };
        let mut said: Vec<Part> = reply
            .content
            .iter()
            .flat_map(|content| parts(content, &|id| self.is_declared(id)))
            .collect();
        let reasons = reply.reasons.iter().filter(|it| !it.message.is_empty());
        said.extend(reasons.map(|reason| Part::text(reason.message.as_str())));
        let role = match exchange.from == task.to {
            true => Role::User,
            false => Role::Agent,
        };
        Ok((!said.is_empty()).then(|| message(task, id.clone(), role, said)))
    }
}

/// True of questions, which change nothing.
fn is_about_it_only(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::CapabilityRequest | Verb::TaskResultQuery | Verb::TaskResultSubscribe
    )
}

fn message(task: &Task, id: String, role: Role, parts: Vec<Part>) -> Message {
    Message {
        context_id: Some(task.conversation().to_owned()),
        task_id: Some(task.id.to_string()),
        ..Message::new(id, role, parts)
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
fn artifacts(task: &Task, is_declared: &dyn Fn(&str) -> bool) -> Vec<Artifact> {
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
