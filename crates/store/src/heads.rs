//! The heads of all shards: what the writer holds in memory, and what is stored.
//!
//! ```text
//! a transaction ─► shards that changed ─► the next generation ─► their heads, each with the sum of all others
//! ```
//! Only the heads of shards that changed are written. Each of these knows how all others stood (their sum, in the
//! ledger), so that no shard can be put back alone: the heads that were written last would tell. Read next:
//! [`crate::row::head`], [`crate::ledger`], [`crate::slice`].

use crate::cipher::Keys;
use crate::digest::{ORIGIN, RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::ledger::{Ledger, Packed, ShardLedger};
use crate::row::head::{self, Counts, Head, Stored};
use crate::row::{RowError, attestation};
use crate::set::SetKey;
use crate::shard::{PerShard, Shard};
use crate::sql::Session;
use domain::event::Sequence;
use domain::time::Timestamp;

/// The fault of a head whose ledger does not decrypt.
const MISFIT: &str = "it does not fit what binds the rows";

/// The fault of heads of which some are older than the others.
const TORN: &str = "a shard is older than the others";

/// The heads of all shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heads {
    /// The last digest there was before there were shards; zeros if there were always.
    pub(crate) base: Sum,
    all: PerShard<Head>,
}

impl Heads {
    pub(crate) fn of(&self, shard: Shard) -> Head {
        let head = self.all.of(shard).copied();
        head.unwrap_or_else(|| Head::first(shard, &self.base))
    }

    pub(crate) fn of_mut(&mut self, shard: Shard) -> &mut Head {
        let base = &self.base;
        self.all.of_or(shard, || Head::first(shard, base))
    }

    /// The shards that have one, in order.
    pub(crate) fn shards(&self) -> impl Iterator<Item = Shard> {
        self.all.iter().map(|(shard, _)| shard)
    }

    /// The head of the shard that has the last entry of the log, with the numbers of all rows and the latest time.
    pub(crate) fn end(&self) -> Head {
        let all = self.all.values().filter(|head| head.sequence > 0);
        let last = all.max_by_key(|head| head.sequence).copied();
        let last = last.unwrap_or_else(|| self.of(Shard::ZERO));
        Head {
            time: self.time(),
            counts: self.counts(),
            ..last
        }
    }

    /// The last entry of the log, on whichever shard.
    pub(crate) fn sequence(&self) -> Sequence {
        let all = self.all.values().map(|head| head.sequence);
        all.max().unwrap_or(0)
    }

    /// The latest time of an entry.
    pub(crate) fn time(&self) -> Timestamp {
        let all = self.all.values().map(|head| head.time);
        all.max().unwrap_or_default()
    }

    /// The numbers of all rows.
    pub(crate) fn counts(&self) -> Counts {
        self.all.values().map(|head| head.counts).sum()
    }

    /// The shards whose head is another one here.
    pub(crate) fn changed<'h>(&'h self, before: &'h Self) -> impl Iterator<Item = Shard> + 'h {
        let changed = |shard: &Shard| self.all.of(*shard) != before.all.of(*shard);
        self.shards().filter(changed)
    }
}

/// The stored heads.
#[derive(Clone, Debug)]
pub(crate) struct StoredHeads {
    pub(crate) heads: Heads,
    /// The number of transactions that changed something; 0 before the first.
    pub(crate) generation: u64,
    /// A digest of all of them, which identifies the whole state of this generation.
    pub(crate) digest: Sum,
    rows: Vec<Stored>,
}

impl StoredHeads {
    /// Reads the stored heads; empty before the first transaction.
    pub(crate) fn read(session: Session<'_>) -> Result<Self, RowError> {
        let rows = Stored::all(session)?;
        let heads = rows.iter().map(|stored| (stored.shard, stored.head));
        Ok(Self {
            heads: Heads {
                base: attestation::base(session)?,
                all: heads.collect(),
            },
            generation: rows.iter().map(|it| it.generation).max().unwrap_or(0),
            digest: of_all(rows.iter().map(|it| (it.shard, &it.digest))),
            rows,
        })
    }

    /// True if they bind the rows.
    pub(crate) fn is_bound(&self) -> bool {
        self.rows.iter().any(|stored| stored.cipher.is_some())
    }

    /// The ledger of a state whose rows are not bound, or whose are not known.
    pub(crate) fn bare(&self) -> Ledger {
        let shards = self.rows.iter().map(|stored| {
            let of = ShardLedger {
                digest: stored.digest,
                ..ShardLedger::default()
            };
            (stored.shard, of)
        });
        Ledger {
            generation: self.generation,
            shards: shards.collect(),
            ..Ledger::default()
        }
    }

    /// The ledger, and the secret of the sums; none if rows are not bound.
    pub(crate) fn ledger(&self, keys: &Keys) -> Result<Option<(Ledger, SetKey)>, RowError> {
        if !self.is_bound() {
            return Ok(None);
        }
        let forged = || RowError::forged(head::TABLE, MISFIT);
        let (mut ledger, mut key, mut told) = (self.bare(), None, Vec::new());
        for stored in &self.rows {
            let cipher = stored.cipher.as_ref().ok_or_else(forged)?;
            let beside = stored.beside();
            let packed = match keys.decrypt(cipher, &beside, head::TABLE, "") {
                Err(RowError::Corrupt(_)) => return Err(forged()),
                packed => packed?,
            };
            let (packed, secret) = Packed::unpack(&packed).ok_or_else(forged)?;
            let key: &SetKey = key.get_or_insert_with(|| SetKey::new(secret.clone()));
            if key.secret.expose() != secret.expose() {
                return Err(forged());
            }
            let of = ledger.of_mut(stored.shard);
            (of.sealed, of.hashes) = (packed.sealed, packed.hashes);
            of.element = key.of_head(stored.shard, &beside);
            // What was written last knows best.
            if stored.generation == self.generation {
                (ledger.outside, ledger.numbered) = (packed.outside, packed.numbered);
                told.push((stored.shard, packed.others));
            }
        }
        let torn = told
            .iter()
            .any(|(shard, others)| ledger.others(*shard) != *others);
        match (torn, key) {
            (true, _) => Err(RowError::forged(head::TABLE, TORN)),
            (false, key) => Ok(key.map(|key| (ledger, key))),
        }
    }
}

/// A digest over all heads, in order. Where there is one alone, that of shard 0, it is its own.
pub(crate) fn of_all<'s>(digests: impl Iterator<Item = (Shard, &'s Sum)>) -> Sum {
    let digests: Vec<_> = digests.collect();
    match digests[..] {
        [] => ORIGIN,
        [(Shard::ZERO, digest)] => *digest,
        _ => {
            let all = digests.into_iter();
            let all = all.fold(RowDigest::of(head::TABLE), |all, (shard, digest)| {
                all.number(shard.column()).bytes(digest)
            });
            all.sum()
        }
    }
}

/// Writes the heads of these shards, as the next generation.
pub(crate) fn write(
    session: Session<'_>,
    heads: &Heads,
    changed: &[Shard],
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    encryptor.ledger.generation += 1;
    let generation = encryptor.ledger.generation;
    // First all of them, since each tells of the others.
    for shard in changed {
        let beside = head::beside(*shard, &heads.of(*shard), generation);
        encryptor.headed(*shard, &beside);
    }
    for shard in changed {
        let mut stored = Stored {
            shard: *shard,
            head: heads.of(*shard),
            generation,
            digest: ORIGIN,
            cipher: None,
        };
        stored.cipher = encryptor.packed(*shard, &stored.beside());
        stored.digest = stored.computed();
        encryptor.ledger.of_mut(*shard).digest = stored.digest;
        stored.write(session)?;
    }
    Ok(())
}
