//! Every yardstick by name.
//!
//! Knows which there are; refuses to know how any of them works. Read next: [`crate::catalogue`].

use std::fmt;

/// A yardstick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum YardstickKind {
    /// Blames the element of the first alarm.
    FirstAlarm,
    /// Blames the element that raises the alarm.
    OwnAlarm,
    /// Blames what explains most alarms.
    MostAlarms,
    /// Blames the topmost element that raises an alarm.
    Suppression,
    /// The nearest codeword.
    Hamming,
    /// The likeliest codeword.
    Bayes,
    /// A random walk with restart.
    RandomWalk,
    /// Logistic regression.
    Classifier,
}

impl YardstickKind {
    /// Every yardstick, simplest first.
    pub const ALL: [Self; 8] = [
        Self::FirstAlarm,
        Self::OwnAlarm,
        Self::MostAlarms,
        Self::Suppression,
        Self::Hamming,
        Self::Bayes,
        Self::RandomWalk,
        Self::Classifier,
    ];

    /// The name, in files and on command lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FirstAlarm => "first-alarm",
            Self::OwnAlarm => "own-alarm",
            Self::MostAlarms => "most-alarms",
            Self::Suppression => "topology-suppression",
            Self::Hamming => "codebook-hamming",
            Self::Bayes => "codebook-bayes",
            Self::RandomWalk => "random-walk",
            Self::Classifier => "classifier",
        }
    }

    /// The yardstick called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for YardstickKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
