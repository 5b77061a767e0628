//! What is tried to keep policies to a budget: waiting times, and prices of a wrong statement.
//!
//! Knows figures alone. Read next: [`crate::threshold_search`].

/// The waiting times that are tried, in seconds.
const WAITS_S: [f64; 3] = [120.0, 300.0, 900.0];
/// The same where alarms lie: a false one in twenty stands for two hours.
const LONG_WAITS_S: [f64; 9] = [
    120.0, 300.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0, 21_600.0, 28_800.0,
];
/// The prices of a wrong statement that are tried, in right ones.
const PRICES: [f64; 10] = [0.0, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0];
/// The same where alarms lie, and a few wrong statements more or less are a part of the budget.
const FINE_PRICES: [f64; 24] = [
    0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.14, 0.2, 0.28, 0.4, 0.55, 0.75,
    1.0, 1.4, 2.0, 2.8, 4.0, 8.0, 20.0, 60.0,
];

/// What is tried to keep policies to a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TuningMethod {
    /// One waiting time for all causes: alarms are true, and waiting only lets company arrive.
    AlarmsAreTrue,
    /// A waiting time for each cause, up to hours; how false alarms come and stay is counted.
    AlarmsLie,
}

impl TuningMethod {
    /// The waiting times that are tried, in seconds, shortest first.
    pub(crate) fn waits_s(self) -> &'static [f64] {
        match self {
            Self::AlarmsAreTrue => &WAITS_S,
            Self::AlarmsLie => &LONG_WAITS_S,
        }
    }

    /// The prices of a wrong statement that are tried, in right ones, lowest first.
    pub(crate) fn prices(self) -> &'static [f64] {
        match self {
            Self::AlarmsAreTrue => &PRICES,
            Self::AlarmsLie => &FINE_PRICES,
        }
    }
}
