//! One ticket and the states it may take (TMF621).
//!
//! ```text
//! acknowledged ─► inProgress ⇄ pending ─► resolved ─► closed
//!      └► held ─────┘ ▲                      │
//!                     └──── not accepted ────┘        any but closed ─► cancelled
//! ```
//!
//! Knows states, notes and relations; refuses to know who works. Read next: [`super`].

use crate::payloads::ticket::{TicketStatus, TroubleTicket};
use domain::time::Timestamp;

/// The most notes that a ticket keeps; the oldest go first.
const NOTES_MAX: usize = 40;

/// The ticket cannot be changed like that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ticket that is {} cannot become {}", .from.as_str(), .to.as_str())]
pub struct InvalidTransition {
    /// Its status.
    pub from: TicketStatus,
    /// The status that it was to have.
    pub to: TicketStatus,
}

/// True if a ticket may go from one state to the other.
fn may(from: TicketStatus, to: TicketStatus) -> bool {
    use TicketStatus::*;
    match (from, to) {
        (Closed | Cancelled, _) => false,
        (_, Cancelled) => true,
        (Acknowledged, InProgress | Pending | Held) => true,
        (Held, InProgress | Pending | Resolved) => true,
        (InProgress, Pending | Held | Resolved) => true,
        (Pending, InProgress | Held | Resolved) => true,
        (Resolved, InProgress | Pending | Closed) => true,
        _ => false,
    }
}

impl TroubleTicket {
    /// Takes a state on, with the reason in its notes; the state it has already is no change.
    ///
    /// # Errors
    /// [`InvalidTransition`] if the state does not follow from the one it has.
    pub fn change(
        &mut self,
        to: TicketStatus,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), InvalidTransition> {
        let from = self.status;
        if from == to {
            return Ok(());
        }
        if !may(from, to) {
            return Err(InvalidTransition { from, to });
        }
        self.status = to;
        self.changed_at = now;
        reason.clone_into(&mut self.reason);
        self.note(now, &format!("{}: {reason}", to.as_str()));
        Ok(())
    }

    /// Adds a note.
    pub fn note(&mut self, now: Timestamp, text: &str) {
        self.notes.push(format!("{now} {text}"));
        let surplus = self.notes.len().saturating_sub(NOTES_MAX);
        self.notes.drain(..surplus);
    }

    /// On one line, for people.
    pub fn describe(&self) -> String {
        let about: Vec<&str> = self
            .related
            .suspected
            .iter()
            .take(3)
            .map(|e| e.as_str())
            .collect();
        let about = match about.is_empty() {
            true => String::new(),
            false => format!(" about {}", about.join(", ")),
        };
        format!(
            "Ticket {} ({}, {}){about} is {}: {}",
            self.ticket_id,
            self.kind.as_str(),
            self.severity.as_str(),
            self.status.as_str(),
            self.reason
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_states() {
        let rows = TicketStatus::ALL.map(|from| {
            let to = TicketStatus::ALL.into_iter().filter(|to| may(from, *to));
            let to: Vec<&str> = to.map(TicketStatus::as_str).collect();
            format!("{} -> {}", from.as_str(), to.join(" "))
        });
        insta::assert_snapshot!(rows.join("\n"), @r"
        acknowledged -> inProgress pending held cancelled
        inProgress -> pending held resolved cancelled
        pending -> inProgress held resolved cancelled
        held -> inProgress pending resolved cancelled
        resolved -> inProgress pending closed cancelled
        closed -> 
        cancelled -> 
        ");
    }
}
