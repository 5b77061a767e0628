//! What active measuring shows: the physical truth, with the errors of instruments.
//!
//! Knows which readings each kind of element gives; refuses to know faults by name: it measures
//! light, echoes, voltages and heartbeats. Read next: [`crate::field`].
//!
//! | element | readings | failed when |
//! |---|---|---|
//! | link | `light_a_dbm`, `light_b_dbm`: light received at an end that answers (−40 is dark); `reflection_km`: echo of the nearest break, kilometres from end A, only if the fibre is broken | an answering end is dark |
//! | duct | `links_total`, `links_measured`, `links_broken`; `break_km`: mean distance of the breaks from the duct's router, `break_spread_km`: largest less smallest | two links or more were measured and all are broken at one place |
//! | card | `heartbeat_age_s`, `ports_total`, `ports_down` | heartbeats older than 60 s |
//! | router | `reachable` (1 or 0), `heartbeat_age_s`, `console_answers` (1 or 0, over another operator's network) | the console does not answer |
//! | site | `mains_volts`, `battery_percent`, `heartbeat_age_s`, `light_backhaul_dbm`; out of reach only `heartbeat_age_s` and, if it said so with its last breath, `last_mains_volts` | it runs on battery |
//! | zone | `mains_volts`, `meters_total`, `meters_dead`: the utility's meters, read over its own network | most meters are dead |
//!
//! What is out of reach is [`Condition::Unreachable`]. Alarms of the background that stand make
//! an element [`Condition::Degraded`].

use crate::chance::{between, error};
use crate::state::{State, View};
use domain::inventory::{Element, ElementId, ElementKind, Inventory, Link};
use domain::telemetry::{AlarmType, Condition, Measurement};
use domain::time::{Dice, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that a measurement depends on.
pub struct Bench<'a> {
    /// How things hang together.
    pub inventory: &'a Inventory,
    /// What is broken.
    pub state: &'a State,
    /// What follows from it.
    pub view: &'a View,
    /// Background alarms that stand.
    pub ailing: &'a BTreeSet<(ElementId, AlarmType)>,
    /// Since when sites and routers are out of reach.
    pub silent_since: &'a BTreeMap<ElementId, Timestamp>,
    /// Since when the mains of a site is away; only where it could say so.
    pub gasped: &'a BTreeSet<ElementId>,
    /// When it is measured.
    pub now: Timestamp,
}

/// Light below this (dBm) is darkness.
const DARK_DBM: f64 = -40.0;
/// Breaks that lie closer together than this (km) are one.
const ONE_PLACE_KM: f64 = 0.3;
/// An age of heartbeats that means silence, in seconds.
const SILENT_S: f64 = 60.0;

type Readings = BTreeMap<String, f64>;

impl Bench<'_> {
    /// Measures `element`; none if the inventory has none of that name.
    pub fn measure(&self, element: &ElementId, dice: &mut Dice) -> Option<Measurement> {
        let found = self.inventory.element(element)?;
        let mut readings = Readings::new();
        let condition = match found.kind {
            ElementKind::Link => self.link(element, &mut readings, dice),
            ElementKind::Duct => self.duct(element, &mut readings, dice),
            ElementKind::LineCard => self.card(element, &mut readings, dice),
            ElementKind::Router => self.router(element, &mut readings, dice),
            ElementKind::Site => self.site(element, &mut readings, dice),
            ElementKind::PowerZone => self.zone(element, &mut readings, dice),
        };
        self.temperature(found, &mut readings, dice);
        let ails = self.ailing.iter().any(|(ailing, _)| ailing == element);
        Some(Measurement {
            element: element.clone(),
            condition: match condition {
                Condition::Good if ails => Condition::Degraded,
                condition => condition,
            },
            readings,
        })
    }

    fn link(&self, id: &ElementId, readings: &mut Readings, dice: &mut Dice) -> Condition {
        let Some(link) = self.inventory.links.get(id) else {
            return Condition::Unreachable;
        };
        let mut condition = Condition::Unreachable;
        for (name, end, far) in [
            ("light_a_dbm", &link.a, &link.b),
            ("light_b_dbm", &link.b, &link.a),
        ] {
            if !self.view.answers(self.inventory, end) {
                continue;
            }
            let dark = self.view.dark(self.inventory, id, link, far);
            let light = if dark {
                DARK_DBM
            } else {
                self.light_dbm(id, link)
            };
            put(readings, name, light + error(dice, 0.3), 1);
            condition = match condition {
                _ if dark => Condition::Failed,
                Condition::Unreachable => Condition::Good,
                other => other,
            };
        }
        if let Some(km) = self.echo_km(id, link, dice) {
            put(readings, "reflection_km", km, 2);
        }
        condition
    }

    /// What a whole fibre delivers: 0.25 dB are lost per kilometre, amplified every 60 km.
    fn light_dbm(&self, id: &ElementId, link: &Link) -> f64 {
        let ails = (id.clone(), AlarmType::SignalDegraded);
        let penalty = if self.ailing.contains(&ails) {
            9.0
        } else {
            0.0
        };
        -4.0 - 0.25 * (link.length_km % 60.0) - penalty
    }

    /// The distance from end A of the nearest break that an end that answers can see.
    fn echo_km(&self, id: &ElementId, link: &Link, dice: &mut Dice) -> Option<f64> {
        let breaks = self.state.breaks(id);
        let seen = if self.view.answers(self.inventory, &link.a) {
            breaks.first()
        } else if self.view.answers(self.inventory, &link.b) {
            breaks.last()
        } else {
            None
        };
        seen.map(|km| (km + error(dice, 0.02)).clamp(0.0, link.length_km))
    }

    fn duct(&self, id: &ElementId, readings: &mut Readings, dice: &mut Dice) -> Condition {
        let inside: Vec<(&ElementId, &Link)> = self
            .inventory
            .links
            .iter()
            .filter(|(_, link)| link.ducts.contains(id))
            .collect();
        let place = self.inventory.element(id).map(|duct| &duct.place);
        let mut measured = 0;
        let mut breaks = Vec::new();
        for (name, link) in &inside {
            let reachable = [&link.a, &link.b]
                .iter()
                .any(|end| self.view.answers(self.inventory, end));
            measured += usize::from(reachable);
            // The duct lies at its router, which may be either end of a backbone link.
            let from_a = self.inventory.element(&link.a).map(|e| &e.place) == place;
            breaks.extend(
                self.echo_km(name, link, dice)
                    .map(|km| if from_a { km } else { link.length_km - km }),
            );
        }
        put(readings, "links_total", inside.len() as f64, 0);
        put(readings, "links_measured", measured as f64, 0);
        put(readings, "links_broken", breaks.len() as f64, 0);
        let (low, high) = breaks.iter().fold((f64::MAX, f64::MIN), |(low, high), km| {
            (low.min(*km), high.max(*km))
        });
        if !breaks.is_empty() {
            let mean = breaks.iter().sum::<f64>() / breaks.len() as f64;
            put(readings, "break_km", mean, 2);
            put(readings, "break_spread_km", high - low, 2);
        }
        match (measured, breaks.len()) {
            (0, _) => Condition::Unreachable,
            (_, 0) => Condition::Good,
            (m, b) if b >= 2 && b == m && high - low < ONE_PLACE_KM => Condition::Failed,
            _ => Condition::Degraded,
        }
    }

    fn card(&self, id: &ElementId, readings: &mut Readings, dice: &mut Dice) -> Condition {
        if !self.view.reached.contains(self.inventory.node_of(id)) {
            return Condition::Unreachable;
        }
        let links: Vec<_> = self
            .inventory
            .links
            .iter()
            .filter(|(_, link)| link.a == *id || link.b == *id)
            .collect();
        let down = links
            .iter()
            .filter(|(link, _)| !self.inventory.works(link, &self.view.failed))
            .count();
        put(readings, "ports_total", links.len() as f64, 0);
        put(readings, "ports_down", down as f64, 0);
        let age = self.heartbeat_age_s(id, dice);
        put(readings, "heartbeat_age_s", age, 1);
        match (age > SILENT_S, down) {
            (true, _) => Condition::Failed,
            (false, 0) => Condition::Good,
            (false, _) => Condition::Degraded,
        }
    }

    fn router(&self, id: &ElementId, readings: &mut Readings, dice: &mut Dice) -> Condition {
        let reachable = self.view.reached.contains(id);
        let console = !self.view.failed.contains(id);
        put(readings, "reachable", f64::from(u8::from(reachable)), 0);
        put(readings, "console_answers", f64::from(u8::from(console)), 0);
        put(
            readings,
            "heartbeat_age_s",
            self.heartbeat_age_s(id, dice),
            1,
        );
        match (console, reachable) {
            (false, _) => Condition::Failed,
            (true, false) => Condition::Unreachable,
            (true, true) => Condition::Good,
        }
    }

    fn site(&self, id: &ElementId, readings: &mut Readings, dice: &mut Dice) -> Condition {
        put(
            readings,
            "heartbeat_age_s",
            self.heartbeat_age_s(id, dice),
            1,
        );
        let powerless = self.view.without_mains.contains(id);
        if !self.view.reached.contains(id) {
            if self.gasped.contains(id) {
                put(readings, "last_mains_volts", 0.0, 0);
            }
            return Condition::Unreachable;
        }
        put(readings, "mains_volts", volts(!powerless, dice), 1);
        let battery = if powerless {
            between(dice, 5.0, 80.0)
        } else {
            between(dice, 94.0, 100.0)
        };
        put(readings, "battery_percent", battery, 0);
        let best = self
            .inventory
            .links
            .iter()
            .filter(|(_, link)| link.a == *id || link.b == *id)
            .filter(|(link, _)| self.inventory.works(link, &self.view.failed))
            .map(|(name, link)| self.light_dbm(name, link))
            .fold(DARK_DBM, f64::max);
        put(readings, "light_backhaul_dbm", best + error(dice, 0.3), 1);
        if powerless {
            Condition::Failed
        } else {
            Condition::Good
        }
    }

    fn zone(&self, id: &ElementId, readings: &mut Readings, dice: &mut Dice) -> Condition {
        let sites: Vec<&Element> = self
            .inventory
            .of_kind(ElementKind::Site)
            .filter(|site| site.parent.as_ref() == Some(id))
            .collect();
        let dead = sites
            .iter()
            .filter(|site| self.view.without_mains.contains(&site.id))
            .count();
        let most = 2 * dead > sites.len();
        put(readings, "meters_total", sites.len() as f64, 0);
        put(readings, "meters_dead", dead as f64, 0);
        put(readings, "mains_volts", volts(!most, dice), 1);
        match dead {
            0 => Condition::Good,
            _ if most => Condition::Failed,
            _ => Condition::Degraded,
        }
    }

    /// Seconds since the element was last heard of: beats come every ten seconds.
    fn heartbeat_age_s(&self, id: &ElementId, dice: &mut Dice) -> f64 {
        let dead_card = self
            .state
            .troubles
            .values()
            .find(|trouble| trouble.element == *id && self.view.failed.contains(id))
            .map(|trouble| trouble.since);
        let since = dead_card.or_else(|| self.silent_since.get(id).copied());
        let beat = between(dice, 0.5, 10.0);
        since.map_or(beat, |since| {
            beat + self.now.seconds_since(since).max(SILENT_S)
        })
    }

    fn temperature(&self, element: &Element, readings: &mut Readings, dice: &mut Dice) {
        let measured = match element.kind {
            ElementKind::Router => self.view.reached.contains(&element.id),
            ElementKind::LineCard => readings.contains_key("ports_total"),
            ElementKind::Site => readings.contains_key("mains_volts"),
            ElementKind::Link | ElementKind::Duct | ElementKind::PowerZone => false,
        };
        if measured {
            let hot = (element.id.clone(), AlarmType::TemperatureHigh);
            let base = if self.ailing.contains(&hot) {
                68.0
            } else {
                38.0
            };
            put(readings, "temperature_celsius", base + error(dice, 2.0), 1);
        }
    }
}

fn volts(present: bool, dice: &mut Dice) -> f64 {
    if present {
        230.0 + error(dice, 2.0)
    } else {
        error(dice, 0.4).abs()
    }
}

/// Puts a reading down, rounded to what an instrument shows.
fn put(readings: &mut Readings, name: &str, value: f64, digits: i32) {
    let scale = 10.0_f64.powi(digits);
    readings.insert(name.to_owned(), (value * scale).round() / scale);
}
