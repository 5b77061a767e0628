//! One round of the iteration between load and interference, and the rates of links in it.
//!
//! Knows how a rate follows from the loads of all cells; refuses to know which of them have changed
//! (`evaluation`). Read next: `picture`, what users get of these rates.

use super::propagation::efficiency;
use super::reception::Reception;
use super::stirred::Cast;
use super::users::Unit;

/// The share of the time in which a cell without traffic transmits.
const REFERENCE_SIGNALS: f64 = 0.05;

/// One round of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Round {
    /// The loads with which it starts.
    pub(super) load: Vec<f64>,
    /// By user: interference, in mW per resource element, and the rate of its link alone, in
    /// Mbit/s.
    pub(super) foreign: Vec<f64>,
    pub(super) rate: Vec<f64>,
    /// By cell: the demand as a share of the capacity.
    pub(super) asked: Vec<f64>,
}

impl Round {
    /// A round that is not computed yet.
    pub(super) fn blank(cast: Cast<'_>) -> Self {
        let (users, cells) = (cast.users.points.len(), cast.units.len());
        Self {
            load: Vec::new(),
            foreign: vec![0.0; users],
            rate: vec![0.0; users],
            asked: vec![0.0; cells],
        }
    }
}

/// The properties of a cell's carrier that rates depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrier {
    noise_mw: f64,
    bandwidth_mhz: f64,
}

impl Carrier {
    /// The carrier of a cell.
    pub(super) fn of(unit: &Unit) -> Self {
        Self {
            noise_mw: unit.noise_mw,
            bandwidth_mhz: unit.plan.bandwidth_mhz,
        }
    }

    /// The rate of a link with this received power and interference, in Mbit/s.
    pub(super) fn rate(self, mw: f64, foreign_mw: f64) -> f64 {
        self.bandwidth_mhz * efficiency(mw / (self.noise_mw + foreign_mw))
    }
}

/// The rate in Mbit/s that each served user would have alone, with interference from cells of these
/// loads and none from outside.
pub(super) fn rates(
    cast: Cast<'_>,
    reception: &Reception,
    load: &[f64],
) -> impl Iterator<Item = (usize, f64)> {
    let active = active(load);
    (0..cast.users.points.len()).filter_map(move |user| {
        let (cell, mw) = reception.serving(user)?;
        let foreign = reception.foreign_mw(cast, user, 0.0, &active);
        Some((user, Carrier::of(&cast.units[cell]).rate(mw, foreign)))
    })
}

/// The share of the time in which each cell transmits.
pub(super) fn active(load: &[f64]) -> Vec<f64> {
    let active = |load: &f64| REFERENCE_SIGNALS + (1.0 - REFERENCE_SIGNALS) * load.min(1.0);
    load.iter().map(active).collect()
}
