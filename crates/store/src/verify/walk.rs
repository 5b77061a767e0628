//! The walk itself: table by table, each row by itself, then their binding.
//!
//! Continues after damage, so that one flipped bit is one fault and not thousands. Read next:
//! [`super::report`].

use super::report::{ChainReport, Fault, Seal};
use super::{VerifyOptions, VerifyProgress};
use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::digest::{ORIGIN, Sum};
use crate::read::ReadError;
use crate::read::log::first_time;
use crate::row::attestation::{self, Attestation};
use crate::row::checkpoint::{self, Checkpoint};
use crate::row::head::{self, Counts, Head, Stored};
use crate::row::{Corrupt, RowError, column, data_chunk, data_param, entry, erasure, exchange};
use crate::row::{
    cursor, document, negotiation, observation, push_config, registration, seal, task, team,
};
use crate::schema;
use crate::set::{STALE, Set, SetHashes};
use crate::sign::Signer;
use crate::sql::{Row, Session};
use domain::event::Sequence;
use domain::time::Timestamp;
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
    let stored = walk.note(Stored::read(session))?;
    let seal = walk.note(seal::Seal::read(session))?.flatten();
    let sealed_at = seal.as_ref().map(|seal| seal.head.sequence);
    let authentic = match (&stored, has_keys) {
        (Some(stored), true) => walk.sets(stored, sealed_at)?,
        _ => false,
    };
    let checkpoint = walk.checkpoint()?;
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
    let found = Head {
        sequence: chain.last,
        time: chain.ended.unwrap_or_default(),
        chain: chain.digest,
        counts,
    };
    if let Some(stored) = stored {
        walk.head(&stored.head, found, chain.ended.is_none());
    }
    let began = walk.note(first_time(session).map_err(RowError::from))?;
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
        authentic,
        head_missing: None,
        attestations,
        faults: walk.faults,
    })
}

/// The findings of a walk along the chain.
struct Chain {
    entries: u64,
    erased: u64,
    last: Sequence,
    ended: Option<Timestamp>,
    digest: Sum,
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
    fn sets(&mut self, stored: &Stored, sealed: Option<Sequence>) -> Result<bool, ReadError> {
        let ledger = stored.ledger(self.keys);
        let Some(known) = self.note(ledger)? else {
            return Ok(false);
        };
        let Some((ledger, sets)) = known else {
            return Ok(false);
        };
        self.keys.bind();
        let found = SetHashes::found(self.session, &sets, &Set::ALL);
        let Some(found) = self.note(found)? else {
            return Ok(false);
        };
        let mut told = Vec::new();
        for set in Set::ALL {
            if found.of(set) != ledger.hashes.of(set) && !told.contains(&set.table()) {
                told.push(set.table());
                self.push(set.table(), STALE, true);
            }
        }
        if ledger.sealed != sealed {
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

    fn checkpoint(&mut self) -> Result<Option<Checkpoint>, ReadError> {
        let found = Checkpoint::read(self.session);
        let found = self.note(found)?.flatten();
        if let Some(checkpoint) = &found {
            self.signed(checkpoint::TABLE, "", |signer| checkpoint.is_signed(signer));
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

    /// Walks the chain from the checkpoint on; at the place of the seal it must be as sealed.
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

    /// Reads tasks, exchanges and data with their pieces; returns their numbers, and that of the
    /// pieces.
    fn records(&mut self) -> Result<(Counts, u64), ReadError> {
        let mut counts = Counts::default();
        let keys = self.keys;
        let mut unreadable = 0;
        counts.tasks = self.table(task::TABLE, task::ALL, |row| {
            unreadable += 1;
            let task = task::read(row, keys);
            if !matches!(task, Err(RowError::Corrupt(_) | RowError::Forged(_))) {
                unreadable -= 1;
                // Whether it has ended is no payload, and reading compared it with the state.
                counts.open += u64::from(row.get::<i64>(task::ENDED)? == 0);
            }
            task.map(drop)
        })?;
        // A task that does not read back is one fault; whether it was open is not another one.
        if unreadable > 0
            && let Ok(stored) = Stored::read(self.session)
        {
            counts.open = stored.head.counts.open;
        }
        counts.exchanges = self.table(exchange::TABLE, exchange::ALL, |row| {
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

    /// Compares the head with the findings; the time of a log that was cut off whole is unknown.
    fn head(&mut self, head: &Head, mut found: Head, timeless: bool) {
        if timeless {
            found.time = head.time;
        }
        if *head != found {
            self.fault(head::TABLE, found.sequence);
        }
    }
}
