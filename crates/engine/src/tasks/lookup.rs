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

impl Engine {
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
