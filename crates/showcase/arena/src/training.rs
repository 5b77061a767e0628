//! Training data: alarms of faults with known causes, from simulated days.
//!
//! The network runs as in [`crate::day`], operated by people and without energy saving, so that
//! faults are repaired; no agent and no platform takes part. Alarms are recorded as they are
//! delivered. At the end the truth is looked up and each fault becomes an episode; the truth is
//! used here only, and reaches agents as statistics. Training seeds differ from those that are
//! scored. Refuses to know what is learnt: that is [`agents::knowledge`].

use crate::day::{Days, people};
use crate::practice::StaffedNetwork;
use agents::alarms::AlarmKey;
use agents::knowledge::{Episode, Knowledge, ObservedAlarm};
use agents::oss_fault::correlation::{Correlator, PastFault};
use agents::payloads::diagnosis::Suspicion;
use agents::practice::PracticePolicy as ByHand;
use agents::topology::Topology;
use domain::agent::{Agent, Input, Output};
use domain::cause::Cause;
use domain::telemetry::{Alarm, Telemetry};
use domain::time::{SeededRng, Timestamp};
use network::{Simulation, Truth};
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The time before the end of the days in which faults are not used, as their alarms are still to
/// come, in seconds.
const TOO_LATE_S: f64 = 3_600.0;

/// The faults of all training days so far.
#[derive(Debug, Default)]
pub struct Training {
    episodes: Vec<Episode>,
}

impl Training {
    /// Simulates `days` and adds an episode for each fault with consequences; the policy of `days`
    /// is ignored. `progress` is called from time to time with the share completed, 0 to 1. The
    /// same days give the same episodes.
    pub fn attend(&mut self, days: &Days, progress: impl Fn(f64)) {
        let mut simulation = days.network();
        let witness = Witness {
            mind: people(ByHand::None, &simulation),
            heard: Vec::new(),
            standing: BTreeMap::new(),
        };
        let rng = SeededRng::seed_from_u64(days.seed);
        let mut practice = StaffedNetwork::begin(witness, &mut simulation, rng);
        practice.run(&mut simulation, days.end(), |_, now| {
            progress(days.share(now));
        });
        let heard = &practice.mind.heard;
        self.episodes
            .extend(lessons(&simulation, heard, days.end()));
    }

    /// The number of episodes of each cause, with all ten causes present.
    pub fn faults(&self) -> BTreeMap<Cause, usize> {
        let of = |cause| self.episodes.iter().filter(|e| e.cause == cause).count();
        Cause::simulated().map(|c| (c, of(c))).collect()
    }

    /// The knowledge learnt from the episodes.
    pub fn knowledge(&self) -> Knowledge {
        Knowledge::learn(&self.episodes)
    }
}

fn lessons(simulation: &Simulation, heard: &[ObservedAlarm], end: Timestamp) -> Vec<Episode> {
    let topology = Topology::new(simulation.inventory());
    let correlator = Correlator::knowing(topology, Arc::new(Knowledge::default()));
    let in_time = |truth: &&Truth| end.seconds_since(truth.fault.at) > TOO_LATE_S;
    let happened = |truth: &Truth| PastFault {
        suspicion: Suspicion {
            target: truth.fault.element.clone(),
            cause: truth.fault.kind,
        },
        from: truth.fault.at,
        until: truth.restored_at.unwrap_or(end),
        touched: truth.touched.clone(),
    };
    let faults = simulation.truth().iter().filter(in_time);
    let faults: Vec<PastFault> = faults.map(happened).collect();
    correlator.lessons(&faults, heard)
}

/// An operator, with a witness who records alarms.
struct Witness<A> {
    mind: A,
    heard: Vec<ObservedAlarm>,
    /// The index in `heard` of each standing alarm.
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
            self.heard.push(ObservedAlarm {
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
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        if let Input::Telemetry(Telemetry::Alarm(alarm)) = &input {
            self.write_down(alarm, now);
        }
        self.mind.step(input, now, rng)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
