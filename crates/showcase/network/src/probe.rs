//! Active measurements: the physical state, with instrument errors.
//!
//! Knows the readings of each kind of element; refuses to know faults by name: it measures light,
//! echoes, voltages and heartbeats. Read next: [`crate::field`].
//!
//! | element | readings | failed when |
//! |---|---|---|
//! | link | `light_a_dbm`, `light_b_dbm`: light received at an end that answers (−40 is dark); `reflection_km`: echo of the nearest break, kilometres from end A, only if the fibre is broken; `loss_percent`, `utilisation_percent`: packets lost and load of the busier direction, only if packets are lost | an answering end is dark |
//! | optic | `tx_dbm`: light that it sends (+1 when new, −40 is dark), `rx_dbm`: light that it gets, `bias_ma`: current of its laser, which rises with age (35 when new), `temperature_celsius` | it sends no light |
//! | duct | `links_total`, `links_measured`, `links_broken`; `break_km`: mean distance of the breaks from the duct's router, `break_spread_km`: largest less smallest | two links or more were measured and all are broken at one place |
//! | card | `heartbeat_age_s`, `ports_total`, `ports_down` | heartbeats older than 60 s |
//! | router | `reachable` (1 or 0), `heartbeat_age_s`, `console_answers` (1 or 0, over another operator's network) | the console does not answer |
//! | site | `mains_volts`, `battery_percent`, `heartbeat_age_s`, `light_backhaul_dbm`; out of reach only `heartbeat_age_s` and, if it said so with its last breath, `last_mains_volts` | it runs on battery |
//! | cell | `carrier_on` (1 or 0), `saving_mode` (0 to 3, [`Saving::ALL`]), `tx_power_dbm`, `power_offset_db`, `vswr`, `interference_dbm` over its carrier, `temperature_celsius` | its radio unit is dead; degraded if it hears 10 dB more than noise |
//! | zone | `mains_volts`, `meters_total`, `meters_dead`: the utility's meters, read over its own network | most meters are dead |
//!
//! An element out of reach is [`Condition::Unreachable`]. Standing background alarms make an
//! element [`Condition::Degraded`].

use crate::chance::{between, error};
use crate::mobile::Mobile;
use crate::mobile::battery::Batteries;
use crate::state::{NetworkState, NetworkView, link_of};
use crate::traffic::Flows;
use domain::inventory::{Element, ElementId, ElementKind, Inventory, Link};
use domain::telemetry::{AlarmType, Condition, Measurement, Saving};
use domain::time::{SeededRng, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// The inputs of a measurement.
pub struct ProbeContext<'a> {
    /// The structure of the network.
    pub inventory: &'a Inventory,
    /// The current troubles.
    pub state: &'a NetworkState,
    /// The view that follows from them.
    pub view: &'a NetworkView,
    /// Standing background alarms.
    pub ailing: &'a BTreeSet<(ElementId, AlarmType)>,
    /// The current traffic.
    pub flows: &'a Flows,
    /// The instants since which sites and routers are out of reach.
    pub silent_since: &'a BTreeMap<ElementId, Timestamp>,
    /// The sites that could report their loss of mains.
    pub gasped: &'a BTreeSet<ElementId>,
    /// The mobile domain.
    pub mobile: &'a Mobile,
    /// Batteries that feed their sites.
    pub batteries: &'a Batteries,
    /// The instant of the measurement.
    pub now: Timestamp,
}

/// The light level that counts as darkness, in dBm.
const DARK_DBM: f64 = -40.0;
/// The greatest distance between breaks that count as one, in km.
const ONE_PLACE_KM: f64 = 0.3;
/// The transmit power of a new optical module (dBm), its laser current (mA), and its increase with
/// age.
const NEW_DBM: f64 = 1.0;
const BIAS_MA: f64 = 35.0;
const BIAS_MA_PER_DB: f64 = 4.0;
/// The loss of light from which a module is degraded, in dB.
const LOW_DB: f64 = 1.9;
/// The share of lost packets below which a link is in order.
const LOSSY: f64 = 0.0005;
/// The age of the last heartbeat from which an element is silent, in seconds.
const SILENT_S: f64 = 60.0;

type Readings = BTreeMap<String, f64>;

impl ProbeContext<'_> {
    /// Measures `element`; none if it is not in the inventory.
    pub fn measure(&self, element: &ElementId, rng: &mut SeededRng) -> Option<Measurement> {
        let found = self.inventory.element(element)?;
        let mut readings = Readings::new();
        let condition = match found.kind {
            ElementKind::Link => self.link(element, &mut readings, rng),
            ElementKind::Duct => self.duct(element, &mut readings, rng),
            ElementKind::LineCard => self.card(element, &mut readings, rng),
            ElementKind::Router => self.router(element, &mut readings, rng),
            ElementKind::Site => self.site(element, &mut readings, rng),
            ElementKind::PowerZone => self.zone(element, &mut readings, rng),
            ElementKind::Cell => self.cell(element, &mut readings, rng),
            ElementKind::Optic => self.optic(element, &mut readings, rng),
        };
        self.temperature(found, &mut readings, rng);
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

    fn link(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
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
                self.light_dbm(id, link, far)
            };
            put(readings, name, light + error(rng, 0.3), 1);
            condition = match condition {
                _ if dark => Condition::Failed,
                Condition::Unreachable => Condition::Good,
                other => other,
            };
        }
        if let Some(km) = self.echo_km(id, link, rng) {
            put(readings, "reflection_km", km, 2);
        }
        match self.flows.links.get(id) {
            Some(load) if condition == Condition::Good && load.loss() >= LOSSY => {
                put(readings, "loss_percent", 100.0 * load.loss(), 3);
                put(
                    readings,
                    "utilisation_percent",
                    100.0 * load.utilisation(),
                    1,
                );
                Condition::Degraded
            }
            _ => condition,
        }
    }

    /// The received light over an unbroken fibre, in dBm: 0.25 dB are lost per kilometre, amplified
    /// every 60 km.
    fn light_dbm(&self, id: &ElementId, link: &Link, far: &ElementId) -> f64 {
        let ails = (id.clone(), AlarmType::SignalDegraded);
        let penalty = if self.ailing.contains(&ails) {
            9.0
        } else {
            0.0
        };
        let optic = if link.a == *far {
            &link.optic_a
        } else {
            &link.optic_b
        };
        let dimmed = self.state.dimmed_db(optic, self.now);
        -4.0 - 0.25 * (link.length_km % 60.0) - penalty - dimmed
    }

    fn optic(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
        if !self.view.reached.contains(self.inventory.node_of(id)) {
            return Condition::Unreachable;
        }
        let Some((link_id, link, far)) = link_of(self.inventory, id) else {
            return Condition::Unreachable;
        };
        let dark = self.view.failed.contains(id);
        let dimmed = self.state.dimmed_db(id, self.now);
        let sends = if dark { DARK_DBM } else { NEW_DBM - dimmed };
        put(readings, "tx_dbm", sends + error(rng, 0.2), 1);
        let gets = if self.view.dark(self.inventory, link_id, link, far) {
            DARK_DBM
        } else {
            self.light_dbm(link_id, link, far)
        };
        put(readings, "rx_dbm", gets + error(rng, 0.3), 1);
        // A laser that fades is driven harder.
        let bias = BIAS_MA + BIAS_MA_PER_DB * dimmed;
        put(readings, "bias_ma", bias + error(rng, 1.0), 1);
        put(readings, "temperature_celsius", 41.0 + error(rng, 2.0), 1);
        match dark {
            true => Condition::Failed,
            false if dimmed >= LOW_DB => Condition::Degraded,
            false => Condition::Good,
        }
    }

    /// The distance from end A of the nearest break visible from an end that answers, in km.
    fn echo_km(&self, id: &ElementId, link: &Link, rng: &mut SeededRng) -> Option<f64> {
        let breaks = self.state.breaks(id);
        let seen = if self.view.answers(self.inventory, &link.a) {
            breaks.first()
        } else if self.view.answers(self.inventory, &link.b) {
            breaks.last()
        } else {
            None
        };
        seen.map(|km| (km + error(rng, 0.02)).clamp(0.0, link.length_km))
    }

    fn duct(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
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
                self.echo_km(name, link, rng)
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

    fn card(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
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
        let age = self.heartbeat_age_s(id, rng);
        put(readings, "heartbeat_age_s", age, 1);
        match (age > SILENT_S, down) {
            (true, _) => Condition::Failed,
            (false, 0) => Condition::Good,
            (false, _) => Condition::Degraded,
        }
    }

    fn router(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
        let reachable = self.view.reached.contains(id);
        let console = !self.view.failed.contains(id);
        put(readings, "reachable", f64::from(u8::from(reachable)), 0);
        put(readings, "console_answers", f64::from(u8::from(console)), 0);
        put(
            readings,
            "heartbeat_age_s",
            self.heartbeat_age_s(id, rng),
            1,
        );
        match (console, reachable) {
            (false, _) => Condition::Failed,
            (true, false) => Condition::Unreachable,
            (true, true) => Condition::Good,
        }
    }

    fn site(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
        put(
            readings,
            "heartbeat_age_s",
            self.heartbeat_age_s(id, rng),
            1,
        );
        let powerless = self.view.without_mains.contains(id);
        if !self.view.reached.contains(id) {
            if self.gasped.contains(id) {
                put(readings, "last_mains_volts", 0.0, 0);
            }
            return Condition::Unreachable;
        }
        put(readings, "mains_volts", volts(!powerless, rng), 1);
        let battery = if powerless {
            let guess = between(rng, 5.0, 80.0);
            self.batteries.percent(id, self.now).unwrap_or(guess)
        } else {
            between(rng, 94.0, 100.0)
        };
        put(readings, "battery_percent", battery, 0);
        let best = self
            .inventory
            .links
            .iter()
            .filter(|(_, link)| link.a == *id || link.b == *id)
            .filter(|(link, _)| self.inventory.works(link, &self.view.failed))
            .map(|(name, link)| {
                let far = if link.a == *id { &link.b } else { &link.a };
                self.light_dbm(name, link, far)
            })
            .fold(DARK_DBM, f64::max);
        put(readings, "light_backhaul_dbm", best + error(rng, 0.3), 1);
        if powerless {
            Condition::Failed
        } else {
            Condition::Good
        }
    }

    fn cell(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
        let plan = self.inventory.cells.get(id);
        let told = self.mobile.told(id);
        let (Some(plan), Some((offset_db, saving))) = (plan, told) else {
            return Condition::Unreachable;
        };
        if !self.view.reached.contains(self.inventory.node_of(id)) {
            return Condition::Unreachable;
        }
        let on = self.mobile.on_air(id);
        put(readings, "carrier_on", f64::from(u8::from(on)), 0);
        let mode = Saving::ALL.iter().position(|mode| *mode == saving);
        put(readings, "saving_mode", mode.unwrap_or_default() as f64, 0);
        put(readings, "power_offset_db", offset_db, 1);
        let (heard, noise) = self.mobile.interference_dbm(id).unwrap_or_default();
        put(readings, "interference_dbm", heard + error(rng, 0.5), 1);
        let mismatch = (
            self.inventory.node_of(id).clone(),
            AlarmType::AntennaMismatch,
        );
        let mismatched = if self.ailing.contains(&mismatch) {
            1.2
        } else {
            0.0
        };
        put(readings, "vswr", between(rng, 1.1, 1.4) + mismatched, 2);
        if on {
            let sent = plan.power_dbm + offset_db;
            put(readings, "tx_power_dbm", sent + error(rng, 0.2), 1);
        }
        match self.mobile.ground().cells_failed.contains(id) {
            true => Condition::Failed,
            false if on && heard > noise + 10.0 => Condition::Degraded,
            false => Condition::Good,
        }
    }

    fn zone(&self, id: &ElementId, readings: &mut Readings, rng: &mut SeededRng) -> Condition {
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
        put(readings, "mains_volts", volts(!most, rng), 1);
        match dead {
            0 => Condition::Good,
            _ if most => Condition::Failed,
            _ => Condition::Degraded,
        }
    }

    /// Seconds since the last heartbeat of an element, which come every ten seconds.
    fn heartbeat_age_s(&self, id: &ElementId, rng: &mut SeededRng) -> f64 {
        let dead_card = self
            .state
            .troubles
            .values()
            .find(|trouble| trouble.element == *id && self.view.failed.contains(id))
            .map(|trouble| trouble.since);
        let since = dead_card.or_else(|| self.silent_since.get(id).copied());
        let beat = between(rng, 0.5, 10.0);
        since.map_or(beat, |since| {
            beat + self.now.seconds_since(since).max(SILENT_S)
        })
    }

    fn temperature(&self, element: &Element, readings: &mut Readings, rng: &mut SeededRng) {
        let measured = match element.kind {
            ElementKind::Router => self.view.reached.contains(&element.id),
            ElementKind::LineCard => readings.contains_key("ports_total"),
            ElementKind::Site => readings.contains_key("mains_volts"),
            ElementKind::Cell => readings.contains_key("carrier_on"),
            ElementKind::Link | ElementKind::Duct | ElementKind::PowerZone | ElementKind::Optic => {
                false
            }
        };
        if measured {
            let hot = (element.id.clone(), AlarmType::TemperatureHigh);
            let base = if self.ailing.contains(&hot) {
                68.0
            } else {
                38.0
            };
            put(readings, "temperature_celsius", base + error(rng, 2.0), 1);
        }
    }
}

fn volts(present: bool, rng: &mut SeededRng) -> f64 {
    if present {
        230.0 + error(rng, 2.0)
    } else {
        error(rng, 0.4).abs()
    }
}

/// Inserts a reading, rounded to the resolution of an instrument.
fn put(readings: &mut Readings, name: &str, value: f64, digits: i32) {
    let scale = 10.0_f64.powi(digits);
    readings.insert(name.to_owned(), (value * scale).round() / scale);
}
