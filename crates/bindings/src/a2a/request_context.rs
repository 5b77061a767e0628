//! Caller, endpoint and time of a request, which every answer needs, and its questions to the engine.
//!
//! Read next: [`super::message`], [`super::history`].

use super::binding::Binding;
use super::cards::ServedAgent;
use super::error;
use crate::background::later;
use a2a::conversation::TaskFacts;
use a2a::error::Error;
use a2a::state::state_of;
use domain::access::{Principal, TASK_NEGOTIATE};
use domain::profile::Profile;
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use engine::{Endpoint, Engine, Operation, Query, Refusal};
use std::sync::Arc;

/// One request's circumstances.
pub(super) struct RequestContext<'a> {
    pub(super) binding: &'a Binding,
    pub(super) who: &'a Principal,
    pub(super) endpoint: &'a Endpoint,
    pub(super) served: Arc<ServedAgent>,
    pub(super) clock: &'a (dyn Fn() -> Timestamp + Sync),
    /// Whether the request is one that is read beside the connections.
    pub(super) is_long: bool,
}

impl RequestContext<'_> {
    /// The time: later than when the request came, where something of it was waited for.
    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The caller, in the groups that it is in now: its words may have waited to be read.
    fn asking(&self) -> Principal {
        let known = self.engine().principal(&self.who.name);
        known.coming_from(self.who.source.clone())
    }

    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.binding.engine
    }

    /// The agent that is spoken to.
    pub(super) fn profile(&self) -> &Profile {
        &self.served.profile
    }

    /// Refuses who may not give tasks, before anything that was said is read.
    pub(super) fn check_asking(&self) -> Result<(), Error> {
        let asked = self
            .engine()
            .authorise(self.who, TASK_NEGOTIATE, self.now());
        asked.map_err(|denied| error::refused(&denied))
    }

    /// True if the card tells what a schema says.
    pub(super) fn is_declared(&self, schema_id: &str) -> bool {
        self.served.declared.contains(schema_id)
    }

    /// Asks the engine for what it knows now.
    ///
    /// # Errors
    /// The refusal, in A2A's words.
    pub(super) fn read<Q: Query>(&self, query: Q) -> Result<Q::Output, Error> {
        let found = self.engine().read(&self.asking(), query, self.now());
        found.map_err(|refusal| error::refused(&refusal))
    }

    /// Has the engine do something, and waits until it is on disk.
    pub(super) async fn execute<O: Operation>(&self, operation: O) -> Result<O::Output, Refusal> {
        let execution = self.engine().execute(&self.asking(), operation, self.now());
        execution.outcome().await
    }

    /// Has work done beside the connections, in the caller's turn.
    pub(super) async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let under_way = later(&*self.binding.background, &self.who.name, work);
        let under_way = under_way.map_err(|busy| error::not_now(&busy.to_string()))?;
        let done = under_way.await;
        done.map_err(|late| error::not_now(&late.to_string()))
    }

    /// The task of this endpoint that the principal may read; not there and not theirs look the
    /// same (A16).
    pub(super) fn task(&self, id: &str) -> Result<Arc<Task>, Error> {
        self.followed(id).map(|(task, _)| task)
    }

    /// The same, with the place in the log from which it can be followed.
    pub(super) fn followed(&self, id: &str) -> Result<(Arc<Task>, domain::event::Sequence), Error> {
        let found = self.engine().followed(&self.asking(), &TaskId::new(id));
        let found = found.map_err(|refusal| error::refused(&refusal))?;
        let here = found.filter(|(task, _)| self.is_here(task));
        here.ok_or_else(|| Error::task_not_found(id))
    }

    /// At an agent's endpoint are the tasks which that agent executes, at the platform's all.
    fn is_here(&self, task: &Task) -> bool {
        match self.endpoint {
            Endpoint::Agent(name) => *name == task.to,
            Endpoint::Platform => true,
            Endpoint::Ems(_) => false,
        }
    }
}

/// Properties of a task that are needed before something is said to it.
pub(super) trait Spoken {
    /// Its conversation and state.
    fn known(&self) -> TaskFacts<'_>;
}

impl Spoken for Task {
    fn known(&self) -> TaskFacts<'_> {
        TaskFacts {
            context_id: self.conversation(),
            state: state_of(self),
        }
    }
}
