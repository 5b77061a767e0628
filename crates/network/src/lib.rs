//! The simulated multi-domain network: what exists, what breaks, and what is seen of it.
//!
//! Pure and seeded: the same topology, parameters, seed, faults and actions give the same run. It
//! implements the telemetry and actuator contract of [`domain::telemetry`]; agents see that
//! contract and never this crate. A tour, in the order in which things happen:
//! - [`topology`]: backbones that exist, as facts, and the text format for one's own;
//! - [`build`]: from a topology and a seed to an inventory with cards, access rings, spurs, ducts,
//!   sites and power zones;
//! - [`fault`]: what can break, and how a good story is picked;
//! - [`reach`]: who reaches the core;
//! - [`state`]: what is broken now, and which conditions follow from it;
//! - [`alarms`]: how management systems tell of conditions: late, twice, or not at all;
//! - [`noise`]: what they tell without any fault, in the measure of a real alarm record;
//! - [`complaint`]: what customers say;
//! - [`probe`] and [`field`]: what measuring shows and what engineers see, do and need time for;
//! - [`simulation`]: the event queue that holds it together, and the truth for the referee.
//!
//! [`chance`] holds the draws that all of them share.
#![forbid(unsafe_code)]

pub mod alarms;
pub mod build;
pub mod chance;
pub mod complaint;
pub mod fault;
pub mod field;
pub mod noise;
pub mod probe;
pub mod reach;
pub mod simulation;
pub mod state;
pub mod topology;

pub use build::Parameters;
pub use fault::{Fault, FaultError, FaultKind, FaultRequest};
pub use simulation::{Audience, Emission, Permit, Simulation, Tiding, Truth};
pub use topology::{Topology, TopologyError, catalogue};
