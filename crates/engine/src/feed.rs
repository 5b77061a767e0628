//! The log as subscribers follow it: a cursor, and what stands after it.
//!
//! Replay and live reading are the same loop with different start cursors: the newest entries are
//! kept in memory, older ones come from the store. Nothing is pushed; a subscriber that is slow
//! is merely behind, and delays nobody. What an agent's own endpoint tells is a stream of its own
//! ([`of_agent`]), so that who follows one agent is not woken by all the others. Read next:
//! `bindings`, which encodes entries.

mod of_agent;
pub mod stream;

pub(crate) use of_agent::FeedOfAgent;

use crate::Engine;
use crate::commit::observer::CommitObserver;
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use of_agent::Tellers;
use std::collections::VecDeque;
use std::sync::{Arc, RwLock};
use store::{Committed, Most, ReadError, Store};
use tokio::sync::watch;

/// How many of the newest entries are kept in memory.
const RECENT: usize = 4_096;

/// How many [bytes](Entry::bytes) they may say beside the newest.
const RECENT_BYTES: usize = 4 << 20;

/// How many bytes, as they are stored, one look at older ones takes up, but one entry in any case.
const LOOK_BYTES: u64 = 1 << 20;

/// The newest entries and the place of the last: what the writer fills after each commit. It owns
/// no store, since the store owns it.
pub(crate) struct Recent {
    memory: RwLock<Memory>,
    last: watch::Sender<Sequence>,
    began: RwLock<Option<Timestamp>>,
}

#[derive(Default)]
struct Memory {
    entries: VecDeque<Arc<Entry>>,
    /// How many bytes they say.
    bytes: usize,
    /// The same by the agent at whose endpoint they are told.
    tellers: Tellers,
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
    fn begin(&self, began: Option<Timestamp>, last: Sequence) -> bool {
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

/// The feed.
pub struct Feed {
    recent: Arc<Recent>,
    store: Store,
}

impl Feed {
    pub(crate) fn new(
        recent: Arc<Recent>,
        store: Store,
        last: Sequence,
        began: Option<Timestamp>,
    ) -> Self {
        *recent.began.write().expect("no writer panics") = began;
        recent.last.send_replace(last);
        let mut memory = recent.memory.write().expect("no writer panics");
        memory.tellers.begin_after(last);
        drop(memory);
        Self { recent, store }
    }

    /// The place of the last committed entry; 0 while there is none.
    pub fn last(&self) -> Sequence {
        *self.recent.last.borrow()
    }

    /// A watch of the last committed place, to wait for more.
    pub fn watch(&self) -> watch::Receiver<Sequence> {
        self.recent.last.subscribe()
    }

    /// When the log begins; none while it is empty.
    pub fn began(&self) -> Option<Timestamp> {
        *self.recent.began.read().expect("no writer panics")
    }

    /// The beginning of the log may have been cut off.
    ///
    /// # Errors
    /// [`ReadError`] if the store cannot be read.
    pub(crate) fn was_cut(&self) -> Result<(), ReadError> {
        loop {
            let last = self.last();
            if self.recent.begin(self.store.log_began()?, last) {
                return Ok(());
            }
        }
    }

    /// Up to `limit` entries after the cursor, in order and without a gap: fewer where older ones are
    /// long, none only at the end.
    ///
    /// # Errors
    /// [`ReadError`] if older entries cannot be read from the store.
    pub fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Arc<Entry>>, ReadError> {
        if cursor >= self.last() {
            return Ok(Vec::new());
        }
        {
            let memory = self.recent.memory.read().expect("no writer panics");
            let recent = &memory.entries;
            if let Some(first) = recent.front().map(|e| e.sequence)
                && cursor + 1 >= first
            {
                let skip = (cursor + 1 - first) as usize;
                return Ok(recent.iter().skip(skip).take(limit).cloned().collect());
            }
        }
        let most = Most {
            rows: limit,
            bytes: LOOK_BYTES,
        };
        self.store.entries_within(cursor, most)
    }

    /// The cursor from which a replay that starts at `time` follows the log.
    ///
    /// # Errors
    /// [`ReadError`] if the store cannot be read.
    pub fn cursor_at(&self, time: Timestamp) -> Result<Sequence, ReadError> {
        self.store.sequence_at(time)
    }
}

impl Engine {
    /// The log, for subscribers.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// The place of the last committed entry of the log.
    pub fn last_sequence(&self) -> Sequence {
        self.feed.last()
    }
}
