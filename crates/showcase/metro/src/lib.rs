//! A second simulated network, differently built: a metropolitan network of trees, whose alarms have
//! names of their own.
//!
//! Pure and seeded: the same parameters give the same run. It has nothing but [`domain`] in common with
//! the first simulated network: failures spread device by device in time instead of following from a
//! state of the whole; alarms are raised by whoever notices, also by healthy neighbours; collectors
//! poll, batch, drop and repeat. Nobody can act upon it: it is a record of alarms with a truth beside
//! it, which is kept apart ([`MetroRun`]). A tour, in causal order:
//! - [`chance`]: random distributions; [`vocabulary`]: the names of alarm types;
//! - [`layout`]: from a size and a seed to a [`plant::Plant`]: hubs, dual-homed aggregation routers, trees of
//!   sites, ducts and power zones, with an inventory;
//! - [`breakage`]: what breaks, where and for how long; [`outage`]: which sites that takes out;
//! - [`cascade`]: who notices what when; [`background`]: alarms without any fault;
//! - [`collector`]: how alarms are delivered: batched, late, lost, repeated;
//! - [`run`]: all of it together.
//!
//! What differs from the first world and what agents make of it: `docs/second-world.md`.
#![forbid(unsafe_code)]

pub mod background;
pub mod breakage;
pub mod cascade;
pub mod chance;
pub mod collector;
pub mod layout;
pub mod outage;
pub mod plant;
pub mod run;
pub mod vocabulary;

pub use breakage::{MetroFault, MetroTrouble};
pub use run::{MetroDelivery, MetroParameters, MetroRun};
