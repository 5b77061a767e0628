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
    /// When each alarm that is not spoken for is weighed.
    ripe: BTreeSet<(Timestamp, SceneKey)>,
    ripe_at: BTreeMap<SceneKey, Timestamp>,
    standing: Vec<Standing>,
    scores: Vec<f64>,
}

impl<R: BlameRule> OnlineYardstick<R> {
    /// The rule, before anything was heard.
    pub fn new(rule: R, thresholds: StatementThresholds, book: Arc<Codebook>) -> Self {
        Self {
            rule,
            thresholds,
            scene: AlarmScene::new(book),
            ripe: BTreeSet::new(),
            ripe_at: BTreeMap::new(),
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
        if !self.scene.raise(key, noticed) {
            return;
        }
        let mut standing = self.standing.iter_mut();
        match standing.find(|standing| standing.expects.contains(&key)) {
            Some(standing) => {
                standing.explains.insert(key);
                self.scene.speak_for(key);
            }
            None => {
                self.ripe.insert((now.plus_s(self.thresholds.wait_s), key));
                self.ripe_at.insert(key, now.plus_s(self.thresholds.wait_s));
            }
        }
    }

    fn clear(&mut self, key: SceneKey, at: Timestamp) {
        if !self.scene.clear(key, at) {
            return;
        }
        if let Some(ripe) = self.ripe_at.remove(&key) {
            self.ripe.remove(&(ripe, key));
        }
        for standing in &mut self.standing {
            standing.explains.remove(&key);
        }
        self.standing.retain(|s| !s.explains.is_empty());
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
            self.scene.speak_for(*explained);
        }
        let mut known = self.standing.iter_mut();
        if let Some(known) = known.find(|known| known.said.says_as(&said)) {
            known.explains.extend(blame.explains);
            return None;
        }
        let book = self.scene.book();
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
            self.ripe_at.remove(&key);
            let open = self.scene.get(key).is_some_and(|a| !a.spoken_for);
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
