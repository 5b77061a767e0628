//! The tables, migration by migration.
//!
//! Knows SQL alone. Read next: [`super::views`], what an older state lacks.

/// The migrations, one step each; never change a released one, append.
pub(super) const MIGRATIONS: [&str; 8] =
    [FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH];

/// Large rows are in rowid tables, so that new ones are appended whatever their identifiers are;
/// only the small index entries are scattered. `log.time` has no index: times never decrease along
/// the log, so that bisection finds them. Open tasks, ended ones, and the ended ones of each party
/// are indexed apart by the time of their last change: opening reads the first alone, pages and
/// retention walk the others, and a task costs most of its entries only once, when it ends.
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
/// blank; see `cipher`. In `data_chunk` the bytes are encrypted in place. Existing rows stay as
/// they are, but SQLite reads each of them once: some seconds a gigabyte, at the first opening
/// only. `given` is the data entry that the conditions name, which must be readable without a key
/// to tell which data are still needed.
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

/// `conversation` is the conversation stated in the conditions, if it is not the task's own: lists
/// are filtered by it.
const THIRD: &str = "
ALTER TABLE task ADD COLUMN conversation TEXT;
CREATE INDEX task_by_conversation ON task (conversation, changed_at)
WHERE conversation IS NOT NULL;
";

/// Push notification configurations, by owner. All but the key is payload.
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

/// Rows are bound to the head: `cipher` is the encrypted ledger, `generation` the number of times
/// that the head was written. An existing row may be given a code behind its digest, and nothing
/// else.
const FIFTH: &str = "
ALTER TABLE head ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE head ADD COLUMN cipher BLOB;

CREATE TABLE attestation (
  number    INTEGER PRIMARY KEY,
  kind      TEXT    NOT NULL,
  time      INTEGER NOT NULL,
  sequence  INTEGER NOT NULL,
  chain     BLOB    NOT NULL,
  detail    TEXT    NOT NULL,
  digest    BLOB    NOT NULL,
  signature BLOB    NOT NULL
) STRICT;

DROP TRIGGER a_terminal_state_is_never_left;
CREATE TRIGGER a_terminal_state_is_never_left BEFORE UPDATE ON task
WHEN OLD.ended = 1 AND NOT (NEW.status = OLD.status AND NEW.version = OLD.version
  AND (NEW.cipher IS NOT NULL OR EXISTS (SELECT 1 FROM erasure WHERE task = OLD.id)
    OR substr(NEW.digest, 1, 32) = substr(OLD.digest, 1, 32) AND NEW.content = OLD.content
      AND NEW.text = OLD.text AND NEW.plan IS OLD.plan AND NEW.result IS OLD.result
      AND NEW.said IS OLD.said AND NEW.conditions IS OLD.conditions))
BEGIN SELECT RAISE(ABORT, 'a terminal state is never left'); END;
DROP TRIGGER the_log_is_never_rewritten;
CREATE TRIGGER the_log_is_never_rewritten BEFORE UPDATE ON log
WHEN NOT (NEW.sequence = OLD.sequence AND NEW.time = OLD.time AND NEW.kind = OLD.kind
  AND NEW.digest = OLD.digest
  AND (OLD.erased IS NULL AND NEW.erased IS NOT NULL
    OR substr(NEW.erased, 1, 64) IS substr(OLD.erased, 1, 64)
      AND (NEW.body = '' AND NEW.cipher IS NOT NULL
        OR NEW.body = OLD.body AND NEW.cipher IS OLD.cipher)))
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
";

/// Negotiations and teams are found by their parties. No code binds these columns of a team: they
/// decide in which lists it is found, not who may see it. Older teams have no publisher.
const SIXTH: &str = "
CREATE INDEX negotiation_by_publisher ON negotiation (publisher);
CREATE INDEX negotiation_by_executor ON negotiation (executor);
ALTER TABLE team ADD COLUMN publisher TEXT;
CREATE INDEX team_by_publisher ON team (publisher);
CREATE TABLE team_candidate (
  agent TEXT NOT NULL,
  task  TEXT NOT NULL,
  PRIMARY KEY (agent, task)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_candidate_by_task ON team_candidate (task);
";

/// A page of the sub-tasks of a task need not be sorted.
const SEVENTH: &str = "
DROP INDEX task_by_parent;
CREATE INDEX task_by_parent ON task (parent, changed_at) WHERE parent IS NOT NULL;
";

/// What there is is on shard 0, and each shard has a head, a seal and a checkpoint of its own. `behind` is how many
/// entries of other shards lie between one and the one before it on its shard. Existing rows stay as they are, but
/// SQLite reads each of them once: some seconds a gigabyte, at the first opening only.
const EIGHTH: &str = "
ALTER TABLE task ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE data_param ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE data_chunk ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE negotiation ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE team ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE observation ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push_config ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN shard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE log ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER a_terminal_state_is_never_left;
DROP TRIGGER a_task_is_never_forgotten;
DROP TRIGGER the_log_is_never_rewritten;
DROP TRIGGER the_log_is_never_cut;

ALTER TABLE head RENAME TO head_of_one;
CREATE TABLE head (
  shard      INTEGER PRIMARY KEY CHECK (shard BETWEEN 0 AND 63),
  sequence   INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  chain      BLOB    NOT NULL,
  tasks      INTEGER NOT NULL,
  open       INTEGER NOT NULL,
  exchanges  INTEGER NOT NULL,
  data       INTEGER NOT NULL,
  digest     BLOB    NOT NULL,
  generation INTEGER NOT NULL,
  cipher     BLOB
) STRICT;
INSERT INTO head SELECT 0, sequence, time, chain, tasks, open, exchanges, data, digest, generation,
  cipher FROM head_of_one;
DROP TABLE head_of_one;

ALTER TABLE seal RENAME TO seal_of_one;
CREATE TABLE seal (
  shard     INTEGER PRIMARY KEY CHECK (shard BETWEEN 0 AND 63),
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
INSERT INTO seal SELECT 0, sequence, time, chain, tasks, open, exchanges, data, digest, signature
  FROM seal_of_one;
DROP TABLE seal_of_one;

ALTER TABLE checkpoint RENAME TO checkpoint_of_one;
CREATE TABLE checkpoint (
  shard     INTEGER PRIMARY KEY CHECK (shard BETWEEN 0 AND 63),
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
INSERT INTO checkpoint SELECT 0, sequence, chain, time, ended_by, tasks, exchanges, data, digest,
  signature FROM checkpoint_of_one;
DROP TABLE checkpoint_of_one;

CREATE TRIGGER a_terminal_state_is_never_left BEFORE UPDATE ON task
WHEN OLD.ended = 1 AND NOT (NEW.status = OLD.status AND NEW.version = OLD.version
  AND NEW.shard = OLD.shard
  AND (NEW.cipher IS NOT NULL OR EXISTS (SELECT 1 FROM erasure WHERE task = OLD.id)
    OR substr(NEW.digest, 1, 32) = substr(OLD.digest, 1, 32) AND NEW.content = OLD.content
      AND NEW.text = OLD.text AND NEW.plan IS OLD.plan AND NEW.result IS OLD.result
      AND NEW.said IS OLD.said AND NEW.conditions IS OLD.conditions))
BEGIN SELECT RAISE(ABORT, 'a terminal state is never left'); END;
CREATE TRIGGER a_task_is_never_forgotten BEFORE DELETE ON task
WHEN OLD.ended = 0
  OR OLD.changed_at > coalesce((SELECT ended_by FROM checkpoint WHERE shard = OLD.shard), -1)
BEGIN SELECT RAISE(ABORT, 'a task is never forgotten before a checkpoint says so'); END;
CREATE TRIGGER the_log_is_never_rewritten BEFORE UPDATE ON log
WHEN NOT (NEW.sequence = OLD.sequence AND NEW.time = OLD.time AND NEW.kind = OLD.kind
  AND NEW.digest = OLD.digest AND NEW.shard = OLD.shard AND NEW.behind = OLD.behind
  AND (OLD.erased IS NULL AND NEW.erased IS NOT NULL
    OR substr(NEW.erased, 1, 64) IS substr(OLD.erased, 1, 64)
      AND (NEW.body = '' AND NEW.cipher IS NOT NULL
        OR NEW.body = OLD.body AND NEW.cipher IS OLD.cipher)))
BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
CREATE TRIGGER the_log_is_never_cut BEFORE DELETE ON log
WHEN OLD.sequence > coalesce((SELECT sequence FROM checkpoint WHERE shard = OLD.shard), 0)
BEGIN SELECT RAISE(ABORT, 'the log is never cut before a checkpoint says so'); END;
";
