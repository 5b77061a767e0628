//! What is said again, and what comes late.

use super::*;
use domain::negotiation::RequestKey;
use engine::ForwardedRequest;

#[test]
fn an_executor_sees_every_alternative_and_says_which_it_takes() {
    let stage = stage(|ask| {
        assert_eq!(ask.content, words("by day"));
        assert_eq!(ask.alternatives, [words("by night"), words("never")]);
        vec![Output::Answer(Reply {
            alternative: Some(2),
            ..Reply::accepted()
        })]
    });
    let texts = ["by day", "by night", "never"].map(|w| words(w).render());
    let proposal = Negotiate {
        texts: texts.to_vec(),
        ..message(Verb::FeasibilityNegotiate, "t", "")
    };
    let reply = stage.say("operator", proposal.clone()).unwrap();
    assert_eq!(reply.alternative, Some(2));
    assert_eq!(stage.say("operator", proposal), Ok(reply));
    let agreed = stage.negotiation("t", Kind::Feasibility);
    assert_eq!(agreed.agreement(), Some(&words("by night")));
}

/// Whatever was reported of a task meanwhile, the last answer to a question of it is looked up in a few
/// steps: nobody else can decide anything until it is found.
#[test]
fn an_answer_is_found_among_any_number_of_versions() {
    let folder = tempfile::tempdir().unwrap();
    let stage = in_folder(folder.path(), Limits::default());
    stage.register("out");
    let given = Negotiate {
        to: Some("out".to_owned()),
        ..assignment("t", JOB)
    };
    stage.say("noc", given).unwrap();
    let report = |section: &str| {
        let report = Negotiate {
            to: None,
            ..message(Verb::TaskResultNotify, "t", &format!("{JOB}\n## {section}"))
        };
        stage.say("out", report).unwrap()
    };
    let say = |stage: &Stage, text: &str| {
        let word = Negotiate {
            to: Some("out".to_owned()),
            ..message(Verb::FulfillmentNegotiate, "t", text)
        };
        stage.say("noc", word)
    };
    for n in 0..12 {
        report(&format!("status\ninput-required\n## n\n{n}"));
        say(&stage, &format!("{JOB}{n}")).unwrap();
    }
    for n in 0..300 {
        report(&format!("progress\n{} % {n}", n % 100));
    }
    stage.flush();
    drop(stage);
    let stage = in_folder(folder.path(), Limits::default());
    let reads = || stage.engine.store().statistics().reads;
    let before = reads();
    let refused = say(&stage, &format!("{JOB}\n## result\naccept"));
    assert!(refused.is_err(), "{refused:?}");
    let taken = reads() - before;
    assert!(taken < 10, "{taken} reads");
    // The last answer, said again, is known.
    let again = say(&stage, &format!("{JOB}11"));
    assert!(again.is_ok(), "{again:?}");
    let long_ago = say(&stage, &format!("{JOB}7\n## result\naccept"));
    assert!(long_ago.is_err(), "{long_ago:?}");
}

/// The next leader is given what the one before may have taken: the answer to the question before is not taken for the
/// answer to this one, and any other words are.
#[test]
fn what_may_have_been_the_answer_before_is_not_the_answer_to_what_is_asked_since() {
    let folder = tempfile::tempdir().unwrap();
    let asks = |stage: &Stage, what: &str| {
        let asked = Negotiate {
            to: None,
            ..message(
                Verb::TaskResultNotify,
                "t",
                &format!("{JOB}\n## status\ninput-required\n## n\n{what}"),
            )
        };
        stage.say("out", asked).unwrap();
    };
    let says = |stage: &Stage, text: &str, in_doubt: bool| {
        let key = RequestKey {
            connection: 7,
            offset: 0,
        };
        let word = Negotiate {
            to: Some("out".to_owned()),
            request: Some(ForwardedRequest { key, in_doubt }),
            ..message(Verb::FulfillmentNegotiate, "t", &format!("{JOB}{text}"))
        };
        stage.say("noc", word)
    };
    let first = in_folder(folder.path(), Limits::default());
    first.register("out");
    let given = Negotiate {
        to: Some("out".to_owned()),
        ..assignment("t", JOB)
    };
    first.say("noc", given).unwrap();
    asks(&first, "which end?");
    says(&first, "the far one", false).unwrap();
    asks(&first, "which card?");
    first.flush();
    drop(first);

    let next = in_folder(folder.path(), Limits::default());
    let again = says(&next, "the far one", true);
    let conflict = Refusal::Conflict(Conflict::MaybeAnswered {
        task: TaskId::new("t"),
    });
    assert_eq!(again, Err(conflict));
    assert_eq!(next.task("t").status, Status::InputRequired);
    says(&next, "the first one", true).unwrap();
    assert_ne!(next.task("t").status, Status::InputRequired);
    // What nobody had before is meant, whatever was said last.
    asks(&next, "and then?");
    says(&next, "the first one", false).unwrap();
    assert_ne!(next.task("t").status, Status::InputRequired);
}

/// A task without an identifier, and reports behind each other, that a leader which was lost had taken: the next one
/// finds them.
#[test]
fn what_a_lost_leader_had_taken_is_found_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let forwarded = |offset: u64, in_doubt: bool| {
        let connection = 7;
        let key = RequestKey { connection, offset };
        Some(ForwardedRequest { key, in_doubt })
    };
    let assign = |stage: &Stage, offset: u64, in_doubt: bool| {
        let unnamed = Negotiate {
            task: None,
            to: Some("out".to_owned()),
            request: forwarded(offset, in_doubt),
            ..assignment("", JOB)
        };
        stage.say("noc", unnamed).unwrap().task.unwrap()
    };
    let report = |stage: &Stage, id: &TaskId, percent: u32, in_doubt: bool| {
        let report = Negotiate {
            to: None,
            request: forwarded(1_000 + u64::from(percent), in_doubt),
            ..message(
                Verb::TaskResultNotify,
                id.as_str(),
                &format!("{JOB}\n## progress\n{percent} %"),
            )
        };
        stage.say("out", report).unwrap()
    };
    let first = in_folder(folder.path(), Limits::default());
    first.register("out");
    let taken = assign(&first, 100, false);
    report(&first, &taken, 10, false);
    report(&first, &taken, 20, false);
    first.flush();
    let version = first.task(taken.as_str()).version;
    drop(first);

    let next = in_folder(folder.path(), Limits::default());
    assert_eq!(assign(&next, 100, true), taken);
    report(&next, &taken, 10, true);
    report(&next, &taken, 20, true);
    assert_eq!(next.task(taken.as_str()).version, version);
    // What it had not taken is done.
    report(&next, &taken, 30, true);
    assert_eq!(next.task(taken.as_str()).version, version + 1);
    assert_ne!(assign(&next, 200, true), taken);
}

/// The platform was down when the time for an answer was over: there is a little time left.
#[test]
fn who_owes_an_answer_has_a_grace_after_the_platform_was_down_and_a_deadline_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let at = |s: i64| Timestamp::from_ms(1_000_000 + s * 1_000);
    let open_at = |now: Timestamp| {
        let store = store::Options {
            synchronous_full: false,
            ..store::Options::file(folder.path().join("convoke.db"))
        };
        let result = |_: &Ask| {
            vec![Output::Answer(Reply::new(
                Verdict::Result,
                vec![words("x")],
            ))]
        };
        open_from("worker", store, Limits::default(), now, result)
    };
    let first = open_at(at(0));
    first.register("out");
    for (id, within) in [("long", 600_000), ("short", 10_000)] {
        let judged = Negotiate {
            answer_within_ms: Some(within),
            ..assignment(id, EXPECTING)
        };
        first.say("operator", judged).unwrap();
        let asked = Negotiate {
            to: Some("out".to_owned()),
            answer_within_ms: Some(within),
            ..message(Verb::FeasibilityNegotiate, &format!("{id}-plan"), JOB)
        };
        drop(first.begin("operator", asked));
    }
    let dated = Negotiate {
        to: Some("out".to_owned()),
        deadline: Some(at(600)),
        ..assignment("dated", JOB)
    };
    first.say("operator", dated).unwrap();
    drop(first);
    let mut second = open_at(at(10_000));
    let state = |stage: &Stage, id: &str| {
        let plan = format!("{id}-plan");
        let open = stage.negotiation(&plan, Kind::Feasibility).is_open();
        (stage.task(id).status == Status::InputRequired, open)
    };
    second.pass(9_999);
    assert_eq!(second.task("dated").status, Status::Failed);
    assert_eq!(state(&second, "short"), (true, true));
    second.pass(1);
    assert_eq!(state(&second, "short"), (false, false));
    second.pass(49_999);
    assert_eq!(state(&second, "long"), (true, true));
    let told = Negotiate {
        to: Some("operator".to_owned()),
        ..message(Verb::FeasibilityNegotiate, "long-plan", ACCEPT)
    };
    second.say("out", told).unwrap();
    second.pass(1);
    assert_eq!(second.task("long").status, Status::Unconfirmed);
    let agreed = second.negotiation("long-plan", Kind::Feasibility);
    assert_eq!(agreed.state, State::Agreed);
}

#[test]
fn the_log_begins_where_it_was_cut() {
    let mut stage = stage(|_| vec![answer(Verdict::Refused)]);
    let feed = Arc::clone(stage.engine.feed());
    stage.say("operator", assignment("a", JOB)).unwrap();
    assert_eq!(feed.began(), Some(stage.now));
    stage.pass(10_000);
    stage.say("operator", assignment("b", JOB)).unwrap();
    let second = stage.now;
    stage.flush();
    let trim = |stage: &Stage| {
        stage.flush();
        wait(stage.engine.trim(stage.now)).unwrap()
    };
    stage.pass(RETAINED_MS - 5_000);
    assert!(trim(&stage).entries > 0);
    assert_eq!(feed.began(), Some(second));
    stage.pass(10_000);
    trim(&stage);
    assert_eq!(feed.began(), None);
    stage.say("operator", assignment("c", JOB)).unwrap();
    assert_eq!(feed.began(), Some(stage.now));
}
