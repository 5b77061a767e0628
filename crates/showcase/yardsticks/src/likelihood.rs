//! How often each alarm that a cause may raise is seen, and how often one stands for no fault:
//! counted on labelled days.
//!
//! Knows counts; refuses to know what is done with them. Read next: [`crate::codes`].

use crate::codebook::{Codebook, Relation, SceneKey};
use crate::labelled::LabelledDay;
use crate::measure::KnownTrouble;
use domain::cause::Cause;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The time after an onset within which an alarm of a fault is noticed, in seconds.
const FOLLOWS_S: f64 = 1_200.0;
/// The same of mains and of light that fades: batteries and modules hold for hours.
const FOLLOWS_LATE_S: f64 = 14_400.0;
/// Alarms that were noticed so much before an onset, in seconds, still count.
const BEFORE_S: f64 = 60.0;
/// The weight of what is assumed before anything was counted, in observations.
const ASSUMED: f64 = 2.0;
/// The chance assumed of an alarm that stands for no fault.
const LEAST_CHANCE: f64 = 1e-5;

/// How often an alarm that a cause may raise was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationLikelihood {
    /// The cause; none for the own trouble of a site.
    pub cause: Option<Cause>,
    /// The relation of the alarm's element to the one that failed.
    pub relation: Relation,
    /// The type of alarm.
    pub alarm: AlarmType,
    /// How often it could have been seen.
    pub expected: u32,
    /// How often it was.
    pub seen: u32,
}

/// How often a cause strikes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrikeRate {
    /// The cause; none for the own trouble of a site.
    pub cause: Option<Cause>,
    /// Faults per element that it can strike and day.
    pub per_element_day: f64,
}

/// All that was counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Likelihoods {
    /// What causes show.
    pub shown: Vec<RelationLikelihood>,
    /// The chance that an alarm of a type stands on an element for no fault within the window.
    pub chance: BTreeMap<AlarmType, f64>,
    /// How often causes strike.
    pub rates: Vec<StrikeRate>,
}

type ShownKey = (Option<Cause>, Relation, AlarmType);

impl Likelihoods {
    /// Counts on labelled days. The same days give the same figures.
    pub fn learn(days: &[LabelledDay]) -> Self {
        let mut shown: BTreeMap<ShownKey, (u32, u32)> = BTreeMap::new();
        let mut strikes: BTreeMap<Option<Cause>, u32> = BTreeMap::new();
        let mut strikable: BTreeMap<Option<Cause>, f64> = BTreeMap::new();
        let mut idle: BTreeMap<AlarmType, (u32, f64)> = BTreeMap::new();
        for day in days {
            for cause in Cause::ALL.into_iter().map(Some).chain([None]) {
                let elements = day.book.strikable(cause) as f64;
                *strikable.entry(cause).or_default() += elements * day.length_days();
            }
            let mut explained = BTreeSet::new();
            let raised = Raised::of(day);
            for trouble in &day.troubles {
                *strikes.entry(trouble.cause).or_default() += 1;
                count(day, trouble, &raised, &mut shown, &mut explained);
            }
            count_idle(day, &explained, &mut idle);
        }
        let rate = |(cause, elements): (Option<Cause>, f64)| {
            let struck = f64::from(strikes.get(&cause).copied().unwrap_or(0));
            StrikeRate {
                cause,
                per_element_day: (struck + 0.5) / elements.max(1.0),
            }
        };
        Self {
            shown: shown
                .into_iter()
                .map(
                    |((cause, relation, alarm), (expected, seen))| RelationLikelihood {
                        cause,
                        relation,
                        alarm,
                        expected,
                        seen,
                    },
                )
                .collect(),
            chance: idle
                .into_iter()
                .map(|(alarm, (n, windows))| (alarm, f64::from(n) / windows.max(1.0)))
                .collect(),
            rates: strikable.into_iter().map(rate).collect(),
        }
    }

    /// The figures, indexed.
    pub(crate) fn index(&self) -> LikelihoodIndex {
        let seen = |row: &RelationLikelihood| {
            let assumed = ASSUMED * if row.seen > 0 { 0.5 } else { 0.05 };
            let p = (f64::from(row.seen) + assumed) / (f64::from(row.expected) + ASSUMED);
            ((row.cause, row.relation, row.alarm), p.clamp(0.001, 0.995))
        };
        let chance = self.chance.iter();
        let rates = self.rates.iter();
        LikelihoodIndex {
            seen: self.shown.iter().map(seen).collect(),
            chance: chance
                .map(|(alarm, p)| (*alarm, p.clamp(LEAST_CHANCE, 0.5)))
                .collect(),
            rates: rates.map(|row| (row.cause, row.per_element_day)).collect(),
        }
    }
}

/// The figures of [`Likelihoods`], ready to be looked up.
#[derive(Clone, Debug)]
pub(crate) struct LikelihoodIndex {
    seen: BTreeMap<ShownKey, f64>,
    chance: BTreeMap<AlarmType, f64>,
    rates: BTreeMap<Option<Cause>, f64>,
}

impl LikelihoodIndex {
    /// The chance to see an alarm of this relation if the cause has struck. A cause that was never
    /// seen to strike shows what topology lets one expect.
    pub(crate) fn seen(
        &self,
        cause: Option<Cause>,
        relation: Relation,
        alarm: AlarmType,
        certain: bool,
    ) -> f64 {
        let known = self.seen.get(&(cause, relation, alarm)).copied();
        known.unwrap_or(if certain { 0.8 } else { 0.1 })
    }

    /// The chance to see it if nothing has.
    pub(crate) fn chance(&self, alarm: AlarmType) -> f64 {
        self.chance.get(&alarm).copied().unwrap_or(LEAST_CHANCE)
    }

    /// Faults per element and day.
    pub(crate) fn rate(&self, cause: Option<Cause>) -> f64 {
        self.rates.get(&cause).copied().unwrap_or(1e-6)
    }
}

/// The raises of a day by their alarm: the place of each among the alarms of the day, and when it was
/// noticed.
struct Raised(BTreeMap<SceneKey, Vec<(usize, Timestamp)>>);

impl Raised {
    fn of(day: &LabelledDay) -> Self {
        let mut raised: BTreeMap<SceneKey, Vec<(usize, Timestamp)>> = BTreeMap::new();
        for (place, heard) in day.alarms.iter().enumerate() {
            let alarm = &heard.alarm;
            let element = day.book.graph().number(&alarm.resource);
            if let Some(element) = element.filter(|_| !alarm.cleared) {
                let of_key = raised.entry((element, alarm.alarm_type)).or_default();
                of_key.push((place, alarm.time));
            }
        }
        Self(raised)
    }
}

/// Counts what one trouble showed, and marks the alarms that it explains.
fn count(
    day: &LabelledDay,
    trouble: &KnownTrouble,
    raised: &Raised,
    shown: &mut BTreeMap<ShownKey, (u32, u32)>,
    explained: &mut BTreeSet<usize>,
) {
    let Some(hypothesis) = day.book.named(&trouble.element, trouble.cause) else {
        return;
    };
    let late = matches!(
        trouble.cause,
        Some(Cause::MainsFailure | Cause::OpticalModuleAgeing)
    );
    let follows_s = if late { FOLLOWS_LATE_S } else { FOLLOWS_S };
    let in_time =
        |noticed: Timestamp| (-BEFORE_S..=follows_s).contains(&noticed.seconds_since(trouble.from));
    for expected in &hypothesis.expected {
        let of_key = raised.0.get(&expected.key).into_iter().flatten();
        let ours = of_key.filter(|(_, noticed)| in_time(*noticed));
        let ours: Vec<usize> = ours.map(|(place, _)| *place).collect();
        let key = (trouble.cause, expected.relation, expected.key.1);
        let row = shown.entry(key).or_default();
        row.0 += 1;
        row.1 += u32::from(!ours.is_empty());
        explained.extend(ours);
    }
}

/// Counts alarms that no known trouble explains, by type, with the windows in which they could have
/// been raised: elements that raise the type, times windows of the day.
fn count_idle(
    day: &LabelledDay,
    explained: &BTreeSet<usize>,
    idle: &mut BTreeMap<AlarmType, (u32, f64)>,
) {
    let windows = day.length_days() * 86_400.0 / FOLLOWS_S;
    let raisers = raisers(&day.book);
    for alarm_type in AlarmType::ALL {
        let elements = raisers.get(&alarm_type).copied().unwrap_or(0) as f64;
        idle.entry(alarm_type).or_default().1 += elements * windows;
    }
    for (place, heard) in day.alarms.iter().enumerate() {
        if !heard.alarm.cleared && !explained.contains(&place) {
            idle.entry(heard.alarm.alarm_type).or_default().0 += 1;
        }
    }
}

/// The number of elements of which the codebook expects each type.
fn raisers(book: &Codebook) -> BTreeMap<AlarmType, usize> {
    let mut raisers = BTreeMap::new();
    for (_, alarm_type) in book.expected_keys() {
        *raisers.entry(alarm_type).or_default() += 1;
    }
    raisers
}
