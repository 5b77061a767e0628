//! What a decision names of what is not in memory, and what the store had of it before the locks of decisions
//! were taken.
//!
//! Pure data. Read next: [`crate::tasks::lookup`], which loads it and reads it.

use crate::commit::loads::Loading;
use crate::failure::StoreFailure;
use crate::hosting::question::Question;
use domain::context::{DataParam, Exchange};
use domain::negotiation::{Kind, Negotiation};
use domain::task::{Task, TaskId};
use domain::team::Team;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the store had; why it is not known, if the store could not be read.
pub(crate) type Found<T> = Result<Option<T>, StoreFailure>;

/// Something that a decision is about, and reads.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    /// A task, and the feasibility of the same name.
    Holders(TaskId),
    Task(TaskId),
    Negotiation(TaskId, Kind),
    Team(TaskId),
    Exchange(String),
    /// The last answer to a question of a task whose number is not above this.
    LastAnswer(TaskId, u64),
    /// An entry of data-params.
    Data(String),
    /// The questions that are on record.
    Questions,
    /// A task as long as it is open, with its parts: it is held, and nothing is loaded.
    Tree(TaskId),
    /// The places of agents: they are held, and nothing is loaded.
    Places,
}

/// What was found of what was named.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) tasks: BTreeMap<TaskId, Found<Arc<Task>>>,
    pub(crate) negotiations: BTreeMap<(TaskId, Kind), Found<Arc<Negotiation>>>,
    pub(crate) teams: BTreeMap<TaskId, Found<Arc<Team>>>,
    pub(crate) exchanges: BTreeMap<String, Found<Exchange>>,
    pub(crate) last_answers: BTreeMap<TaskId, Found<Exchange>>,
    pub(crate) data: BTreeMap<String, Found<DataParam>>,
    pub(crate) questions: Option<Vec<Question>>,
    /// Keeps in memory what may have been missed.
    _loading: Option<Loading>,
}

impl Loaded {
    /// Nothing yet, by a load that has begun.
    pub(crate) fn by(loading: Loading) -> Self {
        Self {
            _loading: Some(loading),
            ..Self::default()
        }
    }

    /// True if this was loaded.
    pub(crate) fn has(&self, name: &Name) -> bool {
        match name {
            Name::Holders(id) => {
                let feasibility = (id.clone(), Kind::Feasibility);
                self.tasks.contains_key(id) && self.negotiations.contains_key(&feasibility)
            }
            Name::Task(id) => self.tasks.contains_key(id),
            Name::Negotiation(id, kind) => self.negotiations.contains_key(&(id.clone(), *kind)),
            Name::Team(id) => self.teams.contains_key(id),
            Name::Exchange(id) => self.exchanges.contains_key(id),
            Name::LastAnswer(id, _) => self.last_answers.contains_key(id),
            Name::Data(id) => self.data.contains_key(id),
            Name::Questions => self.questions.is_some(),
            Name::Tree(_) | Name::Places => true,
        }
    }
}
