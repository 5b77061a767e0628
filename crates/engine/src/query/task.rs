//! Queries of tasks, and of what hangs below them: negotiations and teams.
//!
//! Read next: [`super`], which finds them.

use super::shown;
use crate::Refusal;
use crate::operation::{Query, Reader, Weigh};
use domain::access::{Request, Rows};
use domain::negotiation::Negotiation;
use domain::task::{Task, TaskId};
use domain::team::Team;
use std::sync::Arc;
use store::{Page, TaskFilter};

/// What a name takes besides itself where it is told, in bytes.
const NAME_BYTES: usize = 32;

/// One task; none if the principal sees none of this identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskById(pub TaskId);

/// All tasks, by identifier; refused if they are [too much](crate::refusal::OverLimit::TooMuch).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllTasks;

/// The identifiers of the parts of a task, by the time of their last change; refused likewise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartsOf(pub TaskId);

/// A page of tasks, by the time of their last change; shorter than asked for if they are long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPage {
    /// Which tasks.
    pub filter: TaskFilter,
    /// How many bytes of each text are told; all of them if none is said ([`Task::shortened`]).
    pub text_limit: Option<usize>,
}

impl TaskPage {
    /// The tasks with all of their texts.
    pub fn whole(filter: TaskFilter) -> Self {
        Self {
            filter,
            text_limit: None,
        }
    }
}

/// The number of tasks on all such pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskCount(pub TaskFilter);

/// The current task of an agent: the last changed one that has not ended, else the last ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentTask(pub String);

/// The negotiations of a task, or all; refused if they are too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegotiationsOf(pub Option<TaskId>);

/// The feasibilities of tasks that are not assigned, or not yet, about one of them or all; refused if
/// there are too many negotiations in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalsOf(pub Option<TaskId>);

/// The team of a task, or all teams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamsOf(pub Option<TaskId>);

impl Query for TaskById {
    type Output = Option<Arc<Task>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        Some(|found| found.as_ref().map_or(0, |task| task.bytes() as u64))
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        reader
            .engine
            .visible_task(reader.sight(Rows::Tasks), &self.0)
    }
}

impl Query for AllTasks {
    type Output = Vec<Arc<Task>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        reader.engine.all_tasks(reader.sight(Rows::Tasks))
    }
}

impl Query for PartsOf {
    type Output = Vec<TaskId>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        Some(|found| {
            let names = found.iter().map(|id| id.as_str().len() + NAME_BYTES);
            names.sum::<usize>() as u64
        })
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        reader.engine.parts(reader.sight(Rows::Tasks), &self.0)
    }
}

impl Query for TaskPage {
    type Output = Page<Arc<Task>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let sight = reader.sight(Rows::Tasks);
        let mut page = reader.engine.task_page(sight, self.filter)?;
        if let Some(most) = self.text_limit {
            for task in &mut page.rows {
                if let Some(shorter) = task.shortened(most) {
                    *task = Arc::new(shorter);
                }
            }
        }
        Ok(page)
    }
}

impl Query for TaskCount {
    type Output = u64;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        reader.engine.task_count(reader.sight(Rows::Tasks), self.0)
    }
}

impl Query for CurrentTask {
    type Output = Option<Arc<Task>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let sight = reader.sight(Rows::CurrentTask);
        reader.engine.current_task(sight, &self.0)
    }
}

/// The bytes that negotiations say.
fn said(found: &[Arc<Negotiation>]) -> u64 {
    found.iter().map(|of| of.bytes()).sum::<usize>() as u64
}

impl Query for NegotiationsOf {
    type Output = Vec<Arc<Negotiation>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        self.0
            .as_ref()
            .map(|_| -> Weigh<Self::Output> { |found| said(found) })
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let (engine, sight) = (reader.engine, reader.sight(Rows::Negotiations));
        let found = match self.0 {
            Some(_) if sight.is_of_none() => Vec::new(),
            Some(task) if engine.below(&task)?.negotiations => engine.store.negotiations(&task)?,
            Some(_) => Vec::new(),
            None => engine.negotiations_of(sight)?,
        };
        let visible = found
            .into_iter()
            .filter(|n| sight.shows(&n.publisher, &n.executor));
        Ok(visible.map(Arc::new).collect())
    }
}

impl Query for ProposalsOf {
    type Output = Vec<Arc<Negotiation>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        self.0
            .as_ref()
            .map(|_| -> Weigh<Self::Output> { |found| said(found) })
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let sight = reader.sight(Rows::Negotiations);
        reader.engine.proposals(sight, self.0)
    }
}

impl Query for TeamsOf {
    type Output = Vec<Arc<Team>>;

    /// Rights are those on the records.
    fn rpc(&self) -> Option<Request<'static>> {
        None
    }

    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        self.0.as_ref().map(|_| -> Weigh<Self::Output> {
            |found| found.iter().map(|team| team.bytes()).sum::<usize>() as u64
        })
    }

    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal> {
        let (engine, sight) = (reader.engine, reader.sight(Rows::Teams));
        let found = match &self.0 {
            Some(_) if sight.is_of_none() => Vec::new(),
            Some(task) => engine.store.team(task)?.into_iter().collect(),
            None => engine.teams_of(sight)?,
        };
        let visible = found.into_iter().filter_map(|team| shown(sight, team));
        Ok(visible.map(Arc::new).collect())
    }
}
