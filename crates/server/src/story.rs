//! The events of a platform, reported as they happen: for a terminal, for a log, for a test.
//!
//! Knows events, not their presentation: `convoke` shows them. Read next: `arena::referee`.

use domain::agent::{Message, Undelivered};
use domain::inventory::ElementId;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::telemetry::{Action, Alarm, Complaint, FieldReport, Outcome, Saving, Ticket};
use domain::time::Timestamp;
use std::sync::Arc;

/// An event, at an instant of the platform's time.
#[derive(Clone, Debug)]
pub struct StoryEntry {
    /// The instant.
    pub at: Timestamp,
    /// The event.
    pub happened: StoryEvent,
}

/// An event. Agents are named by their aliases, or names if they have none.
#[derive(Clone, Debug)]
pub enum StoryEvent {
    /// An alarm reached its domain.
    Alarm(Alarm),
    /// A customer complained.
    Complaint(Complaint),
    /// A report from the field.
    Field(FieldReport),
    /// A customer's company opened a ticket.
    Ticket(Ticket),
    /// A customer answered a question about a ticket.
    Answered {
        /// The ticket's number.
        ticket: String,
        /// The customer's words.
        text: String,
    },
    /// An agent sent a message.
    Sent {
        /// The sender.
        from: String,
        /// The addressee.
        to: String,
        /// The message.
        message: Box<Message>,
    },
    /// The reply reached the sender.
    Replied {
        /// The agent that answers.
        from: String,
        /// The agent that asked.
        to: String,
        /// The reply.
        reply: Result<Box<Reply>, Undelivered>,
    },
    /// A notification reached the publisher.
    Notified {
        /// The executor.
        from: String,
        /// The publisher.
        to: String,
        /// The notification.
        notification: Arc<Notification>,
    },
    /// An agent took an action on the network.
    Acted {
        /// The agent.
        agent: String,
        /// The action.
        action: Action,
    },
    /// An action ended.
    Outcome {
        /// The agent.
        agent: String,
        /// The outcome.
        outcome: Outcome,
    },
    /// Something broke in the network. Only the referee knows the cause.
    Broke,
    /// An agent explained its actions.
    Note {
        /// The agent.
        agent: String,
        /// The sentence.
        text: String,
    },
}

/// The receiver of events.
pub type Listener = Box<dyn FnMut(&StoryEntry) + Send>;

/// An action on the network, in words.
pub fn acted(action: &Action) -> String {
    match action {
        Action::Probe { element } => format!("measures {element}"),
        Action::Dispatch { element, .. } => format!("sends an engineer to {element}"),
        Action::Guide { element, steps, .. } => {
            let steps = steps.len();
            format!("guides the engineer: repair {element} in {steps} steps")
        }
        Action::SetPower { cell, offset_db } => match *offset_db == 0.0 {
            true => format!("sets the power of {cell} back to normal"),
            false => format!("raises the power of {cell} by {offset_db:.1} dB"),
        },
        Action::SetSaving { cells, saving } => {
            let (count, first) = (cells.len(), cells.first().map_or("", ElementId::as_str));
            let which = match count {
                1 => first.to_owned(),
                _ => format!("{count} cells, {first} among them"),
            };
            match saving {
                Saving::Off => format!("wakes {which}"),
                deeper => format!("puts {which} into {}", deeper.as_str()),
            }
        }
        Action::ReadConfiguration { element } => format!("reads the parameters of {element}"),
        Action::Configure {
            element,
            parameter,
            value,
        } => format!("sets {parameter} of {element} to {value}"),
        Action::Restart { element } => format!("restarts {element}"),
        Action::Trace { vehicle, .. } => format!("looks up where {vehicle} was"),
        Action::TellCustomer {
            ticket,
            text,
            question,
        } => {
            let verb = if *question { "asks" } else { "tells" };
            format!("{verb} the customer of {ticket}: {text}")
        }
    }
}

/// The outcome of an action, in words.
pub fn outcome_in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Measured(measured) => {
            let readings = measured.readings.iter();
            let readings: Vec<String> = readings.map(|(k, v)| format!("{k} {v:.1}")).collect();
            let condition = measured.condition.as_str();
            format!("{}: {condition}  {}", measured.element, readings.join(", "))
        }
        Outcome::Dispatched { arrival } => format!("an engineer arrives about {arrival}"),
        Outcome::Guided => "the engineer follows the guidance".to_owned(),
        Outcome::Done => "done".to_owned(),
        Outcome::Configuration(found) => {
            let departs = found.running.iter();
            let departs = departs.filter(|(name, value)| found.planned.get(*name) != Some(value));
            let departs: Vec<String> = departs
                .map(|(name, value)| format!("{name} is {value}"))
                .collect();
            match departs.is_empty() {
                true => "every parameter is as planned".to_owned(),
                false => format!("not as planned: {}", departs.join(", ")),
            }
        }
        Outcome::Traced {
            visits, left_to, ..
        } => {
            let left = left_to
                .as_ref()
                .map_or_else(String::new, |p| format!(", then left for {p}"));
            format!("seen at {} cells{left}", visits.len())
        }
        Outcome::Told => "the customer has it".to_owned(),
        Outcome::Impossible(why) => format!("impossible: {why}"),
        Outcome::Failed(why) => format!("failed: {why}"),
    }
}
