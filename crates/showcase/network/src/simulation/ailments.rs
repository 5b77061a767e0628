//! How creeping troubles go on: light that falls, contacts that open, parameters, strangers on the
//! air, surges of traffic.
//!
//! Knows times and chances; what each stage means is physics ([`crate::state`]). A surge is chosen
//! so that raising the metric of its link by half, to three times, or by 100 000 leads it around
//! without filling another link. Not every link of every network has such a surge: in Germany50 four
//! of five have, in sparse networks half of them. Read next:
//! `simulation/transport.rs`.

use super::Simulation;
use super::events::Event;
use crate::build::distance_km;
use crate::chance::{between, choose, error};
use crate::configuration::mistake;
use crate::fault::{Fault, FaultKind, Terms};
use crate::state::{
    Course, FLICKERS_FROM, LOW_FROM, Light, POOR_FROM, Trouble, TroubleKind, link_of,
};
use crate::traffic::roads::planned_metric;
use crate::traffic::{Demand, RouterPair, Terrain};
use domain::inventory::{ElementId, ElementKind};
use domain::telemetry::Severity;
use std::collections::{BTreeMap, BTreeSet};

/// An optical module takes so long from the first loss of light to darkness, in seconds; assumed.
const AGEING_S: (f64, f64) = (5_400.0, 18_000.0);
/// Near its end it goes out for so long, in seconds.
const DARK_S: (f64, f64) = (8.0, 25.0);
/// And shines so long between.
const SHINES_S: (f64, f64) = (90.0, 420.0);
/// A bad contact is open for so long, in seconds, and closed for so long.
const OPEN_S: (f64, f64) = (4.0, 20.0);
const CLOSED_S: (f64, f64) = (30.0, 300.0);
/// A bad contact settles after so long, in seconds.
const SETTLES_S: (f64, f64) = (600.0, 3_600.0);
/// A surge of traffic lasts so long, in seconds.
const SURGE_S: (f64, f64) = (7_200.0, 21_600.0);
/// It flows between so many pairs of routers at most, and so many sets of them are looked at.
const SURGE_PARTS: usize = 5;
const SURGE_TRIES: usize = 20;
/// A metric that is higher by so much leads everything around that has another way.
const LED_AROUND: u32 = 100_000;
/// A stranger is heard weaker by 35 dB per tenfold distance from 300 m on.
const STRANGER_KM: f64 = 0.3;
const STRANGER_DECAY_DB: f64 = 35.0;
/// A cell that looks the other way hears so much less of it, in dB.
const TURNED_AWAY_DB: f64 = 12.0;
/// Weaker than this (dBm) nobody hears it.
const INAUDIBLE_DBM: f64 = -108.0;

/// A stranger is heard so strongly (dBm) at 300 m: hardly above what disturbs, as usual, or so that it
/// disturbs cells far around.
fn stranger_dbm(severity: Option<Severity>) -> f64 {
    match severity {
        Some(Severity::Warning | Severity::Minor) => -95.0,
        Some(Severity::Major) | None => -82.0,
        Some(Severity::Critical) => -72.0,
    }
}

/// A surge of traffic fills its link so far.
fn surge_fills(severity: Option<Severity>) -> (f64, f64) {
    match severity {
        Some(Severity::Warning | Severity::Minor) => (1.02, 1.06),
        Some(Severity::Major) | None => (1.06, 1.20),
        Some(Severity::Critical) => (1.30, 1.60),
    }
}

impl Simulation {
    /// How a fault that strikes now will go on.
    pub(super) fn course(&mut self, number: usize, fault: &Fault, terms: Terms) -> Course {
        match fault.kind {
            FaultKind::OpticalModuleAgeing => self.age(number, terms),
            FaultKind::Misconfiguration => self.misconfigure(&fault.element),
            FaultKind::Interference => self.disturb(&fault.element, terms),
            FaultKind::Congestion => {
                self.surge(number, &fault.element, terms);
                Course::Steady
            }
            _ => Course::Steady,
        }
    }

    fn age(&mut self, number: usize, terms: Terms) -> Course {
        let usual = between(&mut self.chances.ailments, AGEING_S.0, AGEING_S.1);
        let lasts_s = terms.lasts_s.unwrap_or(usual);
        for (from, light) in [
            (LOW_FROM, Light::Low),
            (POOR_FROM, Light::Poor),
            (1.0, Light::Dark),
        ] {
            let at = self.now.plus_s(lasts_s * from);
            self.schedule(at, Event::Progress { number, light });
        }
        let flickers = self.now.plus_s(lasts_s * FLICKERS_FROM);
        self.schedule(flickers, Event::Flicker(number));
        Course::Ageing {
            lasts_s,
            light: Light::Fading,
        }
    }

    fn misconfigure(&mut self, cell: &ElementId) -> Course {
        let dice = &mut self.chances.ailments;
        let Some((parameter, value)) = mistake(&self.inventory, cell, dice) else {
            return Course::Steady;
        };
        let settings = &mut self.state.settings;
        match settings.set(&self.inventory, cell, &parameter, &value) {
            Ok(()) => Course::Wrong { parameter },
            Err(_) => Course::Steady,
        }
    }

    /// Something transmits near `cell`; all cells around that use the same carrier hear it.
    fn disturb(&mut self, cell: &ElementId, terms: Terms) -> Course {
        let inventory = &self.inventory;
        let carrier = |id: &ElementId| inventory.cells.get(id).map(|cell| cell.carrier_mhz);
        let Some(source) = inventory.element(cell).map(|cell| cell.position) else {
            return Course::Steady;
        };
        let own = carrier(cell);
        let mut heard_dbm = BTreeMap::new();
        for other in inventory.of_kind(ElementKind::Cell) {
            if carrier(&other.id) != own {
                continue;
            }
            let km = distance_km(source, other.position).max(STRANGER_KM);
            let turned = if other.id == *cell {
                0.0
            } else {
                TURNED_AWAY_DB
            };
            let faded = STRANGER_DECAY_DB * (km / STRANGER_KM).log10();
            let wobble = error(&mut self.chances.ailments, 2.0);
            let dbm = stranger_dbm(terms.severity) - faded - turned + wobble;
            if dbm > INAUDIBLE_DBM {
                heard_dbm.insert(other.id.clone(), dbm);
            }
        }
        Course::Foreign { heard_dbm }
    }

    /// True if a surge of traffic would congest this link if it came now, for
    /// [`FaultKind::Congestion`] on these terms. Nothing is changed by asking.
    pub fn can_surge(&mut self, link: &ElementId, terms: Terms) -> bool {
        let dice = self.chances.ailments.clone();
        let found = self.find_surge(link, terms);
        self.chances.ailments = dice;
        found.is_some()
    }

    /// More traffic than usual over `link` for a while, if it can be brought about.
    fn surge(&mut self, number: usize, link: &ElementId, terms: Terms) {
        if let Some((surge, usual)) = self.find_surge(link, terms) {
            let lasts_s = terms.lasts_s.unwrap_or(usual);
            self.state.surges.insert(number, surge);
            self.schedule(self.now.plus_s(lasts_s), Event::Subside(number));
        }
    }

    /// A surge over `link` between routers where it hurts only there and can be led around, as far as
    /// this network has such routers; and how long it lasts, in seconds, if nobody says.
    fn find_surge(&mut self, link: &ElementId, terms: Terms) -> Option<(Vec<Demand>, f64)> {
        let terrain = self.terrain_now();
        let (least, most) = surge_fills(terms.severity);
        let dice = &mut self.chances.ailments;
        let fills = between(dice, least, most);
        let lasts_s = between(dice, SURGE_S.0, SURGE_S.1);
        let pairs = self.traffic.pairs_over(link, &terrain);
        let load = self.traffic.flow(&terrain).links.remove(link)?;
        let mut best: Option<(usize, Vec<Demand>)> = None;
        for attempt in 0..SURGE_TRIES {
            let dice = &mut self.chances.ailments;
            let parts = 1 + attempt % SURGE_PARTS;
            let (way, pairs) = match attempt / SURGE_PARTS % 2 {
                0 => (load.forth, &pairs[0]),
                _ => (load.back, &pairs[1]),
            };
            let ends: Vec<_> = (0..parts).filter_map(|_| choose(dice, pairs)).collect();
            let lacks = fills * load.capacity_mbps - way.offered_mbps;
            let Some((hurt, surge)) = self.tried(link, &terrain, lacks, &ends) else {
                continue;
            };
            if best.as_ref().is_none_or(|(least, _)| hurt < *least) {
                best = Some((hurt, surge));
            }
            if hurt == 0 {
                break;
            }
        }
        best.map(|(_, surge)| (surge, lasts_s))
    }

    /// A surge of `mbps` in all between these routers, and how many links it hurts besides, before
    /// and after it is led around; none if the link is not filled by it.
    fn tried(
        &self,
        link: &ElementId,
        terrain: &Terrain,
        mbps: f64,
        ends: &[&RouterPair],
    ) -> Option<(usize, Vec<Demand>)> {
        let mbps = mbps.max(0.0) / ends.len().max(1) as f64;
        let surge: Vec<Demand> = ends
            .iter()
            .map(|(from, to)| Demand {
                from: from.clone(),
                to: to.clone(),
                mbps,
            })
            .collect();
        let mut with = terrain.clone();
        with.surges.extend(surge.iter().cloned());
        let congested = |terrain: &Terrain| -> BTreeSet<ElementId> {
            self.traffic.flow(terrain).congested().cloned().collect()
        };
        let before = congested(&with);
        if !before.contains(link) {
            return None;
        }
        let planned = planned_metric(self.inventory.links.get(link)?.length_km);
        let mut least = usize::MAX;
        for raised in [planned + LED_AROUND, 3 * planned, planned * 3 / 2] {
            with.metrics.insert(link.clone(), raised);
            least = least.min(congested(&with).len());
            if least == 0 {
                break;
            }
        }
        Some((before.len() - 1 + 3 * least, surge))
    }

    /// A module has lost more light.
    pub(super) fn progress(&mut self, number: usize, reached: Light) {
        let course = self.state.troubles.get_mut(&number).map(|t| &mut t.course);
        if let Some(Course::Ageing { light, .. }) = course {
            *light = reached;
            self.look();
        }
    }

    /// A module that is nearly dark, or a bad contact, goes out or comes back.
    pub(super) fn flicker(&mut self, number: usize) {
        let now = self.now;
        let dice = &mut self.chances.ailments;
        let Some(trouble) = self.state.troubles.get_mut(&number) else {
            return;
        };
        let age_s = now.seconds_since(trouble.since);
        let pause = match &mut trouble.course {
            // At the end of its life it stays dark.
            Course::Ageing { lasts_s, .. } if age_s >= *lasts_s => return,
            Course::Ageing { light, .. } if *light == Light::Dark => {
                *light = Light::Poor;
                between(dice, SHINES_S.0, SHINES_S.1)
            }
            Course::Ageing { light, .. } => {
                *light = Light::Dark;
                between(dice, DARK_S.0, DARK_S.1)
            }
            Course::Contact { open } => {
                *open = !*open;
                let (low, high) = if *open { OPEN_S } else { CLOSED_S };
                between(dice, low, high)
            }
            _ => return,
        };
        self.schedule(now.plus_s(pause), Event::Flicker(number));
        self.look();
    }

    /// A contact of `link` begins to come and go, for a while.
    pub(super) fn loosen(&mut self, link: ElementId) {
        let settles = between(&mut self.chances.ailments, SETTLES_S.0, SETTLES_S.1);
        let number = self.next_trouble();
        let trouble = Trouble {
            kind: TroubleKind::BadContact,
            element: link,
            since: self.now,
            breaks: BTreeMap::new(),
            course: Course::Contact { open: true },
        };
        self.begin(number, trouble);
        self.schedule(self.now.plus_s(1.0), Event::Flicker(number));
        self.schedule(self.now.plus_s(settles), Event::Mend(number));
    }

    /// A surge of traffic is over.
    pub(super) fn subside(&mut self, number: usize) {
        if self.state.surges.remove(&number).is_some() {
            self.mend(number);
            self.look();
        }
    }

    /// What is gone with a trouble besides itself.
    pub(super) fn undo(&mut self, number: usize, trouble: &Trouble) {
        match (&trouble.kind, &trouble.course) {
            (_, Course::Wrong { parameter }) => {
                self.state.settings.restore(&trouble.element, parameter);
            }
            (TroubleKind::Fault(FaultKind::Congestion), _) => {
                self.state.surges.remove(&number);
            }
            _ => {}
        }
    }

    /// What works badly because of a trouble, for the referee.
    pub(super) fn touched(&self, trouble: &Trouble) -> BTreeSet<ElementId> {
        let element = &trouble.element;
        match (&trouble.kind, &trouble.course) {
            (_, Course::Foreign { heard_dbm }) => heard_dbm.keys().cloned().collect(),
            (_, Course::Ageing { .. }) => link_of(&self.inventory, element)
                .map(|(link, _, _)| link.clone())
                .into_iter()
                .collect(),
            (TroubleKind::Fault(kind), _) if kind.strikes() == ElementKind::Cell => {
                BTreeSet::from([element.clone()])
            }
            (TroubleKind::Fault(FaultKind::Congestion), _) => BTreeSet::from([element.clone()]),
            _ => BTreeSet::new(),
        }
    }
}
