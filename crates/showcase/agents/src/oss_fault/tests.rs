//! A case from incidents to its close, played against an agent that sees messages only.

#![allow(clippy::unwrap_used)]

use crate::bench::{answer, assign, at, id, rng, started};
use crate::payloads::Schema;
use crate::payloads::diagnosis::{Diagnosis, DiagnosisResult};
use crate::payloads::incident::{Incident, IncidentAlarm};
use crate::payloads::repair::{Repair, RepairDecision, RepairResult};
use crate::payloads::ticket::TicketOrder;
use crate::payloads::verification::{VerificationOrder, VerificationResult};
use domain::agent::{Agent, Input, Message, Output, Undelivered};
use domain::cause::Cause;
use domain::content::Content;
use domain::inventory::Domain;
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, TaskId};
use domain::telemetry::{AlarmType, Severity, Token};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::BTreeSet;
use std::sync::Arc;

mod at_scale;
mod learnt;
mod verdicts;

/// The OSS agent and everything it said.
struct Play {
    agent: Box<dyn Agent>,
    sent: Vec<(Token, Message)>,
    wakes: Vec<(Timestamp, Token)>,
    notes: Vec<String>,
    /// The standing tasks, wireless first.
    standing: Vec<TaskId>,
}

impl Play {
    fn begin() -> Self {
        let (agent, outputs) = started("oss-fault");
        let mut play = Self {
            agent,
            sent: vec![],
            wakes: vec![],
            notes: vec![],
            standing: vec![],
        };
        play.take(outputs);
        play.standing = play.sent.iter().map(|(_, m)| m.task.clone()).collect();
        play
    }

    fn take(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Send { token, message } => self.sent.push((token, message)),
                Output::Wake { token, at } => self.wakes.push((at, token)),
                Output::Note(note) => self.notes.push(note),
                _ => {}
            }
        }
    }

    fn input(&mut self, input: Input, seconds: i64) {
        let outputs = self.agent.step(input, at(seconds), &mut rng());
        self.take(outputs);
    }

    /// Wakes the agent as often as it asked for until `seconds`.
    fn pass_until(&mut self, seconds: i64) {
        while let Some(i) = (0..self.wakes.len())
            .filter(|i| self.wakes[*i].0 <= at(seconds))
            .min_by_key(|i| self.wakes[*i])
        {
            let (due, token) = self.wakes.remove(i);
            let outputs = self.agent.step(Input::Woken(token), due, &mut rng());
            self.take(outputs);
        }
    }

    fn next(&mut self) -> (Token, Message) {
        assert!(!self.sent.is_empty(), "{:?}", self.notes);
        self.sent.remove(0)
    }

    fn notify(&mut self, task: &TaskId, from: &str, status: Status, content: Content, s: i64) {
        let judged = status == Status::InputRequired;
        self.tell(
            task,
            from,
            status,
            judged.then_some(Awaits::Judgement),
            content,
            s,
        );
    }

    fn tell(
        &mut self,
        task: &TaskId,
        from: &str,
        status: Status,
        awaits: Option<Awaits>,
        content: Content,
        s: i64,
    ) {
        let notification = Notification {
            time: at(s),
            task: task.clone(),
            from: from.to_owned(),
            to: "TMF-oss-fault".to_owned(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status,
            previous: None,
            start_time: at(0),
            percent: 0,
            content,
            awaits,
            data: None,
        };
        self.input(Input::Notified(Arc::new(notification)), s);
    }

    fn reply(&mut self, token: Token, reply: Reply, seconds: i64) {
        let reply = Ok(reply);
        self.input(Input::Replied { token, reply }, seconds);
    }
}

fn incident(name: &str, domain: Domain, alarms: &[(&str, AlarmType, i64)]) -> Content {
    let sightings: Vec<IncidentAlarm> = alarms
        .iter()
        .map(|(resource, alarm_type, s)| IncidentAlarm {
            resource: id(resource),
            alarm_type: *alarm_type,
            qualifier: None,
            time: at(*s),
        })
        .collect();
    let incident = Incident {
        incident_id: name.into(),
        domain,
        probable_cause: sightings[0].alarm_type,
        severity: Severity::Critical,
        raised_at: at(1),
        cleared: false,
        resources: BTreeSet::new(),
        sites: BTreeSet::new(),
        alarm_count: sightings.len() as u64,
        first_alarm: sightings[0].clone(),
        alarms: sightings,
    };
    Content::new(name, "incident").with_payload(incident.to_payload())
}

fn found(root: Option<(&str, Cause)>) -> Content {
    let result = DiagnosisResult {
        target: "t".into(),
        confirmed: root.is_some(),
        root_cause: root.map(|(e, _)| id(e)),
        cause: root.map(|(_, c)| c),
        proposal: "splice".into(),
        location: "Bonn".into(),
        evidence: vec!["dark".into()],
        ..DiagnosisResult::default()
    };
    Content::new("t", "diagnosis").with_payload(result.to_payload())
}

/// A played agent whose two standing tasks are accepted, with these.
fn watching() -> (Play, TaskId, TaskId) {
    let mut play = Play::begin();
    let (first, wireless) = play.next();
    let (second, ip) = play.next();
    assert_eq!(
        (wireless.to.as_str(), ip.to.as_str()),
        ("TMF-wireless-fault", "TMF-ip-fault")
    );
    play.reply(first, Reply::accepted(), 1);
    play.reply(second, Reply::accepted(), 1);
    (play, wireless.task, ip.task)
}

type Rows<'a> = &'a [(&'a str, AlarmType, i64)];

fn tell(play: &mut Play, task: &TaskId, domain: Domain, name: &str, alarms: Rows<'_>, s: i64) {
    let from = match domain {
        Domain::Wireless => "TMF-wireless-fault",
        _ => "TMF-ip-fault",
    };
    let content = incident(name, domain, alarms);
    play.notify(task, from, Status::Processing, content, s);
}

/// The work of a ticket is done.
fn repaired(play: &mut Play, ticket: &Message, s: i64) {
    let repair = Repair::in_content(&ticket.content).unwrap();
    let done = RepairResult {
        ticket_id: repair.ticket_id,
        repaired: true,
        element: repair.element,
        finding: "mended".into(),
    };
    let done = Content::new("x", "done").with_payload(done.to_payload());
    play.notify(&ticket.task, &ticket.to, Status::InputRequired, done, s);
}

/// The answer to a verification: these sites of it are still out.
fn verification(ask: &Message, still_out: &[&str]) -> Reply {
    let sites = VerificationOrder::in_content(&ask.content).unwrap().sites;
    let out: BTreeSet<_> = still_out.iter().map(|e| id(e)).collect();
    let out: BTreeSet<_> = sites.intersection(&out).cloned().collect();
    let result = VerificationResult {
        restored: sites.difference(&out).cloned().collect(),
        still_out: out,
    };
    let content = Content::new("s", "v").with_payload(result.to_payload());
    Reply::new(Verdict::Result, vec![content])
}

/// Standing tasks accepted, both domains have reported a cut duct, a diagnosis is negotiated.
fn suspected() -> (Play, Token, Message) {
    use AlarmType::*;
    let (mut play, wireless, ip) = watching();
    let dark = [
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
        ("link:B-b1", LinkDown, 6),
    ];
    let out = [
        ("site:b1", SiteUnreachable, 80),
        ("site:b2", SiteUnreachable, 85),
        ("site:b3", CellsOutOfService, 90),
    ];
    tell(&mut play, &ip, Domain::Ip, "i", &dark, 40);
    tell(&mut play, &wireless, Domain::Wireless, "w", &out, 120);
    play.pass_until(260);
    let (token, message) = play.next();
    (play, token, message)
}

#[test]
fn a_case_goes_from_incidents_to_verified_service() {
    let (mut play, token, feasible) = suspected();
    assert_eq!(feasible.verb, Verb::FeasibilityNegotiate);
    assert_eq!(feasible.to, "TMF-ip-fault");
    let diagnosis = Diagnosis::in_content(&feasible.content).unwrap();
    assert_eq!(diagnosis.suspicion.target, id("duct:B-1"));
    assert_eq!(diagnosis.suspicion.cause, Cause::DuctCut);
    assert_eq!(diagnosis.since, Some(at(1)));
    assert!(
        diagnosis
            .alternatives
            .iter()
            .any(|s| s.target == id("card:B/1"))
    );
    play.reply(token, Reply::accepted(), 260);
    let (token, assigned) = play.next();
    assert_eq!(
        (assigned.verb, &assigned.task),
        (Verb::TaskAssign, &feasible.task)
    );
    play.reply(token, Reply::accepted(), 261);

    play.notify(
        &assigned.task,
        "TMF-ip-fault",
        Status::InputRequired,
        found(Some(("duct:B-1", Cause::DuctCut))),
        330,
    );
    let (_, judged) = play.next();
    assert_eq!(judged.verb, Verb::FulfillmentNegotiate);
    assert_eq!(judged.content.result.as_deref(), Some("accept"));
    let (token, ticket) = play.next();
    assert_eq!(ticket.to, "TMF-trouble-ticket");
    let repair = Repair::in_content(&ticket.content).unwrap();
    assert_eq!(repair.affected_sites.len(), 4);
    assert!(ticket.content.expected_response.is_some());
    play.reply(token, Reply::accepted(), 331);
    repaired(&mut play, &ticket, 6_000);
    let mut verified = |still_out: &[&str], seconds: i64| {
        let (token, ask) = play.next();
        assert!(!ask.asynchronous);
        play.reply(token, verification(&ask, still_out), seconds);
        play.pass_until(seconds + 60);
    };
    verified(&["site:b4"], 6_001);
    verified(&[], 6_070);
    let (_, accepted) = play.next();
    assert_eq!(
        (accepted.task, accepted.verb),
        (ticket.task, Verb::FulfillmentNegotiate)
    );
    assert_eq!(accepted.content.result.as_deref(), Some("accept"));
    assert!(play.notes.last().unwrap().contains("closed"));
}

#[test]
fn a_refuted_hypothesis_is_followed_by_others_and_then_by_people() {
    let (mut play, token, feasible) = suspected();
    play.reply(token, Reply::accepted(), 260);
    let (token, _) = play.next();
    play.reply(token, Reply::accepted(), 261);
    play.notify(
        &feasible.task,
        "TMF-ip-fault",
        Status::InputRequired,
        found(None),
        330,
    );
    let (_, judged) = play.next();
    let verdict = judged.content.result.unwrap();
    assert!(
        verdict.starts_with("reject") && verdict.contains("card:B/1"),
        "{verdict}"
    );
    play.notify(
        &feasible.task,
        "TMF-ip-fault",
        Status::InputRequired,
        found(None),
        400,
    );
    let (_, judged) = play.next();
    assert_eq!(judged.content.result.as_deref(), Some("accept"));
    // Whatever else is suspected is declined until nothing is left.
    for i in 0..10 {
        let Some((token, message)) = play.sent.pop() else {
            break;
        };
        if message.verb == Verb::TaskAssign {
            assert!(TicketOrder::in_content(&message.content).is_some());
            break;
        }
        assert_eq!(message.verb, Verb::FeasibilityNegotiate);
        play.reply(token, Reply::refused("busy", "", "no"), 500 + i);
    }
    assert!(
        play.notes.iter().any(|n| n.contains("needs people")),
        "{:?}",
        play.notes
    );
}

#[test]
fn a_cause_that_does_not_explain_the_outage_is_rejected() {
    let (mut play, token, feasible) = suspected();
    play.reply(token, Reply::accepted(), 260);
    play.next();
    let beside = found(Some(("link:B-b6", Cause::FibreCut)));
    play.notify(
        &feasible.task,
        "TMF-ip-fault",
        Status::InputRequired,
        beside,
        330,
    );
    let (_, judged) = play.next();
    let verdict = judged.content.result.unwrap();
    assert!(
        verdict.starts_with("reject\n- link:B-b6 explains 0 of 3"),
        "{verdict}"
    );
}

#[test]
fn a_result_from_before_a_restart_opens_its_case_again() {
    let mut play = Play::begin();
    play.sent.clear();
    let task = TaskId::new("oss-fault-1-1");
    let result = found(Some(("duct:B-1", Cause::DuctCut)));
    play.notify(
        &task,
        "TMF-ip-fault",
        Status::InputRequired,
        result.clone(),
        10,
    );
    let verbs: Vec<Verb> = play.sent.iter().map(|(_, m)| m.verb).collect();
    assert_eq!(verbs, [Verb::FulfillmentNegotiate, Verb::TaskAssign]);
    play.sent.clear();
    play.notify(&task, "TMF-ip-fault", Status::InputRequired, result, 11);
    assert!(play.sent.is_empty(), "the same news twice is one");
}

#[test]
fn a_diagnosis_asked_of_the_oss_goes_to_the_domain() {
    let mut play = Play::begin();
    play.sent.clear();
    let outputs = play.agent.step(
        assign("mine", Content::new("x", "What is wrong with link B-b5?")),
        at(5),
        &mut rng(),
    );
    assert_eq!(answer(&outputs).verdict, Verdict::Accepted);
    play.take(outputs);
    let (_, passed_on) = play.next();
    assert_eq!(passed_on.to, "TMF-ip-fault");
    let news = Notification {
        time: at(50),
        task: passed_on.task,
        from: "TMF-ip-fault".into(),
        to: "TMF-oss-fault".into(),
        verb: Verb::TaskResultNotify,
        asynchronous: true,
        status: Status::Finished,
        previous: None,
        start_time: at(5),
        percent: 100,
        content: found(None),
        awaits: None,
        data: None,
    };
    let outputs = play
        .agent
        .step(Input::Notified(Arc::new(news)), at(50), &mut rng());
    assert!(matches!(&outputs[0], Output::Report { task, .. } if task.as_str() == "mine"));
}

#[test]
fn an_alternative_that_explains_the_outage_is_taken_and_assigned_as_it_was_offered() {
    let (mut play, token, feasible) = suspected();
    let offer = |target: &str, cause| {
        let mut diagnosis = Diagnosis::in_content(&feasible.content).unwrap();
        diagnosis.suspicion.target = id(target);
        diagnosis.suspicion.cause = cause;
        Content::new(target, "rather this").with_payload(diagnosis.to_payload())
    };
    let offers = vec![
        offer("link:B-b6", Cause::FibreCut),
        offer("card:B/1", Cause::CardFailure),
    ];
    play.reply(token, Reply::new(Verdict::Offered, offers.clone()), 260);
    let (token, taken) = play.next();
    assert_eq!((taken.verb, taken.round), (Verb::FeasibilityNegotiate, 2));
    assert_eq!(taken.content.result.as_deref(), Some("accept 2"));
    play.reply(token, Reply::accepted(), 261);
    let (_, assigned) = play.next();
    assert_eq!(assigned.task, feasible.task);
    domain::negotiation::fits(&offers[1], &assigned.content).unwrap();
}

#[test]
fn what_could_not_be_the_cause_is_countered_once_and_then_refused() {
    let (mut play, token, feasible) = suspected();
    let beside = || {
        let mut diagnosis = Diagnosis::in_content(&feasible.content).unwrap();
        diagnosis.suspicion.target = id("link:B-b6");
        diagnosis.suspicion.cause = Cause::FibreCut;
        vec![Content::new("link:B-b6", "rather this").with_payload(diagnosis.to_payload())]
    };
    play.reply(token, Reply::new(Verdict::Offered, beside()), 260);
    let (token, counter) = play.next();
    assert_eq!((&counter.task, counter.round), (&feasible.task, 2));
    let asked = Diagnosis::in_content(&counter.content).unwrap();
    assert_ne!(asked.suspicion.target, id("duct:B-1"));
    play.reply(token, Reply::new(Verdict::Offered, beside()), 261);
    let (_, refused) = play.next();
    assert_eq!(refused.round, 3);
    assert!(refused.content.result.unwrap().starts_with("refuse\n- "));
    let (_, next) = play.next();
    assert_ne!(next.task, feasible.task, "the next hypothesis has its turn");
}

/// The case up to its ticket, which has just been sent.
fn ticketed() -> (Play, Token, Message) {
    let (mut play, token, feasible) = suspected();
    play.reply(token, Reply::accepted(), 260);
    let (token, _) = play.next();
    play.reply(token, Reply::accepted(), 261);
    let found = found(Some(("duct:B-1", Cause::DuctCut)));
    let judged = Status::InputRequired;
    play.notify(&feasible.task, "TMF-ip-fault", judged, found, 330);
    play.next();
    let (token, ticket) = play.next();
    (play, token, ticket)
}

#[test]
fn a_decision_is_agreed_to_or_refused_with_every_point_that_is_wrong() {
    let (mut play, token, ticket) = ticketed();
    assert!(ticket.conditions.fulfillment_demanded);
    play.reply(token, Reply::accepted(), 331);
    let mut decision = RepairDecision {
        ticket_id: "TT".into(),
        element: id("duct:X"),
        way: "dig".into(),
        crew: String::new(),
        spares: vec![],
        order_of_work: vec!["dig".into()],
    };
    let mut propose = |decision: &RepairDecision, seconds| {
        let content = Content::new("duct:B-1", "decision").with_payload(decision.to_payload());
        let (status, awaits) = (Status::InputRequired, Some(Awaits::Decision));
        play.tell(
            &ticket.task,
            "TMF-trouble-ticket",
            status,
            awaits,
            content,
            seconds,
        );
        play.next().1.content.result.unwrap()
    };
    assert_eq!(
        propose(&decision, 332),
        "reject\n- duct:B-1 is broken, not duct:X\n- nobody is sent"
    );
    decision.element = id("duct:B-1");
    decision.crew = "two splicers".into();
    assert_eq!(propose(&decision, 333), "accept");
}

fn exists() -> Result<Reply, Undelivered> {
    Err(Undelivered {
        tag: "data-exists".into(),
        message: "the task-id is taken".into(),
    })
}

#[test]
fn a_ticket_from_before_a_restart_is_taken_up_instead_of_opened_again() {
    let (mut play, token, ticket) = ticketed();
    // The platform knows the identifier: this agent has opened the ticket in an earlier life.
    let reply = exists();
    play.input(Input::Replied { token, reply }, 331);
    let (token, query) = play.next();
    assert_eq!(
        (query.verb, &query.task),
        (Verb::TaskResultQuery, &ticket.task)
    );
    let mut state = Reply::accepted();
    state.status = Some(Status::Processing);
    play.reply(token, state, 332);
    assert!(play.sent.is_empty(), "no second ticket");
    repaired(&mut play, &ticket, 6_000);
    let (_, verification) = play.next();
    assert!(VerificationOrder::in_content(&verification.content).is_some());
}

#[test]
fn a_ticket_that_has_ended_was_for_an_earlier_fault() {
    let (mut play, token, ticket) = ticketed();
    let reply = exists();
    play.input(Input::Replied { token, reply }, 331);
    let (token, _) = play.next();
    let mut state = Reply::new(Verdict::Result, vec![]);
    state.status = Some(Status::Finished);
    play.reply(token, state, 332);
    let (_, fresh) = play.next();
    assert_eq!(fresh.verb, Verb::TaskAssign);
    assert_ne!(fresh.task, ticket.task);
    assert_eq!(
        Repair::in_content(&fresh.content).unwrap().element,
        id("duct:B-1")
    );
}

#[test]
fn a_task_of_which_nothing_is_heard_is_asked_how_it_is() {
    let (mut play, token, ticket) = ticketed();
    play.reply(token, Reply::accepted(), 331);
    play.pass_until(362);
    let (_, query) = play.next();
    assert_eq!(
        (query.verb, query.task),
        (Verb::TaskResultQuery, ticket.task)
    );
}

#[test]
fn identifiers_follow_from_the_case_so_that_an_agent_begun_anew_says_the_same() {
    let ids = || {
        let (play, _, ticket) = ticketed();
        drop(play);
        ticket.task
    };
    assert_eq!(ids(), ids());
    assert_eq!(ids().as_str(), "oss-fault-repair-duct:B-1-1");
}
