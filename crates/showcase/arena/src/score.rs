//! The score of a run: the truth about network, users and customers, compared with the findings.
//!
//! Everything is computed from the simulation's truth, which no agent can see, and from the records
//! of agents or people: tasks, or a journal. `report` defines each figure. Read next:
//! `score/cases.rs`, `score/watch.rs`.

mod boundaries;
mod cases;
mod watch;

use agents::practice::journal::{Journal, RecordedBoundary};
pub use cases::{Investigation, InvestigationScore, found, of_tasks};
pub use watch::ServiceIntegrals;

use crate::World;
use crate::referee;
use agents::oss_fault::baseline::{first_alarm_baseline, most_explained_baseline};
use agents::oss_fault::correlation::Correlator;
use agents::payloads::diagnosis::Suspicion;
use agents::payloads::incident::IncidentAlarm;
use agents::topology::Topology;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use network::{Dispatch, Simulation, Truth};
use report::{ComplaintScore, FaultScore, Score};
use std::collections::{BTreeMap, BTreeSet};

/// The time after a fault whose alarms the baselines use, in seconds.
const HEARD_S: f64 = 1_200.0;

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct RunParameters {
    /// The policy.
    pub policy: String,
    /// The topology's name.
    pub topology: String,
    /// The seed.
    pub seed: u64,
    /// The beginning of the run.
    pub began: Timestamp,
}

/// The findings of a run by agents or people.
#[derive(Clone, Debug, Default)]
pub struct RunFindings {
    /// Cases, in order of time.
    pub cases: Vec<Investigation>,
    /// The classification of each ticket, by its number: a boundary as named in payloads.
    pub boundaries: BTreeMap<String, String>,
    /// Incidents reported across domains; none if nothing correlates alarms.
    pub incidents: Option<usize>,
    /// Rounds of negotiations.
    pub rounds: u64,
    /// Messages between agents.
    pub messages: u64,
    /// The bytes of these messages.
    pub bytes: u64,
}

impl RunFindings {
    /// The findings of agents so far, from the record of tasks.
    pub fn of(world: &World) -> Self {
        let tasks = referee::tasks(world);
        Self {
            cases: of_tasks(&tasks, world.network().remedies()),
            boundaries: boundaries::of_tasks(&tasks),
            incidents: Some(world.network().incidents()),
            rounds: referee::rounds(world),
            messages: world.tally().messages(),
            bytes: world.tally().bytes(),
        }
    }
}

/// Scores a completed run.
pub fn score(
    played: &RunParameters,
    simulation: &Simulation,
    alarms: &[Alarm],
    watch: &ServiceIntegrals,
    work: &RunFindings,
) -> Score {
    let inventory = simulation.inventory();
    let count = |kind| inventory.of_kind(kind).count() as u64;
    let scale = Scale {
        simulation,
        correlator: Correlator::new(Topology::new(simulation.inventory())),
        alarms,
        cases: &work.cases,
    };
    let truths = simulation.truth().iter();
    let mut score = Score {
        version: report::score::VERSION,
        policy: played.policy.clone(),
        topology: played.topology.clone(),
        seed: played.seed,
        days: simulation.now().seconds_since(played.began) / 86_400.0,
        sites: count(ElementKind::Site),
        cells: count(ElementKind::Cell),
        faults: truths.map(|t| scale.fault(t)).collect(),
        complaints: complaints(simulation, &work.boundaries),
        figures: figures(simulation, alarms, watch, work),
    };
    score.complete();
    score
}

fn figures(
    simulation: &Simulation,
    alarms: &[Alarm],
    watch: &ServiceIntegrals,
    work: &RunFindings,
) -> BTreeMap<String, f64> {
    let tally = simulation.tally();
    let sent = simulation.dispatches();
    let wrong = sent.iter().filter(|d| is_wrong(d)).count();
    let raised = alarms.iter().filter(|a| !a.cleared).count();
    let saved = 1.0 - tally.energy_kwh / tally.energy_without_saving_kwh;
    let figures = [
        ("dispatches", Some(sent.len() as f64)),
        ("wrong-dispatches", Some(wrong as f64)),
        (
            "incidents-per-alarm",
            work.incidents.map(|n| n as f64 / raised as f64),
        ),
        ("outage-user-minutes", Some(tally.user_minutes_out)),
        (
            "guarantee-breach-user-minutes",
            Some(tally.user_minutes_below),
        ),
        ("compensated-edge-throughput", watch.edge_mbps()),
        ("compensated-served-share", watch.served_share()),
        ("energy", Some(tally.energy_kwh)),
        ("energy-saved-share", Some(saved)),
        ("negotiation-rounds", Some(work.rounds as f64)),
        ("messages", Some(work.messages as f64)),
        ("bytes", Some(work.bytes as f64)),
        // Hosted agents are pure steps: none of them has a road to a language model.
        ("model-calls", Some(0.0)),
    ];
    let had = figures
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    had.collect()
}

/// True if nothing was broken at the destination, and the engineer repaired nothing afterwards.
fn is_wrong(sent: &Dispatch) -> bool {
    !sent.right && !sent.repaired
}

/// The inputs of the evaluation of faults.
struct Scale<'a> {
    simulation: &'a Simulation,
    correlator: Correlator,
    alarms: &'a [Alarm],
    cases: &'a [Investigation],
}

impl Scale<'_> {
    fn fault(&self, truth: &Truth) -> FaultScore {
        let inventory = self.correlator.inventory();
        let actual = Suspicion {
            target: truth.fault.element.clone(),
            cause: truth.fault.kind,
        };
        let found = found(inventory, truth, self.cases);
        let since = |at: Timestamp| at.seconds_since(truth.fault.at);
        let area = area(inventory, truth);
        let heard = reported_conditions(inventory, truth, &area, self.alarms);
        let blames = |blamed: Option<Suspicion>| Some(blamed.as_ref() == Some(&actual));
        let sent: Vec<&Dispatch> = sent_for(self.simulation, inventory, truth, &area);
        FaultScore {
            kind: truth.fault.kind.as_str().to_owned(),
            element: truth.fault.element.to_string(),
            began: truth.fault.at,
            users_touched: match area.is_empty() {
                true => 0.0,
                false => self.simulation.mobile().area(&area).users,
            },
            detected_s: found.detected_s,
            located_s: found.located_s,
            restored_s: found.restored_s,
            truly_restored_s: truth.restored_at.map(since),
            rank: found.rank.and_then(|rank| u32::try_from(rank).ok()),
            blamed: found.blamed.map(|s| format!("{} {}", s.cause, s.target)),
            dispatches: sent.len() as u32,
            wrong_dispatches: sent.iter().filter(|d| is_wrong(d)).count() as u32,
            first_alarm_right: blames(first_alarm_baseline(inventory, &heard)),
            most_alarms_right: blames(most_explained_baseline(&self.correlator, &heard)),
        }
    }
}

/// The findings of people, from their journal.
pub fn of_journal(journal: &Journal, simulation: &Simulation) -> RunFindings {
    let homes: BTreeMap<&str, &str> = simulation
        .grievances()
        .iter()
        .map(|g| (g.ticket.as_str(), g.home.as_str()))
        .collect();
    let boundaries = journal.complaints.iter().filter_map(|complaint| {
        let home = homes.get(complaint.ticket.as_str())?;
        let boundary = match complaint.boundary.as_ref()? {
            RecordedBoundary::Province(province) if province == home => "own_domain",
            RecordedBoundary::Province(_) => "other_domain",
            RecordedBoundary::Coverage => "coverage",
            RecordedBoundary::Customer => "customer",
            RecordedBoundary::Outside => "outside",
            RecordedBoundary::Unclear => return None,
        };
        Some((complaint.ticket.clone(), boundary.to_owned()))
    });
    RunFindings {
        cases: cases::of_journal(journal),
        boundaries: boundaries.collect(),
        ..RunFindings::default()
    }
}

/// The sites whose users a fault affected.
fn area(inventory: &Inventory, truth: &Truth) -> BTreeSet<ElementId> {
    let cells = truth.touched.iter().map(|id| inventory.node_of(id));
    let sites = cells.filter(|id| {
        let element = inventory.element(id);
        element.is_some_and(|e| e.kind == ElementKind::Site)
    });
    sites.chain(&truth.sites_out).cloned().collect()
}

/// The reported conditions in a fault's neighbourhood soon after it, from which the baselines infer
/// their cause. They are given this neighbourhood, which is unknown in practice.
fn reported_conditions(
    inventory: &Inventory,
    truth: &Truth,
    area: &BTreeSet<ElementId>,
    alarms: &[Alarm],
) -> Vec<IncidentAlarm> {
    let place = inventory.element(&truth.fault.element).map(|e| &e.place);
    let near = |alarm: &&Alarm| {
        let element = inventory.element(&alarm.resource);
        let after_s = alarm.time.seconds_since(truth.fault.at);
        let in_time = !alarm.cleared && (0.0..=HEARD_S).contains(&after_s);
        let there = element.map(|e| &e.place) == place;
        in_time && (there || area.contains(inventory.node_of(&alarm.resource)))
    };
    let heard = alarms.iter().filter(near).map(|alarm| IncidentAlarm {
        resource: alarm.resource.clone(),
        alarm_type: alarm.alarm_type,
        time: alarm.time,
    });
    heard.collect()
}

/// The engineers dispatched, while the fault lasted, to its element, to the element that contains
/// it, or to a site that it affected.
fn sent_for<'a>(
    simulation: &'a Simulation,
    inventory: &Inventory,
    truth: &Truth,
    area: &BTreeSet<ElementId>,
) -> Vec<&'a Dispatch> {
    let node = inventory.node_of(&truth.fault.element);
    let place = inventory.element(&truth.fault.element).map(|e| &e.place);
    let went = |sent: &&Dispatch| {
        let lasted = sent.at >= truth.fault.at && truth.restored_at.is_none_or(|at| sent.at <= at);
        let there = sent.element == *node || area.contains(inventory.node_of(&sent.element));
        let near = inventory.element(&sent.element).map(|e| &e.place) == place;
        lasted && (there || near)
    };
    simulation.dispatches().iter().filter(went).collect()
}

fn complaints(
    simulation: &Simulation,
    boundaries: &BTreeMap<String, String>,
) -> Vec<ComplaintScore> {
    let of_one = |grievance: &network::CustomerComplaint| {
        let right = grievance.boundary().as_str();
        let outcome = &grievance.outcome;
        let reply = outcome.replied_at;
        ComplaintScore {
            ticket: grievance.ticket.clone(),
            nature: right.to_owned(),
            localised: boundaries
                .get(&grievance.ticket)
                .is_some_and(|b| b == right),
            reply_min: reply.map(|at| at.seconds_since(grievance.opened_at) / 60.0),
            questions: outcome.questions,
        }
    };
    simulation.grievances().iter().map(of_one).collect()
}
