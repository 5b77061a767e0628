//! The usual day: load of a cell by hour.
//!
//! Means over 1,217 cells in one week of the base-station set of the ITU AI/ML in 5G Challenge 2023.
//! A day begins at 00:00 UTC: the networks of the simulation keep that time. Knows no single cell;
//! what a cell is like is learnt ([`crate::energy_saving`]).

use domain::time::Timestamp;

/// Mean load by hour of day, 0 to 1.
#[allow(clippy::approx_constant)] // At 16 o'clock it happens to be near 1/π.
pub const LOAD_BY_HOUR: [f64; 24] = [
    0.278, 0.214, 0.145, 0.101, 0.075, 0.064, 0.062, 0.096, 0.173, 0.226, 0.238, 0.253, 0.273,
    0.307, 0.328, 0.307, 0.318, 0.334, 0.341, 0.348, 0.325, 0.308, 0.315, 0.313,
];

/// The hour of day, 0 to 24, fractions included.
pub fn hour_of(at: Timestamp) -> f64 {
    at.as_ms().rem_euclid(86_400_000) as f64 / 3_600_000.0
}

/// The usual load at an instant: an hour's mean stands for its middle, between them it is straight.
pub fn usual_load(at: Timestamp) -> f64 {
    let hour = hour_of(at) - 0.5;
    let before = hour.floor();
    let share = hour - before;
    let of = |h: f64| LOAD_BY_HOUR[h.rem_euclid(24.0) as usize % 24];
    of(before) * (1.0 - share) + of(before + 1.0) * share
}
