//! The whole transition table, and the effects of deadlines and publishers.

#![allow(clippy::unwrap_used)]

use super::*;
use insta::assert_snapshot;

fn said() -> Content {
    Content::new("site-1", "said")
}

fn commands() -> Vec<Command> {
    vec![
        Command::Work {
            percent: 10,
            said: None,
        },
        Command::Block(said()),
        Command::Ask(said()),
        Command::AskCredentials(said()),
        Command::AskFirst(said()),
        Command::Complete(said()),
        Command::Propose(said()),
        Command::Offer {
            result: said(),
            held: false,
        },
        Command::Offer {
            result: said(),
            held: true,
        },
        Command::Release,
        Command::Answer(said()),
        Command::Agree(said()),
        Command::Disagree(said()),
        Command::Revise(said()),
        Command::Accept,
        Command::Reject(said()),
        Command::Fail(said()),
        Command::Refuse(said()),
        Command::Cancel,
        Command::Expire,
        Command::Subscribe(Subscription {
            protocol: "netconf".to_owned(),
            method: "create-subscription".to_owned(),
            url: String::new(),
        }),
    ]
}

fn task(expecting: bool) -> Task {
    let mut content = Content::new("site-1", "diagnose");
    if expecting {
        content = content.expecting("service restored");
    }
    let text = content.render();
    let at = Timestamp::from_ms(1_000);
    Task::assigned(TaskId::new("t"), "a", "b", text, content, true, at)
}

fn at(status: Status, awaits: Option<Awaits>, result: bool) -> Task {
    Task {
        status,
        awaits,
        result: result.then(said),
        ..task(true)
    }
}

/// Every situation that a task can be in: its state, and the thing awaited.
fn situations() -> Vec<(&'static str, Task)> {
    use Awaits::*;
    use Status::*;
    vec![
        ("created", at(Created, None, false)),
        ("processing", at(Processing, None, false)),
        ("blocked", at(Blocked, None, false)),
        ("blocked, result held", at(Blocked, None, true)),
        (
            "input-required, answer",
            at(InputRequired, Some(Answer), false),
        ),
        (
            "input-required, decision",
            at(InputRequired, Some(Decision), false),
        ),
        (
            "input-required, judgement",
            at(InputRequired, Some(Judgement), true),
        ),
        (
            "input-required, completion",
            at(InputRequired, Some(Completion), false),
        ),
        ("auth-required", at(AuthRequired, Some(Credentials), false)),
        ("failed", at(Failed, None, false)),
        ("finished", at(Finished, None, true)),
        ("cancelled", at(Cancelled, None, false)),
        ("rejected", at(Rejected, None, false)),
        ("unconfirmed", at(Unconfirmed, None, true)),
    ]
}

#[test]
fn the_whole_transition_table() {
    let mut table = String::new();
    for (name, task) in situations() {
        let taken = commands().into_iter().filter_map(|c| {
            let name = c.name();
            let event = task.decide(c, Timestamp::from_ms(2_000)).ok()?;
            Some(format!("{name}>{}", event.status))
        });
        table.push_str(&format!("{name}:\n"));
        for command in taken {
            table.push_str(&format!("  {command}\n"));
        }
    }
    assert_snapshot!(table, @r"
    created:
      work>processing
      block>blocked
      ask>input-required
      ask-credentials>auth-required
      ask-first>input-required
      propose>input-required
      offer>input-required
      offer-held>blocked
      revise>created
      fail>failed
      refuse>rejected
      cancel>cancelled
      expire>failed
      subscribe>created
    processing:
      work>processing
      block>blocked
      ask>input-required
      ask-credentials>auth-required
      propose>input-required
      offer>input-required
      offer-held>blocked
      revise>processing
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>processing
    blocked:
      work>processing
      ask>input-required
      ask-credentials>auth-required
      propose>input-required
      offer>input-required
      offer-held>blocked
      revise>blocked
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>blocked
    blocked, result held:
      work>processing
      offer>input-required
      offer-held>blocked
      release>input-required
      revise>blocked
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>blocked
    input-required, answer:
      answer>processing
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>input-required
    input-required, decision:
      agree>processing
      disagree>processing
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>input-required
    input-required, judgement:
      accept>finished
      reject>processing
      fail>failed
      cancel>cancelled
      expire>unconfirmed
      subscribe>input-required
    input-required, completion:
      ask-first>input-required
      complete>created
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>input-required
    auth-required:
      answer>processing
      fail>failed
      cancel>cancelled
      expire>failed
      subscribe>auth-required
    failed:
    finished:
    cancelled:
    rejected:
    unconfirmed:
    ");
}

#[test]
fn without_an_expectation_the_result_was_accepted_beforehand() {
    let offer = Command::Offer {
        result: said(),
        held: false,
    };
    let event = task(false)
        .decide(offer, Timestamp::from_ms(2_000))
        .unwrap();
    assert_eq!(event.status, Status::Finished);
}

#[test]
fn where_fulfillment_is_demanded_a_result_without_it_is_refused() {
    let offer = || Command::Offer {
        result: said(),
        held: false,
    };
    let now = Timestamp::from_ms(2_000);
    let mut task = task(true);
    task.conditions.fulfillment_demanded = true;
    let refused = task.decide(offer(), now).unwrap_err();
    assert_eq!(refused.because, Some(NOT_NEGOTIATED));
    for command in [Command::Propose(said()), Command::Agree(said()), offer()] {
        let event = task.decide(command, now).unwrap();
        task.apply(&event);
    }
    assert_eq!(task.awaits, Some(Awaits::Judgement));
}

#[test]
fn a_silent_publisher_leaves_a_result_unconfirmed_and_a_question_failed() {
    let now = Timestamp::from_ms(2_000);
    let mut asked = task(true);
    asked.conditions.answer_within_ms = Some(500);
    asked.conditions.deadline = Some(Timestamp::from_ms(9_000));
    assert_eq!(asked.due(), Some(Timestamp::from_ms(9_000)));
    let event = asked.decide(Command::Ask(said()), now).unwrap();
    asked.apply(&event);
    assert_eq!(asked.due(), Some(Timestamp::from_ms(2_500)));
    let ended = asked.decide(Command::Expire, now + 500).unwrap();
    assert_eq!(ended.status, Status::Failed);
    let judged = at(Status::InputRequired, Some(Awaits::Judgement), true);
    let ended = judged.decide(Command::Expire, now).unwrap();
    assert_eq!(ended.status, Status::Unconfirmed);
}

#[test]
fn a_clock_that_jumps_back_never_dates_a_change_before_the_last() {
    let task = task(false);
    let event = task.decide(Command::Cancel, Timestamp::from_ms(1)).unwrap();
    assert_eq!(event.at, task.changed_at);
}

proptest::proptest! {
    #[test]
    fn a_terminal_state_is_never_left(picks in proptest::collection::vec(0usize..19, 0..60)) {
        let mut task = task(true);
        let mut ended = None;
        for (i, pick) in picks.into_iter().enumerate() {
            let command = commands().swap_remove(pick);
            if let Ok(event) = task.decide(command, Timestamp::from_ms(2_000 + i as i64)) {
                task.apply(&event);
            }
            if let Some(end) = ended {
                proptest::prop_assert_eq!(task.status, end);
            }
            let waits = matches!(task.status, Status::InputRequired | Status::AuthRequired);
            proptest::prop_assert_eq!(task.awaits.is_some(), waits);
            ended = task.status.is_terminal().then_some(task.status);
        }
    }
}
