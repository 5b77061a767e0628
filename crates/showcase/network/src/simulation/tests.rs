//! Properties of the whole simulation, checked over seeds.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::fault::{FaultKind, FaultRequest};
use domain::inventory::ElementKind;
use domain::permit::Permit;
use domain::telemetry::{Action, Alarm, Condition, FieldReport, Measurement};
use proptest::prelude::*;

const FIELD: &str = "field";

fn start() -> Timestamp {
    Timestamp::parse("2025-04-21T10:00:00Z").unwrap()
}

fn after(minutes: f64) -> Timestamp {
    start().plus_s(minutes * 60.0)
}

fn everything() -> Permit {
    Permit {
        probe: BTreeSet::from([Domain::Wireless, Domain::Ip]),
        field: true,
        radio: true,
        configure: BTreeSet::from([Domain::Wireless, Domain::Ip]),
        ..Permit::default()
    }
}

fn quiet() -> Parameters {
    Parameters {
        noise: 0.0,
        complaints_per_site_hour: 0.0,
        decoys: false,
        mobile: crate::mobile::MobileSettings {
            performance: false,
            ..Default::default()
        },
        performance: false,
        ..Parameters::default()
    }
}

/// A network in which one fault of `kind` happens ten minutes after the start.
fn struck(kind: FaultKind, parameters: Parameters, seed: u64) -> (Simulation, Fault) {
    let mut simulation = Simulation::new(&Backbone::default(), parameters, seed, start());
    let fault = FaultRequest::OfKind(kind)
        .resolve(
            &simulation.inventory(),
            4,
            after(10.0),
            &mut stream(seed, 99),
        )
        .unwrap();
    simulation.inject(fault.clone()).unwrap();
    (simulation, fault)
}

fn alarms(emissions: &[Emission]) -> Vec<&Alarm> {
    emissions
        .iter()
        .filter_map(|e| match &e.tiding {
            EmissionContent::Telemetry(Telemetry::Alarm(alarm)) => Some(alarm),
            _ => None,
        })
        .collect()
}

fn outcome(emissions: &[Emission], wanted: Token) -> Option<&Outcome> {
    emissions.iter().find_map(|e| match &e.tiding {
        EmissionContent::Outcome { token, outcome } if *token == wanted => Some(outcome),
        _ => None,
    })
}

fn reports(emissions: &[Emission]) -> Vec<&FieldReport> {
    emissions
        .iter()
        .filter_map(|e| match &e.tiding {
            EmissionContent::Telemetry(Telemetry::Field(report)) => Some(report),
            _ => None,
        })
        .collect()
}

fn probe(simulation: &mut Simulation, element: &ElementId) -> Measurement {
    let now = simulation.now();
    let action = Action::Probe {
        element: element.clone(),
    };
    simulation.act("prober", &everything(), 1, action, now);
    let emissions = simulation.advance(now.plus_s(121.0));
    match outcome(&emissions, 1) {
        Some(Outcome::Measured(measurement)) => measurement.clone(),
        other => panic!("{other:?}"),
    }
}

/// Sends an engineer to `element` and lets them work there; returns whether they repaired it, with
/// all emissions.
fn repair(simulation: &mut Simulation, token: Token, element: &ElementId) -> (bool, Vec<Emission>) {
    let mut heard = Vec::new();
    let now = simulation.now();
    let dispatch = Action::Dispatch {
        element: element.clone(),
        work_order: None,
    };
    simulation.act(FIELD, &everything(), token, dispatch, now);
    heard.extend(simulation.advance(now.plus_s(3601.0)));
    let now = simulation.now();
    let guide = Action::Guide {
        dispatch: token,
        element: element.clone(),
        steps: vec![],
    };
    simulation.act(FIELD, &everything(), token + 1, guide, now);
    heard.extend(simulation.advance(now.plus_s(9.0 * 3600.0)));
    let repaired = reports(&heard)
        .iter()
        .any(|r| matches!(r, FieldReport::Ended { repaired: true, .. }));
    (repaired, heard)
}

fn any_kind() -> impl Strategy<Value = FaultKind> {
    proptest::sample::select(crate::fault::OUTAGES.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn sites_out_are_those_that_the_inventory_says(kind in any_kind(), seed in any::<u64>()) {
        let (mut simulation, fault) = struck(kind, quiet(), seed);
        simulation.advance(after(9.0));
        prop_assert!(simulation.sites_out().is_empty());
        simulation.advance(after(100.0));
        let failed = BTreeSet::from([fault.element]);
        let expected = simulation.inventory().sites_cut_off(&failed);
        prop_assert_eq!(simulation.sites_out(), &expected);
        prop_assert_eq!(&simulation.truth()[0].sites_out, &expected);
    }

    #[test]
    fn the_same_seed_gives_the_same_stream_in_steps_or_at_once(kind in any_kind(), seed in any::<u64>()) {
        let (mut at_once, _) = struck(kind, Parameters::default(), seed);
        let (mut in_steps, _) = struck(kind, Parameters::default(), seed);
        let mut steps = Vec::new();
        while let Some(at) = in_steps.next_event_at().filter(|at| *at <= after(90.0)) {
            let emissions = in_steps.advance(at);
            prop_assert!(emissions.iter().all(|e| e.at == at));
            steps.extend(emissions);
        }
        prop_assert_eq!(at_once.advance(after(90.0)), steps);
    }

    #[test]
    fn alarms_go_to_their_own_domain_and_never_name_the_cause(kind in any_kind(), seed in any::<u64>()) {
        let (mut simulation, fault) = struck(kind, Parameters::default(), seed);
        let inventory = simulation.inventory();
        let emissions = simulation.advance(after(150.0));
        let mut last = start();
        for emission in &emissions {
            prop_assert!(emission.at >= last);
            last = emission.at;
            match &emission.tiding {
                EmissionContent::Telemetry(Telemetry::Alarm(alarm)) => {
                    let element = inventory.element(&alarm.resource).unwrap();
                    prop_assert_eq!(&emission.to, &Recipients::Domain(element.domain));
                    // Ducts and mains feeders have no processor that could raise an alarm.
                    prop_assert!(!matches!(element.kind, ElementKind::Duct | ElementKind::PowerZone));
                    for word in ["-cut", "duct:", "zone:"] {
                        prop_assert!(!alarm.text.contains(word), "{}", alarm.text);
                    }
                    prop_assert!(alarm.time <= emission.at);
                }
                EmissionContent::Telemetry(Telemetry::Complaint(_)) => {
                    prop_assert_eq!(&emission.to, &Recipients::Domain(Domain::Service));
                }
                EmissionContent::Telemetry(Telemetry::Performance(_)) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
        let sites = &simulation.truth()[0].sites_out;
        let told: BTreeSet<_> = alarms(&emissions)
            .into_iter()
            .filter(|a| !a.cleared && sites.contains(&a.resource) && a.time >= fault.at)
            .map(|a| a.resource.clone())
            .collect();
        prop_assert!(told.len() * 10 >= sites.len() * 7, "{} of {}", told.len(), sites.len());
        prop_assert!(emissions.len() < 2_000, "{}", emissions.len());
    }

    #[test]
    fn after_repair_everything_clears(kind in any_kind(), seed in any::<u64>()) {
        let (mut simulation, fault) = struck(kind, Parameters { noise: 0.0, ..Parameters::default() }, seed);
        let mut heard = simulation.advance(after(30.0));
        let (repaired, rest) = repair(&mut simulation, 1, &fault.element);
        prop_assert!(repaired);
        heard.extend(rest);
        // Small outages go on for ever; wait until none stands and none has just ended.
        for _ in 0..200 {
            let now = simulation.now();
            heard.extend(simulation.advance(now.plus_s(900.0)));
            if simulation.state.troubles.is_empty() && simulation.standing.is_empty() {
                break;
            }
        }
        let truth = simulation.truth()[0].clone();
        prop_assert!(truth.repaired_at.is_some() && truth.restored_at >= truth.repaired_at);
        heard.extend(drain_deliveries(&mut simulation));
        let mut last: BTreeMap<(ElementId, AlarmType), (Timestamp, bool)> = BTreeMap::new();
        for alarm in alarms(&heard) {
            let entry = last
                .entry((alarm.resource.clone(), alarm.alarm_type))
                .or_insert((alarm.time, alarm.cleared));
            if alarm.time >= entry.0 {
                *entry = (alarm.time, alarm.cleared);
            }
        }
        for (what, (_, cleared)) in last {
            prop_assert!(cleared, "{:?} stands", what);
        }
    }

    #[test]
    fn probing_does_not_change_what_happens(seed in any::<u64>()) {
        let (mut watched, fault) = struck(FaultKind::DuctCut, Parameters::default(), seed);
        let (mut alone, _) = struck(FaultKind::DuctCut, Parameters::default(), seed);
        for token in 0..20 {
            let action = Action::Probe { element: fault.element.clone() };
            watched.act("prober", &everything(), token, action, start());
        }
        let heard: Vec<_> = watched
            .advance(after(90.0))
            .into_iter()
            .filter(|e| matches!(e.to, Recipients::Domain(_)))
            .collect();
        prop_assert_eq!(heard, alone.advance(after(90.0)));
    }
}

/// The emissions already scheduled, without new events.
fn drain_deliveries(simulation: &mut Simulation) -> Vec<Emission> {
    simulation
        .queue
        .retain(|_, event| matches!(event, Event::Deliver { .. }));
    let now = simulation.now();
    simulation.advance(now.plus_s(86_400.0))
}

#[test]
fn without_a_fault_there_is_background_only() {
    let mut simulation = Simulation::new(&Backbone::default(), Parameters::default(), 5, start());
    let emissions = simulation.advance(after(240.0));
    assert!(
        (100..1_500).contains(&emissions.len()),
        "{}",
        emissions.len()
    );
    assert!(simulation.truth().is_empty());
    let mut silent = Simulation::new(&Backbone::default(), quiet(), 5, start());
    assert!(silent.advance(after(240.0)).is_empty());
    assert_eq!(silent.next_event_at(), None);
}

#[test]
fn a_cut_link_echoes_and_its_dead_end_is_silent() {
    let (mut simulation, fault) = struck(FaultKind::FibreCut, quiet(), 11);
    let whole = probe(&mut simulation, &fault.element);
    assert_eq!(whole.condition, Condition::Good);
    assert!(!whole.readings.contains_key("reflection_km"));
    assert!(whole.readings["light_a_dbm"] > -30.0 && whole.readings["light_b_dbm"] > -30.0);
    simulation.advance(after(30.0));
    let cut = probe(&mut simulation, &fault.element);
    assert_eq!(cut.condition, Condition::Failed);
    let length = simulation.inventory().links[&fault.element].length_km;
    assert!((0.0..=length).contains(&cut.readings["reflection_km"]));
    let lights = ["light_a_dbm", "light_b_dbm"]
        .iter()
        .filter_map(|name| cut.readings.get(*name));
    let lights: Vec<f64> = lights.copied().collect();
    assert!(
        !lights.is_empty() && lights.iter().all(|l| *l < -38.0),
        "{lights:?}"
    );
}

#[test]
fn a_cut_duct_breaks_all_its_links_at_one_place() {
    let (mut simulation, fault) = struck(FaultKind::DuctCut, quiet(), 12);
    assert_eq!(
        probe(&mut simulation, &fault.element).condition,
        Condition::Good
    );
    simulation.advance(after(30.0));
    let cut = probe(&mut simulation, &fault.element);
    assert_eq!(cut.condition, Condition::Failed);
    assert_eq!(cut.readings["links_broken"], cut.readings["links_total"]);
    assert!(cut.readings["break_spread_km"] < 0.3);
    let inventory = simulation.inventory();
    for (link, _) in inventory
        .links
        .iter()
        .filter(|(_, l)| l.ducts.contains(&fault.element))
    {
        assert_eq!(
            probe(&mut simulation, link).condition,
            Condition::Failed,
            "{link}"
        );
    }
}

#[test]
fn a_dead_card_is_silent_and_its_fibres_are_whole() {
    let (mut simulation, fault) = struck(FaultKind::CardFailure, quiet(), 13);
    simulation.advance(after(30.0));
    let card = probe(&mut simulation, &fault.element);
    assert_eq!(card.condition, Condition::Failed);
    assert!(card.readings["heartbeat_age_s"] > 1_000.0);
    assert_eq!(card.readings["ports_down"], card.readings["ports_total"]);
    let inventory = simulation.inventory();
    let router = inventory.node_of(&fault.element).clone();
    assert_eq!(probe(&mut simulation, &router).condition, Condition::Good);
    for (link, ends) in &inventory.links {
        if ends.a == fault.element || ends.b == fault.element {
            let link = probe(&mut simulation, link);
            assert!(!link.readings.contains_key("reflection_km"));
            assert_ne!(link.condition, Condition::Good);
        }
    }
}

#[test]
fn a_dead_router_does_not_answer_its_console() {
    let (mut simulation, fault) = struck(FaultKind::RouterFailure, quiet(), 14);
    simulation.advance(after(30.0));
    let router = probe(&mut simulation, &fault.element);
    assert_eq!(router.condition, Condition::Failed);
    assert_eq!(router.readings["console_answers"], 0.0);
}

#[test]
fn a_zone_without_mains_is_seen_by_its_meters_and_its_sites_gasp() {
    let (mut simulation, fault) = struck(FaultKind::MainsFailure, quiet(), 15);
    assert_eq!(
        probe(&mut simulation, &fault.element).condition,
        Condition::Good
    );
    let heard = simulation.advance(after(40.0));
    let zone = probe(&mut simulation, &fault.element);
    assert_eq!(zone.condition, Condition::Failed);
    assert!(zone.readings["mains_volts"] < 10.0);
    assert_eq!(zone.readings["meters_dead"], zone.readings["meters_total"]);
    let gasps = alarms(&heard)
        .into_iter()
        .filter(|a| a.alarm_type == AlarmType::MainsFailure)
        .count();
    assert!(gasps >= 3, "{gasps}");
    let site = simulation.truth()[0].sites_out.first().cloned().unwrap();
    assert_eq!(
        probe(&mut simulation, &site).condition,
        Condition::Unreachable
    );
    // Neighbours see the dead sites' light go: misleading, and true.
    let dark = alarms(&heard)
        .into_iter()
        .any(|a| a.alarm_type == AlarmType::LossOfSignal);
    assert!(dark);
}

#[test]
fn guiding_to_what_is_whole_mends_nothing_and_says_so() {
    let (mut simulation, fault) = struck(FaultKind::CardFailure, quiet(), 16);
    simulation.advance(after(20.0));
    let router = simulation.inventory().node_of(&fault.element).clone();
    let (repaired, heard) = repair(&mut simulation, 1, &router);
    assert!(!repaired && simulation.truth()[0].repaired_at.is_none());
    match reports(&heard)[..] {
        [
            FieldReport::Arrived {
                token: 1, question, ..
            },
            FieldReport::Ended {
                token: 1, finding, ..
            },
        ] => {
            assert!(question.contains(router.as_str()), "{question}");
            assert!(finding.contains(fault.element.as_str()), "{finding}");
        }
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn guiding_to_one_link_of_a_cut_duct_mends_the_duct() {
    let (mut simulation, fault) = struck(FaultKind::DuctCut, quiet(), 17);
    simulation.advance(after(20.0));
    let inventory = simulation.inventory();
    let link = inventory
        .links
        .iter()
        .find(|(_, l)| l.ducts.contains(&fault.element));
    let (repaired, _) = repair(&mut simulation, 1, link.unwrap().0);
    assert!(repaired && simulation.sites_out().is_empty());
    assert!(simulation.truth()[0].restored_at.is_some());
}

#[test]
fn what_may_not_be_done_is_impossible() {
    let (mut simulation, fault) = struck(FaultKind::FibreCut, quiet(), 18);
    let wireless = Permit {
        probe: BTreeSet::from([Domain::Wireless]),
        ..Permit::default()
    };
    let element = || fault.element.clone();
    let guide = |dispatch| Action::Guide {
        dispatch,
        element: element(),
        steps: vec![],
    };
    let nowhere = Action::Probe {
        element: ElementId::new("site:Nowhere-1"),
    };
    let dispatch = || Action::Dispatch {
        element: element(),
        work_order: None,
    };
    let now = start();
    simulation.act("w", &wireless, 1, Action::Probe { element: element() }, now);
    simulation.act("w", &wireless, 2, dispatch(), now);
    simulation.act("w", &wireless, 3, guide(2), now);
    simulation.act("w", &everything(), 4, nowhere, now);
    simulation.act("w", &everything(), 5, guide(9), now);
    simulation.act("w", &everything(), 6, dispatch(), now);
    simulation.act("w", &everything(), 7, guide(6), now);
    simulation.act("w", &everything(), 6, dispatch(), now);
    let emissions = simulation.advance(now.plus_s(60.0));
    let refused: Vec<String> = emissions
        .iter()
        .filter_map(|e| match &e.tiding {
            EmissionContent::Outcome {
                token,
                outcome: Outcome::Impossible(why),
            } => Some(format!(
                "{token}: {}",
                why.replace(fault.element.as_str(), "LINK")
            )),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(refused.join("\n"), @r"
    1: LINK belongs to domain IP, which w may not probe
    2: w does not command the field force
    3: w does not command the field force
    4: the network has no element 'site:Nowhere-1'
    5: nobody was sent out under token 9
    7: the engineer has not arrived yet
    6: token 6 belongs to an earlier dispatch
    ");
}

/// A second dispatch under the same work order, after the first was forgotten, sends no other
/// engineer: the one on it reports to the sender, on the way, on arrival and at work.
#[test]
fn a_work_order_sends_one_engineer_however_often_it_is_sent() {
    let (mut simulation, fault) = struck(FaultKind::CardFailure, quiet(), 19);
    simulation.advance(after(60.0));
    let element = fault.element.clone();
    let send = |simulation: &mut Simulation, by: &str, token, order: &str| {
        let dispatch = Action::Dispatch {
            element: element.clone(),
            work_order: Some(order.to_owned()),
        };
        let now = simulation.now();
        simulation.act(by, &everything(), token, dispatch, now);
        let heard = simulation.advance(now.plus_s(10.0));
        let arrival = match outcome(&heard, token) {
            Some(Outcome::Dispatched { arrival }) => *arrival,
            other => panic!("{other:?}"),
        };
        (arrival, heard)
    };
    let told = |heard: &[Emission]| {
        let reports = reports(heard).into_iter();
        let told = reports.map(|report| match report {
            FieldReport::Arrived { token, .. } => format!("{token} there"),
            FieldReport::Ended {
                token, repaired, ..
            } => format!("{token} ended {repaired}"),
        });
        told.collect::<Vec<_>>()
    };
    let (first, _) = send(&mut simulation, FIELD, 1, "t-1");
    let (again, _) = send(&mut simulation, FIELD, 2, "t-1");
    assert_eq!(first, again, "on the way");
    let heard = simulation.advance(first.plus_s(1.0));
    assert_eq!(told(&heard), ["2 there"]);
    let (_, heard) = send(&mut simulation, FIELD, 3, "t-1");
    assert_eq!(told(&heard), ["3 there"], "there already");
    let now = simulation.now();
    let guide = Action::Guide {
        dispatch: 3,
        element: element.clone(),
        steps: vec![],
    };
    simulation.act(FIELD, &everything(), 4, guide, now);
    let (_, heard) = send(&mut simulation, FIELD, 5, "t-1");
    assert!(told(&heard).is_empty(), "at work");
    let heard = simulation.advance(now.plus_s(3.0 * 3600.0));
    assert_eq!(told(&heard), ["5 ended true"]);
    let sent = |simulation: &Simulation| simulation.dispatches().len();
    assert_eq!(sent(&simulation), 1);
    assert!(simulation.dispatches()[0].repaired, "the referee sees it");
    send(&mut simulation, FIELD, 6, "t-2");
    send(&mut simulation, "another", 7, "t-1");
    assert_eq!(sent(&simulation), 3, "another order, and another's");
}

#[test]
fn two_faults_at_once_have_a_truth_each() {
    let (mut simulation, first) = struck(FaultKind::MainsFailure, quiet(), 19);
    let second = FaultRequest::OfKind(FaultKind::CardFailure)
        .resolve(&simulation.inventory(), 4, after(15.0), &mut stream(2, 0))
        .unwrap();
    simulation.inject(second.clone()).unwrap();
    simulation.advance(after(60.0));
    let inventory = simulation.inventory();
    for (truth, fault) in simulation.truth().iter().zip([first, second]) {
        let alone = inventory.sites_cut_off(&BTreeSet::from([fault.element.clone()]));
        assert_eq!(truth.fault, fault);
        assert!(truth.sites_out.is_superset(&alone));
    }
    let outcome = simulation.inject(Fault {
        kind: FaultKind::DuctCut,
        element: ElementId::new("duct:Nowhere-1"),
        at: start(),
    });
    assert!(outcome.is_err());
}

/// An agent confined to a province is refused any action beyond it; within it nothing is refused.
#[test]
fn a_permit_ends_at_the_border_of_its_province() {
    let mut simulation = Simulation::new(&Backbone::default(), quiet(), 5, start());
    let inventory = simulation.inventory();
    let router_in = |province: &str| {
        let mut routers = inventory.of_kind(ElementKind::Router);
        let there = routers.find(|r| inventory.province_of(&r.id) == Some(province));
        there.unwrap().id.clone()
    };
    let permit = Permit {
        province: Some("North".to_owned()),
        ..everything()
    };
    let probe = |element| Action::Probe { element };
    let dispatch = |element| Action::Dispatch {
        element,
        work_order: None,
    };
    let wanted = [
        probe(router_in("North")),
        probe(router_in("South")),
        dispatch(router_in("South")),
    ];
    for (token, action) in wanted.into_iter().enumerate() {
        simulation.act("north", &permit, token as u64, action, start());
    }
    let ended = simulation.advance(after(5.0));
    let of = |wanted: u64| {
        let mut outcomes = ended.iter().filter_map(|e| match &e.tiding {
            EmissionContent::Outcome { token, outcome } if *token == wanted => Some(outcome),
            _ => None,
        });
        outcomes.next().unwrap()
    };
    assert!(matches!(of(0), Outcome::Measured(_)), "{:?}", of(0));
    for beyond in [of(1), of(2)] {
        let Outcome::Impossible(why) = beyond else {
            panic!("{beyond:?}");
        };
        assert!(why.contains("confined"), "{why}");
    }
    assert!(simulation.dispatches().is_empty());
}
