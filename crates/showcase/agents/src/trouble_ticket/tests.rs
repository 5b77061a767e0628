//! Tickets between those who want repairs and those who do them, and those that people work on.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{answer, ask, at, briefing, hosted, id, rng, started, task, word};
use crate::payloads::repair::{RepairDecision, RepairResult};
use crate::payloads::ticket::{RelatedEntities, TicketSeverity};
use domain::agent::{Agent, Undelivered};
use domain::cause::Cause;
use domain::negotiation::{Kind, Stance};
use domain::notification::Notification;
use domain::task::{Conditions, Status};
use domain::verb::Verb;
use std::sync::Arc;

const COPILOT: &str = "TMF-service-copilot";

fn repair(element: &str) -> Content {
    let repair = Repair {
        ticket_id: "TT-oss-1".into(),
        element: id(element),
        cause: Cause::DuctCut,
        place: "Bonn".into(),
        affected_sites: BTreeSet::from([id("site:b1")]),
        proposal: "splice".into(),
        evidence: vec![],
    };
    Content::new(element, "repair")
        .with_payload(repair.to_payload())
        .expecting("service")
}

fn wanted(name: &str, element: &str, demanded: bool) -> Arc<Task> {
    let task = Task::clone(&task(name, "TMF-oss-fault", repair(element), true));
    Arc::new(task.under(Conditions {
        fulfillment_demanded: demanded,
        ..Conditions::default()
    }))
}

fn assigned(agent: &mut dyn Agent, task: &Arc<Task>, s: i64) -> Vec<Output> {
    let content = task.content.clone();
    agent.step(ask(Verb::TaskAssign, task, content), at(s), &mut rng())
}

fn sent(outputs: &[Output]) -> Vec<(Token, Message)> {
    let message = |o: &Output| match o {
        Output::Send { token, message } => Some((*token, message.clone())),
        _ => None,
    };
    outputs.iter().filter_map(message).collect()
}

/// All that was reported of a task: its state and, with a ticket, the ticket's.
fn told_of(outputs: &[Output], name: &str) -> Vec<String> {
    let said = |o: &Output| match o {
        Output::Report { task, progress } if task.as_str() == name => Some(match progress {
            Progress::Working { content, .. } => {
                let ticket = TroubleTicket::in_content(content).unwrap();
                format!("working {}", ticket.status.as_str())
            }
            Progress::Result(content) => {
                let result = RepairResult::in_content(content);
                let repaired =
                    result.map_or("", |r| if r.repaired { " repaired" } else { " void" });
                format!("result{repaired}")
            }
            Progress::Failed(content) => format!("failed: {}", content.task_description),
            other => format!("{other:?}"),
        }),
        _ => None,
    };
    outputs.iter().filter_map(said).collect()
}

fn news(
    agent: &mut dyn Agent,
    part: &TaskId,
    (status, awaits): (Status, Option<Awaits>),
    content: Content,
    s: i64,
) -> Vec<Output> {
    let news = Notification {
        time: at(s),
        task: part.clone(),
        from: COPILOT.to_owned(),
        to: "TMF-trouble-ticket".to_owned(),
        verb: Verb::TaskResultNotify,
        asynchronous: true,
        status,
        previous: None,
        start_time: at(0),
        percent: 10,
        content,
        awaits,
        data: None,
    };
    agent.step(Input::Notified(Arc::new(news)), at(s), &mut rng())
}

fn done(repaired: bool) -> Content {
    let result = RepairResult {
        ticket_id: "TT".into(),
        repaired,
        element: id("duct:B-1"),
        finding: "spliced".into(),
    };
    Content::new("duct:B-1", "done")
        .with_payload(result.to_payload())
        .with_result("done")
}

const JUDGED: (Status, Option<Awaits>) = (Status::InputRequired, Some(Awaits::Judgement));

/// W1, step 6: the ticket system gives the repair to the field force and tells each state of the
/// ticket; what is done is resolved, and closed by its publisher's word.
#[test]
fn a_repair_is_a_ticket_and_a_part_at_the_copilot() {
    let (mut agent, _) = started("trouble-ticket");
    let task = wanted("t", "duct:B-1", false);
    let outputs = assigned(&mut *agent, &task, 1);
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    assert_eq!(told_of(&outputs, "t"), ["working inProgress"]);
    let (token, part) = sent(&outputs).remove(0);
    assert_eq!((part.to.as_str(), part.verb), (COPILOT, Verb::TaskAssign));
    assert_eq!(part.conditions.parent, Some(TaskId::new("t")));
    assert_eq!(part.task.as_str(), "trouble-ticket-for-t-1");
    let given = Repair::in_content(&part.content).unwrap();
    assert_eq!(given.element, id("duct:B-1"));
    let reply = Ok(Reply::accepted());
    agent.step(Input::Replied { token, reply }, at(2), &mut rng());

    let way = Content::new("duct:B-1", "an engineer arrives about noon");
    let outputs = news(&mut *agent, &part.task, (Status::Processing, None), way, 10);
    assert_eq!(told_of(&outputs, "t"), ["working inProgress"]);
    let outputs = news(&mut *agent, &part.task, JUDGED, done(true), 5_000);
    let (_, accepted) = sent(&outputs).remove(0);
    assert_eq!(accepted.content.result.as_deref(), Some("accept"));
    assert_eq!(
        told_of(&outputs, "t"),
        ["working resolved", "result repaired"]
    );
    // That the part is finished then, as its own notification tells, is no news.
    let over = (Status::Finished, None);
    let none = news(&mut *agent, &part.task, over, Content::new("x", "-"), 5_001);
    assert!(none.is_empty(), "{none:?}");
    // The result bears the number that its publisher gave.
    let result = outputs.iter().find_map(|o| match o {
        Output::Report {
            progress: Progress::Result(content),
            ..
        } => RepairResult::in_content(content),
        _ => None,
    });
    assert_eq!(result.unwrap().ticket_id, "TT-oss-1");

    // Not accepted: somebody goes again, under another part; then no more.
    let no = Content::new("t", "no").with_result("reject\n- site:b1 is still out of service");
    let rejected = (Kind::Result, Stance::Refuse);
    let outputs = agent.step(word(&task, no.clone(), rejected), at(6_000), &mut rng());
    let (_, again) = sent(&outputs).remove(0);
    assert_eq!(again.task.as_str(), "trouble-ticket-for-t-2");
    news(&mut *agent, &again.task, JUDGED, done(true), 9_000);
    let outputs = agent.step(word(&task, no, rejected), at(9_500), &mut rng());
    let told = told_of(&outputs, "t");
    assert!(told.last().unwrap().starts_with("failed: "), "{told:?}");
}

/// W22: decisions and words on them pass through.
#[test]
fn a_decision_passes_through_in_both_directions() {
    let (mut agent, _) = started("trouble-ticket");
    let task = wanted("t", "duct:B-1", true);
    let outputs = assigned(&mut *agent, &task, 1);
    let (_, part) = sent(&outputs).remove(0);
    assert!(part.conditions.fulfillment_demanded);
    let decision = RepairDecision {
        ticket_id: "TT".into(),
        element: id("duct:B-1"),
        way: "dig".into(),
        crew: "two splicers".into(),
        spares: vec![],
        order_of_work: vec!["dig".into()],
    };
    let offer = Content::new("duct:B-1", "dig").with_payload(decision.to_payload());
    let deciding = (Status::InputRequired, Some(Awaits::Decision));
    let outputs = news(&mut *agent, &part.task, deciding, offer.clone(), 5);
    assert_eq!(told_of(&outputs, "t"), ["working pending"]);
    let spoken = outputs.iter().find_map(|o| match o {
        Output::Speak { speech, .. } => Some(speech.contents[0].clone()),
        _ => None,
    });
    assert_eq!(spoken.unwrap(), offer);
    let yes = Content::new("t", "word").with_result("accept");
    let agreed = (Kind::Fulfillment, Stance::Accept);
    let outputs = agent.step(word(&task, yes, agreed), at(6), &mut rng());
    let (_, word_on) = sent(&outputs).remove(0);
    assert_eq!(word_on.task, part.task);
    assert_eq!(word_on.content.result.as_deref(), Some("accept"));
    // A plan of the publisher is the copilot's to answer.
    let plan = Content::new("t", "rather so").with_payload(decision.to_payload());
    let offered = (Kind::Fulfillment, Stance::Offer);
    let outputs = agent.step(word(&task, plan, offered), at(7), &mut rng());
    assert_eq!(answer(&outputs).verdict, Verdict::Pending);
    let (token, _) = sent(&outputs).remove(0);
    let reply = Ok(Reply::refused("too-late", "", "the engineer works"));
    let outputs = agent.step(Input::Replied { token, reply }, at(8), &mut rng());
    let Some(Output::Speak { speech, .. }) = outputs.first() else {
        panic!("the copilot's word is passed on")
    };
    assert_eq!(speech.stance, Stance::Refuse);
    assert_eq!(speech.reasons[0].reason, "too-late");
}

/// Two tickets about one element are one job: nobody is sent twice.
#[test]
fn a_second_ticket_about_the_same_element_is_held_behind_the_first() {
    let (mut agent, _) = started("trouble-ticket");
    let first = wanted("t", "duct:B-1", false);
    let (_, part) = sent(&assigned(&mut *agent, &first, 1)).remove(0);
    let second = wanted("u", "duct:B-1", false);
    let outputs = assigned(&mut *agent, &second, 2);
    assert!(sent(&outputs).is_empty());
    assert_eq!(told_of(&outputs, "u"), ["working held"]);
    let other = wanted("v", "card:B/1", false);
    assert_eq!(sent(&assigned(&mut *agent, &other, 3)).len(), 1);
    let outputs = news(&mut *agent, &part.task, JUDGED, done(true), 5_000);
    assert_eq!(told_of(&outputs, "t").last().unwrap(), "result repaired");
    assert_eq!(told_of(&outputs, "u").last().unwrap(), "result repaired");
    assert!(told_of(&outputs, "v").is_empty());
}

/// The first is withdrawn: the second is worked on by itself.
#[test]
fn who_was_held_goes_on_alone_when_the_first_is_withdrawn() {
    let (mut agent, _) = started("trouble-ticket");
    let first = wanted("t", "duct:B-1", false);
    assigned(&mut *agent, &first, 1);
    let second = wanted("u", "duct:B-1", false);
    assigned(&mut *agent, &second, 2);
    let outputs = agent.step(
        ask(Verb::TaskCancel, &first, Content::new("t", "no longer")),
        at(3),
        &mut rng(),
    );
    let (_, part) = sent(&outputs).remove(0);
    assert_eq!(part.conditions.parent, Some(TaskId::new("u")));
}

#[test]
fn a_part_that_is_declined_or_fails_ends_its_ticket_with_the_reason() {
    let (mut agent, _) = started("trouble-ticket");
    let task = wanted("t", "duct:B-1", false);
    let (token, _) = sent(&assigned(&mut *agent, &task, 1)).remove(0);
    let reply = Ok(Reply::refused("busy", "", "no engineer"));
    let outputs = agent.step(Input::Replied { token, reply }, at(2), &mut rng());
    let told = told_of(&outputs, "t");
    let why = "failed: every copilot of the field force has declined";
    assert_eq!(told.last().map(String::as_str), Some(why));
    let task = wanted("u", "duct:B-1", false);
    let (_, part) = sent(&assigned(&mut *agent, &task, 3)).remove(0);
    let lost = Content::new("x", "the van broke down");
    let outputs = news(&mut *agent, &part.task, (Status::Failed, None), lost, 9);
    assert!(
        told_of(&outputs, "u")
            .last()
            .unwrap()
            .contains("the van broke down")
    );
}

/// After a restart the same is said again, under the same identifier, and taken up where it is.
#[test]
fn after_a_restart_a_part_that_exists_is_asked_how_it_is() {
    let mut agent = hosted("trouble-ticket");
    let task = wanted("t", "duct:B-1", false);
    let open = Task {
        status: Status::Processing,
        ..Task::clone(&task)
    };
    let started = Input::Started(briefing("trouble-ticket", vec![open.into()]));
    let outputs = agent.step(started, at(100), &mut rng());
    let (token, part) = sent(&outputs).remove(0);
    assert_eq!(part.task.as_str(), "trouble-ticket-for-t-1");
    let reply = Err(Undelivered {
        tag: "data-exists".into(),
        message: "taken".into(),
    });
    let outputs = agent.step(Input::Replied { token, reply }, at(101), &mut rng());
    let (token, query) = sent(&outputs).remove(0);
    assert_eq!(query.verb, Verb::TaskResultQuery);
    let mut state = Reply::new(Verdict::Result, vec![done(true)]);
    state.status = Some(Status::Finished);
    let reply = Ok(state);
    let outputs = agent.step(Input::Replied { token, reply }, at(102), &mut rng());
    assert_eq!(told_of(&outputs, "t").last().unwrap(), "result repaired");
}

fn escalation() -> Content {
    let order = TicketOrder {
        name: "three sites are out".into(),
        severity: TicketSeverity::Critical,
        related: RelatedEntities {
            suspected: vec![id("duct:B-1")],
            affected: BTreeSet::from([id("site:b1")]),
        },
        notes: vec!["7 hypotheses are refuted".into()],
        ..TicketOrder::of(TicketKind::Escalation)
    };
    Content::new("duct:B-1", "people are needed").with_payload(order.to_payload())
}

/// Issue 5, 3: an escalation is kept until people have worked it, or its sender withdraws it.
#[test]
fn an_escalation_is_kept_until_people_close_it() {
    let (mut agent, _) = started("trouble-ticket");
    let case = task("e", "TMF-oss-fault", escalation(), true);
    let outputs = assigned(&mut *agent, &case, 1);
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    assert_eq!(told_of(&outputs, "e"), ["working pending"]);
    let words = |agent: &mut dyn Agent, text: &str| {
        let content = Content::new("tickets", text);
        let asked = task("q", "operator", content.clone(), false);
        let outputs = agent.step(ask(Verb::TaskAssign, &asked, content), at(5), &mut rng());
        answer(&outputs).content[0].result.clone().unwrap()
    };
    let open = words(&mut *agent, "Which tickets are open?");
    assert!(
        open.contains("TT-e (escalation, critical) about duct:B-1 is pending"),
        "{open}"
    );
    assert!(words(&mut *agent, "Is there one about card B/1?").contains("no such ticket"));
    let change = |agent: &mut dyn Agent, number: &str, status| {
        let order = TicketOrder {
            ticket_id: Some(number.to_owned()),
            status: Some(status),
            reason: "spliced by hand".into(),
            ..TicketOrder::of(TicketKind::Escalation)
        };
        let content = Content::new(number, "change").with_payload(order.to_payload());
        let asked = task("c", "operator", content.clone(), false);
        agent.step(ask(Verb::TaskAssign, &asked, content), at(60), &mut rng())
    };
    let unknown = change(&mut *agent, "TT-x", TicketStatus::Closed);
    assert_eq!(answer(&unknown).reasons[0].reason, "unknown-ticket");
    let early = change(&mut *agent, "TT-e", TicketStatus::Acknowledged);
    assert_eq!(answer(&early).reasons[0].reason, "out-of-turn");
    let begun = change(&mut *agent, "TT-e", TicketStatus::InProgress);
    assert_eq!(told_of(&begun, "e"), ["working inProgress"]);
    let closed = change(&mut *agent, "TT-e", TicketStatus::Closed);
    assert_eq!(answer(&closed).verdict, Verdict::Result);
    assert_eq!(told_of(&closed, "e"), ["result"]);
    assert!(words(&mut *agent, "Which tickets are open?").contains("no such ticket"));
}

#[test]
fn an_escalation_that_is_withdrawn_is_cancelled() {
    let (mut agent, _) = started("trouble-ticket");
    let case = task("e", "TMF-oss-fault", escalation(), true);
    assigned(&mut *agent, &case, 1);
    agent.step(
        ask(Verb::TaskCancel, &case, Content::new("e", "over")),
        at(9),
        &mut rng(),
    );
    let content = Content::new("tickets", "How is TT-e?");
    let asked = task("q", "operator", content.clone(), false);
    let outputs = agent.step(ask(Verb::TaskAssign, &asked, content), at(10), &mut rng());
    let said = answer(&outputs).content[0].result.clone().unwrap();
    assert!(said.contains("cancelled"), "{said}");
}

#[test]
fn what_cannot_be_worked_on_is_refused_with_the_reason() {
    let (mut agent, _) = started("trouble-ticket");
    let unknown = wanted("t", "duct:nowhere", false);
    let outputs = assigned(&mut *agent, &unknown, 1);
    assert_eq!(answer(&outputs).reasons[0].reason, "unknown-element");
    let mut alone = hosted("trouble-ticket");
    let mut only = briefing("trouble-ticket", vec![]);
    only.roster.retain(|p| p.name != COPILOT);
    alone.step(Input::Started(only), at(0), &mut rng());
    let outputs = assigned(&mut *alone, &wanted("t", "duct:B-1", false), 1);
    assert_eq!(answer(&outputs).reasons[0].reason, "no-agent");
}
