//! The alarms that stand on a network, found by element and by the time at which they were noticed.
//!
//! Knows which alarms may share a cause; refuses to know who is to blame. Finding the company of an
//! alarm costs as much as there is around it, however many stand. Read next: [`crate::rules`].

use crate::codebook::{Codebook, SceneKey};
use crate::consequences::DeviceNumber;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Alarms noticed further apart than this, in seconds, are not of one fault.
pub const WINDOW_S: f64 = 1_200.0;

/// Alarms that one device raises within so many seconds of each other are raised together.
pub const TOGETHER_S: f64 = 120.0;

/// An alarm that stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneAlarm {
    /// Its place in the order of delivery.
    pub order: u64,
    /// The instant at which its element noticed first.
    pub noticed: Timestamp,
    /// True if a commitment explains it.
    pub spoken_for: bool,
}

/// The alarms that stand, with the network that they stand in.
#[derive(Clone, Debug)]
pub struct AlarmScene {
    book: Arc<Codebook>,
    standing: BTreeMap<SceneKey, SceneAlarm>,
    /// Those that are not spoken for, by when they were noticed.
    open: BTreeSet<(Timestamp, SceneKey)>,
    /// Those of them that warn of a loss to come.
    warnings: BTreeSet<(Timestamp, SceneKey)>,
    cleared: BTreeMap<SceneKey, Timestamp>,
    /// When each alarm was noticed last, standing or not, by its device.
    raised: BTreeMap<DeviceNumber, BTreeMap<SceneKey, Timestamp>>,
    heard: u64,
}

impl AlarmScene {
    /// A network on which nothing stands.
    pub fn new(book: Arc<Codebook>) -> Self {
        Self {
            book,
            standing: BTreeMap::new(),
            open: BTreeSet::new(),
            warnings: BTreeSet::new(),
            cleared: BTreeMap::new(),
            raised: BTreeMap::new(),
            heard: 0,
        }
    }

    /// The codebook of the network.
    pub fn book(&self) -> &Codebook {
        &self.book
    }

    /// An alarm that stands.
    pub fn get(&self, key: SceneKey) -> Option<&SceneAlarm> {
        self.standing.get(&key)
    }

    /// The types of the alarms that stand on an element and are not spoken for.
    pub fn open_on(&self, element: usize) -> impl Iterator<Item = AlarmType> {
        let on = self.standing.range((element, AlarmType::ALL[0])..);
        let on = on.take_while(move |((e, _), _)| *e == element);
        on.filter(|(_, alarm)| !alarm.spoken_for)
            .map(|((_, of_type), _)| *of_type)
    }

    /// The alarms that stand, are not spoken for and were noticed around the same time as one; a
    /// warning that light fades may have been noticed long before.
    pub(crate) fn beside(&self, key: SceneKey) -> Vec<SceneKey> {
        let Some(alarm) = self.standing.get(&key) else {
            return Vec::new();
        };
        let from = (alarm.noticed.plus_s(-WINDOW_S), LEAST);
        let window = self.open.range(from..);
        let in_window = |(noticed, _): &&(Timestamp, SceneKey)| {
            noticed.seconds_since(alarm.noticed) <= WINDOW_S
        };
        let window = window.take_while(in_window);
        let warned = self.warnings.range(..from);
        window.chain(warned).map(|(_, key)| *key).collect()
    }

    /// The alarms that stand around one: all that have a cause in common with it, itself included.
    pub(crate) fn around(&self, key: SceneKey) -> BTreeSet<SceneKey> {
        let causes = self.book.expecting(key);
        let related = |other: &SceneKey| *other == key || meet(causes, self.book.expecting(*other));
        self.beside(key).into_iter().filter(related).collect()
    }

    /// The alarms that are not spoken for and hang together with one: each has a cause in common with
    /// another of them, whenever they were noticed.
    pub fn hanging_together(&self, key: SceneKey) -> BTreeSet<SceneKey> {
        // What stands is little beside all that could: it is asked for its causes, not causes for all
        // that they expect.
        let mut expected_by: BTreeMap<usize, Vec<SceneKey>> = BTreeMap::new();
        for (_, open) in &self.open {
            for &cause in self.book.expecting(*open) {
                expected_by.entry(cause).or_default().push(*open);
            }
        }
        let (mut together, mut to_follow) = (BTreeSet::from([key]), vec![key]);
        while let Some(key) = to_follow.pop() {
            for cause in self.book.expecting(key) {
                for other in expected_by.remove(cause).into_iter().flatten() {
                    if together.insert(other) {
                        to_follow.push(other);
                    }
                }
            }
        }
        together
    }

    /// The other alarms that the device of one that stands raised together with it, though they may
    /// have cleared since.
    pub(crate) fn raised_with(&self, key: SceneKey) -> impl Iterator<Item = SceneKey> {
        let noticed = self.standing.get(&key).map(|alarm| alarm.noticed);
        let of_device = self.raised.get(&self.book.graph().device(key.0));
        let others = of_device.into_iter().flatten();
        let others = others.filter(move |(other, at)| {
            let apart_s = noticed.map(|noticed| at.seconds_since(noticed).abs());
            **other != key && apart_s.is_some_and(|s| s <= TOGETHER_S)
        });
        others.map(|(other, _)| *other)
    }

    /// Takes in a raise; true if the alarm is new. One that was noticed before it was last cleared is
    /// none, and of one that stands the earlier instant counts.
    pub fn raise(&mut self, key: SceneKey, noticed: Timestamp) -> bool {
        let device = self.book.graph().device(key.0);
        let last = self.raised.entry(device).or_default().entry(key);
        let last = last.or_insert(noticed);
        *last = noticed.max(*last);
        if self.cleared.get(&key).is_some_and(|at| noticed <= *at) {
            return false;
        }
        if let Some(known) = self.standing.get(&key).copied() {
            if noticed < known.noticed {
                self.close(key, known.noticed);
                self.standing.insert(key, SceneAlarm { noticed, ..known });
                if !known.spoken_for {
                    self.reopen(key, noticed);
                }
            }
            return false;
        }
        self.heard += 1;
        let alarm = SceneAlarm {
            order: self.heard,
            noticed,
            spoken_for: false,
        };
        self.standing.insert(key, alarm);
        self.reopen(key, noticed);
        true
    }

    /// Takes in a clear; true if the alarm stands no more.
    pub(crate) fn clear(&mut self, key: SceneKey, at: Timestamp) -> bool {
        let latest = self.cleared.entry(key).or_insert(at);
        *latest = at.max(*latest);
        let Some(alarm) = self.standing.get(&key).copied().filter(|a| a.noticed <= at) else {
            return false;
        };
        self.standing.remove(&key);
        self.close(key, alarm.noticed);
        true
    }

    /// Notes that a commitment explains an alarm.
    pub(crate) fn speak_for(&mut self, key: SceneKey) {
        if let Some(alarm) = self.standing.get_mut(&key) {
            alarm.spoken_for = true;
            let noticed = alarm.noticed;
            self.close(key, noticed);
        }
    }

    fn reopen(&mut self, key: SceneKey, noticed: Timestamp) {
        self.open.insert((noticed, key));
        if key.1 == AlarmType::OpticalPowerLow {
            self.warnings.insert((noticed, key));
        }
    }

    fn close(&mut self, key: SceneKey, noticed: Timestamp) {
        self.open.remove(&(noticed, key));
        self.warnings.remove(&(noticed, key));
    }
}

/// The least key.
const LEAST: SceneKey = (0, AlarmType::ALL[0]);

/// True if two sorted lists have an entry in common.
fn meet(x: &[usize], y: &[usize]) -> bool {
    let (few, many) = if x.len() <= y.len() { (x, y) } else { (y, x) };
    few.iter().any(|entry| many.binary_search(entry).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{self, at, number};

    #[test]
    fn company_is_of_one_time_but_for_warnings_and_leaves_when_it_is_spoken_for() {
        let book = Arc::new(Codebook::new(invented::town()));
        let key = |element: &str, of_type| (number(book.graph(), element), of_type);
        let dark = key("link:R-3", AlarmType::LossOfSignal);
        let warned = key("optic:R-3/a", AlarmType::OpticalPowerLow);
        let lost = key("link:R-3", AlarmType::LinkDown);
        let old = key("site:3", AlarmType::SiteUnreachable);
        let mut scene = AlarmScene::new(Arc::clone(&book));
        for (key, s) in [
            (dark, 9_000.0),
            (warned, 10.0),
            (lost, 9_100.0),
            (old, 20.0),
        ] {
            assert!(scene.raise(key, at(s)));
        }
        assert_eq!(scene.around(dark), [dark, warned, lost].into());
        assert_eq!(
            scene.hanging_together(dark),
            [dark, warned, lost, old].into()
        );
        scene.speak_for(lost);
        assert_eq!(scene.around(dark), [dark, warned].into());
        assert!(!scene.raise(old, at(9_050.0)), "it stands from before");
        assert!(scene.clear(old, at(8_000.0)));
        assert!(!scene.raise(old, at(7_000.0)), "it has cleared since");
        assert!(scene.raise(old, at(9_050.0)));
        assert_eq!(scene.around(dark), [dark, warned, old].into());
        assert!(scene.open_on(lost.0).eq([AlarmType::LossOfSignal]));
    }
}
