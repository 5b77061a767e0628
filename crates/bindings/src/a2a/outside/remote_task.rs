//! One task at an agent elsewhere: the requests about it, and the news that answers bring of it.
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

use super::super::begin::inert;
use super::form::{self, TaskForm};
use super::remote_agent::RemoteAgent;
use super::remote_reference::RemoteReference;
use super::task_context::TaskContext;
use super::telecom::{self, Inquiry, SpokenTurn};
use super::{content, request};
use a2a::error::{Error, ErrorKind};
use a2a::event::{SendMessageResponse, StreamResponse};
use a2a::message::{Message as Said, Part};
use a2a::request::A2aRequest;
use a2a::response::Response;
use a2a::state::status_of;
use a2a::task::{Task as Told, TaskState};
use domain::agent::{Message, Undelivered};
use domain::content::Content;
use domain::negotiation::{Kind, Stance};
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::{Awaits, Status, TaskId};
use domain::time::Timestamp;
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

/// The outcome of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerOutcome {
    /// The message has arrived; this is new of the task, if anything is.
    Arrived(Option<Box<Notification>>),
    /// A turn of a negotiation is answered.
    Replied(Box<Reply>),
    /// The agent has lost the task: send this in the place of what was sent.
    Lost(Box<A2aRequest>),
    /// The agent cannot answer now: try again.
    NotNow(String),
    /// It says no.
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

    /// Takes the answer to an offer; the same is asked again where that is nothing yet. An agent that
    /// works on has taken it.
    fn replied(
        &mut self,
        peer: &RemoteAgent,
        known: &TaskContext,
        kind: Kind,
        sent: &SendMessageResponse,
    ) -> AnswerOutcome {
        let (said, works) = match sent {
            SendMessageResponse::Message(said) => (Some(said), false),
            SendMessageResponse::Task(task) => {
                let works = kind == Kind::Fulfillment && task.status.state == TaskState::Working;
                (task.status.message.as_ref(), works)
            }
        };
        let reply = said.and_then(|it| telecom::reply(peer, known, kind, it));
        match reply.or_else(|| works.then(Reply::accepted)) {
            Some(reply) => {
                self.in_turn = None;
                AnswerOutcome::Replied(Box::new(reply))
            }
            None => AnswerOutcome::NotNow("it has not answered yet".to_owned()),
        }
    }

    /// Takes the answer to the last request.
    pub fn answered(
        &mut self,
        peer: &RemoteAgent,
        answer: Result<Response, Error>,
        known: &TaskContext,
        now: Timestamp,
    ) -> AnswerOutcome {
        match (answer, self.in_turn) {
            (Ok(Response::Sent(sent)), Some(turn)) if turn.stance == Stance::Offer => {
                self.replied(peer, known, turn.kind, &sent)
            }
            // An acceptance or a refusal wants no answer, and words to it are no result.
            (Ok(Response::Sent(SendMessageResponse::Message(_))), Some(_)) => {
                AnswerOutcome::Arrived(None)
            }
            (answer, _) => self.arrived(peer, answer, known, now),
        }
    }

    fn arrived(
        &mut self,
        peer: &RemoteAgent,
        answer: Result<Response, Error>,
        known: &TaskContext,
        now: Timestamp,
    ) -> AnswerOutcome {
        match answer {
            Ok(Response::Sent(SendMessageResponse::Task(task))) => {
                AnswerOutcome::Arrived(self.of_task(peer, &task, known, now).map(Box::new))
            }
            Ok(Response::Task(task)) => {
                self.was_lost = false;
                AnswerOutcome::Arrived(self.of_task(peer, &task, known, now).map(Box::new))
            }
            Ok(Response::Sent(SendMessageResponse::Message(said))) => {
                let content = content::of(&self.target, &said.parts, &[], known);
                let news = self.told_of(Status::Finished, content, now);
                AnswerOutcome::Arrived(news.map(Box::new))
            }
            Ok(_) => AnswerOutcome::Refused(undelivered(
                "malformed",
                "it is no answer to this".to_owned(),
            )),
            Err(error) => self.failed(peer, known, error),
        }
    }

    /// Takes an event of the stream; returns the news in it. A task that has settled is to be asked for,
    /// for its stream does not tell all of it again.
    pub fn streamed(
        &mut self,
        peer: &RemoteAgent,
        event: &StreamResponse,
        known: &TaskContext,
        now: Timestamp,
    ) -> Option<Notification> {
        match event {
            StreamResponse::Task(task) if !task.status.state.is_settled() => {
                self.of_task(peer, task, known, now)
            }
            StreamResponse::Status(update) if !update.status.state.is_settled() => {
                let parts = update.status.message.as_ref().map(|it| it.parts.as_slice());
                let content = content::of(&self.target, &[], parts.unwrap_or_default(), known);
                self.told_of(begun(update.status.state)?, content, now)
            }
            StreamResponse::Artifact(update) if self.reports => {
                let content = content::of(&self.target, &update.artifact.parts, &[], known);
                self.told_of(Status::Processing, content, now)
            }
            _ => None,
        }
    }

    /// Takes note that nobody there knows the task any more.
    pub fn given_up(&mut self, why: &str, now: Timestamp) -> Option<Notification> {
        self.reference = None;
        let content = Content::new(self.target.as_str(), inert(why));
        self.told_of(Status::Failed, content, now)
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
        let digest: String = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let id = format!("{}/{digest}", self.task);
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

    fn failed(&mut self, peer: &RemoteAgent, known: &TaskContext, error: Error) -> AnswerOutcome {
        let said = format!("{}: {}", error.kind.name(), error.message);
        match (error.kind, self.assignment.clone()) {
            (ErrorKind::TaskNotFound, Some(assignment)) if !self.was_lost => {
                self.was_lost = true;
                self.reference = None;
                let form = TaskForm::of(peer, known, &self.task, &assignment.content);
                AnswerOutcome::Lost(Box::new(self.begin(form, &assignment.content)))
            }
            // It has ended there; how, is to be looked at.
            (ErrorKind::TaskNotCancelable, _) => AnswerOutcome::Arrived(None),
            (ErrorKind::Unavailable | ErrorKind::TooManyRequests | ErrorKind::Internal, _) => {
                AnswerOutcome::NotNow(said)
            }
            (kind, _) => AnswerOutcome::Refused(undelivered(tag(kind), said)),
        }
    }

    fn of_task(
        &mut self,
        peer: &RemoteAgent,
        told: &Told,
        known: &TaskContext,
        now: Timestamp,
    ) -> Option<Notification> {
        let status = begun(told.status.state)?;
        self.reference = Some(RemoteReference {
            id: told.id.clone(),
            context_id: told.context_id.clone(),
            status,
        });
        let artifacts = told.artifacts.iter().flatten();
        let brought: Vec<Part> = match status {
            Status::Finished => artifacts.flat_map(content::parts).collect(),
            _ => Vec::new(),
        };
        let said = told.status.message.as_ref();
        let waiting = said.filter(|_| status == Status::InputRequired);
        let about = self.assignment.as_ref();
        let about = about.and_then(|it| Some(it.content.payload.as_ref()?.schema_id.clone()));
        self.inquiry = waiting.and_then(|it| Inquiry::of(peer, known, about.as_deref(), it));
        let asked = match &self.inquiry {
            Some(Inquiry::Offers(None, _)) => return None,
            Some(Inquiry::Offers(Some(offered), _)) => {
                let content = (**offered).clone();
                return self.news(status, Some(Awaits::Decision), content, now);
            }
            Some(Inquiry::Asks(asked)) => Some(vec![Part::text(asked.words())]),
            None => None,
        };
        let said = said.map(|it: &Said| it.parts.as_slice());
        let said = asked.as_deref().or(said);
        let content = content::of(&self.target, &brought, said.unwrap_or_default(), known);
        self.told_of(status, content, now)
    }

    /// The news of a state there that waits for nothing but what it says.
    fn told_of(
        &mut self,
        status: Status,
        content: Content,
        now: Timestamp,
    ) -> Option<Notification> {
        let awaits = match status {
            Status::InputRequired => Some(Awaits::Answer),
            Status::AuthRequired => Some(Awaits::Credentials),
            _ => None,
        };
        self.news(status, awaits, content, now)
    }

    /// The news of a state there; none if that was told before.
    fn news(
        &mut self,
        status: Status,
        awaits: Option<Awaits>,
        content: Content,
        now: Timestamp,
    ) -> Option<Notification> {
        if let Some(reference) = &mut self.reference {
            reference.status = status;
        }
        let mut content = content;
        if let Some(reference) = &self.reference {
            content.others.push(reference.section());
        }
        let before = self.told.replace((status, content.clone()));
        if before.as_ref() == self.told.as_ref() {
            return None;
        }
        Some(Notification {
            time: now,
            task: self.task.clone(),
            from: self.agent.clone(),
            to: self.publisher.clone(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status,
            previous: before.map(|(status, _)| status),
            start_time: now,
            percent: if status == Status::Finished { 100 } else { 0 },
            content,
            awaits,
            data: None,
        })
    }
}

/// A state there as it is called here. What was only taken note of there is in hand to who sent it.
fn begun(state: TaskState) -> Option<Status> {
    match status_of(state)? {
        Status::Created => Some(Status::Processing),
        status => Some(status),
    }
}

/// True if the publisher is content: there is nothing to say to a task that has ended.
fn accepts(content: &Content) -> bool {
    let word = content.result.as_deref().and_then(Stance::said);
    word == Some(Stance::Accept)
}

/// The `error-tag` that comes nearest to a refusal.
fn tag(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unauthenticated | ErrorKind::PermissionDenied => "access-denied",
        ErrorKind::InvalidParams | ErrorKind::InvalidRequest => "invalid-value",
        ErrorKind::TooLarge => "too-big",
        ErrorKind::TaskNotFound => "data-missing",
        ErrorKind::AlreadyExists => "data-exists",
        ErrorKind::InvalidAgentResponse | ErrorKind::ParseError => "malformed",
        _ => "operation-not-supported",
    }
}

fn undelivered(tag: &str, message: String) -> Undelivered {
    Undelivered {
        tag: tag.to_owned(),
        message,
    }
}
