//! What was tuned: thresholds of every policy for the same budget of wrong statements, counts,
//! coefficients, and the seeds that all of it comes from.
//!
//! A JSON document that a command writes; the one that ships stands beside the code. Read next:
//! [`crate::tuning`].

use crate::classifier::Classifier;
use crate::false_alarms::{FalseAlarmFigures, FalseAlarmIndex};
use crate::kind::YardstickKind;
use crate::likelihood::Likelihoods;
use crate::online::StatementThresholds;
use domain::cause::Cause;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The version of the document.
const VERSION: u32 = 1;

const SHIPPED: &str = include_str!("../tuned/in-force.json");
const SHIPPED_ERRING: &str = include_str!("../tuned/erring.json");

/// How one policy was tuned, and what it reached on the days that it was tuned on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TunedPolicy {
    /// Seconds for which an alarm stands before it is weighed.
    pub wait_s: f64,
    /// Seconds for which it stands before some causes are committed to; it is weighed again then.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub longer_s: BTreeMap<Cause, f64>,
    /// The least score of each cause that is committed to.
    pub least: BTreeMap<Cause, f64>,
    /// The share of faults that it named first, 0 to 1.
    pub named_first: f64,
    /// Wrong statements a day.
    pub wrong_per_day: f64,
}

impl TunedPolicy {
    /// True if it named more faults first than another, or as many and was wrong less often.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        let by_named = self.named_first.total_cmp(&other.named_first);
        let by_wrong = || other.wrong_per_day.total_cmp(&self.wrong_per_day);
        by_named.then_with(by_wrong).is_gt()
    }
}

/// The days that were tuned on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TuningDays {
    /// The name of the topology.
    pub topology: String,
    /// The number of base-station sites.
    pub sites: u64,
    /// The first and the last seed.
    pub seeds: [u64; 2],
    /// Days per seed.
    pub days: u32,
    /// The world, by what errs in it: `ideal`, `erring`.
    #[serde(default)]
    pub world: String,
}

/// Everything that was tuned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TunedYardsticks {
    /// The version of the document.
    pub version: u32,
    /// The days.
    pub on: TuningDays,
    /// The budget: wrong statements a day.
    pub wrong_per_day: f64,
    /// The yardstick that named most faults first within the budget; of equals the one that was wrong less
    /// often.
    pub best: String,
    /// By the name of the policy.
    pub policies: BTreeMap<String, TunedPolicy>,
    /// The chance of the random walk to start anew.
    pub restart: f64,
    /// What was counted.
    pub likelihoods: Likelihoods,
    /// What was counted of false alarms; none where alarms are true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_alarms: Option<FalseAlarmFigures>,
    /// What was trained.
    pub classifier: Classifier,
}

/// A document that is none.
#[derive(Debug, thiserror::Error)]
pub enum TunedError {
    /// It is not JSON, or lacks something.
    #[error("{0}")]
    Form(#[from] serde_json::Error),
    /// It was written by another version.
    #[error("version {0} is not {VERSION}: tune again")]
    Version(u32),
    /// The yardstick that it calls the best is none.
    #[error("'{0}' is no yardstick")]
    Best(String),
}

impl TunedYardsticks {
    /// What ships with the code for networks whose alarms are true.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn in_force() -> &'static Self {
        static IN_FORCE: OnceLock<TunedYardsticks> = OnceLock::new();
        IN_FORCE.get_or_init(|| Self::parse(SHIPPED).expect("a test reads what ships"))
    }

    /// What ships for networks some of whose alarms are false.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn in_force_where_alarms_lie() -> &'static Self {
        static IN_FORCE: OnceLock<TunedYardsticks> = OnceLock::new();
        IN_FORCE.get_or_init(|| Self::parse(SHIPPED_ERRING).expect("a test reads what ships"))
    }

    /// What ships for a network, by whether some of its alarms are false.
    pub fn in_force_if(alarms_lie: bool) -> &'static Self {
        match alarms_lie {
            true => Self::in_force_where_alarms_lie(),
            false => Self::in_force(),
        }
    }

    /// What was counted of false alarms, ready to be looked up.
    pub(crate) fn false_alarm_index(&self) -> Option<FalseAlarmIndex> {
        let figures = self.false_alarms.clone()?;
        Some(FalseAlarmIndex::new(figures, &self.likelihoods))
    }

    /// An empty document for these days and this budget.
    pub fn on(days: TuningDays, wrong_per_day: f64) -> Self {
        Self {
            version: VERSION,
            on: days,
            wrong_per_day,
            ..Self::default()
        }
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`TunedError`] if it is not one of this version.
    pub fn parse(text: &str) -> Result<Self, TunedError> {
        let tuned: Self = serde_json::from_str(text)?;
        match (tuned.version, YardstickKind::parse(&tuned.best)) {
            (VERSION, Some(_)) => Ok(tuned),
            (VERSION, None) => Err(TunedError::Best(tuned.best)),
            (other, _) => Err(TunedError::Version(other)),
        }
    }

    /// The document as JSON, indented, with a line's end.
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("numbers and names are JSON");
        format!("{text}\n")
    }

    /// The best yardstick.
    pub fn best(&self) -> YardstickKind {
        YardstickKind::parse(&self.best).unwrap_or(YardstickKind::Bayes)
    }

    /// The thresholds of a policy; one that was not tuned commits to nothing.
    pub fn thresholds(&self, policy: &str) -> StatementThresholds {
        let tuned = self.policies.get(policy);
        tuned.map_or_else(StatementThresholds::default, |tuned| StatementThresholds {
            wait_s: tuned.wait_s,
            least: tuned.least.clone(),
            longer_s: tuned.longer_s.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_read_again_and_keeps_every_yardstick_to_its_budget() {
        for alarms_lie in [false, true] {
            let tuned = TunedYardsticks::in_force_if(alarms_lie);
            assert_eq!(
                TunedYardsticks::parse(&tuned.json()).ok().as_ref(),
                Some(tuned)
            );
            assert_eq!(tuned.false_alarms.is_some(), alarms_lie);
            for kind in YardstickKind::ALL {
                let policy = tuned.policies.get(kind.as_str());
                let policy = policy.unwrap_or_else(|| panic!("{kind} is not tuned"));
                assert!(
                    policy.wrong_per_day <= tuned.wrong_per_day,
                    "{kind} overdraws its budget"
                );
                // Where alarms lie some find nothing that they could say within it.
                assert!(
                    alarms_lie || !policy.least.is_empty(),
                    "{kind} never says anything"
                );
            }
            let best = &tuned.policies[tuned.best().as_str()];
            assert!(best.named_first > 0.0, "{}", tuned.best);
        }
    }

    #[test]
    fn naming_more_is_better_and_of_equals_being_less_often_wrong() {
        let [more, careful, careless] =
            [(0.9, 0.5), (0.8, 0.1), (0.8, 0.5)].map(|reached| TunedPolicy {
                named_first: reached.0,
                wrong_per_day: reached.1,
                ..TunedPolicy::default()
            });
        assert!(more.is_better_than(&careful) && !careful.is_better_than(&more));
        assert!(careful.is_better_than(&careless) && !careless.is_better_than(&careful));
        assert!(!careful.is_better_than(&careful.clone()));
    }

    #[test]
    fn another_version_is_refused_in_words() {
        let other = TunedYardsticks {
            version: 9,
            ..TunedYardsticks::in_force().clone()
        };
        let refused = TunedYardsticks::parse(&other.json()).map(|_| ());
        assert_eq!(
            refused.map_err(|e| e.to_string()),
            Err("version 9 is not 1: tune again".to_owned())
        );
    }
}
