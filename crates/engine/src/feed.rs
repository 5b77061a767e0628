//! The log as subscribers follow it: a cursor, and what stands after it.
//!
//! Replay and live reading are the same loop with different start cursors: the newest entries are
//! kept in memory ([`recent`]; `tellers`, whose tasks they tell of), older ones come from the store. Nothing is pushed; a subscriber that
//! is slow is merely behind, and delays nobody. What an agent's own endpoint tells is a stream of its own
//! ([`of_agent`]), so that who follows one agent is not woken by all the others. Read next:
//! `bindings`, which encodes entries.

pub(crate) mod of_agent;
pub(crate) mod recent;
pub mod stream;
mod tellers;

use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use recent::Recent;
use std::sync::Arc;
use store::{Most, ReadError, Store};
use stream::{Event, Stream, StreamError};
use tokio::sync::watch;

/// How many bytes, as they are stored, one look at older ones takes up, but one entry in any case.
const LOOK_BYTES: u64 = 1 << 20;

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

impl Stream for Feed {
    fn last(&self) -> Sequence {
        Feed::last(self)
    }

    fn watch(&self) -> watch::Receiver<Sequence> {
        Feed::watch(self)
    }

    fn began(&self) -> Option<Timestamp> {
        Feed::began(self)
    }

    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Event>, StreamError> {
        let entries = Feed::after(self, cursor, limit)?;
        Ok(entries.into_iter().map(Event::Logged).collect())
    }

    fn cursor_at(&self, time: Timestamp) -> Result<Sequence, ReadError> {
        Feed::cursor_at(self, time)
    }
}
