//! What one decision changes, to be committed as one batch: all of it, or nothing.
//!
//! Read next: [`crate::tasks::dispatch`], which commits it.

use crate::commit::outbox::Outgoing;
use crate::commit::stored::Resolved;
use crate::tasks::placement::{Placement, home};
use domain::context::{DataParam, Exchange};
use domain::event::LogEvent;
use domain::negotiation::{Change, Negotiation, RequestKey};
use domain::notification::{NegotiationUpdate, Notification};
use domain::registry::Registration;
use domain::reply::Reply;
use domain::task::{Event, Status, Task, TaskId};
use domain::team::Team;
use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Batch, Chunk, Document, PushChange, Shard};

/// More bytes than these that are written on top of what somebody says count as written by who asked.
pub(crate) const LONG: usize = 4_096;

/// What one decision changes.
#[derive(Default)]
pub(crate) struct UnitOfWork {
    tasks: Vec<Arc<Task>>,
    negotiations: Vec<Arc<Negotiation>>,
    pub(crate) registrations: Vec<Arc<Registration>>,
    pub(crate) left: Vec<String>,
    pub(crate) teams: Vec<Arc<Team>>,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) data: Vec<DataParam>,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) observations: Vec<String>,
    pub(crate) pushes: Vec<PushChange>,
    pub(crate) happenings: Vec<(Timestamp, LogEvent)>,
    pub(crate) documents: Vec<Document>,
    pub(crate) resolved: Resolved,
    pub(crate) formed: Resolved<Arc<Team>>,
    pub(crate) outgoing: Vec<Outgoing>,
    /// Answers that are long, by who asked.
    pub(crate) long_answers: Vec<Written>,
    /// Whose word it follows from, and when that was said; none if it is nobody's.
    asked_by: Option<(String, Timestamp)>,
    /// The request that says the next turn.
    request: Option<RequestKey>,
    /// By which the batch is known again, if something waits for it.
    pub(crate) mark: Option<u64>,
}

/// So many bytes were written because somebody asked.
pub(crate) struct Written {
    pub(crate) by: String,
    pub(crate) bytes: usize,
    pub(crate) at: Timestamp,
}

/// What is left to do once a batch is queued.
pub(crate) struct Rest {
    pub(crate) resolved: Resolved,
    pub(crate) formed: Resolved<Arc<Team>>,
}

impl UnitOfWork {
    /// What follows from somebody's word, who answers for how much is written anew for it.
    pub(crate) fn asked_by(name: &str, now: Timestamp) -> Self {
        Self {
            asked_by: Some((name.to_owned(), now)),
            ..Self::default()
        }
    }

    /// The same, of what a message says that is known again by this key.
    pub(crate) fn said_by(name: &str, request: Option<RequestKey>, now: Timestamp) -> Self {
        Self {
            request,
            ..Self::asked_by(name, now)
        }
    }

    /// The request that says the next turn; none of those behind it.
    pub(crate) fn take_request(&mut self) -> Option<RequestKey> {
        self.request.take()
    }

    /// What counts as written beyond what was said: long answers, and the rows of tasks, negotiations,
    /// teams and agents, each of which a word writes anew as a whole.
    pub(crate) fn take_written(&mut self) -> Vec<Written> {
        let mut written = std::mem::take(&mut self.long_answers);
        if let Some((by, at)) = self.asked_by.take() {
            let tasks = self.tasks.iter().filter(|task| task.version > 1);
            let tasks = tasks.map(|task| task.bytes());
            let negotiations = self.negotiations.iter().map(|n| n.bytes());
            let teams = self.teams.iter().map(|team| team.bytes());
            let agents = self.registrations.iter().map(|r| r.profile.bytes());
            let bytes = tasks.chain(negotiations).chain(teams).chain(agents).sum();
            if bytes > LONG {
                written.push(Written { by, bytes, at });
            }
        }
        written
    }

    /// Enters a change of a task: its row, its log entry, its result.
    pub(crate) fn change(&mut self, task: &Arc<Task>, previous: Option<Status>, event: &Event) {
        if let Some(result) = &event.result {
            let parties = [task.from.clone(), task.to.clone()];
            let text = result.render();
            self.data.push(DataParam {
                task: Some(task.id.clone()),
                ..DataParam::inline(
                    Notification::entry_of_result(&task.id),
                    parties,
                    "Result of the task",
                    "text/plain",
                    text,
                    event.at,
                )
            });
        }
        let said = event.said.as_ref().or(event.plan.as_ref());
        let notification = Notification::change(task, previous, event.result.as_ref(), said);
        let happening = LogEvent::Task(Arc::new(notification));
        self.happenings.push((event.at, happening));
        self.tasks.push(Arc::clone(task));
    }

    /// Enters a change of a negotiation: its row and its log entry.
    pub(crate) fn turn(&mut self, negotiation: &Arc<Negotiation>, change: &Change) {
        let update = NegotiationUpdate {
            time: change.at,
            task: negotiation.task.clone(),
            kind: negotiation.kind,
            publisher: negotiation.publisher.clone(),
            executor: negotiation.executor.clone(),
            state: change.state,
            turn: change.turn.clone(),
        };
        let happening = LogEvent::Negotiation(Arc::new(update));
        self.happenings.push((change.at, happening));
        self.negotiations.push(Arc::clone(negotiation));
    }

    /// Enters the response to an exchange.
    pub(crate) fn respond(&mut self, mut exchange: Exchange, reply: &Reply, now: Timestamp) {
        let id = format!("{}/response", exchange.id);
        let parties = [exchange.from.clone(), exchange.to.clone()];
        let description = format!("Response to {}", exchange.verb);
        let text = reply.to_json();
        if text.len() > LONG {
            self.long_answers.push(Written {
                by: exchange.from.clone(),
                bytes: text.len(),
                at: now,
            });
        }
        self.data.push(DataParam {
            task: exchange.task.clone(),
            ..DataParam::inline(
                id.clone(),
                parties,
                &description,
                "application/json",
                text,
                now,
            )
        });
        exchange.response = Some(id);
        exchange.response_time = Some(now.max(exchange.request_time));
        self.exchanges.push(exchange);
    }

    /// True if nothing changes and nobody is told anything.
    pub(crate) fn is_empty(&self) -> bool {
        let changes = [
            self.tasks.len(),
            self.negotiations.len(),
            self.registrations.len(),
            self.left.len(),
            self.teams.len(),
            self.exchanges.len(),
            self.data.len(),
            self.chunks.len(),
            self.observations.len(),
            self.pushes.len(),
            self.happenings.len(),
            self.documents.len(),
        ];
        let told = [self.resolved.len(), self.formed.len(), self.outgoing.len()];
        changes.iter().chain(&told).all(|many| *many == 0) && self.mark.is_none()
    }

    /// The batch for the store, which says where its rows are, and what is left to do once it is queued.
    pub(crate) fn into_batch(self, placement: &Placement) -> (Batch, Rest) {
        let mut batch = Batch {
            tasks: self.tasks,
            negotiations: self.negotiations,
            registrations: self.registrations,
            left: self.left,
            teams: self.teams,
            exchanges: self.exchanges,
            data: self.data,
            chunks: self.chunks,
            happenings: self.happenings,
            observations: self.observations,
            pushes: self.pushes,
            documents: self.documents,
            mark: self.mark,
            ..Batch::default()
        };
        spread(&mut batch, placement);
        let rest = Rest {
            resolved: self.resolved,
            formed: self.formed,
        };
        (batch, rest)
    }
}

/// Says on which shard everything new is: where what it is about lives. What is about several trees is on as many;
/// what is about no task is with the rest, and agents' places are on the first shard.
fn spread(batch: &mut Batch, placement: &Placement) {
    let is_of_agents = !batch.registrations.is_empty() || !batch.left.is_empty();
    let mut shard = is_of_agents.then_some(Shard::ZERO);
    let (mut before, mut elsewhere) = (None, BTreeMap::new());
    for task in about(batch).filter(|task| before.replace(*task) != Some(*task)) {
        let of = placement.shard_of(task);
        if *shard.get_or_insert(of) != of {
            elsewhere.insert(task.clone(), of);
        }
    }
    let entry = || Some(home(&batch.data.first()?.id));
    let shard = shard.or_else(entry).unwrap_or(Shard::ZERO);
    (batch.shard, batch.elsewhere) = (shard, elsewhere);
}

/// The tasks that a batch is about, some of them several times.
fn about(batch: &Batch) -> impl Iterator<Item = &TaskId> {
    let tasks = batch.tasks.iter().map(|task| &task.id);
    let negotiations = batch.negotiations.iter().map(|it| &it.task);
    let teams = batch.teams.iter().map(|team| &team.task);
    let exchanges = batch.exchanges.iter().filter_map(|it| it.task.as_ref());
    let data = batch.data.iter().filter_map(|it| it.task.as_ref());
    let happenings = batch.happenings.iter().filter_map(|(_, it)| it.task());
    let pushes = batch.pushes.iter().map(PushChange::task);
    let more = teams.chain(exchanges).chain(data).chain(happenings);
    tasks.chain(negotiations).chain(more).chain(pushes)
}
