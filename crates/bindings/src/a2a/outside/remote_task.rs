//! One task at an agent elsewhere: the requests about it; the answers to them are in [`answer`].
//!
//! ```text
//!   TaskAssign ──► SendMessage ──► a task there ──► followed until it has ended there or here
//!   an answer  ──► SendMessage to it          TaskCancel ──► CancelTask
//!   a refusal of its result ──► SendMessage in its conversation, a new task there
//! ```
//! Its identifiers there are told with everything that is said of it here ([`super::REMOTE_SECTION`]), so
//! they are on record with the task and survive a restart; an identifier of a message follows from task
//! and content, so that an agent that is asked twice can tell. A question whether something could be done
//! is for agents that speak A2A-T: A2A as such has no word for it, and words that ask could be taken for
//! an order. Read next: `telecom`, `a2a::state`, `server::remote`.

mod answer;

pub use answer::AnswerOutcome;

use super::form::{self, TaskForm};
use super::remote_agent::RemoteAgent;
use super::remote_reference::RemoteReference;
use super::request;
use super::task_context::TaskContext;
use super::telecom::{self, Inquiry, SpokenTurn};
use a2a::message::Message as Said;
use a2a::request::A2aRequest;
use domain::agent::{Message, Undelivered};
use domain::content::Content;
use domain::negotiation::{Kind, Stance};
use domain::task::{Status, TaskId};
use domain::verb::Verb;
use schema::canonical;
use serde_json::json;

/// A task of this platform at an agent elsewhere.
#[derive(Clone, Debug)]
pub struct RemoteTask {
    agent: String,
    publisher: String,
    task: TaskId,
    target: String,
    reference: Option<RemoteReference>,
    /// The last news of it.
    told: Option<(Status, Content)>,
    /// The assignment, to be said again if the agent has lost it.
    assignment: Option<Message>,
    /// True once it was said again and has not been found there since.
    was_lost: bool,
    /// True if it reports by artifacts until it is told to stop.
    reports: bool,
    /// The question or offer in A2A-T that it waits with, if it does.
    inquiry: Option<Inquiry>,
    /// The turn of a negotiation that was said last, until it is answered.
    in_turn: Option<SpokenTurn>,
}

/// The step that a message of the proxy needs.
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// Send this, and hand the answer in.
    Send(Box<A2aRequest>),
    /// Nothing has to be said there.
    Settled,
    /// It cannot be said there.
    Refused(Undelivered),
}

/// The way in which a task is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowMode {
    /// It has ended there, or was never begun.
    Over,
    /// On a stream of this task.
    Stream(String),
    /// By asking for it now and then.
    Asking,
    /// By asking for it seldom, for it waits for somebody here.
    Waiting,
}

impl RemoteTask {
    /// A task of which nothing is known yet; `publisher` is who speaks to the agent.
    pub fn new(agent: &str, publisher: &str, task: &TaskId) -> Self {
        Self {
            agent: agent.to_owned(),
            publisher: publisher.to_owned(),
            task: task.clone(),
            target: String::new(),
            reference: None,
            told: None,
            assignment: None,
            was_lost: false,
            reports: false,
            inquiry: None,
            in_turn: None,
        }
    }

    /// Takes a message of the proxy.
    pub fn take(&mut self, peer: &RemoteAgent, message: &Message, known: &TaskContext) -> NextStep {
        self.in_turn = None;
        self.target.clone_from(&message.content.target_object);
        if self.reference.is_none() {
            self.reference = RemoteReference::of(&message.content);
        }
        match (message.verb, &self.reference) {
            (Verb::TaskAssign, reference) => {
                let form = TaskForm::of(peer, known, &self.task, &message.content);
                self.reports = form.is_subscription();
                let look = reference
                    .as_ref()
                    .map(|reference| request::look(&reference.id));
                let request = look.unwrap_or_else(|| self.begin(form, &message.content));
                self.assignment = Some(message.clone());
                NextStep::Send(Box::new(request))
            }
            (Verb::TaskResultQuery, Some(reference)) => {
                NextStep::Send(Box::new(request::look(&reference.id)))
            }
            (Verb::TaskCancel, Some(reference)) => {
                NextStep::Send(Box::new(request::cancel(&reference.id)))
            }
            (Verb::TaskCancel | Verb::TaskResultQuery, None) => NextStep::Settled,
            (Verb::FulfillmentNegotiate, Some(reference))
                if reference.status.is_terminal() && accepts(&message.content) =>
            {
                NextStep::Settled
            }
            (Verb::FulfillmentNegotiate, Some(reference)) => {
                if let Some(said) = self.decision(peer, known, reference) {
                    self.in_turn = SpokenTurn::of(known, Kind::Fulfillment);
                    return NextStep::Send(Box::new(request::send(said)));
                }
                let request = self.go_on(peer, known, reference, &message.content);
                // If it is not enough, the same question is a new one.
                self.told = None;
                NextStep::Send(Box::new(request))
            }
            (Verb::FeasibilityNegotiate, _) => self.turn(peer, known),
            _ => NextStep::Refused(self.negotiates_not()),
        }
    }

    /// Says what was said here last, to an agent that negotiates.
    fn turn(&mut self, peer: &RemoteAgent, known: &TaskContext) -> NextStep {
        match telecom::turn(peer, known, &self.task) {
            Some(said) => {
                self.in_turn = SpokenTurn::of(known, Kind::Feasibility);
                NextStep::Send(Box::new(request::send(said)))
            }
            None => NextStep::Refused(self.negotiates_not()),
        }
    }

    /// The message to a decision that it has offered, if it has and waits for that.
    fn decision(
        &self,
        peer: &RemoteAgent,
        known: &TaskContext,
        reference: &RemoteReference,
    ) -> Option<Said> {
        let Some(Inquiry::Offers(_, context)) = &self.inquiry else {
            return None;
        };
        let mut said = telecom::decision(peer, known, &self.task, context)?;
        said.task_id = Some(reference.id.clone());
        Some(said).filter(|_| !reference.status.is_terminal())
    }

    fn negotiates_not(&self) -> Undelivered {
        undelivered(
            "operation-not-supported",
            format!(
                "{} is spoken to over A2A and does not negotiate that",
                self.agent
            ),
        )
    }

    /// The way in which the task is to be followed.
    pub fn following(&self, peer: &RemoteAgent) -> FollowMode {
        let Some(reference) = self
            .reference
            .as_ref()
            .filter(|it| !it.status.is_terminal())
        else {
            return FollowMode::Over;
        };
        match reference.status {
            Status::Processing if peer.streams() => FollowMode::Stream(reference.id.clone()),
            Status::Processing => FollowMode::Asking,
            _ => FollowMode::Waiting,
        }
    }

    /// Asks how the task is.
    pub fn look(&self) -> Option<A2aRequest> {
        self.reference
            .as_ref()
            .map(|reference| request::look(&reference.id))
    }

    /// Ends the task there, if it has not ended.
    pub fn cancel(&self) -> Option<A2aRequest> {
        let open = self
            .reference
            .as_ref()
            .filter(|it| !it.status.is_terminal());
        open.map(|reference| request::cancel(&reference.id))
    }

    fn begin(&self, form: TaskForm, content: &Content) -> A2aRequest {
        request::send(form.message(self.task.to_string(), content))
    }

    /// To a task that has ended nothing can be said: what was wrong with its result begins another.
    fn go_on(
        &self,
        peer: &RemoteAgent,
        known: &TaskContext,
        reference: &RemoteReference,
        content: &Content,
    ) -> A2aRequest {
        let digest = canonical::hash(&json!([reference.id, content.render()]));
        let id = format!("{}/{}", self.task, canonical::hex(&digest[..8]));
        let asked = match &self.inquiry {
            Some(Inquiry::Asks(asked)) => Some(asked),
            _ => None,
        };
        let mut said = form::going_on(peer, known, asked, id, content);
        said.context_id = Some(reference.context_id.clone()).filter(|id| !id.is_empty());
        match reference.status.is_terminal() {
            true => said.reference_task_ids = vec![reference.id.clone()],
            false => said.task_id = Some(reference.id.clone()),
        }
        request::send(said)
    }
}

/// True if the publisher is content: there is nothing to say to a task that has ended.
fn accepts(content: &Content) -> bool {
    let word = content.result.as_deref().and_then(Stance::said);
    word == Some(Stance::Accept)
}

fn undelivered(tag: &str, message: String) -> Undelivered {
    Undelivered {
        tag: tag.to_owned(),
        message,
    }
}
