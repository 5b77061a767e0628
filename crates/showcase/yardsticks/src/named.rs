//! Yardsticks for alarms of any vocabulary: alarms are told apart by element and by the name of their
//! type, and nothing is known of what a name means.
//!
//! The same kind of driver as [`crate::online`]: an alarm is weighed once it has stood for a while, and
//! what was said explains its alarms until they clear. Without labels no threshold can be chosen by what
//! was wrong; so it is chosen by how many statements a day the past would have had ([`tune_named`]).
//! Read next: [`crate::measure`].

use crate::commitment::{Commitment, DeliveredAlarm};
use crate::online::{Yardstick, heard};
use crate::scene::SceneAlarm;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// An alarm by its element and the name of its type.
pub type NamedKey = (ElementId, String);

/// Seconds for which an alarm stands before it is weighed.
pub const STANDS_S: f64 = 300.0;

/// The alarms that stand.
pub type NamedScene = BTreeMap<NamedKey, SceneAlarm>;

/// What a rule blames for an alarm.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedBlame {
    /// The element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// How surely, on a scale of the rule's own; more is surer.
    pub score: f64,
    /// The alarms that it explains.
    pub explains: BTreeSet<NamedKey>,
}

/// A way of finding out what to blame for an alarm of any vocabulary.
pub trait NamedBlameRule {
    /// What is to blame for an alarm that stands; none if there is no telling.
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame>;
}

impl<R: NamedBlameRule + ?Sized> NamedBlameRule for Box<R> {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        (**self).blame(alarm, scene)
    }
}

impl<R: NamedBlameRule + ?Sized> NamedBlameRule for &R {
    fn blame(&self, alarm: &NamedKey, scene: &NamedScene) -> Option<NamedBlame> {
        (**self).blame(alarm, scene)
    }
}

/// A statement whose alarms still stand.
#[derive(Clone, Debug)]
struct StandingStatement {
    said: Commitment,
    explains: BTreeSet<NamedKey>,
}

/// A rule at work on a stream of alarms.
#[derive(Clone, Debug)]
pub struct NamedYardstick<R> {
    rule: R,
    least: f64,
    scene: NamedScene,
    cleared: BTreeMap<NamedKey, Timestamp>,
    heard: u64,
    ripe: BTreeSet<(Timestamp, NamedKey)>,
    standing: Vec<StandingStatement>,
    scores: Vec<f64>,
}

impl<R: NamedBlameRule> NamedYardstick<R> {
    /// The rule, before anything was heard; it says what it is at least so sure of.
    pub fn new(rule: R, least: f64) -> Self {
        Self {
            rule,
            least,
            scene: NamedScene::new(),
            cleared: BTreeMap::new(),
            heard: 0,
            ripe: BTreeSet::new(),
            standing: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// The scores of all that was said, in its order: what a threshold is chosen by.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn raise(&mut self, key: NamedKey, noticed: Timestamp, now: Timestamp) {
        if self.cleared.get(&key).is_some_and(|at| noticed <= *at) {
            return;
        }
        if let Some(known) = self.scene.get_mut(&key) {
            known.noticed = noticed.min(known.noticed);
            return;
        }
        self.heard += 1;
        let alarm = SceneAlarm {
            order: self.heard,
            noticed,
            spoken_for: false,
        };
        self.scene.insert(key.clone(), alarm);
        self.ripe.insert((now.plus_s(STANDS_S), key));
    }

    fn clear(&mut self, key: &NamedKey, at: Timestamp) {
        let latest = self.cleared.entry(key.clone()).or_insert(at);
        *latest = at.max(*latest);
        if self.scene.get(key).is_some_and(|it| it.noticed <= at) {
            self.scene.remove(key);
            self.ripe.retain(|(_, ripe)| ripe != key);
            for statement in &mut self.standing {
                statement.explains.remove(key);
            }
            self.standing.retain(|it| !it.explains.is_empty());
        }
    }

    fn weigh(&mut self, key: &NamedKey, now: Timestamp) -> Option<Commitment> {
        let blame = self.rule.blame(key, &self.scene)?;
        // What belongs to something that was said is explained by it.
        let mut said = self.standing.iter_mut();
        let known = said.find(|it| !it.explains.is_disjoint(&blame.explains));
        if known.is_none() && blame.score < self.least {
            return None;
        }
        for explained in &blame.explains {
            if let Some(alarm) = self.scene.get_mut(explained) {
                alarm.spoken_for = true;
            }
        }
        if let Some(known) = known {
            known.explains.extend(blame.explains);
            return None;
        }
        let said = Commitment::diagnosis(now, blame.element, blame.cause);
        self.scores.push(blame.score);
        self.standing.push(StandingStatement {
            said: said.clone(),
            explains: blame.explains,
        });
        Some(said)
    }

    /// What was said whose alarms still stand.
    pub fn said(&self) -> impl Iterator<Item = &Commitment> {
        self.standing.iter().map(|it| &it.said)
    }
}

impl<R: NamedBlameRule> Yardstick for NamedYardstick<R> {
    fn hear(&mut self, alarm: &Alarm, now: Timestamp) {
        let key = (alarm.resource.clone(), alarm.type_name().to_owned());
        match alarm.cleared {
            true => self.clear(&key, alarm.time),
            false => self.raise(key, alarm.time, now),
        }
    }

    fn next_due(&self) -> Option<Timestamp> {
        self.ripe.first().map(|(at, _)| *at)
    }

    fn due(&mut self, now: Timestamp) -> Vec<Commitment> {
        let mut said = Vec::new();
        while let Some((_, key)) = self.ripe.first().cloned().filter(|(at, _)| *at <= now) {
            self.ripe.pop_first();
            let open = self.scene.get(&key).is_some_and(|it| !it.spoken_for);
            if open {
                said.extend(self.weigh(&key, now));
            }
        }
        said
    }
}

/// The least score with which a rule would have said so many things a day in an unlabelled past that
/// lasted `days`; infinite if it never said anything.
pub fn tune_named(
    rule: &impl NamedBlameRule,
    past: &[DeliveredAlarm],
    end: Timestamp,
    days: f64,
    statements_per_day: f64,
) -> f64 {
    let said = |least: f64| {
        let mut yardstick = NamedYardstick::new(rule, least);
        heard(&mut yardstick, past, end);
        yardstick.scores().to_vec()
    };
    let most = (statements_per_day * days) as usize;
    let mut scores = said(f64::NEG_INFINITY);
    scores.sort_by(f64::total_cmp);
    scores.dedup();
    // What is left unsaid leaves alarms to others, so that each score is tried by itself.
    let places = scores.partition_point(|least| said(*least).len() > most);
    scores.get(places).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{alarm, at, cleared, delivered, id};
    use domain::telemetry::AlarmType;

    /// Blames the alarming element itself, the surer the longer its name is.
    struct Blunt;

    impl NamedBlameRule for Blunt {
        fn blame(&self, alarm: &NamedKey, _: &NamedScene) -> Option<NamedBlame> {
            Some(NamedBlame {
                element: alarm.0.clone(),
                cause: Cause::FibreCut,
                score: alarm.0.as_str().len() as f64,
                explains: [alarm.clone()].into(),
            })
        }
    }

    fn named(element: &str, name: &str, s: f64) -> Alarm {
        Alarm {
            qualifier: name.to_owned(),
            ..alarm(element, AlarmType::Unknown, s)
        }
    }

    #[test]
    fn names_are_told_apart_and_what_clears_in_time_is_not_spoken_of() {
        let stream = delivered(vec![
            named("link:R-1", "R_LOS", 0.0),
            named("link:R-1", "B1_EXC", 10.0),
            Alarm {
                qualifier: "R_LOS".to_owned(),
                ..cleared("link:R-1", AlarmType::Unknown, 20.0)
            },
        ]);
        let said = heard(&mut NamedYardstick::new(Blunt, 0.0), &stream, at(1_000.0));
        let expected = Commitment::diagnosis(at(310.0), id("link:R-1"), Cause::FibreCut);
        assert_eq!(said, [expected]);
    }

    #[test]
    fn a_threshold_keeps_to_so_many_statements_a_day() {
        let alarms = (1..=9).map(|n| named(&format!("link:{}", "x".repeat(n)), "R_LOS", 0.0));
        let stream = delivered(alarms);
        let end = at(86_400.0);
        let least = tune_named(&Blunt, &stream, end, 1.0, 3.0);
        let said = heard(&mut NamedYardstick::new(Blunt, least), &stream, end);
        assert_eq!(said.len(), 3);
        assert_eq!(tune_named(&Blunt, &[], end, 1.0, 3.0), f64::INFINITY);
    }
}
