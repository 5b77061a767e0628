//! The complaint agent of one province: parse, ask back, check, localise, answer.
//!
//! ```text
//! words ──► account ──► what is missing? ──► question (twice at most)
//!                └────► mobile check ──► here?  ──► transport check ──► finding ──► one answer
//!                                   └──► gone elsewhere ──► the other province's agent ──┘
//! ```
//! The sub-tickets are tasks under the ticket's own; they have deadlines, and what is not answered
//! is left out and said so. A ticket that another province passed on is not passed on again. Who
//! answers for which province stands in the profiles; refuses to know anybody by name.
//! Read next: [`reader`], [`finding`], [`phrases`].

mod case;
pub mod finding;
pub mod phrases;
pub mod reader;

use crate::answers::{accepted_if, why_not};
use crate::context::{AgentContext, TaskExecutor};
use crate::payloads::complaint::{ComplaintTicket, ServiceComplaint, TicketResult};
use crate::payloads::quality::{Quality, QualityResult};
use crate::payloads::{Schema, UnreadablePayload};
use crate::quality::checkers;
use case::{Case, Form, Part, Which};
use domain::agent::{Ask, Briefing, Input, Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::inventory::Domain;
use domain::notification::Notification;
use domain::profile::{Layer, Profile};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Status, Task, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use reader::{ComplaintReader, PlainReader};
use schema::semantics::ParseFailure;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The time that a check, and another province, may take, in seconds.
const CHECK_LONGEST_S: f64 = 600.0;
const FORWARD_LONGEST_S: f64 = 3_600.0;
/// So many questions are asked at most.
const QUESTIONS_MAX: u32 = 2;

/// The complaint agent with the reader that needs no model.
pub type Complaints = ComplaintAgent<PlainReader>;

/// The message sent, and for whom.
#[derive(Clone, Debug)]
struct Sent {
    case: TaskId,
    which: Which,
    /// True if it asked how the part is, false if it assigned it.
    query: bool,
}

/// The complaint agent of one province.
#[derive(Debug)]
pub struct ComplaintAgent<R> {
    context: AgentContext,
    reader: R,
    cases: BTreeMap<TaskId, Case>,
    sent: BTreeMap<Token, Sent>,
    deadlines: BTreeMap<Token, (TaskId, Which)>,
}

impl<R: ComplaintReader + Default> TaskExecutor for ComplaintAgent<R> {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut agent = Self {
            context: AgentContext::open(&briefing, now),
            reader: R::default(),
            cases: BTreeMap::new(),
            sent: BTreeMap::new(),
            deadlines: BTreeMap::new(),
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| agent.resume(task, now)).collect();
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Notified(told) => self.notified(&told, now),
            Input::Replied { token, reply } => self.replied(token, reply, now),
            Input::Woken(token) => self.woken(token),
            Input::Joined(_) | Input::Left(_) => {
                self.context.roster_changed(input);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content, Timestamp::default()))
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let id = &ask.task.id;
        let (ticket, form) = match self.understand(&ask.content, now) {
            Ok(understood) => understood,
            Err(reply) => return (reply, Vec::new()),
        };
        let mut case = match self.cases.remove(id) {
            Some(mut known) => match self.told_more(&mut known, ticket, ask, now) {
                Ok(()) => known,
                Err(_) => {
                    let again = asked_again(&known);
                    self.cases.insert(id.clone(), known);
                    return (Reply::new(Verdict::InputRequired, vec![again]), Vec::new());
                }
            },
            None => match self.opened(ticket, form) {
                Ok(case) => case,
                Err(unread) => return (not_read(&ask.content, &unread), Vec::new()),
            },
        };
        match self.question(&mut case) {
            Some(question) => {
                self.cases.insert(id.clone(), case);
                let reply = Reply::new(Verdict::InputRequired, vec![question]);
                (reply, Vec::new())
            }
            None => (Reply::accepted(), self.investigate(id.clone(), case, now)),
        }
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.cases.remove(task);
        self.sent.retain(|_, sent| sent.case != *task);
        self.deadlines.retain(|_, (case, _)| case != task);
        Vec::new()
    }

    fn rejected(&mut self, ask: &Ask, _: Timestamp) -> Vec<Output> {
        self.cases.remove(&ask.task.id);
        let words = "All that could be found out about this ticket has been said";
        let content = Content::new(ask.task.content.target_object.as_str(), words);
        vec![Output::report(&ask.task.id, Progress::Failed(content))]
    }
}

/// The agent of the roster that takes complaints of a province, other than the one that asks.
pub fn complaint_agent<'a>(context: &'a AgentContext, province: &str) -> Option<&'a Arc<Profile>> {
    let fits = |p: &&Arc<Profile>| {
        p.name != context.own.name
            && p.layer == Layer::Service
            && p.province.as_deref() == Some(province)
            && p.schemas().any(|s| s == ComplaintTicket::ID)
    };
    context.roster.iter().find(fits)
}

impl<R: ComplaintReader> ComplaintAgent<R> {
    fn province(&self) -> Option<&str> {
        self.context.own.province.as_deref()
    }

    fn understand(
        &self,
        content: &Content,
        now: Timestamp,
    ) -> Result<(ComplaintTicket, Form), Reply> {
        let target = &content.target_object;
        let unreadable = |e: UnreadablePayload| e.reply(target);
        let Some(payload) = &content.payload else {
            // As a person at the command line writes it.
            let words = content.task_description.clone();
            let ticket = ComplaintTicket::in_words(target, words, now);
            return Ok((ticket, Form::Ticket));
        };
        match payload.schema_id.as_str() {
            ComplaintTicket::ID => {
                let ticket = ComplaintTicket::from_payload(payload).map_err(unreadable)?;
                Ok((ticket, Form::Ticket))
            }
            ServiceComplaint::ID => {
                let complaint = ServiceComplaint::from_payload(payload).map_err(unreadable)?;
                let ticket = case::ticket_of(&complaint, content, now);
                Ok((ticket, Form::Complaint(Box::new(complaint))))
            }
            _ => Err(unreadable(UnreadablePayload::other_schema(
                payload,
                self.context.own.schemas(),
            ))),
        }
    }

    /// A case as its ticket tells it.
    fn opened(&self, ticket: ComplaintTicket, form: Form) -> Result<Case, ParseFailure> {
        let inventory = &self.context.inventory;
        let mut account = self
            .reader
            .read(inventory, &ticket.text, ticket.received_at)?;
        if let Form::Complaint(complaint) = &form {
            case::take_over(&mut account, complaint, ticket.received_at);
        }
        if !ticket.answer.is_empty() {
            let later = self
                .reader
                .read(inventory, &ticket.answer, ticket.received_at)?;
            account = account.completed_by(later);
        }
        Ok(Case::new(ticket, form, account))
    }

    /// The publisher of a case has answered a question; an answer that is not read changes nothing.
    fn told_more(
        &self,
        case: &mut Case,
        ticket: ComplaintTicket,
        ask: &Ask,
        now: Timestamp,
    ) -> Result<(), ParseFailure> {
        let asked = &ask.task.content.task_description;
        let words = match ticket.answer.is_empty() || ticket.answer == case.ticket.answer {
            // Answered without a payload: the words follow those of the assignment.
            true => ask.content.task_description.replacen(asked.as_str(), "", 1),
            false => ticket.answer.replacen(case.ticket.answer.as_str(), "", 1),
        };
        let later = self.reader.read(&self.context.inventory, &words, now)?;
        case.account = std::mem::take(&mut case.account).completed_by(later);
        case.unanswered = ticket.unanswered;
        case.ticket.answer = [case.ticket.answer.as_str(), words.trim()]
            .join("\n")
            .trim()
            .to_owned();
        Ok(())
    }

    /// The question that has to be asked first; counts the question.
    fn question(&self, case: &mut Case) -> Option<Content> {
        let asks = case.questions < QUESTIONS_MAX
            && !case.unanswered
            && case.ticket.forwarded_from.is_none();
        let missing = case.missing();
        let vital = missing.vital(case.questions);
        if !asks || !vital {
            return None;
        }
        case.questions += 1;
        let words = phrases::question(&missing, case.ticket.chinese);
        Some(Content::new(case.ticket.ticket_id.as_str(), words))
    }

    /// Goes on with a task from before a restart: what was asked of others is asked again under the
    /// same identifiers, and so is the same task.
    fn resume(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        let Ok((ticket, form)) = self.understand(&task.content, task.created_at) else {
            return Vec::new();
        };
        let mut case = match self.opened(ticket, form) {
            Ok(case) => case,
            Err(unread) => {
                let content = Content::new(task.content.target_object.as_str(), unread.reason);
                return vec![Output::report(&task.id, Progress::Failed(content))];
            }
        };
        match task.awaits {
            Some(Awaits::Answer) => {
                case.questions = 1;
                self.cases.insert(task.id.clone(), case);
                Vec::new()
            }
            Some(_) => Vec::new(),
            None => self.investigate(task.id.clone(), case, now),
        }
    }

    /// Begins to find out, unless the words say enough.
    fn investigate(&mut self, id: TaskId, mut case: Case, now: Timestamp) -> Vec<Output> {
        if !case.can_be_checked() {
            return self.conclude(id, case, now);
        }
        let province = self.province().map(str::to_owned);
        let to = checkers(&self.context, Domain::Wireless, province.as_deref());
        let check = case.check(now, self.own_place(&case));
        let outputs = self.give(&id, &mut case, Which::Mobile, to, &check, now);
        self.go_on(id, case, outputs, now)
    }

    /// The town of a case, if it lies in the agent's own province.
    fn own_place(&self, case: &Case) -> Option<String> {
        let town = case.account.place.as_ref()?;
        let province = self
            .context
            .inventory
            .provinces
            .get(town)
            .map(String::as_str);
        (province.is_none() || province == self.province()).then(|| town.clone())
    }

    /// Assigns a part to somebody; without anybody it is silent at once.
    fn give<S: Schema>(
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

    /// Takes the next step, once nothing is awaited.
    fn go_on(
        &mut self,
        id: TaskId,
        mut case: Case,
        mut outputs: Vec<Output>,
        now: Timestamp,
    ) -> Vec<Output> {
        loop {
            if case.is_waiting() {
                self.cases.insert(id, case);
                return outputs;
            }
            if let Some(province) = self.elsewhere(&case) {
                outputs.extend(self.forward(&id, &mut case, &province, now));
            } else if matches!(case.transport, Part::NotAsked) && case.forward_is_idle() {
                let province = self.province().map(str::to_owned);
                let to = checkers(&self.context, Domain::Ip, province.as_deref());
                let check = case.check_of_transport(now, self.own_place(&case));
                outputs.extend(self.give(&id, &mut case, Which::Transport, to, &check, now));
            } else {
                outputs.extend(self.conclude(id, case, now));
                return outputs;
            }
        }
    }

    /// The province where it happened, if that is another one and has not been asked.
    fn elsewhere(&self, case: &Case) -> Option<String> {
        let own = self.province()?;
        if case.ticket.forwarded_from.is_some() || !case.forward_is_idle() {
            return None;
        }
        let there = case
            .said_by_mobile()
            .and_then(|mobile| match &mobile.left_to {
                Some(left) if !mobile.present => Some(left.province.clone()),
                _ => None,
            });
        let here = case
            .said_by_mobile()
            .is_some_and(|m| m.present || m.element.is_some());
        let town = case.account.place.as_ref().filter(|_| !here);
        let told = town.and_then(|town| self.context.inventory.provinces.get(town).cloned());
        let found = there.or(told).or_else(|| self.perhaps_at(case));
        found.filter(|province| province != own)
    }

    /// A vehicle that was not seen here, of which nobody knows where it was: another province may.
    fn perhaps_at(&self, case: &Case) -> Option<String> {
        let unseen = case
            .said_by_mobile()
            .is_some_and(|m| m.quality == Quality::NoData && !m.present);
        let searched = case.account.vehicle.is_some() && case.account.place.is_none();
        let others = self.context.inventory.provinces.values();
        let asked = others.filter(|p| complaint_agent(&self.context, p).is_some());
        asked.min().filter(|_| unseen && searched).cloned()
    }

    fn forward(
        &mut self,
        id: &TaskId,
        case: &mut Case,
        province: &str,
        now: Timestamp,
    ) -> Vec<Output> {
        case.forwarded_to = Some(province.to_owned());
        let to = complaint_agent(&self.context, province).map(|p| p.name.clone());
        let ticket = ComplaintTicket {
            forwarded_from: self.province().map(str::to_owned),
            unanswered: false,
            ..case.ticket.clone()
        };
        let mut outputs = vec![Output::Note(format!(
            "Ticket {}: it happened in {province}, and goes there",
            case.ticket.ticket_id
        ))];
        outputs.extend(self.give(id, case, Which::Forward, to, &ticket, now));
        outputs
    }

    /// One answer.
    fn conclude(&mut self, id: TaskId, case: Case, now: Timestamp) -> Vec<Output> {
        let result = finding::result(&case, now);
        let ticket = result.ticket_id.clone();
        let words = format!("Ticket {ticket}: {}", result.boundary.as_str());
        let content = Content::new(ticket.as_str(), "What became of the complaint")
            .with_payload(case.form.payload(result))
            .with_result(words);
        self.deadlines.retain(|_, (case, _)| *case != id);
        vec![Output::report(&id, Progress::Result(content))]
    }

    fn notified(&mut self, told: &Notification, now: Timestamp) -> Vec<Output> {
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

    fn replied(
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
    fn woken(&mut self, token: Token) -> Vec<Output> {
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

/// The refusal of words that are not read.
fn not_read(content: &Content, unread: &ParseFailure) -> Reply {
    let words = format!("{}; say it shorter", unread.reason);
    Reply::refused("too-big", &content.target_object, words)
}

/// The question of a case once more, for its answer was not read.
fn asked_again(case: &Case) -> Content {
    let words = phrases::asked_again(&case.missing(), case.ticket.chinese);
    Content::new(case.ticket.ticket_id.as_str(), words)
}

#[cfg(test)]
pub(crate) mod office;
#[cfg(test)]
mod tests;
