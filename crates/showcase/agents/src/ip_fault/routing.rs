//! The care for routers whose states and configuration can be read: what is wrong is found, told,
//! and set right as an engineer would.
//!
//! Only where routers of a known make stand ([`MAKE`]). Once a survey is in, the [`findings`] are
//! read from it; the same must be found twice in turn before anything is told or done. While
//! nothing is alarmed, configurations are read again and again and remembered ([`memory`]): there
//! is no plan. Read next: [`findings`].

pub mod findings;
pub mod memory;

use super::{IpFault, Purpose};
use crate::alarms::{ActiveAlarms, AlarmChange, AlarmKey};
use domain::agent::{Input, Output};
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::{Action, Alarm, AlarmType, Outcome, Telemetry};
use domain::time::Timestamp;
use findings::{RoutingFinding, RoutingSurvey, SurveyReading};
use memory::{ConfigurationMemory, ParameterChange};
use std::collections::BTreeSet;

/// The make of routers whose parameters are known here.
pub const MAKE: &str = "FRRouting";

/// Seconds from an alarm to the first survey: others follow it.
const SETTLE_S: f64 = 3.0;
/// Seconds from one survey to the next while alarms stand.
const AGAIN_S: f64 = 3.0;
/// Seconds from a remedy to the look whether it helped.
const HELPS_WITHIN_S: f64 = 12.0;
/// Seconds between two readings of all configurations for each element, and at least.
const AUDIT_EACH_S: (f64, f64) = (0.5, 10.0);
/// Surveys without a finding after which alarms are left alone until another comes.
const IDLE_SURVEYS_MAX: u32 = 20;

/// What an action was for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoutingAsk {
    /// Measuring, for the survey with this number.
    Measure(u64, ElementId),
    /// Reading a configuration, for the survey with this number.
    Read(u64, ElementId),
    /// A remedy.
    Remedy,
    /// A time that has come.
    Due(u64),
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingStep {
    /// An action.
    Act(RoutingAsk, Action),
    /// To be asked again after so many seconds.
    Wake(RoutingAsk, f64),
    /// Words for people.
    Note(String),
}

/// A survey whose answers come in.
#[derive(Clone, Debug)]
struct Running {
    waits: BTreeSet<RoutingAsk>,
    found: RoutingSurvey,
}

/// The care for the routers of a network.
#[derive(Debug, Default)]
pub struct RoutingCare {
    routers: Vec<ElementId>,
    links: Vec<ElementId>,
    alarms: ActiveAlarms,
    memory: ConfigurationMemory,
    running: Option<Running>,
    suspected: Option<RoutingFinding>,
    /// A finding that was set right, until it is looked at whether that helped.
    applied: Option<RoutingFinding>,
    /// Findings that were told and stand: what sets them right did not help, or an engineer is wanted.
    left: Vec<RoutingFinding>,
    idle: u32,
    numbers: u64,
    due: Option<u64>,
    audited: Option<Timestamp>,
}

impl RoutingCare {
    /// The care for the routers of a known make; none if there are none.
    pub fn of(inventory: &Inventory) -> Option<Self> {
        let routers = inventory.of_kind(ElementKind::Router);
        let routers = routers.filter(|router| router.vendor == MAKE);
        let routers: Vec<ElementId> = routers.map(|router| router.id.clone()).collect();
        let links = inventory.links.iter().filter(|(_, link)| {
            link.backbone && routers.contains(&link.a) && routers.contains(&link.b)
        });
        let links = links.map(|(id, _)| id.clone()).collect();
        (!routers.is_empty()).then(|| Self {
            routers,
            links,
            ..Self::default()
        })
    }

    /// What is alarmed, and of what type.
    fn alarmed(&self) -> impl Iterator<Item = &AlarmKey> {
        self.alarms.standing().map(|(key, _)| key)
    }

    /// Takes down an alarm. What was found is told anew once all alarms about it are over and come back.
    pub fn heard(&mut self, alarm: &Alarm, inventory: &Inventory) -> Vec<RoutingStep> {
        match self.alarms.take(alarm) {
            AlarmChange::Raised => {
                self.idle = 0;
                self.survey_in(SETTLE_S)
            }
            AlarmChange::Cleared => {
                let standing = self.alarms.standing().map(|((element, _), _)| element);
                let standing: BTreeSet<&ElementId> = standing.collect();
                self.left.retain(|finding| {
                    let shows_at = |alarmed| finding.shows_at(alarmed, inventory);
                    !shows_at(&alarm.resource) || standing.iter().any(|at| shows_at(at))
                });
                Vec::new()
            }
            AlarmChange::Redated | AlarmChange::Nothing => Vec::new(),
        }
    }

    /// A period has passed: all configurations are read from time to time.
    pub fn passed(&mut self, inventory: &Inventory, now: Timestamp) -> Vec<RoutingStep> {
        let (each, least) = AUDIT_EACH_S;
        let elements = (self.routers.len() + self.links.len()) as f64;
        let pause = (each * elements).max(least);
        let recent = self.audited.is_some_and(|at| now.seconds_since(at) < pause);
        if recent || self.running.is_some() || self.applied.is_some() {
            return Vec::new();
        }
        self.audited = Some(now);
        self.survey(inventory, true)
    }

    /// A time has come.
    pub fn woken(&mut self, ask: &RoutingAsk, inventory: &Inventory) -> Vec<RoutingStep> {
        let RoutingAsk::Due(number) = ask else {
            return Vec::new();
        };
        if self.due != Some(*number) {
            return Vec::new();
        }
        self.due = None;
        match self.running.is_some() {
            true => self.survey_in(AGAIN_S),
            false => self.survey(inventory, false),
        }
    }

    /// Takes down how an action ended.
    pub fn answered(
        &mut self,
        ask: &RoutingAsk,
        outcome: &Outcome,
        inventory: &Inventory,
        now: Timestamp,
    ) -> Vec<RoutingStep> {
        if *ask == RoutingAsk::Remedy {
            return match outcome {
                Outcome::Impossible(why) | Outcome::Failed(why) => {
                    vec![RoutingStep::Note(format!(
                        "it cannot be set right from afar: {why}"
                    ))]
                }
                _ => Vec::new(),
            };
        }
        let Some(running) = self.running.as_mut() else {
            return Vec::new();
        };
        if !running.waits.remove(ask) {
            return Vec::new();
        }
        match (ask, outcome) {
            (RoutingAsk::Measure(_, element), Outcome::Measured(measured)) => {
                running
                    .found
                    .measured
                    .insert(element.clone(), measured.clone());
            }
            (RoutingAsk::Read(_, element), Outcome::Configuration(read)) => {
                running
                    .found
                    .read
                    .insert(element.clone(), read.running.clone());
            }
            _ => {}
        }
        match running.waits.is_empty() {
            true => self.surveyed(inventory, now),
            false => Vec::new(),
        }
    }

    fn survey_in(&mut self, seconds: f64) -> Vec<RoutingStep> {
        if self.due.is_some() {
            return Vec::new();
        }
        self.numbers += 1;
        self.due = Some(self.numbers);
        vec![RoutingStep::Wake(RoutingAsk::Due(self.numbers), seconds)]
    }

    /// Measures and reads what alarms are about; of everything, if all is to be audited or a site
    /// is not reached, the configuration.
    fn survey(&mut self, inventory: &Inventory, all: bool) -> Vec<RoutingStep> {
        let unreached = self
            .alarmed()
            .any(|(_, t)| *t == AlarmType::SiteUnreachable);
        let all = all || unreached || self.suspected.is_some() || self.applied.is_some();
        let alarmed = |element: &ElementId| self.alarms.on(element).next().is_some();
        let touched = |link: &ElementId| {
            let ends = inventory.links.get(link).map(|l| [&l.a, &l.b]);
            alarmed(link) || ends.into_iter().flatten().any(alarmed)
        };
        let links: Vec<ElementId> = self.links.iter().filter(|l| touched(l)).cloned().collect();
        let at_end = |router: &ElementId| {
            let ends = links.iter().filter_map(|link| inventory.links.get(link));
            let mut ends = ends.flat_map(|link| [&link.a, &link.b]);
            alarmed(router) || ends.any(|end| end == router)
        };
        let routers = self
            .routers
            .iter()
            .filter(|router| at_end(router) || unreached);
        let measured: Vec<ElementId> = links.iter().chain(routers).cloned().collect();
        let everything = self.links.iter().chain(&self.routers);
        let read: Vec<ElementId> = match all {
            true => everything.cloned().collect(),
            false => links,
        };
        self.numbers += 1;
        let number = self.numbers;
        let measures = measured.into_iter().map(|element| {
            let ask = RoutingAsk::Measure(number, element.clone());
            RoutingStep::Act(ask, Action::Probe { element })
        });
        let reads = read.into_iter().map(|element| {
            let ask = RoutingAsk::Read(number, element.clone());
            RoutingStep::Act(ask, Action::ReadConfiguration { element })
        });
        let steps: Vec<RoutingStep> = measures.chain(reads).collect();
        let asks = steps.iter().filter_map(|step| match step {
            RoutingStep::Act(ask, _) => Some(ask.clone()),
            _ => None,
        });
        if !steps.is_empty() {
            self.running = Some(Running {
                waits: asks.collect(),
                found: RoutingSurvey::default(),
            });
        }
        steps
    }

    fn surveyed(&mut self, inventory: &Inventory, now: Timestamp) -> Vec<RoutingStep> {
        let Some(running) = self.running.take() else {
            return Vec::new();
        };
        let mut survey = running.found;
        survey.alarms = self.alarmed().cloned().collect();
        let findings = SurveyReading {
            inventory,
            memory: &self.memory,
            survey: &survey,
        }
        .findings();
        if let Some(applied) = self.applied.take() {
            return self.looked_after(applied, &findings);
        }
        // What was told and stands hides nothing else.
        let mut news = findings.into_iter().filter(|f| !self.is_left(f));
        let Some(finding) = news.next() else {
            self.suspected = None;
            return self.nothing_found(&survey, now);
        };
        self.idle = 0;
        let twice = self
            .suspected
            .take()
            .is_some_and(|s| s.agrees_with(&finding));
        if !twice {
            self.suspected = Some(finding);
            return self.survey_in(AGAIN_S);
        }
        self.confirmed(finding)
    }

    fn is_left(&self, finding: &RoutingFinding) -> bool {
        self.left.iter().any(|left| left.agrees_with(finding))
    }

    /// Remembers what is well; asks for another survey while alarms stand.
    fn nothing_found(&mut self, survey: &RoutingSurvey, now: Timestamp) -> Vec<RoutingStep> {
        let alarmed: BTreeSet<ElementId> = self.alarmed().map(|(e, _)| e.clone()).collect();
        if alarmed.is_empty() {
            self.left.clear();
        }
        for (element, read) in &survey.read {
            if !alarmed.contains(element) && (alarmed.is_empty() || !self.memory.knows(element)) {
                self.memory.remember(element, read, now);
            }
        }
        for element in &alarmed {
            self.memory.doubt(element);
        }
        self.idle += 1;
        match alarmed.is_empty() || self.idle > IDLE_SURVEYS_MAX {
            true => Vec::new(),
            false => self.survey_in(AGAIN_S),
        }
    }

    fn confirmed(&mut self, finding: RoutingFinding) -> Vec<RoutingStep> {
        let mut steps = vec![RoutingStep::Note(finding.words())];
        if finding.remedy.is_empty() {
            // An engineer's work takes its time; other alarms are looked into meanwhile.
            self.left.push(finding);
            return steps;
        }
        let remedies = finding.remedy.iter().cloned();
        steps.extend(remedies.map(|action| RoutingStep::Act(RoutingAsk::Remedy, action)));
        self.numbers += 1;
        self.applied = Some(finding);
        self.due = Some(self.numbers);
        steps.push(RoutingStep::Wake(
            RoutingAsk::Due(self.numbers),
            HELPS_WITHIN_S,
        ));
        steps
    }

    /// Looks whether a remedy helped: the same is not found again.
    fn looked_after(
        &mut self,
        applied: RoutingFinding,
        findings: &[RoutingFinding],
    ) -> Vec<RoutingStep> {
        let same = |f: &RoutingFinding| (&f.element, f.cause) == (&applied.element, applied.cause);
        let is_found = findings.iter().any(same);
        let element = &applied.element;
        let stands = self.alarms.on(element).next().is_some();
        let mut steps = Vec::new();
        if is_found || stands {
            steps.push(RoutingStep::Note(format!(
                "{} of {element}: setting it right has not helped yet",
                applied.cause
            )));
        } else {
            steps.push(RoutingStep::Note(format!("{element} is well again")));
            let changes = applied.changes.iter();
            for change in changes.cloned().collect::<Vec<_>>() {
                let restored = ParameterChange {
                    is: change.was.clone(),
                    ..change
                };
                self.memory.remember_one(element, &restored);
            }
        }
        if is_found {
            self.left.push(applied);
        }
        if self.alarmed().next().is_some() {
            steps.extend(self.survey_in(AGAIN_S));
        }
        steps
    }
}

impl IpFault {
    /// What the care for routers makes of an input.
    pub(super) fn care_for_routers(&mut self, input: &Input, now: Timestamp) -> Vec<Output> {
        let inventory = self.topology.inventory();
        let steps = match (&mut self.routing, input) {
            (Some(care), Input::Telemetry(Telemetry::Alarm(alarm))) => care.heard(alarm, inventory),
            (Some(care), Input::Telemetry(Telemetry::Performance(_))) => {
                care.passed(inventory, now)
            }
            _ => Vec::new(),
        };
        self.cared(steps, now)
    }

    pub(super) fn routing_answered(
        &mut self,
        ask: &RoutingAsk,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Vec<Output> {
        let inventory = self.topology.inventory();
        let care = self.routing.as_mut();
        let steps = care.map(|care| care.answered(ask, outcome, inventory, now));
        self.cared(steps.unwrap_or_default(), now)
    }

    pub(super) fn routing_woken(&mut self, ask: &RoutingAsk, now: Timestamp) -> Vec<Output> {
        let inventory = self.topology.inventory();
        let steps = self.routing.as_mut().map(|care| care.woken(ask, inventory));
        self.cared(steps.unwrap_or_default(), now)
    }

    fn cared(&mut self, steps: Vec<RoutingStep>, now: Timestamp) -> Vec<Output> {
        let output = |step| match step {
            RoutingStep::Act(ask, action) => self.act(Purpose::Routing(ask), action),
            RoutingStep::Wake(ask, after_s) => Output::Wake {
                token: self.token(Purpose::Routing(ask)),
                at: now.plus_s(after_s),
            },
            RoutingStep::Note(words) => Output::Note(words),
        };
        steps.into_iter().map(output).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "routing/care_tests.rs"]
mod care_tests;
