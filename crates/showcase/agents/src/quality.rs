//! Quality of service at a place and time: the agents of one province that complaints are asked of.
//!
//! A province has two: one for the mobile network, which looks up where a vehicle was ([`mobile`]),
//! and one for the transport network behind its sites ([`transport`]). Both remember two days of
//! alarms and performance, answer what they can see, and say `no_data` where they see nothing.
//! Refuses to know customers. Read next: [`history`], [`crate::complaints`].

pub mod history;
pub mod mobile;
pub mod transport;

use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor, works_in};
use crate::payloads::quality::{Quality, QualityCheck, QualityResult};
use crate::payloads::{Schema, UnreadablePayload};
use crate::topology::Topology;
use domain::agent::{Ask, Briefing, Input, Output, Progress};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::reply::{Reply, Verdict};
use domain::task::{Task, TaskId};
use domain::telemetry::{Action, AlarmType, Outcome, Telemetry, Token, Visit};
use domain::time::{SeededRng, Timestamp};
use history::{DomainHistory, Interval};
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;

/// A vehicle's way is looked up from so long before the time in question, and until so long after
/// it, in seconds: far enough to see it leave and come back.
const TRACED_S: (f64, f64) = (12.0 * 3_600.0, 4.0 * 3_600.0);
/// Seconds after which a check decides without the records that have not come.
const TRACE_LONGEST_S: f64 = 300.0;

/// The track of a vehicle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// In the province, in order of time.
    pub visits: Vec<Visit>,
    /// The province that it left to.
    pub left_to: Option<String>,
    /// The province that it came from.
    pub came_from: Option<String>,
    /// Until when its way was looked up.
    pub until: Timestamp,
}

/// The grounds on which an agent can judge.
pub struct QualityContext<'a> {
    /// The network as documented.
    pub inventory: &'a Inventory,
    /// The same as a graph.
    pub topology: &'a Topology,
    /// Alarms and performance of the last two days.
    pub history: &'a DomainHistory,
    /// The agent's province; none if it answers for all.
    pub province: Option<&'a str>,
}

impl QualityContext<'_> {
    /// True if an element lies in the agent's province.
    pub fn is_own(&self, element: &ElementId) -> bool {
        let lies_in = self.inventory.province_of(element);
        self.province.is_none_or(|own| lies_in == Some(own))
    }

    /// The own sites of a town.
    pub fn sites_of(&self, town: &str) -> BTreeSet<ElementId> {
        let sites = self.inventory.of_kind(ElementKind::Site);
        let here = sites.filter(|s| s.place == town && self.is_own(&s.id));
        here.map(|s| s.id.clone()).collect()
    }
}

/// The knowledge that one domain has of quality.
pub trait QualityDomain: Send {
    /// The domain.
    const DOMAIN: Domain;
    /// True if its agents may look up where vehicles were.
    const TRACES: bool;

    /// Judges how service was. The trace is of the vehicle in question, if there was one and it
    /// came.
    fn judge(
        ground: &QualityContext<'_>,
        check: &QualityCheck,
        trace: Option<&Trace>,
    ) -> QualityResult;
}

/// A check that waits for a vehicle's way.
#[derive(Clone, Debug)]
struct Waiting {
    check: QualityCheck,
    trace: Token,
    deadline: Token,
    until: Timestamp,
}

/// The quality agent of one domain in one province.
#[derive(Debug)]
pub struct QualityAgent<T> {
    context: AgentContext,
    topology: Arc<Topology>,
    history: DomainHistory,
    waiting: BTreeMap<TaskId, Waiting>,
    trade: PhantomData<T>,
}

impl<T: QualityDomain> TaskExecutor for QualityAgent<T> {
    fn start(briefing: Briefing, now: Timestamp, _: &mut SeededRng) -> (Self, Vec<Output>) {
        let mut agent = Self {
            context: AgentContext::open(&briefing, now),
            topology: Topology::of(&briefing.inventory),
            history: DomainHistory::default(),
            waiting: BTreeMap::new(),
            trade: PhantomData,
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| agent.resume(task, now)).collect();
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Alarm(alarm)) => self.history.alarm(&alarm, now),
            Input::Telemetry(Telemetry::Performance(told)) => self.history.performance(told, now),
            Input::Acted { token, outcome } => return self.traced(token, outcome),
            Input::Woken(token) => return self.woken(token),
            _ => {}
        }
        Vec::new()
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(understand(content))
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        match understand(&ask.content) {
            Ok(check) if T::TRACES && check.vehicle.is_some() => {
                (Reply::accepted(), self.look_up(&ask.task.id, check, now))
            }
            Ok(check) => {
                let content = self.judged(&check, None);
                (Reply::new(Verdict::Result, vec![content]), Vec::new())
            }
            Err(reply) => (reply, Vec::new()),
        }
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.waiting.remove(task);
        Vec::new()
    }

    fn rejected(&mut self, ask: &Ask, _: Timestamp) -> Vec<Output> {
        let words = "What the records show has been said";
        let content = Content::new(ask.task.content.target_object.as_str(), words);
        vec![Output::report(&ask.task.id, Progress::Failed(content))]
    }
}

fn understand(content: &Content) -> Result<QualityCheck, Reply> {
    let target = &content.target_object;
    let Some(payload) = &content.payload else {
        let words = "Needed: a structured payload of quality_check_v1, with the time in question and \
                     a vehicle, a town or sites";
        return Err(Reply::new(
            Verdict::InputRequired,
            vec![Content::new(target.as_str(), words)],
        ));
    };
    let unreadable = |e: UnreadablePayload| e.reply(target);
    QualityCheck::from_payload(payload).map_err(unreadable)
}

impl<T: QualityDomain> QualityAgent<T> {
    fn resume(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        if task.awaits.is_some() {
            return Vec::new();
        }
        match understand(&task.content) {
            Ok(check) if T::TRACES && check.vehicle.is_some() => self.look_up(&task.id, check, now),
            Ok(check) => {
                let content = self.judged(&check, None);
                vec![Output::report(&task.id, Progress::Result(content))]
            }
            Err(reply) => {
                let news = Output::of_reply(&task.id, &task.content.target_object, reply);
                news.into_iter().collect()
            }
        }
    }

    fn look_up(&mut self, task: &TaskId, check: QualityCheck, now: Timestamp) -> Vec<Output> {
        let vehicle = check.vehicle.clone().unwrap_or_default();
        let from = check.when.from.plus_s(-TRACED_S.0);
        let until = check.when.until.plus_s(TRACED_S.1).min(now);
        let (trace, deadline) = (self.context.token(), self.context.token());
        let waiting = Waiting {
            check,
            trace,
            deadline,
            until,
        };
        self.waiting.insert(task.clone(), waiting);
        vec![
            Output::Act {
                token: trace,
                action: Action::Trace {
                    vehicle,
                    from,
                    until,
                },
            },
            Output::Wake {
                token: deadline,
                at: now.plus_s(TRACE_LONGEST_S),
            },
        ]
    }

    fn traced(&mut self, token: Token, outcome: Outcome) -> Vec<Output> {
        let mut waiting = self.waiting.iter();
        let Some(task) = waiting
            .find(|(_, w)| w.trace == token)
            .map(|(t, _)| t.clone())
        else {
            return Vec::new();
        };
        let until = self.waiting[&task].until;
        match outcome {
            Outcome::Traced {
                visits,
                left_to,
                came_from,
            } => {
                let trace = Trace {
                    visits,
                    left_to,
                    came_from,
                    until,
                };
                self.conclude(&task, Some(&trace))
            }
            Outcome::Impossible(why) => {
                let mut outputs = vec![Output::Note(format!("No records of the vehicle: {why}"))];
                outputs.extend(self.conclude(&task, None));
                outputs
            }
            _ => self.conclude(&task, None),
        }
    }

    fn woken(&mut self, token: Token) -> Vec<Output> {
        let mut waiting = self.waiting.iter();
        let found = waiting.find(|(_, w)| w.deadline == token);
        match found.map(|(task, _)| task.clone()) {
            Some(task) => self.conclude(&task, None),
            None => Vec::new(),
        }
    }

    fn conclude(&mut self, task: &TaskId, trace: Option<&Trace>) -> Vec<Output> {
        let Some(waiting) = self.waiting.remove(task) else {
            return Vec::new();
        };
        let content = self.judged(&waiting.check, trace);
        vec![Output::report(task, Progress::Result(content))]
    }

    fn judged(&self, check: &QualityCheck, trace: Option<&Trace>) -> Content {
        let ground = QualityContext {
            inventory: &self.context.inventory,
            topology: &self.topology,
            history: &self.history,
            province: self.context.own.province.as_deref(),
        };
        let result = T::judge(&ground, check, trace);
        let words = in_words(&result);
        Content::new(check.ticket_id.as_str(), "Quality of service")
            .with_payload(result.to_payload())
            .with_result(words)
    }
}

fn in_words(result: &QualityResult) -> String {
    let verdict = result.quality.as_str();
    match (&result.element, result.evidence.first()) {
        (Some(element), _) => format!("{verdict}: {element}"),
        (None, Some(evidence)) => format!("{verdict}: {evidence}"),
        (None, None) => verdict.to_owned(),
    }
}

/// The agents of the roster that check quality in a domain of a province.
pub fn checkers<'a>(
    context: &'a AgentContext,
    domain: Domain,
    province: Option<&'a str>,
) -> Option<String> {
    let fits = |p: &&std::sync::Arc<domain::profile::Profile>| {
        p.name != context.own.name
            && p.layer == domain::profile::Layer::Resource
            && p.schemas().any(|s| s == QualityCheck::ID)
            && works_in(p, domain)
            && (p.province.is_none() || p.province.as_deref() == province)
    };
    context.roster.iter().find(fits).map(|p| p.name.clone())
}

/// The result that is said of an element that an alarm stands on.
fn blamed(
    quality: Quality,
    element: &ElementId,
    alarm: AlarmType,
    interval: Interval,
    cause: Option<Cause>,
) -> QualityResult {
    QualityResult {
        quality,
        element: Some(element.clone()),
        cause,
        since: Some(interval.from),
        until: interval.until,
        evidence: vec![format!(
            "{} of {element} since {}",
            alarm.as_str(),
            interval.from
        )],
        ..QualityResult::default()
    }
}

#[cfg(test)]
mod tests;
