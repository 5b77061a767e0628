//! How well it went on the network of a platform, for those who ask the engine.
//!
//! What was found about a fault is read and compared as of trials ([`crate::score`], [`crate::findings`]): this
//! only gathers what is there. Read next: [`crate::comparison`], days that are played beside.

use crate::comparison::Comparisons;
use crate::findings::{FaultFindings, TrialOutcome};
use crate::network::NetworkJudge;
use crate::score;
use domain::inventory::ElementId;
use domain::task::Task;
use domain::time::Timestamp;
use engine::{
    CompareDay, DayComparison, Engine, FaultJudgement, FaultOutcome, Finder, Referee, TaskFilter,
};
use network::{Backbone, Simulation, Truth};
use std::sync::Arc;

/// The most faults that are judged, those that began last.
const FAULTS_MOST: usize = 200;

/// The most tasks that are looked at, those that changed last.
const TASKS_MOST: usize = 5_000;

/// The most bytes of them.
const BYTES_MOST: u64 = 64 << 20;

/// The judge of the network of a platform.
pub struct SimulationJudge {
    comparisons: Comparisons,
}

impl SimulationJudge {
    /// One who plays days on networks of this topology.
    pub fn on(backbone: Backbone) -> Box<Self> {
        let comparisons = Comparisons::on(backbone);
        Box::new(Self { comparisons })
    }
}

impl NetworkJudge for SimulationJudge {
    fn serve(
        &mut self,
        engine: &Engine,
        simulation: &Simulation,
        remedies: &[(Timestamp, ElementId)],
        now: Timestamp,
    ) {
        let mut referee = SimulationReferee {
            simulation,
            engine,
            remedies,
            comparisons: &mut self.comparisons,
        };
        engine.serve_referee(&mut referee, now);
    }
}

/// What is known at one instant.
struct SimulationReferee<'a> {
    simulation: &'a Simulation,
    engine: &'a Engine,
    remedies: &'a [(Timestamp, ElementId)],
    comparisons: &'a mut Comparisons,
}

impl Referee for SimulationReferee<'_> {
    fn score(&mut self, now: Timestamp) -> Option<Vec<FaultJudgement>> {
        let truths = self.simulation.truth().iter().enumerate();
        let begun: Vec<(usize, &Truth)> = truths.filter(|(_, it)| it.fault.at <= now).collect();
        let begun = &begun[begun.len().saturating_sub(FAULTS_MOST)..];
        let Some(since) = begun.iter().map(|(_, truth)| truth.fault.at).min() else {
            return Some(Vec::new());
        };
        let cases = score::of_tasks(&self.tasks(since)?, self.remedies);
        let inventory = self.simulation.inventory();
        // They are in the order in which they were brought about.
        let mut begun = begun.to_vec();
        begun.sort_by_key(|(_, truth)| truth.fault.at);
        let truths: Vec<&Truth> = begun.iter().map(|(_, truth)| *truth).collect();
        let findings = FaultFindings::about_each(&inventory, &truths, &cases);
        let is_person = |name: &str| self.engine.is_person(name);
        let judged = begun.iter().zip(&findings);
        let judged = judged.map(|((place, truth), about)| judge(*place, truth, about, is_person));
        let mut judged: Vec<FaultJudgement> = judged.collect();
        judged.sort_by_key(|fault| fault.id);
        Some(judged)
    }

    fn compare(&mut self, wanted: CompareDay) -> bool {
        self.comparisons.begin(wanted)
    }

    fn comparison(&mut self) -> Option<DayComparison> {
        self.comparisons.last()
    }

    fn end_comparison(&mut self) -> bool {
        self.comparisons.end()
    }
}

impl SimulationReferee<'_> {
    /// The tasks that changed since then, in the order of identifiers; none if the store cannot be read.
    fn tasks(&self, since: Timestamp) -> Option<Vec<Arc<Task>>> {
        let wanted = TaskFilter {
            since: Some(since),
            newest_first: true,
            limit: TASKS_MOST,
            bytes: BYTES_MOST,
            ..TaskFilter::default()
        };
        let tasks = self.engine.store().tasks(&wanted).ok()?.rows;
        let mut tasks: Vec<Arc<Task>> = tasks.into_iter().map(Arc::new).collect();
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        Some(tasks)
    }
}

fn judge(
    place: usize,
    truth: &Truth,
    about: &FaultFindings<'_>,
    is_person: impl Fn(&str) -> bool,
) -> FaultJudgement {
    let since = |at: Timestamp| whole(at.seconds_since(truth.fault.at));
    FaultJudgement {
        id: place as u64 + 1,
        outcome: match about.outcome() {
            TrialOutcome::Right => FaultOutcome::Right,
            TrialOutcome::Wrong => FaultOutcome::Wrong,
            TrialOutcome::Nothing => FaultOutcome::Nothing,
        },
        found: about.found().map(|it| (it.cause, it.target.clone())),
        found_by: about
            .found()
            .map(|_| match about.found_by().is_some_and(is_person) {
                true => Finder::Person,
                false => Finder::Agent,
            }),
        wrong_findings: about.wrong().count() as u64,
        detected_s: about.cases.iter().map(|case| since(case.opened_at)).min(),
        located_s: about.located_s().map(whole),
        mended_s: truth.repaired_at.map(since),
        restored_s: truth.restored_at.map(since),
        closed_too_early: about.verification_failures() as u64,
    }
}

/// Whole seconds.
fn whole(seconds: f64) -> u64 {
    seconds.max(0.0).round() as u64
}
