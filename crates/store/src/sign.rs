//! Signatures: who vouches for the head, for what was cut off, and for what was erased.
//!
//! The store knows no keys; whoever opens it brings a [`Signer`]. What is signed is the digest of
//! a row under the name of its table, so that no signature fits anything else. Read next: `digest`.

use crate::digest::Sum;
use crate::encryptor::Encryptor;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, attestation, entry, erasure};
use rusqlite::Connection;

/// Signs and checks signatures with the key of the platform: Ed25519 over its host key, as a rule.
pub trait Signer: Send + Sync {
    /// The signature over `message`.
    fn sign(&self, message: &[u8]) -> Vec<u8>;
    /// True if `signature` is this key's over `message`.
    fn verify(&self, message: &[u8], signature: &[u8]) -> bool;
}

/// What is signed for a row: `convoke-store`, the table and the row's digest, with a zero byte
/// between them.
fn message(table: &str, digest: &Sum) -> Vec<u8> {
    [b"convoke-store\0", table.as_bytes(), b"\0", digest].concat()
}

/// The signature over a row's digest; empty without a signer.
pub(crate) fn sign(signer: Option<&dyn Signer>, table: &str, digest: &Sum) -> Vec<u8> {
    signer.map_or_else(Vec::new, |signer| signer.sign(&message(table, digest)))
}

/// True if the signature is the signer's.
pub(crate) fn holds(signer: &dyn Signer, table: &str, digest: &Sum, signature: &[u8]) -> bool {
    signer.verify(&message(table, digest), signature)
}

/// Signs again what another key had signed: checkpoint, erasures, marks of erased entries and
/// attestations. The seal is whoever's who seals next.
pub(crate) fn again(
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
