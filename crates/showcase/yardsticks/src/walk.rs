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
use std::sync::Arc;

/// The number of steps that the walker's whereabouts are followed for.
const STEPS: usize = 30;

/// Blames the element at which the walker is found most often among those that could have raised the
/// alarm; as sure as it is found there oftener than at the others, times how many alarms there are.
#[derive(Clone, Debug)]
pub struct RandomWalkRule {
    /// The chance to start anew at each step, 0 to 1.
    restart: f64,
    needs: Arc<Vec<Vec<ElementNumber>>>,
}

impl RandomWalkRule {
    /// The rule on a network, with the chance to start anew at each step, 0 to 1.
    pub fn new(restart: f64, graph: &Consequences) -> Self {
        let needs = (0..graph.len()).map(|element| graph.needs(element).to_vec());
        Self {
            restart,
            needs: Arc::new(needs.collect()),
        }
    }

    /// The share of time at each element that is reached from those of the alarms, in their order.
    fn found(&self, alarms: &BTreeSet<SceneKey>) -> Vec<(ElementNumber, f64)> {
        let mut starts: BTreeMap<ElementNumber, f64> = BTreeMap::new();
        for (element, _) in alarms {
            *starts.entry(*element).or_default() += 1.0 / alarms.len() as f64;
        }
        let reached = self.reached(&starts);
        let mut places = vec![0; self.needs.len()];
        for (place, element) in reached.iter().enumerate() {
            places[*element] = place;
        }
        let place = |element: &ElementNumber| places[*element];
        let steps = reached.iter().map(|element| {
            let needs = self.needs[*element].iter();
            needs.map(place).collect()
        });
        let steps: Vec<Vec<usize>> = steps.collect();
        let starts: Vec<(usize, f64)> =
            starts.iter().map(|(e, share)| (place(e), *share)).collect();
        let mut found = vec![0.0; reached.len()];
        for (start, share) in &starts {
            found[*start] = *share;
        }
        let mut next = vec![0.0; reached.len()];
        for _ in 0..STEPS {
            next.fill(0.0);
            for (start, share) in &starts {
                next[*start] += self.restart * share;
            }
            for (here, needed) in steps.iter().enumerate() {
                let goes_on = (1.0 - self.restart) * found[here];
                if needed.is_empty() {
                    next[here] += goes_on;
                }
                for there in needed {
                    next[*there] += goes_on / needed.len() as f64;
                }
            }
            std::mem::swap(&mut found, &mut next);
        }
        reached.into_iter().zip(found).collect()
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
        let graph = scene.book().graph();
        let around = scene.around(alarm);
        let mut suspects = suspects(alarm, scene);
        suspects.retain(|(hypothesis, explains)| fits(hypothesis, explains, graph));
        if suspects.is_empty() {
            return None;
        }
        let found = self.found(&around);
        let share = |h: &FaultHypothesis| {
            let place = found.binary_search_by_key(&h.element, |(element, _)| *element);
            place.map_or(0.0, |place| found[place].1)
        };
        let all: f64 = suspects.iter().map(|(h, _)| share(h)).sum();
        let mut best: Option<(f64, &FaultHypothesis, &Vec<SceneKey>)> = None;
        for (hypothesis, explains) in &suspects {
            let here = share(hypothesis);
            if best.is_none_or(|(most, ..)| here > most) {
                best = Some((here, hypothesis, explains));
            }
        }
        let (here, hypothesis, explains) = best?;
        let score = here / all.max(f64::MIN_POSITIVE) * around.len() as f64;
        Some(blame(hypothesis, score, explains.clone(), scene))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented;

    #[test]
    fn the_walker_is_somewhere_and_most_often_where_dependencies_meet() {
        let graph = invented::town();
        let rule = RandomWalkRule::new(0.3, &graph);
        let number = |id: &str| invented::number(&graph, id);
        let alarms = ["link:R-1", "link:R-2"].map(|l| (number(l), AlarmType::LossOfSignal));
        let found: BTreeMap<_, _> = rule.found(&alarms.into()).into_iter().collect();
        assert!((found.values().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(found[&number("duct:d")] > found[&number("optic:R-1/a")]);
        assert!(
            !found.contains_key(&number("zone:b"))
                || found[&number("zone:b")] < found[&number("duct:d")]
        );
    }
}
