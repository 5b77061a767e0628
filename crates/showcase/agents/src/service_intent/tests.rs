//! Priorities: set, in force, over; and what follows from them.

#![allow(clippy::unwrap_used)]

use super::ruling::rule;
use super::usual_policy;
use crate::drill::{Drill, hour};
use crate::payloads::Schema;
use crate::payloads::intent::{
    Intent, IntentAction, IntentOrder, IntentPolicy, IntentResult, Party,
};
use crate::payloads::saving::SavingOrder;
use domain::content::Content;
use domain::reply::Verdict;
use domain::task::{Status, TaskId};

/// An intent with what it loses in Mbit/s and kWh.
type Row = (Intent, f64, f64);

fn conflict(rows: &[Row]) -> IntentOrder {
    let party = |(intent, loss_mbps, loss_kwh): &(Intent, f64, f64)| Party {
        intent: *intent,
        wants: String::new(),
        loss_mbps: *loss_mbps,
        loss_kwh: *loss_kwh,
    };
    IntentOrder {
        parties: rows.iter().map(party).collect(),
        ..IntentOrder::default()
    }
}

use Intent::{Energy, Experience, Fault};

#[test]
fn the_order_of_priorities_decides_unless_nothing_is_lost() {
    let table: [(&[Intent], &[Row], Intent); 5] = [
        (
            &[Fault, Experience, Energy],
            &[(Energy, 0.0, 9.0), (Experience, 5.0, 0.0)],
            Experience,
        ),
        (
            &[Fault, Energy, Experience],
            &[(Energy, 0.0, 9.0), (Experience, 5.0, 0.0)],
            Energy,
        ),
        // Who loses nothing yields, whatever its place.
        (
            &[Fault, Experience, Energy],
            &[(Energy, 0.0, 9.0), (Experience, 0.05, 0.0)],
            Energy,
        ),
        (
            &[Energy, Experience, Fault],
            &[(Energy, 0.0, 0.01), (Fault, 3.0, 0.0)],
            Fault,
        ),
        (
            &[Fault, Experience, Energy],
            &[(Experience, 0.0, 0.0), (Energy, 0.0, 0.0)],
            Experience,
        ),
    ];
    for (priorities, parties, prevails) in table {
        let policy = IntentPolicy {
            priorities: priorities.to_vec(),
            ..usual_policy()
        };
        let result = rule(&policy, &conflict(parties));
        assert_eq!(
            result.prevails,
            Some(prevails),
            "{priorities:?} {parties:?}"
        );
        assert_eq!(result.yields.len(), 1);
        assert!(!result.yields.contains(&prevails));
    }
}

#[test]
fn a_ruling_holds_no_longer_than_the_policy_allows() {
    let mut order = conflict(&[(Experience, 5.0, 0.0), (Energy, 0.0, 5.0)]);
    for (asked, granted) in [(None, 240), (Some(60), 60), (Some(600), 240)] {
        order.policy.duration_minutes = asked;
        let result = rule(&usual_policy(), &order);
        assert_eq!(result.policy.duration_minutes, Some(granted));
    }
}

/// W2: if energy yields, its target does, as far as it must; else the one in force stays.
#[test]
fn the_target_is_lowered_only_where_energy_yields() {
    let usual = usual_policy().saving_target_percent;
    let rows: [(&[Row], Option<f64>, Option<f64>); 4] = [
        (
            &[(Experience, 5.0, 0.0), (Energy, 0.0, 5.0)],
            Some(3.1),
            Some(3.1),
        ),
        (&[(Experience, 5.0, 0.0), (Energy, 0.0, 5.0)], None, usual),
        (
            &[(Experience, 0.0, 0.0), (Energy, 0.0, 5.0)],
            Some(3.1),
            usual,
        ),
        // Whoever asks for a higher one lowers nothing.
        (
            &[(Experience, 5.0, 0.0), (Energy, 0.0, 5.0)],
            Some(90.0),
            usual,
        ),
    ];
    for (parties, asked, granted) in rows {
        let mut order = conflict(parties);
        order.policy.saving_target_percent = asked;
        let result = rule(&usual_policy(), &order);
        assert_eq!(result.policy.saving_target_percent, granted, "{parties:?}");
    }
}

/// Draft §5.3: a target that is out of reach is lowered to what can be saved while users keep what they
/// were promised, and energy is saved.
#[test]
fn a_target_out_of_reach_is_lowered() {
    let mut drill = Drill::begin(hour(0), 1, &[]);
    drill.run_for(7_300.0);
    let order = IntentOrder {
        action: IntentAction::Set,
        policy: IntentPolicy {
            saving_target_percent: Some(30.0),
            min_throughput_mbps: Some(80.0),
            ..IntentPolicy::default()
        },
        ..IntentOrder::default()
    };
    let content = Content::new("network", "save").with_payload(order.to_payload());
    drill.order("service-intent", "much", content);
    drill.run_for(60.0);
    drill.in_order(&[
        &["service-intent -> energy-saving taskAssgin energy_saving_v1"],
        &["service-intent: Less can be saved than is the target"],
        &["service-intent -> energy-saving FulfillmentNegotiate  accept 1"],
    ]);
    let open = drill.open("energy_saving_v1");
    let awaited: Vec<_> = open.iter().map(|task| task.awaits).collect();
    assert_eq!(awaited, [None]);
    let agreed = open[0].plan.as_ref().and_then(SavingOrder::in_content);
    assert_eq!(agreed.unwrap().min_throughput_mbps, Some(80.0));
}

fn set(priorities: &[Intent]) -> Content {
    let order = IntentOrder {
        action: IntentAction::Set,
        policy: IntentPolicy {
            priorities: priorities.to_vec(),
            ..IntentPolicy::default()
        },
        ..IntentOrder::default()
    };
    Content::new("network", "set").with_payload(order.to_payload())
}

fn shown(drill: &mut Drill, id: &str) -> Vec<Intent> {
    let show = IntentOrder {
        action: IntentAction::Show,
        ..IntentOrder::default()
    };
    let show = Content::new("network", "show").with_payload(show.to_payload());
    let reply = drill.order("service-intent", id, show);
    let result = IntentResult::in_content(&reply.content[0]).unwrap();
    result.policy.priorities
}

/// A policy is a task: in force while it is open, also after a restart; the usual one otherwise.
#[test]
fn a_policy_is_in_force_until_it_is_replaced_or_cancelled() {
    let mut drill = Drill::begin(hour(2), 1, &[]);
    assert_eq!(shown(&mut drill, "q0"), Intent::ALL);
    drill.order("service-intent", "p1", set(&[Energy]));
    assert_eq!(shown(&mut drill, "q1"), [Energy, Fault, Experience]);
    drill.order("service-intent", "p2", set(&[Experience, Energy]));
    drill.run_for(1.0);
    assert_eq!(drill.tasks[&TaskId::new("p1")].status, Status::Finished);
    drill.restart("TMF-service-intent");
    assert_eq!(shown(&mut drill, "q2")[0], Experience);
    drill.cancel("p2");
    assert_eq!(shown(&mut drill, "q3"), Intent::ALL);
    drill.run_for(10.0);
    // One standing task of the energy-saving agent, the newest, is left of all of this.
    assert_eq!(drill.open("energy_saving_v1").len(), 1);
}

#[test]
fn what_is_no_conflict_is_not_decided() {
    let mut drill = Drill::begin(hour(2), 1, &[]);
    let order = conflict(&[(Experience, 5.0, 0.0)]);
    let content = Content::new("network", "decide").with_payload(order.to_payload());
    let reply = drill.order("service-intent", "t", content);
    assert_eq!(reply.verdict, Verdict::Refused);
    assert_eq!(reply.reasons[0].reason, "no-conflict");
}
