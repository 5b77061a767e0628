//! The sub-task of a repair at its copilot: what is said about it, and what follows for the ticket.
//!
//! The copilot's result is accepted when it comes: that the work was done. Refuses to know whom a
//! repair is given to. Read next: [`super::record`].

use super::repair::Work;
use super::{Purpose, TroubleTickets};
use crate::answers::{is_taken, with_points};
use crate::oss_fault::news::News;
use crate::payloads::Schema;
use crate::payloads::repair::RepairResult;
use crate::payloads::ticket::TicketStatus;
use domain::agent::{Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::negotiation::{Kind, Speech};
use domain::reply::{Reason, Reply, Verdict};
use domain::task::{Awaits, Status, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;

impl TroubleTickets {
    pub(super) fn send(&mut self, purpose: Purpose, message: Message) -> Output {
        let token = self.context.token();
        self.sent.insert(token, (purpose, message.clone()));
        Output::Send { token, message }
    }

    pub(super) fn cancel(&mut self, (part, to): (TaskId, String)) -> Output {
        let content = Content::new(part.as_str(), "No longer needed");
        self.send(
            Purpose::Word,
            Message::new(to, Verb::TaskCancel, part, content),
        )
    }

    pub(super) fn replied(
        &mut self,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some((purpose, sent)) = self.sent.remove(&token) else {
            return Vec::new();
        };
        let taken = reply.as_ref().is_ok_and(|r| r.verdict != Verdict::Refused);
        let exists = is_taken(&reply);
        match purpose {
            Purpose::Part(_) if taken => Vec::new(),
            Purpose::Part(_) if exists => {
                let content = Content::new(sent.task.as_str(), "How is it?");
                let query = Message::new(sent.to, Verb::TaskResultQuery, sent.task, content);
                vec![self.send(Purpose::State, query)]
            }
            Purpose::Part(task) => {
                let Some(work) = self.works.get_mut(&task) else {
                    return Vec::new();
                };
                work.declined.push(sent.to.clone());
                work.part = None;
                self.give(&task, now)
            }
            Purpose::State => match reply.ok().and_then(|r| News::in_reply(&sent, &r)) {
                Some(news) => self.part_told(&news, now),
                None => Vec::new(),
            },
            Purpose::Plan(task) => vec![plan_answered(task, reply)],
            Purpose::Word => Vec::new(),
        }
    }

    /// News of a sub-task, passed on to whoever wants the repair.
    pub(super) fn part_told(&mut self, news: &News, now: Timestamp) -> Vec<Output> {
        // That a part has ended which is accepted already says nothing new.
        let part =
            |w: &Work| !w.resolved && w.part.as_ref().is_some_and(|(id, _)| *id == news.task);
        let Some(task) = self.works.iter().find(|(_, w)| part(w)) else {
            return Vec::new();
        };
        let task = task.0.clone();
        let words = news.content.task_description.clone();
        let offered = news.status == Status::Finished || news.awaits == Some(Awaits::Judgement);
        match news.awaits {
            _ if offered => self.part_done(&task, news, now),
            _ if news.status.is_terminal() => {
                let why = format!("{} by {}: {words}", news.status, news.from);
                self.fail(&task, &why, now)
            }
            Some(Awaits::Decision) => {
                let why = "its publisher is asked how it is to be repaired";
                let mut outputs = self.changed(&task, TicketStatus::Pending, why, 10, now);
                outputs.push(Output::Speak {
                    task,
                    kind: Kind::Fulfillment,
                    speech: Speech::offer(vec![news.content.clone()]),
                });
                outputs
            }
            Some(Awaits::Answer | Awaits::Credentials) => {
                let why = "the field force asks its publisher";
                let mut outputs = self.changed(&task, TicketStatus::Pending, why, 10, now);
                outputs.push(Output::report(
                    &task,
                    Progress::InputRequired(news.content.clone()),
                ));
                outputs
            }
            _ => self.part_goes_on(&task, &words, news.percent, now),
        }
    }

    fn part_goes_on(
        &mut self,
        task: &TaskId,
        words: &str,
        percent: u8,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(ticket) = self.ticket_of(task) else {
            return Vec::new();
        };
        if words.is_empty() || ticket.status == TicketStatus::Resolved {
            return Vec::new();
        }
        // News of work is that it goes on, whatever it waited for.
        let _ = ticket.change(TicketStatus::InProgress, words, now);
        ticket.note(now, words);
        let content = Content::new(ticket.related.suspected[0].as_str(), words);
        let content = content.with_payload(ticket.to_payload());
        vec![Output::report(task, Progress::Working { percent, content })]
    }

    /// The work is done: resolved, for the publisher to judge.
    fn part_done(&mut self, task: &TaskId, news: &News, now: Timestamp) -> Vec<Output> {
        let result = RepairResult::in_content(&news.content);
        let verdict = match &result {
            Some(_) => "accept".to_owned(),
            None => with_points(
                "reject",
                &[format!("the result is no {}", RepairResult::ID)],
            ),
        };
        let mut outputs = Vec::new();
        if news.awaits == Some(Awaits::Judgement) {
            let content = Content::new(news.task.as_str(), "Judgement of the work");
            let content = content.with_result(verdict).in_reply_to(Awaits::Judgement);
            let verb = Verb::FulfillmentNegotiate;
            let word = Message::new(news.from.clone(), verb, news.task.clone(), content);
            outputs.push(self.send(Purpose::Word, word));
        }
        let Some(result) = result else {
            if news.status == Status::Finished {
                outputs.extend(self.fail(task, "the field force's result cannot be read", now));
            }
            return outputs;
        };
        let held = self.held_behind(task);
        for id in std::iter::once(task.clone()).chain(held) {
            outputs.extend(self.resolve(&id, &result, &news.content, now));
        }
        outputs
    }

    fn resolve(
        &mut self,
        task: &TaskId,
        result: &RepairResult,
        content: &Content,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(work) = self.works.get_mut(task).filter(|w| !w.resolved) else {
            return Vec::new();
        };
        work.resolved = true;
        work.behind = None;
        let own = RepairResult {
            ticket_id: work.repair.ticket_id.clone(),
            ..result.clone()
        };
        let mut outputs = self.changed(task, TicketStatus::Resolved, &result.finding, 90, now);
        let mut content = content.clone();
        content.payload = Some(own.to_payload());
        outputs.push(Output::report(task, Progress::Result(content)));
        outputs
    }
}

/// Passes on what a copilot says to a plan, as the word of this agent.
fn plan_answered(task: TaskId, reply: Result<Reply, Undelivered>) -> Output {
    let speech = match reply {
        Ok(reply) if matches!(reply.verdict, Verdict::Accepted | Verdict::Result) => {
            Speech::accept()
        }
        Ok(reply) if reply.verdict == Verdict::Offered => Speech {
            reasons: reply.reasons,
            ..Speech::offer(reply.content)
        },
        Ok(reply) => Speech::refuse(reply.reasons),
        Err(undelivered) => Speech::refuse(vec![Reason {
            reason: undelivered.tag,
            path: String::new(),
            message: undelivered.message,
        }]),
    };
    Output::Speak {
        task,
        kind: Kind::Fulfillment,
        speech,
    }
}
