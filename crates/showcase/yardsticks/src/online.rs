//! A yardstick at work: alarms come in as they are delivered, commitments go out when they are due.
//!
//! An alarm is weighed once it has stood for a while; a rule says what to blame for it, how surely,
//! and which alarms that explains. What was explained is spoken for until it clears: nobody says the
//! same again, or something else of the same alarms. Knows no rule. Read next: [`crate::method`],
//! which has them all.

use crate::codebook::{Codebook, SceneKey};
use crate::commitment::{Commitment, DeliveredAlarm};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::{Alarm, AlarmType};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Alarms noticed further apart than this, in seconds, are not of one fault.
pub const WINDOW_S: f64 = 1_200.0;

/// Anything that hears alarms and commits to causes, in the network's time.
pub trait Yardstick {
    /// Takes in an alarm that is delivered at `now`, which never goes back.
    fn hear(&mut self, alarm: &Alarm, now: Timestamp);

    /// The instant at which [`Self::due`] may have something to say; none while nothing stands.
    fn next_due(&self) -> Option<Timestamp>;

    /// What is committed to at `now`.
    fn due(&mut self, now: Timestamp) -> Vec<Commitment>;
}

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
    cleared: BTreeMap<SceneKey, Timestamp>,
    heard: u64,
}

impl AlarmScene {
    /// The codebook of the network.
    pub fn book(&self) -> &Codebook {
        &self.book
    }

    /// An alarm that stands.
    pub fn get(&self, key: SceneKey) -> Option<&SceneAlarm> {
        self.standing.get(&key)
    }

    /// Every alarm that stands and is not spoken for.
    pub fn open(&self) -> impl Iterator<Item = (SceneKey, &SceneAlarm)> {
        let open = self.standing.iter().filter(|(_, alarm)| !alarm.spoken_for);
        open.map(|(key, alarm)| (*key, alarm))
    }

    /// True if an alarm stands, is not spoken for and was noticed around the same time as `instant`;
    /// a warning that light fades may have been noticed long before.
    pub(crate) fn shows(&self, key: SceneKey, instant: Timestamp) -> bool {
        let warns = key.1 == AlarmType::OpticalPowerLow;
        self.standing.get(&key).is_some_and(|alarm| {
            let apart_s = alarm.noticed.seconds_since(instant);
            !alarm.spoken_for && (apart_s.abs() <= WINDOW_S || (warns && apart_s < 0.0))
        })
    }

    /// The types of the alarms that stand on an element and are not spoken for.
    pub(crate) fn types_on(&self, element: usize) -> usize {
        let first = (element, AlarmType::LossOfSignal);
        let on = self.standing.range(first..);
        let on = on.take_while(|((e, _), _)| *e == element);
        on.filter(|(_, alarm)| !alarm.spoken_for).count()
    }

    /// The alarms that stand, are not spoken for and were noticed around the same time as one.
    pub(crate) fn beside(&self, key: SceneKey) -> Vec<SceneKey> {
        let Some(alarm) = self.standing.get(&key) else {
            return Vec::new();
        };
        let open = self.open().map(|(key, _)| key);
        open.filter(|key| self.shows(*key, alarm.noticed)).collect()
    }

    /// The alarms that stand around one: all that have a cause in common with it, itself included.
    pub(crate) fn around(&self, key: SceneKey) -> BTreeSet<SceneKey> {
        let causes = self.book.expecting(key);
        let related = |other: &SceneKey| {
            let others = self.book.expecting(*other);
            *other == key
                || causes
                    .iter()
                    .any(|cause| others.binary_search(cause).is_ok())
        };
        self.beside(key).into_iter().filter(related).collect()
    }
}

/// What a rule blames for an alarm.
#[derive(Clone, Debug, PartialEq)]
pub struct Blame {
    /// The element.
    pub element: ElementId,
    /// The cause; none if it is no fault and nothing is to be said.
    pub cause: Option<Cause>,
    /// How surely, on a scale of the rule's own; more is surer.
    pub score: f64,
    /// The alarms that it explains.
    pub explains: BTreeSet<SceneKey>,
}

/// A way of finding out what to blame for an alarm.
pub trait BlameRule {
    /// What is to blame for an alarm that stands and is not spoken for; none if there is no telling.
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame>;
}

impl<R: BlameRule + ?Sized> BlameRule for &R {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        (**self).blame(alarm, scene, now)
    }
}

impl<R: BlameRule + ?Sized> BlameRule for Box<R> {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        (**self).blame(alarm, scene, now)
    }
}

/// How sure a rule must be, and how long an alarm must have stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatementThresholds {
    /// Seconds for which an alarm stands before it is weighed.
    pub wait_s: f64,
    /// The least score from which each cause is committed to; a cause that is not there never is.
    pub least: BTreeMap<Cause, f64>,
}

impl StatementThresholds {
    /// Commits to everything that is blamed.
    pub fn none(wait_s: f64) -> Self {
        let least = Cause::ALL.map(|cause| (cause, f64::NEG_INFINITY));
        Self {
            wait_s,
            least: least.into(),
        }
    }
}

/// A commitment whose alarms still stand.
#[derive(Clone, Debug)]
struct Standing {
    said: Commitment,
    explains: BTreeSet<SceneKey>,
    expects: BTreeSet<SceneKey>,
}

/// A rule at work on a stream of alarms.
#[derive(Clone, Debug)]
pub struct OnlineYardstick<R> {
    rule: R,
    thresholds: StatementThresholds,
    scene: AlarmScene,
    ripe: BTreeSet<(Timestamp, SceneKey)>,
    standing: Vec<Standing>,
    scores: Vec<f64>,
}

impl<R: BlameRule> OnlineYardstick<R> {
    /// The rule, before anything was heard.
    pub fn new(rule: R, thresholds: StatementThresholds, book: Arc<Codebook>) -> Self {
        Self {
            rule,
            thresholds,
            scene: AlarmScene {
                book,
                standing: BTreeMap::new(),
                cleared: BTreeMap::new(),
                heard: 0,
            },
            ripe: BTreeSet::new(),
            standing: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// The scores of all commitments so far, in their order: what a threshold is chosen by.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The alarms that stand.
    pub fn scene(&self) -> &AlarmScene {
        &self.scene
    }

    fn raise(&mut self, key: SceneKey, noticed: Timestamp, now: Timestamp) {
        if self
            .scene
            .cleared
            .get(&key)
            .is_some_and(|at| noticed <= *at)
        {
            return;
        }
        if let Some(known) = self.scene.standing.get_mut(&key) {
            known.noticed = noticed.min(known.noticed);
            return;
        }
        self.scene.heard += 1;
        let speaker = self
            .standing
            .iter_mut()
            .find(|standing| standing.expects.contains(&key));
        let alarm = SceneAlarm {
            order: self.scene.heard,
            noticed,
            spoken_for: speaker.is_some(),
        };
        match speaker {
            Some(standing) => {
                standing.explains.insert(key);
            }
            None => {
                self.ripe.insert((now.plus_s(self.thresholds.wait_s), key));
            }
        }
        self.scene.standing.insert(key, alarm);
    }

    fn clear(&mut self, key: SceneKey, at: Timestamp) {
        let latest = self.scene.cleared.entry(key).or_insert(at);
        *latest = at.max(*latest);
        if self
            .scene
            .standing
            .get(&key)
            .is_some_and(|s| s.noticed <= at)
        {
            self.scene.standing.remove(&key);
            self.ripe.retain(|(_, ripe)| *ripe != key);
            for standing in &mut self.standing {
                standing.explains.remove(&key);
            }
            self.standing.retain(|s| !s.explains.is_empty());
        }
    }

    fn weigh(&mut self, key: SceneKey, now: Timestamp) -> Option<Commitment> {
        let blame = self.rule.blame(key, &self.scene, now)?;
        let cause = blame.cause?;
        if self
            .thresholds
            .least
            .get(&cause)
            .is_none_or(|least| blame.score < *least)
        {
            return None;
        }
        let said = Commitment::diagnosis(now, blame.element, cause);
        for explained in &blame.explains {
            if let Some(alarm) = self.scene.standing.get_mut(explained) {
                alarm.spoken_for = true;
            }
        }
        let mut known = self.standing.iter_mut();
        if let Some(known) = known.find(|known| known.said.says_as(&said)) {
            known.explains.extend(blame.explains);
            return None;
        }
        let book = &self.scene.book;
        let hypothesis = book.named(&said.element, Some(cause));
        let expects = hypothesis.into_iter().flat_map(|h| h.keys()).collect();
        self.scores.push(blame.score);
        self.standing.push(Standing {
            said: said.clone(),
            explains: blame.explains,
            expects,
        });
        Some(said)
    }
}

impl<R: BlameRule> Yardstick for OnlineYardstick<R> {
    fn hear(&mut self, alarm: &Alarm, now: Timestamp) {
        let Some(element) = self.scene.book.graph().number(&alarm.resource) else {
            return;
        };
        let key = (element, alarm.alarm_type);
        match alarm.cleared {
            true => self.clear(key, alarm.time),
            false => self.raise(key, alarm.time, now),
        }
    }

    fn next_due(&self) -> Option<Timestamp> {
        self.ripe.first().map(|(at, _)| *at)
    }

    fn due(&mut self, now: Timestamp) -> Vec<Commitment> {
        let mut said = Vec::new();
        while let Some((_, key)) = self.ripe.first().copied().filter(|(at, _)| *at <= now) {
            self.ripe.pop_first();
            let open = self.scene.standing.get(&key).is_some_and(|a| !a.spoken_for);
            if open {
                said.extend(self.weigh(key, now));
            }
        }
        said
    }
}

/// What a yardstick commits to when it hears these alarms, up to `end`.
pub fn heard(
    yardstick: &mut (impl Yardstick + ?Sized),
    alarms: &[DeliveredAlarm],
    end: Timestamp,
) -> Vec<Commitment> {
    let mut said = Vec::new();
    for delivered in alarms {
        due_until(yardstick, delivered.at, &mut said);
        yardstick.hear(&delivered.alarm, delivered.at);
    }
    due_until(yardstick, end, &mut said);
    said
}

fn due_until(
    yardstick: &mut (impl Yardstick + ?Sized),
    until: Timestamp,
    said: &mut Vec<Commitment>,
) {
    while let Some(at) = yardstick.next_due().filter(|at| *at <= until) {
        said.extend(yardstick.due(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{self, alarm, at, cleared, id};

    /// Blames every alarm's own element for a broken fibre.
    #[derive(Clone)]
    struct Blunt;

    impl BlameRule for Blunt {
        fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
            Some(Blame {
                element: scene.book().graph().element(alarm.0).clone(),
                cause: Some(Cause::FibreCut),
                score: scene.types_on(alarm.0) as f64,
                explains: [alarm].into(),
            })
        }
    }

    fn blunt(least: f64) -> OnlineYardstick<Blunt> {
        let thresholds = StatementThresholds {
            wait_s: 60.0,
            least: [(Cause::FibreCut, least)].into(),
        };
        let book = Arc::new(Codebook::new(invented::town()));
        OnlineYardstick::new(Blunt, thresholds, book)
    }

    fn delivered(alarms: &[Alarm]) -> Vec<DeliveredAlarm> {
        let alarms = alarms.iter().cloned();
        alarms
            .map(|alarm| DeliveredAlarm {
                at: alarm.time,
                alarm,
            })
            .collect()
    }

    #[test]
    fn what_clears_in_time_is_not_spoken_of_and_what_stands_is_once() {
        let flap = [
            alarm("link:R-1", AlarmType::LossOfSignal, 10.0),
            cleared("link:R-1", AlarmType::LossOfSignal, 40.0),
            alarm("link:R-3", AlarmType::LossOfSignal, 50.0),
            alarm("link:R-3", AlarmType::LossOfSignal, 55.0),
            alarm("link:R-3", AlarmType::LinkDown, 60.0),
        ];
        let said = heard(&mut blunt(1.0), &delivered(&flap), at(1_000.0));
        let expected = Commitment::diagnosis(at(110.0), id("link:R-3"), Cause::FibreCut);
        assert_eq!(said, [expected]);
    }

    #[test]
    fn what_is_not_sure_enough_is_left_unsaid() {
        let one = [alarm("link:R-3", AlarmType::LossOfSignal, 50.0)];
        assert!(heard(&mut blunt(2.0), &delivered(&one), at(1_000.0)).is_empty());
        assert_eq!(
            heard(&mut blunt(1.0), &delivered(&one), at(1_000.0)).len(),
            1
        );
        assert!(
            heard(&mut blunt(1.0), &delivered(&one), at(100.0)).is_empty(),
            "not due yet"
        );
    }

    #[test]
    fn a_late_raise_of_what_has_cleared_is_nothing() {
        let late = [
            cleared("link:R-3", AlarmType::LossOfSignal, 100.0),
            alarm("link:R-3", AlarmType::LossOfSignal, 90.0),
            alarm("nowhere:1", AlarmType::LossOfSignal, 95.0),
        ];
        assert!(heard(&mut blunt(1.0), &delivered(&late), at(1_000.0)).is_empty());
    }
}
