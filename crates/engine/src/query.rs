//! Looks at committed state, pruned to the records that the principal may see: each query is a type,
//! its answer is another.
//!
//! Which records those are is [`crate::access`]'s to say; which *nodes* of a record may be read is
//! NACM's question, asked where records become nodes. Read next: `task` and `record`, the queries;
//! [`crate::tasks::view`], where most are answered.

mod record;
mod task;

pub use record::{
    AlarmsOf, AuditTrail, DataParamsOf, ExchangePage, ExchangesOf, InventoryOf, PerformanceOf,
    PushConfigsOf, SchemaTree,
};
pub use task::{
    AllTasks, CurrentTask, NegotiationsOf, PartsOf, ProposalsOf, TaskById, TaskCount, TaskPage,
    TeamsOf,
};

use crate::access::Sight;
use crate::operation::{Call, Execution, Operation};
use crate::tasks::view::{Knowledge, View};
use crate::{Engine, Refusal};
use domain::access::{Detail, Principal, Request, Rows};
use domain::context::Exchange;
use domain::event::Sequence;
use domain::negotiation::{Kind, Negotiation};
use domain::task::{Task, TaskId};
use domain::team::Team;
use domain::time::Timestamp;
use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::Arc;
use store::{Below, Filter, Keyed, Most, Page, Store, TaskFilter};

/// The most rows that are answered in one breath; more are read page by page.
pub const ROWS_MOST: usize = 100_000;

/// One look at committed state ([`Engine::read`], [`Engine::browse`]).
pub trait Query: Sized {
    /// The records found.
    type Output;

    /// The rpc that alone may ask for it; none where rights are decided record by record.
    fn rpc(&self) -> Option<Request<'static>>;

    /// How many bytes an answer says, of what is looked up by one key; none of other queries, whose
    /// answers are bounded each for itself.
    fn keyed(&self) -> Option<Weigh<Self::Output>> {
        None
    }

    /// Finds the records.
    ///
    /// # Errors
    /// The [`Refusal`] if they cannot be read, or are [too much](Refusal::TooMuch).
    fn look(self, reader: Reader<'_, Self>) -> Result<Self::Output, Refusal>;
}

/// Tells about how many bytes an answer says.
pub type Weigh<T> = fn(&T) -> u64;

/// The right of the query `Q` to look: its user may ask for it. Made by the engine alone, and of use
/// to no other query.
pub struct Reader<'e, Q> {
    pub(crate) engine: &'e Engine,
    pub(crate) who: &'e Principal,
    detail: Detail,
    pub(crate) now: Timestamp,
    of: PhantomData<fn() -> Q>,
}

impl<'e, Q> Reader<'e, Q> {
    fn sight(&self, rows: Rows) -> Sight<'e> {
        self.engine.sight(self.who, rows, self.detail)
    }
}

/// A query is an operation that is answered at once and takes no room.
impl<Q: Query<Output: Send + 'static>> Operation for Q {
    type Output = Q::Output;

    fn rpc(&self) -> Option<Request<'static>> {
        Query::rpc(self)
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Q::Output>, Refusal> {
        let found = self.look(Reader {
            engine: call.engine,
            who: call.who,
            detail: Detail::Whole,
            now: call.now,
            of: PhantomData,
        });
        found.map(Execution::known)
    }
}

impl Engine {
    /// Answers a query at once, from committed state: records of which the principal may see all
    /// there is.
    ///
    /// # Errors
    /// The [`Refusal`] if it is denied, or cannot be answered.
    pub fn read<Q: Query>(
        &self,
        who: &Principal,
        query: Q,
        now: Timestamp,
    ) -> Result<Q::Output, Refusal> {
        self.answer(who, query, Detail::Whole, now)
    }

    /// The same for who shows node by node and prunes what the rules do not let the principal read:
    /// records of which it may see something.
    ///
    /// # Errors
    /// The same.
    pub fn browse<Q: Query>(
        &self,
        who: &Principal,
        query: Q,
        now: Timestamp,
    ) -> Result<Q::Output, Refusal> {
        self.answer(who, query, Detail::Pruned, now)
    }

    fn answer<Q: Query>(
        &self,
        who: &Principal,
        query: Q,
        detail: Detail,
        now: Timestamp,
    ) -> Result<Q::Output, Refusal> {
        let rpc = query.rpc();
        if let Some(request) = rpc {
            self.authorise(who, request, now)?;
        }
        let engine = self;
        let found = query.look(Reader {
            engine,
            who,
            detail,
            now,
            of: PhantomData,
        });
        found.inspect_err(|refusal| self.audit_refusal(who, rpc, refusal, now))
    }

    /// A task as committed, if the principal is party to it, and the place in the log up to which
    /// this tells what happened to it: whoever follows the log from there misses nothing and reads
    /// nothing twice.
    ///
    /// # Errors
    /// [`Refusal`] if the store cannot be read.
    pub fn followed(
        &self,
        who: &Principal,
        id: &TaskId,
    ) -> Result<Option<(Arc<Task>, Sequence)>, Refusal> {
        let (here, as_of) = {
            let tasks = self.view.tasks();
            (tasks.find(id).cloned(), tasks.as_of())
        };
        let sight = self.sight(who, Rows::Tasks, Detail::Whole);
        let visible = match here {
            Some(task) => Some(task).filter(|task| sight.shows_task(task)),
            // It has ended: nothing happens to it any more.
            None => self.visible_task(sight, id)?,
        };
        Ok(visible.map(|task| (task, as_of)))
    }

    /// A task as committed, for who may be told of it whole.
    pub(crate) fn task_of(
        &self,
        who: &Principal,
        id: &TaskId,
    ) -> Result<Option<Arc<Task>>, Refusal> {
        self.visible_task(self.sight(who, Rows::Tasks, Detail::Whole), id)
    }

    /// A task as committed, for who sees it. One of others costs what none costs: it is not read.
    fn visible_task(&self, sight: Sight<'_>, id: &TaskId) -> Result<Option<Arc<Task>>, Refusal> {
        let here = self.view.tasks().find(id).cloned();
        if here.is_none() && !self.is_visible(sight, Keyed::Task(id.as_str()))? {
            return Ok(None);
        }
        let task = match here {
            Some(task) => Some(task),
            None => self.committed_task(id)?,
        };
        Ok(task.filter(|task| sight.shows_task(task)))
    }

    /// True if a record is seen, as far as its parties tell; they are all that is read of it.
    fn is_visible(&self, sight: Sight<'_>, record: Keyed<'_>) -> Result<bool, Refusal> {
        if sight.is_of_all() || sight.is_of_none() {
            return Ok(sight.is_of_all());
        }
        let parties = self.store.parties(record)?;
        Ok(parties.is_some_and(|[one, other]| sight.shows(&one, &other)))
    }

    /// A task as committed.
    pub(crate) fn committed_task(&self, id: &TaskId) -> Result<Option<Arc<Task>>, Refusal> {
        committed_task(&self.store, &self.view, id)
    }

    /// How many bytes, as they are stored, are read for one answer.
    pub fn read_bytes(&self) -> u64 {
        self.limits.read_bytes
    }

    /// How much is read for one answer.
    fn most(&self) -> Most {
        Most {
            rows: ROWS_MOST,
            bytes: self.limits.read_bytes,
        }
    }

    /// What is not told page by page is told as a whole, or not at all.
    fn whole<T>(&self, page: Page<T>) -> Result<Vec<T>, Refusal> {
        match page.more {
            true => Err(self.too_much()),
            false => Ok(page.rows),
        }
    }

    /// Why an answer is not given that would be longer than one is.
    pub fn too_much(&self) -> Refusal {
        let Most { rows, bytes } = self.most();
        Refusal::TooMuch { rows, bytes }
    }

    /// All negotiations, or one's own: what others have costs nobody anything, and tells nothing.
    fn negotiations_of(&self, sight: Sight<'_>) -> Result<Vec<Negotiation>, Refusal> {
        let most = self.most();
        self.whole(match sight.narrowest(None) {
            _ if sight.is_of_none() => Page::default(),
            Some(party) => self.store.negotiations_of(&party, most)?,
            None => self.store.all_negotiations(most)?,
        })
    }

    /// The same of teams: one's own are those that one published or was asked for.
    fn teams_of(&self, sight: Sight<'_>) -> Result<Vec<Team>, Refusal> {
        let most = self.most();
        let party = match sight.narrowest(None) {
            _ if sight.is_of_none() => return Ok(Vec::new()),
            Some(party) => party,
            None => return self.whole(self.store.teams(most)?),
        };
        let mut teams = self.whole(self.store.teams_by(&party, most)?)?;
        let known: HashSet<TaskId> = teams.iter().map(|team| team.task.clone()).collect();
        let asked = self.whole(self.store.teams_with(&party, most)?)?;
        teams.extend(asked.into_iter().filter(|team| !known.contains(&team.task)));
        Ok(teams)
    }

    /// Whether a task is there, for whomever, is looked up in memory; in the store only for tasks that
    /// may have left memory.
    fn proposals(
        &self,
        sight: Sight<'_>,
        task: Option<TaskId>,
    ) -> Result<Vec<Arc<Negotiation>>, Refusal> {
        let mut found = match &task {
            Some(_) if sight.is_of_none() => Vec::new(),
            Some(task) => self.store.negotiations(task)?,
            None => self.negotiations_of(sight)?,
        };
        found.retain(|n| n.kind == Kind::Feasibility && sight.shows(&n.publisher, &n.executor));
        let is_whole = {
            let tasks = self.view.tasks();
            found.retain(|n| tasks.find(&n.task).is_none());
            tasks.is_whole()
        };
        let mut proposals = Vec::new();
        for negotiation in found {
            if is_whole || self.store.task(&negotiation.task)?.is_none() {
                proposals.push(Arc::new(negotiation));
            }
        }
        Ok(proposals)
    }

    fn all_tasks(&self, sight: Sight<'_>) -> Result<Vec<Arc<Task>>, Refusal> {
        let visible = |task: &Arc<Task>| sight.shows_task(task);
        {
            let tasks = self.view.tasks();
            if sight.is_of_all() && tasks.counts().tasks > ROWS_MOST as u64 {
                return Err(self.too_much());
            }
            if tasks.is_whole() {
                let found = tasks.here(self.limits.read_bytes, visible);
                return found.ok_or_else(|| self.too_much());
            }
        }
        let found = self.whole(self.store.tasks(&TaskFilter {
            party: sight.narrowest(None),
            limit: ROWS_MOST,
            bytes: self.limits.read_bytes,
            ..TaskFilter::default()
        })?)?;
        let mut found: Vec<Arc<Task>> = found.into_iter().map(Arc::new).filter(visible).collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(found)
    }

    /// Which tasks are parts of one.
    fn parts(&self, sight: Sight<'_>, of: &TaskId) -> Result<Vec<TaskId>, Refusal> {
        if sight.is_of_none() || !self.below(of)?.parts {
            return Ok(Vec::new());
        }
        let party = sight.narrowest(None);
        self.whole(self.store.parts(of, party.as_deref(), ROWS_MOST)?)
    }

    /// A page of tasks; who does not see all looks through its own.
    fn task_page(
        &self,
        sight: Sight<'_>,
        mut filter: TaskFilter,
    ) -> Result<Page<Arc<Task>>, Refusal> {
        if sight.is_of_none() {
            return Ok(Page::default());
        }
        if let (Some(parent), None) = (&filter.parent, &filter.after)
            && !self.below(parent)?.parts
        {
            return Ok(Page::default());
        }
        filter.bytes = self.limits.read_bytes;
        narrow(sight, &mut filter);
        self.hide_place(sight, &mut filter)?;
        let mut page = self.store.tasks(&filter)?;
        page.rows.retain(|task| sight.shows_task(task));
        Ok(page.map(Arc::new))
    }

    /// What may hang below a task: for most there is nothing to look for, which the store is asked
    /// once while the task is in memory.
    fn below(&self, id: &TaskId) -> Result<Below, Refusal> {
        match self.view.below(id) {
            Knowledge::Known(below) => Ok(below),
            Knowledge::Unknown(grown) => {
                let found = self.store.below(id)?;
                self.view.note(id, found, grown);
                Ok(found)
            }
            Knowledge::Elsewhere => Ok(Below {
                parts: true,
                negotiations: true,
            }),
        }
    }

    /// A page begins behind a task that is seen: behind another's, it is as behind none.
    fn hide_place(&self, sight: Sight<'_>, filter: &mut TaskFilter) -> Result<(), Refusal> {
        let Some(id) = filter.after.as_ref().filter(|_| !sight.is_of_all()) else {
            return Ok(());
        };
        if self.visible_task(sight, id)?.is_some() {
            return Ok(());
        }
        match filter.newest_first {
            true => filter.after = None,
            false => return Err(nothing_to_continue_behind(id.as_str())),
        }
        Ok(())
    }

    /// The same of a page of what was said.
    fn exchange_page(&self, sight: Sight<'_>, filter: Filter) -> Result<Page<Exchange>, Refusal> {
        if sight.is_of_none() {
            return Ok(Page::default());
        }
        if let Some(id) = &filter.after
            && !self.is_visible(sight, Keyed::Exchange(id))?
        {
            return Err(nothing_to_continue_behind(id));
        }
        let filter = Filter {
            bytes: filter.bytes.min(self.limits.read_bytes),
            ..of_own(sight, filter)
        };
        let mut page = self.store.exchanges(&filter)?;
        page.rows.retain(|e| sight.shows(&e.from, &e.to));
        Ok(page)
    }

    /// The number of tasks on all pages, of which none is read.
    fn task_count(&self, sight: Sight<'_>, mut filter: TaskFilter) -> Result<u64, Refusal> {
        if sight.is_of_none() {
            return Ok(0);
        }
        narrow(sight, &mut filter);
        Ok(self.store.count_tasks(&filter)?)
    }

    fn current_task(&self, sight: Sight<'_>, agent: &str) -> Result<Option<Arc<Task>>, Refusal> {
        let visible = |task: &&Arc<Task>| sight.shows_task(task);
        if let Some(task) = self.view.tasks().current(agent).find(visible) {
            return Ok(Some(Arc::clone(task)));
        }
        let ended = self.store.last_ended(agent)?.map(Arc::new);
        Ok(ended.filter(|t| visible(&t)))
    }

    /// The negotiation of a task as decided: from memory, else from the store.
    pub(crate) fn stored_negotiation(
        &self,
        task: &TaskId,
        kind: Kind,
    ) -> Result<Option<Arc<Negotiation>>, Refusal> {
        Ok(self.store.negotiation(task, kind)?.map(Arc::new))
    }
}

/// A task as committed: from memory, else from the store.
pub(crate) fn committed_task(
    store: &Store,
    view: &View,
    id: &TaskId,
) -> Result<Option<Arc<Task>>, Refusal> {
    if let Some(task) = view.tasks().find(id) {
        return Ok(Some(Arc::clone(task)));
    }
    let grown = view.grown_elsewhere();
    let Some((task, below)) = store.task_and_below(id)? else {
        return Ok(None);
    };
    view.note_elsewhere(id, below, grown);
    Ok(Some(Arc::new(task)))
}

/// A team as the principal may see it: who takes part in it sees the others, but not why somebody
/// declined; that is said to its publisher.
fn shown(sight: Sight<'_>, mut team: Team) -> Option<Team> {
    if sight.shows(&team.publisher, &team.publisher) {
        return Some(team);
    }
    let mut asked = team.candidates.iter();
    if !asked.any(|c| sight.shows(&c.agent, &c.agent)) {
        return None;
    }
    for candidate in &mut team.candidates {
        candidate.reasons.clear();
    }
    Some(team)
}

/// Narrows a filter to the tasks of who does not see all: who it asks for is the other side.
fn narrow(sight: Sight<'_>, filter: &mut TaskFilter) {
    filter.other_party = filter.party.take();
    filter.party = sight.narrowest(None);
    if filter.party.is_none() || filter.party == filter.other_party {
        filter.party = filter.other_party.take();
    }
}

/// The same of what was said.
fn of_own(sight: Sight<'_>, filter: Filter) -> Filter {
    if sight.is_of_all() {
        return filter;
    }
    let counterparty = match &filter.party {
        Some(party) if *party != sight.name() => Some(party.clone()),
        _ => filter.counterparty,
    };
    Filter {
        party: Some(sight.name().to_owned()),
        counterparty,
        ..filter
    }
}

fn nothing_to_continue_behind(id: &str) -> Refusal {
    store::ReadError::Unknown { id: id.to_owned() }.into()
}
