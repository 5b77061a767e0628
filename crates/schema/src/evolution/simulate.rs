//! A population over months: who asks for what, what becomes of it (draft-zhou §6.2).
//!
//! Seeded: the same plan and seed give the same history. Nothing here is part of evolution; it
//! drives [`Evolution`] as a server would, hour by hour. Read next: [`super::chart`].

mod chance;
mod world;

use super::{Evolution, EvolutionSettings, LifecycleState, LineageEvent, PoolError};
use crate::semantics::Embedder;
use crate::template::Template;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use world::World;

const HOUR_MS: i64 = 3_600_000;

/// The clients and what they ask for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// The instant at which it begins.
    pub start: Timestamp,
    /// Its length in days.
    pub days: u32,
    /// Ordinary clients.
    pub clients: usize,
    /// Payloads that one of them sends in a day, on average.
    pub payloads_per_day: f64,
    /// The needs that they have beside what the schema covers.
    pub needs: Vec<ClientNeed>,
    /// Of payloads, so many carry something that nobody else ever says: words that there are not,
    /// each time others.
    pub noise: f64,
    /// Someone with many names, if anyone.
    pub attack: Option<Attack>,
    /// The phrases that one more client, a frequent one, always wants, each with its own patch
    /// stack.
    pub traveller: Vec<String>,
    /// The conduct of administrators.
    pub administrators: Administrators,
}

/// Something that is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientNeed {
    /// The ways to say it, one of these at a time.
    pub phrases: Vec<String>,
    /// Of payloads, so many want it.
    pub share: f64,
    /// Days from the beginning on which it is wanted, the end exclusive.
    pub days: (u32, u32),
}

/// Many names, one hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attack {
    /// The number of names.
    pub names: usize,
    /// The phrase that is to become a key.
    pub phrase: String,
    /// Days from the beginning on which it says so, each name twice a day.
    pub days: (u32, u32),
    /// True if each name sends ordinary payloads from the first day, to look like a client.
    pub patient: bool,
}

/// The conduct of administrators towards a patch that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Administrators {
    /// Nothing.
    Absent,
    /// Two of them approve after a day all but keys in whose name one of these words stands.
    Approve {
        /// The words.
        but: Vec<String>,
    },
}

/// The outcome of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimulationHistory {
    /// The seed of chance.
    pub seed: u64,
    /// The heat that a cluster must exceed.
    pub heat_threshold: f64,
    /// Each day's end.
    pub samples: Vec<Sample>,
    /// The events of everyone's lineage.
    pub events: Vec<(Timestamp, LineageEvent)>,
    /// The events of the traveller's.
    pub personal_events: Vec<(Timestamp, LineageEvent)>,
    /// Payloads sent.
    pub payloads: u64,
    /// Fragments that came into the pool.
    pub fragments: u64,
}

/// The state of things at the end of a day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The instant.
    pub at: Timestamp,
    /// The version in force.
    pub schema_id: String,
    /// Each key that came from a patch, and its state.
    pub keys: BTreeMap<String, LifecycleState>,
    /// The hottest clusters: a label, and the heat.
    pub heats: BTreeMap<String, f64>,
    /// Clusters in the pool.
    pub clusters: usize,
    /// Triggers that wait.
    pub queued: usize,
    /// Patches that wait for approval.
    pub pending: usize,
}

/// An observer to whom the simulation is shown after each tick.
pub type TickObserver<'a> = &'a mut dyn FnMut(&Evolution, Timestamp);

/// Runs a plan. `watch` sees everyone's evolution after each hour's tick.
///
/// # Errors
/// [`PoolError`] if the embedder is no embedder.
pub fn simulate(
    seed: u64,
    plan: &Workload,
    settings: &EvolutionSettings,
    base: &Template,
    embedder: &dyn Embedder,
    watch: TickObserver<'_>,
) -> Result<SimulationHistory, PoolError> {
    let mut world = World::new(seed, plan, settings, base, embedder)?;
    for hour in 0..i64::from(plan.days) * 24 {
        let now = plan.start + hour * HOUR_MS;
        world.hour(now)?;
        watch(&world.everyone, now);
        if hour % 24 == 23 {
            world.sample(now);
        }
    }
    Ok(world.history)
}
