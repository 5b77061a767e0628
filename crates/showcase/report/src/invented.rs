//! Records for tests: a small complete one, and a strategy for arbitrary ones.
//!
//! Compiled for tests only. Read next: [`crate::record`].

use crate::record::{MapLink, NetworkMap, Site, Town};
use crate::{ComplaintScore, FaultScore, Moment, Record, RecordedEvent, Run, Score, Timestamp};
use proptest::prelude::*;

/// 2025-04-21T00:00:00Z.
pub(crate) const BEGAN: i64 = 1_745_193_600_000;

/// The instant that many minutes after the beginning.
pub(crate) fn minute(minutes: f64) -> Timestamp {
    Timestamp::from_ms(BEGAN).plus_s(minutes * 60.0)
}

pub(crate) fn town(name: &str, lon: f64, lat: f64, province: &str) -> Town {
    let (name, province) = (name.to_owned(), province.to_owned());
    Town {
        name,
        lon,
        lat,
        province,
        core: false,
    }
}

pub(crate) fn site(id: &str, town: &str) -> Site {
    Site {
        id: id.to_owned(),
        town: town.to_owned(),
        lon: 9.5,
        lat: 50.5,
    }
}

pub(crate) fn run() -> Run {
    Run {
        version: 1,
        scenario: "fault".into(),
        policy: "agents".into(),
        seed: 7,
        topology: "two-towns".into(),
        began: Timestamp::from_ms(BEGAN),
        network: NetworkMap {
            towns: vec![
                town("Nord", 10.0, 52.0, "North"),
                town("Süd", 9.0, 49.0, "South"),
            ],
            links: vec![MapLink {
                id: "link:Nord-Süd".into(),
                a: "Nord".into(),
                b: "Süd".into(),
            }],
            sites: vec![site("site:N-1", "Nord"), site("site:S-1", "Süd")],
        },
    }
}

pub(crate) fn asked(
    ends: [&str; 2],
    task: &str,
    parent: Option<&str>,
    words: &str,
) -> RecordedEvent {
    RecordedEvent::Message {
        from: ends[0].into(),
        to: ends[1].into(),
        verb: "TaskAssign".into(),
        task: task.into(),
        parent: parent.map(Into::into),
        schema: None,
        words: words.into(),
        bytes: None,
    }
}

pub(crate) fn answered(ends: [&str; 2], verdict: &str, words: &str) -> RecordedEvent {
    RecordedEvent::Reply {
        from: ends[0].into(),
        to: ends[1].into(),
        verdict: verdict.into(),
        words: words.into(),
        task: None,
    }
}

pub(crate) fn notification(ends: [&str; 2], task: &str, status: &str) -> RecordedEvent {
    RecordedEvent::Notification {
        from: ends[0].into(),
        to: ends[1].into(),
        status: status.into(),
        task: task.into(),
        words: format!("It is {status}."),
    }
}

pub(crate) fn network(out: &[&str], energy_kwh: f64) -> RecordedEvent {
    RecordedEvent::Network {
        sites_out: out.len() as u64,
        out: out.iter().map(|s| (*s).to_owned()).collect(),
        served_share: Some(1.0 - out.len() as f64 / 2.0),
        energy_kwh_so_far: Some(energy_kwh),
    }
}

pub(crate) fn alarm(resource: &str, cleared: bool) -> RecordedEvent {
    RecordedEvent::Alarm {
        resource: resource.into(),
        alarm_type: "site-unreachable".into(),
        severity: "critical".into(),
        cleared,
    }
}

fn truth(mended: bool) -> RecordedEvent {
    RecordedEvent::Truth {
        fault: "fibre-cut".into(),
        element: "link:Nord-Süd".into(),
        mended,
        words: String::new(),
    }
}

/// One outage from beginning to end.
pub(crate) fn record() -> Record {
    let moments = [
        (0.0, network(&[], 0.0)),
        (10.0, alarm("site:S-1", false)),
        (10.0, network(&["site:S-1"], 5.0)),
        (12.0, asked(["oss", "ip"], "t1", None, "Where is it cut?")),
        (12.5, answered(["ip", "oss"], "accepted", "I look.")),
        (13.0, asked(["ip", "field"], "t2", Some("t1"), "Go there.")),
        (13.1, answered(["field", "ip"], "pending", "Later.")),
        (60.0, notification(["field", "ip"], "t2", "finished")),
        (61.0, notification(["ip", "oss"], "t1", "finished")),
        (62.0, network(&[], 31.0)),
    ];
    let moment = |(at, what)| Moment {
        at: minute(at),
        what,
    };
    let mut score = Score {
        version: crate::score::VERSION,
        policy: "agents".into(),
        topology: "two-towns".into(),
        seed: 7,
        days: 0.5,
        sites: 2,
        cells: 6,
        ..Score::default()
    };
    score.complete();
    Record {
        run: run(),
        moments: moments.into_iter().map(moment).collect(),
        truth: [(9.0, truth(false)), (59.0, truth(true))]
            .into_iter()
            .map(moment)
            .collect(),
        score: Some(score),
    }
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<script>alert(1)</script>".to_owned()),
        Just("]]> &amp; \u{0} \"'\n".to_owned()),
        Just("t1".to_owned()),
        "\\PC{0,12}",
        prop::string::string_regex("(?s).{0,6}").expect("a pattern"),
    ]
}

/// A number that JSON round-trips exactly.
fn number() -> impl Strategy<Value = f64> {
    (-2_000_000i64..2_000_000).prop_map(|n| n as f64 / 1_000.0)
}

fn what() -> impl Strategy<Value = RecordedEvent> {
    let agent = || prop_oneof![Just("oss".to_owned()), Just("ip".to_owned()), words()];
    let task = || prop_oneof![Just("t1".to_owned()), Just("t2".to_owned()), words()];
    let status = || {
        prop_oneof![
            Just("finished".to_owned()),
            Just("refused".to_owned()),
            words()
        ]
    };
    let site = || prop_oneof![Just("site:N-1".to_owned()), words()];
    prop_oneof![
        (site(), words(), words(), any::<bool>()).prop_map(
            |(resource, alarm_type, severity, cleared)| RecordedEvent::Alarm {
                resource,
                alarm_type,
                severity,
                cleared
            }
        ),
        (
            agent(),
            agent(),
            task(),
            prop::option::of(task()),
            prop::option::of(words()),
            words(),
            prop::option::of(any::<u64>())
        )
            .prop_map(|(from, to, task, parent, schema, words, bytes)| {
                RecordedEvent::Message {
                    from,
                    to,
                    verb: "TaskAssign".into(),
                    task,
                    parent,
                    schema,
                    words,
                    bytes,
                }
            }),
        (
            agent(),
            agent(),
            status(),
            words(),
            prop::option::of(task())
        )
            .prop_map(|(from, to, verdict, words, task)| RecordedEvent::Reply {
                from,
                to,
                verdict,
                words,
                task
            }),
        (agent(), agent(), status(), task(), words()).prop_map(
            |(from, to, status, task, words)| RecordedEvent::Notification {
                from,
                to,
                status,
                task,
                words
            }
        ),
        (agent(), words(), prop::collection::vec(words(), 0..9)).prop_map(
            |(agent, words, elements)| RecordedEvent::Action {
                agent,
                words,
                elements
            }
        ),
        (agent(), words()).prop_map(|(agent, words)| RecordedEvent::Outcome { agent, words }),
        (agent(), words()).prop_map(|(agent, words)| RecordedEvent::Note { agent, words }),
        words().prop_map(|words| RecordedEvent::Complaint { words }),
        words().prop_map(|words| RecordedEvent::Ticket { words }),
        (words(), words()).prop_map(|(words, element)| RecordedEvent::Field { words, element }),
        (
            0u64..4,
            prop::collection::vec(site(), 0..3),
            prop::option::of(number()),
            prop::option::of(number())
        )
            .prop_map(|(sites_out, out, served_share, energy_kwh_so_far)| {
                RecordedEvent::Network {
                    sites_out,
                    out,
                    served_share,
                    energy_kwh_so_far,
                }
            }),
    ]
}

fn moments(
    what: impl Strategy<Value = RecordedEvent>,
    most: usize,
) -> impl Strategy<Value = Vec<Moment>> {
    let moment = (0i64..200_000_000, what).prop_map(|(ms, what)| Moment {
        at: Timestamp::from_ms(BEGAN - 1_000_000 + ms),
        what,
    });
    prop::collection::vec(moment, 0..most).prop_map(|mut moments| {
        moments.sort_by_key(|m: &Moment| m.at);
        moments
    })
}

pub(crate) fn scores() -> impl Strategy<Value = Score> {
    let policy = prop_oneof![
        Just("agents".to_owned()),
        Just("manual".to_owned()),
        words()
    ];
    let time = || prop::option::of((0i64..9_000_000).prop_map(|n| n as f64 / 10.0));
    let fault = (words(), number(), time(), time(), prop::option::of(1u32..9)).prop_map(
        |(kind, users, found, mended, rank)| FaultScore {
            kind,
            users_touched: users,
            detected_s: found,
            truly_restored_s: mended,
            rank,
            ..FaultScore::default()
        },
    );
    let complaint = (words(), any::<bool>(), time()).prop_map(|(ticket, localised, reply_min)| {
        ComplaintScore {
            ticket,
            localised,
            reply_min,
            ..ComplaintScore::default()
        }
    });
    let figures = prop::collection::btree_map(
        prop_oneof![Just("energy".to_owned()), Just("bytes".to_owned()), words()],
        number(),
        0..4,
    );
    let lists = (
        prop::collection::vec(fault, 0..5),
        prop::collection::vec(complaint, 0..4),
        figures,
    );
    (policy, 0u64..6, lists).prop_map(|(policy, seed, (faults, complaints, figures))| Score {
        version: crate::score::VERSION,
        policy,
        yardstick: None,
        topology: "two-towns".into(),
        world: None,
        seed,
        days: 1.0,
        sites: 2,
        cells: 6,
        faults,
        complaints,
        mistakes: Vec::new(),
        figures,
    })
}

/// Any record that a writer could write.
pub(crate) fn records() -> impl Strategy<Value = Record> {
    let truth =
        (words(), words(), any::<bool>(), words()).prop_map(|(fault, element, mended, words)| {
            RecordedEvent::Truth {
                fault,
                element,
                mended,
                words,
            }
        });
    let place = || {
        (
            words(),
            number(),
            number(),
            prop_oneof![Just("Nord".to_owned()), words()],
        )
    };
    let town = place().prop_map(|(name, lon, lat, province)| town(&name, lon, lat, &province));
    let site = place().prop_map(|(id, lon, lat, town)| Site { id, lon, lat, town });
    let network = (
        prop::collection::vec(town, 0..4),
        prop::collection::vec(site, 0..5),
    );
    (
        network,
        moments(what(), 30),
        moments(truth, 5),
        prop::option::of(scores()),
        words(),
    )
        .prop_map(|((towns, sites), moments, truth, score, topology)| {
            let mut run = run();
            run.topology = topology;
            run.network.towns.extend(towns);
            run.network.sites.extend(sites);
            Record {
                run,
                moments,
                truth,
                score,
            }
        })
}
