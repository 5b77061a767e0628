//! Another host key: the signatures of the former one are replaced.
//!
//! That the state is to be trusted was decided before. Read next: [`super::guard`], which decides.

use crate::encryptor::Encryptor;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, attestation, entry, erasure};
use crate::sign::Signer;
use crate::sql::Session;

/// Replaces the signatures of another key on checkpoint, erasures, marks of erased entries and
/// attestations. The seal is replaced by the next one.
pub(super) fn sign_again(
    session: Session<'_>,
    signer: &dyn Signer,
    encryptor: &mut Encryptor,
) -> Result<(), RowError> {
    if let Some(mut checkpoint) = Checkpoint::read(session)? {
        checkpoint.write(session, Some(signer), encryptor)?;
    }
    for mut erasure in erasure::all(session)? {
        erasure.write(session, Some(signer), encryptor)?;
    }
    attestation::sign_again(session, signer)?;
    entry::sign_again(session, signer, encryptor)
}
