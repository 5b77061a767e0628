//! Cross-domain analysis: which single cause explains what was seen, and how much better than
//! chance.
//!
//! Every link, duct, card, router, zone and optical module is a candidate; so is every site, which
//! explains small outages away. Cells are none: what ails a single cell is the wireless domain's
//! own. For each, the topology says which alarms follow from its failure. A candidate's score is
//! the logarithm of a likelihood ratio: how much likelier is the evidence if the candidate has
//! failed than if nothing has, taking alarms as independent,
//!
//! ```text
//! score = Σ over expected alarms  seen: ln(p / f)      not seen: w·ln(1 − p)
//!                                    a strange one in its place: STRANGE
//!       + Σ over complaints at sites that it cuts off:  COMPLAINT each, three per site at most
//! ```
//!
//! with `p` the chance that a true alarm of the type is reported in the end, `f` that such an
//! alarm stands for another reason ([`crate::knowledge`]; the less, the longer it has stood, for what
//! has no grave reason ends by itself; the more, the oftener the type was found to lie,
//! [`crate::alarm_trust`]) and `w` how much of the alarm's usual delay has passed. Only
//! alarms noticed within one window after the candidate's onset count as seen; a warning counts if it
//! came within a day before. Of a candidate that has only been warned of, nothing else is expected
//! yet: its service still stands. The sum over both domains is what separates causes with the same
//! sites: a duct expects light lost in all its fibres, a card expects its own silence, a zone expects
//! cries of power before the sites fall silent, an ageing module was warned of and darkens one end
//! only. How often a cause strikes is added where candidates are put in order. Several faults are
//! found one after the other, each from what the one before leaves unexplained; the threshold that
//! the next must pass is what keeps explanations few. What a
//! fault hides (a cut behind a dead router shows nothing of its own) cannot be told apart by any
//! score: it is found when the first is repaired and not all comes back ([`super::masked`]).
//!
//! Three kinds of reasoning are in this, and no more: topology (what follows from what), time (what
//! came together, in windows) and causal knowledge (the figures). The figures that ship were learnt
//! from episodes of the simulated network. Which alarms follow from what is the same physics there as here, so a score
//! won on the simulation says how well this reasons when its picture of the network is right, not
//! how it would fare on a real one. What is learnt from is made in [`past_faults`]. Read next:
//! [`super::case`].

mod outline;
mod past_faults;

pub use past_faults::PastFault;

use super::evidence::Evidence;
use crate::alarm_trust::AlarmTrust;
use crate::alarms::{AlarmKey, foretells_loss, tells_of_fault};
use crate::knowledge::{Certainty, FREQUENCY_ALONE, Knowledge};
use crate::payloads::diagnosis::Suspicion;
use crate::payloads::incident::IncidentAlarm;
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use outline::{Outline, outlines};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A score below this is chance.
pub const CHANCE: f64 = 8.0;
/// The most explanations sought at one time: a storm darkens zone after zone.
const FAULTS_MAX: usize = 64;
/// The weight that a complaint at a site that the candidate cuts off adds.
const COMPLAINT: f64 = 0.7;
const COMPLAINTS_PER_SITE_MAX: u32 = 3;
/// The weight of an alarm of an unknown type on an element on which the candidate expects one that has
/// not come: it may be that one. It explains nothing by itself.
const STRANGE: f64 = 0.5;

/// The number of an alarm that some candidate expects: index for [`Correlator::keys`].
pub type AlarmNumber = usize;

/// An element that may have failed, and what would follow.
#[derive(Clone, Debug)]
pub struct CauseCandidate {
    /// The element.
    pub element: ElementId,
    /// The cause; none for a site, whose own trouble is no shared cause.
    pub cause: Option<Cause>,
    /// The sites out of service because of it.
    pub sites: BTreeSet<ElementId>,
    /// The same by number.
    site_numbers: Vec<usize>,
    /// The alarms that follow, in order.
    expected: Vec<Expectation>,
    /// The degree to which it strikes here oftener than one site has trouble of its own: the
    /// logarithm of that.
    prior: f64,
}

/// An alarm that follows from a candidate.
#[derive(Clone, Copy, Debug)]
struct Expectation {
    alarm: AlarmNumber,
    certainty: Certainty,
    /// The chance to be reported in the end.
    p: f64,
    /// Seconds until most have arrived.
    delay_s: f64,
}

/// A candidate beside the evidence.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The candidate: index for [`Correlator::candidate`].
    pub index: usize,
    /// Its score; greater is likelier, 0 is chance.
    pub score: f64,
    /// The alarms it explains, in order.
    pub explains: Vec<AlarmNumber>,
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
    topology: Arc<Topology>,
    knowledge: Arc<Knowledge>,
    /// How far types of alarms have proved true.
    trust: AlarmTrust,
    candidates: Vec<CauseCandidate>,
    /// Every alarm that is expected of anything, in order.
    alarms: Vec<AlarmKey>,
    /// By alarm: who expects it.
    expecting: Vec<Vec<usize>>,
    sites: Vec<ElementId>,
}

/// The evidence by numbers.
struct Seen {
    at: Vec<Option<Timestamp>>,
    /// By alarm: when an alarm of a type that nobody knows was noticed on its element.
    strange: Vec<Option<Timestamp>>,
    complaints: Vec<u32>,
}

impl Correlator {
    /// Works out what would follow from each element's failure, with the knowledge in force.
    pub fn new(topology: impl Into<Arc<Topology>>) -> Self {
        Self::knowing(topology, Arc::new(Knowledge::in_force()))
    }

    /// The same with other knowledge.
    pub fn knowing(topology: impl Into<Arc<Topology>>, knowledge: Arc<Knowledge>) -> Self {
        let topology = topology.into();
        let inventory = topology.inventory().clone();
        let outlines: Vec<Outline> = outlines(&topology);
        let keys = outlines.iter().flat_map(|o| o.expected.keys());
        let alarms: Vec<AlarmKey> = keys.cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let sites = inventory.of_kind(ElementKind::Site);
        let sites: Vec<ElementId> = sites.map(|s| s.id.clone()).collect();
        let number = |key: &AlarmKey| alarms.binary_search(key).ok();
        let mut alike: BTreeMap<Option<Cause>, usize> = BTreeMap::new();
        for outline in &outlines {
            *alike.entry(outline.cause).or_default() += 1;
        }
        let prior = |o: &Outline| {
            let frequency = o.cause.map_or(FREQUENCY_ALONE, |c| knowledge.frequency(c));
            let alike = alike.get(&o.cause).copied().unwrap_or(1);
            (frequency / alike as f64).ln() - (FREQUENCY_ALONE / sites.len().max(1) as f64).ln()
        };
        let candidates = outlines.into_iter().map(|o| CauseCandidate {
            prior: prior(&o),
            site_numbers: o
                .sites
                .iter()
                .filter_map(|s| sites.binary_search(s).ok())
                .collect(),
            expected: o
                .expected
                .iter()
                .filter_map(|(key, certainty)| {
                    Some(Expectation {
                        alarm: number(key)?,
                        certainty: *certainty,
                        p: knowledge.seen(o.cause, key.1, *certainty),
                        delay_s: knowledge.delay_s(o.cause, key.1, *certainty),
                    })
                })
                .collect(),
            element: o.element,
            cause: o.cause,
            sites: o.sites,
        });
        let candidates: Vec<CauseCandidate> = candidates.collect();
        let mut expecting = vec![Vec::new(); alarms.len()];
        for (index, candidate) in candidates.iter().enumerate() {
            for expected in &candidate.expected {
                expecting[expected.alarm].push(index);
            }
        }
        Self {
            topology,
            knowledge,
            trust: AlarmTrust::default(),
            candidates,
            alarms,
            expecting,
            sites,
        }
    }

    /// Takes down that alarms of these types spoke true, or did not, where somebody looked: they will
    /// weigh as much.
    pub fn found(&mut self, types: impl IntoIterator<Item = AlarmType>, spoke_true: bool) {
        self.trust.found(types, spoke_true);
    }

    /// The inventory.
    pub fn inventory(&self) -> &Inventory {
        self.topology.inventory()
    }

    /// The topology.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// A candidate by its index.
    pub fn candidate(&self, index: usize) -> &CauseCandidate {
        &self.candidates[index]
    }

    /// Every candidate, in the order of their elements.
    pub fn candidates(&self) -> impl Iterator<Item = &CauseCandidate> {
        self.candidates.iter()
    }

    /// The candidate that is `element`.
    pub fn of_element(&self, element: &ElementId) -> Option<&CauseCandidate> {
        Some(&self.candidates[self.place_of(element)?])
    }

    /// The index of the candidate that is `element`.
    pub(super) fn place_of(&self, element: &ElementId) -> Option<usize> {
        let by_id = |c: &CauseCandidate| c.element.cmp(element);
        self.candidates.binary_search_by(by_id).ok()
    }

    /// The alarms with these numbers.
    pub fn keys(&self, numbers: &[AlarmNumber]) -> BTreeSet<AlarmKey> {
        numbers.iter().map(|n| self.alarms[*n].clone()).collect()
    }

    /// The alarms that follow from a candidate.
    pub fn expected<'a>(
        &'a self,
        candidate: &'a CauseCandidate,
    ) -> impl Iterator<Item = &'a AlarmKey> {
        candidate.expected.iter().map(|e| &self.alarms[e.alarm])
    }

    /// Explains `evidence` as it stands at `now`: one explanation per fault, surest fault first.
    pub fn explain(&self, evidence: &Evidence, now: Timestamp) -> Vec<Explanation> {
        let mut seen = self.seen(evidence);
        let mut scored = self.scored(&seen, now);
        let mut explanations = Vec::new();
        while explanations.len() < FAULTS_MAX {
            let better = scored.values().filter(|r| r.score >= CHANCE);
            let Some(best) = better.min_by(|x, y| self.likelier(x, y)) else {
                break;
            };
            let explained = best.explains.clone();
            let concerned = |r: &&Ranked| meet(&r.explains, &explained);
            let ranked: Vec<Ranked> = scored.values().filter(concerned).cloned().collect();
            let ranked = self.in_order(ranked);
            explanations.push(Explanation { ranked });
            for alarm in &explained {
                seen.at[*alarm] = None;
            }
            let of_these = explained.iter().flat_map(|a| &self.expecting[*a]);
            for index in of_these.collect::<BTreeSet<_>>() {
                if scored.remove(index).is_some() {
                    scored.extend(self.score(*index, &seen, now).map(|r| (*index, r)));
                }
            }
        }
        explanations
    }

    /// Every candidate that explains anything better than chance, likeliest first.
    pub fn rank(&self, evidence: &Evidence, now: Timestamp) -> Vec<Ranked> {
        let scored = self.scored(&self.seen(evidence), now);
        self.in_order(scored.into_values().collect())
    }

    /// The likeliest shared causes of one fault, at most `most`: what a report of the best three
    /// shows. `heard` are alarms as they came; those that have cleared are not among them.
    pub fn top(
        &self,
        heard: &[IncidentAlarm],
        complaints: &BTreeMap<ElementId, u32>,
        now: Timestamp,
        most: usize,
    ) -> Vec<Vec<Suspicion>> {
        let mut evidence = Evidence {
            complaints: complaints.clone(),
            ..Evidence::default()
        };
        for alarm in heard.iter().filter(|a| tells_of_fault(a.alarm_type)) {
            let key = (alarm.resource.clone(), alarm.alarm_type);
            let time = evidence.alarms.entry(key).or_insert(alarm.time);
            *time = alarm.time.min(*time);
        }
        let shared = |e: &Explanation| -> Vec<Suspicion> {
            let causes = e.ranked.iter();
            let causes = causes.filter_map(|r| suspicion(self.candidate(r.index)));
            causes.take(most).collect()
        };
        let explanations = self.explain(&evidence, now);
        let all = explanations.iter().map(shared);
        all.filter(|causes| !causes.is_empty()).collect()
    }

    fn seen(&self, evidence: &Evidence) -> Seen {
        let strange = |(element, _): &AlarmKey| evidence.strange.get(element).copied();
        let mut seen = Seen {
            strange: match evidence.strange.is_empty() {
                true => vec![None; self.alarms.len()],
                false => self.alarms.iter().map(strange).collect(),
            },
            at: vec![None; self.alarms.len()],
            complaints: vec![0; self.sites.len()],
        };
        for (key, time) in &evidence.alarms {
            if let Ok(number) = self.alarms.binary_search(key) {
                seen.at[number] = Some(*time);
            }
        }
        for (site, count) in &evidence.complaints {
            if let Ok(number) = self.sites.binary_search(site) {
                seen.complaints[number] = *count;
            }
        }
        seen
    }

    /// Every candidate that expects something of what was seen and scores above chance.
    fn scored(&self, seen: &Seen, now: Timestamp) -> BTreeMap<usize, Ranked> {
        let alarms = seen.at.iter().enumerate();
        let standing = alarms.filter(|(_, at)| at.is_some()).map(|(n, _)| n);
        let suspects: BTreeSet<usize> = standing
            .flat_map(|number| self.expecting[number].iter().copied())
            .collect();
        let scored = suspects.into_iter();
        scored
            .filter_map(|index| Some((index, self.score(index, seen, now)?)))
            .collect()
    }

    fn in_order(&self, mut ranked: Vec<Ranked>) -> Vec<Ranked> {
        ranked.sort_by(|x, y| self.likelier(x, y));
        ranked
    }

    /// Orders by what explains best, among what strikes as often; of equals the first in order.
    fn likelier(&self, x: &Ranked, y: &Ranked) -> std::cmp::Ordering {
        let weight = |r: &Ranked| r.score + self.candidates[r.index].prior;
        let by_weight = weight(y).total_cmp(&weight(x));
        by_weight.then_with(|| x.index.cmp(&y.index))
    }

    fn score(&self, index: usize, seen: &Seen, now: Timestamp) -> Option<Ranked> {
        let candidate = &self.candidates[index];
        let window_s = self.knowledge.window_of(candidate.cause);
        let foretells = |e: &Expectation| foretells_loss(self.alarms[e.alarm].1);
        let losses = candidate.expected.iter().filter(|e| !foretells(e));
        let mut times: Vec<Timestamp> = losses.filter_map(|e| seen.at[e.alarm]).collect();
        let lost = !times.is_empty();
        if !lost {
            times.extend(candidate.expected.iter().filter_map(|e| seen.at[e.alarm]));
        }
        times.sort();
        let onset = onset(&times, window_s);
        let before_s = self.knowledge.forewarning_s;
        let mut score = 0.0;
        let mut explains = Vec::new();
        // One strange alarm stands for one of those that were expected on its element.
        let mut told_strangely = BTreeSet::new();
        for expected in &candidate.expected {
            let warns = foretells(expected);
            if !lost && !warns {
                continue;
            }
            let from = if warns { -before_s } else { 0.0 };
            let in_time = |at: &Timestamp| (from..=window_s).contains(&at.seconds_since(onset));
            if let Some(at) = seen.at[expected.alarm].filter(in_time) {
                let alarm_type = self.alarms[expected.alarm].1;
                let chance = self.knowledge.chance(alarm_type, now.seconds_since(at));
                let weight = (expected.p / chance).ln() - self.trust.discount(alarm_type);
                // One that lies often says little for a cause, but nothing against it.
                score += weight.max(0.0);
                explains.push(expected.alarm);
            } else if seen.strange[expected.alarm].is_some_and(|at| in_time(&at))
                && told_strangely.insert(&self.alarms[expected.alarm].0)
            {
                score += STRANGE;
            } else {
                let passed = now.seconds_since(onset).max(0.0) / expected.delay_s;
                score += passed.min(1.0) * (1.0 - expected.p).ln();
            }
        }
        for site in &candidate.site_numbers {
            let count = seen.complaints[*site].min(COMPLAINTS_PER_SITE_MAX);
            score += COMPLAINT * f64::from(count);
        }
        (score > 0.0).then_some(Ranked {
            index,
            score,
            explains,
        })
    }
}

/// The suspicion that names a ranked candidate to another agent; none for a site.
pub fn suspicion(candidate: &CauseCandidate) -> Option<Suspicion> {
    Some(Suspicion {
        target: candidate.element.clone(),
        cause: candidate.cause?,
    })
}

fn within(time: Timestamp, onset: Timestamp, window_s: f64) -> bool {
    (0.0..=window_s).contains(&time.seconds_since(onset))
}

/// The beginning of the window that holds most of `times`, which are sorted; the earliest among
/// equals.
fn onset(times: &[Timestamp], window_s: f64) -> Timestamp {
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

/// True if two sorted lists have an entry in common.
fn meet(x: &[AlarmNumber], y: &[AlarmNumber]) -> bool {
    x.iter().any(|number| y.binary_search(number).is_ok())
}

#[cfg(test)]
mod tests;
