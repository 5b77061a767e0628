//! Agents, tasks, negotiation, context, notifications and access: the pure rules of Convoke.
//!
//! A tour, in the order in which things happen:
//! - [`profile`]: the description of an agent; [`registry`]: its registration, health and lease;
//!   [`discovery`]: the search for agents; [`team`]: the forming of teams;
//! - [`agent`]: the contract of an agent with the platform, a pure step;
//! - [`inventory`] and [`telemetry`]: an agent's knowledge of its network, and its actions on it;
//!   [`permit`]: the rights to them; [`cause`]: the causes of faults; [`ems`]: the state and
//!   reports of management systems; [`radio`]: the public formulas of coverage, rates and energy;
//! - [`verb`], [`content`], [`reply`]: the messages of agents;
//! - [`negotiation`]: the way of two agents to an agreement, turn by turn;
//! - [`task`]: the life of one task, decided and then applied;
//! - [`notification`]: the notifications to its publisher; [`push`]: those to other receivers;
//!   [`context`]: the record of exchanges; [`event`]: the log;
//! - [`access`]: access control (NACM); [`audit`]: the audit trail; [`cluster`]: the nodes that serve
//!   a platform;
//! - [`policy`]: what waits for a decision, and the standing rules that decide some of it;
//! - [`identifier`]: the syntax of identifiers that principals choose;
//! - [`retry`]: the pauses between attempts;
//! - [`time`]: instants and randomness, which are always arguments; [`calendar`] and [`gazetteer`]:
//!   the names that people give to days and towns; [`mod@excerpt`]: what a message quotes.
//!
//! No IO, no clock. What serde derives here is the form of a value in a row of `store`, and nobody's
//! wire type: each protocol owns its own. Rows carry digests over these bytes, so a field or a name
//! of one that changes wants a migration; a test of `store` holds them. The payloads of `agents` take
//! from here no more than names: those of enums and of elements. `serde_json` is here because a
//! structured payload *is* a JSON object.
#![forbid(unsafe_code)]

pub mod access;
pub mod agent;
pub mod audit;
pub mod cause;
pub mod cluster;
pub mod content;
pub mod context;
pub mod discovery;
pub mod ems;
pub mod event;
pub mod identifier;
pub mod inventory;
#[doc(hidden)]
pub mod named;
pub mod negotiation;
pub mod notification;
pub mod permit;
pub mod policy;
pub mod profile;
pub mod push;
pub mod radio;
pub mod registry;
pub mod reply;
pub mod retry;
pub mod task;
pub mod team;
pub mod telemetry;
pub mod time;
pub mod verb;

pub use language::{calendar, excerpt, gazetteer};
