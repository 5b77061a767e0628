//! A random walk with restart over the graph of dependencies: personalised PageRank.
//!
//! A walker starts at elements that raise alarms and goes on to what these need; where it is found
//! most often lies the cause. Knows what needs what, and no likelihood. Read next:
//! [`crate::classifier`].

use crate::codebook::{FaultHypothesis, SceneKey};
use crate::consequences::{Consequences, ElementNumber};
use crate::online::{Blame, BlameRule};
use crate::rules::{blame, own_cause, suspects};
use crate::scene::AlarmScene;
use domain::cause::Cause;
use domain::inventory::ElementKind;
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of steps that the walker's whereabouts are followed for.
const STEPS: usize = 30;

/// How many answers are kept in mind.
const REMEMBERED: usize = 50_000;

/// Alarms around one, with that: what an answer depends on.
type AskedOf = (SceneKey, Vec<SceneKey>);
/// The place of what is blamed among the hypotheses that expect the alarm, and its score; none if nothing is.
type WalkAnswer = Option<(usize, f64)>;

/// Blames the element at which the walker is found most often among those that could have raised the
/// alarm; as sure as it is found there oftener than at the others, times how many alarms there are.
#[derive(Clone, Debug)]
pub struct RandomWalkRule {
    /// The chance to start anew at each step, 0 to 1.
    restart: f64,
    needs: Arc<Vec<Vec<ElementNumber>>>,
    /// What was blamed before, by its place among the hypotheses that expect the alarm, and its score: a
    /// walk is long, and whoever tunes has the same alarms weighed many times.
    answers: Arc<Mutex<BTreeMap<AskedOf, WalkAnswer>>>,
}

impl RandomWalkRule {
    /// The rule on a network, with the chance to start anew at each step, 0 to 1. It is asked about this
    /// network alone.
    pub fn new(restart: f64, graph: &Consequences) -> Self {
        let needs = (0..graph.len()).map(|element| graph.needs(element).to_vec());
        Self {
            restart,
            needs: Arc::new(needs.collect()),
            answers: Arc::default(),
        }
    }

    /// The share of time at each element, by its number.
    fn found(&self, alarms: &BTreeSet<SceneKey>) -> Vec<f64> {
        let mut starts: BTreeMap<ElementNumber, f64> = BTreeMap::new();
        for (element, _) in alarms {
            *starts.entry(*element).or_default() += 1.0 / alarms.len() as f64;
        }
        let reached = self.reached(&starts);
        let [mut found, mut next] = [0, 1].map(|_| vec![0.0; self.needs.len()]);
        for (start, share) in &starts {
            found[*start] = *share;
        }
        for _ in 0..STEPS {
            for here in &reached {
                next[*here] = 0.0;
            }
            for (start, share) in &starts {
                next[*start] += self.restart * share;
            }
            for here in &reached {
                let goes_on = (1.0 - self.restart) * found[*here];
                let needed = &self.needs[*here];
                if needed.is_empty() {
                    next[*here] += goes_on;
                    continue;
                }
                let to_each = goes_on / needed.len() as f64;
                for there in needed {
                    next[*there] += to_each;
                }
            }
            std::mem::swap(&mut found, &mut next);
        }
        found
    }

    /// What is blamed of the hypotheses that expect an alarm, by its place, and the score.
    fn answer(
        &self,
        alarm: SceneKey,
        around: &BTreeSet<SceneKey>,
        scene: &AlarmScene,
    ) -> Option<(usize, f64)> {
        let graph = scene.book().graph();
        let suspects = suspects(alarm, scene).into_iter().enumerate();
        let fitting =
            suspects.filter(|(_, (hypothesis, explains))| fits(hypothesis, explains, graph));
        let fitting = fitting.map(|(place, (hypothesis, _))| (place, hypothesis.element));
        let fitting: Vec<(usize, ElementNumber)> = fitting.collect();
        if fitting.is_empty() {
            return None;
        }
        let found = self.found(around);
        let all: f64 = fitting.iter().map(|(_, element)| found[*element]).sum();
        let mut best: Option<(f64, usize)> = None;
        for (place, element) in fitting {
            let here = found[element];
            if best.is_none_or(|(most, _)| here > most) {
                best = Some((here, place));
            }
        }
        let (here, place) = best?;
        let score = here / all.max(f64::MIN_POSITIVE) * around.len() as f64;
        Some((place, score))
    }

    /// The elements that a walker may come to, in order.
    fn reached(&self, starts: &BTreeMap<ElementNumber, f64>) -> Vec<ElementNumber> {
        let mut is_reached = vec![false; self.needs.len()];
        let mut open: Vec<ElementNumber> = starts.keys().copied().collect();
        let mut reached = Vec::new();
        while let Some(element) = open.pop() {
            if !std::mem::replace(&mut is_reached[element], true) {
                reached.push(element);
                open.extend(&self.needs[element]);
            }
        }
        reached.sort_unstable();
        reached
    }
}

/// True if alarms speak for the kind of cause: of a cell by type, of congestion by its own alarm, of
/// mains by a site's.
fn fits(hypothesis: &FaultHypothesis, explains: &[SceneKey], graph: &Consequences) -> bool {
    let own = |key: &SceneKey| {
        own_cause(graph, *key) == hypothesis.cause.map(|c| (hypothesis.element, c))
    };
    match hypothesis.cause {
        None => false,
        Some(Cause::Congestion) => explains.iter().any(own),
        Some(_) if graph.kind(hypothesis.element) == ElementKind::Cell => explains.iter().any(own),
        Some(Cause::MainsFailure) => explains.iter().any(|key| key.1 == AlarmType::MainsFailure),
        Some(_) => true,
    }
}

impl BlameRule for RandomWalkRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
        let around = scene.around(alarm);
        let asked = (alarm, around.iter().copied().collect());
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.get(&asked).copied();
        let answer = known.unwrap_or_else(|| {
            let answer = self.answer(alarm, &around, scene);
            if answers.len() >= REMEMBERED {
                answers.clear();
            }
            answers.insert(asked, answer);
            answer
        });
        drop(answers);
        let (place, score) = answer?;
        let book = scene.book();
        let hypothesis = book.hypothesis(book.expecting(alarm)[place]);
        let explains = around.into_iter();
        let explains = explains.filter(|key| hypothesis.expectation(*key).is_some());
        Some(blame(hypothesis, score, explains, scene))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codebook::Codebook;
    use crate::invented::{self, at};

    #[test]
    fn the_walker_is_somewhere_and_most_often_where_dependencies_meet() {
        let graph = invented::town();
        let rule = RandomWalkRule::new(0.3, &graph);
        let number = |id: &str| invented::number(&graph, id);
        let alarms = ["link:R-1", "link:R-2"].map(|l| (number(l), AlarmType::LossOfSignal));
        let found = rule.found(&alarms.into());
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(found[number("duct:d")] > found[number("optic:R-1/a")]);
        assert!(found[number("zone:b")] < found[number("duct:d")]);
    }

    #[test]
    fn what_was_answered_is_answered_again_until_other_alarms_stand_around() {
        let book = Arc::new(Codebook::new(invented::town()));
        let key = |link: &str| {
            (
                invented::number(book.graph(), link),
                AlarmType::LossOfSignal,
            )
        };
        let rule = RandomWalkRule::new(0.3, book.graph());
        let mut scene = AlarmScene::new(Arc::clone(&book));
        scene.raise(key("link:R-1"), at(100.0));
        let blamed = |scene: &AlarmScene| rule.blame(key("link:R-1"), scene, at(500.0));
        let alone = blamed(&scene);
        assert!(alone.is_some());
        assert_eq!(alone, blamed(&scene));
        scene.raise(key("link:R-2"), at(110.0));
        let both = blamed(&scene);
        assert_ne!(alone, both);
        let anew = RandomWalkRule::new(0.3, book.graph());
        assert_eq!(both, anew.blame(key("link:R-1"), &scene, at(500.0)));
    }
}
