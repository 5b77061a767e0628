//! A learned classifier: logistic regression on features of what each hypothesis explains, one for
//! each cause.
//!
//! Trained on labelled days by descending the gradient of all examples at once: no dice, and the
//! same examples give the same coefficients. Read next: [`crate::tuning`], which trains it.

use crate::codebook::{FaultHypothesis, Relation, SceneKey};
use crate::false_alarms::{FalseAlarmIndex, rounded};
use crate::online::{Blame, BlameRule};
use crate::rules::{blame, own_cause, suspects};
use crate::scene::AlarmScene;
use domain::cause::Cause;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names of the features, in the order of their coefficients.
pub const FEATURES: [&str; 18] = [
    "one",
    "log-explained",
    "explained-of-certain",
    "explained-of-around",
    "own-alarm",
    "own-types",
    "sites-out-seen",
    "sites-dark-seen",
    "links-dark-seen",
    "links-lost-seen",
    "neighbours-seen",
    "log-expected",
    "best-rival",
    "standing-says",
    "company-says",
    "log-sources",
    "surprise",
    "strange",
];

/// The number of features, and of those of them that there are where alarms are true.
const N: usize = FEATURES.len();
const N_TRUE: usize = 13;
/// The steps of training, their length, and the weight that keeps coefficients small.
const STEPS: usize = 400;
const RATE: f64 = 0.5;
const RIDGE: f64 = 1e-3;
/// The steps of training where most examples are false alarms.
const NEWTON_STEPS: usize = 12;

/// The coefficients of each cause, in the order of [`FEATURES`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Classifier {
    /// By cause; a cause that is not there was never seen and is never blamed.
    pub coefficients: BTreeMap<Cause, Vec<f64>>,
}

/// A hypothesis as the classifier sees it, and whether it held.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Example {
    pub(crate) cause: Cause,
    pub(crate) features: [f64; N],
    pub(crate) holds: bool,
}

impl Classifier {
    /// Trains on examples. A cause of which no example holds is left out.
    pub(crate) fn train(examples: &[Example]) -> Self {
        Self::fitted(examples, descend)
    }

    /// The same on examples most of which come of false alarms, by Newton's method: one that holds is
    /// so rare among them that descending the gradient gets nowhere.
    pub(crate) fn train_on_false_alarms(examples: &[Example]) -> Self {
        Self::fitted(examples, newton)
    }

    /// The coefficients of every cause of which an example holds, each fitted to its own examples.
    fn fitted(examples: &[Example], fit: fn(&[&Example]) -> Vec<f64>) -> Self {
        let mut coefficients = BTreeMap::new();
        for cause in Cause::ALL {
            let ours: Vec<&Example> = examples.iter().filter(|e| e.cause == cause).collect();
            if ours.iter().any(|example| example.holds) {
                coefficients.insert(cause, fit(&ours));
            }
        }
        Self { coefficients }
    }

    /// The logarithm of the odds that a hypothesis holds; none for a cause that was never seen.
    fn odds(&self, cause: Cause, features: &[f64; N]) -> Option<f64> {
        let coefficients = self.coefficients.get(&cause)?;
        Some(dot(coefficients, features))
    }
}

fn dot(coefficients: &[f64], features: &[f64; N]) -> f64 {
    let terms = coefficients.iter().zip(features);
    terms.map(|(c, f)| c * f).sum()
}

/// Descends the gradient of the logarithmic loss; coefficients are rounded to a millionth, so that
/// they are the same after a file.
fn descend(examples: &[&Example]) -> Vec<f64> {
    let mut coefficients = vec![0.0; N_TRUE];
    let all = examples.len() as f64;
    for _ in 0..STEPS {
        let mut gradient = [0.0; N_TRUE];
        for example in examples {
            let p = 1.0 / (1.0 + (-dot(&coefficients, &example.features)).exp());
            let error = p - f64::from(u8::from(example.holds));
            for (slope, feature) in gradient.iter_mut().zip(&example.features) {
                *slope += error * feature / all;
            }
        }
        for (coefficient, slope) in coefficients.iter_mut().zip(gradient) {
            *coefficient -= RATE * (slope + RIDGE * *coefficient);
        }
    }
    coefficients.into_iter().map(rounded).collect()
}

/// Newton's method on the sum of logarithmic losses, with one observation's weight on small
/// coefficients.
fn newton(examples: &[&Example]) -> Vec<f64> {
    let mut coefficients = vec![0.0; N];
    for _ in 0..NEWTON_STEPS {
        let mut slopes = [0.0; N];
        let mut curvature = [[0.0; N]; N];
        for (n, coefficient) in coefficients.iter().enumerate() {
            slopes[n] = *coefficient;
            curvature[n][n] = 1.0;
        }
        for example in examples {
            let odds = dot(&coefficients, &example.features).clamp(-30.0, 30.0);
            let p = 1.0 / (1.0 + (-odds).exp());
            let error = p - f64::from(u8::from(example.holds));
            let weight = p * (1.0 - p);
            for (n, x) in example.features.iter().enumerate() {
                slopes[n] += error * x;
                for (of, y) in curvature[n].iter_mut().zip(&example.features[..=n]) {
                    *of += weight * x * y;
                }
            }
        }
        let step = solved(&curvature, slopes);
        for (coefficient, step) in coefficients.iter_mut().zip(step) {
            *coefficient -= step.clamp(-5.0, 5.0);
        }
    }
    coefficients.into_iter().map(rounded).collect()
}

/// The solution of a system of equations whose matrix is symmetric and positive, given by its lower
/// triangle (Cholesky).
fn solved(matrix: &[[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    let mut lower = [[0.0; N]; N];
    for n in 0..N {
        for m in 0..=n {
            let known: f64 = (0..m).map(|k| lower[n][k] * lower[m][k]).sum();
            let left = matrix[n][m] - known;
            lower[n][m] = match n == m {
                true => left.max(f64::MIN_POSITIVE).sqrt(),
                false => left / lower[m][m],
            };
        }
    }
    for n in 0..N {
        let known: f64 = (0..n).map(|k| lower[n][k] * right[k]).sum();
        right[n] = (right[n] - known) / lower[n][n];
    }
    for n in (0..N).rev() {
        let known: f64 = (n + 1..N).map(|k| lower[k][n] * right[k]).sum();
        right[n] = (right[n] - known) / lower[n][n];
    }
    right
}

/// The features of every hypothesis that has a cause, among those that expect an alarm.
pub(crate) fn features<'a>(
    alarm: SceneKey,
    scene: &'a AlarmScene,
    now: Timestamp,
    false_alarms: Option<&FalseAlarmIndex>,
) -> Vec<(&'a FaultHypothesis, Vec<SceneKey>, [f64; N])> {
    let suspects = suspects(alarm, scene);
    let around = scene.around(alarm).len().max(1) as f64;
    let counts: Vec<usize> = suspects
        .iter()
        .map(|(_, explains)| explains.len())
        .collect();
    let graph = scene.book().graph();
    let mut all = Vec::new();
    for (place, (hypothesis, explains)) in suspects.into_iter().enumerate() {
        let Some(cause) = hypothesis.cause else {
            continue;
        };
        let others = counts
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place);
        let rival = others.map(|(_, n)| *n).max().unwrap_or(0) as f64;
        let held = explains.iter().filter(|key| hypothesis.is_certain(**key));
        let held = held.count();
        let own = explains
            .iter()
            .filter(|key| own_cause(graph, **key) == Some((hypothesis.element, cause)))
            .count();
        let seen = |relation: Relation| {
            let of = hypothesis
                .expected
                .iter()
                .filter(|e| e.relation == relation);
            let (n, seen) = of.fold((0, 0), |(n, seen), e| {
                (
                    n + 1,
                    seen + usize::from(explains.binary_search(&e.key).is_ok()),
                )
            });
            seen as f64 / f64::from(n.max(1))
        };
        let explained = explains.len() as f64;
        let told = false_alarms.map(|figures| figures.says(hypothesis, &explains, scene, now));
        let told = told.unwrap_or_default();
        let features = [
            1.0,
            explained.ln_1p(),
            held as f64 / hypothesis.certain.max(1) as f64,
            explained / around,
            f64::from(u8::from(own > 0)),
            own as f64 / 2.0,
            seen(Relation::SiteOut),
            seen(Relation::SiteDark),
            seen(Relation::LinkDark),
            seen(Relation::LinkLost),
            seen(Relation::NeighbourCell),
            (hypothesis.expected.len() as f64).ln_1p() / 4.0,
            rival / explained.max(1.0),
            (told.standing / 10.0).clamp(-5.0, 5.0),
            (told.company / 10.0).clamp(-5.0, 5.0),
            f64::from(told.sources).ln_1p(),
            (told.surprise / 10.0).min(5.0),
            f64::from(u8::from(told.strange)),
        ];
        all.push((hypothesis, explains, features));
    }
    all
}

/// Blames the hypothesis of the greatest odds, which are the score.
#[derive(Clone, Debug)]
pub struct ClassifierRule {
    classifier: Arc<Classifier>,
    false_alarms: Option<Arc<FalseAlarmIndex>>,
}

impl ClassifierRule {
    /// The rule with these coefficients.
    pub fn new(classifier: Classifier) -> Self {
        Self {
            classifier: Arc::new(classifier),
            false_alarms: None,
        }
    }

    /// The rule that also knows how false alarms come and how long they stand, if it was trained so.
    pub(crate) fn knowing(self, false_alarms: Option<FalseAlarmIndex>) -> Self {
        Self {
            false_alarms: false_alarms.map(Arc::new),
            ..self
        }
    }
}

impl BlameRule for ClassifierRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        let mut best: Option<(f64, &FaultHypothesis, Vec<SceneKey>)> = None;
        let known = self.false_alarms.as_deref();
        for (hypothesis, explains, features) in features(alarm, scene, now, known) {
            let odds = hypothesis
                .cause
                .and_then(|c| self.classifier.odds(c, &features));
            let Some(odds) = odds else { continue };
            if best.as_ref().is_none_or(|(most, ..)| odds > *most) {
                best = Some((odds, hypothesis, explains));
            }
        }
        let (odds, hypothesis, explains) = best?;
        Some(blame(hypothesis, odds, explains, scene))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(explained: f64, holds: bool) -> Example {
        let mut features = [0.0; N];
        features[0] = 1.0;
        features[2] = explained;
        Example {
            cause: Cause::DuctCut,
            features,
            holds,
        }
    }

    #[test]
    fn what_separates_the_examples_is_learnt_and_the_rest_is_not_blamed() {
        let examples: Vec<Example> = (0..40)
            .map(|n| example(f64::from(n) / 40.0, n >= 20))
            .collect();
        let classifier = Classifier::train(&examples);
        let odds = |e: f64| classifier.odds(Cause::DuctCut, &example(e, true).features);
        assert!(
            odds(0.9) > Some(0.0) && odds(0.1) < Some(0.0),
            "{classifier:?}"
        );
        assert_eq!(
            classifier.odds(Cause::FibreCut, &example(0.9, true).features),
            None
        );
        assert_eq!(classifier, Classifier::train(&examples));
        let patient = Classifier::train_on_false_alarms(&examples);
        let odds = |e: f64| patient.odds(Cause::DuctCut, &example(e, true).features);
        assert!(
            odds(0.9) > Some(0.0) && odds(0.1) < Some(0.0),
            "{patient:?}"
        );
    }
}
