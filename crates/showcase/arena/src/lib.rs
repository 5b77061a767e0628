//! The simulated network and the shipped agents on a platform: what is played, and how it scored.
//!
//! A tour:
//! - [`roster`] makes the shipped agents, and [`network`] is the simulation as a platform's agents work on
//!   it; `shares` cuts what it tells by province, `ems` joins its management systems to it, [`faults`]
//!   breaks and mends in it what people want; together they are a [`World`];
//! - [`stage`] sets a story by its [`scenario`], [`day`] plays whole days, [`practice`] does so without
//!   agents;
//! - [`recorder`] keeps what happens, [`referee`] and [`score`] judge it, [`training`] collects what agents
//!   learn from.
//!
//! The platform needs none of it.
#![forbid(unsafe_code)]

pub mod day;
mod ems;
pub mod faults;
pub mod network;
pub mod practice;
pub mod recorder;
pub mod referee;
pub mod roster;
pub mod scenario;
pub mod score;
mod shares;
pub mod stage;
pub mod training;

pub use network::{Observer, Simulated, World, world};
pub use roster::{roster, shipped};
