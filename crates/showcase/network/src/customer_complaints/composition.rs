//! The composition of a letter in any language: its parts and their order.
//!
//! Knows that a letter states a symptom, a place, a time and a vehicle, with greetings and small
//! talk. The phrases are each language's own. Read next: `english` and `chinese`, then
//! [`super::words`].

use super::{ComplaintSymptom, Experience, UnrelatedSubject};
use crate::chance::{choose, happens, whole};
use domain::time::SeededRng;

/// Alternative phrases for one thing.
type Ways = &'static [&'static str];

/// Alternative phrases for each symptom and subject.
pub(super) struct Suffering {
    pub(super) account: Ways,
    pub(super) bill: Ways,
    pub(super) quota: Ways,
    pub(super) modem: Ways,
    pub(super) no_service: Ways,
    pub(super) slow_data: Ways,
    pub(super) call_drop: Ways,
    pub(super) high_latency: Ways,
    pub(super) weak_signal: Ways,
    pub(super) intermittent: Ways,
}

/// The placeholders of a letter, each filled or empty.
pub(super) struct Parts {
    /// The time: "yesterday around 7 pm".
    pub(super) when: Option<String>,
    /// The town.
    pub(super) town: Option<String>,
    /// The town of departure.
    pub(super) left: Option<String>,
    /// The vehicle identification number.
    pub(super) vehicle: Option<String>,
}

/// The phrases and rules of one language.
pub(super) struct Grammar {
    pub(super) suffering: Suffering,
    /// The clause about the place, if it is stated.
    pub(super) place: fn(&Parts, &mut SeededRng) -> Option<String>,
    /// Joins clauses into a sentence; true if the symptom leads.
    pub(super) sentence: fn(&[String], bool) -> String,
    /// Text before and after the vehicle identification number.
    pub(super) vehicle: Ways,
    pub(super) stop: &'static str,
    pub(super) chatter: Ways,
    pub(super) greetings: Ways,
    /// The separator between sentences.
    pub(super) between: &'static str,
}

/// A random phrase.
pub(super) fn pick(rng: &mut SeededRng, ways: &[&str]) -> String {
    choose(rng, ways).copied().unwrap_or_default().to_owned()
}

impl Suffering {
    fn of(&self, plight: &Experience) -> Ways {
        match (plight.outside, plight.symptom) {
            (Some(UnrelatedSubject::Account), _) => self.account,
            (Some(UnrelatedSubject::Bill), _) => self.bill,
            (Some(UnrelatedSubject::Quota), _) => self.quota,
            (Some(UnrelatedSubject::Modem), _) => self.modem,
            (None, Some(ComplaintSymptom::NoService)) => self.no_service,
            (None, Some(ComplaintSymptom::SlowData)) => self.slow_data,
            (None, Some(ComplaintSymptom::CallDrop)) => self.call_drop,
            (None, Some(ComplaintSymptom::HighLatency)) => self.high_latency,
            (None, Some(ComplaintSymptom::WeakSignal)) => self.weak_signal,
            (None, Some(ComplaintSymptom::Intermittent) | None) => self.intermittent,
        }
    }
}

impl Grammar {
    /// Composes the letter.
    pub(super) fn composed(
        &self,
        plight: &Experience,
        parts: &Parts,
        rng: &mut SeededRng,
    ) -> String {
        let mut sentences = vec![self.told(plight, parts, rng)];
        if let Some(vehicle) = &parts.vehicle {
            let said = format!("{}{vehicle}{}", pick(rng, self.vehicle), self.stop);
            let at = whole(rng, 0, sentences.len());
            sentences.insert(at, said);
        }
        for _ in 0..whole(rng, 0, 2) {
            let at = whole(rng, 0, sentences.len());
            let chatter = pick(rng, self.chatter);
            if !sentences.contains(&chatter) {
                sentences.insert(at, chatter);
            }
        }
        if happens(rng, 0.5) {
            sentences.insert(0, pick(rng, self.greetings));
        }
        sentences.join(self.between)
    }

    /// The sentence with symptom, place and time, in a random order.
    fn told(&self, plight: &Experience, parts: &Parts, rng: &mut SeededRng) -> String {
        let mut clauses = vec![pick(rng, self.suffering.of(plight))];
        clauses.extend((self.place)(parts, rng));
        clauses.extend(parts.when.clone());
        let lead = whole(rng, 0, clauses.len() - 1);
        let led = clauses.remove(lead);
        clauses.insert(0, led);
        (self.sentence)(&clauses, lead == 0)
    }
}
