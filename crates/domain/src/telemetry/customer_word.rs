//! What customers say, as it is kept until an agent has heard it.
//!
//! No list of a management system has it, and nobody says it twice. Read next: [`super`].

use super::{Complaint, Telemetry, Ticket};
use serde::{Deserialize, Serialize};

/// What a customer, or a customer's company, says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CustomerWord {
    /// A complaint.
    Complaint(Complaint),
    /// A ticket.
    Ticket(Ticket),
    /// The answer to a question about a ticket.
    Answer {
        /// The ticket's number.
        ticket: String,
        /// The customer's words.
        text: String,
    },
}

impl CustomerWord {
    /// The word that this telemetry is, if it is one.
    pub fn of(telemetry: &Telemetry) -> Option<Self> {
        match telemetry {
            Telemetry::Complaint(complaint) => Some(Self::Complaint(complaint.clone())),
            Telemetry::Ticket(ticket) => Some(Self::Ticket(ticket.clone())),
            Telemetry::CustomerAnswered { ticket, text } => Some(Self::Answer {
                ticket: ticket.clone(),
                text: text.clone(),
            }),
            Telemetry::Alarm(_) | Telemetry::Field(_) | Telemetry::Performance(_) => None,
        }
    }
}

impl From<CustomerWord> for Telemetry {
    fn from(word: CustomerWord) -> Self {
        match word {
            CustomerWord::Complaint(complaint) => Self::Complaint(complaint),
            CustomerWord::Ticket(ticket) => Self::Ticket(ticket),
            CustomerWord::Answer { ticket, text } => Self::CustomerAnswered { ticket, text },
        }
    }
}
