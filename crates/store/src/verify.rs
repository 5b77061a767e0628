//! Walking everything: the chain, every row, every signature, the structure of the file.
//!
//! Finds damage and lists it; repairs nothing. Digests and the chain run over what is stored, so that
//! an encrypted state is verified without a key; with it, payloads are decrypted as well, which finds
//! who changed a row and made its digest anew. Read next: `digest`, `sign`.

use crate::cipher::{Keys, Tables};
use crate::digest::{ORIGIN, Sum};
use crate::keys::KeyKeeper;
use crate::open::{OpenError, reader};
use crate::read::ReadError;
use crate::read::log::first_time;
use crate::row::checkpoint::{self, Checkpoint};
use crate::row::head::{self, Counts, Head};
use crate::row::{Corrupt, RowError, column, data_chunk, data_param, entry, erasure, exchange};
use crate::row::{
    cursor, data_key, document, negotiation, observation, push_config, registration, seal, task,
    team,
};
use crate::schema;
use crate::sign::Signer;
use domain::event::Sequence;
use domain::time::Timestamp;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// A report lists at most so many faults.
const FAULTS_MAX: usize = 1_000;
/// Progress is told after so many rows.
const ROWS_TOLD: u64 = 16_384;

/// What a walk over the whole state found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainReport {
    /// Entries of the log.
    pub entries: u64,
    /// How many of them were erased.
    pub erased: u64,
    /// The last entry; 0 if there never was one.
    pub last: Sequence,
    /// The time of the first entry; none if the log is empty.
    pub began: Option<Timestamp>,
    /// The time of the last entry; none if the log is empty.
    pub ended: Option<Timestamp>,
    /// The digest at the end of the chain: it stands for everything before it. Zeros if the log
    /// never held anything.
    pub digest: [u8; 32],
    /// What was removed before the log begins; none if nothing ever was.
    pub checkpoint: Option<Checkpoint>,
    /// The head as it was signed last; none if it never was.
    pub seal: Option<Seal>,
    /// Signatures that were checked; 0 without a signer.
    pub signatures: u64,
    /// Rows of tasks.
    pub tasks: u64,
    /// Rows of tasks that have not ended.
    pub open: u64,
    /// Rows of exchanges.
    pub exchanges: u64,
    /// Rows of data.
    pub data: u64,
    /// Pieces of data.
    pub chunks: u64,
    /// Rows of negotiations.
    pub negotiations: u64,
    /// Rows of registrations.
    pub registrations: u64,
    /// Rows of teams.
    pub teams: u64,
    /// Cursors.
    pub cursors: u64,
    /// Configurations for pushing.
    pub pushes: u64,
    /// Rows whose payload is encrypted and was not looked at for want of a key.
    pub locked: u64,
    /// The damage, the first thousand places of it.
    pub faults: Vec<Fault>,
}

impl ChainReport {
    /// True if no damage was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Up to where the log was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The last entry that the signature stands for.
    pub sequence: Sequence,
    /// Its time.
    pub time: Timestamp,
    /// Its digest.
    pub chain: [u8; 32],
}

/// A place where what is stored is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The table, or `sqlite` if SQLite itself found the damage.
    pub table: String,
    /// The row, or what SQLite says.
    pub key: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}' is damaged", self.table, self.key)
    }
}

/// How far a walk has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The table that is being read.
    pub table: &'static str,
    /// Rows read of it.
    pub rows: u64,
}

/// How to verify. The default checks no signatures and tells nobody how far it is.
#[derive(Default)]
pub struct Verification<'a> {
    /// Whose signatures must be there.
    pub signer: Option<&'a dyn Signer>,
    /// Called now and then, and when a table is done.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
}

/// Verifies the state in `path` without changing it; a store may have it open. Signatures are not
/// checked.
///
/// # Errors
/// [`ReadError`] if it could not be read; damage is in the report.
pub fn verify(path: &Path) -> Result<ChainReport, ReadError> {
    verify_with(path, Verification::default())
}

/// Verifies the state in `path` without changing it; a store may have it open.
///
/// # Errors
/// [`ReadError`] if it could not be read; damage is in the report, and so are signatures that are
/// missing or not the signer's.
pub fn verify_with(path: &Path, how: Verification<'_>) -> Result<ChainReport, ReadError> {
    let connection = reader(path)?;
    let tables = Tables {
        connection: &connection,
        keys: &Keys::default(),
    };
    walk(tables, how, false)
}

/// As [`verify_with`], and decrypts every payload with the keeper's key.
///
/// # Errors
/// [`OpenError::Key`] if the keeper does not open the data keys; [`OpenError::Sqlite`] if the state
/// could not be read. Damage is in the report.
pub fn verify_with_keys(
    path: &Path,
    how: Verification<'_>,
    keeper: &dyn KeyKeeper,
) -> Result<ChainReport, OpenError> {
    let connection = reader(path)?;
    let keys = match schema::recognise(&connection)? {
        true => Keys::read(&connection, keeper)?,
        false => Keys::default(),
    };
    let tables = Tables {
        connection: &connection,
        keys: &keys,
    };
    walk(tables, how, true).map_err(|error| match error {
        ReadError::Sqlite(cause) => OpenError::Read(cause),
        ReadError::Corrupt { table, key } => OpenError::Corrupt { table, key },
        ReadError::Unknown { id } => OpenError::Corrupt {
            table: "sqlite".to_owned(),
            key: id,
        },
    })
}

/// Walks everything within one snapshot.
pub(crate) fn walk(
    tables: Tables<'_>,
    how: Verification<'_>,
    has_keys: bool,
) -> Result<ChainReport, ReadError> {
    schema::show_as_newest(tables.connection)?;
    let snapshot = tables.unchecked_transaction()?;
    let keys = tables.keys;
    let mut walk = Walk {
        connection: &snapshot,
        keys,
        has_keys,
        locked: 0,
        how,
        faults: Vec::new(),
        signatures: 0,
    };
    walk.structure()?;
    walk.schema()?;
    let checkpoint = walk.checkpoint()?;
    let seal = walk.note(seal::Seal::read(&snapshot))?.flatten();
    let sealed = seal.as_ref().map(|seal| seal.head);
    let chain = walk.chain(checkpoint.as_ref(), sealed)?;
    if let Some(seal) = &seal {
        walk.signed(seal::TABLE, "", |signer| seal.is_signed(signer));
    }
    let (counts, chunks) = walk.records()?;
    let negotiations = walk.table(negotiation::TABLE, negotiation::ALL, |row| {
        negotiation::read(row, keys).map(drop)
    })?;
    let registrations = walk.table(registration::TABLE, registration::ALL, |row| {
        registration::read(row).map(drop)
    })?;
    let teams = walk.table(team::TABLE, team::ALL, |row| {
        team::read(row, keys).map(drop)
    })?;
    let cursors = walk.table(cursor::TABLE, cursor::ALL, |row| {
        cursor::read(row, keys).map(drop)
    })?;
    let pushes = walk.table(push_config::TABLE, push_config::ALL, |row| {
        push_config::read(row, keys).map(drop)
    })?;
    walk.table(document::TABLE, document::ALL, |row| {
        document::read(row, keys).map(drop)
    })?;
    walk.table(observation::TABLE, observation::ALL, |row| {
        observation::read(row, keys).map(drop)
    })?;
    walk.keys()?;
    walk.erasures()?;
    let found = Head {
        sequence: chain.last,
        time: chain.ended.unwrap_or_default(),
        chain: chain.digest,
        counts,
    };
    walk.head(found, chain.ended.is_none())?;
    let began = walk.note(first_time(&snapshot).map_err(RowError::from))?;
    Ok(ChainReport {
        entries: chain.entries,
        erased: chain.erased,
        last: chain.last,
        began: began.flatten(),
        ended: chain.ended,
        digest: chain.digest,
        checkpoint,
        seal: sealed.map(|head| Seal {
            sequence: head.sequence,
            time: head.time,
            chain: head.chain,
        }),
        signatures: walk.signatures,
        tasks: counts.tasks,
        open: counts.open,
        exchanges: counts.exchanges,
        data: counts.data,
        chunks,
        negotiations,
        registrations,
        teams,
        cursors,
        pushes,
        locked: walk.locked,
        faults: walk.faults,
    })
}

/// What a walk along the chain found.
struct Chain {
    entries: u64,
    erased: u64,
    last: Sequence,
    ended: Option<Timestamp>,
    digest: Sum,
}

struct Walk<'c, 'h> {
    connection: &'c Connection,
    keys: &'c Keys,
    has_keys: bool,
    locked: u64,
    how: Verification<'h>,
    faults: Vec<Fault>,
    signatures: u64,
}

impl Walk<'_, '_> {
    fn fault(&mut self, table: &str, key: impl ToString) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault {
                table: table.to_owned(),
                key: key.to_string(),
            });
        }
    }

    /// Damage becomes a fault, a failure stays one.
    fn note<T>(&mut self, read: Result<T, RowError>) -> Result<Option<T>, ReadError> {
        match read.map_err(RowError::found_by_sqlite) {
            Ok(found) => Ok(Some(found)),
            Err(RowError::Corrupt(Corrupt { table, key })) => {
                self.fault(table, key);
                Ok(None)
            }
            Err(RowError::Locked(table)) => {
                self.fault(table, "its key is not there");
                Ok(None)
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Checks a signature, if there is somebody whose it must be.
    fn signed(
        &mut self,
        table: &'static str,
        key: impl ToString,
        holds: impl FnOnce(&dyn Signer) -> bool,
    ) {
        if let Some(signer) = self.how.signer {
            self.signatures += 1;
            if !holds(signer) {
                self.fault(table, format!("{} is not signed", key.to_string()));
            }
        }
    }

    fn structure(&mut self) -> Result<(), ReadError> {
        let checked = || -> Result<Vec<String>, RowError> {
            let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
            let found = statement.query_map([], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        };
        for found in self.note(checked())?.into_iter().flatten() {
            if found != "ok" {
                self.fault("sqlite", found);
            }
        }
        Ok(())
    }

    /// SQLite goes on with a table whose description is damaged as long as it can.
    fn schema(&mut self) -> Result<(), ReadError> {
        let expected = schema::expected(self.connection)?;
        let found = schema::described(self.connection).map_err(RowError::from);
        if let Some(found) = self.note(found)? {
            for (name, _) in expected.iter().filter(|table| !found.contains(table)) {
                self.fault("sqlite", name);
            }
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<Option<Checkpoint>, ReadError> {
        let found = Checkpoint::read(self.connection);
        let found = self.note(found)?.flatten();
        if let Some(checkpoint) = &found {
            self.signed(checkpoint::TABLE, "", |signer| checkpoint.is_signed(signer));
        }
        Ok(found)
    }

    /// Reads each row; a damaged one does not end the walk, a damaged file does.
    fn table(
        &mut self,
        table: &'static str,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> Result<(), RowError>,
    ) -> Result<u64, ReadError> {
        let (mut rows_read, mut locked) = (0, 0);
        let has_keys = self.has_keys;
        let mut faults = Vec::new();
        let connection = self.connection;
        let progress = &mut self.how.progress;
        let mut tell = |rows| {
            if let Some(progress) = progress.as_mut() {
                progress(Progress { table, rows });
            }
        };
        let mut walked = || -> Result<(), RowError> {
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                rows_read += 1;
                if rows_read % ROWS_TOLD == 0 {
                    tell(rows_read);
                }
                match read(row) {
                    Err(RowError::Locked(_)) if !has_keys => locked += 1,
                    Err(fault @ (RowError::Corrupt(_) | RowError::Locked(_))) => {
                        if faults.len() < FAULTS_MAX {
                            faults.push(fault);
                        }
                    }
                    other => other?,
                }
            }
            Ok(())
        };
        let end = walked();
        tell(rows_read);
        self.locked += locked;
        for fault in faults {
            self.note::<()>(Err(fault))?;
        }
        self.note(end)?;
        Ok(rows_read)
    }

    /// The chain from the checkpoint on; at the place of the seal it must be what was sealed.
    fn chain(
        &mut self,
        checkpoint: Option<&Checkpoint>,
        sealed: Option<Head>,
    ) -> Result<Chain, ReadError> {
        let (first, digest) = checkpoint.map_or((0, ORIGIN), |c| (c.sequence, c.chain));
        let mut chain = Chain {
            entries: 0,
            erased: 0,
            last: first,
            ended: None,
            digest,
        };
        let mut broken_seal = sealed.filter(|seal| seal.sequence >= first);
        if broken_seal.is_some_and(|seal| (seal.sequence, seal.chain) == (first, digest)) {
            broken_seal = None;
        }
        let (signer, keys) = (self.how.signer, self.keys);
        let mut signatures = 0;
        chain.entries = self.table(entry::TABLE, entry::ALL, |row| {
            let step = entry::linked(row, chain.last + 1, &chain.digest);
            // Goes on behind damage, so that one flipped bit is one fault and not thousands.
            chain.last = column(row, 0, entry::TABLE, "")
                .map(|found: i64| found as Sequence)
                .unwrap_or(chain.last + 1);
            let before = chain.ended;
            if let Ok(time) = row.get(1) {
                chain.ended = Some(Timestamp::from_ms(time));
            }
            if let Ok(stored) = row.get(4) {
                chain.digest = stored;
            }
            if broken_seal.is_some_and(|s| (s.sequence, s.chain) == (chain.last, chain.digest)) {
                broken_seal = None;
            }
            let read = step?;
            if let Some(erased) = &read.erased {
                chain.erased += 1;
                if let Some(signer) = signer {
                    signatures += 1;
                    if !erased.is_signed(signer, chain.last) {
                        return Err(RowError::corrupt(entry::TABLE, chain.last));
                    }
                }
            }
            if before > chain.ended {
                return Err(RowError::corrupt(entry::TABLE, chain.last));
            }
            read.open(keys).map(drop)
        })?;
        self.signatures += signatures;
        if let Some(seal) = broken_seal {
            self.fault(seal::TABLE, seal.sequence);
        }
        Ok(chain)
    }

    /// Tasks, exchanges and data with their pieces; how many there are, and how many pieces.
    fn records(&mut self) -> Result<(Counts, u64), ReadError> {
        let mut counts = Counts::default();
        let keys = self.keys;
        let mut unreadable = 0;
        counts.tasks = self.table(task::TABLE, task::ALL, |row| {
            unreadable += 1;
            let task = task::read(row, keys);
            if !matches!(task, Err(RowError::Corrupt(_))) {
                unreadable -= 1;
                // Whether it has ended is no payload, and reading compared it with the state.
                counts.open += u64::from(row.get::<_, i64>(task::ENDED)? == 0);
            }
            task.map(drop)
        })?;
        // A task that does not read back is one fault; whether it was open is not another one.
        if unreadable > 0
            && let Ok(head) = Head::read(self.connection)
        {
            counts.open = head.counts.open;
        }
        counts.exchanges = self.table(exchange::TABLE, exchange::ALL, |row| {
            exchange::read(row, keys).map(drop)
        })?;
        // What is left of data that are being removed belongs to no identifier.
        let mut stored: BTreeMap<i64, u64> = BTreeMap::new();
        let chunks = self.table(data_chunk::TABLE, data_chunk::ALL, |row| {
            let data: i64 = row.get(0)?;
            let length = row.get_ref(3)?.as_blob().map_or(0, <[u8]>::len) as u64;
            let read = data_chunk::read(row, keys);
            if !matches!(read, Err(RowError::Corrupt(_))) {
                *stored.entry(data).or_default() += length;
            }
            read.map(drop)
        })?;
        counts.data = self.table(data_param::TABLE, data_param::ALL, |row| {
            let number: i64 = row.get(0)?;
            let read = data_param::read(row, keys);
            if matches!(read, Err(RowError::Corrupt(_))) {
                return read.map(drop);
            }
            let stored = stored.get(&number).copied().unwrap_or_default();
            match data_param::finished(row)? {
                Some((id, size)) if size != stored => Err(RowError::corrupt(data_param::TABLE, id)),
                _ => read.map(drop),
            }
        })?;
        Ok((counts, chunks))
    }

    /// The keys as they lie in the state, wrapped.
    fn keys(&mut self) -> Result<(), ReadError> {
        let data_keys = data_key::data_keys(self.connection).map(drop);
        self.note(data_keys)?;
        let periods = data_key::periods(self.connection).map(drop);
        self.note(periods)?;
        Ok(())
    }

    fn erasures(&mut self) -> Result<(), ReadError> {
        let mut found = Vec::new();
        self.table(erasure::TABLE, erasure::ALL, |row| {
            found.push(erasure::read(row)?);
            Ok(())
        })?;
        for erasure in found {
            self.signed(erasure::TABLE, &erasure.task, |s| erasure.is_signed(s));
        }
        Ok(())
    }

    /// The head must be what was found; nothing tells the time of a log that was cut off whole.
    fn head(&mut self, mut found: Head, timeless: bool) -> Result<(), ReadError> {
        let read = Head::read(self.connection);
        let Some(head) = self.note(read)? else {
            return Ok(());
        };
        if timeless {
            found.time = head.time;
        }
        if head != found {
            self.fault(head::TABLE, found.sequence);
        }
        Ok(())
    }
}
