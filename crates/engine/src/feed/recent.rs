//! The newest entries of the log, in memory: what the writer of the store fills after each commit.
//!
//! Bounded in number and in bytes. Read next: [`super::tellers`], the same by the agent that tells them;
//! [`crate::feed`], which reads them.

use super::tellers::Tellers;
use crate::commit::observer::CommitObserver;
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use std::collections::VecDeque;
use std::sync::{Arc, RwLock};
use store::Committed;
use tokio::sync::watch;

/// How many of the newest entries are kept in memory.
pub(super) const RECENT: usize = 4_096;

/// How many [bytes](Entry::bytes) they may say beside the newest.
pub(super) const RECENT_BYTES: usize = 4 << 20;

/// The newest entries and the place of the last: what the writer fills after each commit. It owns
/// no store, since the store owns it.
pub(crate) struct Recent {
    pub(super) memory: RwLock<Memory>,
    pub(super) last: watch::Sender<Sequence>,
    pub(super) began: RwLock<Option<Timestamp>>,
}

/// The newest entries.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) entries: VecDeque<Arc<Entry>>,
    /// How many bytes they say.
    pub(super) bytes: usize,
    /// The same by the agent at whose endpoint they are told.
    pub(super) tellers: Tellers,
}

impl Memory {
    /// Room for one more.
    fn make_room(&mut self) {
        while (self.entries.len() == RECENT || self.bytes > RECENT_BYTES)
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= oldest.bytes();
            self.tellers.forget(&oldest);
        }
    }
}

impl Default for Recent {
    fn default() -> Self {
        Self {
            memory: RwLock::default(),
            last: watch::Sender::new(0),
            began: RwLock::default(),
        }
    }
}

impl CommitObserver for Recent {
    fn on_commit(&self, committed: &[Committed]) {
        self.push(committed.iter().flat_map(|c| c.entries.iter().cloned()));
    }
}

impl Recent {
    pub(crate) fn push(&self, entries: impl Iterator<Item = Arc<Entry>>) {
        let memory = &mut *self.memory.write().expect("no writer panics");
        for entry in entries {
            memory.make_room();
            memory.bytes += entry.bytes();
            memory.tellers.take(&entry);
            memory.entries.push_back(entry);
        }
        memory.tellers.tell();
        let recent = &memory.entries;
        if let Some(newest) = recent.back() {
            let mut began = self.began.write().expect("no writer panics");
            began.get_or_insert(recent.front().map_or(newest.time, |e| e.time));
            let newest = newest.sequence;
            self.last
                .send_if_modified(|last| std::mem::replace(last, newest) != newest);
        }
    }

    /// The log begins there now, or holds nothing of what stood up to `last`; false if more has
    /// come since, so that it may begin with that.
    pub(super) fn begin(&self, began: Option<Timestamp>, last: Sequence) -> bool {
        let mut memory = self.memory.write().expect("no writer panics");
        if began.is_none() {
            if *self.last.borrow() != last {
                return false;
            }
            memory.entries.clear();
            memory.bytes = 0;
            memory.tellers.clear();
        }
        *self.began.write().expect("no writer panics") = began;
        true
    }
}
