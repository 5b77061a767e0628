//! The report on one fault: the agents' diagnosis and its timing, compared with the truth.
//!
//! Reads the record of tasks, not the agents, and the simulation's truth, which no agent can see.
//! Every figure is computed from these two. Read next: [`crate::network`].

use crate::World;
use agents::oss_fault::baseline::first_alarm_baseline;
use agents::payloads::incident::IncidentAlarm;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::negotiation::Negotiation;
use domain::task::{Status, Task};
use domain::time::Timestamp;
use engine::TaskFilter;
use engine::query::AllTasks;
use network::Truth;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::Most;

/// An element with its cause of failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ElementCause {
    /// The element.
    pub element: String,
    /// The cause.
    pub cause: String,
}

/// The comparison of the diagnosed with the true root cause.
#[derive(Clone, Debug, Serialize)]
pub struct RootCause {
    /// The cause in the trouble ticket, or of what was set right from afar without one; none if there
    /// was neither.
    pub found: Option<ElementCause>,
    /// The true cause.
    pub truth: ElementCause,
    /// True if both agree, element and cause.
    pub correct: bool,
}

/// The result of blaming the element of the first alarm.
#[derive(Clone, Debug, Serialize)]
pub struct FirstAlarmBaseline {
    /// The cause blamed; none if no alarm reported a loss.
    pub found: Option<ElementCause>,
    /// True if that is the truth.
    pub correct: bool,
}

/// The comparison of the reported with the true sites out of service.
#[derive(Clone, Debug, Serialize)]
pub struct SiteComparison {
    /// Sites truly out of service because of the fault.
    #[serde(rename = "true")]
    pub truly: usize,
    /// The number of those sites that the ticket names.
    pub found: usize,
    /// The number of sites that the ticket names although the fault did not touch them.
    #[serde(rename = "false")]
    pub falsely: usize,
}

/// The report of one scenario. Times are in seconds of simulated time.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioReport {
    /// Always `report`.
    pub event: &'static str,
    /// The seed.
    pub seed: u64,
    /// The topology's name.
    pub topology: String,
    /// The comparison of the root causes.
    pub root_cause: RootCause,
    /// The result of blaming the first alarm.
    pub baseline: FirstAlarmBaseline,
    /// The comparison of the sites out of service.
    pub sites: SiteComparison,
    /// From the fault to the first request for a diagnosis.
    pub detect_s: Option<f64>,
    /// From the fault to the trouble ticket.
    pub locate_s: Option<f64>,
    /// From the fault to the end of the ticket, after its publisher had verified the service.
    pub restore_s: Option<f64>,
    /// From the fault to the true restoration of the last site.
    pub truly_restored_s: Option<f64>,
    /// True if the ticket was closed by its publisher.
    pub closed: bool,
    /// Cases about the fault that were closed as mended while the cause stood.
    pub verification_failures: usize,
    /// Messages between agents: requests, replies, notifications.
    pub messages: u64,
    /// The bytes of these messages, after framing and before SSH.
    pub bytes: u64,
    /// The number of published tasks.
    pub tasks: usize,
    /// The number of alarms delivered, background included.
    pub alarms: usize,
    /// The number of complaints delivered.
    pub complaints: u64,
}

/// Reports on a scenario about one fault, in which so many cases were closed while the cause stood.
pub fn report(
    world: &World,
    seed: u64,
    topology: &str,
    truth: &Truth,
    verification_failures: usize,
) -> ScenarioReport {
    let tasks = tasks(world);
    let ticket = ticket(&tasks);
    let actual = ElementCause {
        element: truth.fault.element.to_string(),
        cause: truth.fault.kind.as_str().to_owned(),
    };
    let found = match ticket {
        Some(ticket) => blamed(ticket),
        None => set_right(world, truth),
    };
    let named: BTreeSet<ElementId> = ticket
        .and_then(|t| t.content.payload.as_ref())
        .map(|p| {
            p.texts("affected_sites")
                .into_iter()
                .map(ElementId::new)
                .collect()
        })
        .unwrap_or_default();
    let since = |at: Timestamp| at.seconds_since(truth.fault.at);
    let closed = ticket.filter(|t| t.status == Status::Finished);
    let baseline = baseline(world, truth);
    ScenarioReport {
        event: "report",
        seed,
        topology: topology.to_owned(),
        baseline: FirstAlarmBaseline {
            correct: baseline.as_ref() == Some(&actual),
            found: baseline,
        },
        root_cause: RootCause {
            correct: found.as_ref() == Some(&actual),
            found,
            truth: actual,
        },
        sites: SiteComparison {
            truly: truth.sites_out.len(),
            found: named.intersection(&truth.sites_out).count(),
            falsely: named.difference(&truth.sites_out).count(),
        },
        detect_s: first(&tasks, "fault_diagnosis", truth.fault.at).map(|t| since(t.created_at)),
        locate_s: ticket.map(|t| since(t.created_at)),
        restore_s: closed.map(|t| since(t.changed_at)),
        truly_restored_s: truth.restored_at.map(since),
        closed: closed.is_some(),
        verification_failures,
        messages: world.tally().messages(),
        bytes: world.tally().bytes(),
        tasks: tasks.len(),
        alarms: world.network().alarms().len(),
        complaints: world.network().complaints(),
    }
}

/// True if the scenario has ended: the ticket about the fault was closed by its publisher, or it was
/// set right from afar without one, and service is truly restored.
pub fn is_over(world: &World) -> bool {
    let first = world.network().simulation().truth().first();
    let truly = first.is_some_and(|t| t.restored_at.is_some());
    truly
        && match ticket(&tasks(world)) {
            Some(ticket) => ticket.status == Status::Finished,
            None => !world.network().remedies().is_empty(),
        }
}

/// True while a compensation is under way.
pub fn is_compensating(world: &World) -> bool {
    let tasks = tasks(world);
    let mut compensations = tasks
        .iter()
        .filter(|t| t.scenario() == Some("experience_compensation"));
    compensations.any(|t| !t.status.is_terminal())
}

/// Every task of the platform, in the order of identifiers.
pub(crate) fn tasks(world: &World) -> Vec<Arc<Task>> {
    let engine = world.host().platform.engine();
    let operator = engine.principal("operator");
    if let Ok(tasks) = engine.read(&operator, AllTasks, Timestamp::default()) {
        return tasks;
    }
    // They are more than one answer holds.
    let every = TaskFilter {
        limit: usize::MAX,
        ..TaskFilter::default()
    };
    let tasks = engine.store().tasks(&every);
    let tasks = tasks.expect("the platform reads its own state");
    let mut tasks: Vec<Arc<Task>> = tasks.rows.into_iter().map(Arc::new).collect();
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

/// The number of rounds of all negotiations.
pub(crate) fn rounds(world: &World) -> u64 {
    let all = Most {
        rows: usize::MAX,
        bytes: u64::MAX,
    };
    let all = world.host().platform.engine().store().all_negotiations(all);
    let all = all.expect("the platform reads its own state").rows;
    let rounds = |n: &Negotiation| n.turns.last().map_or(0, |turn| u64::from(turn.round));
    all.iter().map(rounds).sum()
}

fn first<'t>(tasks: &'t [Arc<Task>], scenario: &str, after: Timestamp) -> Option<&'t Arc<Task>> {
    tasks
        .iter()
        .filter(|t| t.scenario() == Some(scenario) && t.created_at >= after)
        .min_by_key(|t| t.created_at)
}

/// The ticket that was completed, else the first. A ticket whose engineer found nothing is followed
/// by another; the last one counts.
fn ticket(tasks: &[Arc<Task>]) -> Option<&Arc<Task>> {
    let mut tickets: Vec<&Arc<Task>> = tasks
        .iter()
        .filter(|t| t.scenario() == Some("fault_repair") && t.conditions.parent.is_none())
        .collect();
    tickets.sort_by_key(|t| t.created_at);
    let closed = tickets
        .iter()
        .find(|t| t.status == Status::Finished)
        .copied();
    closed.or_else(|| tickets.first().copied())
}

fn blamed(ticket: &Task) -> Option<ElementCause> {
    let payload = ticket.content.payload.as_ref()?;
    Some(ElementCause {
        element: payload.text("element")?.to_owned(),
        cause: payload.text("cause")?.to_owned(),
    })
}

/// What was set right from afar first after the fault.
fn set_right(world: &World, truth: &Truth) -> Option<ElementCause> {
    let mut remedies = world.network().remedies().iter();
    let (_, element) = remedies.find(|(at, _)| *at >= truth.fault.at)?;
    Some(ElementCause {
        element: element.to_string(),
        cause: remedied_cause(element).as_str().to_owned(),
    })
}

/// The cause that is set right from afar at an element: a parameter of a cell is wrong, the metric of a
/// link is raised where it is full.
pub(crate) fn remedied_cause(element: &ElementId) -> Cause {
    match element.as_str().starts_with("cell:") {
        true => Cause::Misconfiguration,
        false => Cause::Congestion,
    }
}

fn baseline(world: &World, truth: &Truth) -> Option<ElementCause> {
    let inventory = world.network().simulation().inventory();
    let alarms = world.network().alarms().iter();
    let heard: Vec<IncidentAlarm> = alarms
        .filter(|a| !a.cleared && a.time >= truth.fault.at)
        .map(|a| IncidentAlarm {
            resource: a.resource.clone(),
            alarm_type: a.alarm_type,
            qualifier: None,
            time: a.time,
        })
        .collect();
    let blamed = first_alarm_baseline(&inventory, &heard)?;
    Some(ElementCause {
        element: blamed.target.to_string(),
        cause: blamed.cause.as_str().to_owned(),
    })
}
