//! One trouble of the wireless network, from the first alarms to verified service.
//!
//! ```text
//!   checking ──► waiting ──► configuration ──► measuring ──► asking ──► diagnosing ──► repairing ──► verifying ──► (closed)
//!      │            │ differs         │ known                  │ known        ▲             │
//!      │            └► configuring ───┼────────────────────────┴──────────────┘             │ not yet
//!      │                              └► restarting ──────────────────────────────────────► │
//!      └─ cause shared with other sites ──► left to the OSS agent ◄────── nothing found ◄───┘
//! ```
//! Whether anything is the matter at all is checked first, unless two kinds of alarms agree that it is: what
//! measurements do not bear out is doubted, looked at again and never acted upon. Beside the work runs the aid: neighbours that serve the users. It begins first and ends last.
//! Read next: [`super::work`], [`super::aid`].

use crate::measurement_series::MeasurementRound;
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::ElementId;
use domain::task::TaskId;
use domain::telemetry::{AlarmType, Configuration, Measurement, Performance};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The help for the users.
#[derive(Clone, Debug, PartialEq)]
pub enum CompensationState {
    /// Not at all yet.
    None,
    /// The optimisation agent was asked whether it can.
    Asked(TaskId),
    /// It agreed, and this is on its way to it.
    Assigned(TaskId),
    /// Neighbours serve them.
    Active(TaskId),
    /// No longer, or not at all: why.
    Over(String),
}

impl CompensationState {
    /// The task at the optimisation agent, if there is or may be one.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Assigned(task) | Self::Active(task) => Some(task),
            Self::None | Self::Asked(_) | Self::Over(_) => None,
        }
    }

    /// True if it is decided whether there is any.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Self::None | Self::Asked(_))
    }
}

/// The work on the cause.
#[derive(Clone, Debug, PartialEq)]
pub enum RepairState {
    /// It is measured whether anything is the matter at all.
    Checking,
    /// Measurements have not borne out what alarms say: it is checked again later.
    Doubting,
    /// Nothing: the users come first.
    Waiting,
    /// The configuration of its cells is read.
    Configuration,
    /// Parameters are set as planned.
    Configuring,
    /// Parameters whose setting did not help are set back.
    Undoing,
    /// Its own elements are measured.
    Measuring,
    /// The IP domain's agent is asked whether it can diagnose.
    Asking(TaskId),
    /// It diagnoses.
    Diagnosing(TaskId),
    /// Something is restarted from afar.
    Restarting,
    /// A ticket is being worked on.
    Repairing(TaskId),
    /// It is being seen whether that helped.
    Verifying,
    /// Others find the cause, or nobody does.
    Left(String),
}

/// A trouble.
#[derive(Clone, Debug)]
pub struct CareCase {
    /// Its number, from 1.
    pub number: u64,
    /// The sites concerned.
    pub sites: BTreeSet<ElementId>,
    /// The cells concerned, where a site is not out as a whole.
    pub cells: BTreeSet<ElementId>,
    /// The types of alarm that were told of the cells, or the sites.
    pub symptoms: BTreeSet<AlarmType>,
    /// True if several sites share it.
    pub shared: bool,
    /// The instant at which it was opened.
    pub opened_at: Timestamp,
    /// The help for the users.
    pub aid: CompensationState,
    /// The agent that the aid was asked of.
    pub helper: String,
    /// The number of times that aid was asked for.
    pub aids: u32,
    /// The work that is being done.
    pub work: RepairState,
    /// The agent that does it, where it is a task.
    pub executor: String,
    /// Counts the steps of the work: a timer of an earlier step is void.
    pub step: u64,
    /// All that was read of configurations.
    pub configurations: BTreeMap<ElementId, Configuration>,
    /// The measurements of the present step.
    pub round: MeasurementRound,
    /// All that was measured in the last step that measured: what most measurements say.
    pub measured: BTreeMap<ElementId, Measurement>,
    /// The measurements of the present look.
    pub looking: MeasurementRound,
    /// What most measurements of the last look say.
    pub seen: BTreeMap<ElementId, Measurement>,
    /// The number of times that it was checked whether anything is the matter.
    pub checks: u32,
    /// The performance of cells in the periods before it was opened, oldest first.
    pub before: Vec<Arc<Performance>>,
    /// True once measurements or counters bear out what alarms say.
    pub borne_out: bool,
    /// The parameters that were set, with what they were before.
    pub set: Vec<(ElementId, String, String)>,
    /// The instant at which they were set.
    pub set_at: Timestamp,
    /// Parameters that are not as planned and do no harm, or whose setting did not help.
    pub harmless: BTreeSet<(ElementId, String)>,
    /// By how many dB more than those beside it the cell stood out that is blamed for foreign power.
    pub stood_out_db: Option<f64>,
    /// Elements at which somebody looked and found nothing.
    pub refuted: BTreeSet<ElementId>,
    /// The cause, once located, and what to do about it.
    pub root: Option<(ElementId, Cause, String)>,
    /// The evidence for it.
    pub evidence: Vec<String>,
    /// All that was restarted; once is enough.
    pub restarted: BTreeSet<ElementId>,
    /// The number of times that the work began.
    pub rounds: u32,
    /// The number of times that it was seen whether it helped, since something was done.
    pub looks: u32,
    /// True while the ticket's result waits for a word.
    pub judging: bool,
    /// True once a ticket's result was rejected.
    pub rejected: bool,
    /// The last question to the IP domain's agent.
    pub question: Option<Content>,
    /// True if it goes on from before a restart: no alarm of it is known here.
    pub adopted: bool,
}

impl CareCase {
    /// A trouble just noticed.
    pub fn new(number: u64, now: Timestamp) -> Self {
        Self {
            number,
            sites: BTreeSet::new(),
            cells: BTreeSet::new(),
            symptoms: BTreeSet::new(),
            shared: false,
            opened_at: now,
            aid: CompensationState::None,
            helper: String::new(),
            aids: 0,
            work: RepairState::Waiting,
            executor: String::new(),
            step: 0,
            configurations: BTreeMap::new(),
            round: MeasurementRound::default(),
            measured: BTreeMap::new(),
            looking: MeasurementRound::default(),
            seen: BTreeMap::new(),
            checks: 0,
            before: Vec::new(),
            borne_out: false,
            set: Vec::new(),
            set_at: now,
            harmless: BTreeSet::new(),
            stood_out_db: None,
            refuted: BTreeSet::new(),
            root: None,
            evidence: Vec::new(),
            restarted: BTreeSet::new(),
            rounds: 0,
            looks: 0,
            judging: false,
            rejected: false,
            question: None,
            adopted: false,
        }
    }

    /// The work's task at another agent, if it has one.
    pub fn task(&self) -> Option<&TaskId> {
        match &self.work {
            RepairState::Diagnosing(task) | RepairState::Repairing(task) => Some(task),
            _ => None,
        }
    }

    /// Its subject, for people: its first site, or its first cell.
    pub fn subject(&self) -> &ElementId {
        static NOTHING: std::sync::LazyLock<ElementId> =
            std::sync::LazyLock::new(|| ElementId::new("site:none"));
        let first = self.cells.first().or(self.sites.first());
        first.unwrap_or(&NOTHING)
    }

    /// The name of its compensation's incident.
    pub fn incident(&self) -> String {
        format!("wireless-case-{}-{}", self.opened_at.as_ms(), self.number)
    }
}
