//! How false alarms come and how long they stand, beside those of faults: counted on labelled days.
//!
//! False ones come in bursts of one device and mostly clear soon; what a fault raises stands until it
//! is repaired, and nothing else comes with it. Knows counts, and what they say for a hypothesis at
//! hand; refuses to know what causes show, which is [`crate::likelihood`]. Where alarms are true there
//! is nothing to count. Read next: [`crate::codes`].

use crate::codebook::{Codebook, FaultHypothesis, SceneKey};
use crate::consequences::DeviceNumber;
use crate::labelled::LabelledDay;
use crate::likelihood::Likelihoods;
use crate::scene::{AlarmScene, SceneAlarm, TOGETHER_S};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The ages at which it is counted how many alarms still stand, in seconds.
pub(crate) const AGES_S: [f64; 12] = [
    120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 10_800.0, 14_400.0, 21_600.0, 28_800.0,
    43_200.0,
];
/// Alarms that were noticed so much before an onset, in seconds, may still be of it.
const BEFORE_S: f64 = 60.0;
/// Alarms noticed so much after an end, in seconds, may still be of it.
const AFTER_S: f64 = 900.0;
/// The weight of what all types show in what one shows, in alarms.
const ASSUMED: f64 = 4.0;
/// The least share that is believed.
const LEAST_SHARE: f64 = 1e-3;

/// The share of alarms that stand for longer than so many seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingShare {
    /// The type of alarm.
    pub alarm: AlarmType,
    /// How long, in seconds.
    pub longer_than_s: f64,
    /// The share of false alarms, 0 to 1.
    pub of_false: f64,
    /// The share of alarms of faults, 0 to 1.
    pub of_faults: f64,
}

/// How false alarms differ from those of faults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FalseAlarmFigures {
    /// How long alarms stand.
    pub standing: Vec<StandingShare>,
    /// The chance that an alarm of a type is raised together with a false one of the same device.
    pub together: BTreeMap<AlarmType, f64>,
    /// The share of false alarms with which their device raised others.
    pub accompanied_false: f64,
    /// The share of alarms of faults with which their device raised others that the fault does not
    /// explain.
    pub accompanied_faults: f64,
}

/// An alarm of a recorded day, from its raise to its clear.
struct Heard {
    key: SceneKey,
    noticed: Timestamp,
    cleared: Option<Timestamp>,
}

/// Alarms counted by how long they stood.
#[derive(Clone, Copy, Default)]
struct Survivors {
    /// By age: how many could be seen to stand so long before the record ended, and how many did.
    of: [(f64, f64); AGES_S.len()],
}

impl Survivors {
    fn count(&mut self, alarm: &Heard, end: Timestamp) {
        let ended = alarm.cleared.unwrap_or(end);
        for (age_s, (could, did)) in AGES_S.iter().zip(&mut self.of) {
            if end.seconds_since(alarm.noticed) >= *age_s {
                *could += 1.0;
                *did += f64::from(u8::from(ended.seconds_since(alarm.noticed) >= *age_s));
            }
        }
    }

    /// The share that stands for longer than an age; `all` is of every type.
    fn share(&self, age: usize, all: &Self) -> f64 {
        let (could_all, did_all) = all.of[age];
        let usual = (did_all + 0.5) / (could_all + 1.0);
        let (could, did) = self.of[age];
        let share = (did + ASSUMED * usual) / (could + ASSUMED);
        rounded(share.clamp(LEAST_SHARE, 1.0))
    }
}

/// A figure as it stands in a document, to a millionth: it is the same when it is read again.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}

impl FalseAlarmFigures {
    /// Counts on labelled days. The same days give the same figures.
    pub fn learn(days: &[LabelledDay]) -> Self {
        let mut of_false: BTreeMap<AlarmType, Survivors> = BTreeMap::new();
        let mut of_faults: BTreeMap<AlarmType, Survivors> = BTreeMap::new();
        let (mut all_false, mut all_faults) = (Survivors::default(), Survivors::default());
        let mut company: BTreeMap<AlarmType, (f64, f64)> = BTreeMap::new();
        let (mut with_false, mut with_faults) = ((0.0, 0.0), (0.0, 0.0));
        for day in days {
            let heard = heard(day);
            let beside = Beside::of(&heard, &day.book);
            for alarm in &heard {
                let of_type = alarm.key.1;
                match origin(day, alarm) {
                    Origin::Nothing => {
                        of_false.entry(of_type).or_default().count(alarm, day.until);
                        all_false.count(alarm, day.until);
                        let others = beside.with(alarm);
                        with_false.0 += 1.0;
                        with_false.1 += f64::from(u8::from(!others.is_empty()));
                        for (of_type, could) in beside.possible(alarm) {
                            company.entry(of_type).or_default().0 += could;
                        }
                        for other in others {
                            company.entry(other.1).or_default().1 += 1.0;
                        }
                    }
                    Origin::Fault(hypothesis) => {
                        of_faults
                            .entry(of_type)
                            .or_default()
                            .count(alarm, day.until);
                        all_faults.count(alarm, day.until);
                        let others = beside.with(alarm);
                        let mut others = others.iter();
                        let strange = others.any(|other| hypothesis.expectation(*other).is_none());
                        with_faults.0 += 1.0;
                        with_faults.1 += f64::from(u8::from(strange));
                    }
                    Origin::SmallTrouble => {}
                }
            }
        }
        let share = |(of, counted): (f64, f64)| rounded((counted + 1.0) / (of + 2.0));
        let none = Survivors::default();
        let standing = of_false.keys().flat_map(|alarm| {
            let ours = [&of_false, &of_faults].map(|of| of.get(alarm).unwrap_or(&none));
            let ages = AGES_S.iter().enumerate();
            ages.map(|(age, longer_than_s)| StandingShare {
                alarm: *alarm,
                longer_than_s: *longer_than_s,
                of_false: ours[0].share(age, &all_false),
                of_faults: ours[1].share(age, &all_faults),
            })
            .collect::<Vec<_>>()
        });
        // Types that no cause is expected to raise are strange company, and explained by nothing.
        let possible = company.into_iter().filter(|(_, (could, _))| *could > 0.0);
        Self {
            standing: standing.collect(),
            together: possible.map(|(t, of)| (t, share(of))).collect(),
            accompanied_false: share(with_false),
            accompanied_faults: share(with_faults),
        }
    }
}

/// The figures of [`FalseAlarmFigures`], with the chance of each false alarm.
#[derive(Clone, Debug)]
pub(crate) struct FalseAlarmIndex {
    figures: FalseAlarmFigures,
    /// By type: the chance of one on an element within a window.
    chance: Vec<f64>,
}

impl FalseAlarmIndex {
    pub(crate) fn new(figures: FalseAlarmFigures, likelihoods: &Likelihoods) -> Self {
        let chance = AlarmType::ALL.map(|of_type| likelihoods.chance_of(of_type));
        Self {
            figures,
            chance: chance.into(),
        }
    }

    /// What alarms say that a hypothesis explains, by how long they have stood and in which company
    /// they came, if it holds rather than no fault at all. `explains` is in the order of keys.
    pub(crate) fn says(
        &self,
        hypothesis: &FaultHypothesis,
        explains: &[SceneKey],
        scene: &AlarmScene,
        now: Timestamp,
    ) -> FalseAlarmEvidence {
        let mut told = FalseAlarmEvidence::default();
        for key in explains {
            let Some(alarm) = scene.get(*key) else {
                continue;
            };
            told.standing += self.standing_says(key.1, now.seconds_since(alarm.noticed));
            let (mut strange, mut follows) = (false, false);
            for other in scene.raised_with(*key) {
                strange |= hypothesis.expectation(other).is_none();
                let explained = explains.binary_search(&other).is_ok();
                let earlier = |other: &SceneAlarm| {
                    (other.noticed, other.order) < (alarm.noticed, alarm.order)
                };
                follows |= explained && scene.get(other).is_some_and(earlier);
            }
            let chance = self.chance[key.1 as usize];
            match follows {
                // A false alarm brings others with it: these are no further coincidence.
                true => {
                    let together = self.figures.together.get(&key.1);
                    let together = together.copied().unwrap_or(0.0);
                    told.company -= (together / chance).ln().max(0.0);
                }
                false => {
                    told.sources += 1;
                    told.surprise -= chance.ln();
                    let of_false = self.figures.accompanied_false;
                    let of_faults = self.figures.accompanied_faults;
                    told.company += match strange {
                        true => (of_faults / of_false).ln(),
                        false => ((1.0 - of_faults) / (1.0 - of_false)).ln(),
                    };
                }
            }
            told.strange |= strange;
        }
        told
    }

    /// The logarithm of how much oftener alarms of faults stand so long than false ones do.
    fn standing_says(&self, alarm: AlarmType, age_s: f64) -> f64 {
        let standing = &self.figures.standing;
        let first = standing.partition_point(|row| row.alarm < alarm);
        let rows = standing[first..].iter();
        let rows = rows.take_while(|row| row.alarm == alarm && row.longer_than_s <= age_s);
        rows.last()
            .map_or(0.0, |row| (row.of_faults / row.of_false).ln())
    }
}

/// What standing and company of alarms say for a hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FalseAlarmEvidence {
    /// Of how long they stand: a logarithm of odds.
    pub(crate) standing: f64,
    /// Of the company in which they came: a logarithm of odds.
    pub(crate) company: f64,
    /// How many of them came by themselves or first.
    pub(crate) sources: u32,
    /// How rare these are: the sum of the negative logarithms of their chances.
    pub(crate) surprise: f64,
    /// True if a device raised something besides that the hypothesis does not expect.
    pub(crate) strange: bool,
}

/// What raised an alarm.
enum Origin<'a> {
    Fault(&'a FaultHypothesis),
    SmallTrouble,
    Nothing,
}

fn origin<'a>(day: &'a LabelledDay, alarm: &Heard) -> Origin<'a> {
    let mut origin = Origin::Nothing;
    for trouble in &day.troubles {
        let over = trouble.until.map(|until| until.plus_s(AFTER_S));
        let in_time = alarm.noticed >= trouble.from.plus_s(-BEFORE_S)
            && over.is_none_or(|over| alarm.noticed <= over);
        if !in_time {
            continue;
        }
        let hypothesis = day.book.named(&trouble.element, trouble.cause);
        let Some(hypothesis) = hypothesis.filter(|h| h.expectation(alarm.key).is_some()) else {
            continue;
        };
        match trouble.cause {
            Some(_) => return Origin::Fault(hypothesis),
            None => origin = Origin::SmallTrouble,
        }
    }
    origin
}

/// The alarms of a day, each raise once, with the clear that ended it.
fn heard(day: &LabelledDay) -> Vec<Heard> {
    let mut raises: BTreeMap<SceneKey, Vec<Timestamp>> = BTreeMap::new();
    let mut clears: BTreeMap<SceneKey, Vec<Timestamp>> = BTreeMap::new();
    for alarm in &day.alarms {
        if let Some(element) = day.book.graph().number(&alarm.resource) {
            let key = (element, alarm.alarm_type);
            let of_key = if alarm.cleared {
                &mut clears
            } else {
                &mut raises
            };
            of_key.entry(key).or_default().push(alarm.time);
        }
    }
    clears.values_mut().for_each(|times| times.sort_unstable());
    let mut heard = Vec::new();
    for (key, mut times) in raises {
        times.sort_unstable();
        times.dedup();
        let clears = clears.get(&key).map_or(&[][..], Vec::as_slice);
        heard.extend(times.into_iter().map(|noticed| {
            Heard {
                key,
                noticed,
                cleared: clears
                    .get(clears.partition_point(|at| *at < noticed))
                    .copied(),
            }
        }));
    }
    heard
}

/// The alarms of a day by their devices.
struct Beside {
    by_device: BTreeMap<DeviceNumber, Vec<(Timestamp, SceneKey)>>,
    /// By device: how many alarms of each type it may raise.
    possible: BTreeMap<DeviceNumber, BTreeMap<AlarmType, f64>>,
    devices: BTreeMap<SceneKey, DeviceNumber>,
}

impl Beside {
    fn of(heard: &[Heard], book: &Codebook) -> Self {
        let mut beside = Self {
            by_device: BTreeMap::new(),
            possible: BTreeMap::new(),
            devices: BTreeMap::new(),
        };
        for (element, of_type) in book.expected_keys() {
            let device = book.graph().device(element);
            let of_device = beside.possible.entry(device).or_default();
            *of_device.entry(of_type).or_default() += 1.0;
        }
        for alarm in heard {
            let device = book.graph().device(alarm.key.0);
            beside.devices.insert(alarm.key, device);
            let of_device = beside.by_device.entry(device).or_default();
            of_device.push((alarm.noticed, alarm.key));
        }
        for of_device in beside.by_device.values_mut() {
            of_device.sort_unstable();
        }
        beside
    }

    /// The other alarms that a device raised together with one, each once.
    fn with(&self, alarm: &Heard) -> Vec<SceneKey> {
        let of_device = self.devices.get(&alarm.key);
        let of_device = of_device.and_then(|device| self.by_device.get(device));
        let of_device = of_device.map_or(&[][..], Vec::as_slice);
        let from = alarm.noticed.plus_s(-TOGETHER_S);
        let first = of_device.partition_point(|(at, _)| *at < from);
        let near = of_device[first..].iter();
        let near = near.take_while(|(at, _)| at.seconds_since(alarm.noticed) <= TOGETHER_S);
        let others = near.map(|(_, key)| *key).filter(|key| *key != alarm.key);
        let mut others: Vec<SceneKey> = others.collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// How many alarms of each type the device of one could have raised with it.
    fn possible(&self, alarm: &Heard) -> impl Iterator<Item = (AlarmType, f64)> {
        let device = self.devices.get(&alarm.key);
        let possible = device.and_then(|device| self.possible.get(device));
        let own = alarm.key.1;
        possible.into_iter().flatten().map(move |(of_type, n)| {
            let itself = f64::from(u8::from(*of_type == own));
            (*of_type, n - itself)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{self, alarm, at, cleared, id, number};
    use domain::cause::Cause;
    use domain::telemetry::AlarmType::{CellDegraded, CellUnavailable};
    use std::sync::Arc;

    /// Each hour two cells of a site are said to be gone for five minutes; one has failed and stays so.
    fn day() -> LabelledDay {
        let mut alarms = vec![alarm("cell:1/1", CellUnavailable, 1_000.0)];
        for hour in 1..20 {
            let from = f64::from(hour) * 3_600.0;
            for (cell, after_s) in [("cell:2/1", 0.0), ("cell:2/2", 30.0)] {
                alarms.push(alarm(cell, CellUnavailable, from + after_s));
                alarms.push(cleared(cell, CellUnavailable, from + after_s + 400.0));
            }
        }
        invented::day(alarms)
    }

    fn index() -> (LabelledDay, FalseAlarmIndex) {
        let day = day();
        let days = std::slice::from_ref(&day);
        let figures = FalseAlarmFigures::learn(days);
        let index = FalseAlarmIndex::new(figures, &Likelihoods::learn(days));
        (day, index)
    }

    #[test]
    fn what_stands_long_speaks_for_a_fault_and_company_against_it() {
        let (day, index) = index();
        let figures = &index.figures;
        let share = |longer_than_s: f64| {
            let rows = figures.standing.iter();
            let mut rows = rows.filter(|row| row.alarm == CellUnavailable);
            let row = rows.find(|row| row.longer_than_s == longer_than_s);
            row.map(|row| (row.of_false > 0.5, row.of_faults > 0.5))
        };
        assert_eq!(share(300.0), Some((true, true)));
        assert_eq!(share(600.0), Some((false, true)));
        assert!(figures.accompanied_false > 0.9, "{figures:?}");
        assert!(figures.accompanied_faults < 0.5, "{figures:?}");

        let key = |cell: &str, of_type| (number(day.book.graph(), cell), of_type);
        let [alone, one, other] =
            ["cell:3/1", "cell:4/1", "cell:4/2"].map(|cell| key(cell, CellUnavailable));
        let mut scene = AlarmScene::new(Arc::clone(&day.book));
        for alarm in [alone, one, other] {
            scene.raise(alarm, at(100.0));
        }
        scene.clear(other, at(150.0));
        let says = |key: SceneKey, s: f64| {
            let cause = Some(Cause::CellHardwareFailure);
            let cell = day.book.graph().element(key.0);
            let hypothesis = day.book.named(cell, cause).expect("a hypothesis");
            index.says(hypothesis, &[key], &scene, at(s))
        };
        assert!(says(alone, 4_000.0).standing > says(alone, 300.0).standing + 1.0);
        let (by_itself, accompanied) = (says(alone, 300.0), says(one, 300.0));
        assert!(by_itself.company > 0.0 && !by_itself.strange);
        assert!(
            accompanied.company < 0.0 && accompanied.strange,
            "though it has cleared"
        );
    }

    #[test]
    fn alarms_that_one_device_raises_together_are_no_further_coincidence() {
        let (day, index) = index();
        let cell = number(day.book.graph(), "cell:3/1");
        let both = [(cell, CellUnavailable), (cell, CellDegraded)];
        let mut scene = AlarmScene::new(Arc::clone(&day.book));
        for key in both {
            scene.raise(key, at(100.0));
        }
        let cause = Some(Cause::CellHardwareFailure);
        let hypothesis = day
            .book
            .named(&id("cell:3/1"), cause)
            .expect("a hypothesis");
        let one = index.says(hypothesis, &both[..1], &scene, at(200.0));
        let two = index.says(hypothesis, &both, &scene, at(200.0));
        assert_eq!((one.sources, two.sources), (1, 1));
        assert!(two.surprise <= one.surprise);
    }
}
