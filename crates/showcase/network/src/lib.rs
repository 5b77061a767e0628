//! The simulated multi-domain network: its elements, its faults, and its telemetry.
//!
//! Pure and seeded: the same topology, parameters, seed, faults and actions give the same run. It
//! implements the telemetry and actuator contract of [`domain::telemetry`]; agents see that
//! contract and never this crate. A tour, in causal order:
//! - [`topology`]: real backbones, and the text format for others; [`import`]: other formats;
//! - [`build`]: from a topology and a seed to an inventory with cards, access rings, spurs, ducts,
//!   sites and power zones;
//! - [`fault`]: kinds of fault, and the choice of a suitable random one;
//! - [`reachability`]: connectivity to the core; [`traffic`]: routing, load and loss of links;
//! - [`configuration`]: the parameters of elements, and the effect of a wrong one;
//! - [`state`]: current faults, and the conditions that follow from them;
//! - [`alarms`]: the delivery of alarms: late, duplicated, or lost;
//! - [`errors`]: false, late, lost and misattributed alarms, wrong measurements and documents;
//! - [`noise`]: background alarms without a fault, calibrated by a real alarm record;
//! - [`mobile`]: cells, their users, energy and batteries;
//! - [`complaint`]: customers' complaints;
//! - [`journeys`] and [`customer_complaints`]: connected vehicles, and their drivers' complaints;
//! - [`probe`] and [`field`]: active measurements, and field engineers;
//! - [`simulation`]: the event queue that drives all of it, and the truth for the referee.
//!
//! All of them share [`chance`], the random distributions, and [`geography`], distances.
#![forbid(unsafe_code)]

pub mod alarms;
pub mod build;
pub mod chance;
pub mod complaint;
pub mod configuration;
pub mod customer_complaints;
pub mod errors;
pub mod fault;
pub mod field;
pub mod geography;
pub mod import;
pub mod journeys;
pub mod mobile;
pub mod noise;
pub mod probe;
pub mod reachability;
pub mod simulation;
pub mod state;
pub mod topology;
pub mod traffic;

pub use build::Parameters;
pub use customer_complaints::{CustomerComplaint, Customers};
pub use errors::TelemetryErrors;
pub use fault::{Fault, FaultError, FaultKind, FaultRequest, FaultTerms};
pub use mobile::Mobile;
pub use noise::record::Recorded;
pub use simulation::{Dispatch, Emission, EmissionContent, Recipients, Simulation, Truth};
pub use topology::{Backbone, TopologyError, catalogue};
