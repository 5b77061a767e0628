//! The composition of a letter, whatever its language: what is said, and in which order.
//!
//! Knows that a letter tells of a symptom, a place, a time and a vehicle, greets and chatters. The words
//! for it are each language's own: `english`, `chinese`. Read next: [`super::words`].

use super::words::Parts;
use super::{Outside, Plight, Symptom};
use crate::chance::{choose, happens, whole};
use domain::time::Dice;

/// Ways to say one thing.
type Ways = &'static [&'static str];

/// Ways to say what is suffered.
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

/// What a language brings to a letter.
pub(super) struct Grammar {
    pub(super) suffering: Suffering,
    /// Where it was, if that is told.
    pub(super) place: fn(&Parts, &mut Dice) -> Option<String>,
    /// A sentence of clauses; true if the one of what is suffered leads.
    pub(super) sentence: fn(&[String], bool) -> String,
    /// What comes before the vehicle's number, and what after.
    pub(super) vehicle: Ways,
    pub(super) stop: &'static str,
    pub(super) chatter: Ways,
    pub(super) greetings: Ways,
    /// What stands between two sentences.
    pub(super) between: &'static str,
}

/// One way of several.
pub(super) fn pick(dice: &mut Dice, ways: &[&str]) -> String {
    choose(dice, ways).copied().unwrap_or_default().to_owned()
}

impl Suffering {
    fn of(&self, plight: &Plight) -> Ways {
        match (plight.outside, plight.symptom) {
            (Some(Outside::Account), _) => self.account,
            (Some(Outside::Bill), _) => self.bill,
            (Some(Outside::Quota), _) => self.quota,
            (Some(Outside::Modem), _) => self.modem,
            (None, Some(Symptom::NoService)) => self.no_service,
            (None, Some(Symptom::SlowData)) => self.slow_data,
            (None, Some(Symptom::CallDrop)) => self.call_drop,
            (None, Some(Symptom::HighLatency)) => self.high_latency,
            (None, Some(Symptom::WeakSignal)) => self.weak_signal,
            (None, Some(Symptom::Intermittent) | None) => self.intermittent,
        }
    }
}

impl Grammar {
    /// The letter.
    pub(super) fn composed(&self, plight: &Plight, parts: &Parts, dice: &mut Dice) -> String {
        let mut sentences = vec![self.told(plight, parts, dice)];
        if let Some(vehicle) = &parts.vehicle {
            let said = format!("{}{vehicle}{}", pick(dice, self.vehicle), self.stop);
            let at = whole(dice, 0, sentences.len());
            sentences.insert(at, said);
        }
        for _ in 0..whole(dice, 0, 2) {
            let at = whole(dice, 0, sentences.len());
            let chatter = pick(dice, self.chatter);
            if !sentences.contains(&chatter) {
                sentences.insert(at, chatter);
            }
        }
        if happens(dice, 0.5) {
            sentences.insert(0, pick(dice, self.greetings));
        }
        sentences.join(self.between)
    }

    /// What happened, where and when, one of which leads.
    fn told(&self, plight: &Plight, parts: &Parts, dice: &mut Dice) -> String {
        let mut clauses = vec![pick(dice, self.suffering.of(plight))];
        clauses.extend((self.place)(parts, dice));
        clauses.extend(parts.when.clone());
        let lead = whole(dice, 0, clauses.len() - 1);
        let led = clauses.remove(lead);
        clauses.insert(0, led);
        (self.sentence)(&clauses, lead == 0)
    }
}
