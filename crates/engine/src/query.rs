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
pub use crate::console::operation::ConsoleSessionsOf;
pub use crate::operation::{Query, Reader, Weigh};
pub use crate::policy::operation::{StandingRules, WaitingDecisions};
use crate::refusal::OverLimit;
use crate::tasks::view::Knowledge;
use crate::{Engine, Refusal};
use domain::access::{Detail, Principal};
use domain::context::Exchange;
use domain::negotiation::{Kind, Negotiation};
use domain::task::{Task, TaskId};
use domain::team::Team;
use domain::time::Timestamp;
use std::collections::HashSet;
use std::sync::Arc;
use store::{Below, Filter, Keyed, Most, Page, TaskFilter};

/// The most rows that are answered in one breath; more are read page by page.
pub const ROWS_MOST: usize = 100_000;

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
        let found = query.look(Reader::new(self, who, detail, now));
        found.inspect_err(|refusal| self.audit_refusal(who, rpc, refusal, now))
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
        OverLimit::TooMuch { rows, bytes }.into()
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
            let tasks = self.tasks.view.tasks();
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
            let tasks = self.tasks.view.tasks();
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
        match self.tasks.view.below(id) {
            Knowledge::Known(below) => Ok(below),
            Knowledge::Unknown(grown) => {
                let found = self.store.below(id)?;
                self.tasks.view.note(id, found, grown);
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
        if let Some(task) = self.tasks.view.tasks().current(agent).find(visible) {
            return Ok(Some(Arc::clone(task)));
        }
        let ended = self.store.last_ended(agent)?.map(Arc::new);
        Ok(ended.filter(|t| visible(&t)))
    }
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
