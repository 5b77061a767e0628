//! How many tasks and proposals each publisher has that have not ended, and how much they say.
//!
//! Kept beside what is decided, of all shards, so that the count is exact before anything is on disk. Read next:
//! [`crate::tasks::work`], [`crate::accounts::quota`].

use domain::negotiation::{Kind, Negotiation};
use domain::task::Task;
use std::collections::HashMap;
use std::sync::Mutex;

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
pub(crate) struct Publishers {
    open: HashMap<String, Open>,
    /// For how many more there is room that was promised.
    promised: HashMap<String, usize>,
}

/// Room for one more task or proposal of a publisher, for as long as this is kept: whoever has it counts among
/// what is open before anything is.
#[must_use = "what is not kept is given back"]
pub(crate) struct Publishing<'p> {
    publishers: &'p Mutex<Publishers>,
    publisher: String,
}

impl<'p> Publishing<'p> {
    /// Promises room if there is some, by what is open and promised.
    pub(crate) fn if_room(
        publishers: &'p Mutex<Publishers>,
        publisher: &str,
        has_room: impl FnOnce(Open) -> bool,
    ) -> Result<Self, Open> {
        let mut counted = publishers.lock().expect("no holder panics");
        let mut open = counted.open_by(publisher);
        open.number += counted.promised.get(publisher).copied().unwrap_or(0);
        if !has_room(open) {
            return Err(open);
        }
        *counted.promised.entry(publisher.to_owned()).or_default() += 1;
        drop(counted);
        Ok(Self {
            publishers,
            publisher: publisher.to_owned(),
        })
    }
}

impl Drop for Publishing<'_> {
    fn drop(&mut self) {
        let mut counted = self.publishers.lock().expect("no holder panics");
        if let Some(promised) = counted.promised.get_mut(&self.publisher) {
            *promised -= 1;
            if *promised == 0 {
                counted.promised.remove(&self.publisher);
            }
        }
    }
}

impl Publishers {
    pub(crate) fn open_by(&self, publisher: &str) -> Open {
        self.open.get(publisher).copied().unwrap_or_default()
    }

    pub(crate) fn put_task(&mut self, task: &Task) {
        self.more(&task.from, of_task(task));
    }

    pub(crate) fn remove_task(&mut self, task: &Task) {
        self.fewer(&task.from, of_task(task));
    }

    pub(crate) fn put_negotiation(&mut self, negotiation: &Negotiation) {
        self.more(&negotiation.publisher, of_negotiation(negotiation));
    }

    pub(crate) fn remove_negotiation(&mut self, negotiation: &Negotiation) {
        self.fewer(&negotiation.publisher, of_negotiation(negotiation));
    }

    fn more(&mut self, publisher: &str, more: Open) {
        if more == Open::default() {
            return;
        }
        let open = match self.open.get_mut(publisher) {
            Some(open) => open,
            None => self.open.entry(publisher.to_owned()).or_default(),
        };
        open.number += more.number;
        open.bytes += more.bytes;
    }

    fn fewer(&mut self, publisher: &str, fewer: Open) {
        if let Some(open) = self.open.get_mut(publisher) {
            open.number -= fewer.number;
            open.bytes -= fewer.bytes;
            if *open == Open::default() {
                self.open.remove(publisher);
            }
        }
    }
}

fn of_task(task: &Task) -> Open {
    match task.status.is_terminal() {
        true => Open::default(),
        false => Open {
            number: 1,
            bytes: task.bytes(),
        },
    }
}

/// A negotiation about a task is counted with the task, and takes room until that has ended; a proposal
/// has none yet.
fn of_negotiation(negotiation: &Negotiation) -> Open {
    let is_proposal = negotiation.kind == Kind::Feasibility;
    match is_proposal && !negotiation.is_open() {
        true => Open::default(),
        false => Open {
            number: usize::from(is_proposal),
            bytes: negotiation.bytes(),
        },
    }
}
