//! What has happened in a network that is managed elsewhere, on its way to whom it is for.
//!
//! Read next: [`super::network`].

use domain::inventory::Domain;
use domain::telemetry::{FieldReport, Outcome, Telemetry, Token};

/// Something that has happened, for whom it is.
#[derive(Debug)]
pub enum ManagedEvent {
    /// Telemetry of a domain.
    Told(Domain, Telemetry),
    /// A report of an engineer to the hosted agent that sent it.
    Field(String, FieldReport),
    /// A report of an engineer to a caller of the platform's own management system.
    CallersField(FieldReport),
    /// What came of an action of a hosted agent.
    Outcome(String, Token, Outcome),
}
