//! A radio network of seven sites, five kilometres apart, and what can be done to it.
//!
//! Each site has three sectors of a covering and a capacity cell. Users of a site that is out come to
//! a neighbour the more, the louder it is.

use crate::bench::id;
use crate::radio::curve::usual_load;
use crate::radio::energy::{can, power_kw, wake_s};
use domain::inventory::{
    Cell, Domain, Element, ElementId, ElementKind, Inventory, Link, RadioUnit,
};
use domain::telemetry::{
    Action, Alarm, AlarmType, CellPerformance, Condition, Configuration, FieldReport, Measurement,
    Outcome, Performance, Saving, Severity, Token,
};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A fault that can occur.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// A site's link is cut.
    Link(&'static str),
    /// A site has stopped, and answers.
    Stopped(&'static str),
    /// The mains of a site's zone are gone, and its batteries are empty.
    Mains(&'static str),
    /// A site lives on its batteries.
    Battery(&'static str),
    /// A cell's parameter is wrong.
    Misconfigured(&'static str),
    /// A cell's hardware hangs; a restart helps.
    Hanging(&'static str),
    /// A cell's hardware is broken; a restart does not help.
    Broken(&'static str),
    /// An alarm stands on an element of which nothing is the matter.
    False(&'static str, AlarmType),
    /// A cell's parameter differs from its plan, without harm.
    Drifted(&'static str),
    /// A cell serves its users badly, for a reason that cannot be measured.
    Crowded(&'static str),
    /// Something transmits near cell 3 of site s0, whose own alarm is lost; those beside it tell.
    Foreign(&'static str),
}

/// An effect that follows from an action, later.
pub(crate) enum Effect {
    Outcome(Token, Outcome),
    Field(FieldReport),
    Heal(usize),
}

pub(crate) struct Net {
    pub inventory: Inventory,
    pub offsets: BTreeMap<ElementId, f64>,
    pub saving: BTreeMap<ElementId, Saving>,
    /// The traffic of the network against the usual day.
    pub busy: f64,
    /// The energy that cells consumed, in kWh.
    pub energy_kwh: f64,
    /// Periods of cells with users under 2 Mbit/s.
    pub broken_promises: u64,
    /// The number of the next probes that show a dead element, whatever it is.
    pub wrong_probes: u32,
    /// The number of the next probes that break off.
    pub failing_probes: u32,
    faults: Vec<(Fault, bool)>,
    counted_from: Option<Timestamp>,
    dispatched: BTreeMap<Token, ElementId>,
}

const SITES: [(&str, f64, f64); 7] = [
    ("s0", 0.0, 0.0),
    ("s1", 1.2, 0.0),
    ("s2", 0.6, 1.04),
    ("s3", -0.6, 1.04),
    ("s4", -1.2, 0.0),
    ("s5", -0.6, -1.04),
    ("s6", 0.6, -1.04),
];

impl Net {
    pub(crate) fn new() -> Self {
        let mut inventory = Inventory::default();
        let mut put = |kind: ElementKind, name: &str, parent: Option<String>, at: (f64, f64)| {
            let domain = match kind {
                ElementKind::Router | ElementKind::LineCard | ElementKind::Link => Domain::Ip,
                _ => Domain::Wireless,
            };
            let element = Element {
                id: id(name),
                kind,
                domain,
                parent: parent.map(ElementId::new),
                place: "Bonn".to_owned(),
                position: (7.1 + 4.0 * at.0 / 70.5, 50.7 + 4.0 * at.1 / 111.2),
                vendor: "Ardent".to_owned(),
                model: "X1".to_owned(),
            };
            inventory.elements.insert(id(name), element);
        };
        put(ElementKind::Router, "router:B", None, (0.0, 0.0));
        // A router for each site, so that two sites that are out share nothing; but s5 and s6 hang on
        // one.
        for (site, x, y) in SITES {
            let router = format!("router:{site}");
            put(ElementKind::Router, &router, None, (x, y));
            let home = if site == "s6" {
                "router:s5".to_owned()
            } else {
                router
            };
            put(
                ElementKind::LineCard,
                &format!("card:{site}/1"),
                Some(home),
                (x, y),
            );
            put(
                ElementKind::PowerZone,
                &format!("zone:{site}"),
                None,
                (x, y),
            );
            let zone = Some(format!("zone:{site}"));
            put(ElementKind::Site, &format!("site:{site}"), zone, (x, y));
            put(ElementKind::Link, &format!("link:{site}"), None, (x, y));
            for n in 1..=6 {
                let parent = Some(format!("site:{site}"));
                put(
                    ElementKind::Cell,
                    &format!("cell:{site}/{n}"),
                    parent,
                    (x, y),
                );
            }
        }
        for (site, _, _) in SITES {
            let link = Link {
                a: id(&format!("card:{site}/1")),
                b: id(&format!("site:{site}")),
                ducts: vec![],
                length_km: 2.0,
                backbone: false,
                capacity_mbps: 10_000.0,
                optic_a: id(&format!("optic:{site}/a")),
                optic_b: id(&format!("optic:{site}/b")),
            };
            inventory.links.insert(id(&format!("link:{site}")), link);
            for n in 1..=6u32 {
                let others = SITES.iter().filter(|(s, ..)| *s != site);
                let sectors = |s| [1, 3, 5].map(move |m| id(&format!("cell:{s}/{m}")));
                let neighbours = others.flat_map(|(s, ..)| sectors(s));
                let capacity_layer = n % 2 == 0;
                let cell = Cell {
                    azimuth_degrees: f64::from((n - 1) / 2) * 120.0,
                    carrier_mhz: if capacity_layer { 3_500.0 } else { 800.0 },
                    bandwidth_mhz: if capacity_layer { 100.0 } else { 10.0 },
                    power_dbm: if capacity_layer { 53.0 } else { 46.0 },
                    radio_unit: match capacity_layer {
                        true => RadioUnit::Type10,
                        false => RadioUnit::Type4,
                    },
                    capacity_layer,
                    neighbours: neighbours.collect(),
                };
                inventory
                    .cells
                    .insert(id(&format!("cell:{site}/{n}")), cell);
            }
        }
        Self {
            inventory,
            offsets: BTreeMap::new(),
            saving: BTreeMap::new(),
            busy: 1.0,
            energy_kwh: 0.0,
            broken_promises: 0,
            wrong_probes: 0,
            failing_probes: 0,
            faults: Vec::new(),
            counted_from: None,
            dispatched: BTreeMap::new(),
        }
    }

    fn standing(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|(_, on)| *on).map(|(f, _)| f)
    }

    pub(crate) fn is_out(&self, site: &ElementId) -> bool {
        self.standing().any(|f| match f {
            Fault::Link(s) | Fault::Stopped(s) | Fault::Mains(s) => site.as_str() == *s,
            _ => false,
        })
    }

    fn is_silent(&self, site: &ElementId) -> bool {
        self.is_out(site) && !self.standing().any(|f| *f == Fault::Stopped(leak(site)))
    }

    fn has(&self, wanted: impl Fn(&Fault) -> bool) -> bool {
        self.standing().any(wanted)
    }

    pub(crate) fn strike(&mut self, fault: Fault, now: Timestamp) -> (usize, Vec<Alarm>) {
        let alarms = alarms(&fault, now, false);
        self.faults.push((fault, true));
        (self.faults.len() - 1, alarms)
    }

    pub(crate) fn heal(&mut self, number: usize, now: Timestamp) -> Vec<Alarm> {
        match std::mem::replace(&mut self.faults[number].1, false) {
            true => alarms(&self.faults[number].0.clone(), now, true),
            false => Vec::new(),
        }
    }

    /// The fault that repairing this element mends.
    fn mends(&self, element: &ElementId) -> Option<usize> {
        let name = element.as_str();
        let about = |f: &Fault| match f {
            Fault::Link(s) => name == s.replace("site:", "link:"),
            Fault::Mains(s) => name == s.replace("site:", "zone:"),
            Fault::Stopped(s) | Fault::Battery(s) => name == *s,
            Fault::Misconfigured(c) | Fault::Hanging(c) => name == *c,
            Fault::Broken(c) | Fault::Foreign(c) | Fault::Drifted(c) => name == *c,
            Fault::False(..) | Fault::Crowded(_) => false,
        };
        self.faults.iter().position(|(f, on)| *on && about(f))
    }

    /// True if a cell serves.
    fn serves(&self, cell: &ElementId) -> bool {
        let saving = self.saving.get(cell).copied().unwrap_or_default();
        saving.serves() && !self.is_dead(cell) && !self.is_out(self.inventory.node_of(cell))
    }

    fn is_dead(&self, cell: &ElementId) -> bool {
        self.has(|f| matches!(f, Fault::Hanging(c) | Fault::Broken(c) if cell.as_str() == *c))
    }

    /// The power that a cell hears on its carrier, in dBm.
    fn heard_dbm(&self, cell: &ElementId) -> f64 {
        let source = self.standing().find_map(|f| match f {
            Fault::Foreign(c) => Some(*c),
            _ => None,
        });
        match source {
            Some(source) if cell.as_str() == source => -75.0,
            Some(_) if BESIDE.contains(&cell.as_str()) => -84.0,
            _ => -100.0,
        }
    }

    pub(crate) fn performance(&mut self, now: Timestamp) -> Performance {
        let from = self.counted_from.replace(now).unwrap_or(now.plus_s(-900.0));
        let hours = now.seconds_since(from) / 3_600.0;
        let level = usual_load(now) * self.busy;
        // What a sector wants: of a covering cell a quarter, of a capacity cell the rest.
        let (full_cover, full_capacity) = (15.0, 150.0);
        let wanted = level * (full_cover + full_capacity) * 0.12;
        let mut carried: BTreeMap<ElementId, f64> = BTreeMap::new();
        let mut homeless = 0.0;
        for (id, cell) in &self.inventory.cells {
            if cell.capacity_layer {
                continue;
            }
            let (site, n) = id.as_str().split_once('/').unwrap();
            let capacity = ElementId::new(format!("{site}/{}", n.parse::<u32>().unwrap() + 1));
            match (self.serves(id), self.serves(&capacity)) {
                (true, true) => {
                    carried.insert(id.clone(), wanted * 0.4);
                    carried.insert(capacity, wanted * 0.6);
                }
                (true, false) => drop(carried.insert(id.clone(), wanted)),
                (false, true) => drop(carried.insert(capacity, wanted)),
                (false, false) => homeless += wanted,
            }
        }
        let louder: f64 = self.offsets.values().sum();
        for (id, db) in &self.offsets {
            if let Some(mbps) = carried.get_mut(id) {
                *mbps += homeless * (db / louder) * (louder / 40.0).min(0.7);
            }
        }
        let mut performance = Performance {
            from,
            until: now,
            ..Performance::default()
        };
        for (id, cell) in &self.inventory.cells {
            let full = if cell.capacity_layer {
                full_capacity
            } else {
                full_cover
            };
            let mbps = carried.get(id).copied().unwrap_or(0.0);
            let load = (mbps / full).min(1.0);
            let saving = self.saving.get(id).copied().unwrap_or_default();
            let offset = self.offsets.get(id).copied().unwrap_or(0.0);
            let dead = self.is_silent(self.inventory.node_of(id));
            if dead {
                continue;
            }
            let degraded = self.has(
                |f| matches!(f, Fault::Misconfigured(c) | Fault::Crowded(c) if id.as_str() == *c),
            );
            let edge = if degraded { 0.8 } else { 20.0 * (1.0 - load) };
            let users = mbps * 2.0;
            self.broken_promises += u64::from(users > 0.1 && edge < 2.0 && !degraded);
            let energy_kwh = power_kw(cell.radio_unit, load, saving, offset) * hours;
            self.energy_kwh += energy_kwh;
            let counted = CellPerformance {
                load,
                users,
                traffic_mbps: mbps.min(full),
                throughput_mbps: 40.0 * (1.0 - load),
                edge_throughput_mbps: edge,
                interference_dbm: -100.0,
                power_offset_db: offset,
                saving,
                energy_kwh,
            };
            performance.cells.insert(id.clone(), counted);
        }
        performance
    }

    /// Takes an action; what follows, and after how many seconds.
    pub(crate) fn act(
        &mut self,
        token: Token,
        action: &Action,
        now: Timestamp,
    ) -> Vec<(f64, Effect)> {
        let _ = now;
        let done = |s: f64| vec![(s, Effect::Outcome(token, Outcome::Done))];
        let impossible = |why: &str| {
            let outcome = Outcome::Impossible(why.to_owned());
            vec![(2.0, Effect::Outcome(token, outcome))]
        };
        let silent = |net: &Self, e: &ElementId| net.is_silent(net.inventory.node_of(e));
        match action {
            Action::SetPower { cell, offset_db } => {
                assert!((0.0..=10.0).contains(offset_db), "{offset_db} dB");
                if silent(self, cell) {
                    // Whoever went silent starts with its planned power.
                    self.offsets.remove(cell);
                    return impossible("the site does not answer");
                }
                match *offset_db > 0.0 {
                    true => self.offsets.insert(cell.clone(), *offset_db),
                    false => self.offsets.remove(cell),
                };
                done(5.0)
            }
            Action::SetSaving { cells, saving } => {
                let unit = |c: &ElementId| self.inventory.cells[c].radio_unit;
                if cells
                    .iter()
                    .any(|c| !can(unit(c), *saving) || silent(self, c))
                {
                    return impossible("not all of them can");
                }
                let state = |c: &ElementId| self.saving.get(c).copied().unwrap_or_default();
                let slowest = cells.iter().map(|c| wake_s(state(c))).fold(0.0, f64::max);
                for cell in cells {
                    self.saving.insert(cell.clone(), *saving);
                }
                done(if saving.serves() { slowest } else { 1.0 })
            }
            Action::Probe { element } => {
                if self.failing_probes > 0 {
                    self.failing_probes -= 1;
                    let outcome = Outcome::Failed("it broke off".to_owned());
                    return vec![(10.0, Effect::Outcome(token, outcome))];
                }
                let mut measured = self.probe(element);
                if self.wrong_probes > 0 {
                    self.wrong_probes -= 1;
                    measured.condition = Condition::Failed;
                    measured.readings.insert("carrier_on".to_owned(), 0.0);
                }
                vec![(10.0, Effect::Outcome(token, Outcome::Measured(measured)))]
            }
            Action::ReadConfiguration { element } => {
                if silent(self, element) {
                    return impossible("it does not answer");
                }
                let wrong = self.has(|f| *f == Fault::Misconfigured(leak(element)));
                let drifted = self.has(|f| *f == Fault::Drifted(leak(element)));
                let of = |tilt: &str| {
                    BTreeMap::from([("electrical-tilt-degrees".to_owned(), tilt.to_owned())])
                };
                let outcome = Outcome::Configuration(Configuration {
                    running: of(match (wrong, drifted) {
                        (true, _) => "14",
                        (_, true) => "4.3",
                        _ => "4",
                    }),
                    planned: of("4"),
                });
                vec![(5.0, Effect::Outcome(token, outcome))]
            }
            Action::Configure { element, .. } => {
                let mut effects = done(10.0);
                effects.extend(self.mends(element).map(|n| (30.0, Effect::Heal(n))));
                effects
            }
            Action::Restart { element } => {
                let mut effects = done(120.0);
                let helps = |n: &usize| !matches!(self.faults[*n].0, Fault::Broken(_));
                let mended = self.mends(element).filter(helps);
                effects.extend(mended.map(|n| (125.0, Effect::Heal(n))));
                effects
            }
            Action::Dispatch { element, .. } => {
                self.dispatched.insert(token, element.clone());
                let arrived = FieldReport::Arrived {
                    token,
                    element: element.clone(),
                    question: "What now?".to_owned(),
                };
                let arrival = now.plus_s(1_800.0);
                vec![
                    (2.0, Effect::Outcome(token, Outcome::Dispatched { arrival })),
                    (1_800.0, Effect::Field(arrived)),
                ]
            }
            Action::Guide {
                dispatch, element, ..
            } => {
                let mended = self.mends(element);
                let ended = FieldReport::Ended {
                    token: *dispatch,
                    element: element.clone(),
                    repaired: mended.is_some(),
                    finding: "as guided".to_owned(),
                };
                let mut effects = vec![
                    (2.0, Effect::Outcome(token, Outcome::Guided)),
                    (2_400.0, Effect::Field(ended)),
                ];
                effects.extend(mended.map(|n| (2_395.0, Effect::Heal(n))));
                effects
            }
            other => panic!("nobody does {other:?}"),
        }
    }

    fn probe(&self, element: &ElementId) -> Measurement {
        let kind = self.inventory.elements[element].kind;
        let node = self.inventory.node_of(element);
        let mut readings: Vec<(&str, f64)> = Vec::new();
        let condition = match kind {
            ElementKind::Site if self.is_silent(element) => Condition::Unreachable,
            ElementKind::Site if self.is_out(element) => Condition::Failed,
            ElementKind::Cell if self.is_silent(node) => Condition::Unreachable,
            ElementKind::Cell if !self.serves(element) && self.is_dead(element) => {
                readings.push(("carrier_on", 0.0));
                Condition::Failed
            }
            ElementKind::Cell => {
                readings.push(("interference_dbm", self.heard_dbm(element)));
                Condition::Good
            }
            ElementKind::PowerZone => {
                let site = element.as_str().replace("zone:", "site:");
                let dark =
                    self.has(|f| matches!(f, Fault::Mains(s) | Fault::Battery(s) if *s == site));
                readings.push(("meters_total", 1.0));
                readings.push(("meters_dead", if dark { 1.0 } else { 0.0 }));
                if dark {
                    Condition::Failed
                } else {
                    Condition::Good
                }
            }
            ElementKind::Link => {
                let site = element.as_str().replace("link:", "site:");
                let cut = self.has(|f| *f == Fault::Link(leak(&ElementId::new(site.clone()))));
                readings.push(("light_a_dbm", if cut { -40.0 } else { -8.0 }));
                if cut {
                    readings.push(("reflection_km", 1.0));
                }
                if cut {
                    Condition::Failed
                } else {
                    Condition::Good
                }
            }
            _ => Condition::Good,
        };
        Measurement {
            element: element.clone(),
            condition,
            readings: readings
                .into_iter()
                .map(|(n, v)| (n.to_owned(), v))
                .collect(),
        }
    }

    /// The cells that sleep.
    pub(crate) fn asleep(&self) -> BTreeSet<ElementId> {
        let sleeps = self.saving.iter().filter(|(_, s)| !s.serves());
        sleeps.map(|(c, _)| c.clone()).collect()
    }
}

/// A name that lives as long as a test.
fn leak(id: &ElementId) -> &'static str {
    use std::sync::Mutex;
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap();
    match names.get(id.as_str()) {
        Some(name) => name,
        None => {
            let name: &'static str = Box::leak(id.as_str().to_owned().into_boxed_str());
            names.insert(name);
            name
        }
    }
}

fn alarms(fault: &Fault, now: Timestamp, cleared: bool) -> Vec<Alarm> {
    use AlarmType::*;
    let (element, types): (&str, &[AlarmType]) = match fault {
        Fault::Foreign(_) => {
            let heard = BESIDE.map(|c| alarm(c, InterferenceHigh, now, cleared));
            return heard.into();
        }
        Fault::False(e, told) => (e, std::slice::from_ref(told)),
        Fault::Drifted(c) => (c, &[Unknown]),
        Fault::Link(s) => (s, &[SiteUnreachable, CellsOutOfService]),
        Fault::Stopped(s) => (s, &[CellsOutOfService]),
        Fault::Mains(s) => (s, &[MainsFailure, SiteUnreachable, CellsOutOfService]),
        Fault::Battery(s) => (s, &[MainsFailure]),
        Fault::Misconfigured(c) | Fault::Crowded(c) => (c, &[CellDegraded]),
        Fault::Hanging(c) | Fault::Broken(c) => (c, &[CellUnavailable]),
    };
    let of_type = types.iter();
    of_type.map(|t| alarm(element, *t, now, cleared)).collect()
}

/// The other sectors of a site on the carrier of its cell 3.
const BESIDE: [&str; 2] = ["cell:s0/1", "cell:s0/5"];

fn alarm(element: &str, alarm_type: AlarmType, time: Timestamp, cleared: bool) -> Alarm {
    Alarm {
        resource: id(element),
        alarm_type,
        qualifier: String::new(),
        severity: Severity::Critical,
        time,
        cleared,
        text: String::new(),
    }
}
