//! The manager's side of a management system: what it says, read into the domain's types, and what is
//! asked of it, written as rpcs.
//!
//! Standard models come first: alarms by ietf-alarms (RFC 8632), inventory by ietf-network and
//! ietf-network-topology (RFC 8345), state and counters by ietf-interfaces (RFC 8343). What
//! convoke-ems adds is used where it is offered. Pure: time is an argument, nothing is sent from
//! here, and whatever a system says is bounded in number and length ([`text`]). A tour:
//!
//! - `offer`: which modules a system has, from its hello and its YANG library;
//! - `topology`: the documented network as an inventory; `foreign_names`: how the system calls its
//!   elements; `ownership`: one inventory of several systems, and whose each element is;
//! - `alarms`: notifications and lists of alarms; `alarm_types`: which of our types each is;
//!   `alarm_book`: what stands, so that repetitions say nothing and what was missed is noticed;
//! - `interfaces`: state and counters, as performance and as a measurement;
//! - `reports`: all notifications; `actions`: actions as rpcs, replies as outcomes;
//! - `system_clock`: how far the system's clock is from ours.
//!
//! Read next: `server::managed`, which has the sessions.

mod actions;
mod alarm_book;
mod alarm_types;
mod alarms;
mod foreign_names;
mod interfaces;
mod offer;
mod ownership;
mod performance;
mod reports;
mod system_clock;
#[cfg(test)]
mod tests;
mod text;
mod topology;

pub use actions::{ActionReply, action_request, read_action_reply};
pub use alarm_book::AlarmBook;
pub use alarm_types::{AlarmTypeError, AlarmTypeMap};
pub use alarms::{ALARM_LIST_FILTER, AlarmSnapshot, ForeignAlarm, YangIdentity, read_alarm_list};
pub use foreign_names::{ForeignNames, LinkEnd};
pub use interfaces::{
    INTERFACES_FILTER, InterfaceReading, interfaces_filter, link_performance, measured_link,
    read_interfaces,
};
pub use offer::{SystemOffer, YANG_LIBRARY_FILTERS};
pub use ownership::{DisputedThing, LeftOut, MergedInventory, OwnershipDispute, merged};
pub use performance::{PERFORMANCE_FILTER, read_performance};
pub use reports::{SystemReport, read_report};
pub use system_clock::SystemClock;
pub use topology::{DomainDefaults, NETWORKS_FILTER, SystemInventory, read_networks};

/// The namespace of module ietf-interfaces (RFC 8343).
pub const INTERFACES_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
