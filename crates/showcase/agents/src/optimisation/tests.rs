//! Compensations as others order them: counter-offers, conflicts, ends.

#![allow(clippy::unwrap_used)]

use crate::bench::{answer, ask, briefing_of, id, rng, task, word_on_feasibility};
use crate::context::HostedExecutor;
use crate::drill::net::Fault;
use crate::drill::{Drill, hour};
use crate::optimisation::Optimisation;
use crate::payloads::Schema;
use crate::payloads::compensation::{
    Compensation, CompensationAction, CompensationResult, SavingMeanwhile,
};
use crate::payloads::intent::{Intent, IntentAction, IntentOrder, IntentPolicy};
use crate::payloads::saving::{SavingAction, SavingOrder, SavingResult};
use domain::agent::{Agent, Input, Output};
use domain::content::Content;
use domain::reply::Verdict;
use domain::task::{Status, TaskId};
use domain::verb::Verb;
use std::collections::BTreeSet;

fn night() -> Drill {
    let mut drill = Drill::begin(hour(2), 1, &[]);
    drill.run_for(6_000.0);
    drill
}

fn order(site: &str, cells: &[&str], minutes: u64) -> Content {
    let order = Compensation {
        sites: BTreeSet::from([id(site)]),
        lost_cells: cells.iter().map(|c| id(c)).collect(),
        // Of a site that is not out the capacity cell alone shall help: it sleeps.
        neighbour_cells: cells.iter().map(|_| id("cell:s0/2")).collect(),
        min_throughput_mbps: Some(1.0),
        energy_saving: SavingMeanwhile::Suspend,
        duration_minutes: Some(minutes),
        ..Compensation::default()
    };
    Content::new(site, "compensate").with_payload(order.to_payload())
}

fn policy(priorities: &[Intent], target: f64) -> Content {
    let order = IntentOrder {
        action: IntentAction::Set,
        policy: IntentPolicy {
            priorities: priorities.to_vec(),
            saving_target_percent: Some(target),
            ..IntentPolicy::default()
        },
        ..IntentOrder::default()
    };
    Content::new("network", "set").with_payload(order.to_payload())
}

fn result(drill: &Drill, task: &str) -> CompensationResult {
    let task = &drill.tasks[&TaskId::new(task)];
    let said = task.result.as_ref().or(task.said.as_ref()).unwrap();
    CompensationResult::in_content(said).unwrap()
}

/// W2: a covering cell is dead, and the capacity cell beside it sleeps: it is woken, and sleeps again.
#[test]
fn a_cell_that_sleeps_is_woken_and_sleeps_again() {
    let mut drill = night();
    assert!(drill.net.asleep().contains(&id("cell:s0/2")));
    drill.order("optimisation", "t", order("site:s0", &["cell:s0/1"], 30));
    drill.run_for(900.0);
    drill.in_order(&[
        &["optimisation -> energy-saving FeasibilityNegotiate"],
        &["optimisation -> energy-saving taskAssgin"],
        &["energy-saving acts SetSaving off", "cell:s0/2"],
    ]);
    assert!(!drill.net.asleep().contains(&id("cell:s0/2")));
    drill.run_for(4_000.0);
    assert_eq!(drill.tasks[&TaskId::new("t")].status, Status::Finished);
    assert!(result(&drill, "t").extra_energy_kwh.unwrap() > 0.0);
    assert!(drill.net.asleep().contains(&id("cell:s0/2")));
    drill.is_clean().unwrap();
}

/// Duration ended: offsets go back and the energy-saving agent's part ends with it.
#[test]
fn when_its_time_is_over_everything_goes_back() {
    let mut drill = night();
    let reply = drill.order("optimisation", "t", order("site:s0", &[], 45));
    assert_eq!(reply.verdict, Verdict::Accepted);
    drill.run_for(1_900.0);
    let told = result(&drill, "t");
    assert!(told.throughput_before_mbps.is_some() && told.throughput_mbps.is_some());
    assert_eq!(drill.open("energy_saving_v1").len(), 2);
    drill.run_for(1_000.0);
    drill.is_clean().unwrap();
    assert_eq!(drill.tasks[&TaskId::new("t")].status, Status::Finished);
}

#[test]
fn a_cancel_and_an_order_to_cancel_both_end_it() {
    let mut drill = night();
    drill.order("optimisation", "t", order("site:s0", &[], 600));
    drill.run_for(100.0);
    drill.cancel("t");
    drill.run_for(100.0);
    drill.is_clean().unwrap();
    drill.order("optimisation", "u", order("site:s0", &[], 600));
    drill.run_for(100.0);
    assert!(!drill.net.offsets.is_empty());
    let stop = Compensation {
        action: CompensationAction::Cancel,
        sites: BTreeSet::from([id("site:s0")]),
        ..Compensation::default()
    };
    let stop = Content::new("site:s0", "stop").with_payload(stop.to_payload());
    assert_eq!(
        drill.order("optimisation", "v", stop).verdict,
        Verdict::Result
    );
    drill.run_for(100.0);
    drill.is_clean().unwrap();
}

/// Two compensations want one cell: it is as loud as the louder wants, until both are over.
#[test]
fn two_compensations_share_their_helpers() {
    let mut drill = night();
    drill.order("optimisation", "t", order("site:s0", &[], 600));
    drill.order("optimisation", "u", order("site:s0", &[], 600));
    drill.run_for(100.0);
    let both = drill.net.offsets.clone();
    drill.cancel("t");
    drill.run_for(100.0);
    assert!(!drill.net.offsets.is_empty());
    assert!(drill.net.offsets.iter().all(|(c, db)| both[c] >= *db));
    drill.cancel("u");
    drill.run_for(100.0);
    drill.is_clean().unwrap();
}

/// Counter-offer: a cell whose site lives on its batteries is not woken, whoever comes first.
#[test]
fn batteries_are_spared_and_nobody_arbitrates() {
    let mut drill = night();
    drill.strike(Fault::Battery("site:s0"), None);
    drill.run_for(10.0);
    drill.order("optimisation", "t", order("site:s0", &["cell:s0/1"], 30));
    drill.run_for(600.0);
    assert!(drill.said(&["Energy saving objects", "batteries"]));
    assert!(!drill.said(&["optimisation -> service-intent"]));
    assert!(drill.net.asleep().contains(&id("cell:s0/2")));
    drill.run_for(4_000.0);
    drill.is_clean().unwrap();
}

/// By how much energy saving is saving, in percent.
fn saved_percent(drill: &mut Drill) -> f64 {
    let ask = SavingOrder {
        action: SavingAction::Resume,
        area: "site:s0".into(),
        ..SavingOrder::default()
    };
    let ask = Content::new("site:s0", "resume").with_payload(ask.to_payload());
    let reply = drill.order("energy-saving", "q", ask);
    let result = SavingResult::in_content(&reply.content[0]).unwrap();
    result.saving_percent.unwrap()
}

/// W2, conflict: the target is at stake, and what it bears is half an hour. By the usual order
/// experience prevails and the cell is awake for the whole hour, by another it sleeps again before.
#[test]
fn who_yields_is_a_matter_of_priorities() {
    let compensate = |priorities: &[Intent]| {
        let mut drill = night();
        let target = saved_percent(&mut drill) - 0.6;
        drill.order("service-intent", "p", policy(priorities, target));
        drill.run_for(10.0);
        drill.order("optimisation", "t", order("site:s0", &["cell:s0/1"], 60));
        drill.run_for(1_000.0);
        drill.in_order(&[
            &["optimisation -> energy-saving FeasibilityNegotiate"],
            &["energy-saving => optimisation offered"],
            &["optimisation -> service-intent taskAssgin service_intent_v1"],
            &["prevails over"],
            &["optimisation -> energy-saving FeasibilityNegotiate"],
            &["optimisation -> energy-saving taskAssgin"],
        ]);
        assert!(!drill.net.asleep().contains(&id("cell:s0/2")));
        drill.run_for(2_400.0);
        let awake = !drill.net.asleep().contains(&id("cell:s0/2"));
        drill.run_for(5_000.0);
        drill.is_clean().unwrap();
        (awake, drill)
    };
    let (awake, drill) = compensate(&[Intent::Fault, Intent::Experience, Intent::Energy]);
    assert!(awake, "{}", drill.log.join("\n"));
    drill.in_order(&[
        &["experience prevails over energy"],
        &["energy-saving: For that the saving target is"],
    ]);
    let (awake, drill) = compensate(&[Intent::Fault, Intent::Energy, Intent::Experience]);
    assert!(!awake, "{}", drill.log.join("\n"));
    assert!(drill.said(&["energy prevails over experience"]));
    assert!(drill.said(&["What energy saving offers is taken"]));
    assert!(!drill.said(&["the saving target is"]));
}

/// W2: an order that lets cells be woken only as the target bears asks nobody to lower it.
#[test]
fn to_reduce_is_to_stay_within_the_target() {
    let mut drill = night();
    let target = saved_percent(&mut drill) - 0.6;
    drill.order("service-intent", "p", policy(&[], target));
    drill.run_for(10.0);
    let mut content = order("site:s0", &["cell:s0/1"], 60);
    let values = &mut content.payload.as_mut().unwrap().values;
    values.insert("energy_saving".into(), "reduce".into());
    drill.order("optimisation", "t", content);
    drill.run_for(1_000.0);
    drill.in_order(&[
        &["energy-saving => optimisation offered"],
        &["What energy saving offers is taken"],
    ]);
    assert!(!drill.said(&["optimisation -> service-intent"]));
    assert!(!drill.said(&["the saving target is"]));
    drill.run_for(7_400.0);
    drill.is_clean().unwrap();
}

/// Without an agent that decides conflicts the counter-offer stands.
#[test]
fn with_nobody_to_decide_the_counter_offer_stands() {
    let mut drill = Drill::begin(hour(2), 1, &["service-intent"]);
    let save = SavingOrder {
        area: "network".into(),
        saving_target_percent: Some(90.0),
        ..SavingOrder::default()
    };
    let save = Content::new("network", "save").with_payload(save.to_payload());
    drill.order("energy-saving", "s", save);
    drill.run_for(6_000.0);
    drill.order("optimisation", "t", order("site:s0", &["cell:s0/1"], 60));
    drill.run_for(1_000.0);
    assert!(drill.said(&["nobody decides conflicts"]));
    assert!(drill.net.asleep().contains(&id("cell:s0/2")));
    drill.run_for(5_000.0);
    drill.cancel("s");
    drill.run_for(1_000.0);
    drill.is_clean().unwrap();
}

/// `keep` leaves those who sleep alone, and the energy-saving agent is not asked.
#[test]
fn keeping_energy_saving_asks_nobody() {
    let mut drill = night();
    let keep = Compensation {
        sites: BTreeSet::from([id("site:s0")]),
        duration_minutes: Some(30),
        ..Compensation::default()
    };
    let keep = Content::new("site:s0", "compensate").with_payload(keep.to_payload());
    let asleep = drill.net.asleep();
    drill.order("optimisation", "t", keep);
    drill.run_for(600.0);
    assert!(!drill.net.offsets.is_empty());
    assert!(!drill.said(&["optimisation -> energy-saving"]));
    assert!(drill.net.asleep().is_superset(&asleep));
    drill.run_for(4_000.0);
    drill.is_clean().unwrap();
}

/// An agent alone, to say things to in an order that no platform would.
fn alone() -> Box<dyn Agent> {
    let mut agent: Box<dyn Agent> = Box::new(HostedExecutor::<Optimisation>::default());
    let drill = Drill::begin(hour(2), 1, &[]);
    let started = Input::Started(briefing_of(&drill, "optimisation"));
    agent.step(started, hour(2), &mut rng());
    agent
}

/// Cancelled while it is negotiated: what comes afterwards begins nothing.
#[test]
fn refused_while_it_is_negotiated_it_begins_nothing() {
    let mut agent = alone();
    let content = order("site:s0", &[], 30);
    let asked = task("t", "TMF-wireless-fault", content.clone(), true);
    let outputs = agent.step(
        ask(Verb::FeasibilityNegotiate, &asked, content.clone()),
        hour(2),
        &mut rng(),
    );
    assert_eq!(answer(&outputs).verdict, Verdict::Pending);
    let token = outputs.iter().find_map(|o| match o {
        Output::Send { token, .. } => Some(*token),
        _ => None,
    });
    let outputs = agent.step(word_on_feasibility(&asked, false), hour(2), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let reply = Ok(domain::reply::Reply::accepted());
    let token = token.unwrap();
    let outputs = agent.step(Input::Replied { token, reply }, hour(2), &mut rng());
    assert!(outputs.is_empty(), "{outputs:?}");
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason_or_offered_otherwise() {
    let mut agent = alone();
    let mut said = |change: &dyn Fn(&mut Compensation)| {
        let mut order = Compensation {
            sites: BTreeSet::from([id("site:s0")]),
            ..Compensation::default()
        };
        change(&mut order);
        let content = Content::new("site:s0", "c").with_payload(order.to_payload());
        let asked = task("t", "TMF-wireless-fault", content.clone(), true);
        let ask = ask(Verb::FeasibilityNegotiate, &asked, content);
        let outputs = agent.step(ask, hour(2), &mut rng());
        let reply = answer(&outputs);
        let reason = reply.reasons.first();
        let reason = reason.map_or(String::new(), |r| format!(" {} {}", r.reason, r.path));
        format!("{}{reason}", reply.verdict.as_str())
    };
    let tilt = |o: &mut Compensation| o.method = Some("adjust_tilt".into());
    assert_eq!(said(&tilt), "offered unknown-method method");
    let nowhere = |o: &mut Compensation| o.sites = BTreeSet::from([id("site:x")]);
    assert_eq!(said(&nowhere), "refused unknown-element sites");
    let nobody = |o: &mut Compensation| o.power_offset_db = Some(0.0);
    assert_eq!(said(&nobody), "refused no-gain sites");
    // More is promised than can be had: less is offered.
    let much = |o: &mut Compensation| o.min_throughput_mbps = Some(500.0);
    assert_eq!(said(&much), "offered less min_throughput_mbps");
}
