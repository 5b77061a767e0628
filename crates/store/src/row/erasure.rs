//! Rows of `erasure`: the tasks whose contents were erased, with the time and the numbers of rows.
//!
//! Read next: [`super::entry`], where each erased body is marked.

use super::standing::{AS_KNOWN, RowPlace, standing};
use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sign::{self, Signer};
use crate::sql::{Row, Session, values};
use domain::task::TaskId;
use domain::time::Timestamp;

pub(crate) const TABLE: &str = "erasure";

/// All erasures, by task.
pub(crate) const ALL: &str =
    "SELECT task, time, exchanges, data, entries, digest, signature FROM erasure ORDER BY task";

/// The erasure of one task.
pub(crate) const OF_TASK: &str =
    "SELECT task, time, exchanges, data, entries, digest, signature FROM erasure WHERE task = ?1";

/// The record that the contents of a task were erased; its rows still exist, blanked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// The task.
    pub task: TaskId,
    /// The time.
    pub time: Timestamp,
    /// The number of exchanges.
    pub exchanges: u64,
    /// The number of data.
    pub data: u64,
    /// The number of entries of the log.
    pub entries: u64,
    /// The signature over all this; empty if there was no signer.
    pub signature: Vec<u8>,
}

impl Erasure {
    fn digest(&self) -> Sum {
        RowDigest::of(TABLE)
            .text(self.task.as_str())
            .number(self.time.as_ms())
            .number(self.exchanges as i64)
            .number(self.data as i64)
            .number(self.entries as i64)
            .sum()
    }

    /// True if the signer signed it.
    pub(crate) fn is_signed(&self, signer: &dyn Signer) -> bool {
        sign::holds(signer, TABLE, &self.digest(), &self.signature)
    }

    /// Signs it and writes it.
    pub(crate) fn write(
        &mut self,
        session: Session<'_>,
        signer: Option<&dyn Signer>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let which = "SELECT 0, digest, 0 FROM erasure WHERE task = ?1";
        let old = standing(session, Set::Erasure, which, values![self.task.as_str()])?;
        let sum = self.digest();
        self.signature = sign::sign(signer, TABLE, &self.digest());
        let sql = "INSERT INTO erasure (task, time, exchanges, data, entries, digest, signature)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (task) DO UPDATE SET time = ?2, exchanges = ?3, data = ?4, entries = ?5,
            digest = ?6, signature = ?7 WHERE erasure.digest = ?8";
        session.put(
            sql,
            values![
                self.task.as_str(),
                self.time.as_ms(),
                self.exchanges as i64,
                self.data as i64,
                self.entries as i64,
                &sum,
                &self.signature,
                old.as_ref().map(|old| &old.digest),
            ],
            AS_KNOWN,
        )?;
        encryptor.replaced(
            old.as_ref(),
            Set::Erasure,
            RowPlace::zero(0),
            &sum,
            sum.to_vec(),
        );
        Ok(())
    }
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>) -> Result<Erasure, RowError> {
    let task: String = column(row, 0, TABLE, "")?;
    let number = |index| column::<i64>(row, index, TABLE, &task);
    let erasure = Erasure {
        time: Timestamp::from_ms(number(1)?),
        exchanges: number(2)? as u64,
        data: number(3)? as u64,
        entries: number(4)? as u64,
        signature: column(row, 6, TABLE, &task)?,
        task: TaskId::new(&task),
    };
    let stored: Vec<u8> = column(row, 5, TABLE, &task)?;
    check(&stored, &erasure.digest(), TABLE, &task)?;
    Ok(erasure)
}

/// All erasures.
pub(crate) fn all(session: Session<'_>) -> Result<Vec<Erasure>, RowError> {
    session.all(ALL, &[], read)
}
