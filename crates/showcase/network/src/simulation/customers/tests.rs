//! Drivers complain once about real events, and state nothing that they could not know.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::build::Parameters;
use crate::customer_complaints::Customers;
use crate::fault::{Fault, FaultKind};
use crate::journeys::tests::germany;
use crate::simulation::Emission;
use domain::cause::Cause;
use domain::inventory::{ElementId, ElementKind};
use domain::permit::Permit;
use domain::telemetry::Action;
use proptest::prelude::*;
use std::sync::Arc;

fn start() -> Timestamp {
    Timestamp::parse("2025-04-21T00:00:00Z").unwrap()
}

fn lively(temper: Customers, seed: u64) -> Simulation {
    let parameters = Parameters {
        noise: 0.0,
        complaints_per_site_hour: 0.0,
        decoys: false,
        customers: temper,
        ..Parameters::default()
    };
    Simulation::with_inventory(Arc::new(germany()), parameters, seed, start())
}

fn all_complain() -> Customers {
    Customers {
        vehicles: 120,
        complains: 1.0,
        ..Customers::default()
    }
}

/// Breaks the router behind the most parked vehicles at two in the night.
fn struck(simulation: &mut Simulation) -> ElementId {
    let inventory = simulation.inventory();
    let homes = |router: &&domain::inventory::Element| {
        let at = |v: &&crate::journeys::Vehicle| v.home == router.place;
        simulation.journeys().vehicles().iter().filter(at).count()
    };
    let routers = inventory.of_kind(ElementKind::Router);
    let routers = routers.filter(|r| !inventory.cores.contains(&r.id));
    let element = routers.max_by_key(homes).unwrap().id.clone();
    let at = start().plus_s(7_200.0);
    let fault = Fault {
        kind: FaultKind::RouterFailure,
        element: element.clone(),
        at,
    };
    simulation.inject(fault).unwrap();
    element
}

fn tickets(emissions: &[Emission]) -> Vec<&Ticket> {
    let of =
        |e: &'_ Emission| matches!(&e.tiding, EmissionContent::Telemetry(Telemetry::Ticket(_)));
    let found = emissions.iter().filter(|e| of(e));
    found
        .map(|e| {
            assert_eq!(e.to, Recipients::Domain(Domain::Business));
            match &e.tiding {
                EmissionContent::Telemetry(Telemetry::Ticket(ticket)) => ticket,
                other => panic!("{other:?}"),
            }
        })
        .collect()
}

/// Complaints follow real events; unaffected drivers have unrelated complaints only.
#[test]
fn a_fault_makes_those_complain_whom_it_hurt() {
    let mut simulation = lively(all_complain(), 5);
    struck(&mut simulation);
    let emissions = simulation.advance(start().plus_s(12.0 * 3_600.0));
    let told = tickets(&emissions);
    let grievances = simulation.grievances();
    assert_eq!(told.len(), grievances.len());
    let faults: Vec<_> = grievances
        .iter()
        .filter(|g| matches!(g.nature, ComplaintCause::Fault { .. }))
        .collect();
    assert!(faults.len() >= 3, "{}", faults.len());
    let hurt = &simulation.truth()[0].sites_out;
    for grievance in faults {
        let ComplaintCause::Fault { element, province } = &grievance.nature else {
            panic!("{grievance:?}");
        };
        assert!(hurt.contains(element));
        assert_eq!(
            simulation.inventory().province_of(element),
            Some(province.as_str())
        );
        assert!(grievance.opened_at.seconds_since(grievance.plight.at) >= 900.0);
    }
    let mut quiet = lively(all_complain(), 5);
    quiet.advance(start().plus_s(12.0 * 3_600.0));
    let of_fault = |g: &CustomerComplaint| matches!(g.nature, ComplaintCause::Fault { .. });
    assert!(!quiet.grievances().iter().any(of_fault));
}

/// Without vehicles there are no tickets and no additional events.
#[test]
fn without_drivers_nothing_is_added() {
    let mut simulation = lively(Customers::default(), 5);
    let tickets = simulation
        .advance(start().plus_s(86_400.0))
        .into_iter()
        .filter(|e| {
            !matches!(
                e.tiding,
                EmissionContent::Telemetry(Telemetry::Performance(_))
            )
        });
    assert_eq!(tickets.count(), 0);
    assert!(simulation.grievances().is_empty());
}

fn outcome(emissions: &[Emission], wanted: u64) -> Option<&Outcome> {
    emissions.iter().find_map(|e| match &e.tiding {
        EmissionContent::Outcome { token, outcome } if *token == wanted => Some(outcome),
        _ => None,
    })
}

/// A question is answered with the omitted facts; the reply ends the ticket, and there is only one.
#[test]
fn questions_are_answered_and_one_reply_is_the_end() {
    let temper = Customers {
        answers: 1.0,
        withholds: 1.0,
        ..all_complain()
    };
    let mut simulation = lively(temper, 5);
    struck(&mut simulation);
    let mut heard = Vec::new();
    while tickets(&heard).is_empty() {
        let at = simulation.next_event_at().unwrap();
        heard = simulation.advance(at);
    }
    let number = tickets(&heard)[0].ticket.clone();
    let permit = Permit {
        customers: true,
        ..Permit::default()
    };
    let tell = |question| Action::TellCustomer {
        ticket: number.clone(),
        text: "so it is".to_owned(),
        question,
    };
    let now = simulation.now();
    simulation.act("bss", &Permit::default(), 1, tell(true), now);
    simulation.act("bss", &permit, 2, tell(true), now);
    let heard = simulation.advance(now.plus_s(3_700.0));
    assert!(matches!(outcome(&heard, 1), Some(Outcome::Impossible(_))));
    assert_eq!(outcome(&heard, 2), Some(&Outcome::Told));
    let vin = simulation.grievances()[0].plight.vin.clone();
    let answered = heard.iter().any(|e| {
        matches!(&e.tiding, EmissionContent::Telemetry(Telemetry::CustomerAnswered { ticket, text })
            if *ticket == number && text.replace(' ', "").contains(&vin))
    });
    assert!(answered);
    let now = simulation.now();
    simulation.act("bss", &permit, 3, tell(false), now);
    simulation.act("bss", &permit, 4, tell(false), now);
    let heard = simulation.advance(now.plus_s(60.0));
    assert_eq!(outcome(&heard, 3), Some(&Outcome::Told));
    assert!(matches!(outcome(&heard, 4), Some(Outcome::Impossible(_))));
    let outcome = &simulation.grievances()[0].outcome;
    assert_eq!(
        (outcome.replies, outcome.questions, outcome.answers),
        (2, 1, 1)
    );
    assert_eq!(
        (outcome.replied_at, outcome.reply.as_str()),
        (Some(now), "so it is")
    );
}

/// Records are visible in their own province, and with permission only.
#[test]
fn a_vehicle_is_traced_in_the_own_province_with_permission_only() {
    let mut simulation = lively(all_complain(), 5);
    simulation.advance(start().plus_s(3_600.0));
    let vehicle = simulation.journeys().vehicles()[0].clone();
    let now = simulation.now();
    let trace = |vin: &str| Action::Trace {
        vehicle: vin.to_owned(),
        from: start(),
        until: now,
    };
    let permit = |province: &str| Permit {
        trace: true,
        province: Some(province.to_owned()),
        ..Permit::default()
    };
    let other = if vehicle.province == "North" {
        "South"
    } else {
        "North"
    };
    simulation.act("m", &Permit::default(), 1, trace(&vehicle.vin), now);
    simulation.act("m", &permit(&vehicle.province), 2, trace(&vehicle.vin), now);
    simulation.act("m", &permit(other), 3, trace(&vehicle.vin), now);
    simulation.act("m", &permit(other), 4, trace("0HV00000000000000"), now);
    let heard = simulation.advance(now.plus_s(60.0));
    let visits = |token| match outcome(&heard, token) {
        Some(Outcome::Traced { visits, .. }) => visits.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((visits(2), visits(3)), (1, 0));
    assert!(matches!(outcome(&heard, 1), Some(Outcome::Impossible(_))));
    assert!(matches!(outcome(&heard, 4), Some(Outcome::Impossible(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// The same seed gives the same complaints in steps or at once, whatever agents look up; and no
    /// ticket names an element, a true fault or its cause.
    #[test]
    fn the_same_seed_complains_alike_and_tells_no_truth(seed: u64) {
        let temper = Customers { vehicles: 40, ..all_complain() };
        let (mut at_once, mut in_steps) = (lively(temper.clone(), seed), lively(temper, seed));
        struck(&mut at_once);
        struck(&mut in_steps);
        let end = start().plus_s(9.0 * 3_600.0);
        let vin = in_steps.journeys().vehicles()[0].vin.clone();
        let mut steps = Vec::new();
        while let Some(at) = in_steps.next_event_at().filter(|at| *at <= end) {
            steps.extend(in_steps.advance(at));
            let permit = Permit { trace: true, province: Some("North".to_owned()), ..Permit::default() };
            let trace = Action::Trace { vehicle: vin.clone(), from: start(), until: at };
            if steps.len() % 7 == 0 && at < start().plus_s(8.0 * 3_600.0) {
                in_steps.act("m", &permit, at.as_ms() as u64, trace, at);
            }
        }
        let heard = at_once.advance(end);
        prop_assert_eq!(tickets(&heard), tickets(&steps));
        prop_assert_eq!(at_once.grievances(), in_steps.grievances());
        let kinds = ["site:", "cell:", "router:", "link:"].map(str::to_owned);
        let causes = Cause::ALL.map(|cause| cause.as_str().to_owned());
        for ticket in tickets(&heard) {
            for word in kinds.iter().chain(&causes) {
                let said = [&ticket.text, &ticket.from, &ticket.ticket];
                prop_assert!(said.iter().all(|s| !s.contains(word)), "{word}: {ticket:?}");
            }
        }
    }
}
