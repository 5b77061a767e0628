//! All that was sent and awaits its reply.
//!
//! That a message arrives is the sender's transport's business, not the agent's.

use domain::agent::Message;
use domain::content::Content;
use domain::inventory::Domain;
use domain::task::TaskId;
use domain::telemetry::Token;
use std::collections::BTreeMap;

/// The purpose of a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Purpose {
    /// Ordering incidents of a domain.
    Standing(Domain),
    /// Asking whether a diagnosis is feasible.
    Feasibility(u64),
    /// Agreeing to an alternative: what is then assigned.
    Agreement(u64, Box<Content>),
    /// Assigning a diagnosis.
    Diagnosis(u64),
    /// Opening the ticket.
    Ticket(u64),
    /// Giving a case to people.
    Escalation(u64),
    /// Asking how a task is.
    State(u64),
    /// Asking whether service is back.
    Verification(u64),
    /// A judgement, an answer or a cancellation: nothing depends on its reply.
    Word,
    /// Passing a diagnosis on that someone else asked for.
    Delegation(TaskId),
    /// Asking how a diagnosis is that was passed on before a restart.
    Delegated(TaskId),
}

/// Messages under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Post {
    sent: BTreeMap<Token, (Purpose, Message)>,
}

impl Post {
    pub(super) fn sent(&mut self, token: Token, purpose: Purpose, message: Message) {
        self.sent.insert(token, (purpose, message));
    }

    /// The reply has come: what the message was for.
    pub(super) fn replied(&mut self, token: Token) -> Option<(Purpose, Message)> {
        self.sent.remove(&token)
    }
}
