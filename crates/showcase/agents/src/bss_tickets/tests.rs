//! The one reply, whatever complaint agents do.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{at, rng};
use crate::office::{profile, started_as};
use crate::payloads::complaint::ComplaintBoundary;

fn ticket(language: &str, text: &str) -> Input {
    Input::Telemetry(Telemetry::Ticket(Ticket {
        ticket: "C-7".to_owned(),
        time: at(0),
        from: "Tessaro (North)".to_owned(),
        language: language.to_owned(),
        text: text.to_owned(),
    }))
}

fn told(status: Status, awaits: Option<Awaits>, content: Content) -> Input {
    Input::Notified(Arc::new(Notification {
        time: at(1),
        task: TaskId::new("ticket-C-7"),
        from: profile("complaint-north").name.clone(),
        to: profile("bss-tickets").name.clone(),
        verb: Verb::TaskResultNotify,
        asynchronous: true,
        status,
        previous: Some(Status::Processing),
        start_time: at(0),
        percent: 0,
        content,
        awaits,
        data: None,
    }))
}

fn result(answer: &str, chinese: bool) -> Content {
    let result = TicketResult {
        ticket_id: "C-7".to_owned(),
        in_progress: false,
        boundary: ComplaintBoundary::Outside,
        responsible: Some("Business".to_owned()),
        element: None,
        cause: None,
        forwarded_to: None,
        sub_tickets: vec![],
        answer: answer.to_owned(),
        chinese,
        resolved_at: None,
    };
    Content::new("C-7", "d").with_payload(result.to_payload())
}

fn lines(outputs: &[Output]) -> Vec<String> {
    let line = |o: &Output| match o {
        Output::Send { message, .. } => {
            let word = message.content.result.clone().unwrap_or_default();
            format!("{} {} {word}", message.verb, message.task)
        }
        Output::Act {
            action: Action::TellCustomer { text, question, .. },
            ..
        } => {
            format!("{} {text}", if *question { "asks" } else { "replies" })
        }
        Output::Wake { at: due, .. } => format!("wakes {}", due.seconds_since(at(0))),
        other => format!("{other:?}"),
    };
    outputs.iter().map(line).collect()
}

/// W3, W9: the ticket goes to the home province's agent as text, and the result is validated.
#[test]
fn a_result_in_another_language_is_sent_back_and_then_given_up() {
    let mut bss = started_as("bss-tickets");
    let mut step = |input| lines(&bss.step(input, at(2), &mut rng()));
    assert_eq!(
        step(ticket("zh", "账单多扣了钱")),
        ["wakes 21602", "taskAssgin ticket-C-7 "]
    );
    let judged = step(told(
        Status::InputRequired,
        Some(Awaits::Judgement),
        result("Ask billing.", false),
    ));
    insta::assert_snapshot!(judged.join("\n"), @r"
    FulfillmentNegotiate ticket-C-7 reject
    - the answer is in another language
    ");
    // The agent gives up; the other province's may do better.
    let next = step(told(Status::Failed, None, Content::new("C-7", "no more")));
    assert_eq!(next, ["taskAssgin ticket-C-7/1 "]);
}

#[test]
fn an_accepted_result_is_the_one_reply() {
    let mut bss = started_as("bss-tickets");
    let mut step = |input| lines(&bss.step(input, at(2), &mut rng()));
    step(ticket("en", "my bill is wrong"));
    let judgement = || {
        told(
            Status::InputRequired,
            Some(Awaits::Judgement),
            result("Ask billing.", false),
        )
    };
    assert_eq!(
        step(judgement()),
        [
            "FulfillmentNegotiate ticket-C-7 accept",
            "replies Ask billing."
        ]
    );
    assert_eq!(
        step(judgement()),
        ["FulfillmentNegotiate ticket-C-7 accept"]
    );
    assert!(step(told(Status::Finished, None, result("Ask billing.", false))).is_empty());
    // The same ticket told twice is one ticket.
    assert!(step(ticket("en", "my bill is wrong")).is_empty());
}

#[test]
fn who_waits_too_long_gets_an_apology() {
    let mut bss = started_as("bss-tickets");
    let outputs = bss.step(ticket("en", "offline"), at(0), &mut rng());
    let Output::Wake { token, at: due } = outputs[0] else {
        panic!("{outputs:?}")
    };
    let late = lines(&bss.step(Input::Woken(token), due, &mut rng()));
    assert!(late[0].starts_with("replies We are sorry"), "{late:?}");
    assert_eq!(late[1], "taskCancel ticket-C-7 ");
}

#[test]
fn the_ticket_system_takes_no_tasks() {
    let mut bss = started_as("bss-tickets");
    let asked = crate::bench::assign("t", Content::new("C-8", "handle this"));
    let outputs = bss.step(asked, at(1), &mut rng());
    assert_eq!(
        crate::bench::answer(&outputs).reasons[0].reason,
        "takes-no-tasks"
    );
}

/// What the ticket system remembers of it died; what it gave to a complaint agent did not.
#[test]
fn a_ticket_that_is_told_again_after_a_restart_finds_its_task() {
    let mut bss = started_as("bss-tickets");
    let mut step = |input| bss.step(input, at(2), &mut rng());
    let given = step(ticket("en", "my bill is wrong"));
    let sent = given.iter().find_map(|output| match output {
        Output::Send { token, .. } => Some(*token),
        _ => None,
    });
    let refused = Undelivered {
        tag: EXISTS.to_owned(),
        message: "task ticket-C-7 exists".to_owned(),
    };
    let reply = Err(refused);
    let token = sent.unwrap();
    assert!(step(Input::Replied { token, reply }).is_empty());
    let judged = step(told(
        Status::InputRequired,
        Some(Awaits::Judgement),
        result("Ask billing.", false),
    ));
    assert_eq!(
        lines(&judged),
        [
            "FulfillmentNegotiate ticket-C-7 accept",
            "replies Ask billing."
        ]
    );
}
