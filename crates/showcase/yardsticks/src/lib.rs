//! Yardsticks: classical alarm correlation to compare agents with, and the one measure of all.
//!
//! Pure: an inventory and alarms in the order of their delivery come in, commitments go out; time is
//! an argument and nothing is drawn. Knows what agents may know: topology, and alarms of every type,
//! those of cells included. It shares no code with agents or with the simulated network, and learns
//! from labelled days that somebody hands it. A tour:
//! - [`commitment`]: what a policy commits to; [`measure`]: commitments compared with the truth, by
//!   the same definition at the same moment for agents, people and yardsticks;
//! - [`consequences`]: what follows from the failure of an element; [`codebook`]: which alarms each
//!   cause is expected to raise;
//! - [`scene`]: the alarms that stand; [`online`]: a yardstick at work, driven with `hear` and `due` ([`Yardstick`]), whatever its rule;
//! - [`rules`]: first alarm, own alarm, most alarms, suppression by topology; [`codes`]: the codebook
//!   by Hamming distance and by Bayes; [`walk`]: a random walk with restart; [`classifier`]:
//!   logistic regression; [`kind`], [`catalogue`]: all of them by name;
//! - [`named`], [`named_past`], [`named_rules`], [`named_codebook`]: first alarm, own alarm, most alarms and a
//!   codebook where nobody knows what types mean;
//! - [`labelled`], [`likelihood`], [`false_alarms`], [`tuning`], [`tuning_method`], [`threshold_search`], [`tuned`]: what is
//!   learnt, on which seeds, and the thresholds that keep all to the same budget of wrong statements;
//!   [`workers`]: who works through the days.
//!
//! What their scores say and do not say: `docs/score.md`, "Yardsticks".
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod classifier;
pub mod codebook;
pub mod codes;
pub mod commitment;
pub mod consequences;
mod examples;
pub mod false_alarms;
#[cfg(test)]
mod invented;
pub mod kind;
pub mod labelled;
pub mod likelihood;
pub mod measure;
pub mod named;
pub mod named_codebook;
pub mod named_past;
pub mod named_rules;
pub mod online;
pub mod rules;
pub mod scene;
pub mod threshold_search;
pub mod tuned;
pub mod tuning;
pub mod tuning_method;
pub mod walk;
pub mod workers;

pub use codebook::{Codebook, SceneKey};
pub use commitment::{Commitment, CommitmentKind, DeliveredAlarm};
pub use consequences::Consequences;
pub use kind::YardstickKind;
pub use labelled::LabelledDay;
pub use measure::{CommitmentCounts, KnownTrouble, Measure, Worth};
pub use named::{NamedBlame, NamedBlameRule, NamedKey, NamedScene, NamedYardstick, tune_named};
pub use named_codebook::{LastingCodebookRule, NamedCodebookRule};
pub use named_past::NamedPast;
pub use named_rules::{FirstNamedAlarmRule, JoinedNodes, MostNamedAlarmsRule, OwnNamedAlarmRule};
pub use online::{Blame, BlameRule, OnlineYardstick, StatementThresholds, Yardstick, heard};
pub use scene::{AlarmScene, SceneAlarm};
pub use tuned::{TunedError, TunedPolicy, TunedYardsticks, TuningDays};
pub use tuning::{BUDGETS, BudgetReached, Tuning, tune, tune_rule};
pub use tuning_method::TuningMethod;
pub use workers::{DayWorkers, OneByOne};
