//! The tables, and how they come to be.
//!
//! `user_version` counts migrations; a state that a later release wrote, or one of the format
//! before the first release, is refused. Rules that must hold whatever the code above does are
//! triggers: a terminal state is never left, the log is only appended to, and only what a
//! checkpoint vouches for is ever removed. Read next: `row`.

use crate::open::OpenError;
use rusqlite::Connection;

/// "Cnvk": marks the file as a state of Convoke.
const APPLICATION: i32 = 0x436e_766b;

/// The `user_version` that the first migration leads to.
const FIRST_VERSION: i32 = 2;

/// One step each; never change one that was released, append.
const MIGRATIONS: [&str; 4] = [FIRST, SECOND, THIRD, FOURTH];

/// Fat rows live in rowid tables, so that new ones are appended whatever their identifiers look
/// like; only the small index entries are scattered. `log.time` has no index: times never decrease
/// along the log, so that bisection finds them. Open tasks, ended ones, and the ended ones of each
/// party are indexed apart by the time of their last change: opening reads the first alone, pages
/// and retention walk the others, and a task costs most of its entries only once, when it ends.
const FIRST: &str = "
CREATE TABLE task (
  number       INTEGER PRIMARY KEY,
  id           TEXT    NOT NULL UNIQUE,
  parent       TEXT,
  send_from    TEXT    NOT NULL,
  send_to      TEXT    NOT NULL,
  status       TEXT    NOT NULL,
  ended        INTEGER NOT NULL CHECK (ended IN (0, 1)),
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  version      INTEGER NOT NULL CHECK (version > 0),
  asynchronous INTEGER NOT NULL,
  conditions   TEXT,
  awaits       TEXT,
  answer_by    INTEGER,
  percent      INTEGER NOT NULL CHECK (percent BETWEEN 0 AND 100),
  digest       BLOB    NOT NULL,
  content      TEXT    NOT NULL,
  text         TEXT    NOT NULL,
  plan         TEXT,
  result       TEXT,
  said         TEXT
) STRICT;
CREATE INDEX task_open ON task (changed_at) WHERE ended = 0;
CREATE INDEX task_ended ON task (changed_at) WHERE ended = 1;
CREATE INDEX task_ended_by_send_from ON task (send_from, changed_at) WHERE ended = 1;
CREATE INDEX task_ended_by_send_to ON task (send_to, changed_at) WHERE ended = 1;
CREATE INDEX task_by_parent ON task (parent) WHERE parent IS NOT NULL;

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
CREATE INDEX exchange_by_task ON exchange (task) WHERE task IS NOT NULL;
CREATE INDEX exchange_by_send_from ON exchange (send_from);
CREATE INDEX exchange_by_send_to ON exchange (send_to);

CREATE TABLE data_param (
  number      INTEGER PRIMARY KEY,
  id          TEXT    NOT NULL UNIQUE,
  task        TEXT,
  party_one   TEXT    NOT NULL,
  party_two   TEXT    NOT NULL,
  data_type   TEXT    NOT NULL,
  description TEXT    NOT NULL,
  format      TEXT    NOT NULL,
  changed_at  INTEGER NOT NULL,
  data        TEXT,
  url         TEXT,
  size        INTEGER,
  sha256      BLOB,
  finished    INTEGER,
  digest      BLOB    NOT NULL,
  CHECK ((data IS NOT NULL) + (url IS NOT NULL) + (size IS NOT NULL) = 1)
) STRICT;
CREATE INDEX data_param_by_task ON data_param (task) WHERE task IS NOT NULL;
CREATE INDEX data_param_by_party_one ON data_param (party_one);
CREATE INDEX data_param_by_party_two ON data_param (party_two);

-- Digest and place stand before the bytes, so that they are read without them.
CREATE TABLE data_chunk (
  number INTEGER PRIMARY KEY,
  data   INTEGER NOT NULL,
  offset INTEGER NOT NULL CHECK (offset >= 0),
  digest BLOB    NOT NULL,
  bytes  BLOB    NOT NULL CHECK (length(bytes) BETWEEN 1 AND 262144),
  UNIQUE (data, offset)
) STRICT;

CREATE TABLE negotiation (
  number     INTEGER PRIMARY KEY,
  task       TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  publisher  TEXT    NOT NULL,
  executor   TEXT    NOT NULL,
  state      TEXT    NOT NULL,
  changed_at INTEGER NOT NULL,
  terms      TEXT    NOT NULL,
  digest     BLOB    NOT NULL,
  turns      TEXT    NOT NULL,
  UNIQUE (task, kind)
) STRICT;
CREATE INDEX negotiation_open ON negotiation (changed_at) WHERE state = 'open';

CREATE TABLE registration (
  name   TEXT NOT NULL PRIMARY KEY,
  place  TEXT NOT NULL,
  digest BLOB NOT NULL
) STRICT;

CREATE TABLE team (
  number     INTEGER PRIMARY KEY,
  task       TEXT    NOT NULL UNIQUE,
  changed_at INTEGER NOT NULL,
  digest     BLOB    NOT NULL,
  team       TEXT    NOT NULL
) STRICT;

-- `erased` is the digest of the body that was, of the one that is left, and the signature.
CREATE TABLE log (
  sequence INTEGER PRIMARY KEY,
  time     INTEGER NOT NULL,
  kind     TEXT    NOT NULL,
  body     TEXT    NOT NULL,
  digest   BLOB    NOT NULL,
  erased   BLOB
) STRICT;

-- One row: what the tables must hold. Finds what a digest in a row cannot: rows that are gone.
CREATE TABLE head (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  tasks     INTEGER NOT NULL,
  open      INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  digest    BLOB    NOT NULL
) STRICT;

-- One row: the head as it was signed last.
CREATE TABLE seal (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  tasks     INTEGER NOT NULL,
  open      INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;

-- One row: up to where the log was cut, and how much was removed in all.
CREATE TABLE checkpoint (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  sequence  INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  time      INTEGER NOT NULL,
  ended_by  INTEGER NOT NULL,
  tasks     INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;

CREATE TABLE erasure (
  task      TEXT    NOT NULL PRIMARY KEY,
  time      INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  data      INTEGER NOT NULL,
  entries   INTEGER NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;

CREATE TRIGGER a_terminal_state_is_never_left BEFORE UPDATE ON task
WHEN OLD.ended = 1 AND NOT (NEW.status = OLD.status AND NEW.version = OLD.version
  AND EXISTS (SELECT 1 FROM erasure WHERE task = OLD.id))
BEGIN SELECT RAISE(ABORT, 'a terminal state is never left'); END;
CREATE TRIGGER a_task_is_never_forgotten BEFORE DELETE ON task
WHEN OLD.ended = 0 OR OLD.changed_at > coalesce((SELECT ended_by FROM checkpoint), -1)
BEGIN SELECT RAISE(ABORT, 'a task is never forgotten before a checkpoint says so'); END;
CREATE TRIGGER the_log_is_never_rewritten BEFORE UPDATE ON log
WHEN NOT (OLD.erased IS NULL AND NEW.erased IS NOT NULL AND NEW.sequence = OLD.sequence
  AND NEW.time = OLD.time AND NEW.kind = OLD.kind AND NEW.digest = OLD.digest)
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
CREATE TRIGGER the_log_is_never_cut BEFORE DELETE ON log
WHEN OLD.sequence > coalesce((SELECT sequence FROM checkpoint), 0)
BEGIN SELECT RAISE(ABORT, 'the log is never cut before a checkpoint says so'); END;
";

/// Payloads may be encrypted, then `cipher` holds those of a row together and their own columns are
/// blank; see `cipher`. In `data_chunk` the bytes are encrypted where they are. Rows that are there
/// stay as they are, but SQLite looks at each of them once: some seconds a gigabyte, at the first
/// opening only. `given` is what conditions say of data,
/// which must be read without a key to know what is still needed.
const SECOND: &str = "
ALTER TABLE task ADD COLUMN given TEXT;
ALTER TABLE task ADD COLUMN cipher BLOB;
ALTER TABLE exchange ADD COLUMN cipher BLOB;
ALTER TABLE data_param ADD COLUMN cipher BLOB;
ALTER TABLE data_chunk ADD COLUMN cipher BLOB;
ALTER TABLE negotiation ADD COLUMN cipher BLOB;
ALTER TABLE team ADD COLUMN cipher BLOB;
ALTER TABLE log ADD COLUMN cipher BLOB;

CREATE TABLE data_key (
  number  INTEGER PRIMARY KEY,
  master  TEXT    NOT NULL,
  wrapped BLOB    NOT NULL,
  whole   INTEGER NOT NULL CHECK (whole IN (0, 1)),
  digest  BLOB    NOT NULL
) STRICT;

CREATE TABLE period (
  number   INTEGER PRIMARY KEY,
  data_key INTEGER NOT NULL,
  salt     BLOB    NOT NULL,
  digest   BLOB    NOT NULL
) STRICT;

-- The name may be encrypted: the key is its digest.
CREATE TABLE document (
  number INTEGER PRIMARY KEY,
  kind   TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  digest BLOB    NOT NULL,
  body   TEXT    NOT NULL,
  cipher BLOB,
  UNIQUE (kind, name)
) STRICT;

-- Numbers are never given twice, so that what was taken in is known by the last.
CREATE TABLE observation (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB    NOT NULL,
  body   TEXT    NOT NULL,
  cipher BLOB
) STRICT;

CREATE TABLE cursor (
  id       BLOB    NOT NULL PRIMARY KEY,
  name     TEXT    NOT NULL,
  sequence INTEGER NOT NULL,
  digest   BLOB    NOT NULL,
  cipher   BLOB
) STRICT, WITHOUT ROWID;

DROP TRIGGER a_terminal_state_is_never_left;
CREATE TRIGGER a_terminal_state_is_never_left BEFORE UPDATE ON task
WHEN OLD.ended = 1 AND NOT (NEW.status = OLD.status AND NEW.version = OLD.version
  AND (NEW.cipher IS NOT NULL OR EXISTS (SELECT 1 FROM erasure WHERE task = OLD.id)))
BEGIN SELECT RAISE(ABORT, 'a terminal state is never left'); END;
DROP TRIGGER the_log_is_never_rewritten;
CREATE TRIGGER the_log_is_never_rewritten BEFORE UPDATE ON log
WHEN NOT (NEW.sequence = OLD.sequence AND NEW.time = OLD.time AND NEW.kind = OLD.kind
  AND NEW.digest = OLD.digest
  AND (OLD.erased IS NULL AND NEW.erased IS NOT NULL
    OR NEW.erased IS OLD.erased AND NEW.body = '' AND NEW.cipher IS NOT NULL))
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
";

/// `conversation` is what conditions say of it, where that is not the task's own: lists are asked for
/// by it.
const THIRD: &str = "
ALTER TABLE task ADD COLUMN conversation TEXT;
CREATE INDEX task_by_conversation ON task (conversation, changed_at)
WHERE conversation IS NOT NULL;
";

/// Where others than the publisher of a task want it told, by who wants it. All but the key is
/// payload.
const FOURTH: &str = "
CREATE TABLE push_config (
  number INTEGER PRIMARY KEY,
  task   TEXT    NOT NULL,
  owner  TEXT    NOT NULL,
  id     TEXT    NOT NULL,
  digest BLOB    NOT NULL,
  config TEXT    NOT NULL,
  cipher BLOB,
  UNIQUE (task, owner, id)
) STRICT;
";

/// Refuses what is not a state that this release can read. True if it may hold encrypted payloads.
pub(crate) fn recognise(connection: &Connection) -> Result<bool, OpenError> {
    let (found, application) = versions(connection)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    let known = known_version();
    if application != APPLICATION && (found != 0 || tables != 0) {
        return Err(OpenError::Foreign);
    }
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    if found != 0 && found < FIRST_VERSION {
        let oldest = FIRST_VERSION;
        return Err(OpenError::Older { found, oldest });
    }
    Ok(found > FIRST_VERSION)
}

fn versions(connection: &Connection) -> rusqlite::Result<(i32, i32)> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |r| r.get(0));
    Ok((pragma("user_version")?, pragma("application_id")?))
}

fn known_version() -> i32 {
    FIRST_VERSION - 1 + MIGRATIONS.len() as i32
}

/// Brings the schema of a state that was recognised up to date in one transaction.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    let (found, _) = versions(connection)?;
    let missing = MIGRATIONS.iter().skip(steps(found));
    if missing.len() == 0 {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    for migration in missing {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", known_version())?;
    Ok(transaction.commit()?)
}

/// The tables and indexes of a connection: their names, and the SQL that made them.
pub(crate) fn described(connection: &Connection) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
    let sql = "SELECT name, CAST(sql AS BLOB) FROM sqlite_schema
        WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    found.collect()
}

/// The tables and indexes as they must be in a state of the same version.
pub(crate) fn expected(of: &Connection) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
    let connection = Connection::open_in_memory()?;
    for migration in MIGRATIONS.iter().take(steps(versions(of)?.0)) {
        connection.execute_batch(migration)?;
    }
    described(&connection)
}

/// How many migrations lead to this version.
fn steps(version: i32) -> usize {
    usize::try_from(version - FIRST_VERSION + 1).unwrap_or(0)
}

/// Lets a connection that may not write read a state that was not migrated yet, as what it will be.
pub(crate) fn show_as_newest(connection: &Connection) -> rusqlite::Result<()> {
    let views = match steps(versions(connection)?.0) {
        0 | 1 => SECOND_IN_VIEWS,
        2 => THIRD_IN_VIEWS,
        3 => "",
        _ => return Ok(()),
    };
    connection.execute_batch(views)?;
    connection.execute_batch(FOURTH_IN_VIEWS)
}

/// What [`FOURTH`] adds, to read only.
const FOURTH_IN_VIEWS: &str = "
CREATE TEMP TABLE IF NOT EXISTS push_config (number, task, owner, id, digest, config, cipher);
";

/// What [`THIRD`] adds, to read only.
const THIRD_IN_VIEWS: &str = "
CREATE TEMP VIEW IF NOT EXISTS task AS SELECT *, NULL AS conversation FROM main.task;
";

/// What [`SECOND`] and [`THIRD`] add, to read only.
const SECOND_IN_VIEWS: &str = "
CREATE TEMP VIEW IF NOT EXISTS task AS
SELECT *, NULL AS given, NULL AS cipher, NULL AS conversation FROM main.task;
CREATE TEMP VIEW IF NOT EXISTS exchange AS SELECT *, NULL AS cipher FROM main.exchange;
CREATE TEMP VIEW IF NOT EXISTS data_param AS SELECT *, NULL AS cipher FROM main.data_param;
CREATE TEMP VIEW IF NOT EXISTS data_chunk AS SELECT *, NULL AS cipher FROM main.data_chunk;
CREATE TEMP VIEW IF NOT EXISTS negotiation AS SELECT *, NULL AS cipher FROM main.negotiation;
CREATE TEMP VIEW IF NOT EXISTS team AS SELECT *, NULL AS cipher FROM main.team;
CREATE TEMP VIEW IF NOT EXISTS log AS SELECT *, NULL AS cipher FROM main.log;
CREATE TEMP TABLE IF NOT EXISTS data_key (number, master, wrapped, whole, digest);
CREATE TEMP TABLE IF NOT EXISTS period (number, data_key, salt, digest);
CREATE TEMP TABLE IF NOT EXISTS cursor (id, name, sequence, digest, cipher);
CREATE TEMP TABLE IF NOT EXISTS document (number, kind, name, digest, body, cipher);
CREATE TEMP TABLE IF NOT EXISTS observation (number, digest, body, cipher);
";
