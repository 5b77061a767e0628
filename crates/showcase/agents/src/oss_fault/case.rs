//! One fault under investigation.
//!
//! ```text
//! settling ─► negotiating ─► diagnosing ─► repairing ─► verifying ─► closed
//!    ▲             │refused      │not confirmed  │nothing found
//!    └─ evidence   └─────────────┴───────────────┴─► next agent or hypothesis, or escalated
//!    ▲                                                                             │
//!    └───────────────────────── still stands after an hour ────────────────────────┘
//! ```
//!
//! Knows where a case stands; the messages are in [`super::workflow`] and [`super::repair`].

use super::correlation::Ranked;
use crate::alarms::AlarmKey;
use crate::payloads::diagnosis::{DiagnosisResult, Suspicion};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::task::TaskId;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The most hypotheses put to the test in one case.
pub const HYPOTHESES_MAX: usize = 8;
/// Verifications before a repair is held to have failed: one each minute.
pub const VERIFICATIONS_MAX: u32 = 45;

/// The phase of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Evidence is still arriving.
    Settling,
    /// A domain agent is asked whether it could diagnose the hypothesis.
    Negotiating(TaskId),
    /// It does.
    Diagnosing(TaskId),
    /// A trouble ticket is being worked on.
    Repairing(TaskId),
    /// The repair is done; service is being verified before the ticket is accepted.
    Verifying(TaskId),
    /// It has ended, well or as a duplicate.
    Closed,
    /// Every hypothesis is refuted, or nobody agrees to go on: people are needed.
    Escalated,
}

/// The ticket of an escalated case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escalation {
    /// Its task.
    pub task: TaskId,
    /// The one who keeps it.
    pub to: String,
}

/// A fault under investigation.
#[derive(Clone, Debug)]
pub struct FaultCase {
    /// Names it.
    pub number: u64,
    /// The instant at which the first evidence of it was weighed.
    pub opened_at: Timestamp,
    /// The instant at which its evidence changed last.
    pub changed_at: Timestamp,
    /// The instant at which it ended.
    pub ended_at: Option<Timestamp>,
    /// Its phase.
    pub phase: Phase,
    /// The one who executes the task in hand.
    pub executor: String,
    /// The causes that it may have, likeliest first.
    pub ranked: Vec<Ranked>,
    /// The alarms it is about.
    pub explains: BTreeSet<AlarmKey>,
    /// The incidents that hold them.
    pub incident_ids: Vec<String>,
    /// The sites out of service, as far as observed.
    pub sites: BTreeSet<ElementId>,
    /// All that has been put to the test.
    pub tried: BTreeSet<ElementId>,
    /// The suspicion that is being put to the test.
    pub current: Option<Suspicion>,
    /// The agents that it was proposed to.
    pub asked: BTreeSet<String>,
    /// True once the diagnosis under way was rejected.
    pub rejected: bool,
    /// True if something was heard of the task in hand, of late.
    pub heard: bool,
    /// True once a question about the task in hand was answered.
    pub answered: bool,
    /// The cause that was confirmed.
    pub root: Option<(ElementId, Cause)>,
    /// The result that confirmed it.
    pub finding: Option<DiagnosisResult>,
    /// The sites to bring back.
    pub affected: BTreeSet<ElementId>,
    /// The number of times that service has been verified.
    pub verifications: u32,
    /// True once the repair was rejected.
    pub repair_rejected: bool,
    /// The instant at which its repair was reported.
    pub repaired_at: Option<Timestamp>,
    /// The sites that were out at the last verification.
    pub still_out: BTreeSet<ElementId>,
    /// Verifications for which these have been the same.
    pub unchanged: u32,
    /// Alarms that its cause could have raised and that another fault keeps standing.
    pub leaves: BTreeSet<AlarmKey>,
    /// The ticket for people, while there is one.
    pub escalation: Option<Escalation>,
    /// The number of times that it was put to the test anew after it had been given to people.
    pub retries: u32,
}

impl FaultCase {
    /// A case just opened.
    pub fn new(number: u64, now: Timestamp) -> Self {
        Self {
            number,
            opened_at: now,
            changed_at: now,
            ended_at: None,
            phase: Phase::Settling,
            executor: String::new(),
            ranked: Vec::new(),
            explains: BTreeSet::new(),
            incident_ids: Vec::new(),
            sites: BTreeSet::new(),
            tried: BTreeSet::new(),
            current: None,
            asked: BTreeSet::new(),
            rejected: false,
            heard: false,
            answered: false,
            root: None,
            finding: None,
            affected: BTreeSet::new(),
            verifications: 0,
            repair_rejected: false,
            repaired_at: None,
            still_out: BTreeSet::new(),
            unchanged: 0,
            leaves: BTreeSet::new(),
            escalation: None,
            retries: 0,
        }
    }

    /// True until it is closed or escalated.
    pub fn is_open(&self) -> bool {
        !matches!(self.phase, Phase::Closed | Phase::Escalated)
    }

    /// Goes on with a task that nothing has been heard of yet.
    pub fn take_up(&mut self, phase: Phase, executor: &str) {
        self.phase = phase;
        self.executor = executor.to_owned();
        self.heard = false;
        self.answered = false;
    }

    /// Begins anew with an escalated case: nothing has been tried, its evidence has settled.
    pub fn reopen(&mut self, now: Timestamp) {
        *self = Self {
            opened_at: self.opened_at,
            changed_at: self.changed_at,
            ranked: std::mem::take(&mut self.ranked),
            explains: std::mem::take(&mut self.explains),
            incident_ids: std::mem::take(&mut self.incident_ids),
            sites: std::mem::take(&mut self.sites),
            escalation: self.escalation.take(),
            retries: self.retries,
            ..Self::new(self.number, now)
        };
    }

    /// Ends it.
    pub fn end(&mut self, phase: Phase, now: Timestamp) {
        self.phase = phase;
        self.ended_at = Some(now);
    }

    /// True if the case has `task` in hand.
    pub fn holds(&self, task: &TaskId) -> bool {
        match &self.phase {
            Phase::Negotiating(t)
            | Phase::Diagnosing(t)
            | Phase::Repairing(t)
            | Phase::Verifying(t) => t == task,
            Phase::Settling | Phase::Closed | Phase::Escalated => false,
        }
    }
}
