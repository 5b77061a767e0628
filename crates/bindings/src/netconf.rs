//! NETCONF: sessions over the sans-IO machine of the `netconf` crate.
//!
//! In the order of a request: [`Session`] takes bytes and yields replies and notifications;
//! `operation` holds one file per rpc; `encode` turns domain values into data nodes; `access`
//! compiles the access rules; `error` is the one place that knows error tags; `event` encodes
//! notifications; `input` and `output` have the types of whatever is asked and told, from YANG;
//! `search` evaluates an XPath. What sessions share is the [`Platform`].

mod access;
mod client;
mod encode;
mod error;
mod event;
#[cfg(test)]
mod generator;
mod input;
mod modules;
mod operation;
mod output;
mod platform;
mod request_context;
mod search;
mod session;
mod session_schema;
mod subscription;

pub use client::{
    NegotiateReply, NegotiateRequest, Unreadable, negotiate_request, read_negotiation, read_notice,
    read_notification, read_reply,
};
pub use encode::agent_xml;
pub use modules::{
    AGENT_NAMESPACE, ALARMS_NAMESPACE, AUDIT_NAMESPACE, DATA_NAMESPACE, EMS_NAMESPACE,
    NEGOTIATION_NAMESPACE, NETWORK_NAMESPACE, REGISTRY_NAMESPACE, SCHEMA_NAMESPACE,
    SIMULATION_NAMESPACE, TOPOLOGY_NAMESPACE, USAGE_NAMESPACE,
};
pub use platform::{Platform, SessionInfo};
pub use session::{Flow, Peer, Session};
pub use subscription::Backlog;
