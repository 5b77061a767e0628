//! What a subscriber follows: an ordered stream of events with a cursor.
//!
//! There is the log ([`crate::Feed`]), and one stream for each management system ([`crate::network::ems`]), which is
//! in memory and reaches back as far as its ring. Replay and live reading are the same loop on all of
//! them. Read next: `bindings`, which encodes events.

use domain::ems::Told;
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use std::sync::Arc;
use store::ReadError;
use tokio::sync::watch;

/// Something that a stream tells.
#[derive(Clone, Debug)]
pub enum Event {
    /// An entry of the log.
    Logged(Arc<Entry>),
    /// What a management system tells.
    Reported(Told),
}

impl Event {
    /// Its place in the stream.
    pub fn sequence(&self) -> Sequence {
        match self {
            Self::Logged(entry) => entry.sequence,
            Self::Reported(report) => report.sequence,
        }
    }

    /// When it happened, or arrived.
    pub fn time(&self) -> Timestamp {
        match self {
            Self::Logged(entry) => entry.time,
            Self::Reported(report) => report.time,
        }
    }
}

/// Why a stream cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What stands after the cursor has been let go of.
    #[error("the subscriber is so far behind that events were let go of")]
    Forgotten,
}

/// A stream of events.
pub trait Stream: Send + Sync {
    /// The place of the last event; 0 while there is none.
    fn last(&self) -> Sequence;

    /// A watch of the last place, to wait for more.
    fn watch(&self) -> watch::Receiver<Sequence>;

    /// When the stream begins, as far back as it reaches; none while it is empty.
    fn began(&self) -> Option<Timestamp>;

    /// Up to `limit` events after the cursor, in order and without a gap: fewer where older ones are
    /// long, none only at the end.
    ///
    /// # Errors
    /// [`StreamError`]
    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Event>, StreamError>;

    /// How many events stand after the cursor, as far as that is known without reading them.
    fn behind(&self, cursor: Sequence) -> u64 {
        self.last().saturating_sub(cursor)
    }

    /// The cursor from which a replay that starts at `time` follows the stream.
    ///
    /// # Errors
    /// [`ReadError`] if the store cannot be read.
    fn cursor_at(&self, time: Timestamp) -> Result<Sequence, ReadError>;
}
