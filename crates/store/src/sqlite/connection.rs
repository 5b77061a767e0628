//! Connections to SQLite: the writer's, set up so that a commit is durable, and those of readers.
//!
//! Knows no table. Read next: [`super`].

use crate::failure::SqlFailure;
use crate::open::Options;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// The page cache of a connection in KiB: the writer's, and each reader's.
const WRITER_CACHE_KB: i64 = 65_536;
const READER_CACHE_KB: i64 = 8_192;

/// The time that a transaction waits for the lock of the file, which another program may hold.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// The connection of the writer to a file; to one in memory without.
pub(crate) fn writer(file: Option<&Path>, options: &Options) -> Result<Connection, SqlFailure> {
    let connection = match file {
        Some(path) => Connection::open(path)?,
        None => Connection::open_in_memory()?,
    };
    connection.busy_timeout(LOCK_WAIT)?;
    connection.set_prepared_statement_cache_capacity(128);
    let set = |name: &str, value: &dyn rusqlite::ToSql| {
        connection.pragma_update_and_check(None, name, value, |_| Ok(()))
    };
    if file.is_some() {
        set("journal_mode", &"WAL")?;
    }
    connection.pragma_update(None, "synchronous", options.synchronous())?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KB)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    set("journal_size_limit", &(64 << 20))?;
    if let Some(bytes) = options.size_max {
        let pages = i64::try_from(bytes / 4_096).unwrap_or(i64::MAX).max(1);
        set("max_page_count", &pages)?;
    }
    Ok(connection)
}

/// A connection to a new file that nobody else knows yet, and that is thrown away unless all of it is
/// written: nothing is kept in order to be taken back, and who closes it sees to the disk.
pub(crate) fn fresh(path: &Path) -> Result<Connection, SqlFailure> {
    let connection = Connection::open(path)?;
    connection.set_prepared_statement_cache_capacity(128);
    connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KB)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// A read-only connection.
pub(crate) fn reader(path: &Path) -> Result<Connection, SqlFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(LOCK_WAIT)?;
    // Not mapped into memory: a failing disk would be a signal, and each page that is not there
    // would be read with megabytes around it.
    // A plan holds whatever is bound: else a statement that the planner gave a thought to values of
    // is prepared anew each time it is used.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KB)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}
