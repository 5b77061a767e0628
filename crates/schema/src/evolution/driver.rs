//! Pool and lineage of one cohort, driven together: fragments in, patches out.
//!
//! Knows the order: insert, gates, linking afresh, gates again, queue, induction, conflicts,
//! proposal. Refuses to know where events are kept and who may approve.

use super::pool::Changes;
use super::{
    ClusterId, Dropped, EvolutionSettings, FragmentSource, Insert, Inserted, Lineage,
    LineageCommand, LineageEvent, LineageRefusal, Pool, PoolError, Resolved, Screen, effective,
    induce, resolve,
};
use crate::patch::Patch;
use crate::semantics::Embedder;
use crate::template::{Key, Template};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A cluster that came to nothing is not looked at again for so long.
const AGAIN_MS: i64 = 3_600_000;

/// The evolution of one scenario, for everyone or for one client. One document; for rows, see
/// [`Pool::head`], [`Pool::row`] and [`Evolution::from_parts`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evolution {
    pool: Pool,
    lineage: Lineage,
}

/// The means that evolution works with; borrowed for one call.
#[derive(Clone, Copy)]
pub struct EvolutionContext<'a> {
    /// The numbers.
    pub settings: &'a EvolutionSettings,
    /// From text to vector.
    pub embedder: &'a dyn Embedder,
    /// The part that may be shown of a fragment.
    pub screen: Screen<'a>,
    /// True if serving a key would expose a capability that clients do not have.
    pub exposes: &'a dyn Fn(&Key) -> bool,
    /// For a client's own lineage, the active patches of everyone's; else empty.
    pub everyones: &'a [Patch],
}

/// A fragment of `other`, or the text of a request for a capability.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// The text said, normalised by [`crate::other`] and meaningful.
    pub text: &'a str,
    /// Its vector.
    pub vector: &'a [f32],
    /// The client that said it.
    pub source: &'a FragmentSource<'a>,
}

/// The consequences of a fragment or of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvolutionOutcome {
    /// The fate of the fragment.
    pub inserted: Option<Inserted>,
    /// Clusters that changed or are gone, the fragment's included: rows to write and to delete.
    pub changes: Changes,
    /// The events of the lineage; applied already.
    pub events: Vec<LineageEvent>,
}

impl Evolution {
    /// Nothing has happened yet.
    ///
    /// # Errors
    /// [`PoolError::Dimensions`] if the embedder's vectors are empty or too long.
    pub fn new(
        base: Template,
        cohort: Option<String>,
        embedder: &dyn Embedder,
    ) -> Result<Self, PoolError> {
        Ok(Self {
            pool: Pool::new(embedder, cohort.is_some())?,
            lineage: Lineage::new(base, cohort),
        })
    }

    /// From what was kept.
    pub fn from_parts(pool: Pool, lineage: Lineage) -> Self {
        Self { pool, lineage }
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The lineage.
    pub fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// The lineage, to count payloads, deliveries and judgements.
    pub fn lineage_mut(&mut self) -> &mut Lineage {
        &mut self.lineage
    }

    /// Takes a fragment in, and does what follows from it. Nothing if pools are off.
    ///
    /// # Errors
    /// [`PoolError`]; nothing has changed then.
    pub fn take(
        &mut self,
        fragment: &Fragment<'_>,
        means: &EvolutionContext<'_>,
        now: Timestamp,
    ) -> Result<EvolutionOutcome, PoolError> {
        let mut outcome = EvolutionOutcome::default();
        if !means.settings.parts.pool {
            return Ok(outcome);
        }
        let Fragment {
            text,
            vector,
            source,
        } = *fragment;
        let insert = Insert {
            text,
            vector,
            source,
            now,
        };
        let inserted = self.pool.insert(&insert, means.settings, means.embedder)?;
        outcome.changes.changed.push(inserted.cluster);
        outcome.changes.removed.extend(inserted.evicted);
        if inserted.ripe && means.settings.parts.patches {
            self.ripened(inserted.cluster, means, now, &mut outcome)?;
        }
        outcome.inserted = Some(inserted);
        Ok(outcome)
    }

    /// Lets time pass: retention, lapses, trials, windows, and the queue. Call it every minute or
    /// hour; nothing is lost between.
    pub fn tick(&mut self, means: &EvolutionContext<'_>, now: Timestamp) -> EvolutionOutcome {
        let mut outcome = EvolutionOutcome {
            changes: self.pool.forget_old(means.settings, now),
            ..EvolutionOutcome::default()
        };
        // Time is never refused.
        let passed = self
            .command(&LineageCommand::Tick, means.settings, now)
            .unwrap_or_default();
        outcome.events.extend(passed);
        self.lineage.forget_old(means.settings, now);
        self.pump(means, now, &mut outcome);
        outcome
    }

    /// Decides and applies a command of people: approve, reject, deprecate, rebase.
    ///
    /// # Errors
    /// [`LineageRefusal`]; nothing has changed then.
    pub fn command(
        &mut self,
        command: &LineageCommand,
        settings: &EvolutionSettings,
        now: Timestamp,
    ) -> Result<Vec<LineageEvent>, LineageRefusal> {
        let events = self.lineage.decide(command, settings, now)?;
        events.iter().for_each(|event| self.lineage.apply(event));
        Ok(events)
    }

    /// Forgets a client: its fragments, and that it received or adopted keys.
    ///
    /// # Errors
    /// [`PoolError::Embedder`] if it is not the pool's.
    pub fn erase(&mut self, client: &str, embedder: &dyn Embedder) -> Result<Changes, PoolError> {
        let changes = self.pool.erase(client, embedder)?;
        self.lineage.erase(client);
        Ok(changes)
    }

    /// Both gates hold: link the neighbourhood afresh, look again, and let the cluster wait for its
    /// turn.
    fn ripened(
        &mut self,
        cluster: ClusterId,
        means: &EvolutionContext<'_>,
        now: Timestamp,
        outcome: &mut EvolutionOutcome,
    ) -> Result<(), PoolError> {
        let again = self.pool.relinked_within(cluster, AGAIN_MS, now);
        if again || self.lineage.is_settled(cluster, now) {
            return Ok(());
        }
        let relinked = self
            .pool
            .relink(cluster, means.settings, means.embedder, now)?;
        // What meant the same as something dealt with is dealt with.
        let known = relinked
            .removed
            .iter()
            .any(|id| self.lineage.is_settled(*id, now));
        outcome.changes.merge(relinked);
        if !known && self.pool.ripe(cluster, means.settings, now) {
            let fired = self.command(&LineageCommand::Fire { cluster }, means.settings, now);
            // A full queue is no loss: the cluster fires again while its gates hold.
            outcome.events.extend(fired.unwrap_or_default());
            self.pump(means, now, outcome);
        }
        Ok(())
    }

    /// Serves the queue while there is room.
    fn pump(
        &mut self,
        means: &EvolutionContext<'_>,
        now: Timestamp,
        outcome: &mut EvolutionOutcome,
    ) {
        loop {
            let Some(cluster) = self.lineage.queue().next() else {
                break;
            };
            let command = self.turn(cluster, means, now);
            let events = match self.command(&command, means.settings, now) {
                Err(LineageRefusal::Collides { .. }) => {
                    let drop = LineageCommand::Drop {
                        cluster,
                        why: Dropped::Pending,
                    };
                    self.command(&drop, means.settings, now)
                }
                other => other,
            };
            match events {
                Ok(events) => outcome.events.extend(events),
                Err(_) => break,
            }
        }
    }

    /// The events for the first in the queue.
    fn turn(
        &self,
        cluster: ClusterId,
        means: &EvolutionContext<'_>,
        now: Timestamp,
    ) -> LineageCommand {
        let drop = |why| LineageCommand::Drop { cluster, why };
        let Some(found) = self.pool.cluster(cluster) else {
            return drop(Dropped::Cooled);
        };
        if !self.pool.ripe(cluster, means.settings, now) {
            return drop(Dropped::Cooled);
        }
        let Some(candidate) = induce(found, means.settings, means.screen) else {
            return drop(Dropped::Unshowable);
        };
        let template = effective(&self.lineage.prospective(), means.everyones);
        let taken = self.lineage.taken();
        let resolved = resolve(
            &candidate,
            &template,
            &taken,
            means.settings,
            means.embedder,
        );
        match resolved {
            None => drop(Dropped::Unshowable),
            Some(Resolved::Refines { refinement, .. })
                if !self.refinable(&refinement.key_name, means) =>
            {
                drop(Dropped::Pending)
            }
            Some(resolved) => LineageCommand::Propose {
                cluster,
                exposes_capability: (means.exposes)(match &resolved {
                    Resolved::New(key) => key,
                    Resolved::Refines { .. } => &candidate.key,
                }),
                resolved,
            },
        }
    }

    /// True if a key is there by now, rather than in a patch that waits.
    fn refinable(&self, key_name: &str, means: &EvolutionContext<'_>) -> bool {
        effective(&self.lineage.current(), means.everyones)
            .key(key_name)
            .is_some()
    }
}

impl Changes {
    fn merge(&mut self, other: Changes) {
        self.changed.extend(other.changed);
        self.removed.extend(other.removed);
        self.changed.sort_unstable();
        self.changed.dedup();
        self.changed.retain(|id| !self.removed.contains(id));
    }
}
