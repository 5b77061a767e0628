//! The parameters of elements: planned values, actual values, and the effect of a deviation.
//!
//! Knows the parameters and their ranges; refuses to know the reason of a wrong value
//! ([`crate::fault`]). Plans follow from the inventory alone. Read next: [`crate::state`].
//!
//! | element | parameter | range | when not as planned |
//! |---|---|---|---|
//! | cell | `electrical-tilt-degrees` | 0–15 | 12·(difference / 10°)² dB are lost (vertical pattern of TR 38.901 with a beam of 10°); half a degree is within tolerance |
//! | cell | `reference-power-dbm` | 0–60 | as many dB as it is lower |
//! | cell | `physical-cell-id` | 0–1007 | 4 dB: collides with a neighbour's; assumed |
//! | cell | `neighbour-list-size` | 0–64 | up to 3 dB at the edge, by the share that lacks; assumed |
//! | cell | `backhaul-vlan` | 1–4094 | carries nothing: 60 dB |
//! | link | `igp-metric` | 1–16 777 214 | traffic takes other ways |
//! | link | `mtu` | 1280–9216 | smaller than planned: one packet in twenty does not fit; assumed |
//! | optic | `laser` | `on`, `off` | off: no light |
//! | router | `igp-overload-bit` | `on`, `off` | on: others pass through it only if nothing else is left |

use crate::chance::{between, weighted};
use crate::traffic::routing::{METRIC_MAX, planned_metric};
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::Configuration;
use domain::time::SeededRng;
use std::collections::{BTreeMap, BTreeSet};

const TILT: &str = "electrical-tilt-degrees";
const POWER: &str = "reference-power-dbm";
const CELL_ID: &str = "physical-cell-id";
const NEIGHBOURS: &str = "neighbour-list-size";
const VLAN: &str = "backhaul-vlan";
const METRIC: &str = "igp-metric";
const MTU: &str = "mtu";
const LASER: &str = "laser";
const OVERLOAD: &str = "igp-overload-bit";

/// The difference of a tilt from its plan that counts as none, in degrees: mounting is no more exact.
/// Assumed; by the pattern above it would cost 0.03 dB.
const TILT_TOLERANCE: f64 = 0.5;

/// The share of packets that exceed an MTU that is too small, and are lost.
const MISFIT: f64 = 0.05;

/// The values that a parameter may have.
enum Range {
    /// Integers between these bounds.
    Whole(i64, i64),
    /// Numbers with one decimal between these bounds.
    Tenths(f64, f64),
    /// `on` or `off`.
    Switch,
}

fn range(parameter: &str) -> Option<Range> {
    Some(match parameter {
        TILT => Range::Tenths(0.0, 15.0),
        POWER => Range::Tenths(0.0, 60.0),
        CELL_ID => Range::Whole(0, 1007),
        NEIGHBOURS => Range::Whole(0, 64),
        VLAN => Range::Whole(1, 4094),
        METRIC => Range::Whole(1, METRIC_MAX as i64),
        MTU => Range::Whole(1280, 9216),
        LASER | OVERLOAD => Range::Switch,
        _ => return None,
    })
}

/// The planned parameters of `element`; empty if it has none.
pub fn planned(inventory: &Inventory, element: &ElementId) -> BTreeMap<String, String> {
    let number = stable(element.as_str());
    let Some(found) = inventory.element(element) else {
        return BTreeMap::new();
    };
    let parameters: Vec<(&str, String)> = match found.kind {
        ElementKind::Cell => {
            let cell = inventory.cells.get(element);
            let power = cell.map_or(46.0, |cell| cell.power_dbm);
            let neighbours = cell.map_or(0, |cell| cell.neighbours.len());
            vec![
                (TILT, tenths(2.0 + (number % 7) as f64)),
                (POWER, tenths(power)),
                (CELL_ID, (number / 7 % 1008).to_string()),
                (NEIGHBOURS, neighbours.to_string()),
                (VLAN, (100 + number / 7056 % 3900).to_string()),
            ]
        }
        ElementKind::Link => {
            let length_km = inventory.links.get(element).map_or(0.0, |l| l.length_km);
            vec![
                (METRIC, planned_metric(length_km).to_string()),
                (MTU, "9000".to_owned()),
            ]
        }
        ElementKind::Optic => vec![(LASER, "on".to_owned())],
        ElementKind::Router => vec![(OVERLOAD, "off".to_owned())],
        ElementKind::LineCard | ElementKind::Duct | ElementKind::Site | ElementKind::PowerZone => {
            vec![]
        }
    };
    let named = parameters.into_iter();
    named
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The parameters that deviate from their plan, in the whole network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterDeviations {
    departures: BTreeMap<(ElementId, String), String>,
}

impl ParameterDeviations {
    /// The actual and planned parameters of `element`; none if it has no parameters.
    pub fn read(&self, inventory: &Inventory, element: &ElementId) -> Option<Configuration> {
        let planned = planned(inventory, element);
        let mut running = planned.clone();
        for ((_, parameter), value) in self.of(element) {
            running.insert(parameter.clone(), value.clone());
        }
        (!planned.is_empty()).then_some(Configuration { running, planned })
    }

    fn of<'a>(
        &'a self,
        element: &'a ElementId,
    ) -> impl Iterator<Item = (&'a (ElementId, String), &'a String)> {
        let first = (element.clone(), String::new());
        let ours = move |(key, _): &(&'a (ElementId, String), &'a String)| key.0 == *element;
        self.departures.range(first..).take_while(ours)
    }

    /// Sets a parameter. Values are normalised to the form of the plan: `6` and `6.0` are equal.
    ///
    /// # Errors
    /// A text for people: the element has no such parameter, or the value is not in its range.
    pub fn set(
        &mut self,
        inventory: &Inventory,
        element: &ElementId,
        parameter: &str,
        value: &str,
    ) -> Result<(), String> {
        let plans = planned(inventory, element);
        let plan = plans.get(parameter);
        let Some((plan, range)) = plan.zip(range(parameter)) else {
            let names: Vec<&str> = plans.keys().map(String::as_str).collect();
            return Err(match names[..] {
                [] => format!("{element} has no parameters"),
                _ => format!("{element} has no '{parameter}', but {}", names.join(", ")),
            });
        };
        let value = canonical(&range, value).map_err(|why| format!("{parameter}: {why}"))?;
        let key = (element.clone(), parameter.to_owned());
        if value == *plan {
            self.departures.remove(&key);
        } else {
            self.departures.insert(key, value);
        }
        Ok(())
    }

    /// Resets a parameter to its plan.
    pub fn restore(&mut self, element: &ElementId, parameter: &str) {
        let key = (element.clone(), parameter.to_owned());
        self.departures.remove(&key);
    }

    /// True if the parameter has its planned value.
    pub fn is_planned(&self, element: &ElementId, parameter: &str) -> bool {
        let key = (element.clone(), parameter.to_owned());
        !self.departures.contains_key(&key)
    }

    /// The loss of each cell with a wrong parameter, in dB.
    pub fn cell_losses_db(&self, inventory: &Inventory) -> BTreeMap<ElementId, f64> {
        let mut losses = BTreeMap::new();
        for ((element, parameter), value) in &self.departures {
            let plans = planned(inventory, element);
            if let Some(plan) = plans.get(parameter) {
                let loss = loss_db(parameter, plan, value);
                if loss > 0.0 {
                    *losses.entry(element.clone()).or_default() += loss;
                }
            }
        }
        losses
    }

    /// The IGP metrics of links that deviate from their plan.
    pub fn metrics(&self) -> BTreeMap<ElementId, u32> {
        let ours = self.set_to(METRIC);
        ours.filter_map(|(link, value)| Some((link.clone(), value.parse().ok()?)))
            .collect()
    }

    /// The share of packets lost on each link whose MTU is too small, 0 to 1.
    pub fn misfits(&self) -> BTreeMap<ElementId, f64> {
        let small = self
            .set_to(MTU)
            .filter(|(_, value)| value.parse().is_ok_and(|mtu: u32| mtu < 9000));
        small.map(|(link, _)| (link.clone(), MISFIT)).collect()
    }

    /// Optical modules whose laser was switched off.
    pub fn lasers_off(&self) -> impl Iterator<Item = &ElementId> {
        self.set_to(LASER).map(|(optic, _)| optic)
    }

    /// Routers with the IGP overload bit set, which other routers avoid for transit.
    pub fn avoided(&self) -> BTreeSet<ElementId> {
        let routers = self.set_to(OVERLOAD);
        routers.map(|(router, _)| router.clone()).collect()
    }

    fn set_to<'a>(&'a self, parameter: &'a str) -> impl Iterator<Item = (&'a ElementId, &'a str)> {
        self.departures
            .iter()
            .filter(move |((_, name), _)| name == parameter)
            .map(|((element, _), value)| (element, value.as_str()))
    }
}

/// A wrong parameter for a cell that is as planned, and its value: each degrades service.
pub(crate) fn mistake(
    inventory: &Inventory,
    cell: &ElementId,
    rng: &mut SeededRng,
) -> Option<(String, String)> {
    const MISTAKES: [(&str, f64); 5] = [
        (TILT, 0.35),
        (POWER, 0.25),
        (CELL_ID, 0.15),
        (NEIGHBOURS, 0.15),
        (VLAN, 0.10),
    ];
    let plans = planned(inventory, cell);
    let weights = MISTAKES.map(|(name, weight)| match plans.get(name) {
        None => 0.0,
        Some(plan) if name == NEIGHBOURS && plan == "0" => 0.0,
        Some(_) => weight,
    });
    let name = MISTAKES[weighted(rng, &weights)].0;
    let plan: f64 = plans.get(name)?.parse().ok()?;
    let value = match name {
        TILT => tenths(if plan > 6.0 {
            plan - between(rng, 5.0, 6.0)
        } else {
            plan + between(rng, 6.0, 9.0)
        }),
        POWER => tenths(plan - between(rng, 6.0, 12.0)),
        CELL_ID => ((plan as i64 + 3) % 1008).to_string(),
        NEIGHBOURS => "0".to_owned(),
        _ => (100 + (plan as i64 - 99) % 3900).to_string(),
    };
    Some((name.to_owned(), value))
}

/// A value for one of the parameters of `element` that differs from its plan without harm; none for
/// elements without such a parameter. `way` chooses the parameter, `by` the difference, 0 to 1 each.
pub(crate) fn harmless(
    inventory: &Inventory,
    element: &ElementId,
    way: f64,
    by: f64,
) -> Option<(String, String)> {
    let plans = planned(inventory, element);
    let plan = |name: &str| plans.get(name).and_then(|plan| plan.parse::<f64>().ok());
    let kind = inventory.element(element)?.kind;
    let (name, value) = match kind {
        ElementKind::Cell if way < 1.0 / 3.0 => {
            let tilt = plan(TILT)?;
            let by = (0.1 + by * (TILT_TOLERANCE - 0.1)).copysign(way - 1.0 / 6.0);
            (TILT, tenths(tilt + by))
        }
        // More power than planned, and more neighbours, cost nobody service here.
        ElementKind::Cell if way < 2.0 / 3.0 => (POWER, tenths(plan(POWER)? + 0.1 + 0.9 * by)),
        ElementKind::Cell => {
            let more = plan(NEIGHBOURS)? + 1.0 + (3.0 * by).round();
            (NEIGHBOURS, format!("{}", more.min(64.0)))
        }
        ElementKind::Link => (MTU, format!("{}", 9_001 + (215.0 * by) as u32)),
        _ => return None,
    };
    Some((name.to_owned(), value))
}

fn loss_db(parameter: &str, plan: &str, value: &str) -> f64 {
    let (Ok(plan), Ok(value)) = (plan.parse::<f64>(), value.parse::<f64>()) else {
        return 0.0;
    };
    match parameter {
        TILT if (value - plan).abs() <= TILT_TOLERANCE + 1e-9 => 0.0,
        TILT => 12.0 * ((value - plan) / 10.0).powi(2),
        POWER => (plan - value).max(0.0),
        CELL_ID => 4.0,
        NEIGHBOURS if plan > 0.0 => 3.0 * (1.0 - value / plan).max(0.0),
        VLAN => 60.0,
        _ => 0.0,
    }
}

fn canonical(range: &Range, value: &str) -> Result<String, String> {
    let value = value.trim();
    match range {
        Range::Switch if matches!(value, "on" | "off") => Ok(value.to_owned()),
        Range::Switch => Err(format!("'{value}' is neither 'on' nor 'off'")),
        Range::Whole(low, high) => value
            .parse::<i64>()
            .ok()
            .filter(|number| (low..=high).contains(&number))
            .map(|number| number.to_string())
            .ok_or_else(|| format!("'{value}' is not a whole number from {low} to {high}")),
        Range::Tenths(low, high) => value
            .parse::<f64>()
            .ok()
            .filter(|number| (low..=high).contains(&number))
            .map(tenths)
            .ok_or_else(|| format!("'{value}' is not a number from {low} to {high}")),
    }
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

/// A hash of a name (FNV-1a), the same in every run.
fn stable(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::build::{Parameters, inventory};
    use crate::topology::Backbone;

    fn network() -> (Inventory, ElementId) {
        let polska = Backbone::named("Polska").unwrap();
        let network = inventory(&polska, &Parameters::default(), 1);
        (network, ElementId::new("link:Gdansk-Warsaw"))
    }

    #[test]
    fn what_is_set_is_read_and_what_does_not_fit_is_refused_in_words() {
        let (network, link) = network();
        let mut settings = ParameterDeviations::default();
        let mut set = |element: &ElementId, parameter: &str, value: &str| {
            let outcome = settings.set(&network, element, parameter, value);
            outcome.err().unwrap_or_else(|| "set".to_owned())
        };
        insta::assert_snapshot!(set(&link, "igp-metric", "9000"), @"set");
        insta::assert_snapshot!(set(&link, "igp-metric", "0"), @"igp-metric: '0' is not a whole number from 1 to 16777214");
        insta::assert_snapshot!(set(&link, "colour", "red"), @"link:Gdansk-Warsaw has no 'colour', but igp-metric, mtu");
        insta::assert_snapshot!(set(&ElementId::new("duct:Lodz-1"), "mtu", "9000"), @"duct:Lodz-1 has no parameters");
        insta::assert_snapshot!(set(&ElementId::new("router:Lodz"), "igp-overload-bit", "maybe"), @"igp-overload-bit: 'maybe' is neither 'on' nor 'off'");
        let read = settings.read(&network, &link).unwrap();
        assert_eq!(read.running["igp-metric"], "9000");
        assert_eq!(read.planned["igp-metric"], "2739");
        assert_eq!(settings.metrics()[&link], 9000);
        settings.restore(&link, "igp-metric");
        assert_eq!(settings, ParameterDeviations::default());
        assert_eq!(
            settings.read(&network, &ElementId::new("duct:Lodz-1")),
            None
        );
    }

    #[test]
    fn differences_cost_what_the_table_says() {
        assert!((loss_db(TILT, "4.0", "9.0") - 3.0).abs() < 1e-9);
        assert_eq!(loss_db(POWER, "46.0", "40.0"), 6.0);
        assert_eq!(loss_db(POWER, "46.0", "49.0"), 0.0);
        assert_eq!(loss_db(CELL_ID, "7", "8"), 4.0);
        assert_eq!(loss_db(NEIGHBOURS, "8", "4"), 1.5);
        assert_eq!(loss_db(VLAN, "100", "101"), 60.0);
    }
}
