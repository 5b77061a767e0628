//! The tables of a state in PostgreSQL: made of what is said of them, and compared with it.
//!
//! Beside those of every database there are four: `state`, by which it is known as ours, `owner`,
//! `numbered`, the last number of an observation, and `node`, who may own it in turn. There are no triggers: a rule that every row
//! keeps to is a CHECK, all others are in the statements. Read next: `strangers`, the check of what is there;
//! [`crate::schema::tables`].

mod migrations;
mod strangers;

pub(crate) use strangers::strangers;

use super::session::{PATIENCE, Session};
use crate::failure::{FailureKind, SqlFailure};
use crate::open::OpenError;
use crate::schema::table::{Column, Index, Kind, Table, number, text};
use crate::schema::tables;
use crate::schema::version::{self, NEWEST};
use crate::sql::{Expect, Session as Seam, values};
use migrations::MIGRATIONS;
use std::thread;
use std::time::{Duration, Instant};

/// Marks the tables as those of a state.
const APPLICATION: &str = "convoke";

/// The version that the first migration leads to.
const FIRST_VERSION: i32 = 9;

const _: () = assert!(
    FIRST_VERSION - 1 + MIGRATIONS.len() as i32 == NEWEST,
    "the migrations lead to the newest version"
);

const STATE: Table = own(
    "state",
    &[number("one"), text("application"), number("version")],
);

const OWNER: Table = own(
    "owner",
    &[
        number("one"),
        number("epoch"),
        text("holder"),
        number("until"),
        number("since"),
        text("rules"),
        text("heir"),
        number("heir_until"),
        number("commits"),
    ],
);

const NODE: Table = Table {
    name: "node",
    columns: &[
        text("name"),
        text("place"),
        text("life"),
        text("address"),
        text("version"),
        text("state"),
        text("rules"),
        number("started"),
        number("seen"),
        number("until"),
        text("wanted"),
    ],
    key: &["name"],
    unique: &[],
    indexes: &[],
    checks: &[],
    code: None,
    walked: false,
};

const NUMBERED: Table = own("numbered", &[number("one"), number("observation")]);

/// The tables that are there before a state is.
const OWN: [&Table; 4] = [&STATE, &OWNER, &NUMBERED, &NODE];

/// What the first of these tables had not: columns are added with 0 or an empty text, and whoever only reads
/// does not miss any.
const LATER: [(&Table, &[&str]); 2] = [
    (&OWNER, &["since", "rules", "heir", "heir_until", "commits"]),
    (&NODE, &[]),
];

/// The longest wait for a table that is to be altered, before others go first.
const STEPS_ASIDE: &str = "SET LOCAL lock_timeout = '100ms';\n";

/// The time for others to go first.
const PAUSE: Duration = Duration::from_millis(200);

/// The time for which it is tried.
const ADDED_WITHIN: Duration = Duration::from_secs(30);

/// A table of one row.
const fn own(name: &'static str, columns: &'static [Column]) -> Table {
    Table {
        name,
        columns,
        key: &["one"],
        unique: &[],
        indexes: &[],
        checks: &["one = 1"],
        code: None,
        walked: false,
    }
}

/// Makes what must be there before somebody can own a state, as far as it is not. Others may do the same at
/// the same time.
///
/// Fails as foreign if the schema is another application's.
pub(crate) fn prepare(session: &Session) -> Result<(), OpenError> {
    let seam = Seam::Postgres(session);
    if is_there(seam)? {
        // What another release or application made is left as it is.
        recognise(session)?;
        return Ok(completed(session)?);
    }
    let is_used = seam.one::<bool>(
        "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace =
        (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))",
        &[],
    )?;
    // Another may have made them just now.
    match (is_used, is_there(seam)?) {
        (true, false) => return Err(OpenError::Foreign),
        (_, true) => return Ok(()),
        (false, false) => {}
    }
    match make(session) {
        Err(_) if is_there(seam)? => Ok(()),
        made => Ok(made?),
    }
}

fn make(session: &Session) -> Result<(), SqlFailure> {
    let seam = Seam::Postgres(session);
    let transaction = session.transaction()?;
    session
        .script(OWN.map(created).concat())
        .map_err(SqlFailure::from)?;
    let rows = [
        (
            "INSERT INTO state (one, application, version) VALUES (1, ?1, 0)",
            values![APPLICATION],
        ),
        (
            "INSERT INTO owner (one, epoch, holder, until, since, rules, heir, heir_until, commits)
            VALUES (1, 0, ?1, 0, 0, ?1, ?1, 0, 0)",
            values![""],
        ),
        (
            "INSERT INTO numbered (one, observation) VALUES (1, ?1)",
            values![0_i64],
        ),
    ];
    for (insert, values) in rows {
        seam.put(insert, values, Expect::Any)?;
    }
    transaction.commit()
}

/// Adds what an earlier release had not, while another may own the state, or add the same.
fn completed(session: &Session) -> Result<(), SqlFailure> {
    let until = Instant::now() + ADDED_WITHIN;
    let mut again = false;
    loop {
        match complete(session) {
            Err(busy) if busy.kind() == FailureKind::Busy && Instant::now() < until => {
                thread::sleep(PAUSE);
            }
            // Another has added it just now.
            Err(_) if !std::mem::replace(&mut again, true) => {}
            done => return done,
        }
    }
}

/// Adds what is missing, if anything is.
fn complete(session: &Session) -> Result<(), SqlFailure> {
    let columns = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?1)
        AND attnum > 0 AND NOT attisdropped";
    let mut missing = String::new();
    for (table, later) in LATER {
        let found = Seam::Postgres(session)
            .all(columns, values![table.name], |row| row.get::<String>(0))?;
        if found.is_empty() {
            missing += &created(table);
        }
        let columns = table.columns.iter();
        let added = { columns }.filter(|it| later.contains(&it.name));
        let absent = added.filter(|it| !found.is_empty() && !found.iter().any(|f| f == it.name));
        missing.extend(absent.map(|column| added_to(table, column)));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let transaction = session.transaction()?;
    // Whoever comes behind a table that is to be altered waits with it: its owner, who renews a lease there.
    let added = format!("{STEPS_ASIDE}{missing}");
    session.script(added).map_err(SqlFailure::from)?;
    transaction.commit()
}

/// The statements that add a column.
fn added_to(table: &Table, column: &Column) -> String {
    let (table, name) = (quoted(table.name), quoted(column.name));
    let (kind, usual) = match column.kind {
        Kind::Number => (kind(column.kind), "0"),
        Kind::Text | Kind::Payload | Kind::Bytes => (kind(column.kind), "''"),
    };
    format!(
        "ALTER TABLE {table} ADD COLUMN {name} {kind} NOT NULL DEFAULT {usual};\n\
        ALTER TABLE {table} ALTER COLUMN {name} DROP DEFAULT;\n"
    )
}

fn is_there(session: Seam<'_>) -> Result<bool, SqlFailure> {
    session.one("SELECT to_regclass('state') IS NOT NULL", &[])
}

/// Checks that this is a state that this release can read. True if it may hold encrypted payloads.
pub(crate) fn recognise(session: &Session) -> Result<bool, OpenError> {
    let seam = Seam::Postgres(session);
    if !is_there(seam)? {
        return Err(OpenError::Foreign);
    }
    let sql = "SELECT version FROM state WHERE one = 1 AND application = ?1";
    let found = seam.find(sql, values![APPLICATION], |row| row.get::<i64>(0))?;
    let found = i32::try_from(found.ok_or(OpenError::Foreign)?).unwrap_or(i32::MAX);
    version::check(found, FIRST_VERSION - 1)?;
    Ok(found != 0)
}

/// The version of a recognised state; 0 if there is none yet.
pub(crate) fn version(session: &Session) -> Result<i32, SqlFailure> {
    let sql = "SELECT version FROM state WHERE one = 1";
    let found: i64 = Seam::Postgres(session).one(sql, &[])?;
    Ok(i32::try_from(found).unwrap_or(i32::MAX))
}

/// Makes the tables of a state, within a transaction, if there are none; or carries those of an earlier version over.
pub(crate) fn migrate(session: &Session) -> Result<(), SqlFailure> {
    let found = version(session)?;
    let statements: String = match found {
        0 => tables::ALL.iter().map(created).collect(),
        NEWEST => return Ok(()),
        _ => MIGRATIONS
            .iter()
            .skip(steps(found))
            .map(|it| it.sql)
            .collect(),
    };
    session.patiently(PATIENCE, || session.script(statements))?;
    note_version(session, found, NEWEST)
}

/// Migrates the tables up to an older version, as earlier releases did.
#[cfg(test)]
pub(crate) fn migrate_to(session: &Session, version: i32) -> Result<(), SqlFailure> {
    let found = self::version(session)?;
    let missing = MIGRATIONS[steps(found)..steps(version)].iter();
    session.script(missing.map(|it| it.sql).collect())?;
    note_version(session, found, version)
}

fn note_version(session: &Session, found: i32, now: i32) -> Result<(), SqlFailure> {
    let sql = "UPDATE state SET version = ?1 WHERE one = 1 AND version = ?2";
    let values = values![i64::from(now), i64::from(found)];
    Seam::Postgres(session).put(sql, values, Expect::One("a state is made once"))
}

/// The number of migrations that lead to this version.
fn steps(version: i32) -> usize {
    usize::try_from(version - FIRST_VERSION + 1).unwrap_or(0)
}

/// Refuses a state that was not carried over yet: only whoever owns it does that. What a later release made, `recognise`
/// refuses.
pub(crate) fn check_current(session: &Session) -> Result<(), SqlFailure> {
    match version(session)? {
        0 | NEWEST.. => Ok(()),
        found => Err(SqlFailure::of(
            FailureKind::Other,
            format!(
                "the state is at schema {found}, of a release before: a start of this one carries it over to {NEWEST}, \
                 and until then it is that release which reads it"
            ),
        )),
    }
}

/// The last number given to an observation, 0 before the first.
pub(crate) fn last_observation(session: &Session) -> Result<i64, SqlFailure> {
    Seam::Postgres(session).one("SELECT observation FROM numbered WHERE one = 1", &[])
}

/// Notes the last number given to an observation.
pub(crate) fn note_observation(session: &Session, number: i64) -> Result<(), SqlFailure> {
    let sql = "UPDATE numbered SET observation = ?1 WHERE one = 1";
    let rule = "there is one last number of observations";
    Seam::Postgres(session).put(sql, values![number], Expect::One(rule))
}

/// Has the server count what is in the tables, by which it chooses how to find rows; it would itself, a
/// minute later.
pub(crate) fn take_stock(session: &Session) -> Result<(), SqlFailure> {
    let each = tables::ALL
        .iter()
        .map(|table| format!("ANALYZE {};\n", quoted(table.name)));
    Ok(session.script(each.collect())?)
}

/// All statements that make tables.
#[cfg(test)]
pub(crate) fn statements() -> String {
    let all = OWN.into_iter().chain(tables::ALL);
    all.map(created).collect()
}

/// The statements that make a table with its indexes.
fn created(table: &Table) -> String {
    let columns = table.columns.iter().map(|column| {
        let null = if column.optional { "" } else { " NOT NULL" };
        format!("{} {}{null}", quoted(column.name), kind(column.kind))
    });
    let key = format!("PRIMARY KEY ({})", list(table.key));
    let unique = table
        .unique
        .iter()
        .map(|columns| format!("UNIQUE ({})", list(columns)));
    let checks = table.checks.iter().enumerate();
    let checks =
        checks.map(|(place, check)| format!("CONSTRAINT {} CHECK ({check})", named(table, place)));
    let parts: Vec<String> = columns.chain([key]).chain(unique).chain(checks).collect();
    let indexes = table.indexes.iter().map(|index| indexed(table, index));
    let created = format!(
        "CREATE TABLE {} (\n  {}\n);\n",
        quoted(table.name),
        parts.join(",\n  ")
    );
    created + &indexes.collect::<String>()
}

/// The statement that makes an index.
fn indexed(table: &Table, index: &Index) -> String {
    let only = index
        .only
        .map_or(String::new(), |only| format!(" WHERE {only}"));
    format!(
        "CREATE INDEX {} ON {} ({}){only};\n",
        index.name,
        quoted(table.name),
        list(&in_order(table, index))
    )
}

/// The columns of an index: behind those that are said the number of the row, as SQLite has it by itself, so that
/// a page is read in its order and nothing is sorted.
fn in_order(table: &Table, index: &Index) -> Vec<&'static str> {
    let number = table
        .key
        .first()
        .filter(|key| table.key.len() == 1 && **key == "number");
    index.columns.iter().chain(number).copied().collect()
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "bigint",
        Kind::Text => "text",
        // A TEXT holds no U+0000.
        Kind::Payload | Kind::Bytes => "bytea",
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn list(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    names.join(", ")
}

fn named(table: &Table, place: usize) -> String {
    format!("{}_rule_{}", table.name, place + 1)
}

/// Makes the indexes of a state of the release before anew, which takes a while where there are many rows. For its
/// owner, who is kept meanwhile: nobody else writes.
pub(crate) fn upgrade(session: &Session) -> Result<(), SqlFailure> {
    let found = strangers::found(session)?;
    let anew = |(_, table, index): (String, &Table, &Index)| {
        format!("DROP INDEX {};\n{}", index.name, indexed(table, index))
    };
    for index in strangers::former(&found).map(anew) {
        // Each for itself: what is made stays, should the next not be.
        let transaction = session.long_transaction();
        session.script(index).map_err(SqlFailure::from)?;
        transaction.commit()?;
    }
    Ok(())
}
