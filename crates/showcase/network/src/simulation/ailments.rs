//! The course of gradual troubles: fading light, bad contacts, wrong parameters, interference,
//! surges of traffic.
//!
//! Knows times and probabilities; the physical effect of each stage is in [`crate::state`]. A surge
//! is chosen so that raising the metric of its link by half, threefold, or by 100 000 re-routes it
//! without congesting another link. Not every link has such a surge: in Germany50 four of five
//! have, in sparse networks half of them. Read next: `simulation/transport.rs`.

use super::Simulation;
use super::queue::Event;
use crate::chance::{between, choose, error};
use crate::configuration::mistake;
use crate::fault::{Fault, FaultKind, FaultTerms};
use crate::geography::distance_km;
use crate::state::{
    Course, FLICKERS_FROM, LOW_FROM, LightLevel, POOR_FROM, Trouble, TroubleKind, link_of,
};
use crate::traffic::routing::planned_metric;
use crate::traffic::{Demand, RouterPair, Terrain};
use domain::inventory::{ElementId, ElementKind};
use domain::telemetry::Severity;
use std::collections::{BTreeMap, BTreeSet};

/// The time of an optical module from the first loss of light to darkness, in seconds; assumed.
const AGEING_S: (f64, f64) = (5_400.0, 18_000.0);
/// The duration of its dark moments near the end, in seconds.
const DARK_S: (f64, f64) = (8.0, 25.0);
/// The time between dark moments, in seconds.
const SHINES_S: (f64, f64) = (90.0, 420.0);
/// The time that a bad contact is open, and closed, in seconds.
const OPEN_S: (f64, f64) = (4.0, 20.0);
const CLOSED_S: (f64, f64) = (30.0, 300.0);
/// The time after which a bad contact settles, in seconds.
const SETTLES_S: (f64, f64) = (600.0, 3_600.0);
/// The duration of a surge of traffic, in seconds.
const SURGE_S: (f64, f64) = (7_200.0, 21_600.0);
/// The most pairs of routers of a surge, and the most sets of them that are tried.
const SURGE_PARTS: usize = 5;
const SURGE_TRIES: usize = 20;
/// The increase of a metric that re-routes all traffic that has another path.
const LED_AROUND: u32 = 100_000;
/// The decay of an interferer's power, 35 dB per decade of distance, begins at this distance, in
/// km.
const STRANGER_KM: f64 = 0.3;
const STRANGER_DECAY_DB: f64 = 35.0;
/// The attenuation at a cell that faces away, in dB.
const TURNED_AWAY_DB: f64 = 12.0;
/// The power below which interference is ignored, in dBm.
const INAUDIBLE_DBM: f64 = -108.0;

/// The received power of an interferer at 300 m, in dBm: barely harmful, as usual, or harmful to
/// cells far around.
fn stranger_dbm(severity: Option<Severity>) -> f64 {
    match severity {
        Some(Severity::Warning | Severity::Minor) => -95.0,
        Some(Severity::Major) | None => -82.0,
        Some(Severity::Critical) => -72.0,
    }
}

/// The fill of a link by a surge of traffic, as a share of its capacity: least and greatest.
fn surge_fills(severity: Option<Severity>) -> (f64, f64) {
    match severity {
        Some(Severity::Warning | Severity::Minor) => (1.02, 1.06),
        Some(Severity::Major) | None => (1.06, 1.20),
        Some(Severity::Critical) => (1.30, 1.60),
    }
}

impl Simulation {
    /// The course of a fault that begins now.
    pub(super) fn course(&mut self, number: usize, fault: &Fault, terms: FaultTerms) -> Course {
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

    fn age(&mut self, number: usize, terms: FaultTerms) -> Course {
        let usual = between(&mut self.chances.ailments, AGEING_S.0, AGEING_S.1);
        let lasts_s = terms.lasts_s.unwrap_or(usual);
        for (from, light) in [
            (LOW_FROM, LightLevel::Low),
            (POOR_FROM, LightLevel::Poor),
            (1.0, LightLevel::Dark),
        ] {
            let at = self.now.plus_s(lasts_s * from);
            self.schedule(at, Event::Progress { number, light });
        }
        let flickers = self.now.plus_s(lasts_s * FLICKERS_FROM);
        self.schedule(flickers, Event::Flicker(number));
        Course::Ageing {
            lasts_s,
            light: LightLevel::Fading,
        }
    }

    fn misconfigure(&mut self, cell: &ElementId) -> Course {
        let rng = &mut self.chances.ailments;
        let Some((parameter, value)) = mistake(&self.inventory, cell, rng) else {
            return Course::Steady;
        };
        let settings = &mut self.state.settings;
        match settings.set(&self.inventory, cell, &parameter, &value) {
            Ok(()) => Course::Wrong { parameter },
            Err(_) => Course::Steady,
        }
    }

    /// Starts an interferer near `cell`, received by all cells around on the same carrier.
    fn disturb(&mut self, cell: &ElementId, terms: FaultTerms) -> Course {
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
    /// [`FaultKind::Congestion`] on these terms. Asking changes nothing.
    pub fn can_surge(&mut self, link: &ElementId, terms: FaultTerms) -> bool {
        let rng = self.chances.ailments.clone();
        let found = self.find_surge(link, terms);
        self.chances.ailments = rng;
        found.is_some()
    }

    /// Adds traffic over `link` for some time, if a suitable surge exists.
    fn surge(&mut self, number: usize, link: &ElementId, terms: FaultTerms) {
        if let Some((surge, usual)) = self.find_surge(link, terms) {
            let lasts_s = terms.lasts_s.unwrap_or(usual);
            self.state.surges.insert(number, surge);
            self.schedule(self.now.plus_s(lasts_s), Event::Subside(number));
        }
    }

    /// A surge over `link` that congests only it and can be re-routed, as far as this network
    /// allows; with its duration in seconds, unless the terms give one.
    fn find_surge(&mut self, link: &ElementId, terms: FaultTerms) -> Option<(Vec<Demand>, f64)> {
        let terrain = self.terrain_now();
        let (least, most) = surge_fills(terms.severity);
        let rng = &mut self.chances.ailments;
        let fills = between(rng, least, most);
        let lasts_s = between(rng, SURGE_S.0, SURGE_S.1);
        let pairs = self.traffic.pairs_over(link, &terrain);
        let load = self.traffic.flow(&terrain).links.remove(link)?;
        let mut best: Option<(usize, Vec<Demand>)> = None;
        for attempt in 0..SURGE_TRIES {
            let rng = &mut self.chances.ailments;
            let parts = 1 + attempt % SURGE_PARTS;
            let (way, pairs) = match attempt / SURGE_PARTS % 2 {
                0 => (load.forth, &pairs[0]),
                _ => (load.back, &pairs[1]),
            };
            let ends: Vec<_> = (0..parts).filter_map(|_| choose(rng, pairs)).collect();
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

    /// A surge of `mbps` in total between these routers, with a penalty for the other links that it
    /// congests before and after re-routing; none if it does not congest the link.
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

    /// Records a module's further loss of light.
    pub(super) fn progress(&mut self, number: usize, reached: LightLevel) {
        let course = self.state.troubles.get_mut(&number).map(|t| &mut t.course);
        if let Some(Course::Ageing { light, .. }) = course {
            *light = reached;
            self.look();
        }
    }

    /// Switches a nearly dark module or a bad contact between off and on.
    pub(super) fn flicker(&mut self, number: usize) {
        let now = self.now;
        let rng = &mut self.chances.ailments;
        let Some(trouble) = self.state.troubles.get_mut(&number) else {
            return;
        };
        let age_s = now.seconds_since(trouble.since);
        let pause = match &mut trouble.course {
            // At the end of its life it stays dark.
            Course::Ageing { lasts_s, .. } if age_s >= *lasts_s => return,
            Course::Ageing { light, .. } if *light == LightLevel::Dark => {
                *light = LightLevel::Poor;
                between(rng, SHINES_S.0, SHINES_S.1)
            }
            Course::Ageing { light, .. } => {
                *light = LightLevel::Dark;
                between(rng, DARK_S.0, DARK_S.1)
            }
            Course::Contact { open } => {
                *open = !*open;
                let (low, high) = if *open { OPEN_S } else { CLOSED_S };
                between(rng, low, high)
            }
            _ => return,
        };
        self.schedule(now.plus_s(pause), Event::Flicker(number));
        self.look();
    }

    /// Starts a bad contact on `link`, for some time.
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

    /// Ends a surge of traffic.
    pub(super) fn subside(&mut self, number: usize) {
        if self.state.surges.remove(&number).is_some() {
            self.mend(number);
            self.look();
        }
    }

    /// Removes the side effects of a trouble when it ends.
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

    /// The elements that a trouble degrades, for the referee.
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
