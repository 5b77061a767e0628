//! Alarms from readings that were made by hand.

use super::*;
use crate::plan::LabPlan;
use crate::rack::protocol::{DeviceState, PortState, ProbeCounts};
use domain::time::Timestamp;
use network::Backbone;

fn documents() -> Documents {
    Documents::of(&LabPlan::new(&Backbone::named("Abilene").unwrap(), "cvlab").unwrap())
}

/// Everything well, at a second.
fn well(documents: &Documents, second: u32) -> Snapshot {
    let good = PortState {
        admin_up: true,
        carrier: true,
        adjacent: Some(true),
        bfd_up: Some(true),
        ..PortState::default()
    };
    let mut snapshot = Snapshot {
        at: Timestamp::default().plus_s(f64::from(second)),
        ..Snapshot::default()
    };
    let counts = ProbeCounts {
        sent: 20,
        returned: 20,
        delay_ms: 0.2,
    };
    for router in &documents.routers {
        let daemons = ["zebra", "ospfd", "bfdd"].map(|d| (d.to_owned(), true));
        let ends = documents.links.iter().flat_map(|l| [&l.a, &l.b]);
        let own = ends.filter(|end| end.0 == router.name);
        let state = DeviceState {
            daemons: daemons.into(),
            ports: own.map(|end| (end.1.clone(), good.clone())).collect(),
        };
        snapshot.routers.insert(router.name.clone(), Some(state));
        for other in documents.routers.iter().filter(|o| o.name != router.name) {
            let pair = format!("{} {}", router.name, other.name);
            snapshot.probes.sites.insert(pair, counts);
        }
    }
    for link in &documents.links {
        snapshot.probes.links.insert(link.id.to_string(), counts);
    }
    snapshot
}

fn port<'s>(snapshot: &'s mut Snapshot, at: &(String, String)) -> &'s mut PortState {
    let router = snapshot.routers.get_mut(&at.0).unwrap().as_mut().unwrap();
    router.ports.get_mut(&at.1).unwrap()
}

/// The alarms of some readings after three good ones, in words.
fn told(change: impl Fn(&Documents, &mut Snapshot), bad: u32, good: u32) -> Vec<String> {
    let documents = documents();
    let mut conditions = AlarmConditions::new(documents.clone());
    let mut words = Vec::new();
    for second in 0..3 + bad + good {
        let mut snapshot = well(&documents, second);
        if (3..3 + bad).contains(&second) {
            change(&documents, &mut snapshot);
        }
        for alarm in conditions.take(&snapshot) {
            let mark = if alarm.cleared { "-" } else { "+" };
            words.push(format!(
                "{second} {mark}{} {} {}",
                alarm.alarm_type.as_str(),
                alarm.resource,
                alarm.severity.as_str()
            ));
        }
    }
    words
}

#[test]
fn a_network_in_which_nothing_changes_raises_nothing() {
    assert!(told(|_, _| {}, 5, 5).is_empty());
    // What was never well is no change either.
    let documents = documents();
    let mut conditions = AlarmConditions::new(documents.clone());
    for second in 0..5 {
        let mut snapshot = well(&documents, second);
        let end = documents.links[0].a.clone();
        port(&mut snapshot, &end).adjacent = Some(false);
        assert!(conditions.take(&snapshot).is_empty());
    }
}

#[test]
fn a_lost_carrier_is_raised_at_once_and_ends_after_three_readings() {
    let cut = |documents: &Documents, snapshot: &mut Snapshot| {
        let link = documents.links[2].clone();
        for end in [&link.a, &link.b] {
            *port(snapshot, end) = PortState {
                admin_up: true,
                adjacent: Some(false),
                ..PortState::default()
            };
        }
    };
    let id = documents().links[2].id.clone();
    assert_eq!(
        told(cut, 4, 4),
        [
            format!("3 +loss-of-signal {id} critical"),
            format!("3 +link-down {id} major"),
            format!("9 -loss-of-signal {id} critical"),
            format!("9 -link-down {id} major"),
        ]
    );
}

#[test]
fn a_router_that_misses_one_reading_is_not_unreachable() {
    let silent = |documents: &Documents, snapshot: &mut Snapshot| {
        snapshot
            .routers
            .insert(documents.routers[1].name.clone(), None);
    };
    assert!(told(silent, 1, 3).is_empty());
    let id = format!("router:{}", documents().routers[1].name);
    assert_eq!(
        told(silent, 2, 0),
        [format!("4 +node-unreachable {id} critical")]
    );
}

/// The daemons of a router that answers are too slow to say anything.
fn slow(snapshot: &mut Snapshot, router: &str) {
    let state = snapshot.routers.get_mut(router).unwrap().as_mut().unwrap();
    for daemon in ["ospfd", "bfdd"] {
        state.daemons.insert(daemon.to_owned(), false);
    }
    for port in state.ports.values_mut() {
        (port.adjacent, port.bfd_up) = (None, None);
    }
}

#[test]
fn a_console_that_is_slow_has_lost_no_neighbour() {
    let silent = |documents: &Documents, snapshot: &mut Snapshot| {
        slow(snapshot, &documents.routers[1].name);
    };
    assert!(told(silent, 1, 4).is_empty());
    let id = format!("router:{}", documents().routers[1].name);
    assert_eq!(told(silent, 4, 0), [format!("4 +unknown {id} major")]);
}

#[test]
fn what_is_not_known_ends_no_alarm() {
    let documents = documents();
    let mut conditions = AlarmConditions::new(documents.clone());
    let end = documents.links[0].a.clone();
    let mut link_down = Vec::new();
    for second in 0..16 {
        let mut snapshot = well(&documents, second);
        match second {
            3 => port(&mut snapshot, &end).adjacent = Some(false),
            4..12 => slow(&mut snapshot, &end.0),
            _ => {}
        }
        let alarms = conditions.take(&snapshot).into_iter();
        let alarms = alarms.filter(|alarm| alarm.alarm_type == AlarmType::LinkDown);
        link_down.extend(alarms.map(|alarm| (second, alarm.cleared)));
    }
    assert_eq!(link_down, [(3, false), (14, true)]);
}

#[test]
fn a_site_that_only_some_do_not_reach_is_told_apart_from_one_that_nobody_reaches() {
    let none = ProbeCounts {
        sent: 20,
        ..ProbeCounts::default()
    };
    let site = documents().routers[4].name.clone();
    let lost = |from: usize| {
        let site = site.clone();
        move |documents: &Documents, snapshot: &mut Snapshot| {
            for other in documents.routers[from..].iter().filter(|o| o.name != site) {
                for pair in [
                    format!("{} {site}", other.name),
                    format!("{site} {}", other.name),
                ] {
                    snapshot.probes.sites.insert(pair, none);
                }
            }
        }
    };
    assert_eq!(
        told(lost(0), 2, 0),
        [format!("4 +site-unreachable site:{site} critical")]
    );
    assert_eq!(
        told(lost(8), 2, 0),
        [format!("4 +site-unreachable site:{site} major")]
    );
}
