//! Aggregation in spite of repetition, delay and disorder.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{Net, alarm, at, cleared};
use domain::telemetry::AlarmType::*;
use std::sync::Arc;

fn topology() -> Topology {
    Topology::new(Arc::new(Net::town().inventory()))
}

fn told(incidents: &mut Incidents, seconds: i64) -> Vec<String> {
    let reports = incidents.report(&topology(), at(seconds));
    let line = |i: &Incident| {
        let sites: Vec<&str> = i.sites.iter().map(|s| s.as_str()).collect();
        let state = if i.cleared { "cleared" } else { "stands" };
        format!(
            "{} {state} {} alarms={} sites={}",
            i.incident_id,
            i.probable_cause.as_str(),
            i.alarm_count,
            sites.join(",")
        )
    };
    reports.iter().map(line).collect()
}

#[test]
fn what_belongs_together_is_reported_once_it_is_quiet() {
    let topology = topology();
    let mut incidents = Incidents::new(Domain::Ip, "i".into());
    let mut take = |a: Alarm, s: i64| incidents.take(&a, &topology, at(s));
    take(alarm("link:B-b1", LossOfSignal, 1), 10);
    take(alarm("link:B-b1", LossOfSignal, 1), 12);
    take(alarm("link:B-b2", LinkDown, 9), 20);
    // The hot cabinet elsewhere opens nothing.
    take(alarm("router:C", TemperatureHigh, 9), 20);
    assert_eq!(incidents.due(), Some(at(50)));
    assert!(told(&mut incidents, 49).is_empty());
    assert_eq!(
        told(&mut incidents, 50),
        ["i-1 stands loss-of-signal alarms=2 sites="]
    );
    assert_eq!(incidents.due(), None);
    // A repetition is no news; a late alarm of the past is.
    incidents.take(&alarm("link:B-b1", LossOfSignal, 1), &topology, at(60));
    assert_eq!(incidents.due(), None);
    incidents.take(&alarm("card:B/1", CardFailure, 0), &topology, at(300));
    assert_eq!(
        told(&mut incidents, 330),
        ["i-1 stands card-failure alarms=3 sites="]
    );
}

#[test]
fn a_storm_is_reported_before_it_ends() {
    let topology = topology();
    let mut incidents = Incidents::new(Domain::Wireless, "w".into());
    for (i, site) in ["b1", "b2", "b3", "b4", "b5", "b6"].iter().enumerate() {
        let seconds = 20 * i as i64;
        let out = alarm(&format!("site:{site}"), SiteUnreachable, seconds);
        incidents.take(&out, &topology, at(seconds));
    }
    assert_eq!(incidents.due(), Some(at(90)));
    assert_eq!(
        told(&mut incidents, 100),
        [
            "w-1 stands site-unreachable alarms=6 sites=site:b1,site:b2,site:b3,site:b4,site:b5,site:b6"
        ]
    );
}

#[test]
fn faults_in_two_towns_are_two_incidents_and_each_ends_by_itself() {
    let topology = topology();
    let mut incidents = Incidents::new(Domain::Wireless, "w".into());
    incidents.take(&alarm("site:a1", CellsOutOfService, 0), &topology, at(1));
    incidents.take(&alarm("site:b4", SiteUnreachable, 0), &topology, at(2));
    assert_eq!(told(&mut incidents, 40).len(), 2);
    incidents.take(
        &cleared("site:a1", CellsOutOfService, 99),
        &topology,
        at(100),
    );
    assert_eq!(
        told(&mut incidents, 130),
        ["w-1 cleared cells-out-of-service alarms=0 sites="]
    );
    assert_eq!(incidents.all_reported(&topology).len(), 1);
}

#[test]
fn a_flicker_is_not_reported() {
    let topology = topology();
    let mut incidents = Incidents::new(Domain::Wireless, "w".into());
    incidents.take(&alarm("site:b4", SiteUnreachable, 0), &topology, at(1));
    incidents.take(&cleared("site:b4", SiteUnreachable, 20), &topology, at(22));
    assert!(told(&mut incidents, 60).is_empty());
    assert_eq!(incidents.due(), None);
}

#[test]
fn a_measurement_ends_what_a_lost_alarm_would_have() {
    let topology = topology();
    let mut incidents = Incidents::new(Domain::Wireless, "w".into());
    incidents.take(&alarm("site:b4", SiteUnreachable, 0), &topology, at(1));
    told(&mut incidents, 40);
    incidents.measured_gone((crate::bench::id("site:b4"), SiteUnreachable), at(500));
    assert!(told(&mut incidents, 530)[0].starts_with("w-1 cleared"));
}

/// A warning opens an incident, so that somebody goes before service is lost; it is over when the
/// warning is.
#[test]
fn a_warning_opens_an_incident_of_its_own() {
    let topology = Topology::new(Arc::new(Net::town().with_optics().inventory()));
    let mut incidents = Incidents::new(Domain::Ip, "i".into());
    incidents.take(
        &alarm("optic:B-b5/a", OpticalPowerLow, 1),
        &topology,
        at(10),
    );
    assert_eq!(
        told(&mut incidents, 40),
        ["i-1 stands optical-power-low alarms=1 sites="]
    );
    incidents.take(
        &cleared("optic:B-b5/a", OpticalPowerLow, 90),
        &topology,
        at(95),
    );
    assert_eq!(told(&mut incidents, 125).len(), 1);
    // An overloaded link by itself opens none.
    incidents.take(&alarm("link:B-C", Congestion, 130), &topology, at(131));
    assert_eq!(incidents.due(), None);
}

/// Nobody knows what it says: it opens nothing, and is of the incident beside which it stands, whichever
/// came first.
#[test]
fn an_alarm_without_a_name_is_kept_beside_what_has_one() {
    let topology = topology();
    let mut incidents = Incidents::new(Domain::Ip, "i".into());
    let mut take = |a: Alarm, s: i64| incidents.take(&a, &topology, at(s));
    take(alarm("card:B/1", Unknown, 1), 2);
    take(alarm("card:A/1", Unknown, 1), 2);
    assert_eq!(incidents.due(), None);
    incidents.take(&alarm("link:B-b1", LossOfSignal, 10), &topology, at(12));
    incidents.take(&alarm("router:B", Unknown, 14), &topology, at(15));
    let reports = incidents.report(&topology, at(100));
    let alarms = reports[0].alarms.iter();
    let strange = alarms.filter(|a| a.alarm_type == Unknown);
    let strange: Vec<&str> = strange.map(|a| a.resource.as_str()).collect();
    assert_eq!(strange, ["card:B/1", "router:B"]);
    // What is left when the rest has gone holds nothing open.
    incidents.take(&cleared("link:B-b1", LossOfSignal, 200), &topology, at(200));
    assert!(incidents.report(&topology, at(300))[0].cleared);
}

fn named(element: &str, name: &str, s: i64) -> Alarm {
    Alarm {
        qualifier: name.into(),
        ..alarm(element, Unknown, s)
    }
}

/// What history has shown to tell of something opens an incident, whatever it means; each name is listed
/// and over by itself.
#[test]
fn a_name_that_history_knows_opens_an_incident() {
    let topology = topology();
    let learnt = LearntCauses::of(&crate::learnt_causes::tests::graph());
    let mut incidents = Incidents::knowing(Some(Arc::new(learnt)), Domain::Ip, "i".into());
    incidents.take(&named("card:A/1", "FLUX", 1), &topology, at(2));
    assert_eq!(incidents.due(), None, "never heard of");
    incidents.take(&named("card:B/1", "DARK", 10), &topology, at(12));
    incidents.take(&named("card:B/1", "LASER", 11), &topology, at(13));
    let report = incidents.report(&topology, at(100)).remove(0);
    let names: Vec<_> = report.alarms.iter().map(|a| a.qualifier.clone()).collect();
    assert_eq!(names, [Some("DARK".into()), Some("LASER".into())]);
    let over = |name: &str, s| Alarm {
        cleared: true,
        ..named("card:B/1", name, s)
    };
    incidents.take(&over("DARK", 200), &topology, at(200));
    let report = incidents.report(&topology, at(300)).remove(0);
    assert_eq!((report.cleared, report.alarms.len()), (false, 1));
    incidents.take(&over("LASER", 310), &topology, at(310));
    assert!(incidents.report(&topology, at(400))[0].cleared);
}
