//! Signatures over the head, checkpoints, erasures and attestations.
//!
//! The store knows no signing keys; the caller supplies a [`Signer`]. A signature is over the
//! digest of a row and the name of its table, so that it fits nothing else. Read next: `digest`.

use crate::digest::Sum;

/// Signs and checks signatures with the key of the platform: Ed25519 over its host key, as a rule.
pub trait Signer: Send + Sync {
    /// The signature over `message`.
    fn sign(&self, message: &[u8]) -> Vec<u8>;
    /// True if `signature` is this key's over `message`.
    fn verify(&self, message: &[u8], signature: &[u8]) -> bool;
}

/// The signed message for a row: `convoke-store`, the table and the row's digest, with a zero byte
/// between them.
fn message(table: &str, digest: &Sum) -> Vec<u8> {
    [b"convoke-store\0", table.as_bytes(), b"\0", digest].concat()
}

/// The signature over a row's digest; empty without a signer.
pub(crate) fn sign(signer: Option<&dyn Signer>, table: &str, digest: &Sum) -> Vec<u8> {
    signer.map_or_else(Vec::new, |signer| signer.sign(&message(table, digest)))
}

/// True if the signature is valid.
pub(crate) fn holds(signer: &dyn Signer, table: &str, digest: &Sum, signature: &[u8]) -> bool {
    signer.verify(&message(table, digest), signature)
}
