//! `task-negotiate` (draft-wang §5.2): one message about a task, as a protocol has read it, and the
//! reply to it; `form-team` of module convoke-registry, who does a task together (§4.1).
//!
//! Read next: [`crate::tasks::negotiate`], which carries out the one verb by verb, and
//! [`crate::tasks::team`], which carries out the other.

use crate::Refusal;
use crate::access::exec;
use crate::accounts::quota::ENTRY_BYTES;
use crate::operation::{Call, Cost, Endpoint, Execution, Operation};
use crate::schemas::operation::Notice;
use domain::access::{Request, TASK_NEGOTIATE};
use domain::content::{Content, Payload};
use domain::push::PushConfig;
use domain::reply::Reply;
use domain::task::{Subscription, TaskId};
use domain::team::{Need, Team};
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
    /// What an assignment lacks: its publisher is asked for that first, and its executor hears of
    /// the task once it is said. Asked for by the platform's own readers, never by a peer.
    pub question: Option<Content>,
    /// Where the sender of an assignment wants it told too, from its beginning. Of its task, owner and
    /// beginning nothing is read.
    pub push: Option<PushConfig>,
}

impl Negotiate {
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
            question: None,
            push: None,
        }
    }

    /// The bytes of text that it says.
    fn said(&self) -> u64 {
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

impl Operation for Negotiate {
    type Output = Negotiated;
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(TASK_NEGOTIATE)
    }

    fn cost(&self) -> Option<Cost> {
        let said = self.said();
        let written = match self.verb {
            // Who takes something back writes nothing, unless he says something with it.
            Verb::TaskCancel if said == 0 => return None,
            // What is only asked is on record all the same.
            Verb::CapabilityRequest | Verb::TaskResultQuery | Verb::TaskResultSubscribe => {
                said + ENTRY_BYTES
            }
            _ => said,
        };
        Some(Cost {
            said: written,
            written,
            // What is said of something under way begins nothing: its end gives back what it holds.
            begins: matches!(self.verb, Verb::TaskAssign | Verb::FeasibilityNegotiate),
        })
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Negotiated>, Refusal> {
        call.engine.negotiate(call.who, self, call.now)
    }
}

/// `form-team`: find members for the places of a task, and ask them; answers the team as it is once
/// they have answered.
#[derive(Clone, Debug, PartialEq)]
pub struct FormTeam {
    /// The task that the team is for; it need not exist yet.
    pub task: TaskId,
    /// The places.
    pub needs: Vec<Need>,
}

impl FormTeam {
    /// The bytes of text that the needs say.
    fn said(&self) -> u64 {
        let said = self.needs.iter().map(|need| need.content.bytes() as u64);
        said.sum()
    }
}

impl Operation for FormTeam {
    type Output = Arc<Team>;
    const STIRS_AGENTS: bool = true;

    fn rpc(&self) -> Option<Request<'static>> {
        Some(exec("convoke-registry", "form-team", false))
    }

    fn cost(&self) -> Option<Cost> {
        let said = self.said();
        Some(Cost {
            said,
            // Each candidate is asked in an exchange of its own.
            written: said * (1 + Team::CANDIDATES_MOST as u64) + ENTRY_BYTES,
            begins: true,
        })
    }

    fn run(self, call: Call<'_, Self>) -> Result<Execution<Arc<Team>>, Refusal> {
        call.engine.form_team(call.who, self, call.now)
    }
}
