//! The trouble-ticket system (draft §2.1, step 6): tickets shaped after TMF621, and who works on
//! them.
//!
//! It stands between whoever wants a repair and the copilot of the field force. A `fault_repair_v1`
//! becomes a ticket and a sub-task of the same content at the copilot; decisions, plans, questions
//! and news are passed through, and each state of the ticket is told as `trouble_ticket_result_v1`
//! with them. What the copilot reports done is *resolved*; its publisher, who verifies service, has
//! it *closed* or has it worked again, once. Two tickets about one element are one job: the second
//! is *held* behind the first, unless its publisher demands to agree on how it is done.
//! `trouble_ticket_v1` keeps a ticket that people work on (escalations), or changes one that is
//! kept; in words one can ask for tickets by number, by element, or for all that are open.
//!
//! Tickets live in memory, and each that is open is an open task: after a restart they are made
//! again from those. Refuses to know how anything is repaired. Read next: [`record`], `repair`, and
//! `part` for the sub-tasks.

mod part;
pub mod record;
mod repair;

use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::element_names;
use crate::oss_fault::news::News;
use crate::payloads::repair::Repair;
use crate::payloads::ticket::{
    TicketKind, TicketOrder, TicketRelationship, TicketStatus, TroubleTicket,
};
use crate::payloads::{Schema, UnreadablePayload};
use crate::topology::Topology;
use domain::agent::{Ask, Briefing, Input, Message, Output, Progress};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Task, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use repair::Work;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most tickets kept that are over.
const OVER_KEPT_MAX: usize = 500;
/// The most tickets named in an answer.
const LISTED_MAX: usize = 20;

/// The trouble-ticket system.
#[derive(Debug)]
pub struct TroubleTickets {
    context: AgentContext,
    topology: Arc<Topology>,
    /// Every ticket, by its number.
    tickets: BTreeMap<String, TroubleTicket>,
    /// Repairs under way, by the task of whoever wants them.
    works: BTreeMap<TaskId, Work>,
    /// Tickets that people work on, by the task of whoever opened them.
    orders: BTreeMap<TaskId, String>,
    sent: BTreeMap<Token, (Purpose, Message)>,
}

impl TaskExecutor for TroubleTickets {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut system = Self {
            context: AgentContext::open(&briefing, now),
            topology: Topology::of(&briefing.inventory),
            tickets: BTreeMap::new(),
            works: BTreeMap::new(),
            orders: BTreeMap::new(),
            sent: BTreeMap::new(),
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| system.resume(task, now)).collect();
        (system, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Notified(news) => self.part_told(&News::from(news.as_ref()), now),
            Input::Replied { token, reply } => self.replied(token, reply, now),
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content))
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        match self.understand(&ask.content) {
            Ok(Wanted::Repair(repair)) => self.take_on(&ask.task, *repair, now),
            Ok(Wanted::Order(order)) if order.ticket_id.is_some() => self.change(&order, now),
            Ok(Wanted::Order(order)) => self.keep(&ask.task, &order, now),
            Ok(Wanted::Word) => (self.say(&ask.content), Vec::new()),
            Err(reply) => (reply, Vec::new()),
        }
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        match self.orders.remove(task) {
            Some(number) => {
                self.over(&number, TicketStatus::Cancelled, "withdrawn by its sender");
                Vec::new()
            }
            None => self.work_ended(task),
        }
    }

    fn rejected(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        self.work_rejected(ask, now)
    }

    fn decided(&mut self, ask: &Ask, agreed: bool, now: Timestamp) -> Vec<Output> {
        self.work_decided(ask, agreed, now)
    }

    fn planned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        self.work_planned(ask)
    }
}

/// The purpose of a message.
#[derive(Clone, Debug)]
enum Purpose {
    /// Giving a repair to a copilot.
    Part(TaskId),
    /// Asking how a part is.
    State,
    /// Passing a plan on: its answer is the publisher's.
    Plan(TaskId),
    /// A judgement, a decision or a cancellation: nothing depends on its reply.
    Word,
}

/// The request in a content.
enum Wanted {
    Repair(Box<Repair>),
    Order(Box<TicketOrder>),
    Word,
}

impl TroubleTickets {
    fn understand(&self, content: &Content) -> Result<Wanted, Reply> {
        let unreadable = |e: UnreadablePayload| e.reply(&content.target_object);
        let Some(payload) = &content.payload else {
            return Ok(Wanted::Word);
        };
        match payload.schema_id.as_str() {
            Repair::ID => {
                let repair = Repair::from_payload(payload).map_err(unreadable)?;
                self.known(&repair)?;
                Ok(Wanted::Repair(Box::new(repair)))
            }
            TicketOrder::ID => {
                let order = TicketOrder::from_payload(payload).map_err(unreadable)?;
                Ok(Wanted::Order(Box::new(order)))
            }
            _ => Err(unreadable(UnreadablePayload::other_schema(
                payload,
                self.context.own.schemas(),
            ))),
        }
    }

    fn known(&self, repair: &Repair) -> Result<(), Reply> {
        let words = match self.context.inventory.element(&repair.element) {
            None => format!("the inventory has no element {}", repair.element),
            Some(_) if self.workers().next().is_none() => {
                let words = "no copilot of the field force is registered";
                return Err(Reply::refused("no-agent", "", words));
            }
            Some(_) => return Ok(()),
        };
        Err(Reply::refused("unknown-element", "element", words))
    }

    /// Goes on with a task from before a restart.
    fn resume(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        match self.understand(&task.content) {
            Ok(Wanted::Repair(repair)) => self.resume_work(task, *repair, now),
            Ok(Wanted::Order(order)) if order.ticket_id.is_none() => self.keep(task, &order, now).1,
            Ok(_) | Err(_) if task.awaits == Some(Awaits::Answer) => Vec::new(),
            Ok(_) => {
                let words = "The ticket system was restarted; ask again";
                let failed = Progress::Failed(Content::new(task.id.as_str(), words));
                vec![Output::report(&task.id, failed)]
            }
            Err(reply) => Output::of_reply(&task.id, &task.content.target_object, reply)
                .into_iter()
                .collect(),
        }
    }

    /// Keeps a ticket that people work on; the task is open as long as the ticket is.
    fn keep(&mut self, task: &Task, order: &TicketOrder, now: Timestamp) -> (Reply, Vec<Output>) {
        let mut ticket = TroubleTicket {
            ticket_id: format!("TT-{}", task.id),
            external_id: order.external_id.clone(),
            kind: order.kind,
            name: order.name.clone(),
            severity: order.severity,
            status: TicketStatus::Acknowledged,
            reason: "taken down".to_owned(),
            created_at: task.created_at,
            changed_at: now,
            related: order.related.clone(),
            parties: std::iter::once(task.from.clone())
                .chain(order.parties.iter().cloned())
                .collect(),
            notes: order.notes.clone(),
            beside: self.beside(&order.related.suspected, &task.id),
        };
        let waits = "people are asked to look at it";
        let pending = ticket.change(TicketStatus::Pending, waits, now);
        debug_assert!(pending.is_ok(), "a new ticket may wait");
        let mut outputs = vec![Output::Note(ticket.describe())];
        outputs.push(ticket_report(&task.id, &ticket, 10));
        self.orders
            .insert(task.id.clone(), ticket.ticket_id.clone());
        self.put(ticket);
        (Reply::accepted(), outputs)
    }

    /// Changes a ticket that is kept. One that people have worked to its end is the result of the
    /// task that opened it.
    fn change(&mut self, order: &TicketOrder, now: Timestamp) -> (Reply, Vec<Output>) {
        let number = order.ticket_id.clone().unwrap_or_default();
        let refused =
            |reason, path, words: String| (Reply::refused(reason, path, words), Vec::new());
        let Some(ticket) = self.tickets.get_mut(&number) else {
            let words = format!("there is no ticket {number}");
            return refused("unknown-ticket", "ticket_id", words);
        };
        if ticket.kind == TicketKind::Repair && order.status.is_some() {
            let words = "the state of a repair follows from the work; cancel or judge its task";
            return refused("not-by-hand", "status", words.to_owned());
        }
        for note in &order.notes {
            ticket.note(now, note);
        }
        if let Some(status) = order.status
            && let Err(wrong) = follow(ticket, status, &order.reason, now)
        {
            return refused("out-of-turn", "status", wrong.to_string());
        }
        let ticket = ticket.clone();
        let over = matches!(
            ticket.status,
            TicketStatus::Resolved | TicketStatus::Closed | TicketStatus::Cancelled
        );
        let opened_by = self.orders.iter().find(|(_, n)| **n == number);
        let opened_by = opened_by.map(|(task, _)| task.clone());
        let outputs = opened_by.map(|task| match over {
            true => {
                self.orders.remove(&task);
                let content = ticket_content(&ticket).with_result(ticket.describe());
                Output::report(&task, Progress::Result(content))
            }
            false => ticket_report(&task, &ticket, 50),
        });
        let answer = ticket_content(&ticket).with_result(ticket.describe());
        let reply = Reply::new(Verdict::Result, vec![answer]);
        (reply, outputs.into_iter().collect())
    }

    /// An answer in words: the tickets that the question names, or else all that are open.
    fn say(&self, content: &Content) -> Reply {
        let text = format!("{} {}", content.target_object, content.task_description);
        let text = element_names::beginning(&text);
        let named = self
            .tickets
            .values()
            .filter(|t| text.contains(&t.ticket_id));
        let mut found: Vec<&TroubleTicket> = named.collect();
        if found.is_empty() {
            let elements = element_names::read(self.topology.names(), content).elements;
            let about = |t: &&TroubleTicket| {
                let touched = t.related.suspected.iter().chain(&t.related.affected);
                touched.into_iter().any(|e| elements.contains(e))
            };
            found.extend(self.tickets.values().filter(about));
            if found.is_empty() && elements.is_empty() {
                found.extend(self.tickets.values().filter(|t| !t.status.is_over()));
            }
        }
        let lines: Vec<String> = found
            .iter()
            .take(LISTED_MAX)
            .map(|t| t.describe())
            .collect();
        let words = match (found.len(), lines.len()) {
            (0, _) => "There is no such ticket".to_owned(),
            (all, listed) if all > listed => {
                format!("{}\nand {} more", lines.join("\n"), all - listed)
            }
            _ => lines.join("\n"),
        };
        let answer = Content::new(content.target_object.as_str(), "Trouble tickets");
        let answer = match found.first() {
            Some(ticket) => answer.with_payload(ticket.to_payload()),
            None => answer,
        };
        Reply::new(Verdict::Result, vec![answer.with_result(words)])
    }

    /// The open tickets about any of these elements.
    fn beside(&self, elements: &[ElementId], own: &TaskId) -> BTreeSet<TicketRelationship> {
        let own = format!("TT-{own}");
        let near = |t: &&TroubleTicket| {
            !t.status.is_over()
                && t.ticket_id != own
                && t.related.suspected.iter().any(|e| elements.contains(e))
        };
        let tickets = self.tickets.values().filter(near);
        let numbers = tickets.map(|t| t.ticket_id.clone());
        numbers
            .map(|ticket_id| TicketRelationship { ticket_id })
            .collect()
    }

    fn put(&mut self, ticket: TroubleTicket) {
        self.tickets.insert(ticket.ticket_id.clone(), ticket);
        let over = self.tickets.values().filter(|t| t.status.is_over());
        if over.clone().count() > OVER_KEPT_MAX {
            let oldest = over.min_by_key(|t| (t.changed_at, t.ticket_id.clone()));
            let oldest = oldest.map(|t| t.ticket_id.clone());
            oldest.and_then(|number| self.tickets.remove(&number));
        }
    }

    /// Ends a ticket at the instant of its last change: whoever ends a task is told no time.
    fn over(&mut self, number: &str, status: TicketStatus, why: &str) {
        if let Some(ticket) = self.tickets.get_mut(number) {
            let at = ticket.changed_at;
            // A ticket that is over already stays as it is.
            let _ = ticket.change(status, why, at);
        }
    }
}

/// Takes a state on, through *resolved* if the sender skips it.
fn follow(
    ticket: &mut TroubleTicket,
    to: TicketStatus,
    reason: &str,
    now: Timestamp,
) -> Result<(), record::InvalidTransition> {
    if to == TicketStatus::Closed && ticket.status != TicketStatus::Resolved {
        ticket.change(TicketStatus::Resolved, reason, now)?;
    }
    ticket.change(to, reason, now)
}

/// A ticket as content.
fn ticket_content(ticket: &TroubleTicket) -> Content {
    Content::new(ticket.ticket_id.as_str(), ticket.describe()).with_payload(ticket.to_payload())
}

/// News of a task: how its ticket stands.
fn ticket_report(task: &TaskId, ticket: &TroubleTicket, percent: u8) -> Output {
    let content = ticket_content(ticket);
    Output::report(task, Progress::Working { percent, content })
}

#[cfg(test)]
mod tests;
