//! The ledger: the part of the heads that is readable and writable only with the key.
//!
//! It is encrypted beside each head as payloads are beside their row, so that a head with all its
//! counts is authentic if it decrypts. Read next: [`crate::set`], [`crate::heads`].

use crate::digest::{ORIGIN, Sum};
use crate::keys::Secret;
use crate::set::{SETS, Set, SetHash, SetHashes};
use crate::shard::{PerShard, Shard};
use domain::event::Sequence;
use zeroize::Zeroizing;

/// The first byte of a packed ledger. The first form had no number of observations, the second nothing of other
/// shards, and both had the sums of empty sets as well, of all sets that there were.
const FORM: u8 = 3;
const SECOND_FORM: u8 = 2;
const FIRST_FORM: u8 = 1;

/// The sums of all rows, and further facts on the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    /// The number of times that heads were written: grows with every transaction that changes something.
    pub(crate) generation: u64,
    /// True once the head was also stored outside of the database.
    pub(crate) outside: bool,
    /// The number of the last observation, 0 before the first; none if unknown.
    pub(crate) numbered: Option<u64>,
    pub(crate) shards: PerShard<ShardLedger>,
}

/// What is a shard's alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardLedger {
    /// The digest of its head, as it was written last.
    pub(crate) digest: Sum,
    /// What that head is in the sum of all heads.
    pub(crate) element: SetHash,
    /// The entry up to which its part of the log was last sealed; none if never.
    pub(crate) sealed: Option<Sequence>,
    pub(crate) hashes: SetHashes,
}

impl Default for ShardLedger {
    fn default() -> Self {
        Self {
            digest: ORIGIN,
            element: SetHash::default(),
            sealed: None,
            hashes: SetHashes::default(),
        }
    }
}

impl Ledger {
    pub(crate) fn of(&self, shard: Shard) -> ShardLedger {
        self.shards.of(shard).copied().unwrap_or_default()
    }

    pub(crate) fn of_mut(&mut self, shard: Shard) -> &mut ShardLedger {
        self.shards.of_or(shard, ShardLedger::default)
    }

    /// The sum of the heads of all other shards.
    pub(crate) fn others(&self, shard: Shard) -> SetHash {
        let others = self.shards.iter().filter(|(of, _)| *of != shard);
        let mut sum = SetHash::default();
        others.for_each(|(_, of)| sum.add(of.element));
        sum
    }

    /// The shards of which another is known here.
    pub(crate) fn changed<'l>(&'l self, before: &'l Self) -> impl Iterator<Item = Shard> + 'l {
        let changed = |(shard, of): (Shard, &ShardLedger)| {
            (before.shards.of(shard) != Some(of)).then_some(shard)
        };
        self.shards.iter().filter_map(changed)
    }

    /// True if the rows of this set that were found on each shard are those that are known.
    pub(crate) fn tells(&self, set: Set, found: &PerShard<SetHashes>) -> bool {
        Shard::all().all(|shard| {
            let found = found.of(shard).copied().unwrap_or_default();
            found.of(set) == self.of(shard).hashes.of(set)
        })
    }

    /// The last entry that was sealed, on whichever shard; none if none was.
    pub(crate) fn sealed(&self) -> Option<Sequence> {
        self.shards.values().filter_map(|of| of.sealed).max()
    }

    /// The part that stands in the head of a shard.
    pub(crate) fn part(&self, shard: Shard) -> Packed {
        let of = self.of(shard);
        Packed {
            outside: self.outside,
            numbered: self.numbered,
            sealed: of.sealed,
            others: self.others(shard),
            hashes: of.hashes,
        }
    }
}

/// What is encrypted beside the head of a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) outside: bool,
    pub(crate) numbered: Option<u64>,
    pub(crate) sealed: Option<Sequence>,
    /// The sum of the heads of all other shards, as they stood then.
    pub(crate) others: SetHash,
    pub(crate) hashes: SetHashes,
}

impl Packed {
    /// The packed form, with the secret of the sums.
    pub(crate) fn pack(&self, secret: &Secret) -> Zeroizing<Vec<u8>> {
        let mut packed = Zeroizing::new(Vec::with_capacity(96 + SETS * 32));
        packed.push(FORM);
        packed.extend_from_slice(secret.expose());
        packed.push(self.outside.into());
        // No log has so many entries.
        let sealed = self.sealed.unwrap_or(u64::MAX);
        packed.extend_from_slice(&sealed.to_be_bytes());
        let numbered = self.numbered.unwrap_or(u64::MAX);
        packed.extend_from_slice(&numbered.to_be_bytes());
        // Most sets of most shards are empty: a bit for each says which are not.
        let hashes = self.hashes.0.iter();
        let some = hashes.filter(|hash| **hash != SetHash::default());
        packed.extend_from_slice(&self.filled().to_be_bytes());
        for lane in [&self.others]
            .into_iter()
            .chain(some)
            .flat_map(|hash| hash.0)
        {
            packed.extend_from_slice(&lane.to_be_bytes());
        }
        packed
    }

    /// The sets that are not empty, a bit for each.
    fn filled(&self) -> u32 {
        const { assert!(SETS <= 32) };
        let hashes = self.hashes.0.iter().enumerate();
        hashes.fold(0, |filled, (set, hash)| {
            filled | u32::from(*hash != SetHash::default()) << set
        })
    }

    /// This and the secret from their packed form; none if malformed.
    pub(crate) fn unpack(packed: &[u8]) -> Option<(Self, Secret)> {
        let (form, rest) = packed.split_first()?;
        let (secret, rest) = rest.split_first_chunk()?;
        let (outside, rest) = rest.split_first()?;
        let (sealed, rest) = rest.split_first_chunk()?;
        let sealed = u64::from_be_bytes(*sealed);
        let (numbered, rest) = match *form {
            FORM | SECOND_FORM => rest
                .split_first_chunk()
                .map(|(n, rest)| (u64::from_be_bytes(*n), rest))?,
            FIRST_FORM => (u64::MAX, rest),
            _ => return None,
        };
        let (filled, rest) = match *form {
            FORM => rest
                .split_first_chunk()
                .map(|(bits, rest)| (Some(u32::from_be_bytes(*bits)), rest))?,
            _ => (None, rest),
        };
        let (sums, []) = rest.as_chunks() else {
            return None;
        };
        let mut sums = sums.iter().map(SetHash::of_bytes);
        let (others, filled) = match filled {
            Some(filled) => (sums.next()?, filled.into()),
            // All that there were then, which are the first of those that there are.
            None => (SetHash::default(), (1_u64 << sums.len().min(SETS)) - 1),
        };
        let mut unpacked = Self {
            outside: *outside != 0,
            numbered: (numbered != u64::MAX).then_some(numbered),
            sealed: (sealed != u64::MAX).then_some(sealed),
            others,
            hashes: SetHashes::default(),
        };
        for (set, hash) in unpacked.hashes.0.iter_mut().enumerate() {
            if filled >> set & 1 == 1 {
                *hash = sums.next()?;
            }
        }
        // One that is left is of a set that is not known here.
        if sums.next().is_some() {
            return None;
        }
        Some((unpacked, Secret::new(*secret)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let mut part = Packed {
            sealed: Some(3),
            outside: true,
            numbered: Some(7),
            others: SetHash([9, 8, u64::MAX, 6]),
            ..Packed::default()
        };
        part.hashes.0[SETS - 1].0 = [1, 2, 3, u64::MAX];
        let mut whole = part;
        whole.hashes.0 = [SetHash([4, 5, 6, 7]); SETS];
        for part in [part, whole, Packed::default()] {
            let secret = Secret::new([5; 32]);
            let packed = part.pack(&secret);
            let filled = part.filled().count_ones() as usize;
            assert_eq!(packed.len(), 1 + 32 + 1 + 8 + 8 + 4 + 32 + filled * 32);
            let (found, of) = Packed::unpack(&packed).unwrap();
            assert_eq!((found, of.expose()), (part, secret.expose()));
            assert!(Packed::unpack(&packed[1..]).is_none());
            assert!(Packed::unpack(&packed[..packed.len() - 1]).is_none());
            assert!(Packed::unpack(&[&packed[..], &[0; 32]].concat()).is_none());
        }
    }

    /// The forms before had the sums of all sets that there were, and since then there may be more.
    #[test]
    fn older_forms_are_read_with_as_many_sets_as_they_had() {
        let secret = Secret::new([5; 32]);
        for sets in 0..=SETS {
            let mut part = Packed {
                sealed: Some(3),
                numbered: Some(7),
                ..Packed::default()
            };
            let hashes = part.hashes.0[..sets].iter_mut().enumerate();
            hashes.for_each(|(set, hash)| hash.0 = [4, 5, 6, set as u64 + 1]);
            let numbers = 1 + 32 + 1 + 8;
            let mut second = part.pack(&secret).to_vec();
            second.drain(numbers + 8..numbers + 8 + 4 + 32);
            second[0] = SECOND_FORM;
            assert_eq!(Packed::unpack(&second).unwrap().0, part);
            assert!(Packed::unpack(&second[..second.len() - 1]).is_none());
            let mut first = second.clone();
            first.drain(numbers..numbers + 8);
            first[0] = FIRST_FORM;
            let unknown = Packed {
                numbered: None,
                ..part
            };
            assert_eq!(Packed::unpack(&first).unwrap().0, unknown);
            let more = [&second[..], &vec![0; 32 * (SETS + 1 - sets)]].concat();
            assert!(Packed::unpack(&more).is_none(), "a set that is not known");
        }
    }

    #[test]
    fn a_set_that_is_not_known_is_not_read() {
        let packed = Packed::default().pack(&Secret::new([5; 32])).to_vec();
        let mut later = [&packed[..], &[7; 32]].concat();
        later[1 + 32 + 1 + 8 + 8..][..4].copy_from_slice(&(1_u32 << SETS).to_be_bytes());
        assert!(Packed::unpack(&later).is_none());
    }

    #[test]
    fn each_shard_is_bound_to_all_others() {
        let shards = [0, 5, 63].map(|number| Shard::new(number).unwrap());
        let mut ledger = Ledger::default();
        for (place, shard) in shards.into_iter().enumerate() {
            ledger.of_mut(shard).element = SetHash([1 << place, 0, 0, 0]);
        }
        let others = shards.map(|shard| ledger.others(shard).0[0]);
        assert_eq!(others, [6, 5, 3]);
    }
}
