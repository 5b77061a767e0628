//! The messages forwarded, the answers given, and the behaviour when the agent is unreachable.

#![allow(clippy::unwrap_used)]

use super::*;
use domain::agent::Briefing;
use domain::notification::Notification;
use domain::profile::{Layer, Profile};
use domain::task::{Awaits, Status};
use rand_chacha::rand_core::SeedableRng;
use std::sync::Arc;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_ms(1_745_245_140_000 + seconds * 1_000)
}

fn step(remote: &mut Remote, input: Input, seconds: i64) -> Vec<Output> {
    remote.step(input, at(seconds), &mut SeededRng::seed_from_u64(1))
}

fn task() -> Arc<Task> {
    let content = Content::new("link-1", "repair it").expecting("light");
    let text = content.render();
    let id = TaskId::new("t");
    let mut task = Task::assigned(id, "oss", "there", text, content, false, at(0));
    task.conditions.parent = Some(TaskId::new("whole"));
    task.conditions.deadline = Some(at(900));
    Arc::new(task)
}

fn asked(verb: Verb, turn: Option<(Kind, Stance)>) -> Input {
    let task = task();
    Input::Asked(Ask {
        verb,
        from: task.from.clone(),
        content: task.content.clone(),
        alternatives: Vec::new(),
        alternative: None,
        task,
        round: 2,
        turn,
    })
}

/// The answer and the one message that is forwarded.
fn passed_on(outputs: &[Output]) -> (Verdict, Token, Message) {
    match outputs {
        [Output::Answer(reply), Output::Send { token, message }] => {
            (reply.verdict, *token, message.clone())
        }
        other => panic!("{other:?}"),
    }
}

fn assigned() -> (Remote, Token) {
    let mut remote = Remote::new("there");
    let outputs = step(&mut remote, asked(Verb::TaskAssign, None), 1);
    let (_, token, _) = passed_on(&outputs);
    (remote, token)
}

fn unreachable() -> Result<Reply, Undelivered> {
    Err(Undelivered {
        tag: UNREACHABLE.to_owned(),
        message: "nobody there".to_owned(),
    })
}

/// The kinds of outputs, each in one word.
fn said(outputs: &[Output]) -> Vec<&'static str> {
    let word = |output: &Output| match output {
        Output::Report { progress, .. } => match progress {
            Progress::Working { .. } => "working",
            Progress::Blocked(_) => "blocked",
            Progress::InputRequired(_) => "asks",
            Progress::AuthRequired(_) => "asks for credentials",
            Progress::Result(_) => "result",
            Progress::Failed(_) => "failed",
            Progress::Refused(_) => "refused",
        },
        Output::Speak { speech, .. } => speech.stance.as_str(),
        Output::Send { .. } => "sends",
        Output::Wake { .. } => "wakes",
        _ => "other",
    };
    outputs.iter().map(word).collect()
}

fn news(previous: Status, status: Status, awaits: Option<Awaits>) -> Input {
    Input::Notified(Arc::new(Notification {
        time: at(5),
        task: TaskId::new("t"),
        from: "there".to_owned(),
        to: "platform".to_owned(),
        verb: Verb::TaskResultNotify,
        asynchronous: true,
        status,
        previous: Some(previous),
        start_time: at(1),
        percent: 50,
        content: Content::new("link-1", "news"),
        awaits,
        data: None,
    }))
}

#[test]
fn an_assignment_is_passed_on_without_what_only_this_platform_knows() {
    let mut remote = Remote::new("there");
    let outputs = step(&mut remote, asked(Verb::TaskAssign, None), 1);
    let (verdict, token, message) = passed_on(&outputs);
    assert_eq!(verdict, Verdict::Pending);
    assert_eq!(
        (message.to.as_str(), message.verb),
        ("there", Verb::TaskAssign)
    );
    assert!(message.asynchronous, "its end is told by notification");
    assert_eq!(message.conditions.deadline, Some(at(900)));
    assert_eq!(message.conditions.parent, None);
    let reply = Ok(Reply::accepted());
    let outputs = step(&mut remote, Input::Replied { token, reply }, 2);
    assert_eq!(said(&outputs), ["working"]);
}

#[test]
fn what_the_agent_tells_is_said_and_what_its_publisher_caused_is_not() {
    use Status::*;
    let waits = |awaits| (Processing, InputRequired, Some(awaits));
    for ((previous, status, awaits), expected) in [
        ((Created, Processing, None), &["working"] as &[&str]),
        ((Processing, Blocked, None), &["blocked"]),
        (waits(Awaits::Answer), &["asks"]),
        (waits(Awaits::Decision), &["offer"]),
        (waits(Awaits::Judgement), &["result"]),
        (
            (Processing, AuthRequired, Some(Awaits::Credentials)),
            &["asks for credentials"],
        ),
        ((InputRequired, Processing, None), &[]),
        ((Processing, Finished, None), &["result"]),
        ((Processing, Failed, None), &["failed"]),
        ((Created, Rejected, None), &["refused"]),
    ] {
        let (mut remote, _) = assigned();
        let outputs = step(&mut remote, news(previous, status, awaits), 5);
        assert_eq!(said(&outputs), expected, "{previous} to {status}");
    }
    let mut stranger = Remote::new("there");
    assert!(step(&mut stranger, news(Created, Finished, None), 5).is_empty());
}

#[test]
fn what_cannot_be_delivered_is_tried_again_until_the_task_has_ended() {
    let (mut remote, token) = assigned();
    let mut now = 1;
    let mut pauses = Vec::new();
    for _ in 0..9 {
        let reply = unreachable();
        let outputs = step(&mut remote, Input::Replied { token, reply }, now);
        let [
            Output::Wake {
                at: due,
                token: again,
            },
        ] = outputs[..]
        else {
            panic!("{outputs:?}")
        };
        assert_eq!(again, token);
        pauses.push((due - at(now)) / 1_000);
        now += pauses[pauses.len() - 1];
        let outputs = step(&mut remote, Input::Woken(token), now);
        assert_eq!(said(&outputs), ["sends"]);
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    let outputs = step(&mut remote, asked(Verb::TaskCancel, None), now);
    let (_, _, cancel) = passed_on(&outputs);
    assert_eq!(cancel.verb, Verb::TaskCancel);
    assert!(step(&mut remote, Input::Woken(token), now).is_empty());
    let late = news(Status::Processing, Status::Finished, None);
    assert!(step(&mut remote, late, now).is_empty());
}

#[test]
fn what_the_agents_platform_refuses_has_failed() {
    let (mut remote, token) = assigned();
    let reply = Err(Undelivered {
        tag: "access-denied".to_owned(),
        message: "no".to_owned(),
    });
    let outputs = step(&mut remote, Input::Replied { token, reply }, 2);
    assert_eq!(said(&outputs), ["failed"]);
}

#[test]
fn an_offer_is_answered_when_the_agent_has_answered() {
    let offer = |kind| Some((kind, Stance::Offer));
    for (verb, kind) in [
        (Verb::FeasibilityNegotiate, Kind::Feasibility),
        (Verb::FulfillmentNegotiate, Kind::Fulfillment),
    ] {
        for (reply, expected) in [
            (Ok(Reply::accepted()), &["accept"] as &[&str]),
            (Ok(Reply::refused("busy", "", "no")), &["refuse"]),
            (
                Ok(Reply::new(Verdict::Offered, vec![task().content.clone()])),
                &["offer"],
            ),
            (Ok(Reply::new(Verdict::Pending, Vec::new())), &[]),
            (unreachable(), &["wakes"]),
        ] {
            let mut remote = Remote::new("there");
            let outputs = step(&mut remote, asked(verb, offer(kind)), 1);
            let (verdict, token, message) = passed_on(&outputs);
            assert_eq!((verdict, message.round), (Verdict::Pending, 2));
            let outputs = step(&mut remote, Input::Replied { token, reply }, 2);
            assert_eq!(said(&outputs), expected);
        }
    }
    // An agent that stays away has refused.
    let mut remote = Remote::new("there");
    let outputs = step(
        &mut remote,
        asked(Verb::FeasibilityNegotiate, offer(Kind::Feasibility)),
        1,
    );
    let (_, token, _) = passed_on(&outputs);
    let words = (0..10).flat_map(|_| {
        let reply = unreachable();
        said(&step(&mut remote, Input::Replied { token, reply }, 2))
    });
    let words: Vec<_> = words.collect();
    assert_eq!(
        words[..7],
        [
            "wakes", "wakes", "wakes", "wakes", "wakes", "wakes", "refuse"
        ]
    );
}

#[test]
fn a_refusal_of_an_assignment_is_one_here() {
    let (mut remote, token) = assigned();
    let reply = Ok(Reply::refused("busy", "", "not today"));
    let outputs = step(&mut remote, Input::Replied { token, reply }, 2);
    match &outputs[..] {
        [
            Output::Report {
                progress: Progress::Refused(why),
                ..
            },
        ] => assert_eq!(why.task_description, "not today"),
        other => panic!("{other:?}"),
    }
}

/// The request forwarded to an agent elsewhere, modified.
fn put(verb: Verb, turn: (Kind, Stance), change: impl FnOnce(&mut Ask)) -> Input {
    match asked(verb, Some(turn)) {
        Input::Asked(mut ask) => {
            change(&mut ask);
            Input::Asked(ask)
        }
        other => other,
    }
}

#[test]
fn every_alternative_is_passed_on_and_which_is_taken_comes_back() {
    let further = vec![Content::new("link-1", "by night"), Content::new("l", "no")];
    for (told, taken) in [(Some(3), 3), (None, 1)] {
        let mut remote = Remote::new("there");
        let offer = (Kind::Feasibility, Stance::Offer);
        let offered = put(Verb::FeasibilityNegotiate, offer, |ask| {
            ask.alternatives = further.clone();
        });
        let outputs = step(&mut remote, offered, 1);
        let (_, token, message) = passed_on(&outputs);
        assert_eq!(message.alternatives, further);
        let reply = Ok(Reply {
            alternative: told,
            ..Reply::accepted()
        });
        let outputs = step(&mut remote, Input::Replied { token, reply }, 2);
        match &outputs[..] {
            [Output::Speak { speech, .. }] => assert_eq!(speech.alternative, Some(taken)),
            other => panic!("{other:?}"),
        }
    }
    let (mut remote, _) = assigned();
    let accepted = (Kind::Fulfillment, Stance::Accept);
    let accepted = put(Verb::FulfillmentNegotiate, accepted, |ask| {
        ask.alternative = Some(2);
    });
    let outputs = step(&mut remote, accepted, 3);
    let (_, _, message) = passed_on(&outputs);
    assert_eq!(message.alternative, Some(2));
}

#[test]
fn judgements_and_answers_are_passed_on_and_noted() {
    for turn in [
        None,
        Some((Kind::Result, Stance::Accept)),
        Some((Kind::Result, Stance::Refuse)),
        Some((Kind::Fulfillment, Stance::Accept)),
    ] {
        let (mut remote, _) = assigned();
        let outputs = step(&mut remote, asked(Verb::FulfillmentNegotiate, turn), 3);
        let (verdict, _, message) = passed_on(&outputs);
        assert_eq!(verdict, Verdict::Accepted);
        assert_eq!(message.verb, Verb::FulfillmentNegotiate);
    }
}

#[test]
fn after_a_restart_open_tasks_are_assigned_again_and_asked_how_they_are() {
    let mut remote = Remote::new("there");
    let briefing = Briefing {
        own: Arc::new(profile()),
        roster: Vec::new(),
        inventory: Arc::default(),
        open: vec![task()],
    };
    let outputs = step(&mut remote, Input::Started(briefing), 0);
    let [Output::Send { token, message }] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!(
        (message.verb, message.task.as_str()),
        (Verb::TaskAssign, "t")
    );
    // The reply is that of the first time.
    let (token, reply) = (*token, Ok(Reply::accepted()));
    let outputs = step(&mut remote, Input::Replied { token, reply }, 1);
    let [Output::Send { token, message }] = &outputs[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!(message.verb, Verb::TaskResultQuery);
    let mut state = Reply::new(Verdict::Result, vec![task().content.clone()]);
    state.status = Some(Status::InputRequired);
    let (token, reply) = (*token, Ok(state));
    let outputs = step(&mut remote, Input::Replied { token, reply }, 2);
    assert_eq!(said(&outputs), ["result"]);
}

fn profile() -> Profile {
    Profile {
        name: "there".to_owned(),
        alias: None,
        description: String::new(),
        agent_type: None,
        version: "1".to_owned(),
        provider: String::new(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Default::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    }
}

/// The agent's own name of a task is sent back with messages about it, after a restart too.
#[test]
fn what_the_task_is_called_there_is_sent_back() {
    let mut told = Task::clone(&task());
    let mut said = Content::new("link-1", "on the way");
    said.others
        .push((REMOTE_SECTION.to_owned(), "\"there-1\"".to_owned()));
    told.said = Some(said);
    let mut remote = Remote::new("there");
    let outputs = remote.remind(&told);
    let Output::Send { message, .. } = outputs else {
        panic!("{outputs:?}")
    };
    assert_eq!(message.content.section(REMOTE_SECTION), Some("\"there-1\""));
    let (_, _, first) = passed_on(&step(&mut remote, asked(Verb::TaskAssign, None), 1));
    assert_eq!(first.content.section(REMOTE_SECTION), None);
}
