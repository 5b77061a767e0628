//! What happens, told as it happens: for a terminal, for a log, for a test.
//!
//! Knows events, not colours: `convoke` shows them. Read next: [`crate::referee`].

use domain::agent::{Message, Undelivered};
use domain::notification::Notification;
use domain::reply::Reply;
use domain::telemetry::{Action, Alarm, Complaint, FieldReport, Outcome};
use domain::time::Timestamp;
use std::sync::Arc;

/// Something that happened, at an instant of the platform's time.
#[derive(Clone, Debug)]
pub struct Told {
    /// When.
    pub at: Timestamp,
    /// What.
    pub happened: Happened,
}

/// What happened. Agents are named by their aliases, or names where they have none.
#[derive(Clone, Debug)]
pub enum Happened {
    /// An alarm reached its domain.
    Alarm(Alarm),
    /// A customer complained.
    Complaint(Complaint),
    /// News from the field.
    Field(FieldReport),
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
        /// Who was asked.
        from: String,
        /// Who asked.
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
    /// An agent did something to the network.
    Acted {
        /// The agent.
        agent: String,
        /// What it did.
        action: Action,
    },
    /// What came of it.
    Outcome {
        /// The agent.
        agent: String,
        /// What came of it.
        outcome: Outcome,
    },
    /// Something broke in the network. What, only the referee knows.
    Broke,
    /// An agent said why.
    Note {
        /// The agent.
        agent: String,
        /// The sentence.
        text: String,
    },
}

/// Whoever listens to the story.
pub type Listener = Box<dyn FnMut(&Told) + Send>;
