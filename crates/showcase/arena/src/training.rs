//! Training days: what alarms told of faults of which the cause is known, for agents to learn from.
//!
//! The network lives as in [`crate::day`], run by people as today and without energy saving, so that
//! what breaks is mended; no agent and no platform takes part. Beside them alarms are written down
//! as they are delivered. When the days are over the truth is looked up and each fault becomes an
//! episode; the truth is used here, and reaches agents as figures only. Training seeds are others
//! than those that are scored. Refuses to know what is learnt: that is [`agents::knowledge`].

use crate::day::{Days, people};
use crate::practice::Practice;
use agents::alarms::AlarmKey;
use agents::knowledge::{Episode, Heard, Knowledge};
use agents::oss_fault::correlation::{Correlator, Happened};
use agents::payloads::diagnosis::Suspicion;
use agents::practice::Policy as ByHand;
use agents::topology::Topology;
use domain::agent::{Agent, Input, Output};
use domain::cause::Cause;
use domain::telemetry::{Alarm, Telemetry};
use domain::time::{Dice, Timestamp};
use network::{Simulation, Truth};
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A fault so close to the end of the days teaches nothing: its alarms are still to come, in seconds.
const TOO_LATE_S: f64 = 3_600.0;

/// The faults of all training days so far.
#[derive(Debug, Default)]
pub struct Training {
    episodes: Vec<Episode>,
}

impl Training {
    /// Plays `days` and takes an episode of each fault of which something follows; whoever the policy
    /// of `days` names does not matter. `progress` is told from time to time how far they are, 0 to 1.
    /// The same days give the same episodes.
    pub fn attend(&mut self, days: &Days, progress: impl Fn(f64)) {
        let mut simulation = days.network();
        let witness = Witness {
            mind: people(ByHand::None, &simulation),
            heard: Vec::new(),
            standing: BTreeMap::new(),
        };
        let dice = Dice::seed_from_u64(days.seed);
        let mut practice = Practice::begin(witness, &mut simulation, dice);
        practice.run(&mut simulation, days.end(), |_, now| {
            progress(days.share(now));
        });
        let heard = &practice.mind.heard;
        self.episodes
            .extend(lessons(&simulation, heard, days.end()));
    }

    /// How many faults of each cause were learnt from, all ten named.
    pub fn faults(&self) -> BTreeMap<Cause, usize> {
        let of = |cause| self.episodes.iter().filter(|e| e.cause == cause).count();
        Cause::ALL.into_iter().map(|c| (c, of(c))).collect()
    }

    /// What they teach.
    pub fn knowledge(&self) -> Knowledge {
        Knowledge::learn(&self.episodes)
    }
}

fn lessons(simulation: &Simulation, heard: &[Heard], end: Timestamp) -> Vec<Episode> {
    let topology = Topology::new(simulation.inventory());
    let correlator = Correlator::knowing(topology, Arc::new(Knowledge::default()));
    let in_time = |truth: &&Truth| end.seconds_since(truth.fault.at) > TOO_LATE_S;
    let happened = |truth: &Truth| Happened {
        suspicion: Suspicion {
            target: truth.fault.element.clone(),
            cause: truth.fault.kind,
        },
        from: truth.fault.at,
        until: truth.restored_at.unwrap_or(end),
        touched: truth.touched.clone(),
    };
    let faults = simulation.truth().iter().filter(in_time);
    let faults: Vec<Happened> = faults.map(happened).collect();
    correlator.lessons(&faults, heard)
}

/// Somebody who works, and a witness who writes down what alarms say.
struct Witness<A> {
    mind: A,
    heard: Vec<Heard>,
    /// Where in `heard` the alarm is that stands.
    standing: BTreeMap<AlarmKey, usize>,
}

impl<A> Witness<A> {
    fn write_down(&mut self, alarm: &Alarm, now: Timestamp) {
        let key = (alarm.resource.clone(), alarm.alarm_type);
        if alarm.cleared {
            if let Some(index) = self.standing.remove(&key) {
                self.heard[index].cleared = Some(alarm.time);
            }
        } else if !self.standing.contains_key(&key) {
            self.standing.insert(key, self.heard.len());
            self.heard.push(Heard {
                resource: alarm.resource.clone(),
                alarm_type: alarm.alarm_type,
                noticed: alarm.time,
                arrived: now,
                cleared: None,
            });
        }
    }
}

impl<A: Agent> Agent for Witness<A> {
    fn step(&mut self, input: Input, now: Timestamp, dice: &mut Dice) -> Vec<Output> {
        if let Input::Telemetry(Telemetry::Alarm(alarm)) = &input {
            self.write_down(alarm, now);
        }
        self.mind.step(input, now, dice)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
