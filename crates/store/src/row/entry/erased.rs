//! Signing the marks of erased entries anew.
//!
//! Read next: [`super`].

use super::{APPENDED_TO, Erased, TABLE};
use crate::digest::of_bytes;
use crate::encryptor::Encryptor;
use crate::row::{RowError, met_one};
use crate::set::Set;
use crate::sign::{self, Signer};
use domain::event::Sequence;
use rusqlite::{Connection, Row, params};

/// Signs the marks of erased entries anew.
pub(crate) fn sign_again(
    connection: &Connection,
    signer: &dyn Signer,
    encryptor: &mut Encryptor,
) -> Result<(), RowError> {
    let sql = "SELECT sequence, erased FROM log WHERE erased IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found: Vec<(i64, Vec<u8>)> = statement.query_map([], row)?.collect::<Result<_, _>>()?;
    for (sequence, old) in found {
        let mut erased = Erased::parse(&old).ok_or_else(|| RowError::corrupt(TABLE, sequence))?;
        let digest = erased.digest(sequence as Sequence);
        erased.signature = sign::sign(Some(signer), TABLE, &digest);
        let mark = erased.mark();
        encryptor.went(Set::ErasedEntry, sequence, &old);
        encryptor.came(Set::ErasedEntry, sequence, &of_bytes(&mark));
        // Nothing but the signature becomes another one.
        let sql = "UPDATE log SET erased = ?2 WHERE sequence = ?1 AND substr(erased, 1, 64) = ?3";
        let changed = connection.execute(sql, params![sequence, mark, &mark[..64]])?;
        met_one(changed, APPENDED_TO)?;
    }
    Ok(())
}
