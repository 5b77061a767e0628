//! Background alarms without any fault, calibrated by a real alarm record.
//!
//! Figures from the alarm set of the NeurIPS 2023 causal structure learning contest (network
//! operations scenario; Apache-2.0): 30 691 alarms of 59 types on 45 devices in 7 days.
//!
//! | what | figure |
//! |---|---|
//! | alarms per device and hour | mean 4.06; over devices p10 1.92, p25 2.74, p50 3.62, p75 5.02, p90 7.26, max 9.13 |
//! | duration, seconds | p5 3, p10 6, p25 18, p50 32, p75 62, p90 89, p95 101, p99 123 |
//! | share of the five most frequent types | 7.6 %, 6.0 %, 5.0 %, 4.7 %, 4.3 % |
//! | gap between alarms of one device, seconds | p25 40, p50 376, p75 1 222, p90 2 402 |
//! | variance over mean of counts (all devices) | 7.4 per minute, 16.8 per ten minutes, 15.5 per hour |
//!
//! Counts whose variance is 16.8 times that of independent alarms are those of bursts: with
//! geometrically distributed sizes, variance over mean is twice the mean size less one, which gives
//! 8.9 alarms per burst. Types in the set are numbers only; that the five most frequent are these
//! five here is an assumption.
//!
//! Co-occurrence in the same set (alarms that begin within 60 seconds after an alarm, and the
//! number expected by chance):
//!
//! | where | alarms | by chance | times |
//! |---|---|---|---|
//! | on the same device | 0.45 | 0.083 | 5.4 |
//! | on a neighbouring device | 2.47 | 0.57 | 4.3 |
//! | elsewhere | 5.8 | 2.4 | 2.4 |
//!
//! For the five types on the same device, the table `FOLLOWS` has the factor by which one follows
//! another within 60 seconds more often than by chance. Parameters choose whether bursts follow it
//! ([`crate::build::Parameters::companions`]).
//!
//! The set's true causal graph has 147 edges among the 59 types, 12 types without a cause, 12
//! without an effect, chains of up to 9 steps, at most 9 effects and 8 causes of one type. An
//! effect follows its cause on the same device within 60 seconds in 5.5 % of cases, 19 times as
//! often as by chance (pairs without an edge: 0.5 %, 3.9 times), after 4, 10, 22, 34, 48 seconds
//! (p10 to p90); with neighbouring devices counted, in 34 %. Only 5.3 % of alarms are of types
//! without a cause. Among the five most frequent types it has one edge. More cannot be learnt from
//! it here: as its types are numbers, none can be matched to a cause or an alarm of
//! [`domain::cause`].
//!
//! A user's own record can be replayed instead ([`Noise::replay`], [`record`]). Small physical
//! outages (one site, one transceiver) are made in [`crate::simulation`]. Read next:
//! [`crate::complaint`].

pub mod record;

pub use record::{AlarmRecordError, Recorded};

use crate::alarms;
use crate::chance::{between, choose, from_quantiles, happens, stream, waiting, weighted};
use crate::state::ObservableCondition;
use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use domain::telemetry::{Alarm, AlarmType};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;

/// Alarms per device and hour in the record: quantiles over its devices.
const PER_DEVICE_HOUR: [(f64, f64); 7] = [
    (0.0, 1.2),
    (0.10, 1.92),
    (0.25, 2.74),
    (0.50, 3.62),
    (0.75, 5.02),
    (0.90, 7.26),
    (1.0, 9.13),
];

/// Durations of alarms in the record, in seconds: quantiles.
const DURATION_S: [(f64, f64); 10] = [
    (0.0, 1.0),
    (0.05, 3.0),
    (0.10, 6.0),
    (0.25, 18.0),
    (0.50, 32.0),
    (0.75, 62.0),
    (0.90, 89.0),
    (0.95, 101.0),
    (0.99, 123.0),
    (1.0, 180.0),
];

/// The record's five most frequent types, with their shares.
const TYPES: [(AlarmType, f64); 5] = [
    (AlarmType::SignalDegraded, 0.0764),
    (AlarmType::Congestion, 0.0601),
    (AlarmType::ClockUnsynchronised, 0.0498),
    (AlarmType::AntennaMismatch, 0.0467),
    (AlarmType::TemperatureHigh, 0.0434),
];

/// The factor by which a type (column) follows another (row) on the same device within 60 seconds
/// more often than by chance, in the order of [`TYPES`].
const FOLLOWS: [[f64; 5]; 5] = [
    [7.4, 3.6, 0.0, 2.1, 2.5],
    [10.2, 6.6, 5.2, 5.8, 7.4],
    [0.0, 2.7, 7.1, 0.0, 3.1],
    [3.4, 5.3, 0.0, 8.7, 2.8],
    [3.3, 4.4, 2.8, 1.4, 8.8],
];

/// Mean number of alarms in a burst.
const BURST: f64 = 8.9;
/// Mean seconds between the alarms of a burst.
const GAP_S: f64 = 12.0;
/// The share of a site's background alarms that are missed heartbeats of a site in service.
const MISSED_HEARTBEATS: f64 = 0.03;

/// The purpose of the random stream that chooses busy devices; see [`stream`].
const PURPOSE: u64 = 2;

/// The background alarms of one network.
#[derive(Clone, Debug)]
pub struct Noise {
    /// Places, each with its devices and their rates (alarms per hour).
    places: Vec<Vec<(ElementId, f64)>>,
    /// Bursts per hour at each place.
    bursts_per_hour: Vec<f64>,
    /// The links of each device, in the order of their identifiers.
    links: BTreeMap<ElementId, Vec<ElementId>>,
    /// True if the types in a burst follow the co-occurrence of the record.
    companions: bool,
}

/// A background alarm. All of it is drawn when its burst begins, so that events in the network do
/// not change the rest of the background.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseBurst {
    /// The condition that it reports.
    pub sighting: ObservableCondition,
    /// The beginning of the condition.
    pub from: Timestamp,
    /// The end of the condition.
    pub until: Timestamp,
    /// The deliveries of the alarm.
    pub raised: Vec<(Timestamp, Alarm)>,
    /// The deliveries of its clearing.
    pub cleared: Vec<(Timestamp, Alarm)>,
}

impl NoiseBurst {
    /// An alarm of this condition from `from` to `until`.
    pub(crate) fn of(
        sighting: ObservableCondition,
        from: Timestamp,
        until: Timestamp,
        rng: &mut SeededRng,
    ) -> Self {
        Self {
            raised: alarms::delivered(&alarms::alarm(&sighting, from, false), rng),
            cleared: alarms::delivered(&alarms::alarm(&sighting, until, true), rng),
            sighting,
            from,
            until,
        }
    }
}

impl Noise {
    /// The background of `inventory` at `level` (1: the rate per device of the record).
    pub fn new(inventory: &Inventory, level: f64, seed: u64) -> Self {
        let mut rng = stream(seed, PURPOSE);
        let mut places: BTreeMap<&str, Vec<(ElementId, f64)>> = BTreeMap::new();
        for element in inventory.elements.values().filter(|e| is_device(e)) {
            let rate = from_quantiles(&mut rng, &PER_DEVICE_HOUR) * level.clamp(0.0, 1.0);
            places
                .entry(&element.place)
                .or_default()
                .push((element.id.clone(), rate));
        }
        let places: Vec<Vec<(ElementId, f64)>> = places.into_values().collect();
        let bursts_per_hour = places
            .iter()
            .map(|devices| devices.iter().map(|(_, rate)| rate).sum::<f64>() / BURST)
            .collect();
        let mut links: BTreeMap<ElementId, Vec<ElementId>> = BTreeMap::new();
        for (id, link) in &inventory.links {
            let (a, b) = (inventory.node_of(&link.a), inventory.node_of(&link.b));
            links.entry(a.clone()).or_default().push(id.clone());
            if a != b {
                links.entry(b.clone()).or_default().push(id.clone());
            }
        }
        Self {
            places,
            bursts_per_hour,
            links,
            companions: false,
        }
    }

    /// Makes the types in bursts follow the co-occurrence of the record, or not.
    pub fn with_companions(self, companions: bool) -> Self {
        Self { companions, ..self }
    }

    /// All alarms of a record applied to `inventory`, in order of time, in place of a random
    /// background; after its last alarm there is none.
    pub fn replay(
        inventory: &Inventory,
        alarms: &[Recorded],
        start: Timestamp,
        rng: &mut SeededRng,
    ) -> Vec<NoiseBurst> {
        record::lay(inventory, alarms, start, rng)
    }

    /// Seconds until the next burst begins; none if the network is silent.
    pub fn pause_s(&self, rng: &mut SeededRng) -> Option<f64> {
        let per_hour: f64 = self.bursts_per_hour.iter().sum();
        (per_hour > 0.0).then(|| waiting(rng, 3600.0 / per_hour))
    }

    /// A burst that begins at `begin`: alarms of devices of one place over some minutes.
    pub fn burst(
        &self,
        inventory: &Inventory,
        begin: Timestamp,
        rng: &mut SeededRng,
    ) -> Vec<NoiseBurst> {
        let devices = &self.places[weighted(rng, &self.bursts_per_hour)];
        let rates: Vec<f64> = devices.iter().map(|(_, rate)| *rate).collect();
        let mut grumbles: Vec<NoiseBurst> = Vec::new();
        let mut from = begin;
        loop {
            let device = &devices[weighted(rng, &rates)].0;
            let before = grumbles.last().filter(|_| self.companions);
            let before = before.map(|grumble| grumble.sighting.alarm_type);
            grumbles.extend(self.grumble(inventory, device, before, from, rng));
            from = from.plus_s(waiting(rng, GAP_S));
            if happens(rng, 1.0 / BURST) {
                return grumbles;
            }
        }
    }
}

impl Noise {
    fn grumble(
        &self,
        inventory: &Inventory,
        device: &ElementId,
        before: Option<AlarmType>,
        from: Timestamp,
        rng: &mut SeededRng,
    ) -> Option<NoiseBurst> {
        let is_site = inventory.element(device)?.kind == ElementKind::Site;
        let row = before.and_then(|before| TYPES.iter().position(|(t, _)| *t == before));
        let mut shares = TYPES.map(|(alarm_type, share)| {
            let radio = alarm_type == AlarmType::AntennaMismatch;
            if radio && !is_site { 0.0 } else { share }
        });
        if let Some(row) = row {
            for (share, times) in shares.iter_mut().zip(FOLLOWS[row]) {
                *share *= times;
            }
        }
        let mut alarm_type = TYPES[weighted(rng, &shares)].0;
        let mut lasting = from_quantiles(rng, &DURATION_S);
        if is_site && happens(rng, MISSED_HEARTBEATS) {
            alarm_type = AlarmType::SiteUnreachable;
            lasting += between(rng, 20.0, 60.0);
        }
        let resource = match alarm_type {
            AlarmType::SignalDegraded | AlarmType::Congestion => {
                choose(rng, self.links.get(device)?)?.clone()
            }
            _ => device.clone(),
        };
        let sighting = ObservableCondition {
            resource,
            alarm_type,
            seen_by: device.clone(),
        };
        Some(NoiseBurst::of(sighting, from, from.plus_s(lasting), rng))
    }
}

/// True for the devices of the record: elements with a processor that raise alarms.
fn is_device(element: &Element) -> bool {
    matches!(element.kind, ElementKind::Router | ElementKind::Site)
}

#[cfg(test)]
mod tests;
