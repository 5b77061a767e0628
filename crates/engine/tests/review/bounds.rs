//! What one user may have, and that others have theirs beside.

use super::*;
use engine::{Quotas, UserLimits};

fn limits(usual: UserLimits) -> Limits {
    Limits {
        users: usual.into(),
        ..Limits::default()
    }
}

fn tasks_open(refused: Result<Reply, Refusal>) {
    assert!(
        matches!(refused, Err(Refusal::TasksOpen { .. })),
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
    let _proposed = stage.begin("noc", Operation::Negotiate(proposal("p1")));
    let assigned = ["t1", "t2"].map(|id| {
        let assignment = assignment(id, JOB);
        stage.begin("noc", Operation::Negotiate(assignment))
    });
    tasks_open(stage.say("noc", assignment("t3", JOB)));
    tasks_open(stage.say("noc", proposal("p2")));
    for assigned in assigned {
        wait(assigned).unwrap();
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
    let write = |stage: &Stage, who: &str, id: &str| {
        stage.run(who, Operation::WriteData(inline(id, "12345")))
    };
    let long = format!("{JOB}{}", " ".repeat(4_995 - JOB.len()));
    stage.say("noc", assignment("t", &long)).unwrap();
    write(&stage, "noc", "a").unwrap();
    let wait_ms = match write(&stage, "noc", "b") {
        Err(Refusal::TooFast { wait_ms, .. }) => wait_ms,
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
        matches!(refused, Err(Refusal::TasksHeld { most: 10_000, .. })),
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
        matches!(refused, Err(Refusal::TooBig { .. })),
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
        matches!(refused, Err(Refusal::TooFast { .. })),
        "{refused:?}"
    );
    stage.pass(20_000);
    stage.say("noc", query()).unwrap();
}

/// Data count as long as they will be, over a restart too, and no more once they are gone.
#[test]
fn a_user_stores_so_much_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let usual = UserLimits {
        data_bytes: 10_000,
        ..UserLimits::default()
    };
    let write = |stage: &Stage, write| stage.run("noc", Operation::WriteData(write));
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
            Err(Refusal::DataQuota { most: 10_000, .. })
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
    wait_for(stage.engine.trim(stage.now)).unwrap();
    stage.engine.sum_up_data().unwrap();
    assert_eq!(stored(&stage), 0);
    write(&stage, more()).unwrap();
}

/// While memory is short nothing is begun, and what is under way goes on to its end.
#[test]
fn while_memory_is_short_only_what_is_under_way_goes_on() {
    use std::sync::atomic::Ordering::Relaxed;
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.say("operator", assignment("t", JOB)).unwrap();
    stage
        .engine
        .accounts()
        .short_of_memory()
        .store(true, Relaxed);
    let refused = stage.say("operator", assignment("t2", JOB));
    assert_eq!(refused, Err(Refusal::ShortOfMemory));
    let refused = stage.run("operator", Operation::WriteData(inline("a", "b")));
    assert_eq!(refused, Err(Refusal::ShortOfMemory));
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
    stage
        .run("noc", Operation::WriteData(inline("own", "12345")))
        .unwrap();
    assert_eq!(stored("noc"), 5 + 512);
}
