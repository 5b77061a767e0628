//! What the writer knows to stand, so that it need not look it up: rows that it wrote lately, and that are to change.
//!
//! Bounded, and never trusted blindly: each statement that replaces a row asks for the digest that was known,
//! and meets nothing where that is another. What is not known is looked up, so all of it is forgotten with a
//! transaction that failed, and after a job, which changes rows elsewhere. Read next: `transaction`.

use crate::row::replaceable::Replaceable;
use crate::row::standing::{Name, Standing};
use crate::row::task::Stored;
use domain::task::{Task, TaskId};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// The most tasks that are known, and the most of all other rows together: the last so many, and at least half as many;
/// 200 to 300 bytes each.
const MOST: usize = 32_768;

/// Rows that were written lately and are to change: open tasks, questions without an answer, data on their way,
/// open negotiations, teams, documents.
#[derive(Default)]
pub(crate) struct Known {
    tasks: Lately<String, Stored>,
    rows: Lately<Name, Standing>,
    /// How often something was known, and how often it was looked up.
    pub(crate) hits: u64,
    pub(crate) misses: u64,
}

impl Known {
    /// The task as it stands.
    pub(crate) fn task(&mut self, id: &TaskId) -> Option<Stored> {
        let known = self.tasks.get(id.as_str()).cloned();
        self.hits += u64::from(known.is_some());
        known
    }

    pub(crate) fn has_task(&self, id: &TaskId) -> bool {
        self.tasks.get(id.as_str()).is_some()
    }

    /// Notes a task as it was written. One that has ended never changes again.
    pub(crate) fn note_task(&mut self, task: &Task, standing: Standing) {
        let stored = Stored {
            version: task.version,
            status: task.status,
            standing,
        };
        match task.status.is_terminal() {
            true => drop(self.tasks.take(task.id.as_str())),
            false => self.tasks.note(task.id.as_str().to_owned(), stored),
        }
    }

    /// The row as it stands; whoever takes it writes it, and notes it again.
    pub(crate) fn take(&mut self, name: &Name) -> Option<Standing> {
        let known = self.rows.take(name);
        self.hits += u64::from(known.is_some());
        known
    }

    pub(crate) fn get(&self, name: &Name) -> Option<&Standing> {
        self.rows.get(name)
    }

    pub(crate) fn has(&self, value: &impl Replaceable) -> bool {
        value.name().is_some_and(|name| self.get(&name).is_some())
    }

    /// Notes a row as it was written.
    pub(crate) fn note(&mut self, name: Name, standing: Standing) {
        self.rows.note(name, standing);
    }

    pub(crate) fn forget(&mut self) {
        self.tasks = Lately::default();
        self.rows = Lately::default();
    }
}

/// Values that were noted lately: when the younger half is full, the older is dropped.
struct Lately<K, V> {
    younger: HashMap<K, V>,
    older: HashMap<K, V>,
}

impl<K, V> Default for Lately<K, V> {
    fn default() -> Self {
        Self {
            younger: HashMap::new(),
            older: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash, V> Lately<K, V> {
    fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.younger.get(key).or_else(|| self.older.get(key))
    }

    /// Takes the value out of both halves.
    fn take<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let older = self.older.remove(key);
        self.younger.remove(key).or(older)
    }

    fn note(&mut self, key: K, value: V) {
        if self.younger.len() >= MOST / 2 {
            self.older = std::mem::take(&mut self.younger);
        }
        self.younger.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_are_known_and_no_more_than_there_is_room_for() {
        let mut lately = Lately::default();
        for n in 0..3 * MOST {
            lately.note(n, n);
        }
        let known = (0..3 * MOST).filter(|n| lately.get(n).is_some()).count();
        assert!((MOST / 2..=MOST).contains(&known), "{known}");
        for n in 3 * MOST - MOST / 2..3 * MOST {
            assert_eq!(lately.take(&n), Some(n));
            assert_eq!(lately.get(&n), None);
        }
    }

    #[test]
    fn what_was_noted_last_is_what_stands() {
        let mut lately = Lately::default();
        lately.note(0, "once");
        for n in 1..=MOST / 2 {
            lately.note(n, "other");
        }
        lately.note(0, "again");
        assert_eq!(lately.get(&0), Some(&"again"));
        assert_eq!(lately.take(&0), Some("again"));
        assert_eq!(lately.take(&0), None);
    }
}
