//! The sub-tickets of a case: tasks of others under the ticket's own.
//!
//! Knows whom a part was given to, when it is late, and what came of it; refuses to know what follows
//! for the case. The same part of the same case has the same identifier, restarts included. Read
//! next: [`super`], [`super::case`].

use super::ComplaintAgent;
use super::case::{Case, Part, Which};
use super::reader::ComplaintReader;
use crate::answers::why_not;
use crate::payloads::Schema;
use crate::payloads::complaint::TicketResult;
use crate::payloads::quality::QualityResult;
use domain::agent::{Message, Output, Undelivered};
use domain::content::Content;
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Status, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;

/// The time that a check, and another province, may take, in seconds.
const CHECK_LONGEST_S: f64 = 600.0;
const FORWARD_LONGEST_S: f64 = 3_600.0;

/// The message sent, and for whom.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) case: TaskId,
    which: Which,
    /// True if it asked how the part is, false if it assigned it.
    query: bool,
}

impl<R: ComplaintReader> ComplaintAgent<R> {
    /// Assigns a part to somebody; without anybody it is silent at once.
    pub(super) fn give<S: Schema>(
        &mut self,
        id: &TaskId,
        case: &mut Case,
        which: Which,
        to: Option<String>,
        payload: &S,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(to) = to else {
            *case.part(which) = Part::Silent("nobody is registered for it".to_owned());
            return Vec::new();
        };
        let task = self.part_id(id, which, now);
        let (words, longest_s) = match which {
            Which::Mobile => (
                "Where was the vehicle, and how was service there?",
                CHECK_LONGEST_S,
            ),
            Which::Transport => ("How was transport behind these sites?", CHECK_LONGEST_S),
            Which::Forward => (
                "It happened in your province: find out and answer",
                FORWARD_LONGEST_S,
            ),
        };
        let ticket = case.ticket.ticket_id.as_str();
        let content = Content::new(ticket, words).with_payload(payload.to_payload());
        let message = Message {
            conditions: Conditions {
                parent: Some(id.clone()),
                ..Conditions::default()
            },
            ..Message::new(to.clone(), Verb::TaskAssign, task.clone(), content)
        };
        *case.part(which) = Part::Asked { task, to };
        let deadline = self.context.token();
        self.deadlines.insert(deadline, (id.clone(), which));
        let wake = Output::Wake {
            token: deadline,
            at: now.plus_s(longest_s),
        };
        vec![self.send(id, which, false, message), wake]
    }

    /// The same part of the same case has the same identifier, restarts included.
    fn part_id(&mut self, id: &TaskId, which: Which, now: Timestamp) -> TaskId {
        let name = format!("{id}-{}", which.as_str());
        match name.len() <= TaskId::LONGEST {
            true => TaskId::new(name),
            false => self.context.task_id(now),
        }
    }

    fn send(&mut self, case: &TaskId, which: Which, query: bool, message: Message) -> Output {
        let token = self.context.token();
        let sent = Sent {
            case: case.clone(),
            which,
            query,
        };
        self.sent.insert(token, sent);
        Output::Send { token, message }
    }

    pub(super) fn notified(&mut self, told: &Notification, now: Timestamp) -> Vec<Output> {
        let Some((id, which)) = self.part_named(&told.task) else {
            return Vec::new();
        };
        if !told.status.is_terminal() {
            let stuck = matches!(told.awaits, Some(Awaits::Answer | Awaits::Credentials));
            return match stuck {
                true => self.give_up(&id, which, "it asked for more than is known", now),
                false => Vec::new(),
            };
        }
        self.heard(&id, which, told.status, &told.content, now)
    }

    fn part_named(&self, task: &TaskId) -> Option<(TaskId, Which)> {
        self.cases.iter().find_map(|(id, case)| {
            let which = Which::ALL.into_iter().find(|w| case.is_asked(*w, task))?;
            Some((id.clone(), which))
        })
    }

    /// A part has ended.
    fn heard(
        &mut self,
        id: &TaskId,
        which: Which,
        status: Status,
        content: &Content,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(mut case) = self.cases.remove(id) else {
            return Vec::new();
        };
        let told = match (status, which) {
            (Status::Finished, Which::Forward) => {
                TicketResult::in_content(content).map(|r| Part::Forwarded(Box::new(r)))
            }
            (Status::Finished, _) => {
                QualityResult::in_content(content).map(|r| Part::Checked(Box::new(r)))
            }
            _ => None,
        };
        *case.part(which) = told.unwrap_or_else(|| Part::Silent(format!("it ended {status}")));
        self.go_on(id.clone(), case, Vec::new(), now)
    }

    pub(super) fn replied(
        &mut self,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(Sent {
            case: id,
            which,
            query,
        }) = self.sent.remove(&token)
        else {
            return Vec::new();
        };
        if !self.cases.get(&id).is_some_and(|c| c.is_open(which)) {
            return Vec::new();
        }
        match reply {
            Ok(reply) if reply.verdict == Verdict::Result && reply.awaits().is_none() => {
                let content = reply.content.first().cloned().unwrap_or_default();
                self.heard(&id, which, Status::Finished, &content, now)
            }
            Ok(reply) if query || reply.verdict == Verdict::Refused => {
                let why = why_not(&reply);
                self.give_up(&id, which, &why, now)
            }
            Ok(reply) if reply.verdict == Verdict::InputRequired => {
                self.give_up(&id, which, "it asked for more than is known", now)
            }
            Ok(_) => Vec::new(),
            Err(undelivered) => self.give_up(&id, which, &undelivered.message, now),
        }
    }

    /// A part is late: how is it? Its result may be there, and only the news of it lost.
    pub(super) fn woken(&mut self, token: Token) -> Vec<Output> {
        let Some((id, which)) = self.deadlines.remove(&token) else {
            return Vec::new();
        };
        let Some(Part::Asked { task, to }) = self.cases.get_mut(&id).map(|c| c.part(which).clone())
        else {
            return Vec::new();
        };
        let content = Content::new(id.as_str(), "How is it?");
        let query = Message::new(to, Verb::TaskResultQuery, task, content);
        vec![self.send(&id, which, true, query)]
    }

    /// Goes on without a part.
    fn give_up(&mut self, id: &TaskId, which: Which, why: &str, now: Timestamp) -> Vec<Output> {
        let Some(mut case) = self.cases.remove(id) else {
            return Vec::new();
        };
        let mut outputs = Vec::new();
        if let Part::Asked { task, to } = case.part(which).clone() {
            let content = Content::new(task.as_str(), "The ticket is answered without it");
            let token = self.context.token();
            let message = Message::new(to, Verb::TaskCancel, task, content);
            outputs.push(Output::Send { token, message });
        }
        *case.part(which) = Part::Silent(why.to_owned());
        self.go_on(id.clone(), case, outputs, now)
    }
}
