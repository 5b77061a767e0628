//! Every yardstick, made from what was tuned.
//!
//! Knows which rule goes by which name. Read next: [`crate::tuned`], [`crate::online`].

use crate::classifier::ClassifierRule;
use crate::codebook::Codebook;
use crate::codes::{BayesRule, HammingRule};
use crate::kind::YardstickKind;
use crate::online::{BlameRule, OnlineYardstick, Yardstick};
use crate::rules::{FirstAlarmRule, MostAlarmsRule, OwnAlarmRule, SuppressionRule};
use crate::tuned::TunedYardsticks;
use crate::walk::RandomWalkRule;
use std::sync::Arc;

impl YardstickKind {
    /// Its rule on a network, with what was learnt.
    pub fn rule(
        self,
        tuned: &TunedYardsticks,
        book: &Codebook,
    ) -> Box<dyn BlameRule + Send + Sync> {
        match self {
            Self::FirstAlarm => Box::new(FirstAlarmRule),
            Self::OwnAlarm => Box::new(OwnAlarmRule),
            Self::MostAlarms => Box::new(MostAlarmsRule),
            Self::Suppression => Box::new(SuppressionRule),
            Self::Hamming => Box::new(HammingRule),
            Self::Bayes => {
                let rule = BayesRule::new(&tuned.likelihoods);
                Box::new(rule.knowing(tuned.false_alarm_index()))
            }
            Self::RandomWalk => Box::new(RandomWalkRule::new(tuned.restart, book.graph())),
            Self::Classifier => {
                let rule = ClassifierRule::new(tuned.classifier.clone());
                Box::new(rule.knowing(tuned.false_alarm_index()))
            }
        }
    }

    /// The yardstick as it was tuned, before it has heard anything on the network of `book`.
    pub fn tuned(self, tuned: &TunedYardsticks, book: Arc<Codebook>) -> Box<dyn Yardstick + Send> {
        let rule = self.rule(tuned, &book);
        let thresholds = tuned.thresholds(self.as_str());
        Box::new(OnlineYardstick::new(rule, thresholds, book))
    }
}
