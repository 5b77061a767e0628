//! What one user may have, and that others have theirs beside.

use super::*;
use domain::push::PushConfig;
use domain::registry::Health;
use engine::query::{AllTasks, ExchangePage, PartsOf, TaskCount, TaskPage};
use engine::refusal::{InvalidInput, OverLimit};
use engine::{KeepPush, Quotas, RenewLease, TaskFilter, UserLimits};

fn limits(usual: UserLimits) -> Limits {
    Limits {
        users: usual.into(),
        ..Limits::default()
    }
}

fn tasks_open(refused: Result<Reply, Refusal>) {
    assert!(
        matches!(
            refused,
            Err(Refusal::OverLimit(OverLimit::TasksOpen { .. }))
        ),
        "{refused:?}"
    );
}

/// Decisions run ahead of the disk, and so does the count: whoever does not wait for replies gets no
/// more than who does.
#[test]
fn a_publisher_has_so_much_open_whether_it_is_on_disk_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let three = UserLimits {
        tasks_open: 3,
        ..UserLimits::default()
    };
    let users = Quotas {
        usual: three,
        named: BTreeMap::from([("operator".to_owned(), UserLimits::default())]),
    };
    let limits = Limits {
        users,
        ..Limits::default()
    };
    let stage = in_folder(folder.path(), limits.clone());
    stage.register("out");
    // It has not answered yet.
    let proposal = |id: &str| Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FeasibilityNegotiate, id, JOB)
    };
    let _proposed = stage.begin("noc", proposal("p1"));
    let assigned = ["t1", "t2"].map(|id| {
        let assignment = assignment(id, JOB);
        stage.begin("noc", assignment)
    });
    tasks_open(stage.say("noc", assignment("t3", JOB)));
    tasks_open(stage.say("noc", proposal("p2")));
    for assigned in assigned {
        outcome(assigned).unwrap();
    }
    stage.say("noc", assignment("t1", JOB)).unwrap();
    for n in 0..10 {
        let id = format!("o{n}");
        stage.say("operator", assignment(&id, JOB)).unwrap();
    }
    let usage = stage.engine.usage();
    let noc = usage.iter().find(|usage| usage.name == "noc").unwrap();
    assert_eq!((noc.tasks_open, noc.refused), (3, 2));
    stage.flush();
    drop(stage);
    let stage = in_folder(folder.path(), limits);
    tasks_open(stage.say("noc", assignment("t3", JOB)));
    stage
        .say("noc", message(Verb::TaskCancel, "t1", ""))
        .unwrap();
    stage.say("noc", assignment("t3", JOB)).unwrap();
    tasks_open(stage.say("noc", assignment("t4", JOB)));
}

/// What is written in words and in data drains off with time; who only asks or takes back is not
/// kept from it, and nothing is kept of what is refused.
#[test]
fn a_user_writes_so_much_at_once_and_so_much_a_second() {
    let usual = UserLimits {
        write_bytes_s: 1_000,
        write_burst_bytes: 5_000,
        ..UserLimits::default()
    };
    let mut stage = open(store::Options::memory(), limits(usual), |_| {
        vec![answer(Verdict::Accepted)]
    });
    let write = |stage: &Stage, who: &str, id: &str| stage.run(who, inline(id, "12345"));
    let long = format!("{JOB}{}", " ".repeat(4_995 - JOB.len()));
    stage.say("noc", assignment("t", &long)).unwrap();
    write(&stage, "noc", "a").unwrap();
    let wait_ms = match write(&stage, "noc", "b") {
        Err(Refusal::OverLimit(OverLimit::TooFast { wait_ms, .. })) => wait_ms,
        other => panic!("{other:?}"),
    };
    assert_eq!(wait_ms, 5, "five bytes at a byte a millisecond");
    assert!(!stage.reads("noc", "b"));
    write(&stage, "guest", "c").unwrap();
    stage
        .say("noc", message(Verb::TaskCancel, "t", ""))
        .unwrap();
    stage.pass(4);
    assert!(write(&stage, "noc", "b").is_err());
    stage.pass(1);
    write(&stage, "noc", "b").unwrap();
}

/// What is open is in memory: how much that is counts beside how many there are, and gives way when it
/// ends. Whoever says more than fits into one message is told where that belongs.
#[test]
fn what_is_open_says_so_much_and_one_message_so_much() {
    let usual = UserLimits {
        held_bytes: 40_000,
        ..UserLimits::default()
    };
    let stage = open(store::Options::memory(), limits(usual), |_| {
        vec![answer(Verdict::Accepted)]
    });
    let long = format!("{JOB}{}", "x".repeat(4_000));
    stage.say("noc", assignment("a", &long)).unwrap();
    stage.say("noc", assignment("b", &long)).unwrap();
    let refused = stage.say("noc", assignment("c", &long));
    assert!(
        matches!(
            refused,
            Err(Refusal::OverLimit(OverLimit::TasksHeld {
                most: 10_000,
                ..
            }))
        ),
        "{refused:?}"
    );
    stage.say("guest", assignment("d", &long)).unwrap();
    stage
        .say("noc", message(Verb::TaskCancel, "a", ""))
        .unwrap();
    stage.say("noc", assignment("c", &long)).unwrap();
    let too_long = format!("{JOB}{}", "x".repeat(1 << 20));
    let refused = stage.say("guest", assignment("e", &too_long));
    assert!(
        matches!(refused, Err(Refusal::OverLimit(OverLimit::TooBig { .. }))),
        "{refused:?}"
    );
}

/// An answer is on record like the question: a long one counts as written by who asked.
#[test]
fn long_answers_count_as_written() {
    let usual = UserLimits {
        write_bytes_s: 1_000,
        write_burst_bytes: 15_000,
        ..UserLimits::default()
    };
    let mut stage = open(store::Options::memory(), limits(usual), |_| {
        let done = Content::new("link", "x".repeat(9_000)).with_result("done");
        vec![Output::Answer(Reply::new(Verdict::Result, vec![done]))]
    });
    let query = || message(Verb::TaskResultQuery, "t", "");
    // Its answer says what came of it, as do those to the questions.
    stage.say("noc", assignment("t", JOB)).unwrap();
    stage.say("noc", query()).unwrap();
    let refused = stage.say("noc", query());
    assert!(
        matches!(refused, Err(Refusal::OverLimit(OverLimit::TooFast { .. }))),
        "{refused:?}"
    );
    stage.pass(20_000);
    stage.say("noc", query()).unwrap();
}

/// A turn writes its negotiation anew, all turns of it, and a word the task: both count as written.
#[test]
fn what_a_short_word_writes_anew_counts_as_written() {
    let usual = UserLimits {
        write_bytes_s: 1,
        write_burst_bytes: 100_000,
        ..UserLimits::default()
    };
    let stage = open(store::Options::memory(), limits(usual), |_| {
        vec![answer(Verdict::Refused)]
    });
    let proposal = |text: &str| message(Verb::FeasibilityNegotiate, "p", text);
    let long = format!("{JOB}{}", "x".repeat(30_000));
    stage.say("noc", proposal(&long)).unwrap();
    let reopened = (0..10).map(|n| stage.say("noc", proposal(&format!("{JOB}{n}"))));
    let refused = reopened.take_while(Result::is_ok).count();
    assert!((1..3).contains(&refused), "{refused} times 30 kB anew");
    let refused = stage.say("noc", proposal(JOB));
    assert!(
        matches!(refused, Err(Refusal::OverLimit(OverLimit::TooFast { .. }))),
        "{refused:?}"
    );
    stage.register("out");
    let given = Negotiate {
        to: Some("out".to_owned()),
        ..assignment("t", &long)
    };
    stage.say("guest", given).unwrap();
    let report = |n: usize| Negotiate {
        to: None,
        ..message(
            Verb::TaskResultNotify,
            "t",
            &format!("{JOB}\n## progress\n{n} %"),
        )
    };
    let taken = (1..10).map(|n| stage.say("out", report(n)));
    let taken = taken.take_while(Result::is_ok).count();
    assert!((2..4).contains(&taken), "{taken} times 30 kB anew");
}

/// So does a place that is renewed, with all that its agent says of itself. It is renewed all the same.
#[test]
fn a_renewal_writes_the_place_anew() {
    let usual = UserLimits {
        write_bytes_s: 1,
        write_burst_bytes: 50_000,
        ..UserLimits::default()
    };
    let stage = open(store::Options::memory(), limits(usual), |_| Vec::new());
    let described = Profile {
        description: "x".repeat(20_000),
        ..profile("out")
    };
    let register = RegisterAgent {
        profile: described,
        reach: Reach::Client,
        lease_ms: 3_600_000,
    };
    stage.run("out", register).unwrap();
    let write = |id: &str| stage.run("out", inline(id, "12345"));
    write("a").unwrap();
    for _ in 0..3 {
        let renew = RenewLease {
            name: None,
            health: Health::Ok,
            note: String::new(),
        };
        stage.run("out", renew).unwrap();
    }
    let refused = write("b");
    assert!(
        matches!(refused, Err(Refusal::OverLimit(OverLimit::TooFast { .. }))),
        "{refused:?}"
    );
}

/// Those that are not on disk yet count among the configurations that one may have for a task.
#[test]
fn a_task_is_told_by_so_many_configurations_whether_they_are_on_disk_or_not() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.say("noc", assignment("t", JOB)).unwrap();
    stage.flush();
    let keep_at = |id: String, url: &str| {
        let config = PushConfig {
            task: TaskId::new("t"),
            owner: "noc".to_owned(),
            id,
            url: url.to_owned(),
            token: None,
            authentication: None,
            version: "1.0".to_owned(),
            since: 0,
        };
        stage.begin("noc", KeepPush(config))
    };
    let keep = |id| keep_at(id, "https://hook.example/");
    let begun: Vec<Execution<_>> = (0..100).map(|n| keep(n.to_string())).collect();
    let kept = begun.into_iter().map(outcome).filter(Result::is_ok).count();
    assert_eq!(kept, PushConfig::MOST);
    assert!(outcome(keep("0".to_owned())).is_ok(), "in place of itself");
    let far = format!("https://hook.example/{}", "x".repeat(2_048));
    let refused = outcome(keep_at("0".to_owned(), &far));
    assert!(
        matches!(
            refused,
            Err(Refusal::InvalidInput(InvalidInput::Undeliverable { .. }))
        ),
        "{refused:?}"
    );
}

/// What is said of something open, by whomever, is its publisher's as well: beyond what may be held, only
/// short words are taken, with which it can end.
#[test]
fn what_is_said_of_what_is_open_counts_with_it() {
    let usual = UserLimits {
        held_bytes: 40_000,
        ..UserLimits::default()
    };
    let stage = open(store::Options::memory(), limits(usual), |_| {
        vec![answer(Verdict::Accepted)]
    });
    stage.register("out");
    for id in ["a", "b", "c"] {
        let given = Negotiate {
            to: Some("out".to_owned()),
            ..assignment(id, JOB)
        };
        stage.say("noc", given).unwrap();
    }
    let said = |verb, id: &str, section: &str| Negotiate {
        to: None,
        ..message(verb, id, &format!("{JOB}\n## {section}"))
    };
    let long = "x".repeat(6_000);
    let report = |id: &str| said(Verb::TaskResultNotify, id, &format!("progress\n1 % {long}"));
    stage.say("out", report("a")).unwrap();
    stage.say("out", report("c")).unwrap();
    let held = |refused: Result<Reply, Refusal>| {
        let is_held = matches!(&refused, Err(Refusal::OverLimit(OverLimit::TasksHeld { user, .. })) if user == "noc");
        assert!(is_held, "{refused:?}");
    };
    let longer = format!("progress\n2 % {long}");
    held(stage.say("out", said(Verb::TaskResultNotify, "a", &longer)));
    let plan = |who: &str| {
        let to = (who == "noc").then(|| "out".to_owned());
        let plan = Negotiate {
            to,
            ..message(Verb::FulfillmentNegotiate, "a", JOB)
        };
        stage.say(who, plan)
    };
    held(plan("noc"));
    held(plan("out"));
    // A question has its short answer, though that is neither consent nor refusal.
    let asks = said(Verb::TaskResultNotify, "b", "status\ninput-required");
    stage.say("out", asks).unwrap();
    let answers = |text: &str| Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FulfillmentNegotiate, "b", &format!("{JOB}{text}"))
    };
    held(stage.say("noc", answers(&long)));
    stage.say("noc", answers("red")).unwrap();
    // A short report is taken, and what ends the task, however long: its result too.
    let short = said(Verb::TaskResultNotify, "a", "progress\n2 %");
    stage.say("out", short).unwrap();
    plan("noc").unwrap();
    let result = said(Verb::TaskResultNotify, "b", &format!("result\n{long}"));
    stage.say("out", result).unwrap();
    assert_eq!(stage.task("b").status, Status::Finished);
}

/// Who goes on with a feasibility that is open adds to it as who begins one.
#[test]
fn an_open_feasibility_is_no_way_past_what_may_be_held() {
    let usual = UserLimits {
        held_bytes: 40_000,
        ..UserLimits::default()
    };
    let stage = open(store::Options::memory(), limits(usual), |_| Vec::new());
    stage.register("out");
    let propose = |id: &str, text: &str| {
        let proposal = Negotiate {
            to: Some("out".to_owned()),
            ..message(Verb::FeasibilityNegotiate, id, text)
        };
        stage.begin("noc", proposal)
    };
    let ids = ["a", "b", "c", "d"];
    let begun = ids.map(|id| propose(id, JOB));
    for id in ids {
        let counter = Negotiate {
            to: None,
            ..message(Verb::FeasibilityNegotiate, id, &format!("{JOB} later"))
        };
        stage.say("out", counter).unwrap();
    }
    begun.into_iter().for_each(|begun| drop(outcome(begun)));
    let long = format!("{JOB}{}", "x".repeat(6_000));
    let mut taken = Vec::new();
    let mut refused = 0;
    for id in ids {
        match propose(id, &long) {
            Execution::Done(Err(Refusal::OverLimit(OverLimit::TasksHeld { .. }))) => refused += 1,
            Execution::Done(other) => panic!("{other:?}"),
            pending => taken.push(pending),
        }
    }
    assert_eq!((taken.len(), refused), (2, 2));
    // Nor is a team.
    let need = Need {
        name: "place".to_owned(),
        criteria: Criteria {
            tags: vec!["ip".to_owned()],
            ..Criteria::default()
        },
        content: words("diagnose it"),
        optional: false,
    };
    let form = |task: &str| FormTeam {
        task: TaskId::new(task),
        needs: vec![need.clone()],
    };
    let formed = stage.run("noc", form("whole"));
    assert!(
        matches!(formed, Err(Refusal::OverLimit(OverLimit::TasksHeld { .. }))),
        "{formed:?}"
    );
    // And none stands where answers to questions of another task are looked up.
    for among in ["whole/answer", "whole/answer/1"] {
        let formed = stage.run("guest", form(among));
        assert!(
            matches!(
                formed,
                Err(Refusal::InvalidInput(InvalidInput::Unusable { .. }))
            ),
            "{formed:?}"
        );
    }
}

/// What is in memory and open is told as a whole as little as what is not, and the parts of one task are
/// told by their names, whatever they say.
#[test]
fn what_is_in_memory_is_bounded_alike_and_parts_are_but_named() {
    let limits = Limits {
        read_bytes: 50_000,
        ..Limits::default()
    };
    let stage = open(store::Options::memory(), limits, |_| {
        vec![answer(Verdict::Accepted)]
    });
    stage.say("noc", assignment("whole", JOB)).unwrap();
    let long = format!("{JOB}{}", "x".repeat(6_000));
    for n in 0..20 {
        let given = Negotiate {
            texts: vec![long.clone()],
            ..part(&format!("part{n:02}"), "whole")
        };
        stage.say("noc", given).unwrap();
    }
    stage.flush();
    let refused = stage.run("noc", AllTasks);
    assert!(
        matches!(refused, Err(Refusal::OverLimit(OverLimit::TooMuch { .. }))),
        "{refused:?}"
    );
    let parts = stage.read("noc", PartsOf(TaskId::new("whole")));
    let named: Vec<String> = (0..20).map(|n| format!("part{n:02}")).collect();
    assert_eq!(
        parts.iter().map(TaskId::to_string).collect::<Vec<_>>(),
        named
    );
}

/// A page ends where its rows are as many bytes as are read for one; what is not told by pages is told
/// whole or not at all.
#[test]
fn a_page_of_what_is_long_is_shorter() {
    let limits = Limits {
        read_bytes: 20_000,
        ..Limits::default()
    };
    let stage = open(store::Options::memory(), limits, |_| {
        let done = words("done").with_result("x");
        vec![Output::Answer(Reply::new(Verdict::Result, vec![done]))]
    });
    let long = format!("{JOB}{}", "x".repeat(6_000));
    let mut given = Vec::new();
    for n in 0..10 {
        let id = format!("t{n}");
        stage.say("noc", assignment(&id, &long)).unwrap();
        given.push(id);
    }
    let huge = format!("{JOB}{}", "x".repeat(50_000));
    stage.say("noc", assignment("t10", &huge)).unwrap();
    given.push("t10".to_owned());
    let (mut filter, mut told, mut pages) = (TaskFilter::default(), Vec::new(), 0);
    loop {
        let page = stage.read("noc", TaskPage::whole(filter.clone()));
        told.extend(page.rows.iter().map(|task| task.id.to_string()));
        pages += 1;
        filter.after = page.rows.last().map(|task| task.id.clone());
        if !page.more {
            break;
        }
    }
    assert_eq!(told, given);
    assert!(pages > 5, "{pages}");
    let (mut filter, mut told) = (store::Filter::default(), 0);
    loop {
        let page = stage.read("noc", ExchangePage(filter.clone()));
        told += page.rows.len();
        filter.after = page.rows.last().map(|exchange| exchange.id.clone());
        if !page.more {
            break;
        }
    }
    assert_eq!(told, given.len());
    for refused in [
        stage.run("noc", AllTasks).map(drop),
        stage.run("noc", ExchangesOf::default()).map(drop),
    ] {
        let is_too_much = matches!(
            refused,
            Err(Refusal::OverLimit(OverLimit::TooMuch { bytes: 20_000, .. }))
        );
        assert!(is_too_much, "{refused:?}");
    }
}

/// The count is that of what the caller's pages hold, whomever it asks for.
#[test]
fn tasks_are_counted_as_pages_hold_them() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out");
    stage.say("noc", assignment("t1", JOB)).unwrap();
    stage.say("out", assignment("t2", JOB)).unwrap();
    stage.say("out", part("t3", "t2")).unwrap();
    let mut counts = Vec::new();
    for who in ["noc", "worker", "out", "outer"] {
        for party in [None, Some("noc"), Some("out"), Some("worker")] {
            let filter = TaskFilter {
                party: party.map(str::to_owned),
                ..TaskFilter::default()
            };
            let page = stage.read(who, TaskPage::whole(filter.clone()));
            let count = stage.read(who, TaskCount(filter));
            assert_eq!(count, page.rows.len() as u64, "{who}, {party:?}");
            counts.push(count);
        }
    }
    assert_eq!(counts, [3, 1, 2, 3, 3, 1, 2, 3, 2, 0, 2, 2, 0, 0, 0, 0]);
}

/// Data count as long as they will be, over a restart too, and no more once they are gone.
#[test]
fn a_user_stores_so_much_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let usual = UserLimits {
        data_bytes: 10_000,
        ..UserLimits::default()
    };
    let write = |stage: &Stage, write| stage.run("noc", write);
    let stored = |stage: &Stage| {
        let usage = stage.engine.usage();
        let noc = usage.into_iter().find(|usage| usage.name == "noc");
        noc.map_or(0, |usage| usage.data_bytes)
    };
    let film = |size: u64| WriteData {
        size: Some(size),
        ..first_of_two("film")
    };
    let more = || inline("more", &"m".repeat(1_500));
    let fill = |stage: &Stage| {
        write(stage, inline("text", &"t".repeat(4_000))).unwrap();
        write(stage, film(3_000)).unwrap();
        write(stage, film(3_000)).unwrap();
        assert_eq!(stored(stage), 7_000 + 2 * 512);
        let refused = write(stage, more());
        assert!(matches!(
            refused,
            Err(Refusal::OverLimit(OverLimit::DataQuota {
                most: 10_000,
                ..
            }))
        ));
        assert!(!stage.reads("noc", "more"));
    };
    let stage = in_folder(folder.path(), limits(usual));
    fill(&stage);
    drop(stage);
    let mut stage = in_folder(folder.path(), limits(usual));
    assert_eq!(stored(&stage), 0, "not summed up yet");
    stage.engine.sum_up_data().unwrap();
    assert_eq!(stored(&stage), 7_000 + 2 * 512);
    assert!(write(&stage, more()).is_err());
    stage.pass(2 * RETAINED_MS);
    wait(stage.engine.trim(stage.now)).unwrap();
    stage.engine.sum_up_data().unwrap();
    assert_eq!(stored(&stage), 0);
    write(&stage, more()).unwrap();
}

/// While memory is short nothing is begun, and what is under way goes on to its end, in short words.
#[test]
fn while_memory_is_short_only_what_is_under_way_goes_on() {
    use std::sync::atomic::Ordering::Relaxed;
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out");
    stage.say("operator", assignment("t", JOB)).unwrap();
    let given = Negotiate {
        to: Some("out".to_owned()),
        ..assignment("u", JOB)
    };
    stage.say("operator", given).unwrap();
    stage
        .engine
        .accounts()
        .short_of_memory()
        .store(true, Relaxed);
    let refused = stage.say("operator", assignment("t2", JOB));
    assert_eq!(refused, Err(OverLimit::ShortOfMemory.into()));
    let refused = stage.run("operator", inline("a", "b"));
    assert_eq!(refused, Err(OverLimit::ShortOfMemory.into()));
    let long = "x".repeat(4_096);
    let plan = message(Verb::FulfillmentNegotiate, "t", &format!("{JOB} {long}"));
    assert_eq!(
        stage.say("operator", plan),
        Err(OverLimit::ShortOfMemory.into())
    );
    let report = |of: &str| Negotiate {
        to: None,
        ..message(
            Verb::TaskResultNotify,
            "u",
            &format!("{JOB} {of}\n## progress\n1 %"),
        )
    };
    let refused = stage.say("out", report(&long));
    assert_eq!(refused, Err(OverLimit::ShortOfMemory.into()));
    stage.say("out", report("so far")).unwrap();
    stage
        .say("operator", message(Verb::TaskCancel, "t", ""))
        .unwrap();
    stage
        .engine
        .accounts()
        .short_of_memory()
        .store(false, Relaxed);
    stage.say("operator", assignment("t2", JOB)).unwrap();
    let usage = stage.engine.usage();
    let operator = usage.iter().find(|usage| usage.name == "operator");
    assert_eq!(operator.unwrap().refused, 0, "it was not for them");
}

/// Of what is stored, each user's own data count: results and replies are the platform's.
#[test]
fn what_tasks_leave_behind_is_nobodys_data() {
    let stage = stage(|_| {
        let done = words("done").with_result("x");
        vec![Output::Answer(Reply::new(Verdict::Result, vec![done]))]
    });
    stage.say("noc", assignment("t", JOB)).unwrap();
    stage.flush();
    assert!(
        stage
            .engine
            .store()
            .data_param("t/result")
            .unwrap()
            .is_some()
    );
    let stored = |who: &str| {
        stage.engine.sum_up_data().unwrap();
        let usage = stage.engine.usage();
        let own = usage.into_iter().find(|usage| usage.name == who);
        own.map_or(0, |usage| usage.data_bytes)
    };
    for who in ["noc", "desk", "worker"] {
        assert_eq!(stored(who), 0, "{who}");
    }
    stage.run("noc", inline("own", "12345")).unwrap();
    assert_eq!(stored("noc"), 5 + 512);
}
