//! Lessons: what was heard of faults of which the cause is known, beside what topology expects.
//!
//! The truth is an argument, whoever knows it: the referee of training days, or closed tickets.
//! Instants count from the onset as the agent itself would take it. What two faults of one time have
//! in common teaches nothing of either and is left out; so is what came and went within
//! [`FLICKER_S`]. Refuses to weigh. Read next: [`crate::knowledge::learning`].

use super::{CauseCandidate, Correlator, onset};
use crate::alarms::{AlarmKey, foretells_loss};
use crate::knowledge::{Certainty, Episode, ExpectedAlarm, ObservedAlarm, Others, own_alarms};
use crate::payloads::diagnosis::Suspicion;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// An alarm that stood for a shorter time is never acted upon, in seconds.
const FLICKER_S: f64 = 30.0;

/// A fault of which the cause is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PastFault {
    /// The cause, and its element.
    pub suspicion: Suspicion,
    /// The instant at which it began.
    pub from: Timestamp,
    /// The instant at which it was over, or when nobody looked any more.
    pub until: Timestamp,
    /// The elements that worked badly because of it besides: what these say is no chance.
    pub touched: BTreeSet<ElementId>,
}

impl PastFault {
    fn meets(&self, other: &Self) -> bool {
        self.from <= other.until && other.from <= self.until
    }
}

/// The alarms that follow from a fault.
type Following = BTreeMap<AlarmKey, Certainty>;

impl Correlator {
    /// The episodes that were seen of each of `faults`, to learn from; `heard` are all alarms of
    /// their time, those of other reasons among them. A fault from which nothing follows gives no
    /// lesson.
    pub fn lessons(&self, faults: &[PastFault], heard: &[ObservedAlarm]) -> Vec<Episode> {
        let following: Vec<Following> = faults
            .iter()
            .map(|f| self.following(&f.suspicion))
            .collect();
        let by_key = by_key(heard);
        let lesson = |(number, fault): (usize, &PastFault)| {
            let meets = |(n, other): &(usize, &PastFault)| *n != number && fault.meets(other);
            let beside = faults.iter().enumerate().filter(meets);
            let beside: Vec<usize> = beside.map(|(n, _)| n).collect();
            let shared = |key: &AlarmKey| beside.iter().any(|n| following[*n].contains_key(key));
            let ours: Following = following[number]
                .iter()
                .filter(|(key, _)| !shared(key))
                .map(|(key, certainty)| (key.clone(), *certainty))
                .collect();
            let explained = |key: &AlarmKey| {
                let touched = |n: &usize| faults[*n].touched.contains(&key.0);
                following[number].contains_key(key)
                    || shared(key)
                    || fault.touched.contains(&key.0)
                    || beside.iter().any(touched)
            };
            self.lesson(fault, &ours, &by_key, explained)
        };
        faults.iter().enumerate().filter_map(lesson).collect()
    }

    fn lesson(
        &self,
        fault: &PastFault,
        ours: &Following,
        heard: &BTreeMap<AlarmKey, Vec<&ObservedAlarm>>,
        explained: impl Fn(&AlarmKey) -> bool,
    ) -> Option<Episode> {
        if ours.is_empty() {
            return None;
        }
        let first = |key: &AlarmKey| {
            let of_key = heard.get(key).into_iter().flatten();
            of_key
                .copied()
                .find(|h| (fault.from..=fault.until).contains(&h.noticed))
        };
        let mut times: Vec<Timestamp> = ours
            .keys()
            .filter(|key| !foretells_loss(key.1))
            .filter_map(|key| first(key).map(|h| h.noticed))
            .collect();
        times.sort();
        let cause = fault.suspicion.cause;
        let onset = match times.is_empty() {
            true => fault.from,
            false => onset(&times, self.knowledge.window_of(Some(cause))),
        };
        let after = |at: Timestamp| at.seconds_since(onset);
        let followed = ours.iter().map(|(key, certainty)| ExpectedAlarm {
            alarm_type: key.1,
            certainty: *certainty,
            after_s: first(key).map(|h| (after(h.noticed), after(h.arrived))),
        });
        Some(Episode {
            cause,
            followed: followed.collect(),
            others: self.others(onset, heard, explained),
        })
    }

    /// The alarms noticed soon after `onset`, or warned before and still stood, and are not
    /// `explained`: what could have been mistaken for part of the fault.
    fn others(
        &self,
        onset: Timestamp,
        heard: &BTreeMap<AlarmKey, Vec<&ObservedAlarm>>,
        explained: impl Fn(&AlarmKey) -> bool,
    ) -> BTreeMap<AlarmType, Others> {
        let until = onset.plus_s(self.knowledge.window_s);
        let warned = onset.plus_s(-self.knowledge.forewarning_s);
        let stood = |key: &AlarmKey| {
            let from = if foretells_loss(key.1) { warned } else { onset };
            let stands = |h: &&&ObservedAlarm| {
                let stood = h.cleared.is_none_or(|end| end > onset);
                stood && (from..=until).contains(&h.noticed)
            };
            let mut of_key = heard.get(key).into_iter().flatten();
            of_key.find(stands).map(|h| h.lasted_s())
        };
        let mut others: BTreeMap<AlarmType, Others> = BTreeMap::new();
        for key in self.possible().filter(|key| !explained(key)) {
            let of_type = others.entry(key.1).or_default();
            of_type.places += 1;
            of_type.lasted_s.extend(stood(&key));
        }
        others
    }

    /// Every alarm that some cause could raise.
    fn possible(&self) -> impl Iterator<Item = AlarmKey> {
        let elements = self.inventory().elements.values();
        let own = elements.flat_map(|e| {
            let causes = Cause::simulated().filter(move |c| c.strikes() == e.kind);
            let types: BTreeSet<AlarmType> = causes.flat_map(own_alarms).copied().collect();
            types.into_iter().map(move |t| (e.id.clone(), t))
        });
        self.alarms.iter().cloned().chain(own)
    }

    /// The alarms that follow from a fault: over the network, or at its own element.
    fn following(&self, fault: &Suspicion) -> Following {
        let own = own_alarms(fault.cause);
        if !own.is_empty() {
            let key =
                |alarm_type: &AlarmType| ((fault.target.clone(), *alarm_type), Certainty::Sure);
            return own.iter().map(key).collect();
        }
        let expects = |candidate: &CauseCandidate| -> Following {
            let all = candidate.expected.iter();
            all.map(|e| (self.alarms[e.alarm].clone(), e.certainty))
                .collect()
        };
        self.of_element(&fault.target)
            .map(expects)
            .unwrap_or_default()
    }
}

/// The alarms observed, by what identifies them, in order of time.
fn by_key(heard: &[ObservedAlarm]) -> BTreeMap<AlarmKey, Vec<&ObservedAlarm>> {
    let mut by_key: BTreeMap<AlarmKey, Vec<&ObservedAlarm>> = BTreeMap::new();
    for alarm in heard.iter().filter(|h| h.lasted_s() >= FLICKER_S) {
        let key = (alarm.resource.clone(), alarm.alarm_type);
        by_key.entry(key).or_default().push(alarm);
    }
    for of_key in by_key.values_mut() {
        of_key.sort_by_key(|h| h.noticed);
    }
    by_key
}
