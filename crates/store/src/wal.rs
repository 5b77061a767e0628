//! Moving the write-ahead log into the file, beside the writer and not in its way.
//!
//! A thread of its own does it whenever the log has grown, while commits go on. A log that is
//! never idle is never begun anew, so when it has grown far the writer lends a hand. Nothing here
//! touches what was promised: a page is safe in the log until it is safe in the file. Read next:
//! `writer`.

use crate::open::OpenError;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Pages of 4 KiB in the log from which the thread works: 16 MiB.
const GROWN: i32 = 4_096;
/// Pages in the log from which the writer lends a hand: 256 MiB.
const GROWN_FAR: i32 = 65_536;

/// How long the write-ahead log is.
#[derive(Clone, Default)]
pub(crate) struct LogLength(Arc<AtomicI32>);

impl LogLength {
    /// Lets the writer empty a log that has grown far; it begins anew with the next commit.
    pub(crate) fn bound(&self, writer: &Connection) {
        if self.0.load(Relaxed) >= GROWN_FAR {
            self.0.store(0, Relaxed);
            move_pages(writer);
        }
    }
}

/// Starts the thread; it ends when `writer` is closed.
pub(crate) fn start(
    path: &Path,
    writer: &mut Connection,
    synchronous: &str,
) -> Result<(LogLength, JoinHandle<()>), OpenError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    let length = LogLength::default();
    let (grown, work) = sync_channel(1);
    let noted = length.clone();
    writer.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
        noted.0.store(pages, Relaxed);
        if pages >= GROWN {
            // Full means that it is about to work anyway.
            let _ = grown.try_send(());
        }
        Ok(())
    }))?;
    let thread = thread::Builder::new()
        .name("store-wal".to_owned())
        .spawn(move || run(&connection, &work))
        .map_err(OpenError::Thread)?;
    Ok((length, thread))
}

fn run(connection: &Connection, work: &Receiver<()>) {
    while work.recv().is_ok() {
        move_pages(connection);
    }
}

/// A failure loses nothing: the pages stay in the log, and the next attempt finds them there.
fn move_pages(connection: &Connection) {
    let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(cause) = moved {
        tracing::warn!(
            error = &cause as &dyn std::error::Error,
            "the write-ahead log could not be moved into the file"
        );
    }
}
