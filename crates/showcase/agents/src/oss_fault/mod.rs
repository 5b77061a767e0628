//! The OSS fault management agent: event analysis and cross-domain analysis (draft §2.1, Fig. 1).
//!
//! - [`evidence`]: what domains and customers report, as one body of evidence;
//! - [`correlation`]: which single cause explains it, for several faults at once, by figures that are
//!   learnt ([`crate::knowledge`]);
//! - [`origin`]: where what was learnt from an unlabelled history puts the origin of alarms that nobody
//!   here has a name for, which `learnt` makes cases of;
//! - [`baseline`]: whom one would blame without reasoning;
//! - [`case`]: one fault from suspicion to verified repair; [`workflow`]: the messages on the way, from
//!   [`hypothesis`] over [`judgement`] to [`repair`]; [`masked`]: what is left when a repair does not
//!   bring all back;
//! - [`escalation`]: cases that need people, and how they are not lost;
//! - [`delegation`]: diagnoses that others ask this agent for.
//!
//! Cases live in memory; what must survive a restart is a task at another agent, under an
//! identifier that follows from its element, so that it is found again ([`workflow`]).

pub mod baseline;
pub mod case;
pub mod correlation;
mod delegation;
pub mod escalation;
pub mod evidence;
mod hypothesis;
mod judgement;
mod learnt;
mod masked;
pub(crate) mod news;
pub mod origin;
mod post;
mod repair;
mod workflow;

use crate::alarms::AlarmKey;
use crate::answers::accepted_if;
use crate::context::{AgentContext, TaskExecutor};
use crate::knowledge::Knowledge;
use crate::payloads::Schema;
use crate::payloads::diagnosis::Suspicion;
use crate::payloads::incident::{Incident, IncidentOrder};
use crate::topology::Topology;
use crate::wording::counted;
use baseline::first_alarm_baseline;
use case::{FaultCase, Phase};
use correlation::{Correlator, Explanation, suspicion};
use delegation::Delegation;
use domain::agent::{Ask, Briefing, Input, Message, Output};
use domain::content::Content;
use domain::inventory::{Domain, ElementId};
use domain::notification::Notification;
use domain::profile::Layer;
use domain::reply::Reply;
use domain::task::TaskId;
use domain::telemetry::{AlarmType, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use evidence::{Events, Evidence};
use learnt::Explained;
use news::News;
use origin::OriginFinder;
use post::{Post, Purpose};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Seconds after a change until the evidence is weighed again.
const WEIGH_AFTER_S: f64 = 15.0;
/// Seconds without a change of its evidence after which a case is acted upon.
const SETTLED_S: f64 = 40.0;
/// Seconds after which it is acted upon although evidence still arrives.
const SETTLED_LATEST_S: f64 = 150.0;
/// A case with fewer sites out of service waits.
const MASS_SITES: usize = 2;
/// A score that makes a case urgent while its sites are still in service: mains, say.
const URGENT_SCORE: f64 = 12.0;
/// The time that a case waits that takes out no site, or one of several, in seconds: most end by
/// themselves.
const PATIENCE_S: f64 = 900.0;

/// The reason why the agent wanted to be woken.
#[derive(Clone, Debug)]
enum Timer {
    Weigh,
    Verify(u64),
    /// Looks whether anything was heard of the task that a case has in hand.
    Check(u64, TaskId),
    /// Looks whether an escalated case still stands.
    Again(u64),
}

/// The OSS fault management agent.
#[derive(Debug)]
pub struct OssFault {
    context: AgentContext,
    knowledge: Arc<Knowledge>,
    correlator: Correlator,
    /// By what an unlabelled history taught; none if there was none.
    origins: Option<OriginFinder>,
    standing: BTreeMap<TaskId, Domain>,
    events: Events,
    cases: Vec<FaultCase>,
    opened: u64,
    post: Post,
    timers: BTreeMap<Token, Timer>,
    weighing_at: Option<Timestamp>,
    delegations: Vec<Delegation>,
    /// Tasks of cases, also of those that ended: late news of them opens nothing.
    known: BTreeSet<TaskId>,
    local: BTreeSet<ElementId>,
}

impl TaskExecutor for OssFault {
    fn start(briefing: Briefing, now: Timestamp, rng: &mut SeededRng) -> (Self, Vec<Output>) {
        Self::knowing(&Arc::new(Knowledge::in_force()), briefing, now, rng)
    }

    fn knowing(
        knowledge: &Arc<Knowledge>,
        briefing: Briefing,
        now: Timestamp,
        _: &mut SeededRng,
    ) -> (Self, Vec<Output>) {
        let topology = Topology::of(&briefing.inventory);
        let mut oss = Self {
            context: AgentContext::open(&briefing, now),
            knowledge: Arc::clone(knowledge),
            origins: learnt::finder(knowledge, &topology),
            correlator: Correlator::knowing(topology, Arc::clone(knowledge)),
            standing: BTreeMap::new(),
            events: Events::default(),
            cases: Vec::new(),
            opened: 0,
            post: Post::default(),
            timers: BTreeMap::new(),
            weighing_at: None,
            delegations: Vec::new(),
            known: BTreeSet::new(),
            local: BTreeSet::new(),
        };
        let mut outputs = oss.order_incidents(now);
        for task in &briefing.open {
            outputs.extend(oss.resume(task));
        }
        (oss, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Telemetry(Telemetry::Complaint(complaint)) => {
                self.events.complaint(complaint);
                self.weigh_soon(now)
            }
            Input::Notified(news) => self.notified(&news, now),
            Input::Replied { token, reply } => self.replied(token, reply, now),
            Input::Woken(token) => self.woken(token, now),
            _ => Vec::new(),
        }
    }

    fn feasible(&self, content: &Content) -> Reply {
        accepted_if(self.understand(content))
    }

    fn assigned(&mut self, ask: &Ask, _: Timestamp) -> (Reply, Vec<Output>) {
        self.delegation_asked(&ask.task.id, &ask.content)
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.undelegate(task);
        Vec::new()
    }

    fn rejected(&mut self, ask: &Ask, _: Timestamp) -> Vec<Output> {
        self.delegation_rejected(ask)
    }
}

impl OssFault {
    /// One standing task for each domain that has an agent.
    fn order_incidents(&mut self, now: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        for domain in [Domain::Wireless, Domain::Ip] {
            let found = self
                .context
                .colleague(IncidentOrder::ID, Layer::Resource, Some(domain));
            let Some(to) = found else {
                outputs.push(Output::Note(format!(
                    "No agent reports incidents of the {} domain",
                    domain.as_str()
                )));
                continue;
            };
            let task = self.context.task_id(now);
            self.standing.insert(task.clone(), domain);
            let words = format!("Report every incident of the {} domain", domain.as_str());
            let content = Content::new(format!("{} network", domain.as_str()), words)
                .with_payload(IncidentOrder { domain }.to_payload());
            let message = Message::new(to, Verb::TaskAssign, task, content);
            outputs.push(self.send(Purpose::Standing(domain), message));
        }
        outputs
    }

    fn notified(&mut self, news: &Notification, now: Timestamp) -> Vec<Output> {
        if self.standing.contains_key(&news.task) {
            let incident = Incident::in_content(&news.content);
            let changed = incident.is_some_and(|i| self.events.incident(i));
            return match changed {
                true => self.weigh_soon(now),
                false => Vec::new(),
            };
        }
        let news = News::from(news);
        match self.delegations.iter().any(|d| d.task == news.task) {
            true => self.delegation_notified(&news),
            false => self.case_notified(&news, now),
        }
    }

    fn weigh_soon(&mut self, now: Timestamp) -> Vec<Output> {
        let at = now.plus_s(WEIGH_AFTER_S);
        self.weigh_at(at).into_iter().collect()
    }

    fn weigh_at(&mut self, at: Timestamp) -> Option<Output> {
        if self.weighing_at.is_some_and(|planned| planned <= at) {
            return None;
        }
        self.weighing_at = Some(at);
        Some(self.wake(Timer::Weigh, at))
    }

    fn wake(&mut self, timer: Timer, at: Timestamp) -> Output {
        let token = self.context.token();
        self.timers.insert(token, timer);
        Output::Wake { token, at }
    }

    fn woken(&mut self, token: Token, now: Timestamp) -> Vec<Output> {
        match self.timers.remove(&token) {
            Some(Timer::Weigh) => {
                if self.weighing_at.is_none_or(|at| at > now) {
                    return Vec::new();
                }
                self.weighing_at = None;
                self.weigh(now)
            }
            Some(Timer::Verify(case)) => self.verify(case, now),
            Some(Timer::Check(case, task)) => self.check(case, task, now),
            Some(Timer::Again(case)) => self.again(case, now),
            None => Vec::new(),
        }
    }

    /// Weighs all evidence: opens cases, gives open ones new hypotheses, acts on settled ones.
    fn weigh(&mut self, now: Timestamp) -> Vec<Output> {
        let evidence = self.unexplained(now);
        let mut outputs = Vec::new();
        let mut matched = BTreeSet::new();
        for explanation in self.correlator.explain(&evidence, now) {
            let best = self.correlator.candidate(explanation.ranked[0].index);
            if best.cause.is_none() {
                let site = best.element.clone();
                if self.local.insert(site.clone()) {
                    outputs.push(Output::Note(format!(
                        "{site} looks like trouble of its own: no shared cause explains it better"
                    )));
                }
                continue;
            }
            matched.insert(self.place(explanation, &evidence, now, &mut outputs));
        }
        matched.extend(self.place_learnt(&evidence, now, &mut outputs));
        outputs.extend(self.forget_unseen(&matched, now));
        for number in matched {
            outputs.extend(self.act_if_settled(number, now));
        }
        outputs
    }

    /// The evidence that no confirmed, escalated or ended case accounts for.
    fn unexplained(&mut self, now: Timestamp) -> Evidence {
        let mut evidence = self.events.evidence(now);
        for case in &self.cases {
            self.account_for(case, &mut evidence, now);
        }
        evidence
    }

    /// Takes out of `evidence` what a case accounts for. What it left to another fault stays, as if
    /// noticed at its repair.
    fn account_for(&self, case: &FaultCase, evidence: &mut Evidence, now: Timestamp) {
        let before = case.ended_at.unwrap_or(now);
        let root = case.root.as_ref().map(|(element, _)| element);
        if let Some(candidate) = root.and_then(|root| self.correlator.of_element(root)) {
            for key in self.correlator.expected(candidate) {
                let Some(at) = evidence.alarms.get_mut(key).filter(|at| **at <= before) else {
                    continue;
                };
                match (case.leaves.contains(key), case.repaired_at) {
                    (true, Some(repaired_at)) => *at = repaired_at.max(*at),
                    _ => drop(evidence.alarms.remove(key)),
                }
            }
        }
        self.account_for_learnt(case, evidence, before);
        if case.phase == Phase::Escalated {
            evidence
                .alarms
                .retain(|key, _| !case.explains.contains(key));
        }
    }

    /// Gives an explanation to the open case it is about, or opens one; its number.
    fn place(
        &mut self,
        explanation: Explanation,
        evidence: &Evidence,
        now: Timestamp,
        outputs: &mut Vec<Output>,
    ) -> u64 {
        let explains = self.correlator.keys(&explanation.ranked[0].explains);
        let sites = explains
            .iter()
            .filter(|(_, t)| {
                use domain::telemetry::AlarmType::{CellsOutOfService, SiteUnreachable};
                matches!(t, SiteUnreachable | CellsOutOfService)
            })
            .map(|(e, _)| e.clone())
            .collect();
        let explained = Explained {
            ranked: explanation.ranked,
            explains,
            sites,
        };
        self.place_explained(explained, evidence, now, outputs)
    }

    /// Gives what explains some alarms to the open case it is about, or opens one; its number.
    fn place_explained(
        &mut self,
        explained: Explained,
        evidence: &Evidence,
        now: Timestamp,
        outputs: &mut Vec<Output>,
    ) -> u64 {
        let Explained {
            ranked,
            explains,
            sites,
        } = explained;
        let ours = |c: &&mut FaultCase| {
            c.is_open() && c.root.is_none() && !c.explains.is_disjoint(&explains)
        };
        let existing = self.cases.iter_mut().find(ours).map(|c| c.number);
        let number = existing.unwrap_or_else(|| {
            self.opened += 1;
            self.cases.push(FaultCase::new(self.opened, now));
            self.opened
        });
        let behind = self.events.behind(&explains);
        let incident_ids: Vec<String> = behind.iter().map(|i| i.incident_id.clone()).collect();
        let Some(case) = self.cases.iter_mut().find(|c| c.number == number) else {
            return number;
        };
        let changed = case.explains != explains;
        case.explains = explains;
        case.incident_ids = incident_ids;
        case.sites = sites;
        case.ranked = ranked;
        if changed {
            case.changed_at = now;
        }
        if existing.is_none() {
            outputs.push(Output::Note(self.opening(number, evidence)));
        }
        number
    }

    fn opening(&self, number: u64, evidence: &Evidence) -> String {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return String::new();
        };
        let best = &case.ranked[0];
        let candidate = self.correlator.candidate(best.index);
        let first = self.events.first_alarms(&case.incident_ids);
        let blamed = first_alarm_baseline(self.correlator.inventory(), &first);
        let blamed = blamed.map_or("nothing".to_owned(), |s| {
            format!("{} of {}", s.cause, s.target)
        });
        format!(
            "Case {number}: {} explains {} of {} (score {:.1}); the first alarm alone would \
             blame {blamed}",
            candidate.element,
            case.explains.len(),
            counted(
                evidence.alarms.len() + evidence.strange.len(),
                "alarm",
                "alarms"
            ),
            best.score
        )
    }

    /// Acts on a case whose evidence has settled; asks to be woken for one that has not.
    fn act_if_settled(&mut self, number: u64, now: Timestamp) -> Vec<Output> {
        let Some(case) = self.cases.iter().find(|c| c.number == number) else {
            return Vec::new();
        };
        if case.phase != Phase::Settling {
            return Vec::new();
        }
        let quiet = case.changed_at.plus_s(SETTLED_S);
        let latest = case.opened_at.plus_s(SETTLED_LATEST_S);
        let settled = quiet.min(latest);
        let best = &case.ranked[0];
        let shared = self.correlator.candidate(best.index).sites.len() >= MASS_SITES;
        let urgent = case.sites.len() >= MASS_SITES || (shared && best.score >= URGENT_SCORE);
        // A module that darkens is replaced before it takes service with it.
        let foretold = self.correlator.candidate(best.index).cause
            == Some(domain::cause::Cause::OpticalModuleAgeing);
        let due = if urgent || foretold || case.retries > 0 {
            settled
        } else if shared {
            case.opened_at.plus_s(PATIENCE_S)
        } else {
            case.opened_at.plus_s(self.outlasts_s(case))
        };
        if due > now {
            return self.weigh_at(due).into_iter().collect();
        }
        self.next_hypothesis(number, now)
    }

    /// The time that a case waits whose cause can take out a single site only: that is the wireless
    /// domain's own, or ends by itself, until one of its alarms has stood for longer than such
    /// things last.
    fn outlasts_s(&self, case: &FaultCase) -> f64 {
        // Of a type without a name here it is not known how long it lasts.
        let named = |key: &&AlarmKey| key.1 != AlarmType::Unknown;
        let explained = case.explains.iter().filter(named);
        let lasts = explained.map(|(_, of_type)| self.knowledge.lasts_s(*of_type));
        let first = lasts.min_by(f64::total_cmp);
        first.unwrap_or_default().max(PATIENCE_S)
    }

    /// The hypotheses of a case that have not been put to the test, likeliest first.
    fn untried(&self, case: &FaultCase) -> Vec<Suspicion> {
        let mut found: Vec<Suspicion> = Vec::new();
        for ranked in &case.ranked {
            let Some(s) = suspicion(self.correlator.candidate(ranked.index)) else {
                continue;
            };
            if !case.tried.contains(&s.target) {
                found.push(s);
            }
        }
        found
    }

    fn case(&mut self, number: u64) -> Option<&mut FaultCase> {
        self.cases.iter_mut().find(|c| c.number == number)
    }
}

#[cfg(test)]
mod tests;
