//! What has happened in a network that is managed elsewhere, on its way to whom it is for.
//!
//! Read next: [`super::network`].

use super::position::ToldAt;
use domain::inventory::Domain;
use domain::telemetry::{FieldReport, Outcome, Telemetry, Token};
use domain::time::Timestamp;

/// What is noted when something is told that is told once.
#[derive(Clone, Copy, Debug)]
pub struct Once {
    /// The number of the system that tells it.
    pub(super) system: usize,
    pub(super) at: ToldAt,
}

/// Something that has happened, for whom it is.
#[derive(Debug)]
pub enum ManagedEvent {
    /// Telemetry of a domain.
    Told(Domain, Telemetry),
    /// A report of an engineer to the hosted agent that sent it.
    Field(String, FieldReport),
    /// A report of an engineer to a caller of the platform's own management system.
    CallersField(FieldReport),
    /// One of the above that no list of its system has.
    Once(Once, Box<ManagedEvent>),
    /// A report of an engineer that is kept until whoever sent the engineer out does so again.
    Kept,
    /// The system with this number is listened to since.
    Listening(usize, Timestamp),
    /// What came of an action of a hosted agent.
    Outcome(String, Token, Outcome),
}
