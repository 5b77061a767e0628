//! The binding of the rows as a whole: a keyed hash of each set of rows, updated row by row.
//!
//! A row's own code proves its origin; it does not prove that the row is the latest, nor that none
//! is missing. So the head of each shard carries, for each set of its rows, the sum of
//! ```text
//! HMAC(secret, set ‖ number of the row, 8 bytes ‖ SHA-256 of the row)
//! ```
//! over these, in four lanes of 64 bits: the additive multiset hash of Clarke, Devadas, van
//! Dijk, Gassend and Suh, *Incremental Multiset Hash Functions* (2003). An inserted row is added, a
//! deleted one subtracted, so a commit costs in proportion to its changes. The sums are encrypted
//! in the head, with the secret: without reading a sum nothing is learned of its summands, so that
//! rows cannot be chosen to fit one. A missing, additional or outdated row changes the sum of its
//! set, and putting back the sums means putting back the head, which [`crate::outside`] detects.
//!
//! Sets that opening reads are small or their own: they are summed up at each opening. The others
//! are summed up by `verify`. Read next: [`crate::mac`], `row::head`.

use crate::digest::{Sum, of_bytes};
use crate::keys::Secret;
use crate::mac::{Keyed, derive};
use crate::row::RowError;
use crate::shard::{PerShard, Shard};
use crate::sql::Session;
use std::ops::ControlFlow;

/// The fault of a table whose rows do not sum up to the value in the head.
pub(crate) const STALE: &str = "rows are missing, were added, or are older than the last";

/// A set of rows. Its number is stored: never change one, append. Older states know fewer, of which the sums of
/// all others are those of no rows ([`crate::ledger`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    OpenTask = 0,
    EndedTask = 1,
    Exchange = 2,
    DataParam = 3,
    DataChunk = 4,
    OpenNegotiation = 5,
    EndedNegotiation = 6,
    Registration = 7,
    Team = 8,
    PushConfig = 9,
    Document = 10,
    Observation = 11,
    Cursor = 12,
    DataKey = 13,
    Period = 14,
    Checkpoint = 15,
    Erasure = 16,
    /// Entries of the log whose body was erased; the chain alone does not cover them.
    ErasedEntry = 17,
    Attestation = 18,
}

pub(crate) const SETS: usize = Set::ALL.len();

/// The number in the place of a set for the heads of shards.
const HEADS: u8 = 255;

impl Set {
    pub(crate) const ALL: &[Self] = &[
        Self::OpenTask,
        Self::EndedTask,
        Self::Exchange,
        Self::DataParam,
        Self::DataChunk,
        Self::OpenNegotiation,
        Self::EndedNegotiation,
        Self::Registration,
        Self::Team,
        Self::PushConfig,
        Self::Document,
        Self::Observation,
        Self::Cursor,
        Self::DataKey,
        Self::Period,
        Self::Checkpoint,
        Self::Erasure,
        Self::ErasedEntry,
        Self::Attestation,
    ];

    /// The sets that every opening sums up.
    pub(crate) fn at_opening() -> Vec<Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|set| set.is_at_opening()).collect()
    }

    /// True if decisions are based on it, and it does not grow with ended tasks.
    fn is_at_opening(self) -> bool {
        match self {
            Self::OpenTask
            | Self::OpenNegotiation
            | Self::Registration
            | Self::Document
            | Self::Observation
            | Self::Cursor
            | Self::DataKey
            | Self::Period
            | Self::Checkpoint
            | Self::Attestation => true,
            Self::EndedTask
            | Self::Exchange
            | Self::DataParam
            | Self::DataChunk
            | Self::EndedNegotiation
            | Self::Team
            | Self::PushConfig
            | Self::Erasure
            | Self::ErasedEntry => false,
        }
    }

    /// The table that holds the rows.
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::OpenTask | Self::EndedTask => "task",
            Self::Exchange => "exchange",
            Self::DataParam => "data_param",
            Self::DataChunk => "data_chunk",
            Self::OpenNegotiation | Self::EndedNegotiation => "negotiation",
            Self::Registration => "registration",
            Self::Team => "team",
            Self::PushConfig => "push_config",
            Self::Document => "document",
            Self::Observation => "observation",
            Self::Cursor => "cursor",
            Self::DataKey => "data_key",
            Self::Period => "period",
            Self::Checkpoint => "checkpoint",
            Self::Erasure => "erasure",
            Self::ErasedEntry => "log",
            Self::Attestation => "attestation",
        }
    }

    /// The query for the rows: their numbers, 0 where the key is a text, their digests, and their shards.
    fn rows(self) -> String {
        let table = self.table();
        match self {
            Self::OpenTask => "SELECT number, digest, shard FROM task WHERE ended = 0".to_owned(),
            // Not by the index: that would look at each page as often as it has rows. What is neither open
            // nor ended is in no list, and so it is in no sum.
            Self::EndedTask => {
                "SELECT number, digest, shard FROM task NOT INDEXED WHERE ended = 1".to_owned()
            }
            Self::OpenNegotiation => {
                "SELECT number, digest, shard FROM negotiation WHERE state = 'open'".to_owned()
            }
            Self::EndedNegotiation => {
                "SELECT number, digest, shard FROM negotiation NOT INDEXED WHERE state <> 'open'"
                    .to_owned()
            }
            Self::Registration | Self::Cursor | Self::Erasure => {
                format!("SELECT 0, digest, 0 FROM {table}")
            }
            Self::DataKey | Self::Period | Self::Attestation => {
                format!("SELECT number, digest, 0 FROM {table}")
            }
            Self::Checkpoint => "SELECT 0, digest, shard FROM checkpoint".to_owned(),
            Self::ErasedEntry => {
                "SELECT sequence, erased, shard FROM log WHERE erased IS NOT NULL".to_owned()
            }
            Self::Exchange
            | Self::DataParam
            | Self::DataChunk
            | Self::Team
            | Self::PushConfig
            | Self::Document
            | Self::Observation => format!("SELECT number, digest, shard FROM {table}"),
        }
    }

    /// The digest of a row, without the code behind it; of an entry, that of its mark.
    pub(crate) fn sum_of(self, stored: &[u8]) -> Sum {
        match (self, stored.first_chunk()) {
            (Self::ErasedEntry, _) | (_, None) => of_bytes(stored),
            (_, Some(sum)) => *sum,
        }
    }
}

/// The secret of the sums.
#[derive(Clone)]
pub(crate) struct SetKey {
    pub(crate) secret: Secret,
    keyed: Keyed,
}

impl SetKey {
    pub(crate) fn new(secret: Secret) -> Self {
        let keyed = Keyed::new(&derive("convoke-store set", &secret, &[]));
        Self { secret, keyed }
    }

    /// The head of a shard, in the sum of all heads.
    pub(crate) fn of_head(&self, shard: Shard, beside: &Sum) -> SetHash {
        self.element(HEADS, shard.column(), beside)
    }

    fn element(&self, set: u8, number: i64, sum: &Sum) -> SetHash {
        SetHash::of_bytes(&self.keyed.code(&[&[set], &number.to_be_bytes(), sum]))
    }
}

/// The hash of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetHash(pub(crate) [u64; 4]);

impl SetHash {
    pub(crate) fn of_bytes(bytes: &Sum) -> Self {
        let mut lanes = [0; 4];
        for (lane, bytes) in lanes.iter_mut().zip(bytes.as_chunks().0) {
            *lane = u64::from_be_bytes(*bytes);
        }
        Self(lanes)
    }

    pub(crate) fn add(&mut self, Self(more): Self) {
        for (lane, more) in self.0.iter_mut().zip(more) {
            *lane = lane.wrapping_add(more);
        }
    }

    fn remove(&mut self, Self(less): Self) {
        for (lane, less) in self.0.iter_mut().zip(less) {
            *lane = lane.wrapping_sub(less);
        }
    }
}

/// The hashes of all sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetHashes(pub(crate) [SetHash; SETS]);

impl SetHashes {
    pub(crate) fn add(&mut self, key: &SetKey, set: Set, number: i64, sum: &Sum) {
        self.0[set as usize].add(key.element(set as u8, number, sum));
    }

    pub(crate) fn remove(&mut self, key: &SetKey, set: Set, number: i64, sum: &Sum) {
        self.0[set as usize].remove(key.element(set as u8, number, sum));
    }

    pub(crate) fn of(&self, set: Set) -> SetHash {
        self.0[set as usize]
    }

    /// Sums up the rows of these sets in the tables, for each shard that has any.
    pub(crate) fn found(
        session: Session<'_>,
        key: &SetKey,
        sets: &[Set],
    ) -> Result<PerShard<Self>, RowError> {
        let mut found = PerShard::default();
        for set in sets {
            session.query(&set.rows(), &[], |row| {
                let corrupt = |column| move |_| RowError::corrupt(set.table(), column);
                let stored = row.bytes(1).map_err(corrupt("digest"))?;
                let shard = row.get(2).map_err(corrupt("shard"))?;
                let of: &mut Self = found.of_or(shard, Self::default);
                of.add(key, *set, row.get(0)?, &set.sum_of(stored));
                Ok::<_, RowError>(ControlFlow::Continue(()))
            })?;
        }
        Ok(found)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_tells_sets_rows_numbers_and_how_often() {
        let key = SetKey::new(Secret::new([7; 32]));
        let sum = |rows: &[(Set, i64, Sum)]| {
            let mut hashes = SetHashes::default();
            for (set, number, sum) in rows {
                hashes.add(&key, *set, *number, sum);
            }
            hashes
        };
        let (a, b) = ((Set::Exchange, 1, [1; 32]), (Set::Exchange, 2, [2; 32]));
        assert_eq!(sum(&[a, b]), sum(&[b, a]));
        let others = [
            vec![],
            vec![a],
            vec![b],
            vec![a, a],
            vec![a, b, b],
            vec![(Set::Exchange, 2, [1; 32]), (Set::Exchange, 1, [2; 32])],
            vec![(Set::Team, 1, [1; 32]), b],
        ];
        for other in &others {
            assert_ne!(sum(&[a, b]), sum(other), "{other:?}");
        }
        let mut left = sum(&[a, b]);
        left.remove(&key, b.0, b.1, &b.2);
        assert_eq!(left, sum(&[a]));
        let stranger = SetKey::new(Secret::new([8; 32]));
        let mut other = SetHashes::default();
        other.add(&stranger, a.0, a.1, &a.2);
        assert_ne!(other, sum(&[a]));
    }

    #[test]
    fn sets_are_numbered_in_order() {
        for (place, set) in Set::ALL.iter().enumerate() {
            assert_eq!(*set as usize, place);
        }
    }
}
