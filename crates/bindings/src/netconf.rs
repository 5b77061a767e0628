//! NETCONF: sessions over the sans-IO machine of the `netconf` crate.
//!
//! In the order of a request: [`Session`] takes bytes and yields replies and notifications;
//! `operation` holds one file per rpc; `encode` turns domain values into data nodes; `access`
//! compiles the access rules; `error` is the one place that knows error tags; `event` encodes
//! notifications; `output` has the types of whatever is told, from YANG; `search` evaluates an XPath. What
//! sessions share is the [`Platform`].

mod access;
mod client;
mod encode;
mod error;
mod event;
#[cfg(test)]
mod generator;
mod modules;
mod operation;
mod output;
mod platform;
mod search;
mod session;
mod session_schema;

pub use client::{
    NegotiateReply, NegotiateRequest, Unreadable, negotiate_request, read_negotiation, read_notice,
    read_notification, read_reply,
};
pub use encode::agent_xml;
pub use platform::{Platform, SessionInfo};
pub use session::{Backlog, Flow, Peer, Session};

/// The namespace of module irtf-agent.
pub const AGENT_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
/// The namespace of module convoke-negotiation.
pub const NEGOTIATION_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";
/// The namespace of module convoke-simulation.
pub const SIMULATION_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-simulation";
/// The namespace of module convoke-registry.
pub const REGISTRY_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
/// The namespace of module convoke-data.
pub const DATA_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-data";
/// The namespace of module convoke-audit.
pub const AUDIT_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-audit";
/// `convoke-schema`.
pub const SCHEMA_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-schema";
/// The namespace of module convoke-usage.
pub const USAGE_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-usage";
/// The namespace of module convoke-ems.
pub const EMS_NAMESPACE: &str = "urn:convoke:params:xml:ns:yang:convoke-ems";
/// The namespace of module ietf-alarms (RFC 8632).
pub const ALARMS_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-alarms";
/// The namespace of module ietf-network (RFC 8345).
pub const NETWORK_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-network";
/// The namespace of module ietf-network-topology (RFC 8345).
pub const TOPOLOGY_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-network-topology";
