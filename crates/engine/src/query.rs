//! Looks at committed state, pruned to what the principal is party to.
//!
//! Which *nodes* of a record may be read is NACM's question, asked where records become nodes.
//! Read next: [`crate::view`].

use crate::operation::{Outcome, Query, Records};
use crate::view::View;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::event::Sequence;
use domain::negotiation::{Kind, Negotiation};
use domain::task::{Task, TaskId};
use domain::team::Team;
use std::sync::Arc;
use store::{Filter, Store, TaskFilter};

impl Engine {
    pub(crate) fn read(&self, who: &Principal, query: Query) -> Result<Outcome, Refusal> {
        Ok(Outcome::Records(match query {
            Query::Task(id) => {
                let task = self.committed_task(&id)?;
                let visible = task.filter(|t| who.sees(&t.from, &t.to));
                Records::Tasks(visible.into_iter().collect())
            }
            Query::Tasks => Records::Tasks(self.all_tasks(who)?),
            Query::TaskPage(filter) => Records::Tasks(self.task_page(who, filter)?),
            Query::TaskCount(filter) => Records::Count(self.task_count(who, filter)?),
            Query::CurrentTask(agent) => {
                Records::Tasks(self.current_task(who, &agent)?.into_iter().collect())
            }
            Query::Negotiations(task) => {
                let found = match task {
                    Some(task) => self.store.negotiations(&task)?,
                    None => bounded(self.store.all_negotiations(Query::MOST + 1)?)?,
                };
                let found = found.into_iter();
                let visible = found.filter(|n| who.sees(&n.publisher, &n.executor));
                Records::Negotiations(visible.map(Arc::new).collect())
            }
            Query::Proposals => Records::Negotiations(self.proposals(who)?),
            Query::Schemas => unreachable!("schemas are looked at with the time"),
            Query::Alarms { .. } | Query::Inventory(_) | Query::Performance(_) => {
                return self.managed(who, query);
            }
            Query::Teams(task) => {
                let found = match &task {
                    Some(task) => self.store.team(task)?.into_iter().collect(),
                    None => self.store.teams()?,
                }
                .into_iter();
                let visible = found.filter_map(|team| shown(who, team));
                Records::Teams(visible.map(Arc::new).collect())
            }
            Query::PushConfigs(task) => Records::PushConfigs(self.push_configs_of(who, &task)?),
            Query::Exchanges { party, id, task } => {
                let found = match id {
                    Some(id) => self.store.exchange(&id)?.into_iter().collect(),
                    None => bounded(self.store.exchanges(&Filter {
                        task,
                        party: self.narrowest(who, party.clone()),
                        limit: Query::MOST + 1,
                        ..Filter::default()
                    })?)?,
                };
                let fits = |p: &String, from: &str, to: &str| p == from || p == to;
                let visible = found.into_iter().filter(|e| who.sees(&e.from, &e.to));
                let visible =
                    visible.filter(|e| party.as_ref().is_none_or(|p| fits(p, &e.from, &e.to)));
                Records::Exchanges(visible.collect())
            }
            Query::ExchangePage(filter) => {
                let page = self.store.exchanges(&of_own(who, filter))?;
                let visible = page.into_iter().filter(|e| who.sees(&e.from, &e.to));
                Records::Exchanges(visible.collect())
            }
            Query::Data { party, id } => {
                let found = match id {
                    Some(id) => self.store.data_param(&id)?.into_iter().collect(),
                    None => bounded(self.store.data_params(&Filter {
                        party: self.narrowest(who, party.clone()),
                        limit: Query::MOST + 1,
                        ..Filter::default()
                    })?)?,
                };
                let visible = found
                    .into_iter()
                    .filter(|d| who.sees(&d.parties[0], &d.parties[1]))
                    .filter(|d| party.as_ref().is_none_or(|p| d.parties.contains(p)));
                Records::Data(visible.collect())
            }
        }))
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
        let task = match here {
            Some(task) => Some(task),
            // It has ended: nothing happens to it any more.
            None => self.committed_task(id)?,
        };
        let visible = task.filter(|task| who.sees(&task.from, &task.to));
        Ok(visible.map(|task| (task, as_of)))
    }

    /// A task as committed.
    pub(crate) fn committed_task(&self, id: &TaskId) -> Result<Option<Arc<Task>>, Refusal> {
        committed_task(&self.store, &self.view, id)
    }

    /// Whether a task is there is looked up in memory; in the store only for tasks that may have
    /// left memory.
    fn proposals(&self, who: &Principal) -> Result<Vec<Arc<Negotiation>>, Refusal> {
        let mut found = bounded(self.store.all_negotiations(Query::MOST + 1)?)?;
        found.retain(|n| n.kind == Kind::Feasibility && who.sees(&n.publisher, &n.executor));
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

    fn all_tasks(&self, who: &Principal) -> Result<Vec<Arc<Task>>, Refusal> {
        let visible = |task: &Arc<Task>| who.sees(&task.from, &task.to);
        {
            let tasks = self.view.tasks();
            if tasks.counts().tasks > Query::MOST as u64 {
                return Err(too_many_rows());
            }
            if tasks.is_whole() {
                return Ok(tasks.here().filter(|t| visible(t)).cloned().collect());
            }
        }
        let found = bounded(self.store.tasks(&TaskFilter {
            party: self.narrowest(who, None),
            limit: Query::MOST + 1,
            ..TaskFilter::default()
        })?)?;
        let mut found: Vec<Arc<Task>> = found.into_iter().map(Arc::new).filter(visible).collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(found)
    }

    /// A page of tasks. An agent's page holds what it is party to, as many as were asked for.
    fn task_page(
        &self,
        who: &Principal,
        mut filter: TaskFilter,
    ) -> Result<Vec<Arc<Task>>, Refusal> {
        let (wanted, limit) = (filter.party.take(), filter.limit);
        filter.party = self.narrowest(who, wanted.clone());
        let fits = |t: &Task| {
            let with = |p: &String| *p == t.from || *p == t.to;
            who.sees(&t.from, &t.to) && wanted.as_ref().is_none_or(with)
        };
        let mut page = Vec::new();
        loop {
            let found = self.store.tasks(&filter)?;
            filter.after = found.last().map(|t| t.id.clone());
            let last = found.len() < limit;
            page.extend(found.into_iter().filter(|t| fits(t)).map(Arc::new));
            if last || page.len() >= limit {
                page.truncate(limit);
                return Ok(page);
            }
        }
    }

    /// How many tasks all pages hold. Only who sees all tasks may ask for another's.
    fn task_count(&self, who: &Principal, mut filter: TaskFilter) -> Result<u64, Refusal> {
        filter.party = self.narrowest(who, filter.party.take());
        Ok(self.store.count_tasks(&filter)?)
    }

    fn current_task(&self, who: &Principal, agent: &str) -> Result<Option<Arc<Task>>, Refusal> {
        let visible = |task: &&Arc<Task>| who.sees(&task.from, &task.to);
        if let Some(task) = self.view.tasks().current(agent).find(visible) {
            return Ok(Some(Arc::clone(task)));
        }
        let ended = self.store.last_ended(agent)?.map(Arc::new);
        Ok(ended.filter(|t| visible(&t)))
    }

    /// An agent looks through what it is party to, whomever it asks for.
    fn narrowest(&self, who: &Principal, party: Option<String>) -> Option<String> {
        match who.agent {
            true => Some(who.name.clone()),
            false => party,
        }
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
    Ok(store.task(id)?.map(Arc::new))
}

/// A team as the principal may see it: who takes part in it sees the others, but not why somebody
/// declined; that is said to its publisher.
fn shown(who: &Principal, mut team: Team) -> Option<Team> {
    if who.sees(&team.publisher, &team.publisher) {
        return Some(team);
    }
    let mut asked = team.candidates.iter();
    if !asked.any(|c| who.sees(&c.agent, &c.agent)) {
        return None;
    }
    for candidate in &mut team.candidates {
        candidate.reasons.clear();
    }
    Some(team)
}

/// An agent's pages hold what it is party to: who it asks for is the other side.
fn of_own(who: &Principal, filter: Filter) -> Filter {
    match &filter.party {
        Some(party) if who.agent && *party != who.name => Filter {
            counterparty: filter.party.clone(),
            party: Some(who.name.clone()),
            ..filter
        },
        None if who.agent => Filter {
            party: Some(who.name.clone()),
            ..filter
        },
        _ => filter,
    }
}

fn bounded<T>(rows: Vec<T>) -> Result<Vec<T>, Refusal> {
    match rows.len() > Query::MOST {
        true => Err(too_many_rows()),
        false => Ok(rows),
    }
}

fn too_many_rows() -> Refusal {
    Refusal::TooMany {
        what: "rows in one answer",
        most: Query::MOST as u64,
    }
}
