//! How many tasks and proposals each publisher has that have not ended.
//!
//! Kept beside what is decided, so that the count is exact before anything is on disk. Read next:
//! [`crate::work`], [`crate::quota`].

use domain::negotiation::{Kind, Negotiation};
use domain::task::Task;
use std::collections::HashMap;

/// Publishers of what is open; none of those who have nothing open.
#[derive(Default)]
pub(crate) struct Publishers(HashMap<String, usize>);

impl Publishers {
    pub(crate) fn open_by(&self, publisher: &str) -> usize {
        self.0.get(publisher).copied().unwrap_or(0)
    }

    pub(crate) fn put_task(&mut self, task: &Task) {
        if !task.status.is_terminal() {
            self.more(&task.from);
        }
    }

    pub(crate) fn remove_task(&mut self, task: &Task) {
        if !task.status.is_terminal() {
            self.fewer(&task.from);
        }
    }

    /// A negotiation about a task counts with the task; a proposal has none yet.
    pub(crate) fn put_negotiation(&mut self, negotiation: &Negotiation) {
        if is_proposal(negotiation) {
            self.more(&negotiation.publisher);
        }
    }

    pub(crate) fn remove_negotiation(&mut self, negotiation: &Negotiation) {
        if is_proposal(negotiation) {
            self.fewer(&negotiation.publisher);
        }
    }

    fn more(&mut self, publisher: &str) {
        match self.0.get_mut(publisher) {
            Some(open) => *open += 1,
            None => drop(self.0.insert(publisher.to_owned(), 1)),
        }
    }

    fn fewer(&mut self, publisher: &str) {
        if let Some(open) = self.0.get_mut(publisher) {
            *open -= 1;
            if *open == 0 {
                self.0.remove(publisher);
            }
        }
    }
}

fn is_proposal(negotiation: &Negotiation) -> bool {
    negotiation.kind == Kind::Feasibility && negotiation.is_open()
}
