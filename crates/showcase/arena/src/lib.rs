//! The shipped agents on a platform with a simulated network: scenarios, recording and scoring.
//!
//! A tour:
//! - [`roster`] makes the shipped agents, and [`network`] connects the simulation with a platform's
//!   agents; `ems` connects element management systems, [`faults`] injects and repairs faults on
//!   request; together they are a [`World`];
//! - [`stage`] runs a [`scenario`], [`day`] whole days, [`practice`] the same without agents,
//!   `umbrella` gives people a correlator;
//! - [`trial`] plays one fault of any kind, [`findings`] are what was found about it, and [`seeds`] says which seeds are for what;
//! - [`judge`] answers how well it went on the network of a platform, [`comparison`] plays a day twice beside it;
//! - [`recorder`] records events, [`referee`] and [`score`] evaluate them, [`training`] collects
//!   training data for agents, [`open_loop`] has every policy diagnose one recorded stream;
//! - [`second_world`] does so on a network that is differently built, by what was learnt from its
//!   unlabelled [`alarm_past`].
//!
//! The platform does not depend on it.
#![forbid(unsafe_code)]

pub mod alarm_past;
pub mod comparison;
pub mod day;
mod ems;
pub mod faults;
pub mod findings;
mod interventions;
pub mod judge;
pub mod network;
pub mod open_loop;
pub mod practice;
pub mod recorder;
pub mod referee;
pub mod roster;
pub mod scenario;
pub mod score;
pub mod second_world;
pub mod seeds;
pub mod stage;
pub mod training;
pub mod trial;
mod umbrella;

pub use network::{Observer, Simulated, World, world};
pub use roster::{roster, shipped};
