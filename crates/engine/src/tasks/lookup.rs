//! What decisions are about and read: the shards of it are held, what is open is in memory, and all else is as it
//! was loaded before.
//!
//! A decision names what it reads, and is given the locks once all of it is there: no disk is waited for
//! under them. What ends meanwhile stays in memory until then ([`crate::commit::loads`]), so what was loaded is as true
//! under the lock as it was before. Read next: [`crate::tasks::loaded`], [`crate::tasks::work`].

use crate::Engine;
use crate::commit::lock::Deciding;
use crate::failure::StoreFailure;
use crate::hosting::question::Question;
use crate::tasks::loaded::{Found, Loaded, Name};
use crate::tasks::request::ANSWERS;
use crate::tasks::view::View;
use crate::tasks::work::Work;
use domain::context::{DataParam, Exchange};
use domain::negotiation::{Kind, Negotiation};
use domain::task::{Task, TaskId};
use domain::team::Team;
use domain::verb::Verb;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use store::Store;

/// The shard of what is about agents, and about nothing that has an identifier.
const FIRST: usize = 0;

impl Engine {
    /// The shards of all that is named there, held, and what is to be read of it.
    pub(crate) fn lock_with(&self, names: &[Name]) -> Deciding<'_> {
        self.lock_with_all(names, |_, _| ())
    }

    /// The same with what else is named in view of what is decided, or of what was loaded. For that the locks are
    /// let go of, so nothing has been decided yet; what was loaded before remains true, so that each is loaded
    /// once.
    pub(crate) fn lock_with_all(
        &self,
        first: &[Name],
        more: impl Fn(&Work<'_>, &mut Vec<Name>),
    ) -> Deciding<'_> {
        self.lock_shards_with(BTreeSet::new(), first, more)
    }

    /// The same with all shards.
    pub(crate) fn lock_all_with(&self, more: impl Fn(&Work<'_>, &mut Vec<Name>)) -> Deciding<'_> {
        self.lock_shards_with(self.tasks.all_shards(), &[], more)
    }

    /// The same with what is read where all ends that an agent in here has taken on.
    pub(crate) fn lock_all_for(&self, agent: usize) -> Deciding<'_> {
        self.lock_all_with(|_, names| {
            let agent = self.hosting.agents.lock(agent);
            let asked = agent.questions();
            asked.for_each(|question| names_of(question, names));
        })
    }

    fn lock_shards_with(
        &self,
        shards: BTreeSet<usize>,
        first: &[Name],
        more: impl Fn(&Work<'_>, &mut Vec<Name>),
    ) -> Deciding<'_> {
        loop {
            if let Some(work) = self.try_lock_with(shards.clone(), first, &more) {
                return work;
            }
        }
    }

    /// None if decisions had to be taken back meanwhile: memory has become what was on disk since the load
    /// began.
    fn try_lock_with(
        &self,
        mut shards: BTreeSet<usize>,
        first: &[Name],
        more: impl Fn(&Work<'_>, &mut Vec<Name>),
    ) -> Option<Deciding<'_>> {
        let taken_back = self.commits.taken_back();
        let mut loaded = Loaded::by(self.tasks.loads.begin());
        let mut names = first.to_vec();
        let mut known = first.to_vec();
        loop {
            names
                .drain(..)
                .for_each(|name| self.load(name, &mut loaded));
            shards.extend(known.iter().flat_map(|name| self.places(name)));
            if shards.is_empty() {
                shards.insert(FIRST);
            }
            let mut work = self.lock_shards(&shards);
            if self.commits.taken_back() != taken_back {
                return None;
            }
            work.loaded = loaded;
            // A task may have got another place before it was held.
            if self.are_held(&work, &known) {
                more(&work, &mut names);
                known.extend_from_slice(&names);
                names.retain(|name| !self.is_there(&mut work, name));
                if names.is_empty() && self.are_held(&work, &known) {
                    return Some(work);
                }
            }
            loaded = std::mem::take(&mut work.loaded);
        }
    }

    /// The shards in which is what is named there.
    fn places(&self, name: &Name) -> impl Iterator<Item = usize> + use<> {
        let placement = &self.tasks.shared.placement;
        // What was said before there was a task, and its team, stay at home where a part lives with its whole.
        let [one, other] = match name {
            Name::Task(id)
            | Name::Holders(id)
            | Name::LastAnswer(id, _)
            | Name::Negotiation(id, _)
            | Name::Team(id)
            | Name::Tree(id) => placement.places(id).map(Some),
            Name::Data(id) => [Some(placement.home(id)), None],
            Name::Places => [Some(FIRST), None],
            Name::Exchange(_) | Name::Questions => [None, None],
        };
        one.into_iter().chain(other)
    }

    fn are_held(&self, work: &Work<'_>, names: &[Name]) -> bool {
        let mut places = names.iter().flat_map(|name| self.places(name));
        places.all(|place| work.holds(place))
    }

    /// Reads from the store what is named.
    fn load(&self, name: Name, loaded: &mut Loaded) {
        if loaded.has(&name) {
            return;
        }
        match name {
            Name::Holders(id) => {
                let (task, negotiation) = match self.store.knows(&id) {
                    Ok(true) => (
                        self.committed_task(&id),
                        self.stored_negotiation(&id, Kind::Feasibility),
                    ),
                    Ok(false) => (Ok(None), Ok(None)),
                    Err(cause) => {
                        let cause = StoreFailure::from(cause);
                        (Err(cause.clone()), Err(cause))
                    }
                };
                loaded.tasks.insert(id.clone(), task);
                let key = (id, Kind::Feasibility);
                loaded.negotiations.insert(key, negotiation);
            }
            Name::Task(id) => {
                let found = self.committed_task(&id);
                loaded.tasks.insert(id, found);
            }
            Name::Negotiation(id, kind) => {
                let found = self.stored_negotiation(&id, kind);
                loaded.negotiations.insert((id, kind), found);
            }
            Name::Team(id) => {
                let found = self.store.team(&id).map(|team| team.map(Arc::new));
                loaded.teams.insert(id, found.map_err(StoreFailure::from));
            }
            Name::Exchange(id) => {
                let found = self.store.exchange(&id).map_err(StoreFailure::from);
                loaded.exchanges.insert(id, found);
            }
            Name::LastAnswer(id, most) => {
                // By key: of what else was said of the task there may be any amount.
                let found = self.store.last_numbered(&format!("{id}{ANSWERS}"), most);
                let found = found.map_err(StoreFailure::from);
                loaded.last_answers.insert(id, found);
            }
            Name::Data(id) => {
                let found = self.store.data_param(&id).map_err(StoreFailure::from);
                loaded.data.insert(id, found);
            }
            Name::Questions => loaded.questions = Some(self.questions_on_record()),
            Name::Tree(_) | Name::Places => {}
        }
    }

    /// Reads what is not there, where nobody decides meanwhile.
    pub(crate) fn load_missing(&self, work: &mut Work<'_>, mut names: Vec<Name>) {
        names.retain(|name| !self.is_there(work, name));
        for name in names {
            self.load(name, &mut work.loaded);
        }
    }

    /// True of what can be read of what is held. An ended task that readers have in memory is taken from there.
    fn is_there(&self, work: &mut Work<'_>, name: &Name) -> bool {
        // What is not held is named again once it is.
        if !self.places(name).all(|place| work.holds(place)) {
            return true;
        }
        let is_in_memory = match name {
            Name::Task(id) if work.task(id).is_none() => {
                let ended = self.tasks.view.tasks().find(id).cloned();
                if let Some(ended) = ended {
                    work.loaded.tasks.insert(id.clone(), Ok(Some(ended)));
                }
                false
            }
            Name::Task(_) => true,
            Name::Negotiation(id, kind) => {
                work.negotiation(id, *kind).is_some() || work.has_all_of(id, *kind)
            }
            Name::Team(id) => work.team(id).is_some(),
            Name::Holders(_)
            | Name::Exchange(_)
            | Name::LastAnswer(..)
            | Name::Data(_)
            | Name::Questions
            | Name::Tree(_)
            | Name::Places => false,
        };
        is_in_memory || work.loaded.has(name)
    }

    /// An entry of data-params as decided.
    pub(crate) fn entry(&self, work: &Work<'_>, id: &str) -> Found<DataParam> {
        if let Some(entry) = self.data.find(id) {
            return Ok(Some(entry));
        }
        let found = work.loaded.data.get(id).cloned();
        found.unwrap_or_else(|| unnamed("data", id))
    }

    /// A task as committed.
    pub(crate) fn committed_task(&self, id: &TaskId) -> Found<Arc<Task>> {
        committed_task(&self.store, &self.tasks.view, id)
    }

    fn stored_negotiation(&self, task: &TaskId, kind: Kind) -> Found<Arc<Negotiation>> {
        Ok(self.store.negotiation(task, kind)?.map(Arc::new))
    }
}

impl Work<'_> {
    /// A task as decided, or as it ended.
    pub(crate) fn known_task(&self, id: &TaskId) -> Found<Arc<Task>> {
        if let Some(task) = self.task(id) {
            return Ok(Some(Arc::clone(task)));
        }
        let found = self.loaded.tasks.get(id).cloned();
        found.unwrap_or_else(|| unnamed("task", id))
    }

    /// A negotiation as decided, or as it ended.
    pub(crate) fn known_negotiation(&self, task: &TaskId, kind: Kind) -> Found<Arc<Negotiation>> {
        if let Some(negotiation) = self.negotiation(task, kind) {
            return Ok(Some(Arc::clone(negotiation)));
        }
        if self.has_all_of(task, kind) {
            return Ok(None);
        }
        let found = self.loaded.negotiations.get(&(task.clone(), kind)).cloned();
        found.unwrap_or_else(|| unnamed("negotiation", task))
    }

    /// The team of a task as decided.
    pub(crate) fn known_team(&self, task: &TaskId) -> Found<Arc<Team>> {
        if let Some(team) = self.team(task) {
            return Ok(Some(Arc::clone(team)));
        }
        let found = self.loaded.teams.get(task).cloned();
        found.unwrap_or_else(|| unnamed("team", task))
    }

    /// An exchange as committed.
    pub(crate) fn exchange(&self, id: &str) -> Found<Exchange> {
        let found = self.loaded.exchanges.get(id).cloned();
        found.unwrap_or_else(|| unnamed("exchange", id))
    }

    /// The last answer to a question of a task, as committed.
    pub(crate) fn last_answer(&self, task: &TaskId) -> Found<Exchange> {
        let found = self.loaded.last_answers.get(task).cloned();
        found.unwrap_or_else(|| unnamed("the last answer about", task))
    }
}

/// What is read to put a question again, or when it gets no answer any more.
pub(crate) fn names_of(question: &Question, names: &mut Vec<Name>) {
    let about = |kind| Name::Negotiation(question.task.clone(), kind);
    if question.verb == Verb::FeasibilityNegotiate {
        names.push(about(Kind::Feasibility));
    } else {
        names.push(Name::Task(question.task.clone()));
        names.extend(question.turn.map(|(kind, _)| about(kind)));
    }
    if !question.is_notice() {
        names.push(Name::Exchange(question.key.clone()));
    }
}

/// What a decision reads and did not name is a defect of ours: it is not taken for what is not there.
fn unnamed<T>(what: &str, id: impl Display) -> Found<T> {
    let cause = StoreFailure::because(format!("{what} '{id}' was not loaded"));
    debug_assert!(false, "{cause}");
    Err(cause)
}

/// A task as committed: from memory, else from the store.
pub(crate) fn committed_task(store: &Store, view: &View, id: &TaskId) -> Found<Arc<Task>> {
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
