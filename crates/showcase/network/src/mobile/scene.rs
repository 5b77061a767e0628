//! The inputs of an evaluation: what is on air, and who wants how much.
//!
//! Knows no result. Read next: `round`, which rates follow from it.

/// The inputs of an evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scene {
    /// By cell: the factor of its planned power, 0 if it is off air.
    pub(super) factor: Vec<f64>,
    /// By cell: power from outside the network on its carrier, in mW per resource element.
    pub(super) foreign_mw: Vec<f64>,
    /// By cell: the load with which the iteration starts.
    pub(super) usual: Vec<f64>,
    /// By user: the demand, in Mbit/s.
    pub(super) wanted: Vec<f64>,
    /// By site: the limit of its backhaul, in Mbit/s.
    pub(super) backhaul: Vec<f64>,
}
