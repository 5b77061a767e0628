//! `task-negotiate` (draft-wang §5.2): one message about a task, as a protocol has read it, and the reply to
//! it.
//!
//! Read next: [`crate::tasks::operation`], its rights and its cost; [`crate::tasks::negotiate`].

use crate::operation::Endpoint;
use crate::schemas::operation::Notice;
use domain::content::{Content, Payload};
use domain::negotiation::RequestKey;
use domain::policy::PolicyUpdate;
use domain::push::PushConfig;
use domain::reply::Reply;
use domain::task::{Subscription, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;

/// The input of `task-negotiate`, as read by a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiate {
    /// Where it arrived.
    pub endpoint: Endpoint,
    /// `task-sendFrom`, if given.
    pub from: Option<String>,
    /// `task-sendTo`, if given.
    pub to: Option<String>,
    /// `commuType`.
    pub verb: Verb,
    /// `task-id`, if given.
    pub task: Option<TaskId>,
    /// `content`, each entry as sent.
    pub texts: Vec<String>,
    /// The payload, if it came as typed XML beside the content.
    pub payload: Option<Payload>,
    /// `task-async`, if given.
    pub asynchronous: Option<bool>,
    /// `expected-response`, if given beside the sections.
    pub expected_response: Option<String>,
    /// `term-explains`, if given beside the sections.
    pub terms: Vec<(String, String)>,
    /// `round`, if given.
    pub round: Option<u32>,
    /// `alternative`: which of the offered ones is accepted, from 1.
    pub alternative: Option<u32>,
    /// `parent-task`, if given.
    pub parent: Option<TaskId>,
    /// `deadline`, if given.
    pub deadline: Option<Timestamp>,
    /// `answer-within`, if given, in milliseconds.
    pub answer_within_ms: Option<i64>,
    /// `fulfillment-required`, if given.
    pub fulfillment: Option<bool>,
    /// `round-limit`, if given.
    pub round_limit: Option<u32>,
    /// `task-subscription`, if given.
    pub subscription: Option<Subscription>,
    /// `msg-data`, if given.
    pub data: Option<String>,
    /// `context`, if given.
    pub context: Option<String>,
    /// `conversation`, if given.
    pub conversation: Option<String>,
    /// What is known of it where another node forwarded it, which may do so again without its sender's doing.
    pub request: Option<ForwardedRequest>,
    /// What an assignment lacks: its publisher is asked for that first, and its executor hears of
    /// the task once it is said. Asked for by the platform's own readers, never by a peer.
    pub question: Option<Content>,
    /// The standing rule by which its sender decides, said by the platform in its author's name.
    pub ruled: Option<Arc<PolicyUpdate>>,
    /// Where the sender of an assignment wants it told too, from its beginning. Of its task, owner and
    /// beginning nothing is read.
    pub push: Option<PushConfig>,
}

/// A request that another node forwarded. If the process that leads is lost, the next one is given it once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardedRequest {
    /// By which it is known again.
    pub key: RequestKey,
    /// True if a process that was lost had it, and may have carried it out.
    pub in_doubt: bool,
}

impl Negotiate {
    /// By which it is known again.
    pub(crate) fn key(&self) -> Option<RequestKey> {
        Some(self.request?.key)
    }

    /// True if a process that was lost may have carried it out.
    pub(crate) fn in_doubt(&self) -> bool {
        self.request.is_some_and(|request| request.in_doubt)
    }

    /// A message with this verb that arrived here, and nothing else said.
    pub fn new(endpoint: Endpoint, verb: Verb) -> Self {
        Self {
            endpoint,
            from: None,
            to: None,
            verb,
            task: None,
            texts: Vec::new(),
            payload: None,
            asynchronous: None,
            expected_response: None,
            terms: Vec::new(),
            round: None,
            alternative: None,
            parent: None,
            deadline: None,
            answer_within_ms: None,
            fulfillment: None,
            round_limit: None,
            subscription: None,
            data: None,
            context: None,
            conversation: None,
            request: None,
            question: None,
            ruled: None,
            push: None,
        }
    }

    /// The bytes of text that it says.
    pub(crate) fn said(&self) -> u64 {
        let terms = self.terms.iter();
        let terms = terms.map(|(term, means)| term.len() + means.len());
        let texts = self.texts.iter().chain(&self.expected_response);
        let payload = self.payload.as_ref().map_or(0, |p| p.to_json().len());
        (texts.map(String::len).sum::<usize>() + terms.sum::<usize>() + payload) as u64
    }
}

/// The reply, and the notice that goes to its caller alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiated {
    /// The reply of `task-negotiate`.
    pub reply: Reply,
    /// Warnings and patches of schemas; empty if there are none.
    pub notice: Notice,
}

impl From<Reply> for Negotiated {
    fn from(reply: Reply) -> Self {
        let notice = Notice::default();
        Self { reply, notice }
    }
}
