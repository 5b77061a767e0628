//! The codebook as a decoder: by Hamming distance, and by Bayes.
//!
//! Each cause at each element is a codeword, the alarms that stand are the word received (Kliger and
//! others, "A Coding Approach to Event Correlation", 1995). Hamming asks which codeword is nearest,
//! Bayes which is likeliest by frequencies that were counted. Read next: [`crate::likelihood`].

use crate::codebook::{FaultHypothesis, SceneKey};
use crate::false_alarms::FalseAlarmIndex;
use crate::likelihood::{LikelihoodIndex, Likelihoods};
use crate::online::{Blame, BlameRule};
use crate::rules::{blame, suspects};
use crate::scene::{AlarmScene, WINDOW_S};
use domain::time::Timestamp;
use std::sync::Arc;

/// Blames the codeword that differs least from the alarms that stand; the score is 1 for none and
/// falls to 0 the more differ.
#[derive(Clone, Copy, Debug)]
pub struct HammingRule;

impl BlameRule for HammingRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, _: Timestamp) -> Option<Blame> {
        let around = scene.around(alarm);
        let mut best: Option<(f64, &FaultHypothesis, Vec<SceneKey>)> = None;
        for (hypothesis, explains) in suspects(alarm, scene) {
            let certain = hypothesis.certain;
            let seen = explains.iter().filter(|key| hypothesis.is_certain(**key));
            let seen = seen.count();
            let unexplained = around.len() - explains.len().min(around.len());
            let bits = (certain + around.len()).max(1);
            let score = 1.0 - (certain - seen + unexplained) as f64 / bits as f64;
            if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                best = Some((score, hypothesis, explains));
            }
        }
        let (score, hypothesis, explains) = best?;
        Some(blame(hypothesis, score, explains, scene))
    }
}

/// Blames the likeliest codeword; the score is the logarithm of its odds against all others, and
/// against no fault at all.
#[derive(Clone, Debug)]
pub struct BayesRule {
    figures: Arc<LikelihoodIndex>,
    false_alarms: Option<Arc<FalseAlarmIndex>>,
}

impl BayesRule {
    /// The rule with these figures.
    pub fn new(figures: &Likelihoods) -> Self {
        Self {
            figures: Arc::new(figures.index()),
            false_alarms: None,
        }
    }

    /// The rule that also knows how false alarms come and how long they stand.
    pub(crate) fn knowing(self, false_alarms: Option<FalseAlarmIndex>) -> Self {
        Self {
            false_alarms: false_alarms.map(Arc::new),
            ..self
        }
    }

    /// The logarithm of how much likelier what is seen is if the hypothesis holds, times how often
    /// it does within a window. `explains` is in the order of keys, as what is expected is.
    fn weight(&self, hypothesis: &FaultHypothesis, explains: &[SceneKey]) -> f64 {
        let mut weight = (self.figures.rate(hypothesis.cause) / WINDOWS_PER_DAY).ln();
        let mut explained = explains.iter().peekable();
        for expected in &hypothesis.expected {
            let of_type = expected.key.1;
            let says = self.figures.says(
                hypothesis.cause,
                expected.relation,
                of_type,
                expected.certain,
            );
            weight += match explained.next_if(|key| **key == expected.key) {
                Some(_) => says.if_seen,
                None => says.if_not,
            };
        }
        weight
    }
}

const WINDOWS_PER_DAY: f64 = 86_400.0 / WINDOW_S;

impl BlameRule for BayesRule {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        let suspects = suspects(alarm, scene).into_iter();
        let mut weighed: Vec<(f64, &FaultHypothesis, Vec<SceneKey>)> = suspects
            .map(|(hypothesis, explains)| {
                let mut weight = self.weight(hypothesis, &explains);
                if let Some(figures) = &self.false_alarms {
                    let told = figures.says(hypothesis, &explains, scene, now);
                    weight += told.standing + told.company;
                }
                (weight, hypothesis, explains)
            })
            .collect();
        // Stable: of equals the first in the order of elements stays first.
        weighed.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut weighed = weighed.into_iter();
        let (most, hypothesis, explains) = weighed.next()?;
        let others: f64 = weighed.map(|(weight, ..)| (weight - most).exp()).sum();
        let score = -(others + (-most).exp()).max(f64::MIN_POSITIVE).ln();
        Some(blame(hypothesis, score, explains, scene))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codebook::Codebook;
    use crate::invented::{self, alarm, at};
    use crate::online::{OnlineYardstick, StatementThresholds, heard};
    use crate::rules::{FirstAlarmRule, MostAlarmsRule, OwnAlarmRule, SuppressionRule};
    use crate::walk::RandomWalkRule;
    use domain::cause::Cause;
    use domain::telemetry::AlarmType::{
        CellDegraded, CellUnavailable, CellsOutOfService, LinkDown, LossOfSignal, MainsFailure,
        SiteUnreachable,
    };

    fn said(rule: impl BlameRule, alarms: &[domain::telemetry::Alarm]) -> Vec<(String, Cause)> {
        let book = Arc::new(Codebook::new(invented::town()));
        let mut online = OnlineYardstick::new(rule, StatementThresholds::none(300.0), book);
        let alarms = alarms.iter().cloned();
        let delivered: Vec<_> = alarms
            .map(|alarm| crate::commitment::DeliveredAlarm {
                at: alarm.time,
                alarm,
            })
            .collect();
        let said = heard(&mut online, &delivered, at(9_000.0)).into_iter();
        said.map(|c| (c.element.to_string(), c.cause)).collect()
    }

    fn duct() -> Vec<domain::telemetry::Alarm> {
        vec![
            alarm("link:R-2", LossOfSignal, 100.0),
            alarm("link:R-1", LossOfSignal, 101.0),
            alarm("link:R-1", LinkDown, 108.0),
            alarm("link:R-2", LinkDown, 109.0),
            alarm("site:1", SiteUnreachable, 170.0),
            alarm("site:1", CellsOutOfService, 171.0),
            alarm("site:2", SiteUnreachable, 180.0),
            alarm("site:2", CellsOutOfService, 181.0),
        ]
    }

    fn one(element: &str, cause: Cause) -> Vec<(String, Cause)> {
        vec![(element.to_owned(), cause)]
    }

    #[test]
    fn codes_and_counting_find_the_duct_and_the_first_alarm_its_fibre() {
        let duct_cut = one("duct:d", Cause::DuctCut);
        assert_eq!(said(HammingRule, &duct()), duct_cut);
        assert_eq!(said(MostAlarmsRule, &duct()), duct_cut);
        let bayes = BayesRule::new(&Likelihoods::default());
        assert_eq!(said(bayes, &duct()), duct_cut);
        let fibre = one("link:R-2", Cause::FibreCut);
        assert_eq!(said(FirstAlarmRule, &duct()), fibre);
    }

    #[test]
    fn every_rule_hears_a_cell() {
        let gone = [alarm("cell:3/1", CellUnavailable, 100.0)];
        let poor = [alarm("cell:3/1", CellDegraded, 100.0)];
        let hardware = one("cell:3/1", Cause::CellHardwareFailure);
        let wrong = one("cell:3/1", Cause::Misconfiguration);
        let rules: [Box<dyn BlameRule>; 6] = [
            Box::new(OwnAlarmRule),
            Box::new(FirstAlarmRule),
            Box::new(MostAlarmsRule),
            Box::new(SuppressionRule),
            Box::new(HammingRule),
            Box::new(RandomWalkRule::new(0.3, &invented::town())),
        ];
        for rule in rules {
            assert_eq!(said(&rule, &gone), hardware);
            assert_eq!(said(&rule, &poor), wrong);
        }
    }

    #[test]
    fn suppression_blames_the_zone_that_its_sites_cry_for() {
        let dark = [
            alarm("site:1", MainsFailure, 100.0),
            alarm("site:3", MainsFailure, 101.0),
            alarm("link:3-4", LinkDown, 110.0),
        ];
        assert_eq!(
            said(SuppressionRule, &dark),
            one("zone:a", Cause::MainsFailure)
        );
    }
}
