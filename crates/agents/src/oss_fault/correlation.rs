//! Cross-domain analysis: which single cause explains what was seen, and how much better than
//! chance.
//!
//! Every link, duct, card, router and zone is a candidate; so is every site, which explains small
//! outages away. For each, the topology says which alarms follow from its failure. A candidate's
//! score is the logarithm of a likelihood ratio: how much likelier is the evidence if the
//! candidate has failed than if nothing has, taking alarms as independent,
//!
//! ```text
//! score = Σ over expected alarms  seen: ln(p / f)      not seen: w·ln(1 − p)
//!       + Σ over complaints at sites that it cuts off:  COMPLAINT each, three per site at most
//! ```
//!
//! with `p` the chance that a true alarm of the type is reported in the end, `f` that such an
//! alarm stands for another reason ([`odds`]) and `w` how much of the alarm's usual delay has
//! passed. Only alarms noticed within one window after the candidate's onset count as seen. The
//! sum over both domains is what separates causes with the same sites: a duct expects light lost
//! in all its fibres, a card expects its own silence, a zone expects cries of power before the
//! sites fall silent. Several faults are found one after the other, each from what the one before
//! leaves unexplained; the threshold that the next must pass is what keeps explanations few.
//!
//! The numbers are set by hand, for networks that report most of what happens, and lie near those
//! of the simulated network. Which alarms follow from what is the same physics there as here, so
//! a score won on the simulation says how well this reasons when its picture of the network is
//! right, not how it would fare on a real one. Read next: [`super::case`].

use super::evidence::Evidence;
use crate::alarms::AlarmKey;
use crate::payloads::diagnosis::Suspicion;
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A score below this is chance.
pub const CHANCE: f64 = 8.0;
/// The most explanations sought at one time.
const FAULTS_MAX: usize = 6;
/// Seconds after the onset within which a fault's alarms are noticed.
const WINDOW_S: f64 = 300.0;
/// The same for a zone: batteries hold for a while.
const POWER_WINDOW_S: f64 = 3_600.0;
/// What a complaint at a site that the candidate cuts off adds.
const COMPLAINT: f64 = 0.7;
const COMPLAINTS_PER_SITE_MAX: u32 = 3;
/// The chance that a link with both ends cut off is reported at all.
const ISOLATED_SEEN: f64 = 0.2;

/// What is known of alarms of a type.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Odds {
    /// The chance that a true one is reported in the end.
    seen: f64,
    /// The chance that one stands on a given element for another reason.
    chance: f64,
    /// Seconds until most true ones have arrived.
    delay_s: f64,
}

fn odds(alarm_type: AlarmType) -> Odds {
    let (seen, chance, delay_s) = match alarm_type {
        AlarmType::LossOfSignal => (0.92, 0.002, 60.0),
        AlarmType::LinkDown => (0.92, 0.002, 60.0),
        AlarmType::CardFailure => (0.65, 0.0005, 60.0),
        AlarmType::NodeUnreachable => (0.92, 0.0005, 150.0),
        AlarmType::SiteUnreachable => (0.92, 0.01, 200.0),
        AlarmType::CellsOutOfService => (0.92, 0.004, 200.0),
        AlarmType::MainsFailure => (0.88, 0.002, 60.0),
        _ => (0.5, 0.5, 60.0),
    };
    Odds {
        seen,
        chance,
        delay_s,
    }
}

/// What may have failed, and what would follow.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The element.
    pub element: ElementId,
    /// How; none for a site, whose own trouble is no shared cause.
    pub cause: Option<Cause>,
    /// The sites out of service because of it.
    pub sites: BTreeSet<ElementId>,
    /// The alarms that follow, each with the chance to be reported in the end.
    expected: BTreeMap<AlarmKey, f64>,
}

/// A candidate beside the evidence.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Which candidate: index for [`Correlator::candidate`].
    pub index: usize,
    /// Its score; greater is likelier, 0 is chance.
    pub score: f64,
    /// The alarms it explains.
    pub explains: BTreeSet<AlarmKey>,
}

/// One fault: the candidates for it, likeliest first.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The candidates that explain some of the same alarms as the first.
    pub ranked: Vec<Ranked>,
}

/// The knowledge: every candidate, and which candidates expect which alarm.
#[derive(Clone, Debug)]
pub struct Correlator {
    topology: Topology,
    candidates: Vec<Candidate>,
    expecting: BTreeMap<AlarmKey, Vec<usize>>,
}

impl Correlator {
    /// Works out what would follow from each element's failure.
    pub fn new(topology: Topology) -> Self {
        let inventory = topology.inventory().clone();
        let candidates: Vec<Candidate> = inventory
            .elements
            .values()
            .map(|e| candidate(&topology, e))
            .collect();
        let mut expecting: BTreeMap<AlarmKey, Vec<usize>> = BTreeMap::new();
        for (index, candidate) in candidates.iter().enumerate() {
            for key in candidate.expected.keys() {
                expecting.entry(key.clone()).or_default().push(index);
            }
        }
        Self {
            topology,
            candidates,
            expecting,
        }
    }

    /// The inventory.
    pub fn inventory(&self) -> &Inventory {
        self.topology.inventory()
    }

    /// A candidate by its index.
    pub fn candidate(&self, index: usize) -> &Candidate {
        &self.candidates[index]
    }

    /// The candidate that is `element`.
    pub fn of_element(&self, element: &ElementId) -> Option<&Candidate> {
        let by_id = |c: &Candidate| c.element.cmp(element);
        let index = self.candidates.binary_search_by(by_id).ok()?;
        Some(&self.candidates[index])
    }

    /// Explains `evidence` as it stands at `now`: one explanation per fault, surest fault first.
    pub fn explain(&self, evidence: &Evidence, now: Timestamp) -> Vec<Explanation> {
        let mut left = evidence.clone();
        let mut explanations = Vec::new();
        while explanations.len() < FAULTS_MAX {
            let mut ranked = self.rank(&left, now);
            let Some(best) = ranked.first().filter(|r| r.score >= CHANCE) else {
                break;
            };
            let explained = best.explains.clone();
            ranked.retain(|r| !r.explains.is_disjoint(&explained));
            left.alarms.retain(|key, _| !explained.contains(key));
            explanations.push(Explanation { ranked });
        }
        explanations
    }

    /// Every candidate that explains anything better than chance, likeliest first.
    pub fn rank(&self, evidence: &Evidence, now: Timestamp) -> Vec<Ranked> {
        let keys = evidence.alarms.keys();
        let suspects: BTreeSet<usize> = keys
            .filter_map(|k| self.expecting.get(k))
            .flatten()
            .copied()
            .collect();
        let mut ranked: Vec<Ranked> = suspects
            .into_iter()
            .map(|index| self.score(index, evidence, now))
            .filter(|r| r.score > 0.0)
            .collect();
        // Equal scores: the one that fails most often in practice, then the first in order.
        ranked.sort_by(|x, y| {
            let rarity = |r: &Ranked| rarity(self.candidates[r.index].cause);
            y.score
                .total_cmp(&x.score)
                .then_with(|| rarity(x).cmp(&rarity(y)))
                .then_with(|| x.index.cmp(&y.index))
        });
        ranked
    }

    fn score(&self, index: usize, evidence: &Evidence, now: Timestamp) -> Ranked {
        let candidate = &self.candidates[index];
        let expected = &candidate.expected;
        let seen: Vec<(&AlarmKey, Timestamp)> = expected
            .keys()
            .filter_map(|key| Some((key, *evidence.alarms.get(key)?)))
            .collect();
        let window_s = match candidate.cause {
            Some(Cause::MainsFailure) => POWER_WINDOW_S,
            _ => WINDOW_S,
        };
        let onset = onset(&seen, window_s);
        let explains: BTreeSet<AlarmKey> = seen
            .iter()
            .filter(|(_, time)| within(*time, onset, window_s))
            .map(|(key, _)| (*key).clone())
            .collect();
        let mut score = 0.0;
        for (key, p) in expected {
            let odds = odds(key.1);
            if explains.contains(key) {
                score += (p / odds.chance).ln();
            } else {
                let passed = now.seconds_since(onset).max(0.0) / odds.delay_s;
                score += passed.min(1.0) * (1.0 - p).ln();
            }
        }
        for (site, count) in &evidence.complaints {
            if candidate.sites.contains(site) {
                score += COMPLAINT * f64::from(*count.min(&COMPLAINTS_PER_SITE_MAX));
            }
        }
        Ranked {
            index,
            score,
            explains,
        }
    }
}

/// How to name a ranked candidate to another agent; none for a site.
pub fn suspicion(candidate: &Candidate) -> Option<Suspicion> {
    Some(Suspicion {
        target: candidate.element.clone(),
        cause: candidate.cause?,
    })
}

fn within(time: Timestamp, onset: Timestamp, window_s: f64) -> bool {
    (0.0..=window_s).contains(&time.seconds_since(onset))
}

/// The beginning of the window that holds most of what was seen; the earliest among equals.
fn onset(seen: &[(&AlarmKey, Timestamp)], window_s: f64) -> Timestamp {
    let mut times: Vec<Timestamp> = seen.iter().map(|(_, time)| *time).collect();
    times.sort();
    let mut best = (0, Timestamp::default());
    let mut end = 0;
    for (begin, time) in times.iter().enumerate() {
        while end < times.len() && within(times[end], *time, window_s) {
            end += 1;
        }
        if end - begin > best.0 {
            best = (end - begin, *time);
        }
    }
    best.1
}

fn rarity(cause: Option<Cause>) -> u8 {
    match cause {
        Some(Cause::FibreCut) => 0,
        None => 1,
        Some(Cause::MainsFailure) => 2,
        Some(Cause::DuctCut) => 3,
        Some(Cause::CardFailure) => 4,
        Some(Cause::RouterFailure) => 5,
    }
}

/// The chance that the site of a zone without mains goes out before long: some batteries hold.
const BATTERY_ENDS: f64 = 0.6;

fn candidate(topology: &Topology, element: &Element) -> Candidate {
    let after = topology.without([&element.id]);
    let sites = after.sites_cut_off();
    let mut expected = BTreeMap::new();
    let mut expect = |ids: BTreeSet<ElementId>, alarm_type: AlarmType, share: f64| {
        for id in ids {
            expected.insert((id, alarm_type), share * odds(alarm_type).seen);
        }
    };
    let power = element.kind == ElementKind::PowerZone;
    let share = if power { BATTERY_ENDS } else { 1.0 };
    expect(sites.clone(), AlarmType::SiteUnreachable, share);
    expect(sites.clone(), AlarmType::CellsOutOfService, share);
    if power {
        expect(after.sites_dead(), AlarmType::MainsFailure, 1.0);
    }
    if element.kind == ElementKind::Site {
        // A site stops for want of power about every second time.
        expect(after.sites_dead(), AlarmType::MainsFailure, 0.5);
    }
    expect(after.links_isolated(), AlarmType::LinkDown, ISOLATED_SEEN);
    expect(after.links_lost(), AlarmType::LinkDown, share);
    expect(after.links_dark(), AlarmType::LossOfSignal, share);
    expect(after.cards_missed(), AlarmType::CardFailure, 1.0);
    expect(after.routers_cut_off(), AlarmType::NodeUnreachable, 1.0);
    Candidate {
        element: element.id.clone(),
        cause: Cause::of(element.kind),
        sites,
        expected,
    }
}

impl Candidate {
    /// The alarms that follow from it.
    pub fn expected(&self) -> impl Iterator<Item = &AlarmKey> {
        self.expected.keys()
    }
}

#[cfg(test)]
mod tests;
