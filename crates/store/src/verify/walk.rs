//! The walk itself: table by table, each row by itself, then their binding.
//!
//! Continues after damage, so that one flipped bit is one fault and not thousands. Read next:
//! [`chains`], [`super::report`].

mod chains;

use super::report::{ChainReport, Fault};
use super::{VerifyOptions, VerifyProgress};
use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::digest::ORIGIN;
use crate::heads::StoredHeads;
use crate::read::ReadError;
use crate::read::log::first_time;
use crate::row::attestation::{self, Attestation};
use crate::row::checkpoint::{self, Checkpoint};
use crate::row::head::Counts;
use crate::row::seal::{self, Seal};
use crate::row::{Corrupt, RowError, data_chunk, data_param, erasure, exchange};
use crate::row::{
    cursor, document, negotiation, observation, push_config, registration, task, team,
};
use crate::schema;
use crate::set::{STALE, Set, SetHashes};
use crate::shard::{PerShard, Shard};
use crate::sign::Signer;
use crate::sql::{Row, Session};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The most faults in a report.
const FAULTS_MAX: usize = 1_000;
/// The number of rows between two reports of progress.
const ROWS_TOLD: u64 = 16_384;

/// Walks everything within a transaction that is under way.
pub(crate) fn walked(
    tables: Tables<'_>,
    how: VerifyOptions<'_>,
    has_keys: bool,
) -> Result<ChainReport, ReadError> {
    let Tables { session, keys } = tables;
    let mut walk = Walk {
        session,
        keys,
        has_keys,
        locked: 0,
        how,
        faults: Vec::new(),
        signatures: 0,
    };
    walk.structure()?;
    walk.recognised();
    walk.schema()?;
    let stored = walk.note(StoredHeads::read(session))?;
    let seals = walk.note(Seal::all(session))?.unwrap_or_default();
    let authentic = match (&stored, has_keys) {
        (Some(stored), true) => walk.sets(stored, &seals)?,
        _ => false,
    };
    let checkpoints = walk.checkpoints()?;
    let base = walk.note(attestation::base(session))?.unwrap_or(ORIGIN);
    let chains = walk.chains(&checkpoints, &seals, &base)?;
    for (shard, seal) in seals.iter() {
        walk.signed(seal::TABLE, "", |signer| seal.is_signed(shard, signer));
    }
    let (counts, chunks) = walk.records(stored.as_ref())?;
    let negotiations = walk.table(negotiation::TABLE, negotiation::ALL, |row| {
        negotiation::read(row, keys).map(drop)
    })?;
    let registrations = walk.table(registration::TABLE, registration::ALL, |row| {
        registration::read(row).map(drop)
    })?;
    let is_current = schema::is_current(session)?;
    let teams = walk.table(team::TABLE, team::ALL, |row| {
        let team = team::read(row, keys)?;
        match is_current {
            true => team::check_finders(session, &team),
            false => Ok(()),
        }
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
    let attestations = walk.attestations()?;
    if let Some(stored) = &stored {
        walk.heads(&stored.heads, &chains, &counts);
    }
    let shards = chains.shards(&counts);
    let counts: Counts = counts.values().copied().sum();
    let began = walk.note(first_time(session).map_err(RowError::from))?;
    Ok(ChainReport {
        entries: chains.entries,
        erased: chains.erased,
        last: chains.last,
        began: began.flatten(),
        ended: chains.ended,
        digest: chains.digest(),
        checkpoint: Checkpoint::whole(&checkpoints),
        seal: Seal::last(&seals).map(|seal| super::report::Seal {
            sequence: seal.head.sequence,
            time: seal.head.time,
            chain: seal.head.chain,
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
        shards,
        locked: walk.locked,
        authentic,
        head_missing: None,
        attestations,
        faults: walk.faults,
    })
}

/// The numbers of rows of each shard.
#[derive(Default)]
struct CountsOf(PerShard<Counts>);

impl CountsOf {
    fn of(&mut self, shard: Shard) -> &mut Counts {
        self.0.of_or(shard, Counts::default)
    }

    /// Those of the shard of a row; one of no shard is in no sum either.
    fn at(&mut self, row: &Row<'_>, column: usize) -> &mut Counts {
        self.of(row.get(column).unwrap_or_default())
    }
}

struct Walk<'c, 'h> {
    session: Session<'c>,
    keys: &'c Keys,
    has_keys: bool,
    locked: u64,
    how: VerifyOptions<'h>,
    faults: Vec<Fault>,
    signatures: u64,
}

impl Walk<'_, '_> {
    fn fault(&mut self, table: &str, key: impl ToString) {
        self.push(table, key, false);
    }

    fn push(&mut self, table: &str, key: impl ToString, forged: bool) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault {
                table: table.to_owned(),
                key: key.to_string(),
                forged,
            });
        }
    }

    /// Turns damage into a fault of the report; other errors are returned.
    fn note<T>(&mut self, read: Result<T, RowError>) -> Result<Option<T>, ReadError> {
        match read.map_err(RowError::noticed) {
            Ok(found) => Ok(Some(found)),
            Err(RowError::Corrupt(Corrupt { table, key })) => {
                self.fault(table, key);
                Ok(None)
            }
            Err(RowError::Forged(Corrupt { table, key })) => {
                self.push(table, key, true);
                Ok(None)
            }
            Err(RowError::Locked(table)) => {
                self.fault(table, "its key is not there");
                Ok(None)
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Checks a signature, if there is a signer.
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
        let faults = self.session.faults().map_err(RowError::from);
        for found in self.note(faults)?.into_iter().flatten() {
            self.fault("sqlite", found);
        }
        Ok(())
    }

    /// Reports as a fault a file that opening would refuse as no state of this release.
    fn recognised(&mut self) {
        if let Err(refused) = schema::recognise(self.session, &self.how.outside) {
            self.fault("sqlite", refused);
        }
    }

    /// Checks the schema. SQLite uses a table with a damaged description as long as it can, and
    /// runs foreign triggers.
    fn schema(&mut self) -> Result<(), ReadError> {
        let strangers = self.note(schema::strangers(self.session))?;
        for found in strangers.into_iter().flatten() {
            self.fault("sqlite", found);
        }
        Ok(())
    }

    /// Compares the sums of all rows with the ledger; true if they are equal. From then on, each
    /// row must carry its code.
    fn sets(&mut self, stored: &StoredHeads, seals: &PerShard<Seal>) -> Result<bool, ReadError> {
        let ledger = stored.ledger(self.keys);
        let Some(known) = self.note(ledger)? else {
            return Ok(false);
        };
        let Some((ledger, sets)) = known else {
            return Ok(false);
        };
        self.keys.bind();
        let found = SetHashes::found(self.session, &sets, Set::ALL);
        let Some(found) = self.note(found)? else {
            return Ok(false);
        };
        let mut told = Vec::new();
        for &set in Set::ALL {
            if !ledger.tells(set, &found) && !told.contains(&set.table()) {
                told.push(set.table());
                self.push(set.table(), STALE, true);
            }
        }
        if !Seal::are_the_last(seals, &ledger) {
            self.push(seal::TABLE, seal::NOT_THE_LAST, true);
        }
        let numbered = observation::check_numbered(self.session, ledger.numbered);
        self.note(numbered)?;
        Ok(true)
    }

    fn attestations(&mut self) -> Result<Vec<Attestation>, ReadError> {
        let mut found = Vec::new();
        self.table(attestation::TABLE, attestation::ALL, |row| {
            found.push(attestation::read(row)?);
            Ok(())
        })?;
        for (number, attestation) in &found {
            let is_signed = |s: &dyn Signer| attestation.is_signed(s, *number);
            self.signed(attestation::TABLE, number, is_signed);
        }
        Ok(found
            .into_iter()
            .map(|(_, attestation)| attestation)
            .collect())
    }

    fn checkpoints(&mut self) -> Result<PerShard<Checkpoint>, ReadError> {
        let found = self
            .note(Checkpoint::all(self.session))?
            .unwrap_or_default();
        for (shard, checkpoint) in found.iter() {
            let is_signed = |signer: &dyn Signer| checkpoint.is_signed(shard, signer);
            self.signed(checkpoint::TABLE, "", is_signed);
        }
        Ok(found)
    }

    /// Reads each row; a damaged row does not end the walk, a damaged file does.
    fn table(
        &mut self,
        table: &'static str,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> Result<(), RowError>,
    ) -> Result<u64, ReadError> {
        let (mut rows_read, mut locked) = (0, 0);
        let has_keys = self.has_keys;
        let mut faults = Vec::new();
        let session = self.session;
        let progress = &mut self.how.progress;
        let mut tell = |rows| {
            if let Some(progress) = progress.as_mut() {
                progress(VerifyProgress { table, rows });
            }
        };
        let mut walked = || -> Result<(), RowError> {
            session.query(sql, &[], |row| {
                rows_read += 1;
                if rows_read % ROWS_TOLD == 0 {
                    tell(rows_read);
                }
                match read(row) {
                    Err(RowError::Locked(_)) if !has_keys => locked += 1,
                    Err(
                        fault @ (RowError::Corrupt(_) | RowError::Forged(_) | RowError::Locked(_)),
                    ) => {
                        if faults.len() < FAULTS_MAX {
                            faults.push(fault);
                        }
                    }
                    other => other?,
                }
                Ok::<_, RowError>(ControlFlow::Continue(()))
            })
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

    /// Reads tasks, exchanges and data with their pieces; returns their numbers, and that of the
    /// pieces.
    fn records(
        &mut self,
        stored: Option<&StoredHeads>,
    ) -> Result<(PerShard<Counts>, u64), ReadError> {
        let mut counts = CountsOf::default();
        let keys = self.keys;
        let mut unreadable = 0;
        self.table(task::TABLE, task::ALL, |row| {
            unreadable += 1;
            counts.at(row, task::SHARD).tasks += 1;
            let task = task::read(row, keys);
            if !matches!(task, Err(RowError::Corrupt(_) | RowError::Forged(_))) {
                unreadable -= 1;
                // Whether it has ended is no payload, and reading compared it with the state.
                let is_open = row.get::<i64>(task::ENDED)? == 0;
                counts.at(row, task::SHARD).open += u64::from(is_open);
            }
            task.map(drop)
        })?;
        // A task that does not read back is one fault; whether it was open is not another one.
        if unreadable > 0
            && let Some(stored) = stored
        {
            for shard in Shard::all() {
                counts.of(shard).open = stored.heads.of(shard).counts.open;
            }
        }
        self.table(exchange::TABLE, exchange::ALL, |row| {
            counts.at(row, exchange::SHARD).exchanges += 1;
            exchange::read(row, keys).map(drop)
        })?;
        // Pieces of data that are being removed have no identifier any more.
        let mut stored: BTreeMap<i64, u64> = BTreeMap::new();
        let chunks = self.table(data_chunk::TABLE, data_chunk::ALL, |row| {
            let data: i64 = row.get(0)?;
            let length = row.bytes(3).map_or(0, <[u8]>::len) as u64;
            let read = data_chunk::read(row, keys);
            if !matches!(read, Err(RowError::Corrupt(_))) {
                *stored.entry(data).or_default() += length;
            }
            read.map(drop)
        })?;
        self.table(data_param::TABLE, data_param::ALL, |row| {
            counts.at(row, data_param::SHARD).data += 1;
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
        Ok((counts.0, chunks))
    }

    /// Reads the wrapped keys.
    fn keys(&mut self) -> Result<(), ReadError> {
        let data_keys = data_key::data_keys(self.session).map(drop);
        self.note(data_keys)?;
        let periods = data_key::periods(self.session).map(drop);
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
}
