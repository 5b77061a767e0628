//! Where what is decided lives: on which of the 64 shards, and in which of those that decide, each by itself.
//!
//! An identifier has a home: what stands before its first `/` is hashed into one of 4,096 slots, and each
//! shard has as many of them. A task lives at its home, but a part lives with its whole, whatever it is called; a
//! part that is called otherwise is noted here while it is in memory. What is said before there is a task, and a
//! team, live at their home for ever. The store has 64 shards in any case; where fewer decide, each of these has
//! several whole ones of the store, so that their number is never stored. Read next: [`crate::tasks::work`],
//! [`crate::tasks::lookup`].

use domain::negotiation::Kind;
use domain::task::TaskId;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{RwLock, RwLockReadGuard};
use store::Shard;

/// How many slots there are, for ever.
const SLOTS: usize = 4_096;

/// How many shards may decide.
pub(crate) const MOST: usize = Shard::COUNT;

/// Where identifiers lead.
pub(crate) struct Placement {
    /// How many shards decide.
    shards: usize,
    /// Tasks in memory that live elsewhere than at home, and where.
    displaced: RwLock<HashMap<TaskId, Shard>>,
}

impl Placement {
    /// With so many shards that decide, from 1 to [`MOST`].
    pub(crate) fn over(shards: usize) -> Self {
        Self {
            shards: shards.clamp(1, MOST),
            displaced: RwLock::default(),
        }
    }

    /// How many shards decide.
    pub(crate) fn shards(&self) -> usize {
        self.shards
    }

    /// Which of those that decide has this one.
    fn decides(&self, shard: Shard) -> usize {
        usize::from(shard.number()) * self.shards / MOST
    }

    /// Which shard decides at the home of an identifier.
    pub(crate) fn home(&self, name: &str) -> usize {
        self.decides(home(name))
    }

    /// The shard on which a task lives, or would.
    pub(crate) fn shard_of(&self, task: &TaskId) -> Shard {
        let displaced = self.read().get(task).copied();
        displaced.unwrap_or_else(|| home(task.as_str()))
    }

    /// Which shard decides where a task lives, or would.
    pub(crate) fn of(&self, task: &TaskId) -> usize {
        self.decides(self.shard_of(task))
    }

    /// Which shards decide where a task lives and at its home, which are the same but for a part that is called
    /// otherwise than its whole.
    pub(crate) fn places(&self, task: &TaskId) -> [usize; 2] {
        let home = home(task.as_str());
        let displaced = self.read().get(task).copied();
        [displaced.unwrap_or(home), home].map(|shard| self.decides(shard))
    }

    /// Which shard decides where a negotiation lives, or would.
    pub(crate) fn of_negotiation(&self, task: &TaskId, kind: Kind) -> usize {
        match kind {
            Kind::Feasibility => self.home(task.as_str()),
            Kind::Fulfillment | Kind::Result => self.of(task),
        }
    }

    /// A task lives there, for as long as it is in memory. To be called by who holds what decides there and at the
    /// home of the task.
    pub(crate) fn place(&self, task: &TaskId, shard: Shard) {
        if shard != home(task.as_str()) {
            let mut displaced = self.displaced.write().expect("no writer panics");
            displaced.insert(task.clone(), shard);
        }
    }

    /// A task is in memory no more.
    pub(crate) fn forget(&self, task: &TaskId) {
        if self.read().contains_key(task) {
            let mut displaced = self.displaced.write().expect("no writer panics");
            displaced.remove(task);
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<TaskId, Shard>> {
        self.displaced.read().expect("no writer panics")
    }
}

/// The shard that is the home of an identifier.
pub(crate) fn home(name: &str) -> Shard {
    let shard = slot(name) / (SLOTS / MOST);
    let shard = u8::try_from(shard).ok().and_then(Shard::new);
    shard.expect("each slot is a shard's")
}

/// The slot of an identifier: the first 12 bits of the SHA-256 of what stands before its first `/`.
fn slot(name: &str) -> usize {
    let root = name.split('/').next().unwrap_or(name);
    let digest = Sha256::digest(root.as_bytes());
    usize::from(u16::from_be_bytes([digest[0], digest[1]]) >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_called_after_its_whole_has_the_same_home() {
        let placement = Placement::over(MOST);
        assert_eq!(placement.home("a"), placement.home("a/b/c"));
        assert_eq!(slot(""), 0xe3b, "the digest of nothing is e3b0…");
        let homes: std::collections::BTreeSet<usize> = (0..2_000)
            .map(|n| placement.home(&format!("t-{n}")))
            .collect();
        assert_eq!(homes, (0..MOST).collect(), "every shard has its share");
        let alone = Placement::over(1);
        assert_eq!((alone.home("a"), alone.home("b")), (0, 0));
    }

    #[test]
    fn a_task_that_lives_elsewhere_is_found_there_until_it_is_forgotten() {
        let placement = Placement::over(MOST);
        let task = TaskId::new("t");
        let home = placement.of(&task);
        let elsewhere = (home + 1) % MOST;
        let shard = Shard::all().nth(elsewhere).expect("there is one");
        placement.place(&task, shard);
        assert_eq!(placement.shard_of(&task), shard);
        assert_eq!(placement.of(&task), elsewhere);
        assert_eq!(placement.of_negotiation(&task, Kind::Result), elsewhere);
        assert_eq!(placement.of_negotiation(&task, Kind::Feasibility), home);
        placement.forget(&task);
        assert_eq!(placement.of(&task), home);
    }

    #[test]
    fn where_something_is_stored_does_not_depend_on_how_many_decide() {
        let task = TaskId::new("t");
        for many in 1..=MOST {
            let placement = Placement::over(many);
            assert_eq!(placement.shard_of(&task), home("t"));
            let deciding = Shard::all().map(|shard| placement.decides(shard));
            let deciding: Vec<usize> = deciding.collect();
            assert!(deciding.is_sorted(), "each has a range: {deciding:?}");
            let all: std::collections::BTreeSet<usize> = deciding.into_iter().collect();
            assert_eq!(all, (0..many).collect());
            // A part is stored with its whole, also where one shard decides about both.
            let elsewhere = Shard::all()
                .find(|shard| *shard != home("t"))
                .expect("there are more");
            placement.place(&task, elsewhere);
            assert_eq!(placement.shard_of(&task), elsewhere);
        }
    }
}
