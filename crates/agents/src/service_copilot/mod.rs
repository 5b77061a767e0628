//! The service layer's copilot of the field force: trouble tickets, engineers, affected customers.
//!
//! It takes a ticket, sends an engineer, has the engineer's question answered by the resource
//! layer's copilot, passes the guidance on and reports what was found. Asked in words, it answers
//! for services: which sites and tickets an element touches; what the element itself is it says
//! from the inventory. Read next: [`crate::resource_copilot`].

mod ticket;

use crate::cause::Cause;
use crate::desk::{Desk, Worker};
use crate::domain_agent::job::{place_of, usual_cause};
use crate::domain_agent::{target_needed, unknown_schema};
use crate::lookup;
use crate::payloads::repair::{Guidance, GuidanceResult, Repair, RepairResult};
use crate::payloads::{Schema, rejects};
use crate::resource_copilot::manual;
use crate::topology::Topology;
use domain::agent::{Ask, Briefing, Input, Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::inventory::ElementId;
use domain::profile::Layer;
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::telemetry::{Action, FieldReport, Outcome, Telemetry, Token};
use domain::time::{Dice, Timestamp};
use domain::verb::Verb;
use std::collections::BTreeMap;
use ticket::{Stage, Ticket};

/// The service layer's copilot.
#[derive(Debug)]
pub struct ServiceCopilot {
    desk: Desk,
    topology: Topology,
    tickets: BTreeMap<TaskId, Ticket>,
    /// Questions under way, by the token of the sending.
    questions: BTreeMap<Token, TaskId>,
    /// Guidance under way, by the token of the action.
    guidances: BTreeMap<Token, TaskId>,
}

impl Worker for ServiceCopilot {
    fn start(briefing: Briefing, now: Timestamp, _: &mut Dice) -> (Self, Vec<Output>) {
        let mut copilot = Self {
            desk: Desk::open(&briefing, now),
            topology: Topology::new(briefing.inventory.clone()),
            tickets: BTreeMap::new(),
            questions: BTreeMap::new(),
            guidances: BTreeMap::new(),
        };
        let mut outputs = Vec::new();
        for task in briefing.open {
            let Some(repair) = Repair::in_content(&task.content) else {
                continue;
            };
            let ticket = Ticket::new(repair);
            if task.awaits_judgement() {
                copilot.tickets.insert(task.id.clone(), ticket.offered());
            } else {
                // Whoever was on the way does not know where to report: send again.
                outputs.extend(copilot.dispatch(task.id.clone(), ticket));
            }
        }
        (copilot, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut Dice) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Field(report)) => self.field(report, now),
            Input::Acted { token, outcome } => self.acted(token, outcome),
            Input::Replied { token, reply } => self.replied(token, reply),
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        match ask.verb {
            Verb::FeasibilityNegotiate => match self.understand(&ask.content) {
                Ok(_) => (Reply::accepted(), Vec::new()),
                Err(reply) => (reply, Vec::new()),
            },
            Verb::TaskAssign => match self.understand(&ask.content) {
                Ok(Wanted::Repair(repair)) => {
                    let outputs = self.dispatch(ask.task.id.clone(), Ticket::new(repair));
                    (Reply::accepted(), outputs)
                }
                Ok(Wanted::Word(element)) => (self.say(&element), Vec::new()),
                Err(reply) => (reply, Vec::new()),
            },
            Verb::TaskCancel => {
                self.tickets.remove(&ask.task.id);
                (Reply::accepted(), Vec::new())
            }
            Verb::FulfillmentNegotiate => self.judged(ask),
            other => (
                Reply::refused("unknown-verb", "", format!("{other} is not for agents")),
                Vec::new(),
            ),
        }
    }
}

enum Wanted {
    Repair(Repair),
    Word(ElementId),
}

impl ServiceCopilot {
    fn understand(&self, content: &Content) -> Result<Wanted, Reply> {
        let Some(payload) = &content.payload else {
            let text = format!("{}\n{}", content.target_object, content.task_description);
            let named = lookup::named(self.topology.inventory(), &text);
            let first = named.into_iter().next();
            return first
                .map(Wanted::Word)
                .ok_or_else(|| target_needed(&content.target_object));
        };
        if payload.schema_id != Repair::ID {
            return Err(unknown_schema(payload));
        }
        let repair = Repair::from_payload(payload).map_err(|e| e.reply(&content.target_object))?;
        if self.topology.inventory().element(&repair.element).is_none() {
            let words = format!("the inventory has no element {}", repair.element);
            return Err(Reply::refused("unknown-element", "element", words));
        }
        Ok(Wanted::Repair(repair))
    }

    fn dispatch(&mut self, task: TaskId, mut ticket: Ticket) -> Vec<Output> {
        let token = self.desk.token();
        let element = ticket.repair.element.clone();
        ticket.dispatch = token;
        ticket.stage = Stage::Sent;
        self.tickets.insert(task, ticket);
        vec![
            Output::Note(format!("An engineer is sent to {element}")),
            Output::Act {
                token,
                action: Action::Dispatch { element },
            },
        ]
    }

    fn judged(&mut self, ask: &Ask) -> (Reply, Vec<Output>) {
        let Some(mut ticket) = self.tickets.remove(&ask.task.id) else {
            return (Reply::accepted(), Vec::new());
        };
        if !rejects(&ask.content) {
            return (Reply::accepted(), Vec::new());
        }
        ticket.visits += 1;
        if ticket.visits > ticket::VISITS_MAX {
            let words = "The element was visited twice; more of the same will not help";
            let element = ticket.repair.element.as_str();
            let failed = Progress::Failed(Content::new(element, words));
            let report = report(&ask.task.id, failed);
            return (Reply::accepted(), vec![report]);
        }
        (
            Reply::accepted(),
            self.dispatch(ask.task.id.clone(), ticket),
        )
    }

    fn ticket_of(&self, dispatch: Token) -> Option<TaskId> {
        let mut tickets = self.tickets.iter();
        let found = tickets.find(|(_, t)| t.dispatch == dispatch && t.stage != Stage::Offered);
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
            Outcome::Measured(_) | Outcome::Guided => Vec::new(),
        }
    }

    fn fail(&mut self, task: &TaskId, why: &str) -> Vec<Output> {
        let Some(ticket) = self.tickets.remove(task) else {
            return Vec::new();
        };
        let content = Content::new(ticket.repair.element.as_str(), why);
        vec![report(task, Progress::Failed(content))]
    }

    fn working(&self, task: &TaskId, percent: u8, words: &str) -> Vec<Output> {
        let Some(ticket) = self.tickets.get(task) else {
            return Vec::new();
        };
        let content = Content::new(ticket.repair.element.as_str(), words);
        vec![report(task, Progress::Working { percent, content })]
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
            cause: ticket.repair.cause,
        };
        let Some(to) = self.desk.colleague(Guidance::ID, Layer::Resource, None) else {
            outputs
                .extend(self.guide_alone(&task, "no copilot of the resource layer is registered"));
            return outputs;
        };
        let token = self.desk.token();
        self.questions.insert(token, task);
        let content =
            Content::new(guidance.element.as_str(), question).with_payload(guidance.to_payload());
        outputs.push(Output::Send {
            token,
            message: Message {
                to,
                verb: Verb::TaskAssign,
                task: self.desk.task_id(now),
                content,
                asynchronous: false,
                round: 1,
            },
        });
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
        let steps = manual::steps(self.topology.inventory(), &element, cause);
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
        let token = self.desk.token();
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
        vec![report(&task, Progress::Result(content))]
    }

    /// What the service layer knows of an element.
    fn say(&self, id: &ElementId) -> Reply {
        let inventory = self.topology.inventory();
        let sites = self.topology.without([id]).sites_cut_off();
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
                " If it failed, {n} sites would lose service: {}.",
                manual::names(&sites, 8)
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
        let cause: Cause = usual_cause(inventory, id);
        let result = GuidanceResult {
            answer: words.clone(),
            steps: manual::steps(inventory, id, cause),
            element: id.clone(),
            alarms: Vec::new(),
        };
        let content = Content::new(id.as_str(), "Service information")
            .with_payload(result.to_payload())
            .with_result(words);
        Reply::new(Verdict::Result, vec![content])
    }
}

fn report(task: &TaskId, progress: Progress) -> Output {
    Output::Report {
        task: task.clone(),
        progress,
    }
}

#[cfg(test)]
mod tests;
