//! The complaint agent of one province: parse, ask back, check, localise, answer.
//!
//! ```text
//! words ──► account ──► what is missing? ──► question (twice at most)
//!                └────► mobile check ──► here?  ──► transport check ──► finding ──► one answer
//!                                   └──► gone elsewhere ──► the other province's agent ──┘
//! ```
//! The sub-tickets (`sub_tickets`) have deadlines, and what is not answered is left out and said so.
//! A ticket that another province passed on is not passed on again. Who
//! answers for which province stands in the profiles; refuses to know anybody by name.
//! Read next: [`reader`], [`finding`], [`phrases`], and `result`, which brings these two together.

mod case;
pub mod finding;
pub mod phrases;
pub mod reader;
mod result;
mod sub_tickets;

use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::payloads::complaint::{ComplaintTicket, ServiceComplaint};
use crate::payloads::quality::Quality;
use crate::payloads::{Schema, UnreadablePayload};
use crate::quality::checkers;
use case::{Case, Form, Part, Which};
use domain::agent::{Ask, Briefing, Input, Output, Progress};
use domain::content::Content;
use domain::inventory::Domain;
use domain::profile::{Layer, Profile};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Task, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use reader::{ComplaintReader, PlainReader};
use schema::semantics::ParseFailure;
use std::collections::BTreeMap;
use std::sync::Arc;
use sub_tickets::Sent;

/// So many questions are asked at most.
const QUESTIONS_MAX: u32 = 2;

/// The complaint agent with the reader that needs no model.
pub type Complaints = ComplaintAgent<PlainReader>;

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
        let result = result::result(&case, now);
        let ticket = result.ticket_id.clone();
        let words = format!("Ticket {ticket}: {}", result.boundary.as_str());
        let content = Content::new(ticket.as_str(), "What became of the complaint")
            .with_payload(case.form.payload(result))
            .with_result(words);
        self.deadlines.retain(|_, (case, _)| *case != id);
        vec![Output::report(&id, Progress::Result(content))]
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
mod tests;
