//! What is asked of SQLite beside statements: its pages, its file and what it remembers.
//!
//! Read next: [`super::session`].

use super::session::Session;
use crate::failure::SqlFailure;
use rusqlite::{Connection, OptionalExtension as _};

/// The data entry that the conditions of a task name; the releases before encryption wrote it into
/// the conditions alone.
pub(crate) const GIVEN: &str = "CASE WHEN given IS NULL AND cipher IS NULL
    THEN json_extract(conditions, '$.data') ELSE given END";

impl Session<'_> {
    /// Overwrites what is deleted or replaced from now on, or leaves it in free space.
    pub(crate) fn overwrite(self, on: bool) -> Result<(), SqlFailure> {
        Ok(self.0.pragma_update(None, "secure_delete", on)?)
    }

    /// Empties the write-ahead log. Best effort: with a reader in the way the pages go when the log
    /// begins anew.
    pub(crate) fn sweep(self) {
        let _ = self
            .0
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Writes the whole file anew, without its free space.
    pub(crate) fn compact(self) -> Result<(), SqlFailure> {
        // A copy of everything passes through: not through memory.
        self.0.pragma_update(None, "temp_store", "FILE")?;
        let compacted = self.0.execute_batch("VACUUM");
        self.0.pragma_update(None, "temp_store", "MEMORY")?;
        compacted?;
        self.sweep();
        Ok(())
    }

    /// The bytes of the file that are in use.
    pub(crate) fn used_bytes(self) -> Result<u64, SqlFailure> {
        let pragma = |name: &str| {
            self.0
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        let pages = pragma("page_count")? - pragma("freelist_count")?;
        Ok((pages * pragma("page_size")?) as u64)
    }

    /// The last number given to an observation, 0 before the first. It is in a table of SQLite that no
    /// code covers.
    pub(crate) fn last_observation(self) -> Result<i64, SqlFailure> {
        let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence";
        Ok(self.0.query_row(sql, [], |row| row.get(0))?)
    }

    /// Goes on from this number, as if it had been given.
    pub(crate) fn continue_observations(self, number: i64) -> Result<(), SqlFailure> {
        self.0.execute("DELETE FROM sqlite_sequence", [])?;
        if number > 0 {
            let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES ('observation', ?1)";
            self.0.execute(sql, [number])?;
        }
        Ok(())
    }

    /// A task whose data entry stands in its conditions alone.
    pub(crate) fn ungiven(self) -> Result<Option<String>, SqlFailure> {
        let sql = "SELECT id FROM task WHERE given IS NULL AND cipher IS NULL
            AND json_extract(conditions, '$.data') IS NOT NULL LIMIT 1";
        let found = self.0.query_row(sql, [], |row| row.get(0));
        Ok(found.optional()?)
    }

    /// The fault of the pages, if one is found without a look at the indexes.
    pub(crate) fn quick_fault(self) -> Result<Option<String>, SqlFailure> {
        first_fault(self.0, "PRAGMA quick_check(1)")
    }

    /// The fault of the indexes of a table, if there is one.
    pub(crate) fn fault_of(self, table: &str) -> Result<Option<String>, SqlFailure> {
        first_fault(self.0, &format!("PRAGMA integrity_check({table})"))
    }

    /// The faults of all pages and indexes.
    pub(crate) fn faults(self) -> Result<Vec<String>, SqlFailure> {
        let mut statement = self.0.prepare("PRAGMA integrity_check")?;
        let found = statement.query_map([], |row| row.get(0))?;
        let mut found = found.collect::<Result<Vec<String>, _>>()?;
        found.retain(|fault| fault != "ok");
        Ok(found)
    }
}

fn first_fault(connection: &Connection, check: &str) -> Result<Option<String>, SqlFailure> {
    let found: String = connection.query_row(check, [], |row| row.get(0))?;
    Ok((found != "ok").then_some(found))
}
