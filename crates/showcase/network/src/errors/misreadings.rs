//! Measurements that fail, or show something else than what is.
//!
//! Knows three ways to be wrong: the state is the opposite, the reading is a neighbour's, or it is
//! that of the last measurement. Refuses to know what is right, which is [`crate::probe`]. Every
//! attempt draws anew, so that asking twice helps. How often instruments err is not published; the
//! share is a parameter ([`super::TelemetryErrors`]).

use super::TelemetryErrors;
use crate::chance::{choose, error, happens, stream, whole};
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Condition, Measurement};
use domain::time::SeededRng;
use std::collections::BTreeMap;

/// The number of elements tried until one is found in order.
const TRIES: usize = 20;

/// What a measurement comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// It shows what is.
    Right,
    /// It shows this.
    Wrong(Measurement),
    /// It failed, for this reason.
    Failed(String),
}

/// The instruments: their random streams, and what each showed last.
#[derive(Clone, Debug)]
pub struct Instruments {
    errors: TelemetryErrors,
    failures: SeededRng,
    wrong: SeededRng,
    last: BTreeMap<ElementId, Measurement>,
}

impl Instruments {
    /// Instruments with these errors.
    pub fn new(errors: TelemetryErrors, seed: u64) -> Self {
        Self {
            errors,
            failures: stream(seed, 69),
            wrong: stream(seed, 70),
            last: BTreeMap::new(),
        }
    }

    /// What a measurement shows whose right result is `right`; `measure` measures another element
    /// at the same instant.
    pub fn read(
        &mut self,
        inventory: &Inventory,
        right: &Measurement,
        measure: impl Fn(&ElementId, &mut SeededRng) -> Option<Measurement>,
    ) -> Reading {
        if self.errors.is_none() {
            return Reading::Right;
        }
        let element = &right.element;
        let failed = happens(&mut self.failures, self.errors.probe_failures);
        let errs = happens(&mut self.wrong, self.errors.probe_errors);
        let way = whole(&mut self.wrong, 0, 2);
        let mut own = stream(whole(&mut self.wrong, 0, u32::MAX as usize) as u64, 71);
        let before = self.last.insert(element.clone(), right.clone());
        if failed {
            return Reading::Failed(format!("the measurement of {element} broke off; ask again"));
        }
        if !errs {
            return Reading::Right;
        }
        let of_another = |good: bool, rng: &mut SeededRng| {
            let kind = inventory.element(element)?.kind;
            let others: Vec<&ElementId> = inventory.of_kind(kind).map(|e| &e.id).collect();
            (0..TRIES).find_map(|_| {
                let other = choose(rng, &others).filter(|other| **other != element)?;
                let seen = measure(other, rng)?;
                (!good || seen.condition == Condition::Good).then_some(Measurement {
                    element: element.clone(),
                    ..seen
                })
            })
        };
        let seen = match (way, before) {
            (0, Some(before)) => Some(before),
            (1, _) => of_another(false, &mut own),
            _ if right.condition == Condition::Good => Some(broken(right, &mut own)),
            _ => of_another(true, &mut own),
        };
        seen.map_or(Reading::Right, Reading::Wrong)
    }
}

/// What an element in order would show if it were broken.
fn broken(right: &Measurement, rng: &mut SeededRng) -> Measurement {
    let mut seen = right.clone();
    seen.condition = Condition::Failed;
    let links_total = right.readings.get("links_total").copied();
    let meters_total = right.readings.get("meters_total").copied();
    for (name, value) in &mut seen.readings {
        *value = match name.as_str() {
            "light_a_dbm" | "light_b_dbm" | "light_backhaul_dbm" | "tx_dbm" | "rx_dbm" => {
                tenths(-40.0 + error(rng, 0.3))
            }
            "mains_volts" => tenths(error(rng, 0.4).abs()),
            "battery_percent" => 40.0,
            "heartbeat_age_s" => tenths(120.0 + error(rng, 20.0)),
            "links_broken" => links_total.unwrap_or(*value),
            "meters_dead" => meters_total.unwrap_or(*value),
            "console_answers" | "reachable" | "carrier_on" => 0.0,
            _ => *value,
        };
    }
    if let Some(total) = links_total.filter(|total| *total > 0.0) {
        let km = (20.0 + error(rng, 4.0)).max(0.1);
        seen.readings.insert("links_broken".to_owned(), total);
        seen.readings.insert("break_km".to_owned(), tenths(km));
        seen.readings.insert("break_spread_km".to_owned(), 0.0);
    }
    if seen.readings.contains_key("carrier_on") {
        seen.readings.remove("tx_power_dbm");
    }
    seen
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::build::{Parameters, inventory};
    use crate::topology::Backbone;

    fn measured(element: &ElementId, condition: Condition) -> Measurement {
        let light = if condition == Condition::Good {
            -8.0
        } else {
            -40.0
        };
        Measurement {
            element: element.clone(),
            condition,
            readings: [("light_a_dbm".to_owned(), light)].into(),
        }
    }

    /// What 4 000 measurements show of a link in this condition, others being in order: right,
    /// wrong and failed.
    fn shown(errors: TelemetryErrors, condition: Condition) -> [usize; 3] {
        let network = inventory(&Backbone::default(), &Parameters::default(), 1);
        let link = network.links.keys().next().unwrap();
        let right = measured(link, condition);
        let mut instruments = Instruments::new(errors, 7);
        let mut counts = [0; 3];
        for _ in 0..4_000 {
            let other = |id: &ElementId, _: &mut SeededRng| Some(measured(id, Condition::Good));
            match instruments.read(&network, &right, other) {
                Reading::Right => counts[0] += 1,
                Reading::Wrong(seen) => {
                    assert_eq!(seen.element, *link);
                    // What is no different from the truth is no error.
                    counts[usize::from(seen.condition != condition)] += 1;
                }
                Reading::Failed(why) => {
                    assert!(why.contains("ask again"));
                    counts[2] += 1;
                }
            }
        }
        counts
    }

    #[test]
    fn measurements_fail_and_err_as_often_as_said() {
        let mut errors = TelemetryErrors::none();
        errors.probe_failures = 0.1;
        errors.probe_errors = 0.3;
        let [_, wrong, failed] = shown(errors, Condition::Failed);
        assert!((340..460).contains(&failed), "{failed}");
        // Of those that did not fail and are of a neighbour or inverted: .9 of .3 of two thirds.
        assert!((640..800).contains(&wrong), "{wrong}");
        let [_, wrong, _] = shown(errors, Condition::Good);
        // Of one in order only the inverted ones differ, and it is stale like itself.
        assert!((300..420).contains(&wrong), "{wrong}");
        assert_eq!(
            shown(TelemetryErrors::none(), Condition::Good),
            [4_000, 0, 0]
        );
    }

    #[test]
    fn one_error_does_not_change_whom_the_other_strikes() {
        let failures = |probe_errors: f64| {
            let mut errors = TelemetryErrors::none();
            errors.probe_failures = 0.1;
            errors.probe_errors = probe_errors;
            shown(errors, Condition::Good)[2]
        };
        assert_eq!(failures(0.0), failures(0.5));
    }
}
