//! Changing keys: a new data key for new rows, old keys wrapped anew, and the walk that encrypts
//! existing rows under the new key.
//!
//! Rotation touches no row with payload. The walk does, a slice at a time; if it is interrupted, it
//! begins anew. When it is complete, every payload is under one data key, formerly plain ones too,
//! and the other keys are deleted. Replaced bytes are overwritten; those that SQLite had moved or
//! replaced before stay in free space of the file, until that is used again or the file is
//! compacted. Read next: `cipher`.

use crate::cipher::{Keys, Tables};
use crate::data_key::{self, DataKey};
use crate::encryptor::{Encryptor, new_data_key, new_salt, new_set_key};
use crate::failure::SqlFailure;
use crate::heads::Heads;
use crate::job::{JobContext, JobError, Step};
use crate::keys::{KeyKeeper, KeyKeeperError, Secret};
use crate::read::ReadError;
use crate::read::chains::Chains;
use crate::row::attestation::{Attestation, Ground};
use crate::row::data_param::{self, data_param_columns};
use crate::row::exchange::{self, exchange_columns};
use crate::row::negotiation::{self, negotiation_columns};
use crate::row::numbers::THERE;
use crate::row::push_config::{self, push_config_columns};
use crate::row::replaceable::{Replaceable, put};
use crate::row::task::{self, task_columns};
use crate::row::{self, RowError, cursor, data_chunk, document, entry, observation, team};
use crate::schema::tables;
use crate::set::{Set, SetHashes, SetKey};
use crate::sign::Signer;
use crate::slice::Slice;
use crate::sql::{Row, Session, values};
use domain::event::Sequence;
use domain::time::Timestamp;
use std::time::{Duration, Instant};

/// The longest time of one slice.
const SLICE: Duration = Duration::from_millis(4);
/// The most rows that one slice reads.
const ROWS: usize = 256;

/// The result of a rotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotated {
    /// The number of the data key in force; 0 if the state is not encrypted.
    pub data_key: u64,
    /// The name of the master key in force, under which all data keys are wrapped now.
    pub master: String,
    /// The number of older data keys that were wrapped under another master key.
    pub rewrapped: u64,
}

/// The result of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reencrypted {
    /// Rows whose payload was encrypted, or encrypted anew.
    pub rows: u64,
    /// Data keys that were deleted, as nothing is encrypted under them any more.
    pub data_keys: u64,
}

/// The state of encryption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encryption {
    /// The number of the data key in force; none if payloads are not encrypted.
    pub data_key: Option<u64>,
    /// The master keys that are needed to read the state.
    pub masters: Vec<String>,
    /// True if every payload is encrypted under the data key in force: `reencrypt` has nothing to
    /// do.
    pub whole: bool,
}

/// The reason for which keys were not changed.
#[derive(Debug, thiserror::Error)]
pub enum KeyRotationError {
    /// The state was opened without a keeper of keys.
    #[error("the state is not encrypted")]
    Plain,
    /// The keeper failed. Nothing was changed.
    #[error(transparent)]
    Key(#[from] KeyKeeperError),
    /// The keys that are stored could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

pub(crate) fn encryption(tables: Tables<'_>) -> Result<Encryption, ReadError> {
    let data_keys = data_key::data_keys(tables.session)?;
    let mut masters: Vec<String> = data_keys.iter().map(|key| key.master.clone()).collect();
    masters.sort_unstable();
    masters.dedup();
    let youngest = data_keys.last();
    Ok(Encryption {
        data_key: youngest.map(|key| key.number as u64),
        masters,
        whole: youngest.is_some_and(|key| key.whole),
    })
}

/// Keys that are ready to be stored: the keeper is asked on the caller's thread, so that no commit
/// waits for it.
pub(crate) struct KeyChange {
    /// The next data key, and the salt of the first period under it.
    next: Option<(DataKey, Secret, [u8; 16])>,
    rewrapped: Vec<DataKey>,
    report: Rotated,
}

impl KeyChange {
    /// Asks the keeper to wrap every data key that is not under the master key in force, and, if
    /// `renew`, for a new one.
    pub(crate) fn plan(
        tables: Tables<'_>,
        keeper: &dyn KeyKeeper,
        renew: bool,
    ) -> Result<Self, KeyRotationError> {
        let master = keeper.current();
        let mut rewrapped = Vec::new();
        let stored = data_key::data_keys(tables.session).map_err(ReadError::from)?;
        for stored in stored.into_iter().filter(|key| key.master != master) {
            let secret = tables.keys.secret(stored.number);
            let secret = secret.ok_or(ReadError::from(RowError::Locked(data_key::TABLE)))?;
            rewrapped.push(DataKey {
                wrapped: keeper.wrap(&master, &secret)?,
                master: master.clone(),
                ..stored
            });
        }
        let next = match renew {
            true => {
                // The writer gives the number: somebody else may be rotating as well.
                let (row, secret) = new_data_key(0, keeper)?;
                Some((row, secret, new_salt(keeper)?))
            }
            false => None,
        };
        let report = Rotated {
            data_key: 0,
            master,
            rewrapped: rewrapped.len() as u64,
        };
        Ok(Self {
            next,
            rewrapped,
            report,
        })
    }

    /// True if there is nothing to change.
    pub(crate) fn is_empty(&self) -> bool {
        self.next.is_none() && self.rewrapped.is_empty()
    }

    pub(crate) fn into_report(self) -> Rotated {
        self.report
    }

    pub(crate) fn step(&mut self, at: JobContext<'_>) -> Result<Step, JobError> {
        let JobContext {
            tables,
            encryptor,
            heads,
            ..
        } = at;
        let slice = Slice::begin(tables.session, heads, encryptor)?;
        let session = tables.session;
        let stored = data_key::data_keys(session)?;
        for wrapped in &self.rewrapped {
            // The stored row is current: the key may have changed meanwhile.
            if let Some(stored) = stored.iter().find(|key| key.number == wrapped.number) {
                let whole = stored.whole;
                let row = DataKey {
                    whole,
                    ..wrapped.clone()
                };
                row.write(session, encryptor)?;
            }
        }
        let youngest = stored.last().map_or(0, |key| key.number);
        self.report.data_key = youngest as u64;
        let Some((row, secret, salt)) = &mut self.next else {
            slice.commit(heads, encryptor)?;
            return Ok(Step::Done);
        };
        row.number = youngest + 1;
        row.write(session, encryptor)?;
        self.report.data_key = row.number as u64;
        let mut begun = encryptor.renewed(tables.keys, row.number, secret, *salt)?;
        begun.store(session)?;
        slice.commit(heads, &mut begun)?;
        *encryptor = begun;
        Ok(Step::Done)
    }
}

/// A walk under way.
pub(crate) struct Reencrypt {
    /// The place among [`tables::walked`].
    table: usize,
    /// The last row of it that was read.
    number: i64,
    /// The next secret of the sums, used when nothing is under an older key any more.
    next: Option<SetKey>,
    /// The time at which the state was opened.
    now: Timestamp,
    report: Reencrypted,
}

impl Reencrypt {
    /// Asks the keeper for the secret needed at the end; a keeper that is unavailable prevents
    /// nothing else.
    pub(crate) fn plan(keeper: Option<&dyn KeyKeeper>, now: Timestamp) -> Self {
        Self {
            table: 0,
            number: 0,
            next: keeper.and_then(|keeper| new_set_key(keeper).ok()),
            now,
            report: Reencrypted::default(),
        }
    }

    pub(crate) fn into_report(self) -> Reencrypted {
        self.report
    }

    pub(crate) fn step(&mut self, at: JobContext<'_>) -> Result<Step, JobError> {
        let Some(data_key) = at.encryptor.data_key() else {
            return Ok(Step::Done);
        };
        let session = at.tables.session;
        session.overwrite(true)?;
        let step = self.slice(&at.tables, at.heads, at.encryptor, data_key, at.signer);
        session.overwrite(false)?;
        let step = step?;
        if step == Step::Done {
            session.sweep();
        }
        Ok(step)
    }

    fn slice(
        &mut self,
        tables: &Tables<'_>,
        heads: &Heads,
        encryptor: &mut Encryptor,
        data_key: i64,
        signer: Option<&dyn Signer>,
    ) -> Result<Step, JobError> {
        let tables = *tables;
        let slice = Slice::begin(tables.session, heads, encryptor)?;
        let sets = encryptor.sets().cloned();
        let step = match tables::walked().nth(self.table) {
            Some((table, column)) => {
                self.rows(tables, encryptor, table, column)?;
                Step::Goes
            }
            None => {
                self.cursors(tables, encryptor)?;
                let forgotten = row::data_key::make_whole(tables.session, data_key, encryptor)?;
                self.report.data_keys = forgotten as u64;
                if forgotten > 0 {
                    self.attest(tables.session, heads, encryptor, signer)?;
                }
                Step::Done
            }
        };
        if let Err(cause) = slice.commit(heads, encryptor) {
            sets.into_iter()
                .for_each(|sets| encryptor.sum_up_with(sets));
            return Err(cause.into());
        }
        if step == Step::Done {
            tables.keys.make_whole();
        }
        Ok(step)
    }

    /// Sums up the rows under a new secret, as codes under deleted keys are void, and records this.
    fn attest(
        &mut self,
        session: Session<'_>,
        heads: &Heads,
        encryptor: &mut Encryptor,
        signer: Option<&dyn Signer>,
    ) -> Result<(), JobError> {
        let end = heads.end();
        let mut attestation = Attestation {
            ground: Ground::Rotation,
            time: self.now.max(end.time),
            sequence: end.sequence,
            chain: end.chain,
            detail: format!("{} rows under a new data key", self.report.rows),
            signature: Vec::new(),
        };
        attestation.append(session, signer, encryptor)?;
        let Some(next) = self.next.take().filter(|_| encryptor.is_bound()) else {
            return Ok(());
        };
        // The present sums must be right: otherwise this would legitimise a forgery.
        let sets = encryptor.sets().expect("rows are bound");
        let found = SetHashes::found(session, sets, Set::ALL)?;
        if !Set::ALL
            .iter()
            .all(|set| encryptor.ledger.tells(*set, &found))
        {
            return Err(RowError::forged(crate::row::head::TABLE, end.sequence).into());
        }
        let found = SetHashes::found(session, &next, Set::ALL)?;
        for (shard, of) in encryptor.ledger.shards.iter_mut() {
            of.hashes = found.of(shard).copied().unwrap_or_default();
        }
        encryptor.sum_up_with(next);
        Ok(())
    }

    fn rows(
        &mut self,
        tables: Tables<'_>,
        encryptor: &mut Encryptor,
        table: &str,
        column: &str,
    ) -> Result<(), JobError> {
        let closes = Instant::now() + SLICE;
        let rewrite = rewrite_of(table).expect("what is walked over is rewritten");
        // As much of a ciphertext as says under which key it is.
        let sql = format!(
            "SELECT {column}, substr(cipher, 1, 80) FROM {table}
             WHERE {column} > ?1 ORDER BY {column} LIMIT {ROWS}"
        );
        let found = tables.session.all(&sql, values![self.number], |row| {
            Ok::<(i64, Option<Vec<u8>>), SqlFailure>((row.get(0)?, row.get(1)?))
        })?;
        let all = found.len() < ROWS;
        for (number, cipher) in found {
            if Instant::now() >= closes {
                return Ok(());
            }
            self.number = number;
            let cipher = cipher.as_deref().map(entry::ciphertext);
            if encryptor.is_due(cipher, tables.keys) {
                rewrite(tables, encryptor, number)?;
                self.report.rows += 1;
            }
        }
        if all {
            (self.table, self.number) = (self.table + 1, 0);
        }
        Ok(())
    }

    fn cursors(&mut self, tables: Tables<'_>, encryptor: &mut Encryptor) -> Result<(), JobError> {
        let read = |row: &Row<'_>| cursor::read(row, tables.keys);
        for cursor in tables.session.all(cursor::ALL, &[], read)? {
            put(tables.session, &cursor, THERE, encryptor)?;
            self.report.rows += 1;
        }
        Ok(())
    }
}

/// Rewrites the row of a number.
type Rewrite = fn(Tables<'_>, &mut Encryptor, i64) -> Result<(), JobError>;

/// How rows of a table are rewritten; none if a change of keys does not walk over them.
fn rewrite_of(table: &str) -> Option<Rewrite> {
    const TASK: &str = concat!("SELECT ", task_columns!(), " FROM task WHERE number = ?1");
    const EXCHANGE: &str = concat!(
        "SELECT ",
        exchange_columns!(),
        " FROM exchange WHERE number = ?1"
    );
    const DATA: &str = concat!(
        "SELECT ",
        data_param_columns!(),
        " FROM data_param WHERE number = ?1"
    );
    const NEGOTIATION: &str = concat!(
        "SELECT ",
        negotiation_columns!(),
        " FROM negotiation WHERE number = ?1"
    );
    const DOCUMENT: &str =
        "SELECT kind, name, digest, body, cipher FROM document WHERE number = ?1";
    const PUSH_CONFIG: &str = concat!(
        "SELECT ",
        push_config_columns!(),
        " FROM push_config WHERE number = ?1"
    );
    let rewrite: Rewrite = match table {
        task::TABLE => |tables, by, number| replace(tables, by, number, TASK, task::read),
        exchange::TABLE => {
            |tables, by, number| replace(tables, by, number, EXCHANGE, exchange::read)
        }
        data_param::TABLE => {
            |tables, by, number| replace(tables, by, number, DATA, data_param::read)
        }
        negotiation::TABLE => {
            |tables, by, number| replace(tables, by, number, NEGOTIATION, negotiation::read)
        }
        team::TABLE => {
            |tables, by, number| replace(tables, by, number, team::OF_NUMBER, team::read)
        }
        document::TABLE => {
            |tables, by, number| replace(tables, by, number, DOCUMENT, document::read)
        }
        push_config::TABLE => {
            |tables, by, number| replace(tables, by, number, PUSH_CONFIG, push_config::read)
        }
        observation::TABLE => observed,
        data_chunk::TABLE => chunk,
        entry::TABLE => logged,
        _ => return None,
    };
    Some(rewrite)
}

/// Puts the row of a number over itself.
fn replace<V: Replaceable>(
    tables: Tables<'_>,
    encryptor: &mut Encryptor,
    number: i64,
    sql: &str,
    read: impl Fn(&Row<'_>, &Keys) -> Result<V, RowError>,
) -> Result<(), JobError> {
    if let Some(found) = one(tables, sql, number, read)? {
        put(tables.session, &found, THERE, encryptor)?;
    }
    Ok(())
}

fn one<T>(
    tables: Tables<'_>,
    sql: &str,
    number: i64,
    read: impl Fn(&Row<'_>, &Keys) -> Result<T, RowError>,
) -> Result<Option<T>, RowError> {
    let read = |row: &Row<'_>| read(row, tables.keys);
    tables.session.find(sql, values![number], read)
}

fn observed(tables: Tables<'_>, encryptor: &mut Encryptor, number: i64) -> Result<(), JobError> {
    let sql = "SELECT number, digest, body, cipher FROM observation WHERE number = ?1";
    if let Some(found) = one(tables, sql, number, observation::read)? {
        observation::rewrite(tables.session, &found, encryptor)?;
    }
    Ok(())
}

fn chunk(tables: Tables<'_>, encryptor: &mut Encryptor, number: i64) -> Result<(), JobError> {
    let sql = "SELECT data, \"offset\" FROM data_chunk WHERE number = ?1";
    let place = |row: &Row<'_>| Ok::<(i64, i64), SqlFailure>((row.get(0)?, row.get(1)?));
    if let Some((data, offset)) = tables.session.find(sql, values![number], place)? {
        let offset = offset as u64;
        if let Some(bytes) = data_chunk::stored(tables, data, offset)? {
            data_chunk::rewrite(tables.session, data, offset, &bytes, encryptor)?;
        }
    }
    Ok(())
}

fn logged(tables: Tables<'_>, encryptor: &mut Encryptor, number: i64) -> Result<(), JobError> {
    let sequence = number as Sequence;
    let mut chains = Chains::behind(tables.session, sequence - 1)?;
    let behind = values![chains.last as i64, 1_i64];
    let read = |row: &Row<'_>| chains.read(row, tables.keys);
    if let Some(read) = tables.session.find(entry::BEHIND, behind, read)? {
        entry::encrypt(tables.session, &read, &encryptor.keys)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_walked_over_is_rewritten() {
        for (table, _) in tables::walked() {
            assert!(rewrite_of(table).is_some(), "{table}");
        }
    }
}
