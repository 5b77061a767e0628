//! Opening a state: lock, files, checks, recovery.
//!
//! Refuses rather than repairs: a state that is locked, newer, foreign, damaged, forged or rolled
//! back is not opened. Sets SQLite up so that a commit is durable. Read next: `guard`, `writer`.

mod error;
mod guard;

pub use error::OpenError;

use crate::budget::{Budget, ENDLESS};
use crate::cipher::{Keys, Tables};
use crate::encryptor::Encryptor;
use crate::keys::KeyKeeper;
use crate::outside::{HeadWriter, Seen};
use crate::read::{Readers, log, tasks};
use crate::reencrypt::KeyChange;
use crate::row::head::{self, Counts};
use crate::row::{RowError, data_key, negotiation, registration, task};
use crate::schema;
use crate::sign::Signer;
use crate::transaction::Ends;
use crate::wal::{LogLength, Mover};
use domain::event::Sequence;
use domain::negotiation::Negotiation;
use domain::registry::Registration;
use domain::task::Task;
use domain::time::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Row, TransactionBehavior};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The page cache of a connection in KiB: the writer's, and each reader's.
const WRITER_CACHE_KB: i64 = 65_536;
const READER_CACHE_KB: i64 = 8_192;

/// The location of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In this file, with `-wal`, `-shm` and `.lock` files beside it.
    File(PathBuf),
    /// In memory; gone when the store is dropped. For tests and simulations.
    Memory,
}

/// Starts a thread for this work: of low priority, as a rule.
pub type Spawn = Arc<dyn Fn(Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> + Send + Sync>;

/// The options of opening a state.
#[derive(Clone)]
pub struct Options {
    /// The location.
    pub location: Location,
    /// True if a commit waits for the disk. With false a power cut loses acknowledged commits: only
    /// for the test of exactly that.
    pub synchronous_full: bool,
    /// The most batches in one transaction, at least 1.
    pub batch_max: usize,
    /// The time that a transaction waits for more batches when fewer than `batch_max` are queued.
    /// Zero commits the batches that queued up during the last fsync, which groups well under load
    /// and adds no delay without.
    pub batch_wait: Duration,
    /// Connections for readers of a file, at least 1.
    pub readers: usize,
    /// True to let SQLite check the structure of the whole file at opening; reads all of it.
    pub thorough: bool,
    /// The largest size of the file in bytes, in whole pages of 4 KiB; commits beyond it are
    /// refused as [`Full`](crate::CommitError::Full). None: as large as the disk.
    pub size_max: Option<u64>,
    /// The signer of the head, checkpoints and erasures; none leaves them unsigned.
    pub signer: Option<Arc<dyn Signer>>,
    /// The longest time that a commit may stay unsigned, if there is a signer. The head is signed
    /// at closing too.
    pub sealed_within: Duration,
    /// The keeper of the master key under which payloads are encrypted; none leaves new ones plain,
    /// and opens no state that holds encrypted ones. A plain state is read as it is, and new rows
    /// are encrypted; see [`Store::reencrypt`](crate::Store::reencrypt).
    pub keys: Option<Arc<dyn KeyKeeper>>,
    /// Files outside of the database that hold the last head as well: the first must exist once it
    /// was written, others are witnesses. A state that ends before the head in one of them is
    /// refused ([`OpenError::SetBack`]). A commit is in them after [`LAG`](crate::LAG) at the
    /// latest, unless they cannot be written, which is logged. Empty to keep none.
    pub outside: Vec<PathBuf>,
    /// True to accept a state that is older than the one last seen, or signed with another host
    /// key: see [`OpenError::may_be_accepted`]. It is verified as a whole first, which takes
    /// minutes for a large state, and the acceptance is recorded.
    pub accept: bool,
    /// The current time, for that record.
    pub now: Timestamp,
    /// Starts the thread that verifies the whole state in the background once it is open: damage is
    /// logged, and a forgery stops the store. None to skip it; a state in memory is never verified
    /// so.
    pub verify: Option<Spawn>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("location", &self.location)
            .field("synchronous_full", &self.synchronous_full)
            .field("batch_max", &self.batch_max)
            .field("batch_wait", &self.batch_wait)
            .field("readers", &self.readers)
            .field("thorough", &self.thorough)
            .field("size_max", &self.size_max)
            .field("signed", &self.signer.is_some())
            .field("sealed_within", &self.sealed_within)
            .field("encrypted", &self.keys.is_some())
            .field("outside", &self.outside)
            .field("accept", &self.accept)
            .field("verify", &self.verify.is_some())
            .finish()
    }
}

impl Options {
    /// Durable defaults for `location`.
    pub fn new(location: Location) -> Self {
        Self {
            location,
            synchronous_full: true,
            batch_max: 256,
            batch_wait: Duration::ZERO,
            readers: 4,
            thorough: false,
            size_max: None,
            signer: None,
            sealed_within: Duration::from_secs(60),
            keys: None,
            outside: Vec::new(),
            accept: false,
            now: Timestamp::from_ms(0),
            verify: None,
        }
    }

    /// Durable defaults for a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Location::File(path.into()))
    }

    fn synchronous(&self) -> &'static str {
        if self.synchronous_full {
            "FULL"
        } else {
            "NORMAL"
        }
    }

    /// A state in memory.
    pub fn memory() -> Self {
        Self::new(Location::Memory)
    }
}

/// The contents of a state that were read when it was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// The tasks that have not ended, in the order in which they changed last.
    pub tasks: Vec<Arc<Task>>,
    /// The negotiations that are open, in the order in which they changed last.
    pub negotiations: Vec<Arc<Negotiation>>,
    /// Every registration, by name.
    pub registrations: Vec<Arc<Registration>>,
    /// The number of rows.
    pub counts: Counts,
    /// The last entry of the log; 0 if it is empty.
    pub last: Sequence,
    /// The time of that entry; 1970 if the log is empty.
    pub last_time: Timestamp,
    /// The time of the first entry of the log; none if it is empty.
    pub log_began: Option<Timestamp>,
    /// The doubts that were accepted, and are recorded: see [`Options::accept`].
    pub accepted: Vec<String>,
}

/// The rows on which decisions are based.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// The tasks that have not ended, in the order in which they changed last.
    pub tasks: Vec<Arc<Task>>,
    /// The negotiations that are open, in the order in which they changed last.
    pub negotiations: Vec<Arc<Negotiation>>,
    /// Every registration, by name.
    pub registrations: Vec<Arc<Registration>>,
}

/// A state that is open and passed the checks.
pub(crate) struct Opened {
    pub(crate) writer: Arc<Mutex<Connection>>,
    pub(crate) readers: Readers,
    pub(crate) keys: Arc<Keys>,
    pub(crate) encryptor: Encryptor,
    /// The change of data keys that are wrapped under an old master key.
    pub(crate) rewrap: Option<KeyChange>,
    pub(crate) ends: Ends,
    pub(crate) recovered: Recovered,
    pub(crate) log_length: LogLength,
    /// The thread that moves the write-ahead log; none for a state in memory.
    pub(crate) mover: Option<Mover>,
    /// The writer of the head outside; none if it is kept nowhere else.
    pub(crate) outside: Option<HeadWriter>,
    /// The lock, held as long as the state is open.
    pub(crate) lock: Option<File>,
}

pub(crate) fn open(options: &Options) -> Result<Opened, OpenError> {
    let lock = match &options.location {
        Location::File(path) => Some(prepare(path)?),
        Location::Memory => None,
    };
    let mut connection = match &options.location {
        Location::File(path) => Connection::open(path)?,
        Location::Memory => Connection::open_in_memory()?,
    };
    configure(&connection, options)?;
    let budget = Budget::set(&mut connection)?;
    let keys = budget.outcome(keys(&connection, options))?;
    // Its first page says so, which has been read by now.
    if connection.is_readonly("main")? {
        return Err(OpenError::ReadOnly);
    }
    // All of it or nothing: a process that is killed leaves the state as it was.
    let behavior = TransactionBehavior::Immediate;
    let transaction = connection.transaction_with_behavior(behavior)?;
    let admitted = budget.outcome(guard::admit(&transaction, &keys, options, &budget))?;
    let tables = Tables {
        connection: &transaction,
        keys: &keys,
    };
    let head = admitted.stored.head;
    let decided = admitted.decided;
    let recovered = Recovered {
        tasks: decided.tasks,
        negotiations: decided.negotiations,
        registrations: decided.registrations,
        counts: head.counts,
        last: head.sequence,
        last_time: head.time,
        log_began: log::first_time(&transaction)?,
        accepted: admitted.accepted,
    };
    let data = last_data_number(&transaction)?;
    let rewrap = options.keys.as_deref().and_then(|k| rewrap(tables, k));
    let mut encryptor = admitted.encryptor;
    if admitted.changed {
        encryptor.store(&transaction)?;
        head::write(&transaction, &head, &mut encryptor)?;
        transaction.commit()?;
        encryptor.stored();
    } else {
        transaction.commit()?;
    }
    budget.lift(&mut connection)?;
    let seen = Seen::of(&head, &encryptor.ledger, encryptor.is_bound());
    let outside = match options.outside.is_empty() {
        true => None,
        false => Some(HeadWriter::start(
            options.outside.clone(),
            options.signer.clone(),
            &seen,
        )?),
    };
    let (mut log_length, mut mover) = (LogLength::default(), None);
    if let Location::File(path) = &options.location {
        let (length, thread) = Mover::start(path, &mut connection, options.synchronous())?;
        (log_length, mover) = (length, Some(thread));
    }
    let writer = Arc::new(Mutex::new(connection));
    let readers = match &options.location {
        Location::File(path) => Readers::new(readers(path, options.readers)?, Arc::clone(&keys)),
        Location::Memory => Readers::shared(Arc::clone(&writer), Arc::clone(&keys)),
    };
    Ok(Opened {
        writer,
        readers,
        keys,
        encryptor,
        rewrap,
        ends: Ends { head, data },
        recovered,
        log_length,
        mover,
        outside,
        lock,
    })
}

/// Checks the schema and unwraps the data keys, before anything is written: with a wrong key the
/// state is left untouched.
fn keys(connection: &Connection, options: &Options) -> Result<Arc<Keys>, OpenError> {
    let may_have = schema::recognise(connection, &options.outside)?;
    // Before anything is read: what is not ours may be a trap.
    let strangers = schema::strangers(connection)?;
    if !strangers.is_empty() {
        let strangers = strangers.join(", ");
        return Err(OpenError::Schema { strangers });
    }
    if !may_have {
        return Ok(Arc::default());
    }
    match &options.keys {
        Some(keeper) => Ok(Arc::new(Keys::read(connection, keeper.as_ref())?)),
        None if data_key::data_keys(connection)?.is_empty() => Ok(Arc::default()),
        None => Err(OpenError::Encrypted),
    }
}

/// The change that wraps the data keys of a state opened with an older master key under the one in
/// force.
fn rewrap(tables: Tables<'_>, keeper: &dyn KeyKeeper) -> Option<KeyChange> {
    match KeyChange::plan(tables, keeper, false) {
        Ok(change) => Some(change).filter(|change| !change.is_empty()),
        Err(cause) => {
            tracing::warn!(
                error = &cause as &dyn std::error::Error,
                "data keys stay under an older master key"
            );
            None
        }
    }
}

fn readers(path: &Path, count: usize) -> rusqlite::Result<Vec<Connection>> {
    (0..count.max(1)).map(|_| reader(path)).collect()
}

/// Locks the state and makes the file readable by its owner only.
fn prepare(path: &Path) -> Result<File, OpenError> {
    let file_error = |path: &Path| {
        let path = path.to_owned();
        move |cause| OpenError::File { path, cause }
    };
    let lock_path = beside(path, ".lock");
    let lock = private(&lock_path).map_err(file_error(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(OpenError::Locked {
                path: path.to_owned(),
            });
        }
        Err(TryLockError::Error(cause)) => return Err(file_error(&lock_path)(cause)),
    }
    // SQLite gives `-wal` and `-shm` the mode of the file itself, so it is made here first. Nobody
    // has it open yet, so closing it drops no lock of SQLite's.
    let file = private(path).map_err(file_error(path))?;
    let is_empty = file.metadata().map_err(file_error(path))?.len() == 0;
    drop(file);
    if is_empty {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // A file whose name is not durable is gone after a power cut, whatever was synced into it.
        // Nothing is written before this, so a file that holds something has its name; to sync
        // again would wait for whatever else the disk has to do, seconds at times.
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(file_error(folder))?;
    }
    Ok(lock)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Opens `path`, created if missing, readable by its owner only.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

fn configure(connection: &Connection, options: &Options) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(128);
    let set = |name: &str, value: &dyn rusqlite::ToSql| {
        connection.pragma_update_and_check(None, name, value, |_| Ok(()))
    };
    if let Location::File(_) = options.location {
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
    Ok(())
}

/// A read-only connection.
pub(crate) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
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

/// The rows on which decisions are based, at most `most` of each table.
pub(crate) fn decided(tables: Tables<'_>, most: usize) -> Result<Decided, RowError> {
    Ok(Decided {
        tasks: all(tables, most, tasks::OPEN, task::read)?,
        negotiations: all(tables, most, negotiation::OPEN, negotiation::read)?,
        registrations: all(tables, most, registration::ALL, |row, _| {
            registration::read(row)
        })?,
    })
}

fn all<T>(
    tables: Tables<'_>,
    most: usize,
    sql: &str,
    read: impl Fn(&Row<'_>, &Keys) -> Result<T, RowError>,
) -> Result<Vec<Arc<T>>, RowError> {
    let mut statement = tables.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if found.len() == most {
            return Err(RowError::corrupt("sqlite", ENDLESS));
        }
        found.push(Arc::new(read(row, tables.keys)?));
    }
    Ok(found)
}

/// The highest number of data, including data whose pieces are left behind.
fn last_data_number(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT max(coalesce((SELECT max(number) FROM data_param), 0),
        coalesce((SELECT max(data) FROM data_chunk), 0))";
    connection.query_row(sql, [], |row| row.get(0))
}
