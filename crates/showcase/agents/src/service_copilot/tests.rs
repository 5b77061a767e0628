//! A ticket from its assignment to its result.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{answer, ask, assign, at, briefing, failed, id, rng, started, task, word};
use domain::agent::Agent;
use domain::negotiation::Stance;
use domain::task::Status;
use domain::verb::Verb;
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
        &mut rng(),
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
    let outputs = agent.step(ask(Verb::TaskAssign, &ticket, content), at(1), &mut rng());
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
        &mut rng(),
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
        &mut rng(),
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
    let rejected = (Kind::Result, Stance::Refuse);
    let again = agent.step(word(&ticket, no.clone(), rejected), at(6_000), &mut rng());
    assert!(dispatched(&again).is_some());
    let ended = agent.step(word(&ticket, no, rejected), at(9_000), &mut rng());
    assert!(failed(&ended[1]));
}

#[test]
fn without_the_other_copilot_the_manual_guides() {
    let (mut agent, _) = started("service-copilot");
    let outputs = agent.step(assign("tt", repair()), at(1), &mut rng());
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
        &mut rng(),
    );
    assert!(guided(&outputs).unwrap()[0].contains("duct:B-1"));
}

#[test]
fn asked_in_words_it_tells_of_sites_and_tickets() {
    let (mut agent, _) = started("service-copilot");
    let say = |agent: &mut dyn Agent| {
        let question = Content::new("x", "Who is affected by duct B-1?");
        let outputs = agent.step(assign("q", question), at(5), &mut rng());
        answer(&outputs).content[0].result.clone().unwrap()
    };
    assert!(say(&mut *agent).ends_with("No trouble ticket concerns it."));
    agent.step(assign("tt", repair()), at(1), &mut rng());
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
    let outputs = agent.step(ask(Verb::TaskAssign, &ticket, repair()), at(1), &mut rng());
    agent.step(ask(Verb::TaskCancel, &ticket, repair()), at(2), &mut rng());
    assert!(arrived(&mut *agent, dispatched(&outputs).unwrap()).is_empty());
}

/// The ticket of [`repair`], or one for another cause, with its decision to be agreed on.
fn demanding(cause: Cause, element: &str) -> Arc<Task> {
    let mut repair = Repair::in_content(&repair()).unwrap();
    repair.cause = cause;
    repair.element = id(element);
    let content = repair_content(&repair);
    let mut ticket = Task::clone(&task("tt", "TMF-oss-fault", content, true));
    ticket.conditions.fulfillment_demanded = true;
    ticket.into()
}

fn repair_content(repair: &Repair) -> Content {
    Content::new(repair.element.as_str(), "repair")
        .with_payload(repair.to_payload())
        .expecting("service")
}

fn proposed(outputs: &[Output]) -> Option<RepairDecision> {
    outputs.iter().find_map(|o| match o {
        Output::Speak {
            kind: Kind::Fulfillment,
            speech,
            ..
        } => RepairDecision::in_content(&speech.contents[0]),
        _ => None,
    })
}

fn word_on(
    agent: &mut dyn Agent,
    ticket: &Arc<Task>,
    content: Content,
    stance: Stance,
) -> Vec<Output> {
    let word = word(ticket, content, (Kind::Fulfillment, stance));
    agent.step(word, at(2), &mut rng())
}

#[test]
fn nobody_is_sent_before_the_decision_is_agreed_on() {
    let (mut agent, _) = started("service-copilot");
    let ticket = demanding(Cause::MainsFailure, "zone:b");
    let assigned = ask(Verb::TaskAssign, &ticket, ticket.content.clone());
    let outputs = agent.step(assigned, at(1), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    assert!(dispatched(&outputs).is_none());
    assert_eq!(proposed(&outputs).unwrap().way, "switch the feeder over");
    // Refused, another way is proposed; refused again, there is none.
    let no = || Content::new("zone:b", "no").with_result("reject");
    let outputs = word_on(&mut *agent, &ticket, no(), Stance::Refuse);
    assert_eq!(proposed(&outputs).unwrap().way, "bring generators");
    assert!(dispatched(&outputs).is_none());
    let yes = Content::new("zone:b", "yes").with_result("accept");
    let outputs = word_on(&mut *agent, &ticket, yes, Stance::Accept);
    assert!(dispatched(&outputs).is_some());

    let (mut agent, _) = started("service-copilot");
    let ticket = demanding(Cause::DuctCut, "duct:B-1");
    let assigned = ask(Verb::TaskAssign, &ticket, ticket.content.clone());
    agent.step(assigned, at(1), &mut rng());
    let outputs = word_on(&mut *agent, &ticket, no(), Stance::Refuse);
    assert!(outputs.iter().any(failed));
}

#[test]
fn the_publishers_plan_is_followed_where_it_can_be_and_refused_with_reasons_where_not() {
    let (mut agent, _) = started("service-copilot");
    let ticket = demanding(Cause::DuctCut, "duct:B-1");
    let assigned = ask(Verb::TaskAssign, &ticket, ticket.content.clone());
    let outputs = agent.step(assigned, at(1), &mut rng());
    let decision = proposed(&outputs).unwrap();
    let mut plan = |change: &dyn Fn(&mut RepairDecision)| {
        let mut plan = decision.clone();
        change(&mut plan);
        let content = Content::new("duct:B-1", "plan").with_payload(plan.to_payload());
        word_on(&mut *agent, &ticket, content, Stance::Offer)
    };
    type Change = &'static dyn Fn(&mut RepairDecision);
    let wrong: [(Change, &str); 3] = [
        (&|p| p.crew = "a choir".to_owned(), "choir"),
        (&|p| p.element = id("duct:X"), "duct:X"),
        (&|p| p.order_of_work.clear(), "no order of work"),
    ];
    for (change, why) in wrong {
        let outputs = plan(change);
        let reply = answer(&outputs);
        assert_eq!(reply.verdict, Verdict::Refused);
        assert!(reply.reasons[0].message.contains(why), "{reply:?}");
        assert!(dispatched(&outputs).is_none());
    }
    let outputs = plan(&|p| p.order_of_work.insert(0, "Ring the town hall".to_owned()));
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    let arrival = arrived(&mut *agent, dispatched(&outputs).unwrap());
    let Some(Output::Send { token, message }) = arrival.last() else {
        panic!("the other copilot is asked")
    };
    assert_eq!(message.conditions.parent, Some(ticket.id.clone()));
    let reply = Ok(Reply::accepted());
    let token = *token;
    let outputs = agent.step(Input::Replied { token, reply }, at(901), &mut rng());
    assert_eq!(guided(&outputs).unwrap()[0], "Ring the town hall");
    let late = Content::new("duct:B-1", "plan").with_payload(decision.to_payload());
    let outputs = word_on(&mut *agent, &ticket, late, Stance::Offer);
    assert_eq!(answer(&outputs).reasons[0].reason, "too-late");
}

#[test]
fn after_a_restart_a_proposal_still_waits_and_an_agreed_ticket_is_worked() {
    let resumed = |change: &dyn Fn(&mut Task)| {
        let mut agent = crate::bench::hosted("service-copilot");
        let mut open = Task::clone(&demanding(Cause::MainsFailure, "zone:b"));
        change(&mut open);
        let open: Arc<Task> = open.into();
        let started = Input::Started(briefing("service-copilot", vec![Arc::clone(&open)]));
        let outputs = agent.step(started, at(0), &mut rng());
        (agent, open, outputs)
    };
    let repair = Repair::in_content(&demanding(Cause::MainsFailure, "zone:b").content).unwrap();
    let known = decision::decisions(
        &Topology::new(Arc::new(crate::bench::Net::town().inventory())),
        &repair,
    );
    let second = Content::new("zone:b", "p").with_payload(known[1].to_payload());
    let (mut agent, ticket, outputs) = resumed(&|task| {
        task.status = Status::InputRequired;
        task.awaits = Some(Awaits::Decision);
        task.said = Some(second.clone());
    });
    assert!(outputs.is_empty());
    let no = Content::new("zone:b", "no").with_result("reject");
    let outputs = word_on(&mut *agent, &ticket, no, Stance::Refuse);
    assert!(proposed(&outputs).is_none(), "it was the last way");
    let (_, ticket, outputs) = resumed(&|task| {
        task.status = Status::Processing;
        task.plan = Some(second.clone());
    });
    let order = outputs.iter().find_map(|o| match o {
        Output::Act {
            action: Action::Dispatch { work_order, .. },
            ..
        } => work_order.clone(),
        _ => None,
    });
    assert_eq!(order, Some(ticket.id.to_string()), "nobody else is sent");
    let (_, _, outputs) = resumed(&|_| {});
    assert!(proposed(&outputs).is_some());
}
