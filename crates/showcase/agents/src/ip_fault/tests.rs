//! The table of readings, row by row.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{
    Net, Readings, answer, ask, assign, at, id, measured, rng, started, task, word,
};
use crate::domain_agent::DomainExpertise;
use crate::payloads::diagnosis::Suspicion;
use domain::agent::Agent;
use domain::negotiation::Stance;
use domain::reply::Verdict;
use domain::telemetry::{
    Alarm, Condition, Configuration, LinkPerformance, Measurement, Performance,
};
use domain::verb::Verb;
use std::collections::BTreeSet;

fn decided(target: &str, rows: &[Readings<'_>]) -> String {
    let inventory = Net::town().with_optics().inventory();
    match IpExpertise::decide(&inventory, &id(target), &measured(rows)) {
        Some(f) => format!("{} {}; {}", f.cause, f.root_cause, f.location),
        None => "nothing".to_owned(),
    }
}

use Condition::{Degraded, Failed, Good, Unreachable};

const CUT_AT_0_3: &[(&str, f64)] = &[("light_a_dbm", -40.1), ("reflection_km", 0.3)];

#[test]
fn the_table() {
    let broken = &[("light_a_dbm", -40.1), ("reflection_km", 4.26)];
    let dark = &[("light_a_dbm", -39.9)];
    let rows = [
        decided("link:B-b5", &[("link:B-b5", Failed, broken)]),
        decided("link:B-b5", &[("link:B-b5", Failed, dark)]),
        decided(
            "link:B-b5",
            &[("link:B-b5", Good, &[("light_a_dbm", -7.0)])],
        ),
        decided(
            "link:B-b1",
            &[
                ("link:B-b1", Failed, CUT_AT_0_3),
                ("link:B-b2", Failed, CUT_AT_0_3),
            ],
        ),
        decided(
            "link:B-b1",
            &[
                ("link:B-b1", Failed, CUT_AT_0_3),
                ("link:B-b2", Failed, broken),
            ],
        ),
        decided(
            "link:B-b1",
            &[("link:B-b1", Failed, CUT_AT_0_3), ("link:B-b2", Good, &[])],
        ),
        decided(
            "card:B/1",
            &[
                ("card:B/1", Failed, &[("heartbeat_age_s", 200.0)]),
                ("router:B", Good, &[]),
            ],
        ),
        decided(
            "card:B/1",
            &[("card:B/1", Good, &[("heartbeat_age_s", 4.0)])],
        ),
        decided(
            "card:B/1",
            &[
                ("card:B/1", Unreachable, &[]),
                ("router:B", Failed, &[("console_answers", 0.0)]),
            ],
        ),
        decided(
            "router:B",
            &[("router:B", Unreachable, &[("console_answers", 1.0)])],
        ),
        decided(
            "optic:B-b5/a",
            &[(
                "optic:B-b5/a",
                Degraded,
                &[("tx_dbm", -1.6), ("bias_ma", 45.0)],
            )],
        ),
        decided(
            "optic:B-b5/a",
            &[("optic:B-b5/a", Good, &[("tx_dbm", 0.9)])],
        ),
        decided(
            "link:B-C",
            &[(
                "link:B-C",
                Degraded,
                &[("loss_percent", 3.1), ("utilisation_percent", 108.0)],
            )],
        ),
        decided(
            "link:B-C",
            &[(
                "link:B-C",
                Degraded,
                &[("loss_percent", 3.1), ("utilisation_percent", 40.0)],
            )],
        ),
        // A cut takes the light of a fading module with it.
        decided(
            "optic:B-b5/a",
            &[
                ("optic:B-b5/a", Degraded, &[("tx_dbm", -1.6)]),
                ("link:B-b5", Failed, broken),
            ],
        ),
    ];
    insta::assert_snapshot!(rows.join("\n"), @r"
    fibre-cut link:B-b5; 4.3 km of 12.0 km from card:B/2, begins in Bonn (50.7000 N, 7.1000 E)
    nothing
    nothing
    duct-cut duct:B-1; 0.30 km from the router in Bonn, begins in Bonn (50.7000 N, 7.1000 E)
    fibre-cut link:B-b1; 0.3 km of 12.0 km from card:B/1, begins in Bonn (50.7000 N, 7.1000 E)
    fibre-cut link:B-b1; 0.3 km of 12.0 km from card:B/1, begins in Bonn (50.7000 N, 7.1000 E)
    card-failure card:B/1; in Bonn (50.7000 N, 7.1000 E)
    nothing
    router-failure router:B; in Bonn (50.7000 N, 7.1000 E)
    nothing
    optical-module-ageing optic:B-b5/a; in card:B/2, in Bonn (50.7000 N, 7.1000 E)
    nothing
    congestion link:B-C; begins in Bonn (50.7000 N, 7.1000 E)
    nothing
    fibre-cut link:B-b5; 4.3 km of 12.0 km from card:B/2, begins in Bonn (50.7000 N, 7.1000 E)
    ");
}

#[test]
fn a_duct_measured_itself_needs_all_fibres_at_one_place() {
    let duct = |broken: f64, could: f64, spread: f64| {
        let readings = [
            ("links_broken", broken),
            ("links_measured", could),
            ("break_km", 0.31),
            ("break_spread_km", spread),
        ];
        decided(
            "duct:B-1",
            &[
                ("duct:B-1", Degraded, &readings),
                ("link:B-b1", Failed, CUT_AT_0_3),
            ],
        )
    };
    assert!(duct(2.0, 2.0, 0.02).starts_with("duct-cut duct:B-1; 0.31 km"));
    assert!(duct(2.0, 2.0, 5.0).starts_with("fibre-cut link:B-b1"));
    assert!(duct(1.0, 2.0, 0.0).starts_with("fibre-cut link:B-b1"));
}

#[test]
fn what_is_measured_around_a_suspect() {
    let topology = Topology::new(Arc::new(Net::town().with_optics().inventory()));
    let plan = |target: &str, cause| {
        let suspicion = Suspicion {
            target: id(target),
            cause,
        };
        let plan = IpExpertise::plan(&topology, &suspicion, &BTreeSet::new());
        let names: Vec<&str> = plan.iter().map(|e| e.as_str()).collect();
        names.join(" ")
    };
    let plans = [
        plan("link:B-b1", Cause::FibreCut),
        plan("duct:B-1", Cause::DuctCut),
        plan("card:B/2", Cause::CardFailure),
        plan("router:C", Cause::RouterFailure),
        plan("optic:B-b5/b", Cause::OpticalModuleAgeing),
    ];
    insta::assert_snapshot!(plans.join("\n"), @r"
    link:B-b1 card:B/1 duct:B-1 link:B-b1 link:B-b2
    duct:B-1 link:B-b1 link:B-b2
    card:B/2 router:B link:B-C link:B-b5 link:B-b6
    router:C card:C/0 card:C/1 card:C/2
    optic:B-b5/b link:B-b5 optic:B-b5/a card:B/2
    ");
}

/// An agent of the town with documented modules, started at second 0.
fn agent() -> Box<dyn Agent> {
    let mut agent = crate::bench::hosted("ip-fault");
    let mut briefing = crate::bench::briefing("ip-fault", vec![]);
    briefing.inventory = Arc::new(Net::town().with_optics().inventory());
    agent.step(Input::Started(briefing), at(0), &mut rng());
    agent
}

fn about(target: &str, cause: Cause) -> Content {
    let suspicion = Suspicion {
        target: id(target),
        cause,
    };
    let payload = Diagnosis::of(suspicion).to_payload();
    Content::new(target, "diagnose").with_payload(payload)
}

fn acts(outputs: &[Output]) -> Vec<(Token, Action)> {
    let act = |o: &Output| match o {
        Output::Act { token, action } => Some((*token, action.clone())),
        _ => None,
    };
    outputs.iter().filter_map(act).collect()
}

fn results(outputs: &[Output]) -> Vec<DiagnosisResult> {
    let result = |o: &Output| match o {
        Output::Report {
            progress: Progress::Result(content),
            ..
        } => DiagnosisResult::in_content(content),
        _ => None,
    };
    outputs.iter().filter_map(result).collect()
}

/// Answers every probe, and those that follow, from the rows; whatever is not in them is good.
fn measured_by(
    agent: &mut dyn Agent,
    outputs: Vec<Output>,
    rows: &[Readings<'_>],
    s: i64,
) -> Vec<Output> {
    let table = measured(rows);
    let mut open = acts(&outputs);
    let mut all = outputs;
    while let Some((token, action)) = open.pop() {
        let Action::Probe { element } = action else {
            continue;
        };
        let good = Measurement {
            element: element.clone(),
            condition: Good,
            readings: BTreeMap::new(),
        };
        let outcome = Outcome::Measured(table.get(&element).cloned().unwrap_or(good));
        let more = agent.step(Input::Acted { token, outcome }, at(s), &mut rng());
        open.extend(acts(&more));
        all.extend(more);
    }
    all
}

fn asked_about_site(site: &str, rows: &[Readings<'_>]) -> DiagnosisResult {
    let mut agent = agent();
    let content = about(site, Cause::FibreCut);
    let task = task("t", "TMF-wireless-fault", content.clone(), true);
    let feasible = ask(Verb::FeasibilityNegotiate, &task, content.clone());
    let outputs = agent.step(feasible, at(1), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let outputs = agent.step(assign("t", content), at(2), &mut rng());
    let outputs = measured_by(&mut *agent, outputs, rows, 60);
    results(&outputs).remove(0)
}

const BROKEN: &[(&str, f64)] = &[("light_a_dbm", -40.1), ("reflection_km", 4.0)];
const DARK: &[(&str, f64)] = &[("light_a_dbm", -40.1)];

/// W2: asked whether the backhaul of a site is broken, it names what cuts the site off, or says
/// that its transport is fine.
#[test]
fn the_transport_of_a_site_is_broken_or_fine() {
    let said = |site: &str, rows: &[Readings<'_>]| {
        let result = asked_about_site(site, rows);
        let root = result.root_cause.map(|e| e.to_string());
        format!("{site}: {} {}", root.unwrap_or_default(), result.proposal)
    };
    let rows = [
        said("site:b5", &[("link:B-b5", Failed, BROKEN)]),
        said("site:b5", &[]),
        // One side of the ring is cut: the other carries on.
        said("site:b1", &[("link:B-b1", Failed, BROKEN)]),
        said(
            "site:b1",
            &[
                ("link:B-b1", Failed, CUT_AT_0_3),
                ("link:B-b2", Failed, CUT_AT_0_3),
            ],
        ),
        said(
            "site:b1",
            &[("card:B/1", Failed, &[("heartbeat_age_s", 900.0)])],
        ),
        said(
            "site:b1",
            &[("router:B", Failed, &[("console_answers", 0.0)])],
        ),
        // Dark without an echo: the modules are looked at.
        said(
            "site:b5",
            &[
                ("link:B-b5", Failed, DARK),
                ("optic:B-b5/a", Degraded, &[("tx_dbm", -7.0)]),
            ],
        ),
        said(
            "site:b5",
            &[
                ("link:B-b5", Failed, DARK),
                ("optic:B-b5/b", Unreachable, &[]),
            ],
        ),
        said(
            "site:b5",
            &[(
                "link:B-b5",
                Degraded,
                &[("loss_percent", 9.0), ("utilisation_percent", 120.0)],
            )],
        ),
    ];
    insta::assert_snapshot!(rows.join("\n"), @r"
    site:b5: link:B-b5 Splice link:B-b5 4.0 km from card:B/2
    site:b5:  Look at site:b5 itself: its transport is fine
    site:b1:  Look at site:b1 itself: protection makes up for the fibre-cut of link:B-b1
    site:b1: duct:B-1 Open duct:B-1 0.30 km from Bonn and splice every cable in it
    site:b1: card:B/1 Replace card:B/1 (Ardent X1) and move its fibres over
    site:b1: router:B Send a technician to router:B (Ardent X1): check supply, then replace modules
    site:b5: optic:B-b5/a Replace optic:B-b5/a in card:B/2 before it is dark
    site:b5:  Look at site:b5 itself: the fibre of link:B-b5 is whole and its end at the site is silent
    site:b5: link:B-b5 Lead traffic around link:B-b5 by a higher igp-metric
    ");
}

/// The same in words, and for a cell; a site suspected of missing mains is no question to this
/// agent.
#[test]
fn a_backhaul_is_asked_about_in_words_too() {
    let mut agent = agent();
    let words = Content::new("site b5", "Is the backhaul of site b5 broken?");
    let outputs = agent.step(assign("t", words), at(2), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let probed = acts(&outputs).into_iter().map(|(_, a)| match a {
        Action::Probe { element } => element.to_string(),
        other => panic!("{other:?}"),
    });
    let mut probed: Vec<String> = probed.collect();
    probed.sort();
    let twice = ["card:B/2", "link:B-b5", "router:B"].map(|e| [e, e]);
    assert_eq!(probed, twice.concat());
    let mains = about("site:b5", Cause::MainsFailure);
    let task = task("u", "TMF-oss-fault", mains.clone(), true);
    let outputs = agent.step(
        ask(Verb::FeasibilityNegotiate, &task, mains),
        at(3),
        &mut rng(),
    );
    assert_eq!(answer(&outputs).verdict, Verdict::Offered);
}

fn warned(optic: &str, s: i64) -> Input {
    Input::Telemetry(Telemetry::Alarm(Alarm {
        severity: domain::telemetry::Severity::Minor,
        ..crate::bench::alarm(optic, AlarmType::OpticalPowerLow, s)
    }))
}

/// A real gain over practice: a warning opens an incident and is measured twice, so that the answer
/// says how long is left.
#[test]
fn a_fading_module_is_watched_and_its_end_foretold() {
    let mut agent = agent();
    let outputs = agent.step(warned("optic:B-b5/a", 10), at(12), &mut rng());
    let probe = acts(&outputs);
    assert_eq!(probe.len(), 1, "a flapping alarm is measured once");
    assert!(acts(&agent.step(warned("optic:B-b5/a", 40), at(41), &mut rng())).is_empty());
    let reads = |dbm| {
        Outcome::Measured(Measurement {
            element: id("optic:B-b5/a"),
            condition: Degraded,
            readings: BTreeMap::from([("tx_dbm".to_owned(), dbm)]),
        })
    };
    let first = Input::Acted {
        token: probe[0].0,
        outcome: reads(-1.0),
    };
    agent.step(first, at(60), &mut rng());
    let again = outputs.iter().find_map(|o| match o {
        Output::Wake { token, at: due } if *due == at(612) => Some(*token),
        _ => None,
    });
    let outputs = agent.step(Input::Woken(again.unwrap()), at(612), &mut rng());
    let second = Input::Acted {
        token: acts(&outputs)[0].0,
        outcome: reads(-1.2),
    };
    let outputs = agent.step(second, at(660), &mut rng());
    let notes: Vec<&String> = outputs
        .iter()
        .filter_map(|o| match o {
            Output::Note(note) => Some(note),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(notes[0], @"optic:B-b5/a sends -1.2 dBm, 1.2 dB less every hour: about 2.3 h are left");
    // Asked about it, the answer holds the trend.
    let content = about("optic:B-b5/a", Cause::OpticalModuleAgeing);
    let outputs = agent.step(assign("t", content), at(700), &mut rng());
    let rows = [("optic:B-b5/a", Degraded, &[("tx_dbm", -1.3)][..])];
    let outputs = measured_by(&mut *agent, outputs, &rows, 760);
    let result = results(&outputs).remove(0);
    assert_eq!(result.cause, Some(Cause::OpticalModuleAgeing));
    assert!(
        result.evidence.iter().any(|e| e.contains("h are left")),
        "{result:?}"
    );
}

/// Once dark, a module at a site cannot be measured: what was measured before decides.
#[test]
fn a_dark_module_out_of_reach_is_known_from_before() {
    let mut agent = agent();
    let outputs = agent.step(warned("optic:B-b5/b", 10), at(12), &mut rng());
    let rows = [("optic:B-b5/b", Degraded, &[("tx_dbm", -3.0)][..])];
    measured_by(&mut *agent, outputs, &rows, 60);
    let content = about("optic:B-b5/b", Cause::OpticalModuleAgeing);
    let outputs = agent.step(assign("t", content), at(9_000), &mut rng());
    let rows = [
        ("optic:B-b5/b", Unreachable, &[][..]),
        ("link:B-b5", Failed, DARK),
    ];
    let result = results(&measured_by(&mut *agent, outputs, &rows, 9_060)).remove(0);
    assert!(result.confirmed);
    assert_eq!(result.root_cause, Some(id("optic:B-b5/b")));
    // With an echo it is a cut after all.
    let content = about("optic:B-b5/b", Cause::OpticalModuleAgeing);
    let outputs = agent.step(assign("u", content), at(9_100), &mut rng());
    let rows = [
        ("optic:B-b5/b", Unreachable, &[][..]),
        ("link:B-b5", Failed, BROKEN),
    ];
    let result = results(&measured_by(&mut *agent, outputs, &rows, 9_160)).remove(0);
    assert_eq!(result.cause, Some(Cause::FibreCut));
}

fn period(from: i64, links: &[(&str, f64, f64)]) -> Input {
    let links = links.iter().map(|(link, utilisation, loss)| {
        let did = LinkPerformance {
            utilisation: *utilisation,
            traffic_mbps: 1_000.0 * utilisation.min(1.0),
            latency_ms: 5.0,
            loss: *loss,
        };
        (id(link), did)
    });
    Input::Telemetry(Telemetry::Performance(Arc::new(Performance {
        from: at(from),
        until: at(from + 900),
        cells: BTreeMap::new(),
        links: links.collect(),
    })))
}

fn metrics() -> Outcome {
    let metric = || BTreeMap::from([("igp-metric".to_owned(), "120".to_owned())]);
    Outcome::Configuration(Configuration {
        running: metric(),
        planned: metric(),
    })
}

/// Steps on with the only action among `outputs`, which must be this one.
fn on(
    agent: &mut dyn Agent,
    outputs: &[Output],
    is: &str,
    outcome: Outcome,
    s: i64,
) -> Vec<Output> {
    let acts = acts(outputs);
    assert_eq!(acts.len(), 1, "{acts:?}");
    let named = format!("{:?}", acts[0].1);
    assert!(named.contains(is), "{named} is not {is}");
    let token = acts[0].0;
    agent.step(Input::Acted { token, outcome }, at(s), &mut rng())
}

/// A full link of the backbone is led around; if that does not help, it is taken back.
#[test]
fn a_congested_link_is_led_around_and_looked_at() {
    for (helps, after) in [(true, 0.0), (false, 0.2)] {
        let mut agent = agent();
        let quiet = agent.step(period(0, &[("link:B-C", 0.7, 0.0)]), at(900), &mut rng());
        assert!(acts(&quiet).is_empty());
        // A spur has no way around.
        let spur = agent.step(
            period(900, &[("link:B-b5", 1.3, 0.2)]),
            at(1_800),
            &mut rng(),
        );
        assert!(acts(&spur).is_empty());
        let full = agent.step(
            period(1_800, &[("link:B-C", 1.2, 0.15)]),
            at(2_700),
            &mut rng(),
        );
        let read = on(&mut *agent, &full, "ReadConfiguration", metrics(), 2_710);
        let set = on(&mut *agent, &read, "100120", Outcome::Done, 2_720);
        assert!(set.iter().any(|o| matches!(o, Output::Wake { .. })));
        // The period in which it was set says nothing.
        let mixed = agent.step(
            period(2_700, &[("link:A-C", 1.0, 0.2)]),
            at(3_600),
            &mut rng(),
        );
        assert!(acts(&mixed).is_empty());
        let next = period(3_600, &[("link:B-C", 0.0, 0.0), ("link:A-C", 0.9, after)]);
        let next = agent.step(next, at(4_500), &mut rng());
        match helps {
            true => assert!(acts(&next).is_empty()),
            false => drop(on(&mut *agent, &next, "\"120\"", Outcome::Done, 4_510)),
        }
        // In the end the link has its traffic back, either way.
        let wake = set.iter().find_map(|o| match o {
            Output::Wake { token, .. } => Some(*token),
            _ => None,
        });
        let back = agent.step(Input::Woken(wake.unwrap()), at(17_200), &mut rng());
        match helps {
            true => drop(on(&mut *agent, &back, "\"120\"", Outcome::Done, 17_210)),
            false => assert!(acts(&back).is_empty()),
        }
    }
}

/// One overload fills several links: where a detour was in vain none of them is tried for two hours, and beside one
/// that helps none, unless more is lost than before it.
#[test]
fn one_overload_is_led_around_once() {
    for helps in [true, false] {
        let mut agent = agent();
        let two = |s, here, there| period(s, &[("link:B-C", 1.2, here), ("link:A-C", 1.1, there)]);
        let full = agent.step(two(0, 0.15, 0.1), at(900), &mut rng());
        let read = on(&mut *agent, &full, "ReadConfiguration", metrics(), 910);
        on(&mut *agent, &read, "100120", Outcome::Done, 920);
        let left = if helps { 0.08 } else { 0.2 };
        let after = |s, lost| period(s, &[("link:A-C", 1.1, lost)]);
        let next = agent.step(after(1_800, left), at(2_700), &mut rng());
        match helps {
            true => assert!(acts(&next).is_empty(), "{next:?}"),
            false => drop(on(&mut *agent, &next, "\"120\"", Outcome::Done, 2_710)),
        }
        let same = agent.step(two(2_700, 0.0, left), at(3_600), &mut rng());
        assert!(acts(&same).is_empty(), "{same:?}");
        // The network is worse than before the detour; or two hours are over.
        let s = if helps { 3_600 } else { 9_900 };
        let worse = agent.step(after(s, 0.5), at(s + 900), &mut rng());
        on(&mut *agent, &worse, "ReadConfiguration", metrics(), s + 910);
    }
}

const FULL_LINK: &[(&str, f64)] = &[("loss_percent", 8.0), ("utilisation_percent", 110.0)];

/// W22: a diagnosis that finds a link congested has it led around, and reports it done; if its
/// publisher demands to agree first, the decision is proposed.
#[test]
fn a_detour_is_proposed_if_that_is_demanded_and_else_done_and_reported() {
    for demanded in [false, true] {
        let mut agent = agent();
        let content = about("link:B-C", Cause::Congestion);
        let mut asked = domain::task::Task::clone(&task("t", "op", content.clone(), true));
        asked.conditions.fulfillment_demanded = demanded;
        let asked = Arc::new(asked);
        let outputs = agent.step(
            ask(Verb::TaskAssign, &asked, content.clone()),
            at(1),
            &mut rng(),
        );
        let rows = [("link:B-C", Degraded, FULL_LINK)];
        let outputs = measured_by(&mut *agent, outputs, &rows, 60);
        assert!(results(&outputs).is_empty(), "nothing is done yet");
        let is_probe = |o: &Output| {
            matches!(
                o,
                Output::Act {
                    action: Action::Probe { .. },
                    ..
                }
            )
        };
        let mut next: Vec<Output> = outputs.into_iter().filter(|o| !is_probe(o)).collect();
        if demanded {
            let offer = next.iter().find_map(|o| match o {
                Output::Speak { speech, .. } => Some(speech.contents[0].task_description.clone()),
                _ => None,
            });
            assert!(offer.unwrap().contains("igp-metric"));
            let agree = Content::new("t", "yes").with_result("accept");
            let agreed = word(&asked, agree, (Kind::Fulfillment, Stance::Accept));
            next = agent.step(agreed, at(70), &mut rng());
        }
        let read = on(&mut *agent, &next, "ReadConfiguration", metrics(), 80);
        let done = on(&mut *agent, &read, "100120", Outcome::Done, 90);
        let result = results(&done).remove(0);
        assert!(
            result.automatic && result.proposal.contains("done"),
            "{result:?}"
        );
    }
}

#[test]
fn a_detour_that_is_refused_or_impossible_is_said_to_be_so() {
    let mut agent = agent();
    let content = about("link:B-C", Cause::Congestion);
    let outputs = agent.step(assign("t", content), at(1), &mut rng());
    let rows = [("link:B-C", Degraded, FULL_LINK)];
    let outputs = measured_by(&mut *agent, outputs, &rows, 60);
    let reading = acts(&outputs).pop().unwrap();
    let outcome = Outcome::Impossible("not permitted".to_owned());
    let token = reading.0;
    let outputs = agent.step(Input::Acted { token, outcome }, at(80), &mut rng());
    let result = results(&outputs).remove(0);
    assert!(
        !result.automatic && result.proposal.contains("not permitted"),
        "{result:?}"
    );
}

#[test]
fn tokens_of_both_halves_never_meet() {
    let (_, outputs) = started("ip-fault");
    assert!(acts(&outputs).iter().all(|(token, _)| token & OWN == 0));
    let mut agent = agent();
    let outputs = agent.step(warned("optic:B-b5/a", 10), at(12), &mut rng());
    assert!(acts(&outputs).iter().all(|(token, _)| token & OWN != 0));
}
