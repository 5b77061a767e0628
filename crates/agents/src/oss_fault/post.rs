//! What was sent and awaits its reply; what did not arrive is sent again.

use domain::agent::Message;
use domain::inventory::Domain;
use domain::task::TaskId;
use domain::telemetry::Token;
use std::collections::BTreeMap;

/// Seconds before a message that could not be delivered is sent again.
pub(super) const RESEND_AFTER_S: f64 = 15.0;
/// The most times a message is sent.
const SENT_MAX: u32 = 5;

/// What a message was for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Ordering incidents of a domain.
    Standing(Domain),
    /// Asking whether a diagnosis is feasible.
    Feasibility(u64),
    /// Assigning it.
    Diagnosis(u64),
    /// Opening the ticket.
    Ticket(u64),
    /// Asking whether service is back.
    Verification(u64),
    /// A judgement or a cancellation: nothing depends on its reply.
    Word,
    /// Passing a diagnosis on that someone else asked for.
    Delegation(TaskId),
}

#[derive(Clone, Debug)]
struct Sent {
    purpose: Purpose,
    message: Message,
    times: u32,
}

/// Messages under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Post {
    sent: BTreeMap<Token, Sent>,
}

impl Post {
    pub(super) fn sent(&mut self, token: Token, purpose: Purpose, message: Message) {
        let times = 1;
        self.sent.insert(
            token,
            Sent {
                purpose,
                message,
                times,
            },
        );
    }

    /// The reply has come: what the message was for.
    pub(super) fn replied(&mut self, token: Token) -> Option<(Purpose, Message)> {
        let sent = self.sent.remove(&token)?;
        Some((sent.purpose, sent.message))
    }

    /// It could not be delivered: true if it is to be sent again.
    pub(super) fn undelivered(&mut self, token: Token) -> bool {
        self.sent.get(&token).is_some_and(|s| s.times < SENT_MAX)
    }

    /// The message to send again.
    pub(super) fn again(&mut self, token: Token) -> Option<Message> {
        let sent = self.sent.get_mut(&token)?;
        sent.times += 1;
        Some(sent.message.clone())
    }
}
