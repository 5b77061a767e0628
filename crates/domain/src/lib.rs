//! Agents, tasks, negotiation, context, notifications and access: the pure rules of Convoke.
//!
//! A tour, in the order in which things happen:
//! - [`profile`]: who an agent is; [`agent`]: what it is to the platform, a pure step;
//! - [`inventory`] and [`telemetry`]: what an agent may know, see and do of its network;
//! - [`verb`], [`content`], [`reply`]: what agents say to each other;
//! - [`task`]: the life of one task, decided and then applied;
//! - [`notification`]: what its publisher is told; [`context`]: what was said; [`event`]: the log;
//! - [`access`]: who may do and read what;
//! - [`time`]: instants and chance, which are always arguments.
//!
//! No IO, no clock, no serde: each boundary owns its own wire or row type. `serde_json` is here
//! only because a structured payload *is* a JSON object.
#![forbid(unsafe_code)]

pub mod access;
pub mod agent;
pub mod content;
pub mod context;
pub mod event;
pub mod inventory;
pub mod notification;
pub mod profile;
pub mod reply;
pub mod task;
pub mod telemetry;
pub mod time;
pub mod verb;
