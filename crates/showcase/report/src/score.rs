//! The score of a run: fault by fault, complaint by complaint, and in figures.
//!
//! The referee knows the truth and fills the lists; figures that can be derived from the lists are
//! computed here ([`Score::complete`]), the others it supplies. Read next: [`crate::batch`].

use crate::metric::METRICS;
use crate::statistics::{percentile, share};
use language::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that is written, and the only one that batches are made of: before
/// version 2 the first suspect counted for people and the successful remedy for agents.
pub const VERSION: u32 = 2;

/// The name of a world without errors.
pub const IDEAL: &str = "ideal";

/// The score of one run: the last line of its record, and one line of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The version of the format: [`VERSION`].
    pub version: u32,
    /// The policy: `agents`, `manual`, `timer`.
    pub policy: String,
    /// The name of the topology.
    pub topology: String,
    /// The world, if it errs: `erring`, `ideal lost=0.33`. Scores of different worlds are not of one
    /// batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The length of the run, in days of simulated time.
    pub days: f64,
    /// The number of base stations.
    pub sites: u64,
    /// The number of cells.
    pub cells: u64,
    /// The best yardstick, which [`FaultScore::best_yardstick_right`] is about; none if no yardstick heard
    /// the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick: Option<String>,
    /// The faults.
    #[serde(default)]
    pub faults: Vec<FaultScore>,
    /// The complaints.
    #[serde(default)]
    pub complaints: Vec<ComplaintScore>,
    /// What was stated wrongly and who was sent in vain, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<DayMistake>,
    /// The figures, by the name of their [`crate::Metric`]; a figure that the run lacks is absent.
    #[serde(default)]
    pub figures: BTreeMap<String, f64>,
}

/// The handling of a fault. Times are seconds from its beginning; none means never.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaultScore {
    /// The kind of fault.
    pub kind: String,
    /// The element.
    pub element: String,
    /// The beginning of the fault.
    #[serde(with = "language::time::rfc3339")]
    pub began: Timestamp,
    /// The number of users whose service it took or degraded; a fault with 0 does not count in the
    /// figures.
    pub users_touched: f64,
    /// Time until an agent or operator first looked at it.
    pub detected_s: Option<f64>,
    /// Time until the first commitment to its element and cause.
    pub located_s: Option<f64>,
    /// Time until it was believed to be restored.
    pub restored_s: Option<f64>,
    /// Time until service was truly restored.
    pub truly_restored_s: Option<f64>,
    /// The place of the truth among the commitments that concerned it, from 1 and each once; none if it
    /// was not among them.
    pub rank: Option<u32>,
    /// The first commitment that concerned it, as `fibre-cut link:x`; none if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blamed: Option<String>,
    /// The number of field engineers dispatched for it.
    pub dispatches: u32,
    /// The number of those dispatches that found nothing broken.
    pub wrong_dispatches: u32,
    /// True if the best yardstick named it first; none if none heard the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_yardstick_right: Option<bool>,
    /// True if blaming each alarm's own element named it first; none if none heard the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_alarm_right: Option<bool>,
}

/// A wrong statement, or an engineer who was sent in vain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayMistake {
    /// The instant.
    #[serde(with = "language::time::rfc3339")]
    pub at: Timestamp,
    /// The way: `diagnosis`, `intervention`, `ticket` or `dispatch`.
    pub way: String,
    /// The element.
    pub element: String,
    /// What it was said to have failed of; none of an engineer who was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// The handling of a customer's complaint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComplaintScore {
    /// The ticket's number.
    pub ticket: String,
    /// The true cause: a cell, a link, the other province, not the network.
    pub nature: String,
    /// True if it was attributed to the right place.
    pub localised: bool,
    /// Minutes until the final reply; none means never.
    pub reply_min: Option<f64>,
    /// The number of questions put to the customer.
    pub questions: u32,
}

impl Score {
    /// The world in which the run was played: `ideal` if nothing is said of it.
    pub fn world(&self) -> &str {
        self.world.as_deref().unwrap_or(IDEAL)
    }

    /// The figure called `name`; none if this run lacks it.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }

    /// Faults that touched users.
    pub fn faults_that_count(&self) -> impl Iterator<Item = &FaultScore> {
        self.faults.iter().filter(|f| f.users_touched > 0.0)
    }

    /// Computes the figures that can be derived from the lists. A figure that is already there
    /// stays (for example, dispatches without a fault are in no list); one that cannot be computed
    /// is left out; values are rounded to a millionth, so that they round-trip through JSON.
    pub fn complete(&mut self) {
        let derived = self.of_faults().into_iter().chain(self.of_complaints());
        for (name, value) in derived.collect::<Vec<_>>() {
            if let Some(value) = value {
                self.figures.entry(name.to_owned()).or_insert(value);
            }
        }
        self.figures.retain(|_, value| value.is_finite());
        for value in self.figures.values_mut() {
            *value = (*value * 1e6).round() / 1e6;
        }
    }

    /// Computes the figures that can be derived from the lists anew, whatever stood there: for lists that
    /// have changed.
    pub fn recount(&mut self) {
        let derived = self.of_faults().into_iter().chain(self.of_complaints());
        for (name, _) in derived.collect::<Vec<_>>() {
            self.figures.remove(name);
        }
        self.complete();
    }

    fn of_faults(&self) -> Vec<(&'static str, Option<f64>)> {
        let faults: Vec<&FaultScore> = self.faults_that_count().collect();
        let within =
            |places: u32| share(faults.iter().map(|f| f.rank.is_some_and(|r| r <= places)));
        let sum = |of: fn(&FaultScore) -> u32| {
            let all = self.faults.iter().map(|f| f64::from(of(f))).sum();
            (!self.faults.is_empty()).then_some(all)
        };
        let times = |of: fn(&FaultScore) -> Option<f64>, percent: f64| {
            let minutes: Vec<_> = faults.iter().map(|f| of(f).map(|s| s / 60.0)).collect();
            percentile(&minutes, percent)
        };
        vec![
            ("root-cause-top-1", within(1)),
            ("root-cause-top-3", within(3)),
            (
                "best-yardstick-top-1",
                share(faults.iter().filter_map(|f| f.best_yardstick_right)),
            ),
            (
                "own-alarm-top-1",
                share(faults.iter().filter_map(|f| f.own_alarm_right)),
            ),
            ("detect-p50", times(|f| f.detected_s, 50.0)),
            ("detect-p95", times(|f| f.detected_s, 95.0)),
            ("locate-p50", times(|f| f.located_s, 50.0)),
            ("locate-p95", times(|f| f.located_s, 95.0)),
            ("restore-p50", times(|f| f.truly_restored_s, 50.0)),
            ("restore-p95", times(|f| f.truly_restored_s, 95.0)),
            (
                "unlocated",
                share(faults.iter().map(|f| f.located_s.is_none())),
            ),
            (
                "unrestored",
                share(faults.iter().map(|f| f.truly_restored_s.is_none())),
            ),
            ("dispatches", sum(|f| f.dispatches)),
            ("wrong-dispatches", sum(|f| f.wrong_dispatches)),
        ]
    }

    fn of_complaints(&self) -> Vec<(&'static str, Option<f64>)> {
        let all = &self.complaints;
        let replies: Vec<_> = all.iter().map(|c| c.reply_min).collect();
        let unanswered = replies.iter().filter(|r| r.is_none()).count();
        vec![
            (
                "complaints-localised-right",
                share(all.iter().map(|c| c.localised)),
            ),
            ("complaint-reply-p50", percentile(&replies, 50.0)),
            (
                "complaints-unanswered",
                (!all.is_empty()).then_some(unanswered as f64),
            ),
        ]
    }

    /// Figures for which there is no [`crate::Metric`], so that a table cannot show them.
    pub fn undefined(&self) -> impl Iterator<Item = &str> {
        let names = self.figures.keys().map(String::as_str);
        names.filter(|name| METRICS.iter().all(|m| m.name != *name))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fault(rank: Option<u32>, restored_min: Option<f64>) -> FaultScore {
        FaultScore {
            users_touched: 10.0,
            rank,
            truly_restored_s: restored_min.map(|m| m * 60.0),
            detected_s: Some(60.0),
            located_s: rank.map(|_| 120.0),
            dispatches: 1,
            best_yardstick_right: Some(rank == Some(1)),
            ..FaultScore::default()
        }
    }

    fn figures(score: &Score) -> String {
        let told = score.figures.iter().map(|(name, v)| format!("{name} {v}"));
        told.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn figures_follow_from_the_lists() {
        let mut untouched = fault(Some(9), Some(9_000.0));
        untouched.users_touched = 0.0;
        let reply = |reply_min, localised| ComplaintScore {
            reply_min,
            localised,
            ..ComplaintScore::default()
        };
        let mut score = Score {
            faults: vec![
                fault(Some(1), Some(30.0)),
                fault(Some(3), Some(90.0)),
                fault(None, None),
                untouched,
            ],
            complaints: vec![
                reply(Some(12.0), true),
                reply(None, false),
                reply(Some(7.5), true),
            ],
            ..Score::default()
        };
        score.complete();
        insta::assert_snapshot!(figures(&score), @r#"
best-yardstick-top-1 0.333333
complaint-reply-p50 12
complaints-localised-right 0.666667
complaints-unanswered 1
detect-p50 1
detect-p95 1
dispatches 4
locate-p50 2
restore-p50 90
root-cause-top-1 0.333333
root-cause-top-3 0.666667
unlocated 0.333333
unrestored 0.333333
wrong-dispatches 0
"#);
    }

    #[test]
    fn a_figure_that_was_given_stands_and_one_that_is_none_is_left_out() {
        let mut score = Score::default();
        score.figures.insert("dispatches".into(), 7.0);
        score.figures.insert("energy".into(), f64::NAN);
        score.figures.insert("messages".into(), 0.1 + 0.2);
        score.figures.insert("luck".into(), 1.0);
        score.faults = vec![fault(Some(1), Some(1.0))];
        score.faults[0].users_touched = 0.0;
        score.complete();
        assert_eq!(
            figures(&score),
            "dispatches 7\nluck 1\nmessages 0.3\nwrong-dispatches 0"
        );
        assert_eq!(score.undefined().collect::<Vec<_>>(), ["luck"]);
    }

    #[test]
    fn what_lists_no_longer_say_is_taken_back() {
        let mut score = Score {
            faults: vec![fault(Some(1), Some(30.0))],
            ..Score::default()
        };
        score.figures.insert("energy".into(), 5.0);
        score.complete();
        assert_eq!(score.figure("restore-p50"), Some(30.0));
        score.faults = vec![fault(Some(1), None)];
        score.recount();
        assert_eq!(score.figure("restore-p50"), None);
        assert_eq!(score.figure("unrestored"), Some(1.0));
        assert_eq!(score.figure("energy"), Some(5.0));
    }

    #[test]
    fn a_score_of_another_version_is_refused_in_words() {
        let refused = Score::parse(&Score::default().line()).map_err(|e| e.reason);
        let words = "version 0 measures otherwise than 2: score it again";
        assert_eq!(refused, Err(words.to_owned()));
    }

    proptest! {
        /// For any lists, shares are within 0 to 1, percentiles are ordered and completing twice
        /// changes nothing.
        #[test]
        fn figures_are_sound(
            ranks in prop::collection::vec((prop::option::of(1u32..9), prop::option::of(0.0..1e5f64)), 0..40),
        ) {
            let faults = ranks.into_iter().map(|(r, t)| fault(r, t)).collect();
            let mut score = Score { faults, ..Score::default() };
            score.complete();
            let f = |name: &str| score.figure(name);
            for name in ["root-cause-top-1", "root-cause-top-3", "unrestored", "unlocated"] {
                prop_assert!(f(name).is_none_or(|v| (0.0..=1.0).contains(&v)));
            }
            prop_assert!(f("root-cause-top-1") <= f("root-cause-top-3"));
            if let (Some(half), Some(most)) = (f("restore-p50"), f("restore-p95")) {
                prop_assert!(half <= most);
            }
            score.version = VERSION;
            let again = { let mut again = score.clone(); again.complete(); again };
            prop_assert_eq!(&again, &score);
            prop_assert_eq!(&Score::parse(&score.line()).unwrap().figures, &score.figures);
        }
    }
}
