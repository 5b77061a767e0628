//! A ticket from its assignment to its result.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{answer, ask, assign, at, dice, id, started, task};
use domain::agent::Agent;
use std::collections::BTreeSet;

fn repair() -> Content {
    let repair = Repair {
        ticket_id: "TT-1".into(),
        element: id("duct:B-1"),
        cause: Cause::DuctCut,
        place: "Bonn".into(),
        affected_sites: BTreeSet::from([id("site:b1")]),
        proposal: "p".into(),
        evidence: vec![],
    };
    Content::new("duct:B-1", "repair")
        .with_payload(repair.to_payload())
        .expecting("service")
}

fn dispatched(outputs: &[Output]) -> Option<Token> {
    outputs.iter().find_map(|o| match o {
        Output::Act {
            token,
            action: Action::Dispatch { .. },
        } => Some(*token),
        _ => None,
    })
}

fn arrived(agent: &mut dyn Agent, token: Token) -> Vec<Output> {
    let report = FieldReport::Arrived {
        token,
        element: id("duct:B-1"),
        question: "what now?".into(),
    };
    agent.step(
        Input::Telemetry(Telemetry::Field(report)),
        at(900),
        &mut dice(),
    )
}

fn guided(outputs: &[Output]) -> Option<Vec<String>> {
    outputs.iter().find_map(|o| match o {
        Output::Act {
            action: Action::Guide { steps, .. },
            ..
        } => Some(steps.clone()),
        _ => None,
    })
}

#[test]
fn a_ticket_sends_asks_guides_and_reports() {
    let (mut agent, _) = started("service-copilot");
    let content = repair();
    let ticket = task("tt", "TMF-oss-fault", content.clone(), true);
    let outputs = agent.step(ask(Verb::TaskAssign, &ticket, content), at(1), &mut dice());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let token = dispatched(&outputs).unwrap();
    let outputs = arrived(&mut *agent, token);
    let asked = outputs.iter().find_map(|o| match o {
        Output::Send { token, message } => Some((*token, message.clone())),
        _ => None,
    });
    let (question, message) = asked.unwrap();
    assert_eq!(message.to, "TMF-resource-copilot");
    assert!(!message.asynchronous);
    let answer_content = Content::new("duct:B-1", "g").with_payload(
        GuidanceResult {
            answer: "dig".into(),
            steps: vec!["dig".into()],
            element: id("duct:B-1"),
            alarms: vec![],
        }
        .to_payload(),
    );
    let reply = Ok(Reply::new(Verdict::Result, vec![answer_content]));
    let outputs = agent.step(
        Input::Replied {
            token: question,
            reply,
        },
        at(901),
        &mut dice(),
    );
    assert_eq!(guided(&outputs).unwrap(), ["dig"]);
    let ended = FieldReport::Ended {
        token,
        element: id("duct:B-1"),
        repaired: true,
        finding: "spliced".into(),
    };
    let outputs = agent.step(
        Input::Telemetry(Telemetry::Field(ended)),
        at(5_000),
        &mut dice(),
    );
    let Some(Output::Report {
        progress: Progress::Result(content),
        ..
    }) = outputs.first()
    else {
        panic!("the result is reported")
    };
    assert!(RepairResult::in_content(content).unwrap().repaired);
    // Rejected once, somebody goes again; rejected twice, it fails.
    let no = Content::new("tt", "d").with_result("reject: still out");
    let again = agent.step(
        ask(Verb::FulfillmentNegotiate, &ticket, no.clone()),
        at(6_000),
        &mut dice(),
    );
    assert!(dispatched(&again).is_some());
    let failed = agent.step(
        ask(Verb::FulfillmentNegotiate, &ticket, no),
        at(9_000),
        &mut dice(),
    );
    assert!(matches!(
        failed[1],
        Output::Report {
            progress: Progress::Failed(_),
            ..
        }
    ));
}

#[test]
fn without_the_other_copilot_the_manual_guides() {
    let (mut agent, _) = started("service-copilot");
    let outputs = agent.step(assign("tt", repair()), at(1), &mut dice());
    let outputs = arrived(&mut *agent, dispatched(&outputs).unwrap());
    let Some(Output::Send { token, .. }) = outputs.last() else {
        panic!("the other copilot is asked first")
    };
    let reply = Err(Undelivered {
        tag: "unreachable".into(),
        message: "nobody there".into(),
    });
    let outputs = agent.step(
        Input::Replied {
            token: *token,
            reply,
        },
        at(901),
        &mut dice(),
    );
    assert!(guided(&outputs).unwrap()[0].contains("duct:B-1"));
}

#[test]
fn asked_in_words_it_tells_of_sites_and_tickets() {
    let (mut agent, _) = started("service-copilot");
    let say = |agent: &mut dyn Agent| {
        let question = Content::new("x", "Who is affected by duct B-1?");
        let outputs = agent.step(assign("q", question), at(5), &mut dice());
        answer(&outputs).content[0].result.clone().unwrap()
    };
    assert!(say(&mut *agent).ends_with("No trouble ticket concerns it."));
    agent.step(assign("tt", repair()), at(1), &mut dice());
    let words = say(&mut *agent);
    assert!(words.contains("4 sites would lose service"), "{words}");
    assert!(
        words.contains("Ticket TT-1 for duct:B-1 (duct-cut)"),
        "{words}"
    );
}

#[test]
fn a_cancelled_ticket_is_forgotten() {
    let (mut agent, _) = started("service-copilot");
    let ticket = task("tt", "TMF-oss-fault", repair(), true);
    let outputs = agent.step(ask(Verb::TaskAssign, &ticket, repair()), at(1), &mut dice());
    agent.step(ask(Verb::TaskCancel, &ticket, repair()), at(2), &mut dice());
    assert!(arrived(&mut *agent, dispatched(&outputs).unwrap()).is_empty());
}
