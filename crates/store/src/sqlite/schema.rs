//! The version of a state in SQLite, and the way to the newest.
//!
//! `user_version` counts migrations; a state of a later release, or one of the format before the
//! first release, is refused; so is one with an object that no migration made: a foreign view,
//! trigger or index. Invariants that must hold independently of the code above are triggers: a
//! terminal state is never left, the log is only appended to, and only entries covered by a
//! checkpoint are removed. Read next: `migrations`, the tables; `strangers`, the check for foreign
//! objects; `row`.

mod migrations;
mod strangers;
mod views;

pub(crate) use strangers::strangers;

use crate::failure::SqlFailure;
use crate::open::OpenError;
use crate::schema::version::{self, NEWEST};
use migrations::MIGRATIONS;
use rusqlite::Connection;

/// "Cnvk": marks the file as a state of Convoke.
const APPLICATION: i32 = 0x436e_766b;

/// The `user_version` that the first migration leads to.
const FIRST_VERSION: i32 = 2;

const _: () = assert!(
    FIRST_VERSION - 1 + MIGRATIONS.len() as i32 == NEWEST,
    "the migrations lead to the newest version"
);

/// Checks that this is a state that this release can read. True if it may hold encrypted payloads.
pub(crate) fn recognise(connection: &Connection) -> Result<bool, OpenError> {
    let (found, application) = versions(connection)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    if application != APPLICATION && (found != 0 || tables != 0) {
        return Err(OpenError::Foreign);
    }
    version::check(found, FIRST_VERSION)?;
    Ok(found > FIRST_VERSION)
}

fn versions(connection: &Connection) -> rusqlite::Result<(i32, i32)> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |r| r.get(0));
    Ok((pragma("user_version")?, pragma("application_id")?))
}

/// Migrates the schema up to an older version, as earlier releases did.
#[cfg(test)]
pub(crate) fn migrate_to(connection: &Connection, version: i32) {
    let (found, _) = versions(connection).expect("it is a state");
    for migration in &MIGRATIONS[steps(found)..steps(version)] {
        connection
            .execute_batch(migration)
            .expect("it is at that version");
    }
    let set = connection.pragma_update(None, "user_version", version);
    set.expect("it can be written");
}

/// The number of the newest migration that was made.
pub(crate) fn version(connection: &Connection) -> Result<i32, SqlFailure> {
    Ok(versions(connection)?.0)
}

/// Migrates the schema of a recognised state, within a transaction.
pub(crate) fn migrate(transaction: &Connection) -> Result<(), SqlFailure> {
    let (found, _) = versions(transaction)?;
    let missing = MIGRATIONS.iter().skip(steps(found));
    if missing.len() == 0 {
        return Ok(());
    }
    for migration in missing {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    Ok(transaction.pragma_update(None, "user_version", NEWEST)?)
}

/// The number of migrations that lead to this version.
fn steps(version: i32) -> usize {
    usize::try_from(version - FIRST_VERSION + 1).unwrap_or(0)
}

/// Lets a read-only connection read a state that was not migrated yet as if it were.
pub(crate) fn show_as_newest(connection: &Connection) -> Result<(), SqlFailure> {
    Ok(views::show(connection, steps(versions(connection)?.0))?)
}
