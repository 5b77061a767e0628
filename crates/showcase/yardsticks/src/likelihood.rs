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

    /// The chance that an alarm of a type stands on an element for no fault within the window.
    pub(crate) fn chance_of(&self, alarm: AlarmType) -> f64 {
        let chance = self.chance.get(&alarm);
        chance.map_or(LEAST_CHANCE, |p| p.clamp(LEAST_CHANCE, 0.5))
    }

    /// The figures, indexed.
    pub(crate) fn index(&self) -> LikelihoodIndex {
        let seen = |row: &RelationLikelihood| {
            let assumed = ASSUMED * if row.seen > 0 { 0.5 } else { 0.05 };
            let p = (f64::from(row.seen) + assumed) / (f64::from(row.expected) + ASSUMED);
            ((row.cause, row.relation, row.alarm), p.clamp(0.001, 0.995))
        };
        let seen: BTreeMap<ShownKey, f64> = self.shown.iter().map(seen).collect();
        let causes = Cause::ALL.into_iter().map(Some).chain([None]);
        let shown = causes.flat_map(|cause| {
            let relations = Relation::ALL.into_iter();
            relations
                .flat_map(move |relation| AlarmType::ALL.map(|of_type| (cause, relation, of_type)))
        });
        let says = shown.flat_map(|shown| {
            // What was never seen to strike shows what topology lets one expect.
            let known = seen.get(&shown).copied();
            let chance = self.chance_of(shown.2);
            [0.1, 0.8].map(|expected| AlarmWeight::of(known.unwrap_or(expected), chance))
        });
        let rates = self.rates.iter();
        LikelihoodIndex {
            says: says.collect(),
            rates: rates.map(|row| (row.cause, row.per_element_day)).collect(),
        }
    }
}

/// What it says for a cause that an alarm is seen, or not: logarithms of how much likelier that is if
/// the cause has struck than if nothing has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlarmWeight {
    pub(crate) if_seen: f64,
    pub(crate) if_not: f64,
}

impl AlarmWeight {
    fn of(p: f64, chance: f64) -> Self {
        Self {
            if_seen: (p / chance).ln(),
            if_not: ((1.0 - p) / (1.0 - chance)).ln(),
        }
    }
}

/// The figures of [`Likelihoods`], ready to be looked up.
#[derive(Clone, Debug)]
pub(crate) struct LikelihoodIndex {
    /// By cause, none last, relation, type and whether topology lets one expect it.
    says: Vec<AlarmWeight>,
    rates: BTreeMap<Option<Cause>, f64>,
}

impl LikelihoodIndex {
    /// What an alarm of this relation says for a cause; `certain` if topology lets one expect it.
    pub(crate) fn says(
        &self,
        cause: Option<Cause>,
        relation: Relation,
        alarm: AlarmType,
        certain: bool,
    ) -> AlarmWeight {
        let cause = cause.map_or(Cause::ALL.len(), |cause| cause as usize);
        let shown = cause * Relation::ALL.len() + relation as usize;
        let shown = shown * AlarmType::ALL.len() + alarm as usize;
        self.says[2 * shown + usize::from(certain)]
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
