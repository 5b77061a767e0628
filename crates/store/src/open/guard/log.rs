//! The log at an opening: from what is sealed to the end that the heads state.
//!
//! Read next: [`super`], all that is checked.

use super::Guard;
use crate::read::chains::{Chains, digest_at};
use crate::read::log;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, entry, head, seal};
use crate::shard::{PerShard, Shard};
use crate::sql::values;
use domain::event::Sequence;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The number of entries at the end of the log that every opening reads; for those before, back to
/// the seal, only the chain is checked.
const READ_ENTRIES: u64 = 1_000;

impl Guard<'_> {
    /// Checks that the log is a chain for each shard, from what is sealed, and from the last entries in any case,
    /// to the end that its head states.
    pub(super) fn check_log(&self) -> Result<(), RowError> {
        let (session, heads) = (self.tables.session, &self.stored.heads);
        let last = log::last(session)?;
        if last != heads.sequence() {
            return Err(RowError::corrupt(entry::TABLE, last));
        }
        let read_from = last.saturating_sub(READ_ENTRIES);
        let growing = self.seals.iter().filter(|(shard, seal)| {
            let sealed = seal.head.sequence;
            sealed < heads.of(*shard).sequence
        });
        let sealed = growing.map(|(_, seal)| seal.head.sequence).min();
        let after = sealed.map_or(read_from, |sealed| sealed.min(read_from));
        let mut chains = Chains::behind(session, after)?;
        let after = chains.last;
        self.check_seals(after)?;
        let mut times = PerShard::default();
        session.query(entry::BEHIND, values![after as i64, i64::MAX], |row| {
            let linked = chains.linked(row)?;
            let seal = self.seals.of(linked.shard).map(|seal| &seal.head);
            if seal.is_some_and(|seal| seal.sequence == linked.sequence && seal.chain != linked.sum)
            {
                return Err(RowError::forged(seal::TABLE, seal::NOT_THE_LAST));
            }
            times.set(linked.shard, linked.time);
            if linked.sequence > read_from {
                linked.open(self.tables.keys)?;
            }
            Ok::<_, RowError>(ControlFlow::Continue(()))
        })?;
        let found = times.iter().map(|(shard, _)| shard);
        let shards: BTreeSet<Shard> = heads.shards().chain(found).collect();
        for shard in shards {
            let head = heads.of(shard);
            // Nothing tells the time of an entry that was cut off, or is not read here.
            let end = match (chains.ends.of(shard), times.of(shard)) {
                (Some((sequence, sum)), Some(time)) => Some((*sequence, *sum, *time)),
                _ => digest_at(session, shard, head.sequence)?
                    .map(|sum| (head.sequence, sum, head.time)),
            };
            if end != Some((head.sequence, head.chain, head.time)) {
                return Err(RowError::corrupt(head::TABLE, head.sequence));
            }
        }
        Ok(())
    }

    /// Checks the seals of shards whose sealed entry is not behind this one: each is in the chain, as far as that was
    /// not cut off, and none is of an entry that there is not yet.
    fn check_seals(&self, after: Sequence) -> Result<(), RowError> {
        let session = self.tables.session;
        for (shard, seal) in self.seals.iter() {
            let (sealed, last) = (seal.head.sequence, self.stored.heads.of(shard).sequence);
            let is_cut = |cut: &Checkpoint| cut.sequence > sealed;
            let is_looked_up = sealed <= after
                && !Checkpoint::of_shard(session, shard)?.is_some_and(|cut| is_cut(&cut));
            let is_sound = match is_looked_up {
                true => digest_at(session, shard, sealed)? == Some(seal.head.chain),
                false => true,
            };
            if !is_sound || sealed > last {
                return Err(RowError::forged(seal::TABLE, seal::NOT_THE_LAST));
            }
        }
        Ok(())
    }
}
