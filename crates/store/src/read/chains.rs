//! The way along the chains of all shards, from one entry of the log to the next.
//!
//! All entries have one count, and each is linked to the one before it on its shard: what is not known from what was
//! read is looked up, once for each shard. Read next: [`super::log`], `row::entry`.

use crate::cipher::Keys;
use crate::digest::Sum;
use crate::row::checkpoint::Checkpoint;
use crate::row::entry::{self, Linked, Read};
use crate::row::head::origin;
use crate::row::{RowError, attestation};
use crate::shard::{PerShard, Shard};
use crate::sql::{Row, Session};
use domain::event::Sequence;

/// The ends of the chains, as far as they are known.
pub(crate) struct Chains<'s> {
    session: Session<'s>,
    /// The last entry that was read, or the one before the first that will be.
    pub(crate) last: Sequence,
    pub(crate) ends: PerShard<(Sequence, Sum)>,
}

impl<'s> Chains<'s> {
    /// Before all entries behind `after`, or all there are if the log begins later.
    pub(crate) fn behind(session: Session<'s>, after: Sequence) -> Result<Self, RowError> {
        let mut chains = Self {
            session,
            last: after,
            ends: PerShard::default(),
        };
        // Its damage is found here, and not behind entries that were left out.
        let cut = Checkpoint::last(session)?;
        match cut {
            Some((shard, cut)) if after <= cut.sequence => {
                chains.last = cut.sequence;
                if cut.sequence > 0 {
                    chains.ends.set(shard, (cut.sequence, cut.chain));
                }
            }
            _ if after > 0 => {
                let found = entry::stored_digest(session, after)?;
                let (shard, sum) = found.ok_or_else(|| RowError::corrupt(entry::TABLE, after))?;
                chains.ends.set(shard, (after, sum));
            }
            _ => {}
        }
        Ok(chains)
    }

    /// Reads the next row of [`entry::BEHIND`], and checks it against the one before it on its shard.
    pub(crate) fn linked(&mut self, row: &Row<'_>) -> Result<Linked, RowError> {
        let previous = |shard, before| self.digest(shard, before);
        let linked = entry::linked(row, self.last + 1, previous)?;
        self.last = linked.sequence;
        self.ends.set(linked.shard, (linked.sequence, linked.sum));
        Ok(linked)
    }

    /// The same with the body.
    pub(crate) fn read(&mut self, row: &Row<'_>, keys: &Keys) -> Result<Read, RowError> {
        self.linked(row)?.open(keys)
    }

    /// The digest of the entry of a shard that the next one says to be the one before it.
    fn digest(&self, shard: Shard, sequence: Sequence) -> Result<Sum, RowError> {
        let corrupt = || RowError::corrupt(entry::TABLE, self.last + 1);
        match self.ends.of(shard) {
            Some((end, sum)) if *end == sequence => Ok(*sum),
            Some(_) => Err(corrupt()),
            None => digest_at(self.session, shard, sequence)?.ok_or_else(corrupt),
        }
    }
}

/// The digest at one place of a shard's chain: of an entry that is there, of the last one that was cut off, or, at 0,
/// where the chain begins; none if there is nothing of the shard.
pub(crate) fn digest_at(
    session: Session<'_>,
    shard: Shard,
    sequence: Sequence,
) -> Result<Option<Sum>, RowError> {
    if sequence == 0 {
        let is_first = Checkpoint::of_shard(session, shard)?.is_none_or(|cut| cut.sequence == 0);
        return match is_first {
            true => Ok(Some(origin(shard, &attestation::base(session)?))),
            false => Ok(None),
        };
    }
    match entry::stored_digest(session, sequence)? {
        Some((of, sum)) if of == shard => Ok(Some(sum)),
        Some(_) => Ok(None),
        None => {
            let cut = Checkpoint::of_shard(session, shard)?;
            let cut = cut.filter(|cut| cut.sequence == sequence);
            Ok(cut.map(|cut| cut.chain))
        }
    }
}
