//! Errors strike what is told, and nothing of what happens.

use super::*;
use crate::build::Parameters;
use crate::customer_complaints::Customers;
use crate::fault::Fault;
use crate::simulation::{Emission, EmissionContent, Recipients};
use crate::state::ObservableCondition;
use crate::topology::Backbone;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementKind};
use domain::permit::Permit;
use domain::telemetry::{Action, Alarm, Condition, Outcome, Telemetry};
use domain::time::Timestamp;
use std::collections::BTreeMap;

fn start() -> Timestamp {
    Timestamp::parse("2025-04-21T10:00:00Z").unwrap()
}

/// A small network in which nothing happens but for errors.
fn quiet(errors: TelemetryErrors) -> Simulation {
    let parameters = Parameters {
        sites: 40,
        noise: 0.0,
        complaints_per_site_hour: 0.0,
        decoys: false,
        performance: false,
        errors,
        ..Parameters::default()
    };
    let polska = Backbone::named("Polska").unwrap();
    Simulation::new(&polska, parameters, 1, start())
}

/// The same network full of life.
fn lively(errors: TelemetryErrors, seed: u64) -> Simulation {
    let parameters = Parameters {
        sites: 40,
        life: 60.0,
        customers: Customers {
            vehicles: 120,
            ..Customers::default()
        },
        errors,
        ..Parameters::default()
    };
    let polska = Backbone::named("Polska").unwrap();
    Simulation::new(&polska, parameters, seed, start())
}

fn with(settings: &str) -> TelemetryErrors {
    let mut errors = TelemetryErrors::none();
    errors.set_all(settings).unwrap();
    errors
}

fn alarms(emissions: &[Emission]) -> Vec<&Alarm> {
    let alarms = emissions.iter().filter_map(|e| match &e.tiding {
        EmissionContent::Telemetry(Telemetry::Alarm(alarm)) => Some(alarm),
        _ => None,
    });
    alarms.collect()
}

/// What customers say, and when.
fn complaints(emissions: &[Emission]) -> Vec<(Timestamp, String)> {
    let said = emissions.iter().filter_map(|e| match &e.tiding {
        EmissionContent::Telemetry(Telemetry::Complaint(c)) => Some((e.at, c.text.clone())),
        EmissionContent::Telemetry(Telemetry::Ticket(t)) => Some((e.at, t.text.clone())),
        _ => None,
    });
    said.collect()
}

fn probe(simulation: &mut Simulation, element: &ElementId, token: u64) -> Outcome {
    let permit = Permit {
        probe: [Domain::Wireless, Domain::Ip].into(),
        ..Permit::default()
    };
    let now = simulation.now();
    let element = element.clone();
    simulation.act("prober", &permit, token, Action::Probe { element }, now);
    let answered = simulation.advance(now.plus_s(121.0)).into_iter();
    let mut outcomes = answered.filter_map(|e| match (e.to, e.tiding) {
        (Recipients::Agent(_), EmissionContent::Outcome { token: of, outcome }) => {
            (of == token).then_some(outcome)
        }
        _ => None,
    });
    outcomes.next().unwrap()
}

#[test]
fn faults_and_complaints_of_a_seed_are_the_same_with_errors_and_without() {
    for seed in [1, 2] {
        let played = |errors| {
            let mut simulation = lively(errors, seed);
            let emissions = simulation.advance(start().plus_s(8.0 * 3_600.0));
            let faults: Vec<Fault> = simulation.truth().iter().map(|t| t.fault.clone()).collect();
            let heard = alarms(&emissions).len();
            (
                faults,
                complaints(&emissions),
                simulation.inventory(),
                heard,
            )
        };
        let (ideal, erring) = (
            played(TelemetryErrors::none()),
            played(TelemetryErrors::erring()),
        );
        let (faults, said) = (ideal.0.len(), ideal.1.len());
        assert!(faults > 3 && said > 0, "{faults} faults, {said} complaints");
        assert_eq!(ideal.0, erring.0);
        assert_eq!(ideal.1, erring.1);
        assert_eq!(ideal.2, erring.2);
        assert!(erring.3 > ideal.3, "{} {}", erring.3, ideal.3);
    }
}

#[test]
fn false_alarms_come_at_their_rate_end_and_are_not_borne_out() {
    let mut simulation = quiet(with("false-alarms=60,standing=30"));
    let emissions = simulation.advance(start().plus_s(10.0 * 3_600.0));
    let mut standing: BTreeMap<(ElementId, AlarmType), Timestamp> = BTreeMap::new();
    let mut raised = BTreeSet::new();
    for alarm in alarms(&emissions) {
        let key = (alarm.resource.clone(), alarm.alarm_type);
        match alarm.cleared {
            true => drop(standing.remove(&key)),
            false => {
                raised.insert((key.clone(), alarm.time));
                standing.insert(key, alarm.time);
            }
        }
    }
    // 600 in groups whose size varies: a standard deviation of 45. Some stand already.
    assert!((430..=740).contains(&raised.len()), "{}", raised.len());
    // Those of the last half hour, and some whose messages overtook each other.
    assert!(standing.len() < 60, "{}", standing.len());
    assert!(simulation.false_alarms_standing() > 0 && simulation.truth().is_empty());
    let false_of_site = standing
        .keys()
        .find(|(id, _)| id.as_str().starts_with("site:"));
    let site = false_of_site.map(|(id, _)| id.clone()).unwrap();
    match probe(&mut simulation, &site, 1) {
        Outcome::Measured(found) => assert_eq!(found.condition, Condition::Good),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_alarm_that_would_be_true_is_no_false_one() {
    let mut simulation = quiet(with("false-alarms=1"));
    let site = simulation
        .inventory()
        .of_kind(ElementKind::Site)
        .next()
        .unwrap()
        .id
        .clone();
    let zone = simulation
        .inventory()
        .element(&site)
        .unwrap()
        .parent
        .clone()
        .unwrap();
    let claim = |simulation: &mut Simulation| {
        let sighting = ObservableCondition {
            resource: site.clone(),
            alarm_type: AlarmType::MainsFailure,
            seen_by: site.clone(),
        };
        let (from, mut rng) = (simulation.now(), stream(1, 0));
        let alarm = NoiseBurst::of(sighting, from, from.plus_s(600.0), &mut rng);
        simulation.false_alarm(alarm);
        simulation.false_alarms_standing()
    };
    assert_eq!(claim(&mut simulation), 1);
    let mut broken = quiet(with("false-alarms=1"));
    let at = start().plus_s(10.0);
    let fault = Fault {
        kind: Cause::MainsFailure,
        element: zone,
        at,
    };
    broken.inject(fault).unwrap();
    broken.advance(start().plus_s(20.0));
    assert_eq!(claim(&mut broken), 0);
}

#[test]
fn a_measurement_that_failed_may_be_asked_for_again() {
    let mut simulation = quiet(with("probe-failures=0.5"));
    let site = simulation
        .inventory()
        .of_kind(ElementKind::Site)
        .next()
        .unwrap()
        .id
        .clone();
    let outcomes: Vec<Outcome> = (1..41)
        .map(|token| probe(&mut simulation, &site, token))
        .collect();
    let failed = outcomes
        .iter()
        .filter(|o| matches!(o, Outcome::Failed(_)))
        .count();
    let measured = outcomes
        .iter()
        .filter(|o| matches!(o, Outcome::Measured(_)))
        .count();
    assert_eq!(failed + measured, 40);
    // Binomial: a standard deviation of 3.2.
    assert!((8..=32).contains(&failed), "{failed}");
}

#[test]
fn a_neighbours_reading_or_the_opposite_is_no_longer_shown_when_asked_again() {
    let mut simulation = quiet(with("probe-errors=0.3"));
    let site = simulation
        .inventory()
        .of_kind(ElementKind::Site)
        .next()
        .unwrap()
        .id
        .clone();
    let wrong = (1..61)
        .map(|token| probe(&mut simulation, &site, token))
        .filter(|outcome| match outcome {
            Outcome::Measured(found) => {
                assert_eq!(found.element, site);
                found.condition != Condition::Good
            }
            other => panic!("{other:?}"),
        })
        .count();
    // Of those that err one in three shows the opposite: six of sixty, deviation 2.3.
    assert!((1..=14).contains(&wrong), "{wrong}");
}

#[test]
fn documents_err_and_the_network_does_not() {
    let ideal = quiet(TelemetryErrors::none());
    let erring = quiet(with("wrong-links=0.2,drift=0.2"));
    assert_eq!(ideal.inventory(), erring.inventory());
    assert_eq!(ideal.documented_inventory(), ideal.inventory());
    assert_ne!(erring.documented_inventory(), erring.inventory());
    let settings = &erring.state().settings;
    let differs = |id: &&ElementId| {
        let read = settings.read(&erring.inventory, id);
        read.is_some_and(|read| read.running != read.planned)
    };
    let drifted = erring.inventory.cells.keys().filter(differs).count();
    let share = drifted as f64 / erring.inventory.cells.len() as f64;
    // 200 cells: a standard deviation of .028.
    assert!((0.09..0.31).contains(&share), "{share}");
    assert!(erring.state().cell_losses_db(&erring.inventory).is_empty());
}
