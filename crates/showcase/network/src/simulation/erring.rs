//! A network whose telemetry, instruments and documents err.
//!
//! Knows when false alarms are due, and leaves out those that would be true; what each error does is in
//! [`crate::errors`]. Physics, faults, users and complaints know nothing of it. Read next:
//! `simulation/events.rs`, where all alarms pass.

use super::Simulation;
use super::queue::Event;
use crate::chance::stream;
use crate::errors::TelemetryErrors;
use crate::errors::documents;
use crate::errors::false_alarms::FalseAlarmSources;
use crate::errors::misreadings::Instruments;
use crate::errors::transmission::AlarmTransmission;
use crate::noise::NoiseBurst;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::AlarmType;
use domain::time::SeededRng;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The random stream of false alarms; see [`stream`].
const FALSE_ALARMS: u64 = 61;

/// What errs, and what it was told.
pub(super) struct Erring {
    /// The inventory as documented.
    pub(super) documented: Arc<Inventory>,
    /// The way of alarms to those who hear them.
    pub(super) transmission: AlarmTransmission,
    /// The instruments of probes.
    pub(super) instruments: Instruments,
    sources: FalseAlarmSources,
    chance: SeededRng,
    /// False alarms that stand.
    standing: BTreeSet<(ElementId, AlarmType)>,
}

impl Erring {
    pub(super) fn new(inventory: &Arc<Inventory>, errors: TelemetryErrors, seed: u64) -> Self {
        Self {
            documented: documents::documented(inventory, errors.wrong_links, seed),
            transmission: AlarmTransmission::new(errors, seed),
            instruments: Instruments::new(errors, seed),
            sources: FalseAlarmSources::new(inventory),
            chance: stream(seed, FALSE_ALARMS),
            standing: BTreeSet::new(),
        }
    }
}

impl Simulation {
    pub(super) fn begin_false_alarms(&mut self) {
        let Erring {
            sources, chance, ..
        } = &mut self.erring;
        if let Some(pause) = sources.pause_s(&self.parameters.errors, chance) {
            // Where nothing breaks any more, nobody is to be led astray either.
            self.schedule_before_calm(pause, Event::FalseBurst);
        }
    }

    /// Draws a group of false alarms, and when the next begins.
    pub(super) fn false_burst(&mut self) {
        let Erring {
            sources, chance, ..
        } = &mut self.erring;
        let errors = &self.parameters.errors;
        for alarm in sources.burst(&self.inventory, errors, self.now, chance) {
            self.schedule(alarm.from, Event::FalseAlarm(alarm));
        }
        self.begin_false_alarms();
    }

    /// Raises a false alarm, unless its device cannot report, or the alarm stands already, or would
    /// be true.
    pub(super) fn false_alarm(&mut self, alarm: NoiseBurst) {
        let sighting = &alarm.sighting;
        let key = (sighting.resource.clone(), sighting.alarm_type);
        let reports = self.view.reached.contains(&sighting.seen_by);
        let is_true = self.stands_truly(&key);
        if !reports || is_true || !self.erring.standing.insert(key) {
            return;
        }
        self.deliver_alarms(alarm.raised.clone());
        self.schedule(alarm.until, Event::FalseEnd(alarm));
    }

    /// Clears a false alarm, unless it has come true meanwhile and been reported: then the end of the
    /// condition will clear it.
    pub(super) fn false_end(&mut self, alarm: &NoiseBurst) {
        let key = (alarm.sighting.resource.clone(), alarm.sighting.alarm_type);
        self.erring.standing.remove(&key);
        let mut told = self.told.keys();
        if !told.any(|s| s.resource == key.0 && s.alarm_type == key.1) {
            self.deliver_alarms(alarm.cleared.clone());
        }
    }

    fn stands_truly(&self, key: &(ElementId, AlarmType)) -> bool {
        let mut standing = self.standing.keys();
        self.ailing.contains(key) || standing.any(|s| s.resource == key.0 && s.alarm_type == key.1)
    }

    /// The number of false alarms that stand: for the referee and for tests.
    pub fn false_alarms_standing(&self) -> usize {
        self.erring.standing.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
