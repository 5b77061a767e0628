//! A task as it is now, with its history.
//!
//! The history is the record of exchanges: what each asked, and what was answered if that says
//! anything; questions about the task are no part of it. Of a long record it is the end. Read next:
//! [`super::task`], for all but the history; [`super::telecom::told`], for what is told in A2A-T.

use super::extras;
use super::message_content::{message_id, message_id_of};
use super::request_context::RequestContext;
use super::task::{artifacts, message, parts, status};
use super::telecom::kept;
use super::telecom::told::Teller;
use a2a::error::Error;
use a2a::message::{Message, Part, Role};
use a2a::request::GetTask;
use a2a::task::Task as Told;
use domain::content::Content;
use domain::context::Exchange;
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::verb::Verb;
use engine::query::{DataParamsOf, ExchangePage, ROWS_MOST};
use engine::{Filter, Page};

/// The most exchanges, the last ones, of a history.
const EXCHANGES_MOST: usize = 1_000;

/// The least exchanges that are read at once, and the most bytes of them.
const PAGE_LEAST: usize = 8;
const PAGE_BYTES: u64 = 1 << 20;

/// The bytes of an exchange besides its words.
const EXCHANGE_BYTES: u64 = 256;

impl RequestContext<'_> {
    /// A task, as it is asked for (v1.0 §3.1.3).
    pub(super) fn get(&self, wanted: &GetTask) -> Result<Told, Error> {
        self.told(&self.task(&wanted.id)?.id, wanted.history_length)
    }

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

    /// A page of what was exchanged, newest first.
    pub(super) fn record_of(&self, wanted: Filter) -> Result<Page<Exchange>, Error> {
        self.read(ExchangePage(Filter {
            newest_first: true,
            ..wanted
        }))
    }

    /// True if the caller has said this message of a task, as far back as the record is looked at.
    pub(super) fn was_said(&self, message: &Message, task: &TaskId) -> Result<bool, Error> {
        // One's own alone: however much others say meanwhile, what one says again is known.
        let own = self.record_of(Filter {
            task: Some(task.clone()),
            from: Some(self.who.name.clone()),
            limit: ROWS_MOST,
            ..Filter::default()
        })?;
        let mut said = own.rows.iter().filter_map(|it| message_id_of(&it.request));
        Ok(said.any(|id| id == message.message_id))
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

    /// The teller of tasks in A2A-T here.
    fn teller(&self) -> Teller<'_> {
        Teller::of(self.engine(), self.who, &self.served)
    }
}

/// True of questions, which change nothing.
fn is_about_it_only(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::CapabilityRequest | Verb::TaskResultQuery | Verb::TaskResultSubscribe
    )
}
