//! The score of a run: the truth about network, users and customers, compared with the findings.
//!
//! Everything is computed from the simulation's truth, which no agent can see, and from the records
//! of agents or people: tasks, or a journal. Who named which cause first, and how much of what was said
//! was right, is measured of every policy by [`yardsticks::measure`]. `report` defines each figure.
//! Read next: `score/commitments.rs`, `score/cases.rs`, `score/watch.rs`.

mod boundaries;
mod cases;
mod commitments;
mod truths;
mod watch;

use agents::practice::journal::{Journal, RecordedBoundary};
pub use cases::{Investigation, InvestigationScore, found, of_tasks};
pub use truths::SmallTroubles;
pub(crate) use truths::known_troubles;
pub use watch::ServiceIntegrals;

use crate::World;
use crate::referee;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::time::Timestamp;
use network::{Dispatch, Simulation, Truth};
use report::score::DayMistake;
use report::{ComplaintScore, FaultScore, Score};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use truths::area;
use yardsticks::{
    Codebook, Commitment, Consequences, DeliveredAlarm, Measure, TunedYardsticks, Worth,
    YardstickKind, heard,
};

/// The way of a mistake that is an engineer sent in vain.
pub(crate) const SENT: &str = "dispatch";

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
    /// What was committed to, in order of time.
    pub commitments: Vec<Commitment>,
    /// The classification of each ticket, by its number: a boundary as named in payloads.
    pub boundaries: BTreeMap<String, String>,
    /// Incidents reported across domains by who operates the network last; none if nothing correlates alarms.
    pub incidents: Option<usize>,
    /// How many alarms were delivered before that one took over.
    pub alarms_before: usize,
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
            commitments: commitments::of_tasks(&tasks, world.network().interventions()),
            boundaries: boundaries::of_tasks(&tasks),
            incidents: Some(world.network().incidents()),
            alarms_before: 0,
            rounds: referee::rounds(world),
            messages: world.tally().messages(),
            bytes: world.tally().bytes(),
        }
    }

    /// These, and those of whoever took over.
    pub(crate) fn and(mut self, later: Self) -> Self {
        self.cases.extend(later.cases);
        self.commitments.extend(later.commitments);
        self.boundaries.extend(later.boundaries);
        Self {
            incidents: later.incidents,
            rounds: self.rounds + later.rounds,
            messages: self.messages + later.messages,
            bytes: self.bytes + later.bytes,
            ..self
        }
    }
}

/// Scores a completed run.
pub fn score(
    played: &RunParameters,
    simulation: &Simulation,
    alarms: &[DeliveredAlarm],
    watch: &ServiceIntegrals,
    work: &RunFindings,
) -> Score {
    let inventory = simulation.inventory();
    let count = |kind| inventory.of_kind(kind).count() as u64;
    let book = Arc::new(Codebook::new(Consequences::new(Arc::clone(&inventory))));
    let troubles = known_troubles(simulation, book.graph(), watch.troubles());
    let tuned = TunedYardsticks::in_force_if(simulation.alarms_lie());
    let documented = simulation.documented_inventory();
    let known = match Arc::ptr_eq(&documented, &inventory) {
        true => Arc::clone(&book),
        false => Arc::new(Codebook::new(Consequences::new(documented))),
    };
    let says = |kind: YardstickKind| {
        let mut yardstick = kind.tuned(tuned, Arc::clone(&known));
        heard(&mut *yardstick, alarms, simulation.now())
    };
    let scale = Scale {
        simulation,
        measure: Measure::new(book.graph(), &troubles),
        work,
        best_yardstick: says(tuned.best()),
        own_alarm: says(YardstickKind::OwnAlarm),
    };
    let truths = simulation.truth().iter().enumerate();
    let mut score = Score {
        version: report::score::VERSION,
        policy: played.policy.clone(),
        topology: played.topology.clone(),
        world: None,
        seed: played.seed,
        days: simulation.now().seconds_since(played.began) / 86_400.0,
        sites: count(ElementKind::Site),
        cells: count(ElementKind::Cell),
        yardstick: Some(tuned.best().as_str().to_owned()),
        faults: truths.map(|(place, t)| scale.fault(place, t)).collect(),
        complaints: complaints(simulation, &work.boundaries),
        mistakes: scale.mistakes(),
        figures: figures(simulation, alarms, watch, work),
    };
    score.figures.extend(scale.commitments(score.days));
    score.complete();
    score
}

fn figures(
    simulation: &Simulation,
    alarms: &[DeliveredAlarm],
    watch: &ServiceIntegrals,
    work: &RunFindings,
) -> BTreeMap<String, f64> {
    let tally = simulation.tally();
    let sent = simulation.dispatches();
    let wrong = sent.iter().filter(|d| is_wrong(d)).count();
    let saved = 1.0 - tally.energy_kwh / tally.energy_without_saving_kwh;
    let saved_most = 1.0 - tally.energy_least_kwh / tally.energy_without_saving_most_kwh;
    let figures = [
        ("dispatches", Some(sent.len() as f64)),
        ("wrong-dispatches", Some(wrong as f64)),
        ("incidents-per-alarm", incidents_per_alarm(alarms, work)),
        ("outage-user-minutes", Some(tally.user_minutes_out)),
        (
            "guarantee-breach-user-minutes",
            Some(tally.user_minutes_below),
        ),
        ("compensated-edge-throughput", watch.edge_mbps()),
        ("compensated-served-share", watch.served_share()),
        ("energy", Some(tally.energy_kwh)),
        ("energy-saved-share", Some(saved)),
        ("energy-saved-upper-share", Some(saved_most)),
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

/// Incidents to alarms, of the time of who operates the network last; none if nothing was raised in it.
fn incidents_per_alarm(alarms: &[DeliveredAlarm], work: &RunFindings) -> Option<f64> {
    let since = alarms.iter().skip(work.alarms_before);
    let raised = since.filter(|alarm| !alarm.cleared).count();
    let incidents = work.incidents.filter(|_| raised > 0)?;
    Some(incidents as f64 / raised as f64)
}

/// True if nothing was broken at the destination, and the engineer repaired nothing afterwards.
fn is_wrong(sent: &Dispatch) -> bool {
    !sent.right && !sent.repaired
}

/// The inputs of the evaluation of faults.
struct Scale<'a> {
    simulation: &'a Simulation,
    measure: Measure<'a>,
    work: &'a RunFindings,
    best_yardstick: Vec<Commitment>,
    own_alarm: Vec<Commitment>,
}

impl Scale<'_> {
    /// The score of the fault with this place in the truth.
    fn fault(&self, place: usize, truth: &Truth) -> FaultScore {
        let inventory = self.simulation.inventory();
        let found = found(&inventory, truth, &self.work.cases);
        let since = |at: Timestamp| at.seconds_since(truth.fault.at);
        let area = area(&inventory, truth);
        let said = self
            .measure
            .about(place, &self.work.commitments, usize::MAX);
        let is_right =
            |c: &&Commitment| c.element == truth.fault.element && c.cause == truth.fault.kind;
        let rank = said.iter().position(is_right).map(|before| before + 1);
        let located = self.measure.located(place, &self.work.commitments);
        let sent: Vec<&Dispatch> = sent_for(self.simulation, &inventory, truth, &area);
        FaultScore {
            kind: truth.fault.kind.as_str().to_owned(),
            element: truth.fault.element.to_string(),
            began: truth.fault.at,
            users_touched: match area.is_empty() {
                true => 0.0,
                false => self.simulation.mobile().area(&area).users,
            },
            detected_s: earlier(found.detected_s, said.first().map(|c| since(c.at))),
            located_s: located.map(since),
            restored_s: found.restored_s,
            truly_restored_s: truth.restored_at.map(since),
            rank: rank.and_then(|rank| u32::try_from(rank).ok()),
            blamed: said.first().map(|c| format!("{} {}", c.cause, c.element)),
            dispatches: sent.len() as u32,
            wrong_dispatches: sent.iter().filter(|d| is_wrong(d)).count() as u32,
            best_yardstick_right: Some(self.measure.named_first(place, &self.best_yardstick)),
            own_alarm_right: Some(self.measure.named_first(place, &self.own_alarm)),
        }
    }

    /// What was committed to wrongly and who was sent in vain, in order of time.
    fn mistakes(&self) -> Vec<DayMistake> {
        let wrong = |c: &&Commitment| self.measure.worth(c) == Worth::Wrong;
        let stated = self.work.commitments.iter().filter(wrong);
        let stated = stated.map(|c| DayMistake {
            at: c.at,
            way: c.kind.as_str().to_owned(),
            element: c.element.to_string(),
            cause: Some(c.cause.as_str().to_owned()),
        });
        let sent = self.simulation.dispatches().iter().filter(|d| is_wrong(d));
        let sent = sent.map(|d| DayMistake {
            at: d.at,
            way: SENT.to_owned(),
            element: d.element.to_string(),
            cause: None,
        });
        let mut mistakes: Vec<DayMistake> = stated.chain(sent).collect();
        mistakes.sort_by_key(|m| m.at);
        mistakes
    }

    /// The figures of all that was committed to in so many days.
    fn commitments(&self, days: f64) -> BTreeMap<String, f64> {
        let counts = self.measure.count(&self.work.commitments);
        let a_day = |n: u32| Some(f64::from(n) / days);
        let figures = [
            ("precision", counts.precision()),
            ("statements", a_day(counts.statements)),
            ("wrong-statements", a_day(counts.wrong())),
            ("statements-of-small-troubles", a_day(counts.real_troubles)),
            ("wrong-diagnoses", a_day(counts.wrong_diagnoses)),
            ("wrong-interventions", a_day(counts.wrong_interventions)),
            ("wrong-tickets", a_day(counts.wrong_tickets)),
        ];
        let had = figures
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        had.collect()
    }
}

/// The earlier of two times that may be never.
fn earlier(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    [one, other].into_iter().flatten().reduce(f64::min)
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
        commitments: commitments::of_journal(journal),
        boundaries: boundaries.collect(),
        ..RunFindings::default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::telemetry::{Alarm, AlarmType, Severity};

    fn told(cleared: bool) -> DeliveredAlarm {
        let at = Timestamp::default();
        let alarm = Alarm {
            resource: ElementId::new("site:1"),
            alarm_type: AlarmType::Unknown,
            qualifier: String::new(),
            severity: Severity::Major,
            time: at,
            cleared,
            text: String::new(),
        };
        DeliveredAlarm { at, alarm }
    }

    /// Before, three alarms became one incident; then two alarms two.
    #[test]
    fn incidents_are_of_the_alarms_of_who_took_over() {
        let incidents = |incidents| RunFindings {
            incidents,
            ..RunFindings::default()
        };
        let alarms = [false, false, false, true, false, false].map(told);
        let before = RunFindings {
            alarms_before: 4,
            ..incidents(Some(1))
        };
        let by = |later| incidents_per_alarm(&alarms, &before.clone().and(incidents(later)));
        assert_eq!(by(Some(2)), Some(1.0));
        assert_eq!(by(None), None, "people correlate nothing");
        assert_eq!(incidents_per_alarm(&alarms[..4], &before), None);
        let whole = RunFindings::default().and(incidents(Some(1)));
        assert_eq!(incidents_per_alarm(&alarms[..4], &whole), Some(1.0 / 3.0));
    }
}
