//! Tickets that the field force works on: one sub-task at its copilot per visit.
//!
//! ```text
//! held ─► given ─► deciding ─► given ─► resolved ─► (judged by the publisher) closed
//!           ▲                               │ rejected, once
//!           └───────────────────────────────┘
//! ```
//!
//! Whether service is back is judged by the publisher of the ticket's task; a rejection is another visit,
//! under another sub-task. Identifiers of sub-tasks follow from the ticket's task and the visit, so that after a
//! restart the same is said again and nothing is ordered twice. Read next: `part`, what is said about a sub-task;
//! [`super::record`].

use super::{Purpose, TroubleTickets, ticket_report};
use crate::payloads::Schema;
use crate::payloads::repair::Repair;
use crate::payloads::ticket::{
    RelatedEntities, TicketKind, TicketSeverity, TicketStatus, TroubleTicket,
};
use domain::agent::{Ask, Message, Output, Progress};
use domain::content::Content;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;

/// The most visits to one element for one ticket.
const VISITS_MAX: u32 = 2;

/// A repair under way.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) repair: Repair,
    content: Content,
    fulfillment_demanded: bool,
    /// The ticket's number.
    ticket: String,
    /// The sub-task and its executor; none while it is held.
    pub(super) part: Option<(TaskId, String)>,
    /// The task behind whose ticket it is held.
    pub(super) behind: Option<TaskId>,
    visits: u32,
    /// Copilots that have declined.
    pub(super) declined: Vec<String>,
    pub(super) resolved: bool,
}

impl TroubleTickets {
    /// Those who can work on a repair, in roster order.
    pub(super) fn workers(&self) -> impl Iterator<Item = &str> {
        self.context.colleagues(Repair::ID, Layer::Service, None)
    }

    /// A repair is taken on: given to a copilot, or held behind the ticket about the same element.
    pub(super) fn take_on(
        &mut self,
        task: &Task,
        repair: Repair,
        now: Timestamp,
    ) -> (Reply, Vec<Output>) {
        let demanded = task.conditions.fulfillment_demanded;
        let able = |name: &str| !demanded || self.context.negotiates_fulfillment(name);
        if !self.workers().any(able) {
            let words = "no copilot negotiates how a repair is done: assign it without that";
            return (Reply::refused("no-agent", "", words), Vec::new());
        }
        // Assigned again, with a question answered: the old part is of no use.
        let old = self.works.remove(&task.id).and_then(|work| work.part);
        let mut outputs: Vec<Output> = old.map(|part| self.cancel(part)).into_iter().collect();
        self.open(task, repair, now);
        outputs.extend(self.begin(&task.id, now));
        (Reply::accepted(), outputs)
    }

    fn open(&mut self, task: &Task, repair: Repair, now: Timestamp) {
        let severity = match repair.affected_sites.len() {
            0 => TicketSeverity::Minor,
            1..=9 => TicketSeverity::Major,
            _ => TicketSeverity::Critical,
        };
        let suspected = vec![repair.element.clone()];
        let number = self.number(&repair, task);
        let mut notes = vec![format!("{} {}", task.created_at, repair.proposal)];
        notes.retain(|note| !note.trim().is_empty());
        let ticket = TroubleTicket {
            ticket_id: number.clone(),
            external_id: task.id.to_string(),
            kind: TicketKind::Repair,
            name: format!("{} of {}", repair.cause, repair.element),
            severity,
            status: TicketStatus::Acknowledged,
            reason: "taken down".to_owned(),
            created_at: task.created_at,
            changed_at: now,
            beside: self.beside(&suspected, &task.id),
            related: RelatedEntities {
                suspected,
                affected: repair.affected_sites.clone(),
            },
            parties: vec![task.from.clone()],
            notes,
        };
        self.put(ticket);
        let work = Work {
            repair,
            content: task.content.clone(),
            fulfillment_demanded: task.conditions.fulfillment_demanded,
            ticket: number,
            part: None,
            behind: None,
            visits: 1,
            declined: Vec::new(),
            resolved: false,
        };
        self.works.insert(task.id.clone(), work);
    }

    /// The number that the sender gave, unless another ticket has it.
    fn number(&self, repair: &Repair, task: &Task) -> String {
        let own = |t: &TroubleTicket| t.external_id == task.id.as_str();
        match self.tickets.get(&repair.ticket_id) {
            Some(other) if !own(other) => format!("TT-{}", task.id),
            _ => repair.ticket_id.clone(),
        }
    }

    fn begin(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        match self.twin(task) {
            Some(twin) => self.hold(task, twin, now),
            None => self.give(task, now),
        }
    }

    /// Another task whose repair of the same element is being worked on. Whoever demands to agree
    /// on how it is done cannot be held behind what was agreed with somebody else.
    fn twin(&self, task: &TaskId) -> Option<TaskId> {
        let own = self.works.get(task).filter(|w| !w.fulfillment_demanded)?;
        let element = &own.repair.element;
        let mut others = self.works.iter().filter(|(id, _)| *id != task);
        let same =
            others.find(|(_, w)| w.repair.element == *element && w.behind.is_none() && !w.resolved);
        same.map(|(id, _)| id.clone())
    }

    fn hold(&mut self, task: &TaskId, behind: TaskId, now: Timestamp) -> Vec<Output> {
        let Some(work) = self.works.get_mut(task) else {
            return Vec::new();
        };
        let words = format!(
            "{} is being repaired for task {behind}",
            work.repair.element
        );
        work.behind = Some(behind);
        self.changed(task, TicketStatus::Held, &words, 5, now)
    }

    /// Gives a repair to the next copilot that has not declined it.
    pub(super) fn give(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        let Some(work) = self.works.get(task).cloned() else {
            return Vec::new();
        };
        let able = |name: &&str| {
            !work.declined.iter().any(|d| d == name)
                && (!work.fulfillment_demanded || self.context.negotiates_fulfillment(name))
        };
        let Some(to) = self.workers().find(able).map(str::to_owned) else {
            return self.fail(task, "every copilot of the field force has declined", now);
        };
        let part = TaskId::new(format!(
            "{}-for-{task}-{}",
            self.context.alias(),
            work.visits + work.declined.len() as u32
        ));
        if let Some(work) = self.works.get_mut(task) {
            work.part = Some((part.clone(), to.clone()));
            work.behind = None;
        }
        let words = format!("given to {to}");
        let mut outputs = self.changed(task, TicketStatus::InProgress, &words, 5, now);
        let repair = Repair {
            ticket_id: work.ticket.clone(),
            ..work.repair
        };
        let mut content = work.content;
        content.payload = Some(repair.to_payload());
        content.expected_response = Some("what was found and mended".to_owned());
        let message = Message {
            conditions: Conditions {
                parent: Some(task.clone()),
                fulfillment_demanded: work.fulfillment_demanded,
                ..Conditions::default()
            },
            ..Message::new(to, Verb::TaskAssign, part, content)
        };
        outputs.push(self.send(Purpose::Part(task.clone()), message));
        outputs
    }

    /// Brings the ticket of a task to a state and tells its publisher.
    pub(super) fn changed(
        &mut self,
        task: &TaskId,
        to: TicketStatus,
        why: &str,
        percent: u8,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(ticket) = self.ticket_of(task) else {
            return Vec::new();
        };
        match ticket.change(to, why, now) {
            Ok(()) => vec![ticket_report(task, ticket, percent)],
            Err(wrong) => vec![Output::Note(format!("{}: {wrong}", ticket.ticket_id))],
        }
    }

    pub(super) fn fail(&mut self, task: &TaskId, why: &str, now: Timestamp) -> Vec<Output> {
        let mut outputs = self.changed(task, TicketStatus::Pending, why, 50, now);
        let Some(work) = self.works.remove(task) else {
            return outputs;
        };
        let content = Content::new(work.repair.element.as_str(), why);
        outputs.push(Output::report(task, Progress::Failed(content)));
        self.over(&work.ticket, TicketStatus::Cancelled, why);
        outputs.extend(self.release(task, now));
        outputs
    }

    pub(super) fn held_behind(&self, task: &TaskId) -> Vec<TaskId> {
        let held = self.works.iter();
        let held = held.filter(|(_, w)| w.behind.as_ref() == Some(task));
        held.map(|(id, _)| id.clone()).collect()
    }

    /// The ticket of a repair under way.
    pub(super) fn ticket_of(&mut self, task: &TaskId) -> Option<&mut TroubleTicket> {
        self.tickets.get_mut(&self.works.get(task)?.ticket)
    }

    /// Lets those who were held behind a task go on alone: the first is given, the others are held
    /// behind it.
    fn release(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        let held = self.held_behind(task);
        let Some((first, others)) = held.split_first() else {
            return Vec::new();
        };
        for other in others {
            if let Some(work) = self.works.get_mut(other) {
                work.behind = Some(first.clone());
            }
        }
        self.give(first, now)
    }

    /// The publisher's word on a decision, passed on to whoever proposed it.
    pub(super) fn work_decided(&mut self, ask: &Ask, agreed: bool, now: Timestamp) -> Vec<Output> {
        let task = &ask.task.id;
        let part = self.works.get(task).and_then(|w| w.part.clone());
        let Some((part, to)) = part else {
            return Vec::new();
        };
        let why = match agreed {
            true => "its publisher agrees to how it is repaired",
            false => "its publisher wants it repaired in another way",
        };
        let mut outputs = self.changed(task, TicketStatus::InProgress, why, 15, now);
        let content = ask.content.clone().in_reply_to(Awaits::Decision);
        let word = Message::new(to, Verb::FulfillmentNegotiate, part, content);
        outputs.push(self.send(Purpose::Word, word));
        outputs
    }

    /// The publisher's plan is the copilot's to answer.
    pub(super) fn work_planned(&mut self, ask: &Ask) -> (Reply, Vec<Output>) {
        let task = &ask.task.id;
        let part = self.works.get(task).filter(|w| !w.resolved);
        let Some((part, to)) = part.and_then(|w| w.part.clone()) else {
            let words = "nobody works on it now";
            return (Reply::refused("no-other-plan", "", words), Vec::new());
        };
        let plan = Message::new(to, Verb::FulfillmentNegotiate, part, ask.content.clone());
        let plan = self.send(Purpose::Plan(task.clone()), plan);
        (Reply::new(Verdict::Pending, Vec::new()), vec![plan])
    }

    /// Service is not back: somebody goes again, once.
    pub(super) fn work_rejected(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let task = &ask.task.id;
        let Some(work) = self.works.get_mut(task) else {
            let words = "the ticket is over";
            let failed = Progress::Failed(Content::new(task.as_str(), words));
            return vec![Output::report(task, failed)];
        };
        work.visits += 1;
        work.resolved = false;
        work.part = None;
        if work.visits > VISITS_MAX {
            let why = "The element was visited twice; more of the same will not help";
            return self.fail(task, why, now);
        }
        let why = ask.content.result.as_deref().unwrap_or_default();
        let why = format!("not accepted: {}", why.replace('\n', " "));
        let mut outputs = self.changed(task, TicketStatus::InProgress, &why, 20, now);
        outputs.extend(self.give(task, now));
        outputs
    }

    /// A task has ended: accepted if it was resolved, else withdrawn; its part ends with it.
    pub(super) fn work_ended(&mut self, task: &TaskId) -> Vec<Output> {
        let Some(work) = self.works.remove(task) else {
            return Vec::new();
        };
        let (status, why) = match work.resolved {
            true => (TicketStatus::Closed, "accepted by its publisher"),
            false => (TicketStatus::Cancelled, "withdrawn by its publisher"),
        };
        self.over(&work.ticket, status, why);
        let at = self.tickets.get(&work.ticket).map(|t| t.changed_at);
        self.release(task, at.unwrap_or_default())
    }

    /// Goes on with a repair from before a restart.
    pub(super) fn resume_work(
        &mut self,
        task: &Task,
        repair: Repair,
        now: Timestamp,
    ) -> Vec<Output> {
        self.open(task, repair, now);
        if task.awaits_judgement() || task.is_held() {
            if let Some(work) = self.works.get_mut(&task.id) {
                work.resolved = true;
            }
            let why = "done before the ticket system was restarted";
            if let Some(ticket) = self.ticket_of(&task.id) {
                let done = ticket.change(TicketStatus::InProgress, why, now);
                let done = done.and_then(|()| ticket.change(TicketStatus::Resolved, why, now));
                debug_assert!(done.is_ok(), "a new ticket may be worked and resolved");
            }
            return Vec::new();
        }
        self.begin(&task.id, now)
    }
}
