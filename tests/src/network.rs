//! The network of the cases: a router, a site behind it, and the state of their management systems.
//!
//! It performs every request at once and deterministically (see [`answer`]), so that a case needs
//! no simulation; cases about faults have one ([`simulation`]). Read next: [`crate::cast`].

use ::network::{Parameters, Simulation};
use arena::faults::Faults;
use domain::cause::Cause;
use domain::ems::Ems;
use domain::inventory::{
    Cell, Domain, Element, ElementId, ElementKind, Inventory, Link, RadioUnit,
};
use domain::telemetry::{
    Action, Alarm, AlarmType, CellPerformance, Complaint, Condition, Configuration, FieldReport,
    LinkPerformance, Measurement, Outcome, Performance, Saving, Severity, Telemetry, Ticket, Visit,
};
use domain::time::Timestamp;
use engine::{
    ActFailure, ActWanted, Acted, CompareDay, ComparedDay, ComparisonState, DayComparison,
    DayFigure, DayPolicy, Engine, FaultJudgement, FaultOutcome, Finder, Referee,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn id(name: &str) -> ElementId {
    ElementId::new(name)
}

/// The inventory as documented.
pub fn inventory() -> Arc<Inventory> {
    let elements = [
        element("router:R", ElementKind::Router, Domain::Ip, None),
        element(
            "card:R/1",
            ElementKind::LineCard,
            Domain::Ip,
            Some("router:R"),
        ),
        element(
            "optic:R-S1/a",
            ElementKind::Optic,
            Domain::Ip,
            Some("card:R/1"),
        ),
        element(
            "optic:R-S1/b",
            ElementKind::Optic,
            Domain::Ip,
            Some("site:S-1"),
        ),
        element("link:R-S1", ElementKind::Link, Domain::Ip, None),
        element("duct:R-1", ElementKind::Duct, Domain::Ip, None),
        element("zone:Z-1", ElementKind::PowerZone, Domain::Wireless, None),
        element(
            "site:S-1",
            ElementKind::Site,
            Domain::Wireless,
            Some("zone:Z-1"),
        ),
        element(
            "cell:S-1/1",
            ElementKind::Cell,
            Domain::Wireless,
            Some("site:S-1"),
        ),
        element(
            "cell:S-1/2",
            ElementKind::Cell,
            Domain::Wireless,
            Some("site:S-1"),
        ),
    ];
    let link = Link {
        a: id("card:R/1"),
        b: id("site:S-1"),
        ducts: vec![id("duct:R-1")],
        length_km: 12.5,
        backbone: false,
        capacity_mbps: 10_000.0,
        optic_a: id("optic:R-S1/a"),
        optic_b: id("optic:R-S1/b"),
    };
    Arc::new(Inventory {
        elements: elements.into_iter().map(|e| (e.id.clone(), e)).collect(),
        links: BTreeMap::from([(id("link:R-S1"), link)]),
        cores: BTreeSet::from([id("router:R")]),
        cells: BTreeMap::from([
            (id("cell:S-1/1"), cell(800.0, false, "cell:S-1/2")),
            (id("cell:S-1/2"), cell(3_500.0, true, "cell:S-1/1")),
        ]),
        battery_wh: BTreeMap::from([(id("site:S-1"), 4_800.0)]),
        provinces: BTreeMap::from([("Riverton".to_owned(), "North".to_owned())]),
    })
}

fn element(name: &str, kind: ElementKind, domain: Domain, parent: Option<&str>) -> Element {
    let made = !matches!(kind, ElementKind::Duct | ElementKind::PowerZone);
    Element {
        id: id(name),
        kind,
        domain,
        parent: parent.map(id),
        place: "Riverton".to_owned(),
        position: (9.45, 54.77),
        vendor: if made { "Vantrel" } else { "" }.to_owned(),
        model: if made { "Arc 1" } else { "" }.to_owned(),
    }
}

fn cell(carrier_mhz: f64, capacity_layer: bool, neighbour: &str) -> Cell {
    Cell {
        azimuth_degrees: 120.0,
        carrier_mhz,
        bandwidth_mhz: 20.0,
        power_dbm: 46.0,
        radio_unit: RadioUnit::Type9,
        capacity_layer,
        neighbours: vec![id(neighbour)],
    }
}

/// Opens the management systems with their initial state.
pub fn open(engine: &Engine, now: Timestamp) {
    engine.open_management();
    for (ems, telemetry) in known(now) {
        engine.observed(ems, &telemetry, now);
    }
}

fn known(now: Timestamp) -> Vec<(Ems, Telemetry)> {
    let alarm = |ems, (resource, alarm_type), severity, ago_s: f64, cleared| {
        let gone = if cleared {
            "the condition has gone"
        } else {
            "look at it"
        };
        let alarm = Alarm {
            resource: id(resource),
            alarm_type,
            qualifier: String::new(),
            severity,
            time: now.plus_s(-ago_s),
            cleared,
            text: format!("{}: {gone}", alarm_type.as_str()),
        };
        (ems, Telemetry::Alarm(alarm))
    };
    let mains = ("site:S-1", AlarmType::MainsFailure);
    let cell = ("cell:S-1/1", AlarmType::CellDegraded);
    let light = ("link:R-S1", AlarmType::LossOfSignal);
    vec![
        alarm(Ems::Wireless, mains, Severity::Major, 90.0, false),
        alarm(Ems::Wireless, cell, Severity::Minor, 60.0, false),
        alarm(Ems::Wireless, mains, Severity::Major, 30.0, true),
        alarm(Ems::Ip, light, Severity::Critical, 45.0, false),
        (Ems::Wireless, Telemetry::Performance(counted(now, true))),
        (Ems::Ip, Telemetry::Performance(counted(now, false))),
        (
            Ems::Customer,
            Telemetry::Complaint(Complaint {
                time: now.plus_s(-20.0),
                site: id("site:S-1"),
                text: "My phone shows no bars".to_owned(),
            }),
        ),
        (
            Ems::Customer,
            Telemetry::Ticket(Ticket {
                ticket: "TT-1".to_owned(),
                time: now.plus_s(-10.0),
                from: "Meridian Motors".to_owned(),
                language: "en".to_owned(),
                text: "The map stood still".to_owned(),
            }),
        ),
    ]
}

fn counted(now: Timestamp, wireless: bool) -> Arc<Performance> {
    let mut performance = Performance {
        from: now.plus_s(-900.0),
        until: now,
        ..Performance::default()
    };
    let cell = CellPerformance {
        load: 0.25,
        users: 12.5,
        traffic_mbps: 40.0,
        throughput_mbps: 31.25,
        edge_throughput_mbps: 2.0,
        interference_dbm: -104.5,
        power_offset_db: 0.0,
        saving: Saving::SymbolShutdown,
        energy_kwh: 0.0725,
    };
    let link = LinkPerformance {
        utilisation: 0.4,
        traffic_mbps: 4_000.0,
        latency_ms: 0.625,
        loss: 0.0,
    };
    match wireless {
        true => drop(performance.cells.insert(id("cell:S-1/1"), cell)),
        false => drop(performance.links.insert(id("link:R-S1"), link)),
    }
    Arc::new(performance)
}

/// Performs a request, and answers it:
///
/// | request | outcome |
/// |---|---|
/// | anything for `zone:Z-1` | impossible |
/// | anything for `duct:R-1` | times out |
/// | a dispatch | the engineer arrives at once |
/// | guidance | a fault is found and repaired |
/// | a question to a customer | the answer |
/// | anything else | done |
pub fn answer(engine: &Engine, wanted: ActWanted, now: Timestamp) {
    let outcome = outcome(&wanted.action, now);
    let (number, heard) = (1, heard(&wanted.action));
    let answered = outcome.map(|outcome| Acted { number, outcome });
    let done = answered.is_ok();
    let _ = wanted.answer.send(answered);
    if let Some(telemetry) = heard.filter(|_| done) {
        engine.observed(wanted.ems, &telemetry, now);
    }
}

/// A simulation of the same network, without spontaneous events.
pub fn simulation(now: Timestamp) -> Simulation {
    let quiet = Parameters {
        noise: 0.0,
        complaints_per_site_hour: 0.0,
        decoys: false,
        ..Parameters::default()
    };
    Simulation::with_inventory(inventory(), quiet, 1, now)
}

/// Performs a pending request about faults, as a platform does; false if there was none.
pub fn answer_faults(engine: &Engine, simulation: &mut Simulation, now: Timestamp) -> bool {
    simulation.advance(now);
    let served = engine.serve_faults(&mut Faults(simulation), now);
    let judged = engine.serve_referee(&mut Knowing, now);
    simulation.advance(now);
    served || judged
}

/// A referee who has seen one fault and half a day, whatever there was.
struct Knowing;

impl Referee for Knowing {
    fn score(&mut self, _: Timestamp) -> Option<Vec<FaultJudgement>> {
        let judged = FaultJudgement {
            id: 1,
            outcome: FaultOutcome::Wrong,
            found: Some((Cause::CardFailure, ElementId::new("card:R/1"))),
            found_by: Some(Finder::Agent),
            wrong_findings: 2,
            detected_s: Some(61),
            located_s: Some(900),
            mended_s: Some(3_600),
            restored_s: Some(3_660),
            closed_too_early: 0,
        };
        Some(vec![judged])
    }

    fn compare(&mut self, wanted: CompareDay) -> bool {
        wanted.policies != [DayPolicy::None; 2]
    }

    fn comparison(&mut self) -> Option<DayComparison> {
        let day = |policy, played_percent, figures| ComparedDay {
            policy,
            played_percent,
            figures,
        };
        let energy = DayFigure {
            name: "energy",
            unit: "kWh",
            better: "lower",
            value: 812.5,
        };
        Some(DayComparison {
            wanted: CompareDay {
                seed: 7,
                sites: 30,
                policies: [DayPolicy::Agents, DayPolicy::Manual],
                from_hour: Some(9),
            },
            state: ComparisonState::Failed {
                why: "the days were not played within a quarter of an hour".to_owned(),
            },
            days: vec![
                day(DayPolicy::Agents, 100, vec![energy]),
                day(DayPolicy::Manual, 50, Vec::new()),
            ],
        })
    }

    fn end_comparison(&mut self) -> bool {
        true
    }
}

fn outcome(action: &Action, now: Timestamp) -> Result<Outcome, ActFailure> {
    Ok(match action {
        Action::Probe { element } => match element.as_str() {
            "zone:Z-1" => {
                let why = "the meters do not answer".to_owned();
                return Err(ActFailure::Impossible(why));
            }
            "cell:S-1/2" => {
                let why = "the measurement broke off; ask again".to_owned();
                return Err(ActFailure::Failed(why));
            }
            "duct:R-1" => return Err(ActFailure::TooLong { seconds: 600 }),
            _ => Outcome::Measured(Measurement {
                element: element.clone(),
                condition: Condition::Degraded,
                readings: [
                    ("light_a_dbm".to_owned(), -40.0),
                    ("reflection_km".to_owned(), 3.25),
                ]
                .into(),
            }),
        },
        Action::ReadConfiguration { .. } => Outcome::Configuration(Configuration {
            running: [("electrical-tilt-degrees".to_owned(), "9".to_owned())].into(),
            planned: [("electrical-tilt-degrees".to_owned(), "4".to_owned())].into(),
        }),
        Action::Trace { from, until, .. } => Outcome::Traced {
            visits: vec![Visit {
                cell: id("cell:S-1/1"),
                from: *from,
                until: *until,
                rsrp_dbm: -112.5,
                throughput_mbps: 0.75,
                failures: 2,
            }],
            left_to: Some("South".to_owned()),
            came_from: Some("East".to_owned()),
        },
        Action::Dispatch { .. } => Outcome::Dispatched { arrival: now },
        Action::Guide { dispatch, .. } if *dispatch != 1 => {
            let why = "nobody was sent out under that number".to_owned();
            return Err(ActFailure::Impossible(why));
        }
        Action::Guide { .. } => Outcome::Guided,
        Action::TellCustomer { .. } => Outcome::Told,
        Action::SetPower { .. }
        | Action::SetSaving { .. }
        | Action::Configure { .. }
        | Action::Restart { .. } => Outcome::Done,
    })
}

/// The telemetry that follows an action.
fn heard(action: &Action) -> Option<Telemetry> {
    match action {
        Action::Dispatch { element, .. } => Some(Telemetry::Field(FieldReport::Arrived {
            token: 1,
            element: element.clone(),
            question: "What shall I look at?".to_owned(),
        })),
        Action::Guide { element, .. } => Some(Telemetry::Field(FieldReport::Ended {
            token: 1,
            element: element.clone(),
            repaired: true,
            finding: "a broken connector".to_owned(),
        })),
        Action::TellCustomer {
            ticket,
            question: true,
            ..
        } => Some(Telemetry::CustomerAnswered {
            ticket: ticket.clone(),
            text: "Yesterday at noon".to_owned(),
        }),
        _ => None,
    }
}
