//! The walk along the chains of all shards, which is one walk over the log.
//!
//! Read next: [`super`], the tables.

use super::Walk;
use crate::digest::Sum;
use crate::heads::{self, Heads};
use crate::read::ReadError;
use crate::row::checkpoint::Checkpoint;
use crate::row::head::{self, Counts, Head, origin};
use crate::row::seal::{self, Seal};
use crate::row::{RowError, column, entry};
use crate::shard::{PerShard, Shard};
use crate::verify::ShardReport;
use domain::event::Sequence;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The findings of a walk along the chains.
pub(super) struct Chains {
    pub(super) entries: u64,
    pub(super) erased: u64,
    pub(super) last: Sequence,
    pub(super) ended: Option<Timestamp>,
    /// The end of each chain that has one: its last entry, its time if it is there, and its digest.
    ends: PerShard<(Sequence, Option<Timestamp>, Sum)>,
    base: Sum,
}

impl Chains {
    /// The end of a chain, or where it begins.
    fn end(&self, shard: Shard) -> (Sequence, Option<Timestamp>, Sum) {
        let end = self.ends.of(shard).copied();
        end.unwrap_or_else(|| (0, None, origin(shard, &self.base)))
    }

    /// What was found of each shard that has a chain or rows.
    pub(super) fn shards(&self, counts: &PerShard<Counts>) -> Vec<ShardReport> {
        let found = Shard::all().map(|shard| ShardReport {
            shard,
            last: self.end(shard).0,
            counts: counts.of(shard).copied().unwrap_or_default(),
        });
        let is_there = |it: &ShardReport| it.last > 0 || it.counts != Counts::default();
        found.filter(is_there).collect()
    }

    /// What covers all entries: the end of the chain of shard 0, or, if there are others, of all of them.
    pub(super) fn digest(&self) -> Sum {
        let ends = self.ends.iter();
        heads::of_all(ends.map(|(shard, (_, _, sum))| (shard, sum)))
    }
}

impl Walk<'_, '_> {
    /// Walks the log once, and along the chains of all shards, from their checkpoints on; each must be as sealed at
    /// the place of its seal.
    pub(super) fn chains(
        &mut self,
        checkpoints: &PerShard<Checkpoint>,
        seals: &PerShard<Seal>,
        base: &Sum,
    ) -> Result<Chains, ReadError> {
        let begins = checkpoints.iter().filter(|(_, cut)| cut.sequence > 0);
        let mut chains = Chains {
            entries: 0,
            erased: 0,
            last: checkpoints
                .values()
                .map(|cut| cut.sequence)
                .max()
                .unwrap_or(0),
            ended: None,
            ends: begins
                .map(|(shard, cut)| (shard, (cut.sequence, None, cut.chain)))
                .collect(),
            base: *base,
        };
        let heads = seals.iter().map(|(shard, seal)| (shard, seal.head));
        let mut broken_seals: BTreeMap<Shard, Head> = heads
            .filter(|(shard, seal)| {
                let (first, _, digest) = chains.end(*shard);
                seal.sequence >= first && (seal.sequence, seal.chain) != (first, digest)
            })
            .collect();
        let (signer, keys) = (self.how.signer, self.keys);
        let mut signatures = 0;
        chains.entries = self.table(entry::TABLE, entry::ALL, |row| {
            let step = entry::linked(row, chains.last + 1, |shard, before| {
                let (end, _, digest) = chains.end(shard);
                let corrupt = || RowError::corrupt(entry::TABLE, chains.last + 1);
                (end == before).then_some(digest).ok_or_else(corrupt)
            });
            // Goes on behind damage, so that one flipped bit is one fault and not thousands.
            chains.last = column(row, 0, entry::TABLE, "")
                .map(|found: i64| found as Sequence)
                .unwrap_or(chains.last + 1);
            let before = chains.ended;
            if let Ok(time) = row.get(1) {
                chains.ended = Some(Timestamp::from_ms(time));
            }
            let shard: Shard = row.get(entry::SHARD).unwrap_or_default();
            if let Ok(stored) = row.get(4) {
                let end = (chains.last, chains.ended, stored);
                chains.ends.set(shard, end);
                let sealed = broken_seals.get(&shard);
                if sealed.is_some_and(|s| (s.sequence, s.chain) == (chains.last, stored)) {
                    broken_seals.remove(&shard);
                }
            }
            let read = step?;
            if let Some(erased) = &read.erased {
                chains.erased += 1;
                if let Some(signer) = signer {
                    signatures += 1;
                    if !erased.is_signed(signer, chains.last) {
                        return Err(RowError::corrupt(entry::TABLE, chains.last));
                    }
                }
            }
            if before > chains.ended {
                return Err(RowError::corrupt(entry::TABLE, chains.last));
            }
            read.open(keys).map(drop)
        })?;
        self.signatures += signatures;
        for seal in broken_seals.values() {
            self.fault(seal::TABLE, seal.sequence);
        }
        Ok(chains)
    }

    /// Compares the heads with the findings; the time of an entry that was cut off is unknown.
    pub(super) fn heads(&mut self, heads: &Heads, chains: &Chains, counts: &PerShard<Counts>) {
        for shard in Shard::all() {
            let (head, (sequence, time, chain)) = (heads.of(shard), chains.end(shard));
            let found = Head {
                sequence,
                time: time.unwrap_or(head.time),
                chain,
                counts: counts.of(shard).copied().unwrap_or_default(),
            };
            if head != found {
                self.fault(head::TABLE, found.sequence);
            }
        }
    }
}
