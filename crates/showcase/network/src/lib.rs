//! The simulated multi-domain network: what exists, what breaks, and what is seen of it.
//!
//! Pure and seeded: the same topology, parameters, seed, faults and actions give the same run. It
//! implements the telemetry and actuator contract of [`domain::telemetry`]; agents see that
//! contract and never this crate. A tour, in the order in which things happen:
//! - [`topology`]: backbones that exist, as facts, and the text format for one's own;
//!   [`import`]: one's own in the formats of others;
//! - [`build`]: from a topology and a seed to an inventory with cards, access rings, spurs, ducts,
//!   sites and power zones;
//! - [`fault`]: what can break, and how a good story is picked;
//! - [`reach`]: who reaches the core; [`traffic`]: what flows over which links, and what is lost;
//! - [`configuration`]: the parameters of elements, and what a wrong one does;
//! - [`state`]: what is broken now, and which conditions follow from it;
//! - [`alarms`]: how management systems tell of conditions: late, twice, or not at all;
//! - [`noise`]: what they tell without any fault, in the measure of a real alarm record;
//! - [`mobile`]: cells, the users whom they serve, energy and batteries;
//! - [`complaint`]: what customers say;
//! - [`journeys`] and [`grievances`]: connected vehicles, and what their drivers write when something
//!   does not work;
//! - [`probe`] and [`field`]: what measuring shows and what engineers see, do and need time for;
//! - [`simulation`]: the event queue that holds it together, and the truth for the referee.
//!
//! [`chance`] holds the draws that all of them share.
#![forbid(unsafe_code)]

pub mod alarms;
pub mod build;
pub mod chance;
pub mod complaint;
pub mod configuration;
pub mod fault;
pub mod field;
pub mod grievances;
pub mod import;
pub mod journeys;
pub mod mobile;
pub mod noise;
pub mod probe;
pub mod reach;
pub mod simulation;
pub mod state;
pub mod topology;
pub mod traffic;

pub use build::Parameters;
pub use fault::{Fault, FaultError, FaultKind, FaultRequest, Terms};
pub use grievances::{Customers, Grievance};
pub use mobile::Mobile;
pub use noise::record::Recorded;
pub use simulation::{Audience, Dispatched, Emission, Simulation, Tiding, Truth};
pub use topology::{Topology, TopologyError, catalogue};
