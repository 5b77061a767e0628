//! Trials: one fault of a given kind, of any size, played to its end by agents or by people.
//!
//! Where [`crate::stage`] tells a story of a large outage, a trial takes any of the ten kinds at
//! random. What somebody found is read from tasks and remote corrections, or from the journal of people,
//! and compared with the truth ([`crate::findings`]), when all is over. Refuses to know how cases are
//! read ([`crate::score`]). Read next: [`crate::seeds`].

use crate::day::Operator;
use crate::findings::{FaultFindings, TrialOutcome};
use crate::practice::PracticeDurations;
use crate::practice::StaffedNetwork;
use crate::referee::ElementCause;
use crate::scenario::Scenario;
use crate::score::{self, Investigation, RunFindings};
use crate::stage::{ScenarioParameters, Stage, StageError};
use agents::payloads::diagnosis::Suspicion;
use domain::inventory::Inventory;
use domain::time::{SeededRng, Timestamp};
use network::{Backbone, FaultKind, FaultRequest, Recorded, TelemetryErrors, Truth};
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;
use server::config::Settings;
use server::host::Home;
use server::runtime::Pace;
use server::story::Listener;
use std::path::PathBuf;
use std::sync::Arc;

/// One fault to be played.
#[derive(Clone, Debug)]
pub struct FaultTrial {
    /// The backbone.
    pub topology: Backbone,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The operator of the network.
    pub policy: Operator,
    /// How long people take, where they run it.
    pub practice: PracticeDurations,
    /// The seed of all randomness.
    pub seed: u64,
    /// The number of base-station sites.
    pub sites: usize,
    /// Alarms replayed as background instead of random ones; empty for none.
    pub alarms: Arc<Vec<Recorded>>,
    /// The errors of telemetry, measurements and documents.
    pub errors: TelemetryErrors,
    /// A file with weights of causes for the agents, instead of the shipped ones.
    pub knowledge: Option<PathBuf>,
}

/// What came of one trial. Times are in seconds of simulated time since the fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultVerdict {
    /// Always `trial`.
    pub event: &'static str,
    /// The policy.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The topology's name.
    pub topology: String,
    /// The true cause.
    pub truth: ElementCause,
    /// Sites that it took out of service.
    pub sites: usize,
    /// The outcome.
    pub outcome: TrialOutcome,
    /// What was found: the truth, if it was; else the last that was taken for it.
    pub found: Option<ElementCause>,
    /// Findings about it that were wrong, those that were corrected later among them.
    pub wrong_findings: usize,
    /// Until the right cause was found.
    pub locate_s: Option<f64>,
    /// True if a case about it was closed as mended.
    pub closed: bool,
    /// Cases about it that were closed as mended while the cause stood.
    pub verification_failures: usize,
    /// Until its cause was mended or went away.
    pub mended_s: Option<f64>,
}

impl FaultTrial {
    /// Plays the fault to its end.
    ///
    /// # Errors
    /// [`StageError`] if the network has no place for such a fault, or the platform does not start.
    pub async fn play(&self) -> Result<FaultVerdict, StageError> {
        let start = Timestamp::parse("2026-01-05T06:00:00Z").expect("a literal");
        let parameters = self.parameters();
        let (inventory, truth, cases) = match self.policy.by_hand() {
            None => {
                let settings = Settings {
                    knowledge: self.knowledge.clone(),
                    ..Settings::default()
                };
                let listener: Listener = Box::new(|_| {});
                let mut stage =
                    Stage::set(Home::Memory, &settings, parameters, start, listener).await?;
                stage.play(Pace::Unhurried).await;
                let cases = RunFindings::of(&stage.world).cases;
                let simulation = stage.world.network().simulation();
                let found = (simulation.inventory(), simulation.truth()[0].clone(), cases);
                stage.world.end().await;
                found
            }
            Some(by_hand) => {
                let mut simulation = parameters.broken(start)?;
                let people = self.policy.people(by_hand, &simulation);
                let people = people.with_durations(self.practice);
                let rng = SeededRng::seed_from_u64(self.seed);
                let mut practice = StaffedNetwork::begin(people, &mut simulation, rng);
                let end = start.plus_s(Scenario::Fault.horizon_s());
                practice.run(&mut simulation, end, |_, _| {});
                let cases = score::of_journal(practice.mind.journal(), &simulation).cases;
                (simulation.inventory(), simulation.truth()[0].clone(), cases)
            }
        };
        Ok(self.verdict(&inventory, &truth, &cases))
    }

    fn parameters(&self) -> ScenarioParameters {
        ScenarioParameters {
            scenario: Scenario::Fault,
            topology: self.topology.clone(),
            fault: FaultRequest::OfKind(self.kind),
            min_sites: 1,
            alarms: Arc::clone(&self.alarms),
            seed: self.seed,
            sites: self.sites,
            errors: self.errors,
        }
    }

    fn verdict(
        &self,
        inventory: &Inventory,
        truth: &Truth,
        cases: &[Investigation],
    ) -> FaultVerdict {
        let about = FaultFindings::about(inventory, truth, cases);
        FaultVerdict {
            event: "trial",
            policy: self.policy.as_str().to_owned(),
            seed: self.seed,
            topology: self.topology.name.clone(),
            truth: named(&about.actual),
            sites: truth.sites_out.len(),
            outcome: about.outcome(),
            found: about.found().map(named),
            wrong_findings: about.wrong().count(),
            locate_s: about.located_s(),
            closed: about.cases.iter().any(|case| case.closed_at.is_some()),
            verification_failures: about.verification_failures(),
            mended_s: truth.repaired_at.map(|at| at.seconds_since(truth.fault.at)),
        }
    }
}

fn named(suspicion: &Suspicion) -> ElementCause {
    ElementCause {
        element: suspicion.target.to_string(),
        cause: suspicion.cause.as_str().to_owned(),
    }
}
