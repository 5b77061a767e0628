//! The encryptor of the writer: the keys in force, and the ledger of all rows.
//!
//! Only the writer holds one: its sums of rows follow each row that is inserted or deleted, and are
//! rolled back with its transaction ([`crate::slice`]); the keys are shared with whoever prepares
//! rows. Read next: `row_keys`, [`crate::set`].

use crate::cipher::{Header, Keys};
use crate::data_key::DataKey;
use crate::digest::Sum;
use crate::failure::SqlFailure;
use crate::keys::{KeyKeeper, KeyKeeperError, Secret};
use crate::ledger::Ledger;
use crate::row::RowError;
use crate::row::standing::{RowPlace, Standing};
use crate::row_keys::RowKeys;
use crate::schema::tables;
use crate::set::{Set, SetHash, SetKey};
use crate::shard::{PerShard, Shard};
use crate::sql::{Session, Value};
use std::ops::ControlFlow;
use zeroize::Zeroizing;

/// The keys that rows are written with, and the ledger.
#[derive(Default)]
pub(crate) struct Encryptor {
    /// The keys that whoever prepares rows has as well.
    pub(crate) keys: RowKeys,
    /// True once the period of the keys is stored.
    is_stored: bool,
    /// The secret of the sums; none where rows are not bound.
    sets: Option<SetKey>,
    /// The ledger, as of the transaction under way.
    pub(crate) ledger: Ledger,
}

impl Encryptor {
    /// An encryptor without keys: payloads are not encrypted, and rows carry no codes.
    pub(crate) fn none(ledger: Ledger) -> Self {
        Self {
            ledger,
            ..Self::default()
        }
    }

    /// Begins a period under a data key; rows are not bound yet.
    pub(crate) fn under(
        keys: &Keys,
        data_key: i64,
        secret: &Secret,
        salt: [u8; 16],
    ) -> Result<Self, RowError> {
        Ok(Self {
            keys: RowKeys::under(keys, data_key, secret, salt)?,
            ..Self::default()
        })
    }

    /// Binds rows from now on, continuing the given ledger.
    pub(crate) fn bind(
        &mut self,
        keys: &Keys,
        sets: SetKey,
        ledger: Ledger,
    ) -> Result<(), RowError> {
        self.keys.bind(keys)?;
        self.sets = Some(sets);
        self.ledger = ledger;
        Ok(())
    }

    /// This encryptor under a newer data key.
    pub(crate) fn renewed(
        &self,
        keys: &Keys,
        data_key: i64,
        secret: &Secret,
        salt: [u8; 16],
    ) -> Result<Self, RowError> {
        let mut renewed = Self::under(keys, data_key, secret, salt)?;
        if let Some(sets) = &self.sets {
            renewed.bind(keys, sets.clone(), self.ledger.clone())?;
        }
        Ok(renewed)
    }

    /// True if rows carry codes.
    pub(crate) fn is_bound(&self) -> bool {
        self.sets.is_some()
    }

    /// The secret of the sums, if rows are summed up.
    pub(crate) fn sets(&self) -> Option<&SetKey> {
        self.sets.as_ref()
    }

    /// Replaces the secret of the sums; all rows must have been summed up with it. All heads differ then.
    pub(crate) fn sum_up_with(&mut self, sets: SetKey) {
        if self.is_bound() {
            self.sets = Some(sets);
            let all = self.ledger.shards.values_mut();
            all.for_each(|of| of.element = SetHash::default());
        }
    }

    /// Notes that the head of a shard is becoming another one.
    pub(crate) fn headed(&mut self, shard: Shard, beside: &Sum) {
        let element = self.sets.as_ref().map(|sets| sets.of_head(shard, beside));
        self.ledger.of_mut(shard).element = element.unwrap_or_default();
    }

    /// Adds a row to the sum of its set.
    pub(crate) fn came(&mut self, set: Set, RowPlace { shard, number }: RowPlace, sum: &Sum) {
        if let Some(sets) = &self.sets {
            let hashes = &mut self.ledger.of_mut(shard).hashes;
            hashes.add(sets, set, number, sum);
        }
    }

    /// Takes the row whose digest is stored out of the sum of its set.
    pub(crate) fn went(&mut self, set: Set, RowPlace { shard, number }: RowPlace, stored: &[u8]) {
        if let Some(sets) = &self.sets {
            let hashes = &mut self.ledger.of_mut(shard).hashes;
            hashes.remove(sets, set, number, &set.sum_of(stored));
        }
    }

    /// Updates the sums for a row of digest `sum` that is written in the place of `old`, or, if there is
    /// none, as a new one in this place; returns what stands now, with this digest in its column.
    pub(crate) fn replaced(
        &mut self,
        old: Option<&Standing>,
        set: Set,
        place: RowPlace,
        sum: &Sum,
        digest: Vec<u8>,
    ) -> Standing {
        if let Some(old) = old {
            self.went(old.set, old.place, &old.digest);
        }
        let place = old.map_or(place, |old| old.place);
        self.came(set, place, sum);
        Standing { set, place, digest }
    }

    /// Deletes rows of a set and returns how many of each shard. `sql` returns the number, the digest and the shard of each.
    pub(crate) fn delete(
        &mut self,
        session: Session<'_>,
        set: Set,
        sql: &str,
        key: &[Value<'_>],
    ) -> Result<PerShard<u64>, SqlFailure> {
        let mut gone = PerShard::default();
        session.query(sql, key, |row| {
            let shard = row.get(2)?;
            *gone.of_or(shard, || 0) += 1;
            if self.is_bound() {
                let number = row.get(0)?;
                self.went(set, RowPlace { shard, number }, row.bytes(1)?);
            }
            Ok::<_, SqlFailure>(ControlFlow::Continue(()))
        })?;
        Ok(gone)
    }

    /// The ledger as encrypted beside the head of a shard, whose columns have the digest `beside`.
    pub(crate) fn packed(&self, shard: Shard, beside: &Sum) -> Option<Vec<u8>> {
        let packed = self.ledger.part(shard).pack(&self.sets()?.secret);
        self.keys.encrypt(&packed, beside)
    }

    /// The number of the data key that new payloads are encrypted under.
    pub(crate) fn data_key(&self) -> Option<i64> {
        self.keys.period().map(|period| period.data_key)
    }

    /// True if a payload still has to be encrypted under the data key in force.
    pub(crate) fn is_due(&self, cipher: Option<&[u8]>, keys: &Keys) -> bool {
        let header = cipher.and_then(Header::parse);
        header.and_then(|header| keys.data_key(header.period)) != self.data_key()
    }

    /// Stores the salt of this period, in the first transaction that succeeds.
    pub(crate) fn store(&mut self, session: Session<'_>) -> Result<(), SqlFailure> {
        let Some(period) = self.keys.period().filter(|_| !self.is_stored) else {
            return Ok(());
        };
        let sum = period.insert(session)?;
        self.came(Set::Period, RowPlace::zero(period.number.into()), &sum);
        Ok(())
    }

    /// Notes that the transaction in which the salt was stored was committed.
    pub(crate) fn stored(&mut self) {
        self.is_stored = true;
    }
}

/// A new data key, wrapped under the master key in force.
pub(crate) fn new_data_key(
    number: i64,
    keeper: &dyn KeyKeeper,
) -> Result<(DataKey, Secret), KeyKeeperError> {
    let mut bits = Zeroizing::new([0; 32]);
    keeper.random(&mut bits[..])?;
    let secret = Secret::new(*bits);
    let master = keeper.current();
    let wrapped = keeper.wrap(&master, &secret)?;
    let row = DataKey {
        number,
        master,
        wrapped,
        whole: false,
    };
    Ok((row, secret))
}

/// A new secret for the sums.
pub(crate) fn new_set_key(keeper: &dyn KeyKeeper) -> Result<SetKey, KeyKeeperError> {
    let mut bits = Zeroizing::new([0; 32]);
    keeper.random(&mut bits[..])?;
    Ok(SetKey::new(Secret::new(*bits)))
}

/// The salt of a new period.
pub(crate) fn new_salt(keeper: &dyn KeyKeeper) -> Result<[u8; 16], KeyKeeperError> {
    let mut salt = [0; 16];
    keeper.random(&mut salt)?;
    Ok(salt)
}

/// The tables in which there may be something before anything is stored.
const BEFORE_ROWS: [&str; 5] = ["head", "seal", "data_key", "period", "attestation"];

/// True if nothing is stored.
pub(crate) fn is_empty(session: Session<'_>) -> Result<bool, SqlFailure> {
    let tables = tables::ALL.iter().map(|table| table.name);
    let tables = tables.filter(|name| !BEFORE_ROWS.contains(name));
    let empty: Vec<_> = tables
        .map(|name| format!("NOT EXISTS (SELECT 1 FROM {name})"))
        .collect();
    session.one(&format!("SELECT {}", empty.join(" AND ")), &[])
}
