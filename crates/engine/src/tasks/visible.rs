//! A committed task, and any record, for who may see it.
//!
//! Read next: [`crate::access`], which says who that is.

use crate::access::Sight;
use crate::{Engine, Refusal};
use domain::access::{Detail, Principal, Rows};
use domain::event::Sequence;
use domain::task::{Task, TaskId};
use std::sync::Arc;
use store::Keyed;

impl Engine {
    /// A task as committed, for who may be told of it whole.
    pub(crate) fn task_of(
        &self,
        who: &Principal,
        id: &TaskId,
    ) -> Result<Option<Arc<Task>>, Refusal> {
        self.visible_task(self.access.sight(who, Rows::Tasks, Detail::Whole), id)
    }

    /// A task as committed, for who sees it. One of others costs what none costs: it is not read.
    pub(crate) fn visible_task(
        &self,
        sight: Sight<'_>,
        id: &TaskId,
    ) -> Result<Option<Arc<Task>>, Refusal> {
        let here = self.tasks.view.tasks().find(id).cloned();
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
    pub(crate) fn is_visible(&self, sight: Sight<'_>, record: Keyed<'_>) -> Result<bool, Refusal> {
        if sight.is_of_all() || sight.is_of_none() {
            return Ok(sight.is_of_all());
        }
        let parties = self.store.parties(record)?;
        Ok(parties.is_some_and(|[one, other]| sight.shows(&one, &other)))
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
            let tasks = self.tasks.view.tasks();
            (tasks.find(id).cloned(), tasks.as_of())
        };
        let sight = self.access.sight(who, Rows::Tasks, Detail::Whole);
        let visible = match here {
            Some(task) => Some(task).filter(|task| sight.shows_task(task)),
            // It has ended: nothing happens to it any more.
            None => self.visible_task(sight, id)?,
        };
        Ok(visible.map(|task| (task, as_of)))
    }
}
