//! Binding an older state to its key: every row is verified, then given an authentication code, and
//! all are summed up.
//!
//! Done once, within the transaction that migrates the schema, so that a process that is killed
//! leaves the state as it was. A sound state is accepted as found: trust on first use, which is
//! recorded and reported. Read next: [`crate::set`], `row::attestation`.

use crate::cipher::{Keys, Tables};
use crate::data_key;
use crate::encryptor::{Encryptor, is_empty, new_data_key, new_salt, new_set_key};
use crate::failure::SqlFailure;
use crate::heads::StoredHeads;
use crate::keys::KeyKeeper;
use crate::ledger::Ledger;
use crate::mac::{RowMac, Stamp};
use crate::open::OpenError;
use crate::row::RowError;
use crate::row::attestation::{Attestation, Ground};
use crate::schema::tables;
use crate::set::{Set, SetHashes};
use crate::sign::Signer;
use crate::sql::{Expect, Session, Value, values};
use domain::time::Timestamp;

/// Begins a period under the youngest data key, or under a new one if there is none. Rows are not
/// bound yet.
pub(crate) fn begin(
    session: Session<'_>,
    keys: &Keys,
    keeper: &dyn KeyKeeper,
) -> Result<Encryptor, OpenError> {
    let youngest = data_key::data_keys(session)?.pop();
    let found = youngest.and_then(|k| Some((k.number, keys.secret(k.number)?)));
    let (number, secret) = match found {
        Some(found) => found,
        None => {
            let (mut row, secret) = new_data_key(1, keeper).map_err(OpenError::Key)?;
            row.whole = is_empty(session)?;
            row.write(session, &mut Encryptor::default())?;
            if row.whole {
                keys.make_whole();
            }
            (row.number, secret)
        }
    };
    let salt = new_salt(keeper).map_err(OpenError::Key)?;
    Ok(Encryptor::under(keys, number, &secret, salt)?)
}

/// Gives every row a code, sums all of them up, and records this unless there were no rows. The
/// rows must have been verified.
pub(crate) fn first_use(
    tables: Tables<'_>,
    keeper: &dyn KeyKeeper,
    signer: Option<&dyn Signer>,
    stored: &StoredHeads,
    now: Timestamp,
    encryptor: &mut Encryptor,
) -> Result<(), OpenError> {
    let session = tables.session;
    let data_key = encryptor
        .data_key()
        .ok_or(RowError::Locked(data_key::TABLE))?;
    let mac = tables.keys.mac(data_key);
    let mac = mac.ok_or(RowError::Locked(data_key::TABLE))?;
    let mut rows = 0;
    for (table, key, place) in tables::coded() {
        rows += stamp(session, &mac, table, key, place)?;
    }
    let sets = new_set_key(keeper).map_err(OpenError::Key)?;
    let mut ledger = Ledger {
        numbered: Some(session.last_observation()? as u64),
        ..stored.bare()
    };
    for (shard, hashes) in SetHashes::found(session, &sets, Set::ALL)?.iter() {
        ledger.of_mut(shard).hashes = *hashes;
    }
    encryptor.bind(tables.keys, sets, ledger)?;
    tables.keys.bind();
    let end = stored.heads.end();
    if rows == 0 && end.sequence == 0 {
        return Ok(());
    }
    tracing::warn!(
        store.rows = rows,
        "rows are bound to the log from now on; what was there is trusted as it was found: \
         trust on first use"
    );
    let mut attestation = Attestation {
        ground: Ground::FirstUse,
        time: now.max(end.time),
        sequence: end.sequence,
        chain: end.chain,
        detail: format!("{rows} rows as they were found"),
        signature: Vec::new(),
    };
    attestation.append(session, signer, encryptor)?;
    Ok(())
}

/// The key of a row.
#[derive(Debug)]
enum Key {
    Name(Vec<u8>),
    Number(i64),
}

impl<'v> From<&'v Key> for Value<'v> {
    fn from(key: &'v Key) -> Self {
        match key {
            Key::Name(name) => Self::Bytes(name),
            Key::Number(number) => Self::Number(*number),
        }
    }
}

/// Gives each row of a table a code; returns the number of rows.
fn stamp(
    session: Session<'_>,
    mac: &RowMac,
    table: &'static str,
    key: &str,
    place: &str,
) -> Result<u64, RowError> {
    let select = format!(
        "SELECT {key}, {place}, digest FROM {table} WHERE {key} > ?1 ORDER BY {key} LIMIT 1"
    );
    let update = format!("UPDATE {table} SET digest = ?2 WHERE {key} = ?1");
    // Before all numbers, and before all digests of names.
    let mut last = match key {
        "id" => Key::Name(Vec::new()),
        _ => Key::Number(i64::MIN),
    };
    let mut stamped = 0;
    loop {
        let next = session.find(&select, values![&last], |row| {
            let found = match &last {
                Key::Name(_) => Key::Name(row.get(0)?),
                Key::Number(_) => Key::Number(row.get(0)?),
            };
            Ok::<(Key, i64, Vec<u8>), SqlFailure>((found, row.get(1)?, row.get(2)?))
        })?;
        let Some((found, place, digest)) = next else {
            return Ok(stamped);
        };
        let corrupt = || RowError::corrupt(table, format!("{found:?}"));
        let sum = *Stamp::parse(&digest).ok_or_else(corrupt)?.sum;
        let stamp = mac.stamp(table, place, &sum);
        session.put(&update, values![&found, &stamp], Expect::Any)?;
        stamped += 1;
        last = found;
    }
}
