//! What a death leaves to be done between a commit and what rests on it: publishers that had not heard
//! of the end of a task or of a question to them, messages and actions that had not left.
//!
//! A course is played with a death at each of its places, and ends each time as it does without one.
//! What left once may leave again; it comes about once. Read next: `engine::Engine::start`.

use super::outside::{World, busy, delegating, prompt, raising, sent, stubborn};
use super::*;
use domain::notification::Notification;

/// A course: what is said from outside, of whom, in order; and how it ends.
struct Course {
    boss: fn() -> Script,
    said: Vec<(&'static str, Negotiate)>,
    ends: &'static [(&'static str, Status)],
    power: &'static [&'static str],
}

fn courses() -> Vec<Course> {
    vec![
        Course {
            boss: || delegating(false),
            said: vec![("operator", assignment("boss", "whole"))],
            ends: &[
                ("whole", Status::Finished),
                ("whole/part", Status::Finished),
            ],
            power: &["cell-1"],
        },
        Course {
            boss: || delegating(true),
            said: vec![("operator", assignment("boss", "whole"))],
            ends: &[
                ("whole", Status::Finished),
                ("whole/part", Status::Finished),
            ],
            power: &["cell-1"],
        },
        Course {
            boss: stubborn,
            said: vec![("boss", assignment("busy", "first"))],
            ends: &[("first", Status::Rejected), ("again", Status::Finished)],
            power: &["cell-1"],
        },
        Course {
            boss: stubborn,
            said: vec![
                ("operator", assignment("boss", "whole")),
                ("operator", message(Verb::TaskCancel, "boss", "whole", "")),
            ],
            ends: &[("whole", Status::Cancelled), ("undo", Status::Finished)],
            power: &[],
        },
        Course {
            boss: raising,
            said: vec![("operator", assignment("boss", "whole"))],
            ends: &[("whole", Status::Finished)],
            power: &["cell-1"],
        },
    ]
}

impl Course {
    fn stage(&self, plan: Plan) -> Stage {
        let agents = [
            ("worker", willing()),
            ("boss", (self.boss)()),
            ("prompt", prompt()),
            ("busy", busy()),
        ];
        stage(plan, agents)
    }

    /// Plays it from the beginning, so many moves at the most; how many there were.
    fn play(&self, stage: &Stage, world: &mut World, most: usize) -> usize {
        let mut moves = 0;
        for (who, said) in &self.said {
            drop(stage.begin(who, said.clone()));
            world.flushed = false;
            while moves < most && world.go_on(stage) {
                moves += 1;
            }
            if moves == most {
                break;
            }
        }
        moves
    }

    /// What is on record of a course that has been played to its end.
    fn check(&self, stage: &Stage, world: &World, death: usize) {
        for (id, status) in self.ends {
            let told = told_of(stage, id);
            let ends = told.iter().filter(|n| n.status.is_terminal()).count();
            assert_eq!(ends, 1, "{id}, death {death}: {told:?}");
            let last = told.last().unwrap();
            assert_eq!(last.status, *status, "{id}, death {death}");
            // Told from the task alone, it is the same.
            let again = Notification {
                previous: last.previous,
                ..Notification::of(&stage.task(id))
            };
            assert_eq!(**last, again, "{id}, death {death}");
        }
        let tasks = stage.engine.counts();
        assert_eq!((tasks.tasks, tasks.open), (self.ends.len() as u64, 0));
        let cells: Vec<&str> = world.power.keys().map(String::as_str).collect();
        assert_eq!(cells, self.power, "death {death}");
        let rows = stage.engine.store().documents("question").unwrap();
        assert_eq!(rows, [], "death {death}: nothing is open any more");
    }
}

/// All that a publisher was told of a task.
fn told_of(stage: &Stage, id: &str) -> Vec<Arc<Notification>> {
    let entries = stage.engine.feed().after(0, 1_000).unwrap().into_iter();
    let told = entries.filter_map(|entry| match &entry.happening {
        LogEvent::Task(news) if news.task.as_str() == id => Some(Arc::clone(news)),
        _ => None,
    });
    told.collect()
}

/// A death anywhere: before a commit, between it and what rests on it, after that. Whoever spoke from
/// outside and has no answer says it again; nobody else does.
#[test]
fn a_death_anywhere_in_a_course_leaves_nothing_undone_and_nothing_twice() {
    for (nth, course) in courses().into_iter().enumerate() {
        let mut death = 0;
        loop {
            let home = tempfile::tempdir().unwrap();
            let file = |name: &str| home.path().join(name);
            let before = course.stage(Plan::held_in(&file("before.db")));
            before.settle();
            let mut world = World::beside(&before, BTreeMap::new());
            let moves = course.play(&before, &mut world, death);
            let after = Plan::held_in(&before.dead(&file("after.db")));
            let power = std::mem::take(&mut world.power);
            drop((world, before));
            let after = course.stage(after);
            let mut world = World::beside(&after, power);
            course.play(&after, &mut world, usize::MAX);
            course.check(&after, &world, death);
            if moves < death {
                assert!(death > 4, "course {nth} is not played");
                break;
            }
            death += 1;
        }
    }
}

/// A platform with a boss that gave away a part, whose end or question is on disk, or not; no session
/// carries anything.
fn with_a_part(home: &Path, expects: bool, ended: bool) -> Stage {
    let agents = [
        ("worker", willing()),
        ("boss", delegating(expects)),
        ("prompt", prompt()),
    ];
    let stage = stage(Plan::held_in(&home.join("before.db")), agents);
    stage.settle();
    drop(stage.ask(assignment("boss", "whole")));
    stage.settle();
    let part = stage
        .engine
        .outgoing()
        .into_iter()
        .find_map(|o| match o.output {
            Output::Send { message, .. } => Some(message),
            _ => None,
        });
    drop(sent(&stage, "boss", &part.unwrap()));
    stage.flush();
    assert_eq!(stage.step().as_deref(), Some("prompt"));
    if ended {
        stage.flush();
    }
    stage
}

/// The same platform after a death, and what its boss hears of the part.
fn after_death(before: Stage, home: &Path, name: &str, expects: bool) -> (Stage, Vec<String>) {
    let plan = Plan::held_in(&before.dead(&home.join(name)));
    drop(before);
    let agents = [
        ("worker", willing()),
        ("boss", delegating(expects)),
        ("prompt", prompt()),
    ];
    let after = stage(plan, agents);
    after.settle();
    let mut told = after.heard("boss");
    told.retain(|heard| heard.starts_with("told"));
    (after, told)
}

fn news(stage: &Stage, id: &str) -> Input {
    Input::Notified(Arc::new(Notification::of(&stage.task(id))))
}

#[test]
fn the_end_of_a_part_reaches_its_publisher_after_a_death_unless_it_had_stepped_on_it() {
    for death in 0..5 {
        let home = tempfile::tempdir().unwrap();
        let before = with_a_part(home.path(), false, death > 0);
        if death > 1 {
            let told = news(&before, "whole/part");
            before.engine.deliver("boss", told, before.now);
        }
        if death > 2 {
            assert_eq!(before.step().as_deref(), Some("boss"));
        }
        if death > 3 {
            before.flush();
        }
        let (after, told) = after_death(before, home.path(), "after.db", false);
        let expected = usize::from((1..4).contains(&death));
        assert_eq!(
            told,
            vec!["told whole/part finished"; expected],
            "death {death}"
        );
        let ended = |stage: &Stage| stage.task("whole").status == Status::Finished;
        assert_eq!(ended(&after), death > 0, "death {death}");
        // Told once more, it says the same, and nothing comes of it.
        let told = news(&after, "whole/part");
        after.engine.deliver("boss", told.clone(), after.now);
        after.settle();
        assert!(ended(&after), "death {death}");
        let version = after.task("whole").version;
        after.engine.deliver("boss", told, after.now);
        after.settle();
        assert_eq!(after.task("whole").version, version, "death {death}");
        let rows = after.engine.store().documents("question").unwrap();
        assert_eq!(rows, [], "death {death}");
    }
}

#[test]
fn a_task_that_waits_for_a_publisher_in_here_is_told_it_again_until_it_has_answered() {
    let home = tempfile::tempdir().unwrap();
    let before = with_a_part(home.path(), true, true);
    let waits = ["told whole/part input-required"];
    let (first, told) = after_death(before, home.path(), "1.db", true);
    assert_eq!(told, waits);
    // Its judgement is on disk and has not left.
    assert!(first.engine.has_outgoing());
    let (second, told) = after_death(first, home.path(), "2.db", true);
    assert_eq!(told, waits);
    let mut world = World::beside(&second, BTreeMap::new());
    while world.go_on(&second) {}
    assert_eq!(second.task("whole").status, Status::Finished);
    drop(world);
    let (_, told) = after_death(second, home.path(), "3.db", true);
    assert_eq!(told, Vec::<String>::new());
}

/// Of one task that is open and of one that has ended: what they led to is on disk, and has not left.
#[test]
fn what_was_sent_and_had_not_left_leaves_after_a_death_and_comes_about_once() {
    for (open, boss) in [
        (true, delegating as fn(bool) -> Script),
        (false, |_| stubborn()),
    ] {
        let home = tempfile::tempdir().unwrap();
        let agents = || {
            [
                ("worker", willing()),
                ("boss", boss(false)),
                ("prompt", prompt()),
                ("busy", busy()),
            ]
        };
        let before = stage(Plan::held_in(&home.path().join("before.db")), agents());
        before.settle();
        match open {
            true => drop(before.ask(assignment("boss", "whole"))),
            false => {
                let refused = assignment("busy", "first");
                drop(before.begin("boss", refused));
                before.settle();
                let told = news(&before, "first");
                before.engine.deliver("boss", told, before.now);
            }
        }
        before.settle();
        let left = |stage: &Stage| stage.engine.outgoing().len();
        let dead = before.dead(&home.path().join("after.db"));
        assert_eq!(left(&before), 2, "a message and an action");
        drop(before);
        let after = stage(Plan::held_in(&dead), agents());
        after.settle();
        let mut world = World::beside(&after, BTreeMap::new());
        while world.go_on(&after) {}
        assert_eq!(world.power.len(), 1);
        let heard = after.heard("prompt");
        let asked = heard.iter().filter(|h| h.starts_with("taskAssgin")).count();
        assert_eq!(asked, 1, "{heard:?}");
        drop(world);
        // Nothing is left of it: another death changes nothing.
        let last = after.dead(&home.path().join("last.db"));
        drop(after);
        let last = stage(Plan::held_in(&last), agents());
        last.settle();
        assert_eq!(left(&last), 0);
        assert_eq!(last.heard("prompt"), ["started"]);
    }
}

/// An agent that fails over the end of a part does not hear it again and again: what the part was of
/// fails.
#[test]
fn an_agent_that_panics_over_the_end_of_a_part_fails_the_whole() {
    let home = tempfile::tempdir().unwrap();
    let boss = delegating(false);
    let fragile: Script = Arc::new(move |input| match input {
        Input::Notified(news) if news.status.is_terminal() => panic!("it cannot bear that"),
        other => boss(other),
    });
    let before = with_a_part(home.path(), false, true);
    let plan = Plan::held_in(&before.dead(&home.path().join("after.db")));
    drop(before);
    let agents = [
        ("worker", willing()),
        ("boss", fragile),
        ("prompt", prompt()),
    ];
    let after = stage(plan, agents);
    after.settle();
    assert_eq!(after.task("whole").status, Status::Failed);
    let heard = after.heard("boss");
    let told = heard.iter().filter(|h| h.starts_with("told")).count();
    assert_eq!(told, 1, "{heard:?}");
    let rows = after.engine.store().documents("question").unwrap();
    assert_eq!(rows, []);
}

/// What comes back to a former life is heard by nobody, whether it came before the next or after: what
/// it had sent on is put to the next.
#[test]
fn an_agent_made_anew_hears_again_of_an_end_on_which_it_had_sent_something() {
    for came_back in [false, true] {
        let boss = stubborn();
        let fragile: Script = Arc::new(move |input| match input {
            Input::Telemetry(_) => panic!("of something else"),
            other => boss(other),
        });
        let agents = [
            ("worker", willing()),
            ("boss", fragile),
            ("prompt", prompt()),
            ("busy", busy()),
        ];
        let stage = stage(Plan::default(), agents);
        stage.settle();
        let refused = assignment("busy", "first");
        drop(stage.begin("boss", refused));
        stage.settle();
        let told = news(&stage, "first");
        stage.engine.deliver("boss", told, stage.now);
        stage.settle();
        let mut world = World::beside(&stage, BTreeMap::new());
        let first: Vec<engine::Outgoing> = stage.engine.outgoing();
        stage.engine.deliver("boss", telemetry("bad"), stage.now);
        if came_back {
            // It stands in the mailbox when the agent dies.
            for outgoing in &first {
                let (Output::Send { token, .. } | Output::Act { token, .. }) = &outgoing.output
                else {
                    panic!("{outgoing:?}")
                };
                let acted = Input::Acted {
                    token: *token,
                    outcome: domain::telemetry::Outcome::Done,
                };
                stage.engine.deliver("boss", acted, stage.now);
            }
        } else {
            world.leaving = first;
        }
        stage.settle();
        let heard = [
            "started",
            "told first rejected",
            "bad",
            "started",
            "told first rejected",
        ];
        assert_eq!(stage.heard("boss"), heard, "came back: {came_back}");
        while world.go_on(&stage) {}
        let asked = stage.heard("prompt");
        assert_eq!(
            asked,
            ["started", "taskAssgin again 1"],
            "sent perhaps twice, done once"
        );
        let rows = stage.engine.store().documents("question").unwrap();
        assert_eq!(rows, []);
    }
}

/// What a task waits for is told again to who is made anew, unless it failed over that.
#[test]
fn an_agent_made_anew_is_told_again_what_its_tasks_wait_for() {
    for over_it in [false, true] {
        let boss = delegating(true);
        let fragile: Script = Arc::new(move |input| match input {
            Input::Telemetry(_) => panic!("of something else"),
            Input::Notified(news) if over_it && news.awaits.is_some() => {
                panic!("it cannot bear that")
            }
            other => boss(other),
        });
        let home = tempfile::tempdir().unwrap();
        let before = with_a_part(home.path(), true, true);
        let plan = Plan::held_in(&before.dead(&home.path().join("after.db")));
        drop(before);
        let agents = [
            ("worker", willing()),
            ("boss", fragile),
            ("prompt", prompt()),
        ];
        let stage = stage(plan, agents);
        stage.settle();
        if !over_it {
            stage.engine.deliver("boss", telemetry("bad"), stage.now);
            stage.settle();
        }
        let mut told = stage.heard("boss");
        told.retain(|heard| heard.starts_with("told"));
        let expected = if over_it { 1 } else { 2 };
        assert_eq!(told, vec!["told whole/part input-required"; expected]);
        let whole = stage.task("whole").status;
        assert_eq!(whole == Status::Failed, over_it, "{whole}");
    }
}

/// One that fails over several of them hears of each once, and is not left alone for their sake.
#[test]
fn an_agent_hears_of_nothing_again_that_it_failed_over_before() {
    let asking: Script = Arc::new(|input| match asked(input) {
        Some(_) => vec![answer(Verdict::InputRequired)],
        None => Vec::new(),
    });
    let fragile: Script = Arc::new(|input| match input {
        Input::Telemetry(_) | Input::Notified(_) => panic!("it cannot bear that"),
        _ => Vec::new(),
    });
    let agents = [("worker", asking), ("boss", fragile)];
    let stage = stage(Plan::default(), agents);
    stage.settle();
    for task in ["first", "second"] {
        let given = assignment("worker", task);
        drop(stage.begin("boss", given));
    }
    stage.settle();
    stage.engine.deliver("boss", telemetry("bad"), stage.now);
    stage.settle();
    let mut told = stage.heard("boss");
    told.retain(|heard| heard.starts_with("told"));
    assert_eq!(
        told,
        ["told first input-required", "told second input-required"]
    );
    assert_eq!(stage.health("boss"), Health::Ok);
}
