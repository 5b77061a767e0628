//! The checkpoints of one slice: what may be removed of each shard, and what was.
//!
//! They are written before anything is removed, for the database asks for them, and signed when the slice is
//! complete. Read next: [`crate::row::checkpoint`].

use crate::digest::Sum;
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::heads::Heads;
use crate::row::RowError;
use crate::row::checkpoint::Checkpoint;
use crate::shard::{PerShard, Shard};
use crate::sign::Signer;
use crate::sql::Session;
use domain::event::Sequence;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The checkpoints of all shards, as stored and as they become.
pub(super) struct Cut {
    base: Sum,
    stored: PerShard<Checkpoint>,
    now: PerShard<Checkpoint>,
}

impl Cut {
    pub(super) fn begin(session: Session<'_>, base: Sum) -> Result<Self, RowError> {
        let stored = Checkpoint::all(session)?;
        Ok(Self {
            base,
            now: stored.clone(),
            stored,
        })
    }

    fn of(&mut self, shard: Shard) -> &mut Checkpoint {
        let base = &self.base;
        self.now.of_or(shard, || Checkpoint::none(shard, base))
    }

    /// Allows that tasks go which had ended by then.
    pub(super) fn allow(
        &mut self,
        session: Session<'_>,
        ended: Vec<(Shard, Timestamp)>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let mut latest = BTreeMap::new();
        for (shard, at) in ended {
            let of: &mut Timestamp = latest.entry(shard).or_insert(at);
            *of = at.max(*of);
        }
        for (shard, at) in latest {
            let checkpoint = self.of(shard);
            checkpoint.ended_by = checkpoint.ended_by.max(at);
            checkpoint.write(session, shard, None, encryptor)?;
        }
        Ok(())
    }

    /// Moves the beginning of each of these shards' chains behind an entry; returns the last of these.
    pub(super) fn behind(
        &mut self,
        session: Session<'_>,
        ends: &PerShard<(Sequence, Sum)>,
        encryptor: &mut Encryptor,
    ) -> Result<Sequence, SqlFailure> {
        for (shard, end) in ends.iter() {
            let checkpoint = self.of(shard);
            (checkpoint.sequence, checkpoint.chain) = *end;
            checkpoint.write(session, shard, None, encryptor)?;
        }
        Ok(until(&self.now))
    }

    /// Counts what was removed between these heads, and writes and signs the checkpoints that changed.
    pub(super) fn write(
        &mut self,
        session: Session<'_>,
        (before, after): (&Heads, &Heads),
        at: Timestamp,
        signer: Option<&dyn Signer>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        for shard in after.changed(before) {
            let (before, after) = (before.of(shard).counts, after.of(shard).counts);
            let checkpoint = self.of(shard);
            checkpoint.tasks += before.tasks - after.tasks;
            checkpoint.exchanges += before.exchanges - after.exchanges;
            checkpoint.data += before.data - after.data;
        }
        for (shard, checkpoint) in self.now.iter_mut() {
            if self.stored.of(shard) != Some(checkpoint) {
                checkpoint.time = at;
                checkpoint.write(session, shard, signer, encryptor)?;
            }
        }
        Ok(())
    }

    /// The number of entries that were cut off.
    pub(super) fn entries(&self) -> u64 {
        until(&self.now) - until(&self.stored)
    }
}

/// The last entry that is cut off.
fn until(checkpoints: &PerShard<Checkpoint>) -> Sequence {
    let all = checkpoints.values().map(|checkpoint| checkpoint.sequence);
    all.max().unwrap_or(0)
}
