//! The keys under which payloads lie encrypted, wrapped, as `data_key` and `period` hold them.
//!
//! A data key serves until it is rotated. Each opening of the state is a period of its own, with a
//! salt from which its own key is derived, so that its nonces are counted from the beginning,
//! independently of earlier periods. Below the encryptor, which is made of them: changes of data keys,
//! which it notes, are in [`crate::row::data_key`]. Read next: [`crate::cipher`].

use crate::digest::{RowDigest, Sum};
use crate::failure::SqlFailure;
use crate::row::{RowError, check, column};
use crate::sql::{Expect, Row, Session, values};

pub(crate) const TABLE: &str = "data_key";
pub(crate) const PERIODS: &str = "period";

const ALL: &str = "SELECT number, master, wrapped, whole, digest FROM data_key ORDER BY number";
const ALL_PERIODS: &str = "SELECT number, data_key, salt, digest FROM period ORDER BY number";

/// A stored data key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataKey {
    pub(crate) number: i64,
    /// The name of the master key it is wrapped under.
    pub(crate) master: String,
    pub(crate) wrapped: Vec<u8>,
    /// True if every payload of the state is encrypted, and under this key.
    pub(crate) whole: bool,
}

impl DataKey {
    pub(crate) fn digest(&self) -> Sum {
        RowDigest::of(TABLE)
            .number(self.number)
            .text(&self.master)
            .bytes(&self.wrapped)
            .number(self.whole.into())
            .sum()
    }

    fn read(row: &Row<'_>) -> Result<Self, RowError> {
        let number: i64 = row.get(0)?;
        let key = number.to_string();
        let data_key = Self {
            number,
            master: column(row, 1, TABLE, &key)?,
            wrapped: column(row, 2, TABLE, &key)?,
            whole: column(row, 3, TABLE, &key)?,
        };
        let stored: Vec<u8> = column(row, 4, TABLE, &key)?;
        check(&stored, &data_key.digest(), TABLE, &key)?;
        Ok(data_key)
    }
}

/// One opening of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) number: u32,
    /// The number of its data key.
    pub(crate) data_key: i64,
    pub(crate) salt: [u8; 16],
}

impl Period {
    fn digest(&self) -> Sum {
        RowDigest::of(PERIODS)
            .number(self.number.into())
            .number(self.data_key)
            .bytes(&self.salt)
            .sum()
    }

    /// Stores it; returns its digest.
    pub(crate) fn insert(&self, session: Session<'_>) -> Result<Sum, SqlFailure> {
        let sum = self.digest();
        let sql = "INSERT INTO period (number, data_key, salt, digest) VALUES (?1, ?2, ?3, ?4)";
        let row = values![self.number, self.data_key, &self.salt, &sum];
        session.put(sql, row, Expect::Any)?;
        Ok(sum)
    }

    fn read(row: &Row<'_>) -> Result<Self, RowError> {
        let number: i64 = row.get(0)?;
        let key = number.to_string();
        let period = Self {
            number: u32::try_from(number).map_err(|_| RowError::corrupt(PERIODS, &key))?,
            data_key: column(row, 1, PERIODS, &key)?,
            salt: column(row, 2, PERIODS, &key)?,
        };
        let stored: Vec<u8> = column(row, 3, PERIODS, &key)?;
        check(&stored, &period.digest(), PERIODS, &key)?;
        Ok(period)
    }
}

/// All data keys, the youngest last.
pub(crate) fn data_keys(session: Session<'_>) -> Result<Vec<DataKey>, RowError> {
    session.all(ALL, &[], DataKey::read)
}

/// All periods, the youngest last.
pub(crate) fn periods(session: Session<'_>) -> Result<Vec<Period>, RowError> {
    session.all(ALL_PERIODS, &[], Period::read)
}
