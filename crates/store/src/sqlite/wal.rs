//! Checkpointing the write-ahead log into the file, without delaying the writer.
//!
//! A thread of its own does it whenever the log has grown, while commits go on; once it is quiet,
//! it empties the log, so that a state that is killed then has none to recover. A log that is never
//! quiet is never restarted, so when it has grown far the writer helps: the log to recover after a
//! kill is bounded. Durability is not affected: a page is safe in the log until it is safe in the
//! file. Read next: `writer`.

use crate::open::{OpenError, Options};
use rusqlite::{Connection, Row};
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The number of 4 KiB pages in the log from which the thread works: 16 MiB.
const GROWN: i32 = 4_096;
/// The number of pages in the log from which the writer helps: 256 MiB.
const GROWN_FAR: i32 = 65_536;
/// The time without growth after which the log is emptied.
const QUIET: Duration = Duration::from_secs(1);

/// The length of the write-ahead log, and the turn to move it.
#[derive(Clone, Default)]
struct LogLength(Arc<Shared>);

#[derive(Default)]
struct Shared {
    pages: AtomicI32,
    /// The turn: SQLite lets one connection at a time move pages, and returns to the others at
    /// once.
    turn: Mutex<()>,
}

impl LogLength {
    fn is_far(&self) -> bool {
        self.0.pages.load(Relaxed) >= GROWN_FAR
    }

    /// Moves pages. A failure loses nothing: the pages stay in the log for the next attempt.
    fn move_pages(&self, connection: &Connection) {
        let _turn = self.0.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(cause) = moved {
            tracing::warn!(
                error = &cause as &dyn std::error::Error,
                "the write-ahead log could not be moved into the file"
            );
        }
    }
}

/// The log, and the thread that moves it.
pub(crate) struct Log {
    length: LogLength,
    thread: JoinHandle<()>,
}

impl Log {
    /// Starts the thread, for the log that `writer` writes.
    pub(crate) fn start(
        path: &Path,
        writer: &mut Connection,
        options: &Options,
    ) -> Result<Self, OpenError> {
        let connection = Connection::open(path)?;
        // Emptying the log blocks commits, so it never waits for the lock.
        connection.busy_timeout(Duration::ZERO)?;
        connection.pragma_update(None, "synchronous", options.synchronous())?;
        let length = LogLength::default();
        let (grown, work) = sync_channel(1);
        let noted = length.clone();
        writer.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            noted.0.pages.store(pages, Relaxed);
            if pages >= GROWN {
                // Full means that it is about to work anyway.
                let _ = grown.try_send(());
            }
            Ok(())
        }))?;
        let seen = length.clone();
        let thread = thread::Builder::new()
            .name("store-wal".to_owned())
            .spawn(move || run(&connection, &work, &seen))
            .map_err(OpenError::Thread)?;
        Ok(Self { length, thread })
    }

    /// Lets the writer empty a log that has grown far; it restarts with the next commit.
    pub(crate) fn bound(&self, writer: &Connection) {
        if self.length.is_far() {
            self.length.move_pages(writer);
            self.length.0.pages.store(0, Relaxed);
        }
    }

    /// Ends the thread, closes its connection and empties the log. Two connections that close at
    /// once would each leave that to the other.
    pub(crate) fn end(self, writer: &mut Connection) {
        let unhooked = writer.wal_hook(None::<fn(&mut rusqlite::hooks::Wal, i32) -> _>);
        if unhooked.is_ok() {
            let _ = self.thread.join();
            // Best effort: closing the last connection does the same.
            is_emptied(writer);
        }
    }
}

fn run(connection: &Connection, work: &Receiver<()>, length: &LogLength) {
    let mut moved = false;
    loop {
        let next = match moved {
            true => work.recv_timeout(QUIET),
            false => work.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            // The writer waits for its turn, or is about to.
            Ok(()) if length.is_far() => {}
            Ok(()) => {
                length.move_pages(connection);
                moved = true;
            }
            Err(RecvTimeoutError::Timeout) => {
                // Moved and synced beside commits: emptying holds them up, but finds nothing left to sync.
                length.move_pages(connection);
                moved = !is_emptied(connection);
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Moves the rest of the log and truncates it; false if a reader or writer prevents it.
fn is_emptied(connection: &Connection) -> bool {
    let busy = |row: &Row<'_>| row.get::<_, i64>(0);
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy);
    matches!(busy, Ok(0))
}
