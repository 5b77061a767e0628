//! The platform's signature for its store: Ed25519 with the host key.
//!
//! The messages are those of `store`; they can be checked with the host key in `known_hosts`. Read
//! next: [`crate::ssh::keys`].

use crate::ssh::PrivateKey;
use russh::keys::signature::{Signer as _, Verifier};
use russh::keys::{Algorithm, ssh_key::Signature};
use store::Signer;

/// Signs with the host key.
#[derive(Clone)]
pub(crate) struct HostSeal(pub(crate) PrivateKey);

impl Signer for HostSeal {
    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let signed = self.0.try_sign(message);
        signed.map_or_else(|_| Vec::new(), |s| s.as_bytes().to_vec())
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = Signature::new(Algorithm::Ed25519, signature) else {
            return false;
        };
        Verifier::verify(self.0.public_key(), message, &signature).is_ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_holds_for_what_was_signed_and_for_nothing_else() {
        let key = || crate::ssh::keys::generate("host");
        let seal = HostSeal(key());
        let signature = seal.sign(b"head");
        assert_eq!(signature.len(), 64);
        assert!(seal.verify(b"head", &signature));
        assert!(!seal.verify(b"tail", &signature));
        assert!(!HostSeal(key()).verify(b"head", &signature));
        assert!(!seal.verify(b"head", b""));
    }
}
