//! The usual day: the mean load of cells over a day, of [`domain::radio::load`].
//!
//! A day begins at 00:00 UTC: the networks of the simulation keep that time. Knows no single cell;
//! what a cell is like is learnt ([`crate::energy_saving`]).

use domain::time::Timestamp;

pub use domain::radio::load::mean_load as usual_load;

/// The hour of day, 0 to 24, fractions included.
pub fn hour_of(at: Timestamp) -> f64 {
    at.as_ms().rem_euclid(86_400_000) as f64 / 3_600_000.0
}
