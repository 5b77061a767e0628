//! What counters tell of a compensation: the performance before it, and the figures since.
//!
//! Refuses to know how the figures follow from the counters: that is [`super::verification`]. Read
//! next: [`super::running`], which keeps both.

use domain::inventory::ElementId;
use domain::telemetry::CellPerformance;
use std::collections::BTreeMap;

/// All that was measured of a compensation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// The share of the users of what is lost whom helpers serve, in percent; none if nobody knows how
    /// many there were.
    pub served_percent: Option<f64>,
    /// The throughput that the slowest tenth of the helpers' users gets, in Mbit/s.
    pub edge_mbps: Option<f64>,
    /// The energy of the period beyond what it would have been, in kWh.
    pub extra_kwh: f64,
}

/// The performance of cells before something changed.
pub type Before = BTreeMap<ElementId, CellPerformance>;
