//! The limit on the cost of reading a whole state that is not trusted yet.
//!
//! A forged file may refer to one page from many places: a few pages, each referred to a hundred
//! times by the one above, are ten thousand million rows in half a megabyte. So the steps of SQLite
//! are counted, and a query that takes more of them than any state of that size needs is
//! interrupted. Read next: [`crate::open`], [`crate::verify`].

use crate::failure::SqlFailure;
use crate::read::ReadError;
use crate::row::RowError;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The reason given for a state whose reading was interrupted.
pub(crate) const ENDLESS: &str =
    "reading takes more steps than its size can explain: pages stand in more than one place";

/// The steps allowed for an empty state, and for each byte; a walk over everything takes one or two
/// a byte.
const STEPS: u64 = 2_000_000;
const STEPS_A_BYTE: u64 = 16;
/// The size of the shortest possible row, in bytes.
const ROW_BYTES: u64 = 32;
/// The number of steps between two checks.
const LOOKED: u64 = 10_000;

/// Counts the steps of a connection, until the limit is lifted.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The size of the state; none for one in memory, which nobody else can write.
    bytes: Option<u64>,
    spent: Arc<AtomicBool>,
}

impl Budget {
    /// No limit: the pages of a server are written by nobody but itself.
    pub(crate) fn none() -> Self {
        Self {
            bytes: None,
            spent: Arc::default(),
        }
    }

    /// Sets the limit for the file that a connection reads, by its size.
    ///
    /// # Errors
    /// SQLite's, if steps cannot be counted.
    pub(crate) fn set(connection: &mut Connection) -> Result<Self, SqlFailure> {
        let file = connection.path().filter(|path| !path.is_empty());
        let bytes = file.map(|path| stored(Path::new(path)));
        let spent = Arc::new(AtomicBool::new(false));
        if let Some(bytes) = bytes {
            let most = STEPS.saturating_add(bytes.saturating_mul(STEPS_A_BYTE));
            let (mut looks, spent) = (0u64, Arc::clone(&spent));
            let step = move || {
                looks += 1;
                let is_spent = looks * LOOKED > most;
                spent.fetch_or(is_spent, Relaxed);
                is_spent
            };
            connection.progress_handler(LOOKED as i32, Some(step))?;
        }
        Ok(Self { bytes, spent })
    }

    /// Lifts the limit: the connection may take any number of steps from now on.
    ///
    /// # Errors
    /// SQLite's, if it goes on counting.
    pub(crate) fn lift(&self, connection: &mut Connection) -> Result<(), SqlFailure> {
        Ok(connection.progress_handler(0, None::<fn() -> bool>)?)
    }

    /// The most rows that a table can have.
    pub(crate) fn rows(&self) -> usize {
        let bytes = self.bytes.unwrap_or(u64::MAX);
        usize::try_from(bytes / ROW_BYTES).unwrap_or(usize::MAX)
    }

    /// The outcome of reading, or the error that it took too many steps.
    pub(crate) fn outcome<T, E: From<RowError>>(&self, read: Result<T, E>) -> Result<T, E> {
        match self.spent.load(Relaxed) {
            true => Err(RowError::corrupt("sqlite", ENDLESS).into()),
            false => read,
        }
    }
}

/// True if the error says that reading took too many steps.
pub(crate) fn is_endless(error: &ReadError) -> bool {
    matches!(error, ReadError::Corrupt { table, key } if table == "sqlite" && key == ENDLESS)
}

/// The bytes on disk of the file and its write-ahead log; holes do not count, as they cost nothing
/// to make.
fn stored(path: &Path) -> u64 {
    let mut ahead = path.as_os_str().to_owned();
    ahead.push("-wal");
    let of = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let on_disk = std::os::unix::fs::MetadataExt::blocks(&metadata) * 512;
        #[cfg(not(unix))]
        let on_disk = u64::MAX;
        Some(metadata.len().min(on_disk))
    };
    of(path).unwrap_or(0) + of(Path::new(&ahead)).unwrap_or(0)
}
