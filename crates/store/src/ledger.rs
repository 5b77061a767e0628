//! The ledger: the part of the head that is readable and writable only with the key.
//!
//! It is encrypted beside the head as payloads are beside their row, so that the head with all its
//! counts is authentic if it decrypts. Read next: [`crate::set`], `row::head`.

use crate::digest::Sum;
use crate::keys::Secret;
use crate::set::{SETS, SetHash, SetHashes};
use domain::event::Sequence;
use zeroize::Zeroizing;

/// The first byte of a packed ledger; the first form had no number of observations.
const FORM: u8 = 2;
const FIRST_FORM: u8 = 1;
#[cfg(test)]
const LENGTH: usize = 1 + 32 + 1 + 8 + 8 + SETS * 32;

/// The sums of all rows, and further facts on the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    /// The number of times that the head was written: grows with every transaction that changes
    /// something.
    pub(crate) generation: u64,
    /// The digest of the head of this generation.
    pub(crate) digest: Sum,
    /// The entry up to which the log was last sealed; none if never.
    pub(crate) sealed: Option<Sequence>,
    /// True once the head was also stored outside of the database.
    pub(crate) outside: bool,
    /// The number of the last observation, 0 before the first; none if unknown.
    pub(crate) numbered: Option<u64>,
    pub(crate) hashes: SetHashes,
}

impl Ledger {
    /// The packed form, with the secret of the sums.
    pub(crate) fn pack(&self, secret: &Secret) -> Zeroizing<Vec<u8>> {
        let mut packed = Zeroizing::new(Vec::with_capacity(64 + SETS * 32));
        packed.push(FORM);
        packed.extend_from_slice(secret.expose());
        packed.push(self.outside.into());
        // No log has so many entries.
        let sealed = self.sealed.unwrap_or(u64::MAX);
        packed.extend_from_slice(&sealed.to_be_bytes());
        let numbered = self.numbered.unwrap_or(u64::MAX);
        packed.extend_from_slice(&numbered.to_be_bytes());
        for lane in self.hashes.0.iter().flat_map(|hash| hash.0) {
            packed.extend_from_slice(&lane.to_be_bytes());
        }
        packed
    }

    /// The ledger and the secret from their packed form; none if malformed. The generation comes
    /// from the head.
    pub(crate) fn unpack(packed: &[u8]) -> Option<(Self, Secret)> {
        let (form, rest) = packed.split_first()?;
        let (secret, rest) = rest.split_first_chunk()?;
        let (outside, rest) = rest.split_first()?;
        let (sealed, rest) = rest.split_first_chunk()?;
        let sealed = u64::from_be_bytes(*sealed);
        let (numbered, rest) = match *form {
            FORM => rest
                .split_first_chunk()
                .map(|(n, rest)| (u64::from_be_bytes(*n), rest))?,
            FIRST_FORM => (u64::MAX, rest),
            _ => return None,
        };
        let (lanes, []) = rest.as_chunks() else {
            return None;
        };
        if lanes.len() != SETS * 4 {
            return None;
        }
        let mut hashes = SetHashes::default();
        let into = hashes.0.iter_mut().flat_map(|SetHash(lanes)| lanes);
        for (lane, bytes) in into.zip(lanes) {
            *lane = u64::from_be_bytes(*bytes);
        }
        let ledger = Self {
            sealed: (sealed != u64::MAX).then_some(sealed),
            outside: *outside != 0,
            numbered: (numbered != u64::MAX).then_some(numbered),
            hashes,
            ..Self::default()
        };
        Some((ledger, Secret::new(*secret)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let mut ledger = Ledger {
            sealed: Some(3),
            outside: true,
            numbered: Some(7),
            ..Ledger::default()
        };
        ledger.hashes.0[SETS - 1].0 = [1, 2, 3, u64::MAX];
        for ledger in [ledger, Ledger::default()] {
            let secret = Secret::new([5; 32]);
            let packed = ledger.pack(&secret);
            assert_eq!(packed.len(), LENGTH);
            let (found, of) = Ledger::unpack(&packed).unwrap();
            assert_eq!((found, of.expose()), (ledger, secret.expose()));
            let mut first = packed.to_vec();
            first.drain(1 + 32 + 1 + 8..1 + 32 + 1 + 8 + 8);
            first[0] = FIRST_FORM;
            let (of_first, _) = Ledger::unpack(&first).unwrap();
            assert_eq!(
                of_first,
                Ledger {
                    numbered: None,
                    ..ledger
                }
            );
            assert!(Ledger::unpack(&packed[1..]).is_none());
            assert!(Ledger::unpack(&packed[..LENGTH - 1]).is_none());
        }
    }
}
