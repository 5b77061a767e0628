//! The agents of the autonomous network, each a pure step function.
//!
//! A tour:
//! - [`roster`]: which agents exist and how one is made ([`roster::hosted`]);
//! - [`payloads`]: the structured payloads they exchange, one type per schema version;
//! - [`context`], [`answers`] and [`outbox`]: what every agent has at hand, the answers that all give
//!   alike, and messages that must arrive;
//! - [`topology`]: what fails when something does;
//! - [`alarms`] and [`incident`]: from single alarms to incidents;
//! - [`knowledge`]: how surely and how fast causes show in them, as learnt; [`alarm_trust`]: how far
//!   each type of alarm is to be trusted, as experienced;
//! - [`measurement_series`]: several measurements of one element as one, for instruments err;
//! - [`oss_fault`]: event analysis, cross-domain correlation and the workflow of a fault;
//! - [`wireless_fault`] and [`ip_fault`]: watch and diagnose one domain ([`domain_agent`]);
//! - [`optimisation`], [`energy_saving`] and [`service_intent`]: users' experience against energy,
//!   over [`radio`], the agents' picture of coverage;
//! - [`trouble_ticket`]: tickets between those who want repairs and those who do them;
//! - [`service_copilot`] and [`resource_copilot`]: tickets, engineers and their questions;
//! - [`bss_tickets`], [`complaints`] and [`quality`]: what drivers write, where its cause lies, and the
//!   one reply; [`business`]: departments that are profiles only;
//! - [`practice`]: no agent, but what they are scored against: people and a timer.
//!
//! Nothing here knows the network's true state: agents see telemetry, do actions and talk to each
//! other through the contract of `domain` only, exactly as an agent from elsewhere would.
#![forbid(unsafe_code)]

pub mod alarm_trust;
pub mod alarms;
pub mod answers;
pub mod bss_tickets;
pub mod business;
pub mod complaints;
pub mod context;
pub mod domain_agent;
pub mod element_names;
pub mod energy_saving;
pub mod incident;
pub mod ip_fault;
pub mod knowledge;
pub mod learnt_causes;
pub mod measurement_series;
pub mod optimisation;
pub mod oss_fault;
pub mod outbox;
pub mod payloads;
pub mod practice;
pub mod quality;
pub mod radio;
pub mod resource_copilot;
pub mod roster;
pub mod service_copilot;
pub mod service_intent;
pub mod topology;
pub mod trouble_ticket;
pub mod wireless_fault;
pub(crate) mod wording;

#[cfg(test)]
mod bench;
#[cfg(test)]
#[path = "tests/drill.rs"]
mod drill;
#[cfg(test)]
#[path = "tests/office.rs"]
mod office;
