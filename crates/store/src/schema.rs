//! The tables, and how they come to be.
//!
//! `user_version` counts migrations; a state that a later release wrote is refused. Rules that
//! must hold whatever the code above does are triggers: a terminal state is never left, the log
//! is only appended to. Read next: `row`.

use crate::open::OpenError;
use rusqlite::Connection;

/// "Cnvk": marks the file as a state of Convoke.
const APPLICATION: i32 = 0x436e_766b;

/// One step each; never change one that was released, append.
const MIGRATIONS: [&str; 1] = [FIRST];

/// Fat rows live in rowid tables, so that new ones are appended whatever their identifiers look
/// like; only the small index entries are scattered. `log.time` has no index: times never decrease
/// along the log, so that bisection finds them.
const FIRST: &str = "
CREATE TABLE task (
  number       INTEGER PRIMARY KEY,
  id           TEXT    NOT NULL UNIQUE,
  send_from    TEXT    NOT NULL,
  send_to      TEXT    NOT NULL,
  content      TEXT    NOT NULL,
  text         TEXT    NOT NULL,
  asynchronous INTEGER NOT NULL,
  status       TEXT    NOT NULL,
  percent      INTEGER NOT NULL CHECK (percent BETWEEN 0 AND 100),
  result       TEXT,
  said         TEXT,
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  version      INTEGER NOT NULL CHECK (version > 0),
  digest       BLOB    NOT NULL
) STRICT;
CREATE TRIGGER a_terminal_state_is_never_left BEFORE UPDATE ON task
WHEN OLD.status IN ('failed', 'finished', 'cancelled', 'rejected', 'unconfirmed')
BEGIN SELECT RAISE(ABORT, 'a terminal state is never left'); END;
CREATE TRIGGER a_task_is_never_forgotten BEFORE DELETE ON task
BEGIN SELECT RAISE(ABORT, 'a task is never forgotten'); END;

CREATE TABLE exchange (
  number        INTEGER PRIMARY KEY,
  id            TEXT    NOT NULL UNIQUE,
  task          TEXT,
  send_from     TEXT    NOT NULL,
  send_to       TEXT    NOT NULL,
  verb          TEXT    NOT NULL,
  request       TEXT    NOT NULL,
  request_time  INTEGER NOT NULL,
  response      TEXT,
  response_time INTEGER,
  digest        BLOB    NOT NULL
) STRICT;
CREATE INDEX exchange_by_task ON exchange (task, request_time) WHERE task IS NOT NULL;
CREATE INDEX exchange_by_send_from ON exchange (send_from, request_time);
CREATE INDEX exchange_by_send_to ON exchange (send_to, request_time);
CREATE INDEX exchange_by_time ON exchange (request_time);

CREATE TABLE data_param (
  number      INTEGER PRIMARY KEY,
  id          TEXT    NOT NULL UNIQUE,
  task        TEXT,
  party_one   TEXT    NOT NULL,
  party_two   TEXT    NOT NULL,
  data_type   TEXT    NOT NULL,
  description TEXT    NOT NULL,
  format      TEXT    NOT NULL,
  data        TEXT    NOT NULL,
  digest      BLOB    NOT NULL
) STRICT;
CREATE INDEX data_param_by_task ON data_param (task) WHERE task IS NOT NULL;
CREATE INDEX data_param_by_party_one ON data_param (party_one);
CREATE INDEX data_param_by_party_two ON data_param (party_two);

CREATE TABLE log (
  sequence INTEGER PRIMARY KEY,
  time     INTEGER NOT NULL,
  kind     TEXT    NOT NULL,
  body     TEXT    NOT NULL,
  digest   BLOB    NOT NULL
) STRICT;
CREATE TRIGGER the_log_is_never_rewritten BEFORE UPDATE ON log
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
CREATE TRIGGER the_log_is_never_cut BEFORE DELETE ON log
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;

-- One row: what the tables must hold. Finds what a digest in a row cannot: rows that are gone.
CREATE TABLE head (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  tasks     INTEGER NOT NULL,
  digest    BLOB    NOT NULL
) STRICT;
";

/// Brings the schema up to date in one transaction.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    let pragma = |c: &Connection, name: &str| c.pragma_query_value(None, name, |r| r.get(0));
    let found: i32 = pragma(connection, "user_version")?;
    let application: i32 = pragma(connection, "application_id")?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    let known = MIGRATIONS.len() as i32;
    if application != APPLICATION && (found != 0 || tables != 0) {
        return Err(OpenError::Foreign);
    }
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    let missing = MIGRATIONS.iter().skip(found.max(0) as usize);
    if missing.len() == 0 {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    for migration in missing {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", known)?;
    Ok(transaction.commit()?)
}
