//! How well it went: what was found about a fault beside the truth, and a day that is played twice.
//!
//! Types alone; what the figures mean, whoever scores says. Read next: [`crate::network::referee`].

use domain::cause::Cause;
use domain::inventory::ElementId;
use std::fmt;

/// `score-faults`: what was found about each fault, beside the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreFaults;

/// `compare-day`: begins to play one day under two policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareDay {
    /// The seed of network, faults, users and complaints, which are the same under both.
    pub seed: u32,
    /// How many sites the network has.
    pub sites: u16,
    /// Who operates it.
    pub policies: [DayPolicy; 2],
    /// The hour from which on the second operates the second day, which is the first until then; none for all of
    /// it.
    pub from_hour: Option<u8>,
}

impl fmt::Display for CompareDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.policies.map(DayPolicy::as_str);
        write!(
            f,
            "seed {}, {} sites: {first}, {second}",
            self.seed, self.sites
        )?;
        match self.from_hour {
            Some(hour) => write!(f, " from hour {hour}"),
            None => Ok(()),
        }
    }
}

/// `get-comparison`: how far the last comparison is, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetComparison;

/// `end-comparison`: ends the one that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndComparison;

/// How the search for a fault ended, or stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultOutcome {
    /// Element and cause were found, at first or in the end.
    Right,
    /// Something else was found in its stead.
    Wrong,
    /// Nothing was found.
    Nothing,
}

impl FaultOutcome {
    /// The name in module convoke-simulation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Nothing => "nothing",
        }
    }
}

/// Whose finding something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finder {
    /// An agent's, hosted or not.
    Agent,
    /// A user's, in a task of his.
    Person,
}

impl Finder {
    /// The name in module convoke-simulation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
        }
    }
}

/// What was found about one fault. Times are whole seconds since it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultJudgement {
    /// The number of the fault.
    pub id: u64,
    /// How the search for it ended, or stands.
    pub outcome: FaultOutcome,
    /// The cause, and where: the truth, if it was found; else the last that was taken for it.
    pub found: Option<(Cause, ElementId)>,
    /// Whose finding that is.
    pub found_by: Option<Finder>,
    /// Findings about it that were wrong, those that were corrected later among them.
    pub wrong_findings: u64,
    /// Until somebody began to work on it.
    pub detected_s: Option<u64>,
    /// Until the right cause was found.
    pub located_s: Option<u64>,
    /// Until its cause was mended or went away.
    pub mended_s: Option<u64>,
    /// Until all sites that it took out were back in service.
    pub restored_s: Option<u64>,
    /// Cases about it that were closed as mended while the cause stood.
    pub closed_too_early: u64,
}

/// Who operates a network for a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayPolicy {
    /// The agents of this platform.
    Agents,
    /// People, as in today's operations.
    Manual,
    /// The same people, with a correlator over the alarms of all domains.
    Correlated,
    /// People who save no energy.
    None,
}

impl DayPolicy {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Agents, Self::Manual, Self::Correlated, Self::None];

    /// The name in module convoke-simulation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Manual => "manual",
            Self::Correlated => "correlated",
            Self::None => "none",
        }
    }

    /// The one of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == name)
    }
}

/// A day that is played twice.
#[derive(Clone, Debug, PartialEq)]
pub struct DayComparison {
    /// What was asked for.
    pub wanted: CompareDay,
    /// How it stands.
    pub state: ComparisonState,
    /// The days, in the order in which they are played.
    pub days: Vec<ComparedDay>,
}

/// How a comparison stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonState {
    /// The days are being played.
    Running,
    /// Both were played.
    Done,
    /// Somebody ended it.
    Ended,
    /// It could not be played, or not in time.
    Failed {
        /// Why.
        why: String,
    },
}

impl ComparisonState {
    /// The name in module convoke-simulation.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Ended => "ended",
            Self::Failed { .. } => "failed",
        }
    }
}

/// One of the two days.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedDay {
    /// Who operates the network.
    pub policy: DayPolicy,
    /// How much of it was played, in per cent.
    pub played_percent: u8,
    /// What came of it, once it was played.
    pub figures: Vec<DayFigure>,
}

/// A figure of a day.
#[derive(Clone, Debug, PartialEq)]
pub struct DayFigure {
    /// What it is called.
    pub name: &'static str,
    /// What it is counted in.
    pub unit: &'static str,
    /// The direction in which it improves: `higher`, `lower` or `neither`.
    pub better: &'static str,
    /// How much.
    pub value: f64,
}
