//! One diagnosis: what is measured, what came of it, and the report.
//!
//! Everything is measured twice, and again what is doubtful or condemns
//! ([`crate::measurement_series`]). Knows the course of a diagnosis; what readings mean is the domain's
//! [`super::DomainExpertise`].

use crate::element_names::NamedElements;
use crate::measurement_series::MeasurementRound;
pub use crate::measurement_series::Measurements;
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use domain::agent::{Output, Progress};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::task::{Task, TaskId};
use domain::telemetry::{Measurement, Outcome};
use std::collections::BTreeSet;

/// Seconds after which a diagnosis decides with the readings that have come.
pub const PROBES_LONGEST_S: f64 = 480.0;
/// The most elements measured in one stage.
pub const PROBES_MAX: usize = 16;

/// The finding that readings show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosisFinding {
    /// The broken element.
    pub root_cause: ElementId,
    /// The way in which it is broken.
    pub cause: Cause,
    /// The place, as exactly as the readings say.
    pub location: String,
    /// The thing to do.
    pub proposal: String,
    /// True if the domain mends it without people on site.
    pub automatic: bool,
}

impl DiagnosisFinding {
    /// The result of a diagnosis of `target` that found this.
    pub fn result(self, target: &ElementId, evidence: Vec<String>) -> DiagnosisResult {
        DiagnosisResult {
            target: target.to_string(),
            confirmed: true,
            root_cause: Some(self.root_cause),
            cause: Some(self.cause),
            evidence,
            proposal: self.proposal,
            automatic: self.automatic,
            location: self.location,
        }
    }
}

/// A diagnosis under way.
#[derive(Clone, Debug)]
pub struct DiagnosisJob {
    /// The task it serves.
    pub task: TaskId,
    /// The question asked.
    pub diagnosis: Diagnosis,
    /// The reading of its words.
    pub reading: NamedElements,
    /// True if the publisher judges the result.
    is_judged: bool,
    /// Counts the rounds of measuring, from 1.
    pub stage: u32,
    /// All that is measured, in all stages.
    round: MeasurementRound,
    looked_at: Vec<Suspicion>,
    /// The elements of the stage.
    asked: BTreeSet<ElementId>,
    half_told: bool,
    concluded: bool,
}

impl DiagnosisJob {
    /// A diagnosis just taken on.
    pub fn new(task: &Task, diagnosis: Diagnosis, reading: NamedElements) -> Self {
        Self {
            task: task.id.clone(),
            is_judged: task.content.expected_response.is_some(),
            reading,
            stage: 0,
            round: MeasurementRound::default(),
            looked_at: vec![diagnosis.suspicion.clone()],
            asked: BTreeSet::new(),
            half_told: false,
            concluded: false,
            diagnosis,
        }
    }

    /// The same task with another diagnosis. Stages go on counting, so that a deadline of the old
    /// one does not end the new.
    pub fn replaced_by(&self, diagnosis: Diagnosis, reading: NamedElements) -> Self {
        Self {
            stage: self.stage,
            round: MeasurementRound::default(),
            looked_at: vec![diagnosis.suspicion.clone()],
            reading,
            diagnosis,
            ..self.clone()
        }
    }

    /// True once something has been measured, or could not be.
    pub fn has_readings(&self) -> bool {
        self.round.has_begun()
    }

    /// True if the publisher judges the result.
    pub fn is_judged(&self) -> bool {
        self.is_judged
    }

    /// The element the publisher suspects.
    pub fn target(&self) -> &ElementId {
        &self.diagnosis.suspicion.target
    }

    /// The elements under suspicion, likeliest first.
    pub fn targets(&self) -> impl Iterator<Item = &ElementId> {
        self.looked_at.iter().map(|s| &s.target)
    }

    /// The publisher's alternatives that nobody has looked at yet and that `fit` this domain.
    pub fn next_alternatives(&self, fit: impl Fn(&Suspicion) -> bool) -> Vec<Suspicion> {
        let fresh = |s: &&Suspicion| !self.looked_at.contains(s) && fit(s);
        let alternatives = self.diagnosis.alternatives.iter().filter(fresh);
        alternatives.cloned().collect()
    }

    /// Takes further suspicions up.
    pub fn look_at(&mut self, suspicions: Vec<Suspicion>) {
        self.looked_at.extend(suspicions);
    }

    /// Begins a stage: the elements of `plan` that have not been measured.
    pub fn planned(&mut self, plan: Vec<ElementId>) -> Vec<ElementId> {
        let known: BTreeSet<ElementId> = self.round.elements().cloned().collect();
        let mut fresh: Vec<ElementId> = Vec::new();
        for element in plan {
            if !known.contains(&element) && !fresh.contains(&element) && fresh.len() < PROBES_MAX {
                fresh.push(element);
            }
        }
        self.stage += 1;
        self.asked = fresh.iter().cloned().collect();
        self.half_told = false;
        self.concluded = false;
        fresh
    }

    /// The probes with which a stage begins.
    pub fn probes(&mut self, fresh: &[ElementId]) -> Vec<ElementId> {
        self.round.begin(fresh)
    }

    /// Takes down how one probe ended; tells the publisher at half way.
    pub fn measured(&mut self, element: &ElementId, outcome: Outcome) -> Vec<Output> {
        self.round.take(element, outcome);
        let awaited = self.asked.iter().filter(|e| self.round.waits_for(e));
        let (awaited, asked) = (awaited.count(), self.asked.len());
        let done = asked - awaited;
        if self.half_told || done * 2 < asked || awaited == 0 {
            return Vec::new();
        }
        self.half_told = true;
        let words = format!("{done} of {asked} elements measured");
        vec![self.working(50, words)]
    }

    /// No longer waits for measurements that have not come.
    pub fn give_up_waiting(&mut self) {
        self.round.give_up();
    }

    /// The probes to be done again: of what failed, of elements of which two measurements say
    /// different conditions, and of all if the two are `read` as different findings.
    pub fn again(
        &mut self,
        read: impl Fn(&Measurements) -> Option<DiagnosisFinding>,
    ) -> Vec<ElementId> {
        let found = |n: usize| read(&self.round.sample(n)).map(|f| (f.root_cause, f.cause));
        let doubtful = found(0) != found(1);
        self.round.again(|_, _| doubtful)
    }

    /// What most measurements of each element say.
    pub fn measurements(&self) -> Measurements {
        self.round.agreed()
    }

    /// True if nothing is awaited, and no result has been reported.
    pub fn ready(&self) -> bool {
        !self.round.waits() && !self.concluded
    }

    /// News of the work.
    pub fn working(&self, percent: u8, words: String) -> Output {
        let content = Content::new(self.target().as_str(), words);
        Output::report(&self.task, Progress::Working { percent, content })
    }

    /// The report of the result.
    pub fn result(&mut self, inventory: &Inventory, finding: Option<DiagnosisFinding>) -> Output {
        self.concluded = true;
        let mut evidence: Vec<String> = self.measurements().values().map(readings).collect();
        evidence.extend(self.round.unmeasured());
        let result = match finding {
            Some(finding) => finding.result(self.target(), evidence),
            None => DiagnosisResult {
                target: self.target().to_string(),
                confirmed: false,
                evidence,
                proposal: "Look for the cause elsewhere: what was measured does not explain it"
                    .to_owned(),
                location: place_of(inventory, self.target()),
                ..DiagnosisResult::default()
            },
        };
        let words = match (&result.root_cause, result.cause) {
            (Some(element), Some(cause)) => format!("{cause} of {element}, {}", result.location),
            _ => format!("No fault of {} can be measured", result.target),
        };
        let content = Content::new(
            self.target().as_str(),
            format!("Diagnosis of {}", result.target),
        )
        .with_payload(result.to_payload())
        .with_result(words);
        Output::report(&self.task, Progress::Result(content))
    }
}

/// The place of an element, for people.
pub fn place_of(inventory: &Inventory, element: &ElementId) -> String {
    let Some(found) = inventory.element(element) else {
        return "not in the inventory".to_owned();
    };
    let kind = match found.kind {
        ElementKind::Link | ElementKind::Duct => "begins in",
        _ => "in",
    };
    let (longitude, latitude) = found.position;
    format!("{kind} {} ({latitude:.4} N, {longitude:.4} E)", found.place)
}

/// A measurement on one line: `link:A-B failed: light_a_dbm -40.0, light_b_dbm -40.0`.
pub fn readings(measurement: &Measurement) -> String {
    let values: Vec<String> = measurement
        .readings
        .iter()
        .map(|(name, value)| format!("{name} {value:.1}"))
        .collect();
    let condition = measurement.condition.as_str();
    if values.is_empty() {
        return format!("{} {condition}", measurement.element);
    }
    format!("{} {condition}: {}", measurement.element, values.join(", "))
}
