//! What is decided, perhaps not yet on disk: tasks, callers who wait, deadlines, minds.
//!
//! One lock holds it, so decisions are serial; commits leave in the order of decisions, and what
//! readers see follows them. Read next: [`crate::dispatch`].

use crate::roster::Mind;
use domain::agent::Output;
use domain::context::{DataParam, DataType, Exchange};
use domain::event::Happening;
use domain::inventory::Inventory;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::{Event, Status, Task, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use store::{Batch, Ticket};
use tokio::sync::oneshot;

/// Something an agent wants of the world.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The agent's name.
    pub agent: String,
    /// What it wants: [`Output::Send`], [`Output::Act`] or [`Output::Note`].
    pub output: Output,
}

/// A reply for callers who wait, with the ticket of the commit that it may not precede.
pub(crate) type Resolution = (Reply, Ticket);

/// Callers with the replies that are theirs.
pub(crate) type Resolved = Vec<(oneshot::Sender<Resolution>, Reply)>;

/// Callers who wait for a synchronous task, and the record of their exchange.
pub(crate) struct Waiting {
    pub(crate) exchange: Exchange,
    pub(crate) callers: Vec<oneshot::Sender<Resolution>>,
}

/// What falls due.
pub(crate) enum Due {
    Wake { agent: usize, token: Token },
    Reply(TaskId),
}

pub(crate) struct Work {
    tasks: HashMap<TaskId, Arc<Task>>,
    pub(crate) waiting: HashMap<TaskId, Waiting>,
    due: BTreeMap<(Timestamp, u64), Due>,
    minds: Vec<Mind>,
    inventory: Arc<Inventory>,
    counter: u64,
    negotiated: HashMap<String, String>,
    negotiated_order: VecDeque<String>,
}

/// How many of the last negotiation rounds are remembered beside the store: more than can be
/// queued for the disk at a time.
const NEGOTIATED_REMEMBERED: usize = 16_384;

impl Work {
    pub(crate) fn new(minds: Vec<Mind>, tasks: Vec<Arc<Task>>, inventory: Arc<Inventory>) -> Self {
        Self {
            tasks: tasks.into_iter().map(|t| (t.id.clone(), t)).collect(),
            waiting: HashMap::new(),
            due: BTreeMap::new(),
            minds,
            inventory,
            counter: 0,
            negotiated: HashMap::new(),
            negotiated_order: VecDeque::new(),
        }
    }

    pub(crate) fn inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.inventory)
    }

    pub(crate) fn mind(&mut self, index: usize) -> &mut Mind {
        &mut self.minds[index]
    }

    pub(crate) fn task(&self, id: &TaskId) -> Option<&Arc<Task>> {
        self.tasks.get(id)
    }

    pub(crate) fn put(&mut self, task: Arc<Task>) {
        self.tasks.insert(task.id.clone(), task);
    }

    pub(crate) fn forget(&mut self, id: &TaskId) {
        self.tasks.remove(id);
    }

    pub(crate) fn open_tasks_of(&self, executor: &str) -> Vec<Arc<Task>> {
        let mut open: Vec<Arc<Task>> = self
            .tasks
            .values()
            .filter(|t| t.to == executor && !t.status.is_terminal())
            .cloned()
            .collect();
        open.sort_by(|a, b| a.id.cmp(&b.id));
        open
    }

    /// A number that no other call of this run returned.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// What was asked under this key of a negotiation, if it was asked lately.
    pub(crate) fn negotiated(&self, key: &str) -> Option<&str> {
        self.negotiated.get(key).map(String::as_str)
    }

    pub(crate) fn remember_negotiated(&mut self, key: String, text: String) {
        if self.negotiated_order.len() == NEGOTIATED_REMEMBERED
            && let Some(oldest) = self.negotiated_order.pop_front()
        {
            self.negotiated.remove(&oldest);
        }
        self.negotiated_order.push_back(key.clone());
        self.negotiated.insert(key, text);
    }

    pub(crate) fn set_due(&mut self, at: Timestamp, due: Due) {
        let number = self.next_number();
        self.due.insert((at, number), due);
    }

    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    pub(crate) fn take_due(&mut self, now: Timestamp) -> Option<Due> {
        let first = self.due.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

/// What one decision changes, to be committed as one batch.
#[derive(Default)]
pub(crate) struct Staged {
    tasks: Vec<Arc<Task>>,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) data: Vec<DataParam>,
    happenings: Vec<(Timestamp, Happening)>,
    pub(crate) resolved: Resolved,
    pub(crate) outgoing: Vec<Outgoing>,
}

impl Staged {
    /// Enters a change of a task: its row, its log entry, its result.
    pub(crate) fn change(&mut self, task: &Arc<Task>, previous: Option<Status>, event: &Event) {
        let data = event.result.as_ref().map(|result| {
            let id = format!("{}/result", task.id);
            self.data.push(text_data(
                &id,
                task,
                "Result of the task",
                result.render(),
                "text/plain",
            ));
            id
        });
        let notification = Notification {
            time: event.at,
            task: task.id.clone(),
            from: task.to.clone(),
            to: task.from.clone(),
            verb: Verb::TaskResultNotify,
            asynchronous: task.asynchronous,
            status: event.status,
            previous,
            start_time: task.created_at,
            percent: event.percent,
            content: event
                .result
                .as_ref()
                .or(event.said.as_ref())
                .unwrap_or(&task.content)
                .clone(),
            data,
        };
        self.happenings
            .push((event.at, Happening::Task(Arc::new(notification))));
        self.tasks.push(Arc::clone(task));
    }

    /// Enters the response to an exchange.
    pub(crate) fn respond(&mut self, mut exchange: Exchange, reply: &Reply, now: Timestamp) {
        let id = format!("{}/response", exchange.id);
        self.data.push(DataParam {
            id: id.clone(),
            task: exchange.task.clone(),
            parties: [exchange.from.clone(), exchange.to.clone()],
            data_type: DataType::Text,
            description: format!("Response to {}", exchange.verb),
            format: "application/json".to_owned(),
            data: reply.to_json(),
        });
        exchange.response = Some(id);
        exchange.response_time = Some(now.max(exchange.request_time));
        self.exchanges.push(exchange);
    }

    /// The batch for the store, and what is left to do once it is queued.
    pub(crate) fn into_batch(self) -> (Batch, Resolved, Vec<Outgoing>) {
        let batch = Batch {
            tasks: self.tasks,
            exchanges: self.exchanges,
            data: self.data,
            happenings: self.happenings,
        };
        (batch, self.resolved, self.outgoing)
    }
}

fn text_data(id: &str, task: &Task, description: &str, data: String, format: &str) -> DataParam {
    DataParam {
        id: id.to_owned(),
        task: Some(task.id.clone()),
        parties: [task.from.clone(), task.to.clone()],
        data_type: DataType::Text,
        description: description.to_owned(),
        format: format.to_owned(),
        data,
    }
}
