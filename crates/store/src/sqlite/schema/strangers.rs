//! Objects and rows in a state that no migration and no release made; checked before anything is
//! trusted.
//!
//! Read next: [`super`].

use super::{MIGRATIONS, steps, version, versions};
use crate::failure::SqlFailure;
use crate::schema::version::SHARDED;
use rusqlite::{Connection, Row};
use std::sync::OnceLock;

/// An object of the schema: its kind, name and table, and the SQL that made it.
type Described = (String, String, String, Option<Vec<u8>>);

/// All objects of the schema of a connection.
fn described(connection: &Connection) -> rusqlite::Result<Vec<Described>> {
    let sql = "SELECT type, name, tbl_name, CAST(sql AS BLOB) FROM main.sqlite_schema
        ORDER BY type, name";
    let mut statement = connection.prepare(sql)?;
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let found = statement.query_map([], row)?;
    found.collect()
}

/// The objects of a schema after this many migrations.
fn expected(steps: usize) -> rusqlite::Result<Vec<Described>> {
    let connection = Connection::open_in_memory()?;
    for migration in MIGRATIONS.iter().take(steps) {
        connection.execute_batch(migration)?;
    }
    described(&connection)
}

/// The objects of the schema that no migration made, that are missing, or that differ: by name,
/// behind a word for the kind of fault.
pub(crate) fn strangers(connection: &Connection) -> Result<Vec<String>, SqlFailure> {
    static NEWEST: OnceLock<Vec<Described>> = OnceLock::new();
    let steps = steps(versions(connection)?.0);
    let made;
    let expected = match (steps == MIGRATIONS.len(), NEWEST.get()) {
        (true, Some(newest)) => newest,
        (true, None) => {
            made = expected(steps)?;
            NEWEST.get_or_init(|| made)
        }
        (false, _) => {
            made = expected(steps)?;
            &made
        }
    };
    let found = described(connection)?;
    let named = |word: &str, (kind, name, ..): &Described| format!("{word} {kind} {name}");
    let missing = expected.iter().filter(|thing| !found.contains(thing));
    let strange = found.iter().filter(|thing| !expected.contains(thing));
    let missing = missing.map(|thing| named("missing", thing));
    let strange = strange.map(|thing| named("strange", thing));
    let mut told: Vec<String> = missing.chain(strange).collect();
    // Rows are looked at in tables that are as they were made.
    if told.is_empty() {
        told.extend(strange_number(connection)?);
        told.extend(strange_rows(connection)?);
    }
    Ok(told)
}

/// Checks the numbers that SQLite remembers, which no code covers: a number that was never given is
/// reported, as nothing could be written behind the highest possible one.
fn strange_number(connection: &Connection) -> Result<Option<String>, SqlFailure> {
    let numbered = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'";
    let numbered: i64 = connection.query_row(numbered, [], |row| row.get(0))?;
    if numbered == 0 {
        return Ok(None);
    }
    let strange = "SELECT count(*) FROM sqlite_sequence WHERE name IS NOT 'observation'
        OR typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 AND 1 << 53";
    let strange: i64 = connection.query_row(strange, [], |row| row.get(0))?;
    Ok((strange > 0).then(|| "strange number in sqlite_sequence".to_owned()))
}

/// Checks that tables with a row for each shard have no other; in older states, which had one row there, which one
/// a reader finds would be arbitrary, while a writer writes the first.
fn strange_rows(connection: &Connection) -> Result<Vec<String>, SqlFailure> {
    let mut strange = Vec::new();
    let is_strange = match version(connection)? {
        SHARDED.. => "typeof(shard) <> 'integer' OR shard NOT BETWEEN 0 AND 63",
        _ => "one IS NOT 1",
    };
    for table in ["head", "seal", "checkpoint"] {
        let is_there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let is_there: i64 = connection.query_row(is_there, [table], |row| row.get(0))?;
        if is_there == 1 {
            let others = format!("SELECT count(*) FROM {table} WHERE {is_strange}");
            let others: i64 = connection.query_row(&others, [], |row| row.get(0))?;
            strange.extend((others > 0).then(|| format!("strange row in {table}")));
        }
    }
    Ok(strange)
}
