//! A network that is managed elsewhere: the platform as a NETCONF client of its management systems.
//!
//! Each system has a `listener`, whose session brings its notifications, a `poller`, whose session
//! reads alarm list, figures and interfaces, and `workers`, whose sessions carry out actions; all
//! reopen what is lost. What they bring goes through one bounded channel to [`ManagedNetwork`], the
//! network of the runtime, which turns it into telemetry and outcomes for hosted agents and for the
//! platform's own management systems. What systems say is read by [`bindings::netconf::manager`],
//! which is pure. A tour:
//!
//! - `plan` is what the settings ask for, `system` what all tasks of a system share, `session` opens
//!   sessions and bounds them, `episode` logs a trouble once;
//! - [`survey()`] waits for the inventories, without which agents cannot begin;
//! - `position` is how far a system has been heard, over deaths and from node to node;
//! - `desk` knows who waits for which outcome, and whose engineer is out; `routing` which system an action is for; `tickets` whose
//!   each ticket is;
//! - `queue` gives each system its share of what agents are told, so that a flood at one of them is no
//!   other's loss.
//!
//! Refuses to know whether the network behind is real. Read next: [`crate::runtime`].

mod desk;
mod episode;
mod event;
mod listener;
mod network;
mod plan;
mod poller;
mod position;
mod queue;
mod routing;
mod session;
mod survey;
mod system;
mod tickets;
mod workers;

pub use event::ManagedEvent;
pub use network::ManagedNetwork;
pub use survey::{Survey, SurveyError, SystemSummary, survey};
