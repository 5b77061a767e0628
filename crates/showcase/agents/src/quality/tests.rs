//! The meaning of records and alarms, case by case, and what is remembered of them.
#![allow(clippy::unwrap_used)]

use super::history::{DomainHistory, Interval};
use super::mobile::MobileDomain;
use super::transport::TransportDomain;
use super::*;
use crate::bench::{alarm, answer, assign, at, cleared, id, rng};
use crate::complaints::reader::when::TimeSpan;
use crate::office::{started_as, town};
use crate::payloads::quality::Quality;
use domain::cause::Cause;
use domain::telemetry::AlarmType::*;
use domain::telemetry::{Alarm, CellPerformance, LinkPerformance, Performance};

fn visit(cell: &str, from: i64, until: i64, rsrp_dbm: f64, failures: u32) -> Visit {
    Visit {
        cell: id(cell),
        from: at(from),
        until: at(until),
        rsrp_dbm,
        throughput_mbps: 9.0,
        failures,
    }
}

fn check(place: Option<&str>, from: i64, until: i64) -> QualityCheck {
    QualityCheck {
        ticket_id: "C-1".to_owned(),
        vehicle: None,
        place: place.map(str::to_owned),
        sites: BTreeSet::new(),
        when: TimeSpan {
            from: at(from),
            until: at(until),
        },
        symptom: None,
    }
}

fn told(alarms: &[Alarm], periods: &[Performance]) -> DomainHistory {
    let mut history = DomainHistory::default();
    alarms.iter().for_each(|a| history.alarm(a, a.time));
    for period in periods {
        history.performance(Arc::new(period.clone()), period.until);
    }
    history
}

fn judged<T: QualityDomain>(
    history: &DomainHistory,
    check: &QualityCheck,
    trace: Option<&Trace>,
) -> String {
    let topology = Topology::new(Arc::new(town()));
    let ground = QualityContext {
        inventory: topology.inventory(),
        topology: &topology,
        history,
        province: Some("South"),
    };
    let found = T::judge(&ground, check, trace);
    crate::payloads::tests::lawful(&found.to_payload());
    let element = found.element.as_ref().map_or("-", ElementId::as_str);
    let cause = found.cause.map_or("-", Cause::as_str);
    let weak = if found.weak_coverage { " weak" } else { "" };
    let here = if found.present { " here" } else { "" };
    format!("{} {element} {cause}{weak}{here}", found.quality.as_str())
}

fn period(cell: Option<(&str, f64)>, link: Option<(&str, f64)>) -> Performance {
    Performance {
        from: at(3_000),
        until: at(3_900),
        cells: cell
            .map(|(c, load)| {
                let load = CellPerformance {
                    load,
                    ..CellPerformance::default()
                };
                (id(c), load)
            })
            .into_iter()
            .collect(),
        links: link
            .map(|(l, loss)| {
                let lossy = LinkPerformance {
                    loss,
                    utilisation: 1.2,
                    ..LinkPerformance::default()
                };
                (id(l), lossy)
            })
            .into_iter()
            .collect(),
    }
}

/// The table of [`super::mobile`], row by row.
#[test]
fn records_and_alarms_are_read_together() {
    let of = |visits: &[Visit],
              left: Option<&str>,
              came: Option<&str>,
              alarms: &[Alarm],
              periods: &[Performance]| {
        let trace = Trace {
            visits: visits.to_vec(),
            left_to: left.map(str::to_owned),
            came_from: came.map(str::to_owned),
            until: at(9_000),
        };
        judged::<MobileDomain>(
            &told(alarms, periods),
            &check(None, 3_000, 3_900),
            Some(&trace),
        )
    };
    let whole = [visit("cell:b1/1", 0, 9_000, -80.0, 0)];
    let gap = [
        visit("cell:b1/1", 0, 3_000, -80.0, 1),
        visit("cell:b1/1", 4_800, 9_000, -80.0, 0),
    ];
    let moving = [
        visit("cell:b1/1", 2_800, 3_000, -80.0, 1),
        visit("cell:b4/1", 4_800, 5_000, -80.0, 0),
    ];
    let out = [
        alarm("site:b1", SiteUnreachable, 3_000),
        cleared("site:b1", SiteUnreachable, 4_800),
    ];
    let dark = [
        alarm("site:b1", MainsFailure, 2_000),
        out[0].clone(),
        out[1].clone(),
    ];
    let rows = [
        of(&whole, None, None, &[], &[]),
        of(&whole, None, None, &out, &[]),
        of(
            &whole,
            None,
            None,
            &[alarm("cell:b1/1", InterferenceHigh, 2_000)],
            &[],
        ),
        of(
            &whole,
            None,
            None,
            &[],
            &[period(Some(("cell:b1/1", 0.99)), None)],
        ),
        of(
            &[visit("cell:b1/1", 0, 9_000, -115.0, 0)],
            None,
            None,
            &[],
            &[],
        ),
        of(&gap, None, None, &out, &[]),
        of(&gap, None, None, &dark, &[]),
        of(&gap, None, None, &[], &[]),
        of(&moving, None, None, &[], &[]),
        of(
            &moving,
            None,
            None,
            &[alarm("site:b6", CellsOutOfService, 2_900)],
            &[],
        ),
        of(
            &moving,
            None,
            None,
            &[
                alarm("site:b6", SiteUnreachable, 3_100),
                cleared("site:b6", SiteUnreachable, 3_180),
            ],
            &[],
        ),
        of(&gap[..1], Some("North"), None, &[], &[]),
        of(&gap[1..], None, Some("North"), &[], &[]),
        of(&[], None, None, &[], &[]),
    ];
    insta::assert_snapshot!(rows.join("\n"), @r"
    good - - here
    good - - here
    degraded cell:b1/1 interference here
    degraded cell:b1/1 - here
    degraded - - weak here
    failed site:b1 - here
    failed site:b1 mains-failure here
    failed site:b1 - here
    degraded - - weak here
    failed site:b6 - here
    degraded - - weak here
    no_data - -
    no_data - -
    no_data - -
    ");
}

#[test]
fn without_a_vehicle_the_towns_sites_are_looked_at() {
    let of = |place: &str, alarms: &[Alarm]| {
        judged::<MobileDomain>(&told(alarms, &[]), &check(Some(place), 3_000, 3_900), None)
    };
    let out = [alarm("site:b4", SiteUnreachable, 3_200)];
    assert_eq!(of("Bonn", &out), "failed site:b4 -");
    assert_eq!(of("Bonn", &[]), "good - -");
    // Another province's town is none of its business.
    assert_eq!(of("Aachen", &out), "no_data - -");
}

#[test]
fn transport_says_what_cuts_off_or_impairs() {
    let of = |alarms: &[Alarm], periods: &[Performance]| {
        let mut check = check(None, 3_000, 3_900);
        check.sites = BTreeSet::from([id("site:b4")]);
        judged::<TransportDomain>(&told(alarms, periods), &check, None)
    };
    let rows = [
        of(&[], &[]),
        of(&[alarm("card:B/1", CardFailure, 2_000)], &[]),
        of(
            &[
                alarm("router:B", NodeUnreachable, 2_000),
                alarm("card:B/1", CardFailure, 2_000),
            ],
            &[],
        ),
        of(&[alarm("link:b3-b4", LossOfSignal, 2_000)], &[]),
        // One end of a ring is not an outage.
        of(&[alarm("link:B-b1", LinkDown, 2_000)], &[]),
        of(&[alarm("link:b3-b4", Congestion, 2_000)], &[]),
        of(
            &[
                alarm("link:b3-b4", Congestion, 3_200),
                cleared("link:b3-b4", Congestion, 3_260),
            ],
            &[],
        ),
        of(&[], &[period(None, Some(("link:b3-b4", 0.1)))]),
        of(
            &[
                alarm("link:b3-b4", LossOfSignal, 100),
                cleared("link:b3-b4", LossOfSignal, 900),
            ],
            &[],
        ),
    ];
    insta::assert_snapshot!(rows.join("\n"), @r"
    good - -
    failed card:B/1 card-failure
    failed router:B router-failure
    failed link:b3-b4 -
    good - -
    degraded link:b3-b4 congestion
    good - -
    degraded link:b3-b4 congestion
    good - -
    ");
}

/// Alarms come late, twice and out of order, and two days are remembered.
#[test]
fn a_history_is_in_order_whatever_the_order_of_alarms() {
    let history = told(
        &[
            alarm("site:b1", SiteUnreachable, 100),
            alarm("site:b1", SiteUnreachable, 90),
            cleared("site:b1", SiteUnreachable, 200),
            alarm("site:b1", SiteUnreachable, 150),
            alarm("site:b1", SiteUnreachable, 300),
        ],
        &[],
    );
    let stood = |from: i64, until: i64| {
        let span = TimeSpan {
            from: at(from),
            until: at(until),
        };
        history
            .stood(&id("site:b1"), &[SiteUnreachable], span)
            .map(|(_, i)| i)
    };
    let interval = |from: i64, until: Option<i64>| Interval {
        from: at(from),
        until: until.map(at),
    };
    assert_eq!(stood(0, 1_000), Some(interval(90, Some(200))));
    assert_eq!(stood(210, 290), None);
    assert_eq!(stood(400, 500), Some(interval(300, None)));
    let mut old = told(
        &[
            alarm("site:b1", SiteUnreachable, 0),
            cleared("site:b1", SiteUnreachable, 9),
        ],
        &[],
    );
    old.alarm(&alarm("site:b2", SiteUnreachable, 200_000), at(200_000));
    let all = TimeSpan {
        from: at(0),
        until: at(300_000),
    };
    assert!(old.stood(&id("site:b1"), &[SiteUnreachable], all).is_none());
}

/// A check in words alone is answered by what is needed; a foreign payload is refused.
#[test]
fn what_is_not_a_check_is_told_so() {
    let mut agent = started_as("mobile-south");
    let asked = agent.step(
        assign("t", Content::new("Bonn", "How was it?")),
        at(1),
        &mut rng(),
    );
    assert_eq!(answer(&asked).verdict, Verdict::InputRequired);
    let order = crate::payloads::incident::IncidentOrder {
        domain: Domain::Wireless,
    };
    let content = Content::new("t", "d").with_payload(order.to_payload());
    let refused = agent.step(assign("t", content), at(2), &mut rng());
    assert_eq!(answer(&refused).reasons[0].reason, "unknown-schema");
}

/// Records that do not come are not waited for for ever.
#[test]
fn a_check_ends_without_records() {
    let mut agent = started_as("mobile-south");
    let mut check = check(Some("Bonn"), 0, 900);
    check.vehicle = Some("0HVA7K2M9B4048293".to_owned());
    let content = Content::new("C-1", "d").with_payload(check.to_payload());
    let outputs = agent.step(assign("t", content), at(1_000), &mut rng());
    let wake = outputs.iter().find_map(|o| match o {
        Output::Wake { token, at } => Some((*token, *at)),
        _ => None,
    });
    let (token, due) = wake.unwrap();
    let ended = agent.step(Input::Woken(token), due, &mut rng());
    let [
        Output::Report {
            progress: Progress::Result(content),
            ..
        },
    ] = &ended[..]
    else {
        panic!("{ended:?}")
    };
    let found = QualityResult::in_content(content).unwrap();
    assert_eq!((found.quality, found.present), (Quality::NoData, false));
}
