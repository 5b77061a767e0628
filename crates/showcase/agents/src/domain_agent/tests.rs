//! The course of a diagnosis, a standing task and a verification, from asking to report.

#![allow(clippy::unwrap_used)]

use crate::bench::{
    alarm, answer, ask, assign, at, briefing, failed, id, rng, said, started, task, word,
};
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use crate::payloads::incident::{Incident, IncidentOrder};
use crate::payloads::verification::{VerificationOrder, VerificationResult};
use domain::agent::{Agent, Input, Output, Progress};
use domain::cause::Cause;
use domain::content::{Content, Payload};
use domain::inventory::{Domain, ElementId};
use domain::negotiation::{Kind, Stance};
use domain::reply::Verdict;
use domain::task::{Awaits, Status, Task};
use domain::telemetry::{Action, AlarmType, Condition, Measurement, Outcome, Telemetry, Token};
use domain::verb::Verb;
use std::collections::{BTreeSet, VecDeque};

fn diagnosis(target: &str, cause: Cause, alternatives: &[(&str, Cause)]) -> Content {
    let suspicion = |t: &str, cause| Suspicion {
        target: id(t),
        cause,
    };
    let payload = Diagnosis {
        incident_ids: vec![],
        suspicion: suspicion(target, cause),
        alternatives: alternatives.iter().map(|(t, c)| suspicion(t, *c)).collect(),
        sites: BTreeSet::new(),
        since: Some(at(0)),
    };
    Content::new(target, "diagnose")
        .with_payload(payload.to_payload())
        .expecting("a cause")
}

fn probes(outputs: &[Output]) -> Vec<(Token, ElementId)> {
    let probe = |o: &Output| match o {
        Output::Act {
            token,
            action: Action::Probe { element },
        } => Some((*token, element.clone())),
        _ => None,
    };
    outputs.iter().filter_map(probe).collect()
}

fn result(outputs: &[Output]) -> Option<DiagnosisResult> {
    outputs.iter().find_map(|o| match o {
        Output::Report {
            progress: Progress::Result(content),
            ..
        } => DiagnosisResult::in_content(content),
        _ => None,
    })
}

/// Answers every probe, and those that follow: `broken` is dark with an echo, the rest is good.
fn measured(agent: &mut dyn Agent, asked: Vec<(Token, ElementId)>, broken: &str) -> Vec<Output> {
    let mut outputs = Vec::new();
    let mut awaited = VecDeque::from(asked);
    while let Some((token, element)) = awaited.pop_front() {
        let bad = element.as_str() == broken;
        let readings: &[(&str, f64)] = match bad {
            true => &[("light_a_dbm", -40.0), ("reflection_km", 3.0)],
            false => &[],
        };
        let outcome = Outcome::Measured(Measurement {
            element,
            condition: if bad {
                Condition::Failed
            } else {
                Condition::Good
            },
            readings: readings
                .iter()
                .map(|(n, v)| ((*n).to_owned(), *v))
                .collect(),
        });
        let stepped = agent.step(Input::Acted { token, outcome }, at(60), &mut rng());
        awaited.extend(probes(&stepped));
        outputs.extend(stepped);
    }
    outputs
}

#[test]
fn a_diagnosis_measures_and_reports_what_it_found() {
    let (mut agent, _) = started("ip-fault");
    let content = diagnosis("link:B-b5", Cause::FibreCut, &[]);
    let outputs = agent.step(assign("t", content), at(10), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let outputs = measured(&mut *agent, probes(&outputs), "link:B-b5");
    let result = result(&outputs).unwrap();
    assert!(result.confirmed);
    assert_eq!(result.cause, Some(Cause::FibreCut));
    assert!(
        result
            .location
            .starts_with("3.0 km of 12.0 km from card:B/2")
    );
    assert!(
        result
            .evidence
            .iter()
            .any(|e| e.contains("reflection_km 3.0"))
    );
}

#[test]
fn rejected_it_looks_at_the_alternatives_and_without_any_it_fails() {
    let (mut agent, _) = started("ip-fault");
    let content = diagnosis(
        "link:B-b5",
        Cause::FibreCut,
        &[("link:B-b6", Cause::FibreCut)],
    );
    let task = task("t", "TMF-oss-fault", content.clone(), true);
    let outputs = agent.step(ask(Verb::TaskAssign, &task, content), at(10), &mut rng());
    let outputs = measured(&mut *agent, probes(&outputs), "link:B-b6");
    assert!(!result(&outputs).unwrap().confirmed);
    let no = Content::new("t", "d").with_result("reject: look again");
    let rejected = (Kind::Result, Stance::Refuse);
    let outputs = agent.step(word(&task, no.clone(), rejected), at(90), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let outputs = measured(&mut *agent, probes(&outputs), "link:B-b6");
    assert_eq!(result(&outputs).unwrap().root_cause, Some(id("link:B-b6")));
    let outputs = agent.step(word(&task, no, rejected), at(190), &mut rng());
    assert!(outputs.iter().any(failed));
}

#[test]
fn cancelled_it_says_no_more() {
    let (mut agent, _) = started("ip-fault");
    let content = diagnosis("link:B-b5", Cause::FibreCut, &[]);
    let task = task("t", "TMF-oss-fault", content.clone(), true);
    let outputs = agent.step(
        ask(Verb::TaskAssign, &task, content.clone()),
        at(1),
        &mut rng(),
    );
    let stop = agent.step(ask(Verb::TaskCancel, &task, content), at(2), &mut rng());
    assert_eq!(answer(&stop).verdict, Verdict::Accepted);
    assert!(measured(&mut *agent, probes(&outputs), "link:B-b5").is_empty());
}

#[test]
fn silent_probes_do_not_hold_a_diagnosis_for_ever() {
    let (mut agent, _) = started("ip-fault");
    let outputs = agent.step(
        assign("t", diagnosis("link:B-b5", Cause::FibreCut, &[])),
        at(1),
        &mut rng(),
    );
    let wake = outputs.iter().find_map(|o| match o {
        Output::Wake { token, at } => Some((*token, *at)),
        _ => None,
    });
    let (token, due) = wake.unwrap();
    let outputs = agent.step(Input::Woken(token), due, &mut rng());
    let result = result(&outputs).unwrap();
    assert!(!result.confirmed);
    assert!(result.evidence[0].ends_with("no answer"));
}

#[test]
fn what_cannot_be_taken_on_is_refused_with_the_path() {
    let cases = [
        (
            "ip-fault",
            diagnosis("zone:b", Cause::MainsFailure, &[]),
            "refused not-managed target",
        ),
        (
            "ip-fault",
            diagnosis("link:X", Cause::FibreCut, &[]),
            "refused unknown-element target",
        ),
        (
            "wireless-fault",
            diagnosis("router:B", Cause::RouterFailure, &[]),
            "refused not-managed target",
        ),
        (
            "ip-fault",
            Content::new("x", "y").with_payload(Payload::new("poetry_v1", serde_json::json!({}))),
            "refused unknown-schema schema_id",
        ),
        (
            "ip-fault",
            Content::new("x", "y").with_payload(
                IncidentOrder {
                    domain: Domain::Wireless,
                }
                .to_payload(),
            ),
            "refused not-managed domain",
        ),
        (
            "ip-fault",
            Content::new("the moon", "what is wrong with it?"),
            "input-required missing target",
        ),
        (
            "wireless-fault",
            Content::new("router:B", "what is wrong with it?"),
            "refused not-managed target",
        ),
    ];
    for (role, content, expected) in cases {
        for verb in [Verb::TaskAssign, Verb::FeasibilityNegotiate] {
            let (mut agent, _) = started(role);
            let task = task("t", "operator", content.clone(), true);
            let outputs = agent.step(ask(verb, &task, content.clone()), at(1), &mut rng());
            let reply = answer(&outputs);
            let reason = &reply.reasons[0];
            let found = format!(
                "{} {} {}",
                reply.verdict.as_str(),
                reason.reason,
                reason.path
            );
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn words_that_name_an_element_are_a_diagnosis() {
    let (mut agent, _) = started("ip-fault");
    let content = Content::new("network", "Is the card B/2 in Bonn all right?");
    let outputs = agent.step(assign("t", content), at(1), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    assert_eq!(probes(&outputs)[0].1, id("card:B/2"));
}

#[test]
fn incidents_go_to_who_ordered_them_and_the_newer_order_wins() {
    let (mut agent, _) = started("wireless-fault");
    let order = || {
        Content::new("n", "report").with_payload(
            IncidentOrder {
                domain: Domain::Wireless,
            }
            .to_payload(),
        )
    };
    agent.step(assign("old", order()), at(1), &mut rng());
    let out = Input::Telemetry(Telemetry::Alarm(alarm(
        "site:b4",
        AlarmType::SiteUnreachable,
        5,
    )));
    let outputs = agent.step(out, at(6), &mut rng());
    let Some(Output::Wake { token, at: due }) = outputs.first() else {
        panic!("the agent asks to be woken")
    };
    let outputs = agent.step(Input::Woken(*token), *due, &mut rng());
    let told = |outputs: &[Output]| -> Vec<String> {
        let told = outputs.iter().filter_map(|o| match o {
            Output::Report {
                task,
                progress: Progress::Working { content, .. },
            } => Some(format!(
                "{task} {}",
                Incident::in_content(content)?.sites.len()
            )),
            Output::Report {
                task,
                progress: Progress::Result(_),
            } => Some(format!("{task} ends")),
            _ => None,
        });
        told.collect()
    };
    assert_eq!(told(&outputs), ["old 1"]);
    let outputs = agent.step(assign("new", order()), at(100), &mut rng());
    assert_eq!(told(&outputs), ["old ends", "new 1"]);
}

#[test]
fn service_is_verified_by_alarms_and_then_by_measuring() {
    let (mut agent, _) = started("wireless-fault");
    let out = Input::Telemetry(Telemetry::Alarm(alarm(
        "site:b4",
        AlarmType::SiteUnreachable,
        5,
    )));
    agent.step(out, at(6), &mut rng());
    let mut verify = |seconds| {
        let sites = BTreeSet::from([id("site:b4"), id("site:b5")]);
        let content = Content::new("s", "d").with_payload(VerificationOrder { sites }.to_payload());
        let outputs = agent.step(assign("v", content), at(seconds), &mut rng());
        let result = VerificationResult::in_content(&answer(&outputs).content[0]).unwrap();
        let probes = probes(&outputs);
        measured(&mut *agent, probes, "");
        result.still_out.len()
    };
    assert_eq!(verify(600), 1);
    // The clearing alarm never came, but the site measured well.
    assert_eq!(verify(660), 0);
}

#[test]
fn after_a_restart_an_open_diagnosis_is_measured_again() {
    let mut agent = crate::bench::hosted("ip-fault");
    let open = task(
        "t",
        "TMF-oss-fault",
        diagnosis("link:B-b5", Cause::FibreCut, &[]),
        true,
    );
    let started = Input::Started(briefing("ip-fault", vec![open]));
    let outputs = agent.step(started, at(0), &mut rng());
    let outputs = measured(&mut *agent, probes(&outputs), "link:B-b5");
    assert!(result(&outputs).unwrap().confirmed);
}

#[test]
fn asked_for_what_it_cannot_measure_it_offers_what_it_can_beside_it() {
    let (mut agent, _) = started("ip-fault");
    let content = diagnosis("site:b1", Cause::MainsFailure, &[]);
    let task = task("t", "TMF-oss-fault", content.clone(), true);
    let asked = ask(Verb::FeasibilityNegotiate, &task, content);
    let outputs = agent.step(asked, at(1), &mut rng());
    let reply = answer(&outputs);
    assert_eq!(reply.verdict, Verdict::Offered);
    assert_eq!(reply.reasons[0].reason, "not-managed");
    let offered: Vec<String> = reply
        .content
        .iter()
        .map(|c| {
            Diagnosis::in_content(c)
                .unwrap()
                .suspicion
                .target
                .to_string()
        })
        .collect();
    assert_eq!(offered, ["link:B-b1", "link:b1-b3"]);
    // Each alternative can be assigned as it was offered.
    let alternative = reply.content[0].clone();
    let outputs = agent.step(assign("t", alternative), at(2), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    assert_eq!(probes(&outputs)[0].1, id("link:B-b1"));
}

#[test]
fn another_plan_is_followed_until_something_is_measured_and_refused_after() {
    let (mut agent, _) = started("ip-fault");
    let content = diagnosis("link:B-b5", Cause::FibreCut, &[]);
    let task = task("t", "TMF-oss-fault", content.clone(), true);
    let outputs = agent.step(ask(Verb::TaskAssign, &task, content), at(1), &mut rng());
    let superseded = probes(&outputs);
    let plan = diagnosis("link:B-b6", Cause::FibreCut, &[]);
    let offered = (Kind::Fulfillment, Stance::Offer);
    let outputs = agent.step(word(&task, plan.clone(), offered), at(2), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let planned = probes(&outputs);
    assert_eq!(planned[0].1, id("link:B-b6"));
    assert!(measured(&mut *agent, superseded, "link:B-b5").is_empty());
    let outputs = measured(&mut *agent, planned, "link:B-b6");
    assert_eq!(result(&outputs).unwrap().root_cause, Some(id("link:B-b6")));
    let outputs = agent.step(word(&task, plan, offered), at(90), &mut rng());
    assert_eq!(answer(&outputs).reasons[0].reason, "too-late");
    assert!(probes(&outputs).is_empty());
}

#[test]
fn the_answer_to_a_question_goes_on_with_the_same_task() {
    let (mut agent, _) = started("ip-fault");
    let content = Content::new("the fast one", "what is wrong with it?");
    let task = task("t", "operator", content.clone(), true);
    let outputs = agent.step(ask(Verb::TaskAssign, &task, content), at(1), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::InputRequired);
    assert!(
        answer(&outputs).content[0]
            .task_description
            .contains("target")
    );
    let answered = |agent: &mut dyn Agent, content| {
        let answer = said(Verb::FulfillmentNegotiate, &task, content, None);
        agent.step(answer, at(2), &mut rng())
    };
    let outputs = answered(&mut *agent, Content::new("x", "I mean the quick one"));
    let asks_again = |o: &Output| {
        matches!(o, Output::Report { task, progress: Progress::InputRequired(_) }
            if task.as_str() == "t")
    };
    assert!(outputs.iter().any(asks_again));
    let mut content = Content::new("x", "the answer");
    content.terms = vec![("the fast one".to_owned(), "link:B-b5".to_owned())];
    let outputs = answered(&mut *agent, content);
    assert_eq!(probes(&outputs)[0].1, id("link:B-b5"));
    let told = outputs.iter().find_map(|o| match o {
        Output::Report {
            progress: Progress::Working { content, .. },
            ..
        } => Some(content.task_description.as_str()),
        _ => None,
    });
    let read = "'the fast one' is read as 'link:B-b5'. measuring";
    assert!(told.unwrap().starts_with(read), "{told:?}");
}

#[test]
fn after_a_restart_what_was_agreed_on_is_measured_and_what_was_asked_is_not_asked_twice() {
    let resumed = |change: &dyn Fn(&mut Task)| {
        let mut agent = crate::bench::hosted("ip-fault");
        let content = Content::new("the fast one", "what is wrong with it?");
        let mut open = Task::clone(&task("t", "operator", content, true));
        change(&mut open);
        let started = Input::Started(briefing("ip-fault", vec![open.into()]));
        agent.step(started, at(0), &mut rng())
    };
    let planned = resumed(&|task| {
        task.status = Status::Processing;
        task.plan = Some(diagnosis("link:B-b6", Cause::FibreCut, &[]));
    });
    assert_eq!(probes(&planned)[0].1, id("link:B-b6"));
    let asking = resumed(&|task| {
        task.status = Status::InputRequired;
        task.awaits = Some(Awaits::Answer);
    });
    assert!(asking.is_empty());
    // Its answer came before the restart and is lost: it is asked for again.
    let answered = resumed(&|task| task.status = Status::Processing);
    let asks = |o: &Output| {
        matches!(
            o,
            Output::Report {
                progress: Progress::InputRequired(_),
                ..
            }
        )
    };
    assert!(answered.iter().any(asks));
}
