//! A yardstick at work: alarms come in as they are delivered, commitments go out when they are due.
//!
//! An alarm is weighed once it has stood for a while; a rule says what to blame for it, how surely,
//! and which alarms that explains. What was explained is spoken for until it clears: nobody says the
//! same again, or something else of the same alarms. Knows no rule. Read next: [`crate::scene`],
//! [`crate::kind`], which has them all.

use crate::codebook::{Codebook, SceneKey};
use crate::commitment::{Commitment, DeliveredAlarm};
use crate::scene::AlarmScene;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Anything that hears alarms and commits to causes, in the network's time.
pub trait Yardstick {
    /// Takes in an alarm that is delivered at `now`, which never goes back.
    fn hear(&mut self, alarm: &Alarm, now: Timestamp);

    /// The instant at which [`Self::due`] may have something to say; none while nothing stands.
    fn next_due(&self) -> Option<Timestamp>;

    /// What is committed to at `now`.
    fn due(&mut self, now: Timestamp) -> Vec<Commitment>;
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
    /// Seconds for which it stands before some causes are committed to: it is weighed again then, and
    /// a cause is committed to when an alarm is as old as that and not later, for then scores are others.
    pub longer_s: BTreeMap<Cause, f64>,
    /// The least score from which each cause is committed to; a cause that is not there never is.
    pub least: BTreeMap<Cause, f64>,
}

impl StatementThresholds {
    /// Commits to everything that is blamed.
    pub fn none(wait_s: f64) -> Self {
        let least = Cause::ALL.map(|cause| (cause, f64::NEG_INFINITY));
        Self {
            wait_s,
            longer_s: BTreeMap::new(),
            least: least.into(),
        }
    }

    /// Seconds for which an alarm stands before a cause is committed to.
    fn wait_of(&self, cause: Cause) -> f64 {
        let longer_s = self.longer_s.get(&cause).copied().unwrap_or(0.0);
        self.wait_s.max(longer_s)
    }

    /// Every age at which an alarm is weighed, in seconds, youngest first.
    fn ages_s(&self) -> Vec<f64> {
        let of_causes = self.least.keys().map(|cause| self.wait_of(*cause));
        let mut ages: Vec<f64> = of_causes.chain([self.wait_s]).collect();
        ages.sort_by(f64::total_cmp);
        ages.dedup();
        ages
    }
}

/// A commitment whose alarms still stand.
#[derive(Clone, Debug)]
struct Standing {
    said: Commitment,
    /// The hypothesis that it stands for, if the codebook has it.
    hypothesis: Option<usize>,
    explains: BTreeSet<SceneKey>,
}

/// The commitments whose alarms still stand, found by what they say, expect and explain.
#[derive(Clone, Debug, Default)]
struct StandingCommitments {
    made: u64,
    by_number: BTreeMap<u64, Standing>,
    by_words: BTreeMap<(ElementId, Cause), u64>,
    by_hypothesis: BTreeMap<usize, u64>,
    by_alarm: BTreeMap<SceneKey, Vec<u64>>,
}

impl StandingCommitments {
    /// The commitment of this element and cause.
    fn saying(&self, said: &Commitment) -> Option<u64> {
        let words = (said.element.clone(), said.cause);
        self.by_words.get(&words).copied()
    }

    /// The earliest commitment to one of these hypotheses.
    fn earliest_of(&self, hypotheses: &[usize]) -> Option<u64> {
        let numbers = hypotheses.iter().filter_map(|h| self.by_hypothesis.get(h));
        numbers.min().copied()
    }

    fn insert(&mut self, said: Commitment, hypothesis: Option<usize>) -> u64 {
        self.made += 1;
        let number = self.made;
        let words = (said.element.clone(), said.cause);
        self.by_words.insert(words, number);
        self.by_hypothesis.extend(hypothesis.map(|h| (h, number)));
        let standing = Standing {
            said,
            hypothesis,
            explains: BTreeSet::new(),
        };
        self.by_number.insert(number, standing);
        number
    }

    fn explain(&mut self, number: u64, alarms: impl IntoIterator<Item = SceneKey>) {
        let Some(standing) = self.by_number.get_mut(&number) else {
            return;
        };
        for alarm in alarms {
            if standing.explains.insert(alarm) {
                self.by_alarm.entry(alarm).or_default().push(number);
            }
        }
    }

    /// Notes that an alarm has cleared; a commitment of which no alarm is left stands no more.
    fn clear(&mut self, alarm: SceneKey) {
        for number in self.by_alarm.remove(&alarm).into_iter().flatten() {
            let Some(standing) = self.by_number.get_mut(&number) else {
                continue;
            };
            standing.explains.remove(&alarm);
            if standing.explains.is_empty() {
                let words = (standing.said.element.clone(), standing.said.cause);
                self.by_words.remove(&words);
                if let Some(hypothesis) = standing.hypothesis {
                    self.by_hypothesis.remove(&hypothesis);
                }
                self.by_number.remove(&number);
            }
        }
    }
}

/// When an alarm is weighed next.
#[derive(Clone, Copy, Debug)]
struct Ripening {
    heard: Timestamp,
    /// The place of its age then among [`StatementThresholds::ages_s`].
    age: usize,
}

/// A rule at work on a stream of alarms.
#[derive(Clone, Debug)]
pub struct OnlineYardstick<R> {
    rule: R,
    thresholds: StatementThresholds,
    ages_s: Vec<f64>,
    scene: AlarmScene,
    /// When each alarm that is not spoken for is weighed.
    ripe: BTreeSet<(Timestamp, SceneKey)>,
    ripening: BTreeMap<SceneKey, Ripening>,
    standing: StandingCommitments,
    scores: Vec<f64>,
}

impl<R: BlameRule> OnlineYardstick<R> {
    /// The rule, before anything was heard.
    pub fn new(rule: R, thresholds: StatementThresholds, book: Arc<Codebook>) -> Self {
        Self {
            rule,
            ages_s: thresholds.ages_s(),
            thresholds,
            scene: AlarmScene::new(book),
            ripe: BTreeSet::new(),
            ripening: BTreeMap::new(),
            standing: StandingCommitments::default(),
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
        if !self.scene.raise(key, noticed) {
            return;
        }
        let hypotheses = self.scene.book().expecting(key);
        match self.standing.earliest_of(hypotheses) {
            Some(number) => {
                self.standing.explain(number, [key]);
                self.scene.speak_for(key);
            }
            None => self.ripen(key, Ripening { heard: now, age: 0 }),
        }
    }

    fn ripen(&mut self, key: SceneKey, ripening: Ripening) {
        let at = ripening.heard.plus_s(self.ages_s[ripening.age]);
        self.ripe.insert((at, key));
        self.ripening.insert(key, ripening);
    }

    fn clear(&mut self, key: SceneKey, at: Timestamp) {
        if !self.scene.clear(key, at) {
            return;
        }
        if let Some(ripening) = self.ripening.remove(&key) {
            let at = ripening.heard.plus_s(self.ages_s[ripening.age]);
            self.ripe.remove(&(at, key));
        }
        self.standing.clear(key);
    }

    fn weigh(&mut self, key: SceneKey, age_s: f64, now: Timestamp) -> Option<Commitment> {
        let blame = self.rule.blame(key, &self.scene, now)?;
        let cause = blame.cause?;
        let least = *self.thresholds.least.get(&cause)?;
        if blame.score < least || age_s != self.thresholds.wait_of(cause) {
            return None;
        }
        let said = Commitment::diagnosis(now, blame.element, cause);
        for explained in &blame.explains {
            self.scene.speak_for(*explained);
        }
        if let Some(known) = self.standing.saying(&said) {
            self.standing.explain(known, blame.explains);
            return None;
        }
        self.scores.push(blame.score);
        if !blame.explains.is_empty() {
            let book = self.scene.book();
            let hypothesis = book.index_of(&said.element, Some(cause));
            let number = self.standing.insert(said.clone(), hypothesis);
            self.standing.explain(number, blame.explains);
        }
        Some(said)
    }
}

impl<R: BlameRule> Yardstick for OnlineYardstick<R> {
    fn hear(&mut self, alarm: &Alarm, now: Timestamp) {
        let Some(element) = self.scene.book().graph().number(&alarm.resource) else {
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
            let Some(ripening) = self.ripening.remove(&key) else {
                continue;
            };
            let is_open = |scene: &AlarmScene| scene.get(key).is_some_and(|a| !a.spoken_for);
            if is_open(&self.scene) {
                said.extend(self.weigh(key, self.ages_s[ripening.age], now));
            }
            let older = ripening.age + 1;
            if older < self.ages_s.len() && is_open(&self.scene) {
                let age = older;
                self.ripen(key, Ripening { age, ..ripening });
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
    use crate::invented::{self, alarm, at, cleared, delivered, id};
    use domain::telemetry::AlarmType;

    /// Blames every alarm's own element for a broken fibre.
    #[derive(Clone)]
    struct Blunt;

    impl BlameRule for Blunt {
        fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
            Some(Blame {
                element: scene.book().graph().element(alarm.0).clone(),
                cause: Some(Cause::FibreCut),
                score: scene.open_on(alarm.0).count() as f64,
                explains: [alarm].into(),
            })
        }
    }

    fn blunt(least: f64) -> OnlineYardstick<Blunt> {
        let thresholds = StatementThresholds {
            wait_s: 60.0,
            longer_s: BTreeMap::new(),
            least: [(Cause::FibreCut, least)].into(),
        };
        let book = Arc::new(Codebook::new(invented::town()));
        OnlineYardstick::new(Blunt, thresholds, book)
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
        let said = heard(&mut blunt(1.0), &delivered(flap), at(1_000.0));
        let expected = Commitment::diagnosis(at(110.0), id("link:R-3"), Cause::FibreCut);
        assert_eq!(said, [expected]);
    }

    #[test]
    fn what_is_not_sure_enough_is_left_unsaid() {
        let one = [alarm("link:R-3", AlarmType::LossOfSignal, 50.0)];
        assert!(heard(&mut blunt(2.0), &delivered(one.clone()), at(1_000.0)).is_empty());
        assert_eq!(
            heard(&mut blunt(1.0), &delivered(one.clone()), at(1_000.0)).len(),
            1
        );
        assert!(
            heard(&mut blunt(1.0), &delivered(one.clone()), at(100.0)).is_empty(),
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
        assert!(heard(&mut blunt(1.0), &delivered(late), at(1_000.0)).is_empty());
    }

    #[test]
    fn an_alarm_is_weighed_again_when_it_has_stood_as_long_as_its_cause_is_waited_for() {
        let thresholds = StatementThresholds {
            wait_s: 60.0,
            longer_s: [(Cause::FibreCut, 600.0)].into(),
            least: [(Cause::FibreCut, 0.0), (Cause::DuctCut, 0.0)].into(),
        };
        let book = Arc::new(Codebook::new(invented::town()));
        let mut online = OnlineYardstick::new(Blunt, thresholds, book);
        let alarms = [
            alarm("link:R-1", AlarmType::LossOfSignal, 10.0),
            alarm("link:R-3", AlarmType::LossOfSignal, 20.0),
            cleared("link:R-1", AlarmType::LossOfSignal, 500.0),
        ];
        let said = heard(&mut online, &delivered(alarms), at(1_000.0));
        let expected = Commitment::diagnosis(at(620.0), id("link:R-3"), Cause::FibreCut);
        assert_eq!(said, [expected]);
    }
}
