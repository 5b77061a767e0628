//! What happens to alarms, true or false, between elements and those who hear them.
//!
//! Knows losses, delays, wrong addresses, strange names and flapping; refuses to know whether an
//! alarm is true. What an alarm met when it was raised holds for its clearing: what is misattributed
//! is cleared where it was raised, and what was never raised is not cleared. Each error has a random
//! stream of its own and draws alike for every alarm. Read next: [`crate::alarms`], the delivery that
//! all alarms have had before.
//!
//! Flapping is fitted to the sets named in [`super::false_alarms`]: an alarm of one type and device
//! that is raised again within 60 s of its end.
//!
//! | what | wireless | microwave |
//! |---|---|---|
//! | alarms that flap | 2.7 % | 17.7 % |
//! | times that one is raised, mean | 2.3 | 4.4 |
//! | seconds from an end to the next beginning | p10 1, p25 11, p50 30, p75 47, p90 56 | p10 6, p25 18, p50 30, p75 30, p90 36 |
//! | seconds that it stands in between | p10 10, p25 33, p50 101 | not recorded |

use super::TelemetryErrors;
use crate::alarms;
use crate::chance::{between, from_quantiles, happens, stream, waiting};
use crate::geography::distance_km;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Alarm, AlarmType};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeMap;

/// Mean number of times that a flapping alarm is raised: between those of the two sets.
const RAISED: f64 = 3.3;
/// Seconds from an end to the next beginning: quantiles, between those of the two sets.
const PAUSE_S: [(f64, f64); 7] = [
    (0.0, 0.0),
    (0.10, 3.0),
    (0.25, 15.0),
    (0.50, 30.0),
    (0.75, 40.0),
    (0.90, 47.0),
    (1.0, 60.0),
];
/// Seconds that a flapping alarm stands in between: quantiles of the wireless set to the median;
/// what stands longer is no longer told from one that is raised anew.
const STANDS_S: [(f64, f64); 4] = [(0.0, 1.0), (0.20, 10.0), (0.50, 33.0), (1.0, 101.0)];
/// The longest time by which a single message is overtaken, in seconds; assumed.
const OVERTAKEN_S: f64 = 300.0;
/// Alarm lists are compared with their elements at intervals of so many seconds (RFC 8632 §4.4 leaves
/// them open; assumed); a lost clearing is found out then.
const COMPARED_S: f64 = 900.0;
/// The number of neighbours to one of which an alarm is misattributed.
const NEIGHBOURS: usize = 3;

type Deliveries = Vec<(Timestamp, Alarm)>;

/// What became of an alarm that was raised.
#[derive(Clone, Debug)]
struct Told {
    /// Where, and under which type; none if it was lost.
    as_what: Option<(ElementId, AlarmType)>,
    /// The last change that was told of it.
    last: Timestamp,
}

/// The random streams, one for each error.
#[derive(Clone, Debug)]
struct Streams {
    lost: SeededRng,
    late: SeededRng,
    misattributed: SeededRng,
    disorder: SeededRng,
    unknown: SeededRng,
    flapping: SeededRng,
}

/// The way of alarms from elements to those who hear them.
#[derive(Clone, Debug)]
pub struct AlarmTransmission {
    errors: TelemetryErrors,
    streams: Streams,
    told: BTreeMap<(ElementId, AlarmType), Told>,
}

impl AlarmTransmission {
    /// A way with these errors.
    pub fn new(errors: TelemetryErrors, seed: u64) -> Self {
        Self {
            errors,
            streams: Streams {
                lost: stream(seed, 62),
                late: stream(seed, 63),
                misattributed: stream(seed, 64),
                disorder: stream(seed, 65),
                unknown: stream(seed, 66),
                flapping: stream(seed, 67),
            },
            told: BTreeMap::new(),
        }
    }

    /// What arrives, and when, of the messages about one condition: its beginning, with what flaps of
    /// it, or its end.
    pub fn pass(&mut self, inventory: &Inventory, deliveries: Deliveries) -> Deliveries {
        let Some((_, first)) = deliveries.first() else {
            return deliveries;
        };
        if self.errors.is_none() {
            return deliveries;
        }
        let key = (first.resource.clone(), first.alarm_type);
        match deliveries.iter().all(|(_, alarm)| alarm.cleared) {
            true => self.end(&key, deliveries),
            false => self.begin(inventory, key, deliveries),
        }
    }

    fn begin(
        &mut self,
        inventory: &Inventory,
        key: (ElementId, AlarmType),
        mut deliveries: Deliveries,
    ) -> Deliveries {
        let as_what = self.address(inventory, &key);
        let more = self.flaps(&deliveries);
        deliveries.extend(more);
        self.delay(&mut deliveries);
        let last = deliveries.iter().map(|(_, alarm)| alarm.time).max();
        let last = last.unwrap_or_default();
        // What is told already, by another observer or for another reason, goes on as what it was
        // told.
        let told = self.told.entry(key).or_insert(Told {
            as_what: None,
            last,
        });
        told.as_what = told.as_what.take().or(as_what);
        told.last = told.last.max(last);
        match &told.as_what {
            Some(as_what) => readdressed(inventory, deliveries, as_what),
            None => Vec::new(),
        }
    }

    fn end(&mut self, key: &(ElementId, AlarmType), mut deliveries: Deliveries) -> Deliveries {
        let lost = happens(&mut self.streams.lost, self.errors.lost);
        self.delay(&mut deliveries);
        let Some(Told { as_what, last }) = self.told.remove(key) else {
            return deliveries;
        };
        let Some(as_what) = as_what else {
            return Vec::new();
        };
        // What flaps ends after it was seen last.
        for (at, alarm) in &mut deliveries {
            if alarm.time <= last {
                let later_s = last.seconds_since(alarm.time) + 1.0;
                alarm.time = alarm.time.plus_s(later_s);
                *at = at.plus_s(later_s);
            }
            if lost {
                let since_s = at.seconds_since(Timestamp::from_ms(0));
                *at = at.plus_s(COMPARED_S - since_s.rem_euclid(COMPARED_S));
            }
        }
        renamed(deliveries, &as_what)
    }

    /// Where and under which type an alarm is told; none if it is lost.
    fn address(
        &mut self,
        inventory: &Inventory,
        (resource, alarm_type): &(ElementId, AlarmType),
    ) -> Option<(ElementId, AlarmType)> {
        let lost = happens(&mut self.streams.lost, self.errors.lost);
        let elsewhere = happens(&mut self.streams.misattributed, self.errors.misattributed);
        let place = between(&mut self.streams.misattributed, 0.0, NEIGHBOURS as f64) as usize;
        let unknown = happens(&mut self.streams.unknown, self.errors.unknown);
        let told_of = match elsewhere {
            true => neighbours(inventory, resource).into_iter().nth(place),
            false => None,
        };
        let told_as = match unknown {
            true => AlarmType::Unknown,
            false => *alarm_type,
        };
        (!lost).then(|| (told_of.unwrap_or_else(|| resource.clone()), told_as))
    }

    /// The ends and beginnings that an alarm tells besides, if it flaps.
    fn flaps(&mut self, deliveries: &Deliveries) -> Deliveries {
        let rng = &mut self.streams.flapping;
        let flaps = happens(rng, self.errors.flapping);
        // As many draws whether it flaps or not, so that the next alarm draws alike.
        let mut own = stream_of(rng);
        let last = deliveries.iter().max_by_key(|(_, alarm)| alarm.time);
        let Some((_, alarm)) = last.filter(|_| flaps) else {
            return Vec::new();
        };
        let mut more = Vec::new();
        let mut time = alarm.time;
        loop {
            for (cleared, after) in [(true, &STANDS_S[..]), (false, &PAUSE_S[..])] {
                time = time.plus_s(from_quantiles(&mut own, after).max(1.0));
                let text = match cleared {
                    true => cleared_text(alarm.alarm_type, &alarm.resource),
                    false => alarm.text.clone(),
                };
                let again = Alarm {
                    time,
                    cleared,
                    text,
                    ..alarm.clone()
                };
                more.extend(alarms::delivered(&again, &mut own));
            }
            // It was raised once before.
            if happens(&mut own, 1.0 / (RAISED - 1.0)) {
                break;
            }
        }
        more
    }

    fn delay(&mut self, deliveries: &mut Deliveries) {
        let late = happens(&mut self.streams.late, self.errors.late);
        let by_s = waiting(&mut self.streams.late, self.errors.late_s);
        let mut own = stream_of(&mut self.streams.disorder);
        for (at, _) in deliveries {
            if late {
                *at = at.plus_s(by_s);
            }
            if happens(&mut own, self.errors.disorder) {
                *at = at.plus_s(between(&mut own, 0.0, OVERTAKEN_S));
            }
        }
    }
}

/// A generator for one alarm, which takes one draw of the stream.
fn stream_of(rng: &mut SeededRng) -> SeededRng {
    let seed = between(rng, 0.0, u32::MAX.into()) as u64;
    stream(seed, 68)
}

/// The nearest elements of the same kind and domain, nearest first.
fn neighbours(inventory: &Inventory, element: &ElementId) -> Vec<ElementId> {
    let Some(own) = inventory.element(element) else {
        return Vec::new();
    };
    let others = inventory.of_kind(own.kind).filter(|e| e.id != own.id);
    let mut others: Vec<(f64, &ElementId)> = others
        .map(|other| (distance_km(own.position, other.position), &other.id))
        .collect();
    others.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let nearest = others.into_iter().take(NEIGHBOURS);
    nearest.map(|(_, id)| id.clone()).collect()
}

/// The messages as told of another element or under another type.
fn readdressed(
    inventory: &Inventory,
    deliveries: Deliveries,
    as_what: &(ElementId, AlarmType),
) -> Deliveries {
    let (resource, alarm_type) = as_what;
    let strange = *alarm_type == AlarmType::Unknown;
    let vendor = inventory.element(inventory.node_of(resource));
    let vendor = vendor.map_or("", |node| node.vendor.as_str());
    let mut deliveries = deliveries;
    for (_, alarm) in &mut deliveries {
        if strange && alarm.alarm_type != AlarmType::Unknown {
            alarm.qualifier = code(vendor, alarm.alarm_type);
            if !alarm.cleared {
                alarm.text = format!("{} on {resource}", alarm.qualifier);
            }
        }
    }
    renamed(deliveries, as_what)
}

fn renamed(
    mut deliveries: Deliveries,
    (resource, alarm_type): &(ElementId, AlarmType),
) -> Deliveries {
    for (_, alarm) in &mut deliveries {
        if alarm.resource != *resource {
            let before = alarm.resource.as_str();
            alarm.text = alarm.text.replace(before, resource.as_str());
            alarm.resource = resource.clone();
        }
        if alarm.alarm_type != *alarm_type {
            alarm.alarm_type = *alarm_type;
            if alarm.cleared {
                alarm.text = cleared_text(*alarm_type, resource);
            }
        }
    }
    deliveries
}

fn cleared_text(alarm_type: AlarmType, resource: &ElementId) -> String {
    format!("{} on {resource} cleared", alarm_type.as_str())
}

/// The number under which a vendor's equipment tells of a condition, where nobody translates it: the
/// same for the same vendor and type.
fn code(vendor: &str, alarm_type: AlarmType) -> String {
    let name = vendor.bytes().chain(alarm_type.as_str().bytes());
    let number = name.fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let maker = if vendor.is_empty() { "event" } else { vendor };
    format!("{maker} {:05}", number % 100_000)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
