//! The agents of the autonomous network, each a pure step function.
//!
//! A tour:
//! - [`roster`]: which agents exist and how one is made ([`roster::hosted`]);
//! - [`payloads`]: the structured payloads they exchange, one type per schema version;
//! - [`topology`]: what fails when something does;
//! - [`alarms`] and [`incident`]: from single alarms to incidents;
//! - [`oss_fault`]: event analysis, cross-domain correlation and the workflow of a fault;
//! - [`wireless_fault`] and [`ip_fault`]: watch and diagnose one domain ([`domain_agent`]);
//! - [`service_copilot`] and [`resource_copilot`]: tickets, engineers and their questions.
//!
//! Nothing here knows the network's true state: agents see telemetry, do actions and talk to each
//! other through the contract of `domain` only, exactly as an agent from elsewhere would.
#![forbid(unsafe_code)]

pub mod alarms;
pub mod desk;
pub mod domain_agent;
pub mod incident;
pub mod ip_fault;
pub mod lookup;
pub mod oss_fault;
pub mod payloads;
pub mod resource_copilot;
pub mod roster;
pub mod service_copilot;
pub mod topology;
pub mod wireless_fault;

#[cfg(test)]
mod bench;
