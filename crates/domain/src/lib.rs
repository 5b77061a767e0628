//! Agents, tasks, negotiation, context, notifications and access: the pure rules of Convoke.
//!
//! A tour, in the order in which things happen:
//! - [`profile`]: who an agent is; [`registry`]: since when, how well and for how long it is here;
//!   [`discovery`]: which one fits; [`team`]: who does a task together;
//! - [`agent`]: what an agent is to the platform, a pure step;
//! - [`inventory`] and [`telemetry`]: what an agent may know, see and do of its network; [`permit`]: who may;
//!   [`cause`]: why service is lost in it; [`ems`]: what its management systems know and tell;
//! - [`verb`], [`content`], [`reply`]: what agents say to each other;
//! - [`negotiation`]: how two of them come to agree, turn by turn;
//! - [`task`]: the life of one task, decided and then applied;
//! - [`notification`]: what its publisher is told; [`push`]: who else is; [`context`]: what was said;
//!   [`event`]: the log;
//! - [`access`]: who may do and read what; [`audit`]: what is on record of that;
//! - [`identifier`]: what things may be called that others find by their names;
//! - [`time`]: instants and chance, which are always arguments; [`calendar`] and [`gazetteer`]: how
//!   people name days and towns.
//!
//! No IO, no clock, no serde: each boundary owns its own wire or row type. `serde_json` is here
//! only because a structured payload *is* a JSON object.
#![forbid(unsafe_code)]

pub mod access;
pub mod agent;
pub mod audit;
pub mod cause;
pub mod content;
pub mod context;
pub mod discovery;
pub mod ems;
pub mod event;
pub mod identifier;
pub mod inventory;
pub mod negotiation;
pub mod notification;
pub mod permit;
pub mod profile;
pub mod push;
pub mod registry;
pub mod reply;
pub mod task;
pub mod team;
pub mod telemetry;
pub mod time;
pub mod verb;

pub use language::{calendar, gazetteer};
