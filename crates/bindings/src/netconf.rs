//! NETCONF: sessions over the sans-IO machine of the `netconf` crate.
//!
//! Floor by floor, from the top; each knows only those below it:
//!
//! - [`Session`] takes bytes and yields replies and notifications, in its `turns`;
//! - `operation` says which rpcs are offered, with a file for each group: read, asked of the engine, written;
//! - `answer` is what comes of one, `subscription` what sends events, which `event` writes, and `subscribers` the list
//!   of all that are under way;
//! - `encode` turns domain values into data nodes, `search` evaluates an XPath over them;
//! - `sessionless` is the same for a protocol that has no sessions: [`crate::restconf`];
//! - what sessions share is the [`Platform`], with the rules compiled by `access`; `session_schema` is what they
//!   draw from YANG, `fast_path` of it what libyang need not look at; `request_context` is what a request
//!   has of all this;
//! - `input` and `output` have the types of whatever is asked and told, generated from YANG;
//! - `error` is the one place that knows error tags, `modules` knows the modules by their names.
//!
//! `client` is the other side; [`manager`] is the manager's side of a management system elsewhere.

mod access;
mod answer;
mod api_resource;
mod client;
mod encode;
mod error;
mod event;
mod fast_path;
#[cfg(test)]
mod generator;
mod input;
pub mod manager;
mod modules;
mod operation;
mod output;
mod platform;
mod request_context;
mod search;
mod session;
mod session_schema;
mod sessionless;
mod subscribers;
mod subscription;

pub use api_resource::{ROOT, SYSTEMS};
pub use client::{
    NegotiateReply, NegotiateRequest, Unreadable, negotiate_request, read_negotiation, read_notice,
    read_notification, read_reply,
};
pub use encode::agent_xml;
pub use modules::{
    AGENT_NAMESPACE, ALARMS_NAMESPACE, AUDIT_NAMESPACE, CLUSTER_NAMESPACE, DATA_NAMESPACE,
    EMS_NAMESPACE, NEGOTIATION_NAMESPACE, NETWORK_NAMESPACE, POLICY_NAMESPACE, REGISTRY_NAMESPACE,
    SCHEMA_NAMESPACE, SIMULATION_NAMESPACE, TOPOLOGY_NAMESPACE, USAGE_NAMESPACE,
};
pub(crate) use operation::Retrieval;
pub use platform::{Platform, SessionInfo};
pub use session::{
    CannotResume, Flow, Peer, SavedSession, SavedSubscription, Session, SessionInput, SessionMark,
};
pub(crate) use sessionless::{Events, Sessionless};
pub use subscription::Backlog;
pub(crate) use subscription::SubscriptionError;
