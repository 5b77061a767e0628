//! The learning of knowledge: episodes of which the cause is known, counted against what was set by
//! hand.
//!
//! An episode is a fault, what topology let one expect of it and what was heard; training days of a
//! simulation give them, or a record of closed tickets with the alarms of their time
//! ([`crate::oss_fault::correlation`] makes them of either). The figures set by hand weigh as much as
//! [`PRIOR`] observations, so that few episodes move little and many decide. The order of episodes
//! does not matter, and figures are rounded, so that the same episodes give the same text. Refuses
//! to know how the network is built, and who found the cause out. Read next: [`super::text`].

use super::{Certainty, Effect, Knowledge, OUTLASTS, own_alarms};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The number of observations that a figure set by hand weighs.
pub const PRIOR: f64 = 20.0;
/// The same for the chance of alarms that have another reason: these are rare.
const CHANCE_PRIOR: f64 = 1_000.0;
/// The share of true alarms that a delay covers, and that a window does.
const DELAY_COVERS: f64 = 0.9;
const WINDOW_COVERS: f64 = 0.98;
/// The time that a window holds beyond that, in seconds.
const WINDOW_SPARE_S: f64 = 60.0;

/// An alarm as a management system delivered it, from beginning to end.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedAlarm {
    /// The element it is raised on.
    pub resource: ElementId,
    /// The type of the alarm.
    pub alarm_type: AlarmType,
    /// The instant at which the element noticed.
    pub noticed: Timestamp,
    /// The instant at which it was delivered first.
    pub arrived: Timestamp,
    /// The instant at which the element noticed its end; none while it stands.
    pub cleared: Option<Timestamp>,
}

impl ObservedAlarm {
    /// For how long it stood, in seconds; without end while it stands.
    pub fn lasted_s(&self) -> f64 {
        let lasted = self.cleared.map(|end| end.seconds_since(self.noticed));
        lasted.unwrap_or(f64::INFINITY)
    }
}

/// An alarm that was to be expected of a known cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedAlarm {
    /// Its type.
    pub alarm_type: AlarmType,
    /// The certainty with which it follows.
    pub certainty: Certainty,
    /// The times at which it was noticed and arrived, in seconds from the onset; none if it never
    /// was. A warning comes before the onset: negative.
    pub after_s: Option<(f64, f64)>,
}

/// A fault of which the cause is known, and what was seen of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// The cause.
    pub cause: Cause,
    /// Every alarm that should have followed.
    pub followed: Vec<ExpectedAlarm>,
    /// By type: what stood then and follows from no known fault.
    pub others: BTreeMap<AlarmType, Others>,
}

/// Alarms of a type that stood for another reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Others {
    /// On how many elements one could have stood.
    pub places: u64,
    /// For how long each of those that did stood, in seconds.
    pub lasted_s: Vec<f64>,
}

impl Knowledge {
    /// Corrects the hand-set figures by episodes. Without any, nothing changes but digits.
    pub fn learn(episodes: &[Episode]) -> Self {
        let mut learnt = Self::default();
        learnt.learn_odds(episodes);
        learnt.learn_effects(episodes);
        learnt.learn_certainties(episodes);
        learnt.learn_windows(episodes);
        learnt.learn_frequencies(episodes);
        learnt.round();
        learnt
    }

    /// The odds that hold of a type of alarm whatever it follows from; what a cause shows at its
    /// own element is peculiar to it.
    fn learn_odds(&mut self, episodes: &[Episode]) {
        for (alarm_type, odds) in &mut self.odds {
            let sure = sure(episodes, |cause, of_type| {
                of_type == *alarm_type && own_alarms(cause).is_empty()
            });
            odds.effect = corrected_effect(&sure, odds.effect);
            let others = || episodes.iter().filter_map(|e| e.others.get(alarm_type));
            let places: u64 = others().map(|o| o.places).sum();
            let lasted: Vec<f64> = others().flat_map(|o| &o.lasted_s).copied().collect();
            let stood = lasted.len() as f64;
            odds.chance = corrected(stood, places as f64, odds.chance, CHANCE_PRIOR);
            let lasts = quantile(lasted, 1.0 - OUTLASTS).filter(|s| s.is_finite());
            odds.lasts_s = lasts.unwrap_or(odds.lasts_s).max(1.0);
        }
    }

    /// The effects peculiar to a cause: before it has been seen, it does as any other, or as was
    /// set by hand. How late alarms come is the network's way of telling, and peculiar only to what
    /// shows at its own element.
    fn learn_effects(&mut self, episodes: &[Episode]) {
        let keys = episodes
            .iter()
            .flat_map(|e| e.followed.iter().map(|f| (e.cause, f)));
        let surely = keys.filter(|(_, f)| f.certainty == Certainty::Sure);
        let keys: BTreeSet<_> = surely.map(|(cause, f)| (cause, f.alarm_type)).collect();
        for (cause, alarm_type) in keys {
            let sure = sure(episodes, |c, of_type| (c, of_type) == (cause, alarm_type));
            let before = self.effect(Some(cause), alarm_type);
            let mut effect = corrected_effect(&sure, before);
            if own_alarms(cause).is_empty() {
                effect.delay_s = before.delay_s;
            }
            self.effects.insert((cause, alarm_type), effect);
        }
    }

    fn learn_certainties(&mut self, episodes: &[Episode]) {
        let hand_set = Self::default();
        let follows = |certainty: Certainty, hand_set_share: f64| {
            let all = episodes.iter().flat_map(|e| &e.followed);
            let mut counts = (0.0, 0.0);
            for f in all.filter(|f| f.certainty == certainty) {
                counts.0 += f64::from(u8::from(f.after_s.is_some()));
                counts.1 += self.odds(f.alarm_type).effect.seen;
            }
            corrected(counts.0, counts.1, hand_set_share, PRIOR)
        };
        let battery_ends = follows(Certainty::Battery, hand_set.battery_ends);
        let isolated_seen = follows(Certainty::Isolated, hand_set.isolated_seen);
        (self.battery_ends, self.isolated_seen) = (battery_ends, isolated_seen);
    }

    /// A window holds nearly all alarms that came after the onset, and a minute more; where mains has
    /// gone, nearly all that waited for a battery to end. What shows at the element itself has none.
    fn learn_windows(&mut self, episodes: &[Episode]) {
        let noticed = |power: bool| -> Vec<f64> {
            let spreads = |e: &&Episode| own_alarms(e.cause).is_empty();
            let ours = episodes.iter().filter(spreads).flat_map(|e| {
                let of_power = e.cause == Cause::MainsFailure;
                e.followed.iter().filter(move |f| match power {
                    true => of_power && f.certainty == Certainty::Battery,
                    false => !of_power,
                })
            });
            let noticed = ours.filter_map(|f| f.after_s.map(|(noticed, _)| noticed));
            noticed.filter(|s| *s >= 0.0).collect()
        };
        let window = |power| quantile(noticed(power), WINDOW_COVERS).map(|s| s + WINDOW_SPARE_S);
        self.window_s = window(false).unwrap_or(self.window_s).max(60.0);
        self.power_window_s = window(true).unwrap_or(self.power_window_s);
        self.power_window_s = self.power_window_s.max(self.window_s);
    }

    fn learn_frequencies(&mut self, episodes: &[Episode]) {
        let hand_set: f64 = self.frequency.values().sum();
        let all = PRIOR + episodes.len() as f64;
        for (cause, frequency) in &mut self.frequency {
            let struck = episodes.iter().filter(|e| e.cause == *cause).count() as f64;
            *frequency = (PRIOR * *frequency / hand_set + struck) / all * hand_set;
        }
    }

    fn round(&mut self) {
        let effects = self.effects.values_mut();
        let odds = self.odds.values_mut().map(|odds| {
            odds.chance = rounded(odds.chance);
            odds.lasts_s = rounded(odds.lasts_s);
            &mut odds.effect
        });
        for effect in effects.chain(odds) {
            effect.seen = rounded(effect.seen);
            effect.delay_s = rounded(effect.delay_s);
        }
        let single = [
            &mut self.window_s,
            &mut self.power_window_s,
            &mut self.forewarning_s,
            &mut self.battery_ends,
            &mut self.isolated_seen,
        ];
        for figure in single.into_iter().chain(self.frequency.values_mut()) {
            *figure = rounded(*figure);
        }
    }
}

/// The alarms that surely follow, of the causes and types wanted.
fn sure(episodes: &[Episode], wanted: impl Fn(Cause, AlarmType) -> bool) -> Vec<&ExpectedAlarm> {
    let all = episodes
        .iter()
        .flat_map(|e| e.followed.iter().map(move |f| (e.cause, f)));
    let ours =
        all.filter(|(cause, f)| f.certainty == Certainty::Sure && wanted(*cause, f.alarm_type));
    ours.map(|(_, f)| f).collect()
}

fn corrected_effect(sure: &[&ExpectedAlarm], before: Effect) -> Effect {
    let happened = sure.iter().filter(|f| f.after_s.is_some()).count() as f64;
    let arrived = sure
        .iter()
        .filter_map(|f| f.after_s.map(|(_, arrived)| arrived));
    let delay_s = quantile(arrived.collect(), DELAY_COVERS);
    Effect {
        seen: corrected(happened, sure.len() as f64, before.seen, PRIOR),
        delay_s: delay_s.unwrap_or(before.delay_s).max(1.0),
    }
}

/// A share, with the hand-set share as so many observations; never 0 nor 1.
fn corrected(happened: f64, of: f64, hand_set: f64, prior: f64) -> f64 {
    ((happened + prior * hand_set) / (of + prior)).clamp(1e-6, 0.999)
}

/// The value below which the share `p` of the values lie; none of fewer than [`PRIOR`].
fn quantile(mut values: Vec<f64>, p: f64) -> Option<f64> {
    if (values.len() as f64) < PRIOR {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    values.get((p * last as f64).round() as usize).copied()
}

/// The figure to four digits: more say nothing.
fn rounded(figure: f64) -> f64 {
    let text = format!("{figure:.3e}");
    text.parse().expect("what was written as a number is one")
}
