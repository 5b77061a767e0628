//! The work that agents of all domains do alike: watch, report incidents, diagnose, verify.
//!
//! A domain differs in its [`DomainExpertise`]: which elements are measured around a suspect, and what
//! readings mean. Everything said here is said to whoever published the task; nothing is assumed
//! about who that is. Read next: [`job`], then [`crate::ip_fault`] and [`crate::wireless_fault`].

pub mod job;
mod request;
mod watch;

pub(crate) use request::target_needed;

use crate::alarms::{ActiveAlarms, AlarmKey};
use crate::context::{AgentContext, TaskExecutor};
use crate::knowledge::Knowledge;
use crate::measurement_series::AGREEING;
use crate::payloads::Schema;
use crate::payloads::diagnosis::Suspicion;
use crate::payloads::verification::{VerificationOrder, VerificationResult};
use crate::topology::Topology;
use crate::wording::counted;
use domain::agent::{Ask, Briefing, Input, Output, Progress};
use domain::content::Content;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::reply::{Reply, Verdict};
use domain::task::{Task, TaskId};
use domain::telemetry::{Action, AlarmType, Condition, Measurement, Outcome, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use job::{DiagnosisFinding, DiagnosisJob, Measurements};
use request::Wanted;
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;
use watch::Watch;

/// Seconds within which two good measurements of a site belong together.
const TWICE_WITHIN_S: f64 = 600.0;
/// The most sites measured at one time for a verification.
const VERIFIED_AT_ONCE_MAX: usize = 12;

/// The knowledge of one domain that the others do not have.
pub trait DomainExpertise: Send {
    /// The domain.
    const DOMAIN: Domain;

    /// True if the domain's agent can measure elements of this kind.
    fn measures(kind: ElementKind) -> bool;

    /// The measurements needed to judge a suspicion: the target first, then what tells it from
    /// others. `sites` are out of service, as the publisher says.
    fn plan(
        topology: &Topology,
        suspicion: &Suspicion,
        sites: &BTreeSet<ElementId>,
    ) -> Vec<ElementId>;

    /// The meaning of the readings; none if they do not show a fault.
    fn decide(
        inventory: &Inventory,
        target: &ElementId,
        measured: &Measurements,
    ) -> Option<DiagnosisFinding>;
}

/// The reason why something is being measured.
#[derive(Clone, Debug)]
enum Purpose {
    Job(TaskId),
    Verify,
}

/// The agent of one domain.
#[derive(Debug)]
pub struct DomainAgent<P> {
    context: AgentContext,
    topology: Arc<Topology>,
    watch: Watch,
    jobs: BTreeMap<TaskId, DiagnosisJob>,
    probes: BTreeMap<Token, (ElementId, Purpose)>,
    deadlines: BTreeMap<Token, (TaskId, u32)>,
    /// Sites that measured well the last time, and when.
    well: BTreeMap<ElementId, Timestamp>,
    practice: PhantomData<P>,
}

impl<P: DomainExpertise> TaskExecutor for DomainAgent<P> {
    fn start(briefing: Briefing, now: Timestamp, rng: &mut SeededRng) -> (Self, Vec<Output>) {
        Self::knowing(&Arc::new(Knowledge::in_force()), briefing, now, rng)
    }

    fn knowing(
        knowledge: &Arc<Knowledge>,
        briefing: Briefing,
        now: Timestamp,
        _: &mut SeededRng,
    ) -> (Self, Vec<Output>) {
        let context = AgentContext::open(&briefing, now);
        let prefix = format!("{}-{}", P::DOMAIN.as_str().to_lowercase(), now.as_ms());
        let mut agent = Self {
            topology: Topology::of(&briefing.inventory),
            context,
            watch: Watch::knowing(knowledge.learnt.clone(), P::DOMAIN, prefix),
            jobs: BTreeMap::new(),
            probes: BTreeMap::new(),
            deadlines: BTreeMap::new(),
            well: BTreeMap::new(),
            practice: PhantomData,
        };
        let open = briefing.open.iter();
        let outputs = open.flat_map(|task| agent.resume(task, now)).collect();
        (agent, outputs)
    }

    fn take(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        let mut outputs = match input {
            Input::Telemetry(Telemetry::Alarm(alarm)) => {
                self.watch.take(&alarm, &self.topology, now);
                Vec::new()
            }
            Input::Acted { token, outcome } => self.acted(token, outcome, now),
            Input::Woken(token) => self.woken(token, now),
            _ => Vec::new(),
        };
        outputs.extend(self.watch.schedule(&mut self.context));
        outputs
    }

    fn feasible(&self, content: &Content) -> Reply {
        match self.understand(content) {
            Ok(_) => Reply::accepted(),
            Err(refusal) => self.instead(content, refusal),
        }
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let (reply, mut outputs) = match self.understand(&ask.content) {
            Err(reply) => (reply, Vec::new()),
            Ok(Wanted::Incidents) => {
                let id = ask.task.id.clone();
                let outputs = self.watch.assign(id, &ask.from, &self.topology);
                (Reply::accepted(), outputs)
            }
            Ok(Wanted::Diagnosis(diagnosis, reading)) => {
                let job = DiagnosisJob::new(&ask.task, diagnosis, reading);
                (Reply::accepted(), self.begin(job, now))
            }
            Ok(Wanted::Verification(verification)) => self.verify(&verification),
        };
        outputs.extend(self.watch.schedule(&mut self.context));
        (reply, outputs)
    }

    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        self.jobs.remove(task);
        self.watch.forget(task);
        self.forget_probes(task);
        Vec::new()
    }

    fn rejected(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let Some(mut job) = self.jobs.remove(&ask.task.id) else {
            return Vec::new();
        };
        let next = job.next_alternatives(|s| self.managed(&s.target).is_ok());
        if next.is_empty() {
            let words =
                "Nothing else of this domain is suspected: there is nothing left to look at";
            let failed = Progress::Failed(Content::new(job.target().as_str(), words));
            return vec![Output::report(&job.task, failed)];
        }
        let mut plan: Vec<ElementId> = Vec::new();
        for suspicion in &next {
            let sites = &job.diagnosis.sites;
            plan.extend(P::plan(&self.topology, suspicion, sites));
        }
        job.look_at(next);
        self.measure(job, plan, now)
    }

    /// Another diagnosis takes the place of one in which nothing has been measured yet.
    fn planned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let id = &ask.task.id;
        let refused = |reason, words: String| {
            let path = "target";
            (Reply::refused(reason, path, words), Vec::new())
        };
        let Some(job) = self.jobs.get(id) else {
            let words = "only a diagnosis can be given another plan";
            return refused("no-other-plan", words.to_owned());
        };
        if job.has_readings() {
            let words = format!("{} is measured already: assign another task", job.target());
            return refused("too-late", words);
        }
        match self.understand(&ask.content) {
            Ok(Wanted::Diagnosis(diagnosis, reading)) => {
                let job = job.replaced_by(diagnosis, reading);
                self.forget_probes(id);
                (Reply::accepted(), self.begin(job, now))
            }
            Ok(_) => refused("other-task", "a diagnosis stays a diagnosis".to_owned()),
            Err(reply) => (reply, Vec::new()),
        }
    }
}

/// The parts that an agent built on this one, with business of its own, shares with it.
impl<P: DomainExpertise> DomainAgent<P> {
    /// The context: tokens and tasks of both are numbered together.
    pub(crate) fn desk_mut(&mut self) -> &mut AgentContext {
        &mut self.context
    }

    /// The context.
    pub(crate) fn context(&self) -> &AgentContext {
        &self.context
    }

    /// The network as documented, indexed.
    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The alarms of the domain.
    pub(crate) fn alarms(&self) -> &ActiveAlarms {
        self.watch.incidents.alarms()
    }

    /// Takes down what was measured for other business: alarms that it disproves are over.
    pub(crate) fn seen(&mut self, measured: &Measurement, now: Timestamp) -> Vec<Output> {
        self.learn(measured.element.clone(), measured.condition, now);
        self.watch.schedule(&mut self.context).into_iter().collect()
    }

    /// Takes down that a condition has gone, whatever its alarm says.
    pub(crate) fn gone(&mut self, key: AlarmKey, now: Timestamp) -> Vec<Output> {
        self.watch.incidents.measured_gone(key, now);
        self.watch.schedule(&mut self.context).into_iter().collect()
    }
}

impl<P: DomainExpertise> DomainAgent<P> {
    /// Goes on with a task from before a restart: what was asked, or agreed on since, is still
    /// wanted; what had been measured is not remembered.
    fn resume(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        match self.understand(task.plan.as_ref().unwrap_or(&task.content)) {
            Ok(Wanted::Incidents) => {
                let id = task.id.clone();
                self.watch.assign(id, &task.from, &self.topology)
            }
            Ok(Wanted::Diagnosis(diagnosis, reading)) => {
                let job = DiagnosisJob::new(task, diagnosis, reading);
                match task.awaits_judgement() {
                    true => {
                        self.jobs.insert(task.id.clone(), job);
                        Vec::new()
                    }
                    false => self.begin(job, now),
                }
            }
            Ok(Wanted::Verification(verification)) => {
                let (reply, mut outputs) = self.verify(&verification);
                outputs.extend(Output::of_reply(
                    &task.id,
                    &task.content.target_object,
                    reply,
                ));
                outputs
            }
            Err(reply) if task.awaits.is_none() => {
                Output::of_reply(&task.id, &task.content.target_object, reply)
                    .into_iter()
                    .collect()
            }
            Err(_) => Vec::new(),
        }
    }

    fn forget_probes(&mut self, task: &TaskId) {
        self.probes
            .retain(|_, (_, purpose)| !matches!(purpose, Purpose::Job(t) if t == task));
    }

    fn begin(&mut self, job: DiagnosisJob, now: Timestamp) -> Vec<Output> {
        let plan = P::plan(
            &self.topology,
            &job.diagnosis.suspicion,
            &job.diagnosis.sites,
        );
        self.measure(job, plan, now)
    }

    fn measure(
        &mut self,
        mut job: DiagnosisJob,
        plan: Vec<ElementId>,
        now: Timestamp,
    ) -> Vec<Output> {
        let fresh = job.planned(plan);
        let words = format!("measuring {} elements", fresh.len());
        let mut outputs = vec![job.working(10, job.reading.before(&words))];
        let probes = job.probes(&fresh);
        outputs.extend(self.probe(probes, &Purpose::Job(job.task.clone())));
        let token = self.context.token();
        self.deadlines.insert(token, (job.task.clone(), job.stage));
        outputs.push(Output::Wake {
            token,
            at: now.plus_s(job::PROBES_LONGEST_S),
        });
        let task = job.task.clone();
        self.jobs.insert(task.clone(), job);
        outputs.extend(self.conclude(&task));
        outputs
    }

    fn probe(&mut self, elements: Vec<ElementId>, purpose: &Purpose) -> Vec<Output> {
        let mut outputs = Vec::new();
        for element in elements {
            let token = self.context.token();
            self.probes
                .insert(token, (element.clone(), purpose.clone()));
            let action = Action::Probe { element };
            outputs.push(Output::Act { token, action });
        }
        outputs
    }

    fn acted(&mut self, token: Token, outcome: Outcome, now: Timestamp) -> Vec<Output> {
        let Some((element, purpose)) = self.probes.remove(&token) else {
            return Vec::new();
        };
        if let Outcome::Measured(m) = &outcome {
            self.learn(m.element.clone(), m.condition, now);
        }
        let Purpose::Job(task) = purpose else {
            return Vec::new();
        };
        let Some(job) = self.jobs.get_mut(&task) else {
            return Vec::new();
        };
        let mut outputs = job.measured(&element, outcome);
        outputs.extend(self.conclude(&task));
        outputs
    }

    /// A site that measures well twice is in service, though the alarm that says so may be lost. Once
    /// may be an error of the instrument.
    fn learn(&mut self, element: ElementId, condition: Condition, now: Timestamp) {
        let inventory = self.topology.inventory();
        let is_site = inventory
            .element(&element)
            .is_some_and(|e| e.kind == ElementKind::Site);
        if !is_site {
            return;
        }
        let well = matches!(condition, Condition::Good | Condition::Degraded);
        let before = self.well.remove(&element);
        if !well {
            return;
        }
        if before.is_none_or(|at| now.seconds_since(at) > TWICE_WITHIN_S) {
            self.well.insert(element, now);
            return;
        }
        for alarm_type in [
            AlarmType::SiteUnreachable,
            AlarmType::CellsOutOfService,
            AlarmType::MainsFailure,
        ] {
            let incidents = &mut self.watch.incidents;
            incidents.measured_gone((element.clone(), alarm_type), now);
        }
    }

    fn woken(&mut self, token: Token, now: Timestamp) -> Vec<Output> {
        if let Some((task, stage)) = self.deadlines.remove(&token) {
            if let Some(job) = self.jobs.get_mut(&task).filter(|j| j.stage == stage) {
                job.give_up_waiting();
            }
            return self.conclude(&task);
        }
        self.watch.woken(token, &self.topology, now)
    }

    /// Reports the result of a job once nothing more is awaited, nor to be measured again.
    fn conclude(&mut self, task: &TaskId) -> Vec<Output> {
        let topology = Arc::clone(&self.topology);
        let inventory = topology.inventory();
        let Some(job) = self.jobs.get_mut(task).filter(|j| j.ready()) else {
            return Vec::new();
        };
        let targets: Vec<ElementId> = job.targets().cloned().collect();
        let read = |measured: &Measurements| {
            let mut targets = targets.iter();
            targets.find_map(|target| P::decide(inventory, target, measured))
        };
        let again = job.again(read);
        if !again.is_empty() {
            return self.probe(again, &Purpose::Job(task.clone()));
        }
        let finding = read(&job.measurements());
        let result = job.result(inventory, finding);
        if !job.is_judged() {
            self.jobs.remove(task);
        }
        vec![result]
    }

    fn verify(&mut self, verification: &VerificationOrder) -> (Reply, Vec<Output>) {
        let alarms = self.watch.incidents.alarms();
        let (still_out, restored): (BTreeSet<ElementId>, _) = verification
            .sites
            .iter()
            .cloned()
            .partition(|s| alarms.site_is_out(s));
        let mut outputs = Vec::new();
        for site in still_out.iter().take(VERIFIED_AT_ONCE_MAX) {
            if self.probes.values().any(|(e, _)| e == site) {
                continue;
            }
            let twice = vec![site.clone(); AGREEING];
            outputs.extend(self.probe(twice, &Purpose::Verify));
        }
        let words = match still_out.len() {
            0 => format!(
                "{} in service",
                counted(restored.len(), "site is", "sites are")
            ),
            n => format!(
                "{n} of {} still out of service",
                counted(verification.sites.len(), "site is", "sites are")
            ),
        };
        let result = VerificationResult {
            restored,
            still_out,
        };
        let content = Content::new("sites", "Verification of service")
            .with_payload(result.to_payload())
            .with_result(words);
        (Reply::new(Verdict::Result, vec![content]), outputs)
    }
}

#[cfg(test)]
mod tests;
