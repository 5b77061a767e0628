//! The answers about a task at an agent elsewhere and the events of its stream: what they mean for
//! what was asked, and what is new in them.
//!
//! Refuses to know how anything is said there. Read next: [`super`], `a2a::state`.

use super::super::super::message_content::inert;
use super::super::content;
use super::super::form::TaskForm;
use super::super::remote_agent::RemoteAgent;
use super::super::remote_reference::RemoteReference;
use super::super::task_context::TaskContext;
use super::super::telecom::{self, Inquiry};
use super::{RemoteTask, undelivered};
use a2a::error::{Error, ErrorKind};
use a2a::event::{SendMessageResponse, StreamResponse};
use a2a::message::{Message as Said, Part};
use a2a::request::A2aRequest;
use a2a::response::Response;
use a2a::state::status_of;
use a2a::task::{Task as Told, TaskState};
use domain::agent::Undelivered;
use domain::content::Content;
use domain::negotiation::{Kind, Stance};
use domain::notification::Notification;
use domain::reply::Reply;
use domain::task::{Awaits, Status};
use domain::time::Timestamp;
use domain::verb::Verb;

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

impl RemoteTask {
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
