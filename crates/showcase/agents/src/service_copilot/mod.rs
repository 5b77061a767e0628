//! The service layer's copilot of the field force: trouble tickets, engineers, affected customers.
//!
//! It takes a ticket, agrees with its publisher on how it is worked if that is demanded, sends an
//! engineer, has the engineer's question answered by the resource layer's copilot, passes the
//! guidance on and reports what was found. Asked in words, it answers for services: which sites
//! and tickets an element touches; what the element itself is it says from the inventory.
//! Read next: [`decision`], [`crate::resource_copilot`].

mod decision;
mod ticket;

use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::domain_agent::job::place_of;
use crate::domain_agent::target_needed;
use crate::element_names::{self, NamedElements};
use crate::payloads::Schema;
use crate::payloads::repair::{Guidance, GuidanceResult, Repair, RepairDecision, RepairResult};
use crate::resource_copilot::manual;
use crate::topology::Topology;
use crate::wording::counted;
use domain::agent::{Ask, Briefing, Input, Message, Output, Progress, Undelivered};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::negotiation::{Kind, Speech};
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Conditions, Task, TaskId};
use domain::telemetry::{Action, FieldReport, Outcome, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use std::collections::BTreeMap;
use std::sync::Arc;
use ticket::{Stage, Ticket};

/// The service layer's copilot.
#[derive(Debug)]
pub struct ServiceCopilot {
    context: AgentContext,
    topology: Arc<Topology>,
    tickets: BTreeMap<TaskId, Ticket>,
    /// Questions under way, by the token of the sending.
    questions: BTreeMap<Token, TaskId>,
    /// Guidance under way, by the token of the action.
    guidances: BTreeMap<Token, TaskId>,
}

impl TaskExecutor for ServiceCopilot {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut copilot = Self {
            context: AgentContext::open(&briefing, now),
            topology: Topology::of(&briefing.inventory),
            tickets: BTreeMap::new(),
            questions: BTreeMap::new(),
            guidances: BTreeMap::new(),
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| copilot.resume(task)).collect();
        (copilot, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Field(report)) => self.field(report, now),
            Input::Acted { token, outcome } => self.acted(token, outcome),
            Input::Replied { token, reply } => self.replied(token, reply),
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content))
    }

    fn assigned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        match self.understand(&ask.content) {
            Ok(Wanted::Repair(repair)) => {
                let outputs = self.take_on(&ask.task, Ticket::new(repair));
                (Reply::accepted(), outputs)
            }
            Ok(Wanted::Word(element, reading)) => (self.say(&element, &reading), Vec::new()),
            Err(reply) => (reply, Vec::new()),
        }
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.tickets.remove(task);
        Vec::new()
    }

    fn rejected(&mut self, ask: &Ask, _: Timestamp) -> Vec<Output> {
        let Some(mut ticket) = self.tickets.remove(&ask.task.id) else {
            let why = "what is known of services has been said";
            let reply = Reply::refused("nothing-more", "", why);
            return Output::of_reply(&ask.task.id, &ask.task.content.target_object, reply)
                .into_iter()
                .collect();
        };
        ticket.visits += 1;
        if ticket.visits > ticket::VISITS_MAX {
            let words = "The element was visited twice; more of the same will not help";
            let element = ticket.repair.element.as_str();
            let failed = Progress::Failed(Content::new(element, words));
            return vec![Output::report(&ask.task.id, failed)];
        }
        self.dispatch(ask.task.id.clone(), ticket)
    }

    fn decided(&mut self, ask: &Ask, agreed: bool, _: Timestamp) -> Vec<Output> {
        let id = &ask.task.id;
        let Some(mut ticket) = self.tickets.remove(id) else {
            return Vec::new();
        };
        let Stage::Proposed(number) = ticket.stage else {
            self.tickets.insert(id.clone(), ticket);
            return Vec::new();
        };
        if !agreed {
            return self.propose(id.clone(), ticket, number + 1);
        }
        let known = decision::decisions(&self.topology, &ticket.repair);
        ticket.plan = known.into_iter().nth(number);
        self.dispatch(id.clone(), ticket)
    }

    /// Another plan is taken until the engineer works: the guidance follows it.
    fn planned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        let id = &ask.task.id;
        let refused = |reason, why: String| {
            let reply = Reply::refused(reason, "structured payload", why);
            (reply, Vec::new())
        };
        let Some(ticket) = self.tickets.get_mut(id) else {
            return refused("no-other-plan", "there is no ticket under way".to_owned());
        };
        if matches!(ticket.stage, Stage::Working | Stage::Offered) {
            return refused("too-late", ticket.describe());
        }
        let Some(plan) = RepairDecision::in_content(&ask.content) else {
            let why = format!("a plan is a payload of {}", RepairDecision::ID);
            return refused("unreadable-plan", why);
        };
        if let Some(why) = decision::obstacle(&self.topology, &ticket.repair, &plan) {
            return refused("not-possible", why);
        }
        ticket.plan = Some(plan);
        let waiting = matches!(ticket.stage, Stage::Proposed(_)).then(|| ticket.clone());
        let outputs = waiting.map(|ticket| self.dispatch(id.clone(), ticket));
        (Reply::accepted(), outputs.unwrap_or_default())
    }
}

enum Wanted {
    Repair(Repair),
    Word(ElementId, NamedElements),
}

impl ServiceCopilot {
    /// Goes on with a task from before a restart. Whoever is on the way under its work order goes on, and
    /// reports here.
    fn resume(&mut self, task: &Task) -> Vec<Output> {
        let mut ticket = match self.understand(&task.content) {
            Ok(Wanted::Repair(repair)) => Ticket::new(repair),
            Ok(Wanted::Word(element, reading)) if task.awaits.is_none() => {
                let said = Output::of_reply(
                    &task.id,
                    &task.content.target_object,
                    self.say(&element, &reading),
                );
                return said.into_iter().collect();
            }
            Err(reply) if task.awaits.is_none() => {
                return Output::of_reply(&task.id, &task.content.target_object, reply)
                    .into_iter()
                    .collect();
            }
            Ok(Wanted::Word(..)) | Err(_) => return Vec::new(),
        };
        ticket.plan = task.plan.as_ref().and_then(RepairDecision::in_content);
        match task.awaits {
            Some(Awaits::Judgement) => ticket.stage = Stage::Offered,
            Some(Awaits::Decision) => {
                let said = task.said.as_ref().and_then(RepairDecision::in_content);
                let known = decision::decisions(&self.topology, &ticket.repair);
                let number = known.iter().position(|d| Some(d) == said.as_ref());
                ticket.stage = Stage::Proposed(number.unwrap_or(0));
            }
            Some(Awaits::Answer | Awaits::Credentials | Awaits::Completion) | None => {
                return self.take_on(task, ticket);
            }
        }
        self.tickets.insert(task.id.clone(), ticket);
        Vec::new()
    }

    /// Begins: with a decision to be agreed on if that is demanded and has not happened.
    fn take_on(&mut self, task: &Task, ticket: Ticket) -> Vec<Output> {
        let id = task.id.clone();
        match task.conditions.fulfillment_demanded && ticket.plan.is_none() {
            true => self.propose(id, ticket, 0),
            false => self.dispatch(id, ticket),
        }
    }

    /// Proposes the decision with this number; without one, the ticket cannot be worked.
    fn propose(&mut self, id: TaskId, mut ticket: Ticket, number: usize) -> Vec<Output> {
        let element = ticket.repair.element.clone();
        let known = decision::decisions(&self.topology, &ticket.repair);
        let Some(decision) = known.get(number) else {
            let words = format!("A {} can be repaired in no other way", ticket.repair.cause);
            let failed = Progress::Failed(Content::new(element.as_str(), words));
            return vec![Output::report(&id, failed)];
        };
        let words = format!("{}: {} to {element}", decision.way, decision.crew);
        let content = Content::new(element.as_str(), words).with_payload(decision.to_payload());
        ticket.stage = Stage::Proposed(number);
        self.tickets.insert(id.clone(), ticket);
        vec![Output::Speak {
            task: id,
            kind: Kind::Fulfillment,
            speech: Speech::offer(vec![content]),
        }]
    }

    fn understand(&self, content: &Content) -> Result<Wanted, Reply> {
        let Some(payload) = &content.payload else {
            let reading = element_names::read(self.topology.names(), content);
            let first = reading.elements.first().cloned();
            let first = first.ok_or_else(|| target_needed(&content.target_object))?;
            return Ok(Wanted::Word(first, reading));
        };
        let repair = Repair::from_payload(payload).map_err(|e| e.reply(&content.target_object))?;
        if self.topology.inventory().element(&repair.element).is_none() {
            let words = format!("the inventory has no element {}", repair.element);
            return Err(Reply::refused("unknown-element", "element", words));
        }
        Ok(Wanted::Repair(repair))
    }

    fn dispatch(&mut self, task: TaskId, mut ticket: Ticket) -> Vec<Output> {
        let token = self.context.token();
        let element = ticket.repair.element.clone();
        let work_order = Some(task.to_string());
        ticket.dispatch = token;
        ticket.stage = Stage::Sent;
        self.tickets.insert(task, ticket);
        vec![
            Output::Note(format!("An engineer is sent to {element}")),
            Output::Act {
                token,
                action: Action::Dispatch {
                    element,
                    work_order,
                },
            },
        ]
    }

    fn ticket_of(&self, dispatch: Token) -> Option<TaskId> {
        let mut tickets = self.tickets.iter();
        let under_way = |t: &Ticket| !matches!(t.stage, Stage::Proposed(_) | Stage::Offered);
        let found = tickets.find(|(_, t)| t.dispatch == dispatch && under_way(t));
        found.map(|(task, _)| task.clone())
    }

    fn acted(&mut self, token: Token, outcome: Outcome) -> Vec<Output> {
        if let Some(task) = self.guidances.remove(&token) {
            return match outcome {
                Outcome::Impossible(why) => self.fail(&task, &why),
                _ => self.working(&task, 60, "the engineer follows the guidance"),
            };
        }
        let Some(task) = self.ticket_of(token) else {
            return Vec::new();
        };
        match outcome {
            Outcome::Dispatched { arrival } => {
                self.working(&task, 10, &format!("an engineer arrives about {arrival}"))
            }
            Outcome::Impossible(why) => self.fail(&task, &why),
            _ => Vec::new(),
        }
    }

    fn fail(&mut self, task: &TaskId, why: &str) -> Vec<Output> {
        let Some(ticket) = self.tickets.remove(task) else {
            return Vec::new();
        };
        let content = Content::new(ticket.repair.element.as_str(), why);
        vec![Output::report(task, Progress::Failed(content))]
    }

    fn working(&self, task: &TaskId, percent: u8, words: &str) -> Vec<Output> {
        let Some(ticket) = self.tickets.get(task) else {
            return Vec::new();
        };
        let content = Content::new(ticket.repair.element.as_str(), words);
        vec![Output::report(task, Progress::Working { percent, content })]
    }

    fn field(&mut self, news: FieldReport, now: Timestamp) -> Vec<Output> {
        match news {
            FieldReport::Arrived {
                token, question, ..
            } => self.arrived(token, question, now),
            FieldReport::Ended {
                token,
                element,
                repaired,
                finding,
            } => self.ended(token, element, repaired, finding),
        }
    }

    fn arrived(&mut self, dispatch: Token, question: String, now: Timestamp) -> Vec<Output> {
        let Some(task) = self.ticket_of(dispatch) else {
            return Vec::new();
        };
        let mut outputs = self.working(&task, 40, "the engineer has arrived and asks");
        let Some(ticket) = self.tickets.get_mut(&task) else {
            return outputs;
        };
        ticket.stage = Stage::Asking;
        let guidance = Guidance {
            question: question.clone(),
            element: ticket.repair.element.clone(),
            cause: Some(ticket.repair.cause),
        };
        let Some(to) = self.context.colleague(Guidance::ID, Layer::Resource, None) else {
            outputs
                .extend(self.guide_alone(&task, "no copilot of the resource layer is registered"));
            return outputs;
        };
        let token = self.context.token();
        let content =
            Content::new(guidance.element.as_str(), question).with_payload(guidance.to_payload());
        let message = Message {
            asynchronous: false,
            conditions: Conditions {
                parent: Some(task.clone()),
                ..Conditions::default()
            },
            ..Message::new(to, Verb::TaskAssign, self.context.task_id(now), content)
        };
        self.questions.insert(token, task);
        outputs.push(Output::Send { token, message });
        outputs
    }

    fn replied(&mut self, token: Token, reply: Result<Reply, Undelivered>) -> Vec<Output> {
        let Some(task) = self.questions.remove(&token) else {
            return Vec::new();
        };
        let answer = match &reply {
            Ok(reply) => reply.content.iter().find_map(GuidanceResult::in_content),
            Err(_) => None,
        };
        match answer {
            Some(guidance) => self.guide(&task, guidance.element, guidance.steps),
            None => {
                let why = match reply {
                    Ok(reply) => format!(
                        "the resource layer's copilot says {}",
                        reply.verdict.as_str()
                    ),
                    Err(undelivered) => undelivered.message,
                };
                self.guide_alone(&task, &why)
            }
        }
    }

    /// Guides from the inventory and the manual, when nobody who knows alarms can be asked.
    fn guide_alone(&mut self, task: &TaskId, why: &str) -> Vec<Output> {
        let Some(ticket) = self.tickets.get(task) else {
            return Vec::new();
        };
        let (element, cause) = (ticket.repair.element.clone(), ticket.repair.cause);
        let steps = manual::steps(&self.topology, &element, cause);
        let mut outputs = vec![Output::Note(format!(
            "Guidance for {element} comes from the manual alone: {why}"
        ))];
        outputs.extend(self.guide(task, element, steps));
        outputs
    }

    fn guide(&mut self, task: &TaskId, element: ElementId, steps: Vec<String>) -> Vec<Output> {
        let Some(ticket) = self.tickets.get_mut(task) else {
            return Vec::new();
        };
        ticket.stage = Stage::Working;
        let steps = ticket.steps(steps);
        let token = self.context.token();
        self.guidances.insert(token, task.clone());
        vec![Output::Act {
            token,
            action: Action::Guide {
                dispatch: ticket.dispatch,
                element,
                steps,
            },
        }]
    }

    fn ended(
        &mut self,
        dispatch: Token,
        element: ElementId,
        repaired: bool,
        finding: String,
    ) -> Vec<Output> {
        let Some(task) = self.ticket_of(dispatch) else {
            return Vec::new();
        };
        let Some(ticket) = self.tickets.get_mut(&task) else {
            return Vec::new();
        };
        ticket.stage = Stage::Offered;
        let result = RepairResult {
            ticket_id: ticket.repair.ticket_id.clone(),
            repaired,
            element: element.clone(),
            finding: finding.clone(),
        };
        let title = format!("Ticket {}", result.ticket_id);
        let content = Content::new(element.as_str(), title)
            .with_payload(result.to_payload())
            .with_result(finding);
        vec![Output::report(&task, Progress::Result(content))]
    }

    /// Says what the service layer knows of an element.
    fn say(&self, id: &ElementId, reading: &NamedElements) -> Reply {
        let inventory = self.topology.inventory();
        let sites = self.topology.dependent_on(id);
        let mut words = match inventory.element(id) {
            Some(e) => format!(
                "{id} is a {} {} of the {} domain, {}.",
                e.model,
                e.kind.as_str(),
                e.domain.as_str(),
                place_of(inventory, id)
            ),
            None => format!("{id} is not in the inventory."),
        };
        words.push_str(&match sites.len() {
            0 => " If it failed alone, no site would lose service.".to_owned(),
            n => format!(
                " If it failed, {} would lose service: {}.",
                counted(n, "site", "sites"),
                manual::names(sites, 8)
            ),
        });
        let touching: Vec<String> = self
            .tickets
            .values()
            .filter(|t| t.repair.element == *id || t.repair.affected_sites.contains(id))
            .map(Ticket::describe)
            .collect();
        if touching.is_empty() {
            words.push_str(" No trouble ticket concerns it.");
        } else {
            words.push_str(&format!(" {}.", touching.join("; ")));
        }
        let words = reading.before(&words);
        let cause = Cause::usual_of(id);
        let result = GuidanceResult {
            answer: words.clone(),
            steps: manual::steps(&self.topology, id, cause),
            element: id.clone(),
            alarms: Vec::new(),
        };
        let content = Content::new(id.as_str(), "Service information")
            .with_payload(result.to_payload())
            .with_result(words);
        Reply::new(Verdict::Result, vec![content])
    }
}

#[cfg(test)]
mod tests;
