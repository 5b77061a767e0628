//! Another host key: the signatures of the former one are replaced.
//!
//! That the state is to be trusted was decided before. Read next: [`super::guard`], which decides.

use crate::encryptor::Encryptor;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, attestation, entry, erasure};
use crate::sign::Signer;
use crate::sql::Session;

/// Replaces the signatures of another key on checkpoints, erasures, marks of erased entries and
/// attestations. Seals are replaced by the next ones.
pub(super) fn sign_again(
    session: Session<'_>,
    signer: &dyn Signer,
    encryptor: &mut Encryptor,
) -> Result<(), RowError> {
    for (shard, checkpoint) in Checkpoint::all(session)?.iter() {
        let mut checkpoint = checkpoint.clone();
        checkpoint.write(session, shard, Some(signer), encryptor)?;
    }
    for mut erasure in erasure::all(session)? {
        erasure.write(session, Some(signer), encryptor)?;
    }
    attestation::sign_again(session, signer)?;
    entry::sign_again(session, signer, encryptor)
}
