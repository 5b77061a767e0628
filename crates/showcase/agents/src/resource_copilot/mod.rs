//! The resource layer's copilot: what a device is, what hangs on it, what it complains of, and
//! how it is repaired.
//!
//! Every answer is worked out from the inventory and from the alarms that stand at that moment:
//! change the network, and the answer changes. Read next: [`manual`].

pub mod manual;

use crate::alarms::{ActiveAlarms, tells_of_loss};
use crate::answers::accepted_if;
use crate::context::TaskExecutor;
use crate::domain_agent::job::place_of;
use crate::domain_agent::target_needed;
use crate::element_names::{self, NamedElements};
use crate::payloads::Schema;
use crate::payloads::repair::{Guidance, GuidanceResult};
use crate::topology::Topology;
use crate::wording::counted;
use domain::agent::{Ask, Briefing, Input, Output};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::{ElementId, ElementKind};
use domain::reply::{Reply, Verdict};
use domain::task::Task;
use domain::telemetry::Telemetry;
use domain::time::{SeededRng, Timestamp};
use std::sync::Arc;

/// The most alarms quoted in an answer.
const ALARMS_MAX: usize = 12;

/// The resource layer's copilot.
#[derive(Debug)]
pub struct ResourceCopilot {
    topology: Arc<Topology>,
    alarms: ActiveAlarms,
}

impl TaskExecutor for ResourceCopilot {
    fn start(briefing: Briefing, _: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let copilot = Self {
            topology: Topology::of(&briefing.inventory),
            alarms: ActiveAlarms::default(),
        };
        // A task that did not end in its first answer waits for the answer to a question, or its
        // first answer was lost.
        let open = briefing.open.iter().filter(|task| task.awaits.is_none());
        let said = |task: &Arc<Task>| {
            Output::of_reply(
                &task.id,
                &task.content.target_object,
                copilot.reply_to(&task.content),
            )
        };
        let outputs = open.filter_map(said).collect();
        (copilot, outputs)
    }

    fn take(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        if let Input::Telemetry(Telemetry::Alarm(alarm)) = input {
            self.alarms.take(&alarm);
        }
        Vec::new()
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content))
    }

    fn assigned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        (self.reply_to(&ask.content), Vec::new())
    }

    /// Says that it has said what it knows of an element; it goes on only if asked about another.
    fn rejected(&mut self, ask: &Ask, _: Timestamp) -> Vec<Output> {
        let told = self.understand(&ask.task.content).map(|(g, _)| g.element);
        let reading = element_names::read(self.topology.names(), &ask.content);
        let other = reading
            .elements
            .iter()
            .find(|e| told.as_ref().is_ok_and(|told| told != *e));
        let reply = match other {
            Some(element) => self.guide(&asked_about(element, &ask.content), &reading),
            None => {
                let words = "inventory and alarms say no more than that";
                Reply::refused("nothing-more", "", words)
            }
        };
        Output::of_reply(&ask.task.id, &ask.task.content.target_object, reply)
            .into_iter()
            .collect()
    }
}

/// A question in words about an element.
fn asked_about(element: &ElementId, content: &Content) -> Guidance {
    Guidance {
        question: format!("{}\n{}", content.target_object, content.task_description),
        cause: None,
        element: element.clone(),
    }
}

impl ResourceCopilot {
    fn reply_to(&self, content: &Content) -> Reply {
        match self.understand(content) {
            Ok((guidance, reading)) => self.guide(&guidance, &reading),
            Err(reply) => reply,
        }
    }

    fn understand(&self, content: &Content) -> Result<(Guidance, NamedElements), Reply> {
        let Some(payload) = &content.payload else {
            let reading = element_names::read(self.topology.names(), content);
            let element = reading.elements.first();
            let element = element.ok_or_else(|| target_needed(&content.target_object))?;
            return Ok((asked_about(element, content), reading));
        };
        let guidance =
            Guidance::from_payload(payload).map_err(|e| e.reply(&content.target_object))?;
        match self.topology.inventory().element(&guidance.element) {
            Some(_) => Ok((guidance, NamedElements::default())),
            None => {
                let words = format!("the inventory has no element {}", guidance.element);
                Err(Reply::refused("unknown-element", "element", words))
            }
        }
    }

    fn guide(&self, guidance: &Guidance, reading: &NamedElements) -> Reply {
        let id = &guidance.element;
        let cause = guidance.cause.unwrap_or_else(|| Cause::usual_of(id));
        let alarms = self.alarms_near(id);
        let mut steps = manual::steps(&self.topology, id, cause);
        if let Some(check) = self.last_check(id) {
            steps.push(check);
        }
        let answer = reading.before(&self.describe(id, cause, &alarms));
        let result = GuidanceResult {
            answer: answer.clone(),
            steps,
            element: id.clone(),
            alarms,
        };
        let content = Content::new(id.as_str(), format!("Guidance for {id}"))
            .with_payload(result.to_payload())
            .with_result(answer);
        Reply::new(Verdict::Result, vec![content])
    }

    /// Describes an element: what it is, where, what hangs on it, what is beside it, how it stands.
    fn describe(&self, id: &ElementId, cause: Cause, alarms: &[String]) -> String {
        let inventory = self.topology.inventory();
        let kind = inventory.element(id).map_or("", |e| e.kind.as_str());
        let sites = self.topology.dependent_on(id);
        let mut words = format!(
            "{id} is a {kind} ({}), {}.",
            manual::model_of(inventory, id),
            place_of(inventory, id)
        );
        if let Some(link) = inventory.links.get(id) {
            words.push_str(&format!(
                " It joins {} and {} over {:.1} km.",
                link.a, link.b, link.length_km
            ));
        }
        words.push_str(&match sites.len() {
            0 => " No site depends on it alone.".to_owned(),
            n => format!(
                " {} on it: {}.",
                counted(n, "site depends", "sites depend"),
                manual::names(sites, 6)
            ),
        });
        let beside = self.topology.neighbours(id);
        if !beside.is_empty() {
            words.push_str(&format!(" Beside it: {}.", manual::names(beside, 6)));
        }
        words.push_str(&match alarms.len() {
            0 => " No alarm stands on it or beside it.".to_owned(),
            n => format!(
                " {} on it or beside it, first {}.",
                counted(n, "alarm stands", "alarms stand"),
                alarms[0]
            ),
        });
        words.push_str(&format!(" A {cause} is repaired in the steps that follow."));
        words
    }

    /// The alarms on an element, then those beside it that tell of loss.
    fn alarms_near(&self, id: &ElementId) -> Vec<String> {
        let line = |e: &ElementId, t: domain::telemetry::AlarmType, since: Timestamp| {
            format!("{} on {e} since {since}", t.as_str())
        };
        let own = self.alarms.on(id).map(|(t, s)| line(id, t, s.since));
        let mut lines: Vec<String> = own.collect();
        let beside = self.topology.neighbours(id);
        for other in beside {
            let losses = self.alarms.on(other).filter(|(t, _)| tells_of_loss(*t));
            lines.extend(losses.map(|(t, s)| line(other, t, s.since)));
        }
        lines.truncate(ALARMS_MAX);
        lines
    }

    /// The condition that must hold before the engineer leaves.
    fn last_check(&self, id: &ElementId) -> Option<String> {
        let sites = self.topology.dependent_on(id);
        let out: Vec<&ElementId> = sites
            .clone()
            .filter(|s| self.alarms.site_is_out(s))
            .collect();
        let shared = self
            .topology
            .inventory()
            .element(id)
            .is_some_and(|e| !matches!(e.kind, ElementKind::Site));
        (shared && !out.is_empty()).then(|| {
            format!(
                "Before you leave, ask whether {} of {} sites that depend on it are back: {}",
                out.len(),
                sites.len(),
                manual::names(out, 6)
            )
        })
    }
}

#[cfg(test)]
mod tests;
