//! The business layer's ticket system: between customers and the complaint agents.
//!
//! Natural language goes on as text (draft §2.3): a ticket becomes a task of the complaint agent of
//! the complainant's home province, questions go back to the customer, answers forward, and the
//! customer gets exactly one reply, in the customer's own language, whatever happens. A result is
//! accepted if it answers the ticket in that language.
//!
//! ```text
//! ticket ──► Given ──► Asked ◄──► (customer) ──► Given ──► Replied
//!              └── refused, failed, late ──► the next agent, or an apology ──► Replied
//! ```
//! Whatever must survive is in the tasks: their identifiers hold the ticket's number, so that news of one from before a
//! restart finds its ticket, and a ticket that is told again its task. Read next: [`crate::complaints`].

use crate::answers::with_points;
use crate::complaints::reader::is_chinese;
use crate::context::{AgentContext, TaskExecutor};
use crate::payloads::Schema;
use crate::payloads::complaint::{ComplaintTicket, TicketResult};
use domain::agent::{Ask, Briefing, Input, Message, Output, Undelivered};
use domain::content::Content;
use domain::notification::Notification;
use domain::profile::{Layer, Profile};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Status, TaskId};
use domain::telemetry::{Action, Telemetry, Ticket, Token};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A customer who has not answered for so long, in seconds, will not.
const ANSWER_LONGEST_S: f64 = 5_400.0;
/// A ticket gets its reply after so long, in seconds, whatever is known then.
const TICKET_LONGEST_S: f64 = 6.0 * 3_600.0;
/// The error for an assignment under the identifier of a task that is there and differs (RFC 6241).
const EXISTS: &str = "data-exists";
/// The prefix by which tasks are named after their tickets.
const PREFIX: &str = "ticket-";

/// The stage of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A complaint agent works on it.
    Given,
    /// The customer was asked, and the question was the one of this number.
    Asked(u32),
    /// The customer has had the reply.
    Replied,
}

/// A ticket.
#[derive(Clone, Debug)]
struct Open {
    stage: Stage,
    payload: ComplaintTicket,
    /// The agent that works on it.
    to: String,
    task: TaskId,
    /// The agents that did not want it.
    declined: Vec<String>,
    questions: u32,
    /// True once a result was sent back.
    rejected: bool,
    /// True if it is from before a restart: the customer's words are with whoever works on it.
    taken_up: bool,
}

impl Open {
    fn new(payload: ComplaintTicket, to: String, task: TaskId) -> Self {
        Self {
            stage: Stage::Given,
            payload,
            to,
            task,
            declined: Vec::new(),
            questions: 0,
            rejected: false,
            taken_up: false,
        }
    }
}

/// The reason for which a wake-up was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Answer(u32),
    Reply,
}

/// The ticket system.
#[derive(Debug)]
pub struct BssTickets {
    context: AgentContext,
    /// By the ticket's number.
    tickets: BTreeMap<String, Open>,
    sent: BTreeMap<Token, String>,
    due: BTreeMap<Token, (String, Due)>,
}

impl TaskExecutor for BssTickets {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let system = Self {
            context: AgentContext::open(&briefing, now),
            tickets: BTreeMap::new(),
            sent: BTreeMap::new(),
            due: BTreeMap::new(),
        };
        (system, Vec::new())
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Ticket(ticket)) => self.opened(ticket, now),
            Input::Telemetry(Telemetry::CustomerAnswered { ticket, text }) => {
                self.answered(&ticket, &text)
            }
            Input::Notified(told) => self.notified(&told, now),
            Input::Replied { token, reply } => self.replied(token, &reply, now),
            Input::Woken(token) => self.woken(token),
            Input::Joined(_) | Input::Left(_) => {
                self.context.roster_changed(input);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        not_taken(content)
    }

    fn assigned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        (not_taken(&ask.content), Vec::new())
    }
}

fn not_taken(content: &Content) -> Reply {
    let words = "tickets are opened by customers' companies, not by tasks; assign a complaint to the \
                 complaint agent of its province";
    Reply::refused("takes-no-tasks", &content.target_object, words)
}

impl BssTickets {
    /// The complaint agents, that of the complainant's home province first.
    fn handlers(&self, from: &str) -> Vec<String> {
        let takes = |p: &&Arc<Profile>| {
            p.layer == Layer::Service && p.schemas().any(|s| s == ComplaintTicket::ID)
        };
        let home = |p: &Arc<Profile>| {
            let province = p.province.as_deref();
            !province.is_some_and(|province| names(from, province))
        };
        let mut handlers: Vec<&Arc<Profile>> = self.context.roster.iter().filter(takes).collect();
        handlers.sort_by_key(|p| home(p));
        handlers.into_iter().map(|p| p.name.clone()).collect()
    }

    fn opened(&mut self, ticket: Ticket, now: Timestamp) -> Vec<Output> {
        if self.tickets.contains_key(&ticket.ticket) {
            return Vec::new();
        }
        let number = ticket.ticket.clone();
        let words = ComplaintTicket::in_words(&number, ticket.text, ticket.time);
        let payload = ComplaintTicket {
            chinese: ticket.language == "zh" || words.chinese,
            manufacturer: ticket.from,
            ..words
        };
        let open = Open::new(payload, String::new(), task_of(&number, 0));
        self.tickets.insert(number.clone(), open);
        let late = self.wake(&number, Due::Reply, now.plus_s(TICKET_LONGEST_S));
        let mut outputs = vec![late];
        outputs.extend(self.give(&number, now));
        outputs
    }

    fn wake(&mut self, number: &str, due: Due, at: Timestamp) -> Output {
        let token = self.context.token();
        self.due.insert(token, (number.to_owned(), due));
        Output::Wake { token, at }
    }

    /// Gives a ticket to the first complaint agent that has not declined it.
    fn give(&mut self, number: &str, now: Timestamp) -> Vec<Output> {
        let Some(open) = self.tickets.get(number) else {
            return Vec::new();
        };
        let handlers = self.handlers(&open.payload.manufacturer);
        let next = handlers
            .into_iter()
            .find(|name| !open.declined.contains(name));
        let Some(to) = next else {
            return self.apologise(number);
        };
        let expected = format!(
            "An answer for the customer in {}, and where the cause lies",
            if open.payload.chinese {
                "Chinese"
            } else {
                "English"
            }
        );
        let content = Content::new(
            number,
            "Find out what is behind this complaint and answer it",
        )
        .with_payload(open.payload.to_payload())
        .expecting(expected);
        let task = task_of(number, open.declined.len());
        let mut message = Message::new(to.clone(), Verb::TaskAssign, task.clone(), content);
        message.conditions = Conditions {
            deadline: Some(now.plus_s(TICKET_LONGEST_S)),
            ..Conditions::default()
        };
        if let Some(open) = self.tickets.get_mut(number) {
            (open.to, open.task) = (to, task);
        }
        let token = self.context.token();
        self.sent.insert(token, number.to_owned());
        vec![Output::Send { token, message }]
    }

    fn replied(
        &mut self,
        token: Token,
        reply: &Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(number) = self.sent.remove(&token) else {
            return Vec::new();
        };
        match reply {
            // Its task is there, from before a restart: news of it say how it stands, and may have come.
            Err(refused) if refused.tag == EXISTS => {
                let waits = |of: &Open| of.stage == Stage::Given;
                self.tickets
                    .retain(|of, open| *of != number || !waits(open));
                Vec::new()
            }
            Err(_) => self.declined(&number, now),
            Ok(reply) => match reply.verdict {
                Verdict::Refused => self.declined(&number, now),
                Verdict::InputRequired => match reply.content.first() {
                    Some(question) => self.ask(&number, &question.task_description, now),
                    None => self.declined(&number, now),
                },
                _ => Vec::new(),
            },
        }
    }

    /// Somebody does not take a ticket: the next one.
    fn declined(&mut self, number: &str, now: Timestamp) -> Vec<Output> {
        let Some(open) = self.tickets.get_mut(number) else {
            return Vec::new();
        };
        if open.stage == Stage::Replied {
            return Vec::new();
        }
        if open.taken_up {
            return self.apologise(number);
        }
        open.declined.push(open.to.clone());
        open.stage = Stage::Given;
        self.give(number, now)
    }

    fn notified(&mut self, told: &Notification, now: Timestamp) -> Vec<Output> {
        let Some(number) = self.ticket_of(told) else {
            return Vec::new();
        };
        match (told.status, told.awaits) {
            (_, Some(Awaits::Judgement)) => self.judge(&number, told, now),
            (_, Some(Awaits::Answer)) => self.ask(&number, &told.content.task_description, now),
            // It was accepted, and the customer was told in the same step, restarts or not.
            (Status::Finished, _) if told.previous == Some(Status::InputRequired) => {
                self.is_replied(&number)
            }
            (Status::Finished, _) => match TicketResult::in_content(&told.content) {
                Some(result) => self.reply(&number, result.answer),
                None => self.apologise(&number),
            },
            (status, _) if status.is_terminal() => self.declined(&number, now),
            _ => Vec::new(),
        }
    }

    /// The ticket of a task; one from before a restart is taken up again as its news tell it.
    fn ticket_of(&mut self, told: &Notification) -> Option<String> {
        let name = told.task.as_str().strip_prefix(PREFIX)?;
        let unnumbered = name.rsplit_once('/').map_or(name, |(ticket, _)| ticket);
        let is_its = |open: &Open| open.task == told.task;
        let mut known = [name, unnumbered].into_iter();
        if let Some(number) = known.find(|n| self.tickets.get(*n).is_some_and(is_its)) {
            return Some(number.to_owned());
        }
        let number = name.split_once('/').map_or(name, |(number, _)| number);
        if self.tickets.contains_key(number) {
            // An earlier assignment of a ticket that somebody else has now.
            return None;
        }
        let text = told.content.task_description.clone();
        let payload = ComplaintTicket::in_words(number, text, told.start_time);
        let open = Open {
            taken_up: true,
            ..Open::new(payload, told.from.clone(), told.task.clone())
        };
        self.tickets.insert(number.to_owned(), open);
        Some(number.to_owned())
    }

    /// A question goes to the customer.
    fn ask(&mut self, number: &str, question: &str, now: Timestamp) -> Vec<Output> {
        let Some(open) = self.tickets.get_mut(number) else {
            return Vec::new();
        };
        // The reply to the assignment and the news of it say the same.
        if open.stage != Stage::Given {
            return Vec::new();
        }
        open.questions += 1;
        open.stage = Stage::Asked(open.questions);
        let due = Due::Answer(open.questions);
        let tell = self.tell(number, question.to_owned(), true);
        let wake = self.wake(number, due, now.plus_s(ANSWER_LONGEST_S));
        vec![tell, wake]
    }

    fn tell(&mut self, number: &str, text: String, question: bool) -> Output {
        Output::Act {
            token: self.context.token(),
            action: Action::TellCustomer {
                ticket: number.to_owned(),
                text,
                question,
            },
        }
    }

    /// The customer has answered: on it goes.
    fn answered(&mut self, number: &str, text: &str) -> Vec<Output> {
        let Some(open) = self.tickets.get_mut(number) else {
            return Vec::new();
        };
        if !matches!(open.stage, Stage::Asked(_)) {
            return Vec::new();
        }
        let answer = [open.payload.answer.as_str(), text].join("\n");
        open.payload.answer = answer.trim().to_owned();
        self.pass_on(number, text)
    }

    /// Passes on what the customer said, or did not say, as the answer to the question.
    fn pass_on(&mut self, number: &str, words: &str) -> Vec<Output> {
        let Some(open) = self.tickets.get_mut(number) else {
            return Vec::new();
        };
        open.stage = Stage::Given;
        let mut content = Content::new(number, words).in_reply_to(Awaits::Answer);
        if !open.taken_up {
            content = content.with_payload(open.payload.to_payload());
        }
        let (to, task) = (open.to.clone(), open.task.clone());
        let token = self.context.token();
        let message = Message::new(to, Verb::FulfillmentNegotiate, task, content);
        vec![Output::Send { token, message }]
    }

    fn woken(&mut self, token: Token) -> Vec<Output> {
        let Some((number, due)) = self.due.remove(&token) else {
            return Vec::new();
        };
        let Some(open) = self.tickets.get_mut(&number) else {
            return Vec::new();
        };
        match (due, open.stage) {
            (Due::Answer(asked), Stage::Asked(question)) if asked == question => {
                open.payload.unanswered = true;
                self.pass_on(&number, "The customer has not answered.")
            }
            (Due::Reply, Stage::Given | Stage::Asked(_)) => {
                let content = Content::new(number.as_str(), "The customer cannot wait longer");
                let (to, task) = (open.to.clone(), open.task.clone());
                let cancel = Message::new(to, Verb::TaskCancel, task, content);
                let token = self.context.token();
                let mut outputs = self.apologise(&number);
                outputs.push(Output::Send {
                    token,
                    message: cancel,
                });
                outputs
            }
            _ => Vec::new(),
        }
    }

    /// A result is accepted, and told, if it answers the ticket in the customer's language; one that
    /// does not is sent back once.
    fn judge(&mut self, number: &str, told: &Notification, now: Timestamp) -> Vec<Output> {
        let Some(open) = self.tickets.get_mut(number) else {
            return Vec::new();
        };
        let result = TicketResult::in_content(&told.content);
        if let Some(result) = result.as_ref().filter(|_| open.taken_up) {
            open.payload.chinese = result.chinese;
        }
        let unmet = unmet(&open.payload, result.as_ref());
        let word = match unmet.is_empty() {
            true => "accept".to_owned(),
            false => with_points("reject", &unmet),
        };
        let content = Content::new(number, "Judgement of the answer")
            .with_result(word)
            .in_reply_to(Awaits::Judgement);
        let (to, task) = (open.to.clone(), open.task.clone());
        let token = self.context.token();
        let message = Message::new(to, Verb::FulfillmentNegotiate, task, content);
        let mut outputs = vec![Output::Send { token, message }];
        match result {
            Some(result) if unmet.is_empty() => outputs.extend(self.reply(number, result.answer)),
            _ if open.rejected => outputs.extend(self.declined(number, now)),
            _ => open.rejected = true,
        }
        outputs
    }

    /// The one reply.
    fn reply(&mut self, number: &str, answer: String) -> Vec<Output> {
        let Some(open) = self.tickets.get_mut(number) else {
            return Vec::new();
        };
        if open.stage == Stage::Replied {
            return Vec::new();
        }
        open.stage = Stage::Replied;
        vec![self.tell(number, answer, false)]
    }

    fn is_replied(&mut self, number: &str) -> Vec<Output> {
        if let Some(open) = self.tickets.get_mut(number) {
            open.stage = Stage::Replied;
        }
        Vec::new()
    }

    /// The one reply when nobody could find out.
    fn apologise(&mut self, number: &str) -> Vec<Output> {
        let Some(open) = self.tickets.get(number) else {
            return Vec::new();
        };
        let words = match open.payload.chinese {
            true => "非常抱歉，我们暂时未能查明原因。您的投诉已转交人工处理，同事会与您联系。",
            false => {
                "We are sorry: we could not find out what happened in time. Your complaint is with our people now, who will get in touch with you."
            }
        };
        self.reply(number, words.to_owned())
    }
}

/// The task of a ticket; given to somebody else, it is another task.
fn task_of(number: &str, declined: usize) -> TaskId {
    match declined {
        0 => TaskId::new(format!("{PREFIX}{number}")),
        n => TaskId::new(format!("{PREFIX}{number}/{n}")),
    }
}

/// True if a sender's name holds the name of a province as a word: `Halvern (North)`.
fn names(from: &str, province: &str) -> bool {
    let mut words = from.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word.eq_ignore_ascii_case(province))
}

/// The part that a result lacks.
fn unmet(ticket: &ComplaintTicket, result: Option<&TicketResult>) -> Vec<String> {
    let Some(result) = result else {
        return vec!["the result is no complaint_ticket_result_v1".to_owned()];
    };
    let checks = [
        (
            result.ticket_id != ticket.ticket_id,
            "it is about another ticket",
        ),
        (
            result.answer.trim().is_empty(),
            "it has no answer for the customer",
        ),
        (
            is_chinese(&result.answer) != ticket.chinese,
            "the answer is in another language",
        ),
    ];
    let unmet = checks.into_iter().filter(|(lacks, _)| *lacks);
    unmet.map(|(_, what)| what.to_owned()).collect()
}

#[cfg(test)]
mod tests;
