//! How many tasks and proposals each publisher has that have not ended, and how much they say.
//!
//! Kept beside what is decided, so that the count is exact before anything is on disk. Read next:
//! [`crate::work`], [`crate::quota`].

use domain::negotiation::{Kind, Negotiation};
use domain::task::Task;
use std::collections::HashMap;

/// What one publisher has that has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// How many tasks and proposals.
    pub(crate) number: usize,
    /// How many bytes they say.
    pub(crate) bytes: usize,
}

/// Publishers of what is open; none of those who have nothing open.
#[derive(Default)]
pub(crate) struct Publishers(HashMap<String, Open>);

impl Publishers {
    pub(crate) fn open_by(&self, publisher: &str) -> Open {
        self.0.get(publisher).copied().unwrap_or_default()
    }

    pub(crate) fn put_task(&mut self, task: &Task) {
        if !task.status.is_terminal() {
            self.more(&task.from, task.bytes());
        }
    }

    pub(crate) fn remove_task(&mut self, task: &Task) {
        if !task.status.is_terminal() {
            self.fewer(&task.from, task.bytes());
        }
    }

    /// A negotiation about a task counts with the task; a proposal has none yet.
    pub(crate) fn put_negotiation(&mut self, negotiation: &Negotiation) {
        if is_proposal(negotiation) {
            self.more(&negotiation.publisher, negotiation.bytes());
        }
    }

    pub(crate) fn remove_negotiation(&mut self, negotiation: &Negotiation) {
        if is_proposal(negotiation) {
            self.fewer(&negotiation.publisher, negotiation.bytes());
        }
    }

    fn more(&mut self, publisher: &str, bytes: usize) {
        let open = match self.0.get_mut(publisher) {
            Some(open) => open,
            None => self.0.entry(publisher.to_owned()).or_default(),
        };
        open.number += 1;
        open.bytes += bytes;
    }

    fn fewer(&mut self, publisher: &str, bytes: usize) {
        if let Some(open) = self.0.get_mut(publisher) {
            open.number -= 1;
            open.bytes -= bytes;
            if open.number == 0 {
                self.0.remove(publisher);
            }
        }
    }
}

fn is_proposal(negotiation: &Negotiation) -> bool {
    negotiation.kind == Kind::Feasibility && negotiation.is_open()
}
