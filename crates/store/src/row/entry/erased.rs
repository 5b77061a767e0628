//! Signing the marks of erased entries anew.
//!
//! Read next: [`super`].

use super::{APPENDED_TO, Erased, TABLE};
use crate::digest::of_bytes;
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row::RowError;
use crate::row::standing::RowPlace;
use crate::set::Set;
use crate::sign::{self, Signer};
use crate::sql::{Expect, Row, Session, values};
use domain::event::Sequence;

/// Signs the marks of erased entries anew.
pub(crate) fn sign_again(
    session: Session<'_>,
    signer: &dyn Signer,
    encryptor: &mut Encryptor,
) -> Result<(), RowError> {
    let sql = "SELECT sequence, erased, shard FROM log WHERE erased IS NOT NULL";
    let row = |row: &Row<'_>| {
        let place = RowPlace {
            shard: row.get(2)?,
            number: row.get(0)?,
        };
        Ok::<(RowPlace, Vec<u8>), SqlFailure>((place, row.get(1)?))
    };
    let found = session.all(sql, &[], row)?;
    for (place, old) in found {
        let sequence = place.number;
        let mut erased = Erased::parse(&old).ok_or_else(|| RowError::corrupt(TABLE, sequence))?;
        let digest = erased.digest(sequence as Sequence);
        erased.signature = sign::sign(Some(signer), TABLE, &digest);
        let mark = erased.mark();
        encryptor.went(Set::ErasedEntry, place, &old);
        encryptor.came(Set::ErasedEntry, place, &of_bytes(&mark));
        // Nothing but the signature becomes another one.
        let sql = "UPDATE log SET erased = ?2 WHERE sequence = ?1 AND substr(erased, 1, 64) = ?3";
        let values = values![sequence, &mark, &mark[..64]];
        session.put(sql, values, Expect::One(APPENDED_TO))?;
    }
    Ok(())
}
