//! Another host key: the signatures of the former one are replaced.
//!
//! That the state is to be trusted was decided before. Read next: [`super::guard`], which decides.

use crate::encryptor::Encryptor;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, attestation, entry, erasure};
use crate::sign::Signer;
use rusqlite::Connection;

/// Replaces the signatures of another key on checkpoint, erasures, marks of erased entries and
/// attestations. The seal is replaced by the next one.
pub(super) fn sign_again(
    connection: &Connection,
    signer: &dyn Signer,
    encryptor: &mut Encryptor,
) -> Result<(), RowError> {
    if let Some(mut checkpoint) = Checkpoint::read(connection)? {
        checkpoint.write(connection, Some(signer), encryptor)?;
    }
    for mut erasure in erasure::all(connection)? {
        erasure.write(connection, Some(signer), encryptor)?;
    }
    attestation::sign_again(connection, signer)?;
    entry::sign_again(connection, signer, encryptor)
}
