//! Tasks and negotiations as decided, from memory or else from the store.
//!
//! Read next: [`crate::tasks::view`], [`crate::tasks::work`].

use crate::Engine;
use crate::failure::StoreFailure;
use crate::tasks::view::View;
use crate::tasks::work::Work;
use domain::negotiation::{Kind, Negotiation};
use domain::task::{Task, TaskId};
use std::sync::Arc;
use store::Store;

/// What the store said of an identifier before the lock of decisions was taken.
pub(crate) struct LookedUp {
    /// True if a task has it, or a negotiation.
    known: bool,
    /// How many tasks and negotiations had ended before.
    ended: u64,
}

/// A task and its feasibility.
pub(crate) type Holders = (Option<Arc<Task>>, Option<Arc<Negotiation>>);

impl Engine {
    /// Asks the store whether anything has this identifier: before the lock, under which nobody who
    /// brings a new one waits for the disk.
    pub(crate) fn look_up(&self, id: &TaskId) -> Result<LookedUp, StoreFailure> {
        let ended = self.tasks.settled.count();
        let known = self.store.knows(id)?;
        Ok(LookedUp { known, ended })
    }

    /// The task and the feasibility with this identifier, as decided. The store is asked once more
    /// only if it knew the identifier, or if one of that name may have ended since.
    pub(crate) fn holders(
        &self,
        work: &Work,
        id: &TaskId,
        looked_up: &LookedUp,
    ) -> Result<Holders, StoreFailure> {
        // What is in use is open, thus in memory, or had ended by then, or has ended since.
        let open = work.task(id).is_some() || work.negotiation(id, Kind::Feasibility).is_some();
        let settled = &self.tasks.settled;
        match open || looked_up.known || settled.may_have_ended_since(looked_up.ended, id) {
            true => Ok((
                self.task(work, id)?,
                self.negotiation(work, id, Kind::Feasibility)?,
            )),
            false => Ok((None, None)),
        }
    }

    /// A task as committed.
    pub(crate) fn committed_task(&self, id: &TaskId) -> Result<Option<Arc<Task>>, StoreFailure> {
        committed_task(&self.store, &self.tasks.view, id)
    }

    /// The negotiation of a task as decided: from memory, else from the store.
    pub(crate) fn stored_negotiation(
        &self,
        task: &TaskId,
        kind: Kind,
    ) -> Result<Option<Arc<Negotiation>>, StoreFailure> {
        Ok(self.store.negotiation(task, kind)?.map(Arc::new))
    }

    /// A task as decided: an open one from memory, an ended one perhaps from the store.
    pub(crate) fn task(&self, work: &Work, id: &TaskId) -> Result<Option<Arc<Task>>, StoreFailure> {
        match work.task(id) {
            Some(task) => Ok(Some(Arc::clone(task))),
            None => self.committed_task(id),
        }
    }

    /// A negotiation as decided, likewise.
    pub(crate) fn negotiation(
        &self,
        work: &Work,
        task: &TaskId,
        kind: Kind,
    ) -> Result<Option<Arc<Negotiation>>, StoreFailure> {
        match work.negotiation(task, kind) {
            Some(negotiation) => Ok(Some(Arc::clone(negotiation))),
            None => self.stored_negotiation(task, kind),
        }
    }
}

/// A task as committed: from memory, else from the store.
pub(crate) fn committed_task(
    store: &Store,
    view: &View,
    id: &TaskId,
) -> Result<Option<Arc<Task>>, StoreFailure> {
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
