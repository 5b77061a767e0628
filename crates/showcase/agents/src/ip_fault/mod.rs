//! The IP network's fault agent: routers, cards, links, ducts and optical modules.
//!
//! It watches, reports incidents and diagnoses as every domain's agent does
//! ([`crate::domain_agent`], with [`expertise`] for what readings mean). Beside that:
//! - [`backhaul`]: is the transport of a site broken? The links on its way are measured, and the
//!   answer is what cuts the site off, or that its transport is fine;
//! - [`light`]: a module that sends less and less light is measured again and again, so that it is
//!   replaced before it is dark;
//! - [`relief`]: a link that is given more than it can carry is led around, from afar, and given back;
//! - [`routing`]: routers whose states and configuration can be read are set right from afar.
//!
//! What links did is kept for a day ([`history`]).

pub mod backhaul;
pub mod expertise;
pub mod history;
pub mod light;
pub mod relief;
pub mod routing;

use crate::context::TaskExecutor;
use crate::domain_agent::DomainAgent;
use crate::knowledge::Knowledge;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult};
use crate::topology::Topology;
use backhaul::Backhaul;
use domain::agent::{Ask, Briefing, Input, Output, Progress};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::{Domain, ElementId, ElementKind};
use domain::negotiation::{Kind, Speech};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::telemetry::{Action, AlarmType, Outcome, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use expertise::IpExpertise;
use history::LinkHistory;
use light::Lights;
use relief::{ReliefStep, Reliefs};
use routing::{RoutingAsk, RoutingCare};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Seconds after which the answer about a site is given with the readings that have come.
const BACKHAUL_LONGEST_S: f64 = 300.0;
/// The tokens of this agent have this bit set; those of the agent inside do not.
const OWN: Token = 1 << 62;

/// The purpose of an action or a waking.
#[derive(Clone, Debug)]
enum Purpose {
    /// Measuring an element on the way to a site.
    Backhaul(TaskId, ElementId),
    /// The longest wait for that is over.
    BackhaulDue(TaskId),
    /// Measuring a module that has been warned of.
    Light(ElementId),
    /// Leading traffic around a link, or back.
    Relief(ElementId),
    /// The care for routers.
    Routing(RoutingAsk),
}

/// The result of a diagnosis that waits until what it proposes is agreed to, or done.
#[derive(Clone, Debug)]
struct Held {
    link: ElementId,
    result: DiagnosisResult,
    content: Content,
}

/// The IP network's fault agent.
#[derive(Debug)]
pub struct IpFault {
    inside: DomainAgent<IpExpertise>,
    topology: Arc<Topology>,
    next_token: Token,
    purposes: BTreeMap<Token, Purpose>,
    backhauls: BTreeMap<TaskId, Backhaul>,
    lights: Lights,
    reliefs: Reliefs,
    /// None where no routers of a known make stand.
    routing: Option<RoutingCare>,
    history: LinkHistory,
    held: BTreeMap<TaskId, Held>,
    /// Tasks whose publishers demand to agree before anything is done.
    demanding: BTreeMap<TaskId, bool>,
}

impl TaskExecutor for IpFault {
    fn start(briefing: Briefing, now: Timestamp, rng: &mut SeededRng) -> (Self, Vec<Output>) {
        Self::knowing(&Arc::new(Knowledge::in_force()), briefing, now, rng)
    }

    fn knowing(
        knowledge: &Arc<Knowledge>,
        briefing: Briefing,
        now: Timestamp,
        rng: &mut SeededRng,
    ) -> (Self, Vec<Output>) {
        let topology = Topology::of(&briefing.inventory);
        let asks_backhaul = |task: &Task| backhaul::site_asked(&topology, &task.content).is_some();
        let (own, others): (Vec<_>, Vec<_>) = briefing
            .open
            .iter()
            .cloned()
            .partition(|task| asks_backhaul(task));
        let inner = Briefing {
            open: others,
            ..briefing
        };
        let demanding = inner.open.iter();
        let demanding = demanding.map(|t| (t.id.clone(), t.conditions.fulfillment_demanded));
        let demanding = demanding.collect();
        let (inside, outputs) = DomainAgent::knowing(knowledge, inner, now, rng);
        let mut agent = Self {
            inside,
            routing: RoutingCare::of(topology.inventory()),
            topology,
            next_token: OWN | (now.as_ms() as u64).saturating_mul(1_000),
            purposes: BTreeMap::new(),
            backhauls: BTreeMap::new(),
            lights: Lights::default(),
            reliefs: Reliefs::default(),
            history: LinkHistory::default(),
            held: BTreeMap::new(),
            demanding,
        };
        let mut outputs = agent.followed(outputs, now);
        for task in own.iter().filter(|task| task.awaits.is_none()) {
            outputs.extend(agent.begin_backhaul(task, &task.content, now).1);
        }
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        let mut outputs = match &input {
            Input::Telemetry(Telemetry::Alarm(alarm)) if !alarm.cleared => {
                match alarm.alarm_type == AlarmType::OpticalPowerLow {
                    true => self.look_at_light(&alarm.resource, now),
                    false => Vec::new(),
                }
            }
            Input::Telemetry(Telemetry::Performance(performance)) => {
                self.history.take(performance);
                let steps = self.reliefs.weigh(performance, &self.topology, now);
                self.relieve(steps, now)
            }
            Input::Acted { token, outcome } if token & OWN != 0 => {
                return self.acted(*token, outcome.clone(), now);
            }
            Input::Woken(token) if token & OWN != 0 => return self.woken(*token, now),
            Input::Acted {
                outcome: Outcome::Measured(m),
                ..
            } => {
                self.lights.measured(m, now);
                Vec::new()
            }
            _ => Vec::new(),
        };
        outputs.extend(self.care_for_routers(&input, now));
        let inner = self.inside.take(input, now, rng);
        outputs.extend(self.followed(inner, now));
        outputs
    }

    fn feasible(&self, content: &Content) -> Reply {
        match self.backhaul_asked(content) {
            Some(_) => Reply::accepted(),
            None => self.inside.feasible(content),
        }
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        if backhaul::site_asked(&self.topology, &ask.content).is_some() {
            return self.begin_backhaul(&ask.task, &ask.content, now);
        }
        let demanded = ask.task.conditions.fulfillment_demanded;
        self.demanding.insert(ask.task.id.clone(), demanded);
        let (reply, outputs) = self.inside.assigned(ask, now);
        (reply, self.followed(outputs, now))
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.demanding.remove(task);
        self.held.remove(task);
        self.backhauls.remove(task);
        self.inside.ended(task)
    }

    fn rejected(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let id = &ask.task.id;
        self.backhauls.remove(id);
        if let Some(site) = backhaul::site_asked(&self.topology, &ask.task.content) {
            let words =
                "Everything on the way to it was measured: there is nothing left to look at";
            let failed = Progress::Failed(Content::new(site.as_str(), words));
            return vec![Output::report(id, failed)];
        }
        let outputs = self.inside.rejected(ask, now);
        self.followed(outputs, now)
    }

    fn decided(&mut self, ask: &Ask, agreed: bool, now: Timestamp) -> Vec<Output> {
        let id = &ask.task.id;
        let Some(held) = self.held.get(id).cloned() else {
            return Vec::new();
        };
        if agreed {
            return self.lead_around(&held.link, now);
        }
        self.held.remove(id);
        let words = "its publisher does not want traffic led around";
        vec![released(id, held, false, words)]
    }

    fn planned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        if self.backhauls.contains_key(&ask.task.id) {
            let words = "the way to a site is measured in one way only";
            let target = &ask.task.content.target_object;
            return (Reply::refused("no-other-plan", target, words), Vec::new());
        }
        let (reply, outputs) = self.inside.planned(ask, now);
        (reply, self.followed(outputs, now))
    }
}

impl IpFault {
    /// The performance of links of late.
    pub fn history(&self) -> &LinkHistory {
        &self.history
    }

    fn token(&mut self, purpose: Purpose) -> Token {
        self.next_token += 1;
        self.purposes.insert(self.next_token, purpose);
        self.next_token
    }

    fn act(&mut self, purpose: Purpose, action: Action) -> Output {
        let token = self.token(purpose);
        Output::Act { token, action }
    }

    /// The site about whose transport a content asks; one suspected of missing mains is asked about
    /// elsewhere before an assignment.
    fn backhaul_asked(&self, content: &Content) -> Option<ElementId> {
        let site = backhaul::site_asked(&self.topology, content)?;
        let cause = Diagnosis::in_content(content).map(|d| d.suspicion.cause);
        cause
            .is_none_or(|c| c.domain() == Domain::Ip)
            .then_some(site)
    }

    fn begin_backhaul(
        &mut self,
        task: &Task,
        content: &Content,
        now: Timestamp,
    ) -> (Reply, Vec<Output>) {
        let Some(site) = backhaul::site_asked(&self.topology, content) else {
            let words = "the text names no site";
            return (
                Reply::refused("unknown-element", "target", words),
                Vec::new(),
            );
        };
        let asked = Diagnosis::in_content(content).map(|d| d.suspicion.target);
        let mut backhaul = Backhaul::new(&self.topology, site, asked);
        let words = format!(
            "measuring {} elements on the way to {}",
            backhaul.planned(),
            backhaul.site
        );
        let plan = backhaul.begin();
        let said = Content::new(backhaul.site.as_str(), words);
        let working = Progress::Working {
            percent: 10,
            content: said,
        };
        let mut outputs = vec![Output::report(&task.id, working)];
        let id = &task.id;
        outputs.extend(self.measure(id, plan));
        let token = self.token(Purpose::BackhaulDue(id.clone()));
        let at = now.plus_s(BACKHAUL_LONGEST_S);
        outputs.push(Output::Wake { token, at });
        self.backhauls.insert(id.clone(), backhaul);
        outputs.extend(self.answer_backhaul(id));
        (Reply::accepted(), outputs)
    }

    fn measure(&mut self, task: &TaskId, elements: Vec<ElementId>) -> Vec<Output> {
        let probe = |element: ElementId| {
            let purpose = Purpose::Backhaul(task.clone(), element.clone());
            self.act(purpose, Action::Probe { element })
        };
        elements.into_iter().map(probe).collect()
    }

    fn acted(&mut self, token: Token, outcome: Outcome, now: Timestamp) -> Vec<Output> {
        if let Outcome::Measured(m) = &outcome {
            self.lights.measured(m, now);
        }
        match self.purposes.remove(&token) {
            Some(Purpose::Backhaul(task, element)) => {
                let Some(backhaul) = self.backhauls.get_mut(&task) else {
                    return Vec::new();
                };
                let more = backhaul.take(&self.topology, &element, outcome);
                let mut outputs = self.measure(&task, more);
                outputs.extend(self.answer_backhaul(&task));
                outputs
            }
            Some(Purpose::Light(optic)) => {
                let words = self.lights.says(&optic);
                words.map(Output::Note).into_iter().collect()
            }
            Some(Purpose::Relief(link)) => {
                let steps = self.reliefs.answered(&link, &outcome, now);
                let mut outputs = self.release(&link, &outcome, &steps);
                outputs.extend(self.relieve(steps, now));
                outputs
            }
            Some(Purpose::Routing(ask)) => self.routing_answered(&ask, &outcome, now),
            Some(Purpose::BackhaulDue(_)) | None => Vec::new(),
        }
    }

    fn woken(&mut self, token: Token, now: Timestamp) -> Vec<Output> {
        match self.purposes.remove(&token) {
            Some(Purpose::BackhaulDue(task)) => {
                if let Some(backhaul) = self.backhauls.get_mut(&task) {
                    backhaul.give_up_waiting();
                }
                self.answer_backhaul(&task)
            }
            Some(Purpose::Light(optic)) => self.look_at_light(&optic, now),
            Some(Purpose::Relief(link)) => {
                let steps = self.reliefs.give_back(&link, now);
                self.relieve(steps, now)
            }
            Some(Purpose::Routing(ask)) => self.routing_woken(&ask, now),
            Some(Purpose::Backhaul(..)) | None => Vec::new(),
        }
    }

    fn answer_backhaul(&mut self, task: &TaskId) -> Vec<Output> {
        let Some(backhaul) = self.backhauls.get_mut(task).filter(|b| b.ready()) else {
            return Vec::new();
        };
        let content = backhaul.answer(&self.topology, &self.history, &self.lights);
        self.backhauls.remove(task);
        vec![Output::report(task, Progress::Result(content))]
    }

    /// Measures a module that has been warned of, and asks to be woken to do so again.
    fn look_at_light(&mut self, optic: &ElementId, now: Timestamp) -> Vec<Output> {
        let known = self.topology.inventory().element(optic);
        if known.is_none_or(|e| e.kind != ElementKind::Optic) {
            return Vec::new();
        }
        let Some(again) = self.lights.due(optic, now) else {
            return Vec::new();
        };
        let element = optic.clone();
        let mut outputs = vec![self.act(Purpose::Light(optic.clone()), Action::Probe { element })];
        if let Some(at) = again {
            let token = self.token(Purpose::Light(optic.clone()));
            outputs.push(Output::Wake { token, at });
        }
        outputs
    }

    fn relieve(&mut self, steps: Vec<ReliefStep>, now: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        for step in steps {
            match step {
                ReliefStep::Act(link, action) => {
                    outputs.push(self.act(Purpose::Relief(link), action));
                }
                ReliefStep::Wake(link, after_s) => {
                    let token = self.token(Purpose::Relief(link));
                    let at = now.plus_s(after_s);
                    outputs.push(Output::Wake { token, at });
                }
                ReliefStep::Note(words) => outputs.push(Output::Note(words)),
            }
        }
        outputs
    }

    /// Passes on what the agent inside says, with what this one knows beside it: a result that
    /// finds a link congested waits until that is dealt with.
    fn followed(&mut self, outputs: Vec<Output>, now: Timestamp) -> Vec<Output> {
        let mut followed = Vec::new();
        for output in outputs {
            match output {
                Output::Report {
                    task,
                    progress: Progress::Result(content),
                } => followed.extend(self.concluded(task, content, now)),
                other => followed.push(other),
            }
        }
        followed
    }

    fn concluded(&mut self, task: TaskId, content: Content, now: Timestamp) -> Vec<Output> {
        let Some(mut result) = DiagnosisResult::in_content(&content) else {
            return vec![Output::report(&task, Progress::Result(content))];
        };
        self.lights.complete(&mut result, self.topology.inventory());
        if result.cause != Some(Cause::Congestion) {
            return vec![Output::report(
                &task,
                Progress::Result(told(content, &result)),
            )];
        }
        let Some(link) = result.root_cause.clone() else {
            return vec![Output::report(&task, Progress::Result(content))];
        };
        result.evidence.extend(self.history.says(&link));
        let held = Held {
            link: link.clone(),
            result,
            content,
        };
        let proposal = Content::new(link.as_str(), held.result.proposal.clone());
        self.held.insert(task.clone(), held);
        if self.demanding.get(&task) == Some(&true) {
            return vec![Output::Speak {
                task,
                kind: Kind::Fulfillment,
                speech: Speech::offer(vec![proposal]),
            }];
        }
        self.lead_around(&link, now)
    }

    fn lead_around(&mut self, link: &ElementId, now: Timestamp) -> Vec<Output> {
        if let Some(step) = self.reliefs.ask(link, now) {
            return self.relieve(vec![step], now);
        }
        let led_around = self.reliefs.under_way().any(|led| led == link);
        match led_around {
            true => self.release_all(link, true, "traffic is led around it already"),
            false => self.release_all(link, false, "it is left alone, for a detour was in vain"),
        }
    }

    /// Lets the results go that wait for a link, once its traffic is led around, or cannot be.
    fn release(&mut self, link: &ElementId, outcome: &Outcome, next: &[ReliefStep]) -> Vec<Output> {
        let goes_on = next.iter().any(|step| matches!(step, ReliefStep::Act(..)));
        match outcome {
            _ if goes_on => Vec::new(),
            Outcome::Done => self.release_all(link, true, "done: traffic is led around it"),
            Outcome::Impossible(why) => self.release_all(link, false, why),
            _ => self.release_all(link, false, "its configuration cannot be read"),
        }
    }

    fn release_all(&mut self, link: &ElementId, done: bool, words: &str) -> Vec<Output> {
        let waiting = self.held.iter().filter(|(_, held)| held.link == *link);
        let tasks: Vec<TaskId> = waiting.map(|(task, _)| task.clone()).collect();
        let mut outputs = Vec::new();
        for task in tasks {
            if let Some(held) = self.held.remove(&task) {
                outputs.push(released(&task, held, done, words));
            }
        }
        outputs
    }
}

/// The result of a diagnosis with another payload.
fn told(content: Content, result: &DiagnosisResult) -> Content {
    let words = match (&result.root_cause, result.cause) {
        (Some(element), Some(cause)) => format!("{cause} of {element}, {}", result.location),
        _ => return content.with_payload(result.to_payload()),
    };
    content.with_payload(result.to_payload()).with_result(words)
}

fn released(task: &TaskId, held: Held, done: bool, words: &str) -> Output {
    let result = DiagnosisResult {
        proposal: format!("{} ({words})", held.result.proposal),
        automatic: done,
        ..held.result
    };
    Output::report(task, Progress::Result(told(held.content, &result)))
}

#[cfg(test)]
mod tests;
