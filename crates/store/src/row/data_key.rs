//! Rows of `data_key`: written, and deleted with those of `period` that are under them.
//!
//! Read next: [`crate::data_key`], what they hold; [`super::cursor`].

use super::RowError;
use super::standing::{AS_KNOWN, RowPlace, standing};
use crate::data_key::{DataKey, data_keys};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sql::{Session, values};

const WRITE: &str = "INSERT INTO data_key (number, master, wrapped, whole, digest)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (number) DO UPDATE SET master = ?2, wrapped = ?3, whole = ?4, digest = ?5
    WHERE data_key.digest = ?6";

impl DataKey {
    /// Writes it, in place of the one with its number if there is one.
    pub(crate) fn write(
        &self,
        session: Session<'_>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let which = "SELECT number, digest, 0 FROM data_key WHERE number = ?1";
        let old = standing(session, Set::DataKey, which, values![self.number])?;
        let sum = self.digest();
        session.put(
            WRITE,
            values![
                self.number,
                &self.master,
                &self.wrapped,
                self.whole,
                &sum,
                old.as_ref().map(|old| &old.digest),
            ],
            AS_KNOWN,
        )?;
        let place = RowPlace::zero(self.number);
        encryptor.replaced(old.as_ref(), Set::DataKey, place, &sum, sum.to_vec());
        Ok(())
    }
}

/// Marks the data key as that of every payload and deletes all others, with their periods.
pub(crate) fn make_whole(
    session: Session<'_>,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<usize, RowError> {
    for mut data_key in data_keys(session)? {
        if data_key.number == number {
            data_key.whole = true;
            data_key.write(session, encryptor)?;
        }
    }
    let periods = "DELETE FROM period WHERE data_key <> ?1 RETURNING number, digest, 0";
    encryptor.delete(session, Set::Period, periods, values![number])?;
    let data_keys = "DELETE FROM data_key WHERE number <> ?1 RETURNING number, digest, 0";
    let gone = encryptor.delete(session, Set::DataKey, data_keys, values![number])?;
    Ok(gone.values().sum::<u64>() as usize)
}
