//! Agents beside the decisions: one ends its step while a decision asks it, or while a batch is refused.
//!
//! What takes a decision its time is what stands for an agent elsewhere: it is asked under the locks of decisions, and here it
//! does not answer until the test says so. Read next: `engine::Engine::finish`.

use super::failing::{fill, small};
use super::*;
use domain::registry::Reach;
use engine::{RegisterAgent, Stepped};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// So long the test waits for what must not wait.
const BOUND: Duration = Duration::from_secs(30);

/// Takes everything on; told of a cancellation it says so, and waits until it may go on.
struct Slow {
    begun: Sender<()>,
    goes_on: Arc<Mutex<Receiver<()>>>,
}

impl Agent for Slow {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        let Some(ask) = asked(&input) else {
            return Vec::new();
        };
        if ask.verb == Verb::TaskCancel {
            self.begun.send(()).unwrap();
            self.goes_on.lock().unwrap().recv_timeout(BOUND).unwrap();
        }
        vec![answer(Verdict::Accepted)]
    }
}

/// A task of which `worker` and somebody elsewhere have a part each; the worker was asked, and has not
/// stepped.
struct Held {
    stage: Stage,
    begun: Receiver<()>,
    go_on: Sender<()>,
    /// What the worker will say of its part.
    answer: Pending,
}

fn held() -> Held {
    let ((begun, has_begun), (go_on, goes_on)) = (channel(), channel());
    let goes_on = Arc::new(Mutex::new(goes_on));
    let begun = Mutex::new(begun);
    let proxy: Proxy = Box::new(move |_| {
        Box::new(Slow {
            begun: begun.lock().unwrap().clone(),
            goes_on: Arc::clone(&goes_on),
        })
    });
    let plan = Plan {
        proxy: Some(proxy),
        ..Plan::default()
    };
    let stage = stage(plan, [("worker", willing()), ("other", willing())]);
    let register = RegisterAgent {
        profile: testkit::profile("out"),
        reach: Reach::Server {
            address: "out.example:830".to_owned(),
            host_key: "ssh-ed25519 AAAA".to_owned(),
        },
        lease_ms: 3_600_000,
    };
    let operator = stage.engine.principal("operator");
    let registered = stage.engine.execute(&operator, register, stage.now);
    testkit::outcome(registered).unwrap();
    stage.settle();
    // What comes from here on is looked at.
    for agent in ["worker", "other"] {
        drop(stage.heard(agent));
    }
    let part = |to, name| Negotiate {
        parent: Some(TaskId::new("whole")),
        ..assignment(to, name)
    };
    drop(stage.ask(assignment("other", "whole")));
    stage.settle();
    drop(stage.ask(part("out", "whole/1")));
    let answer = stage.ask(part("worker", "whole/2"));
    stage.flush();
    Held {
        stage,
        begun: has_begun,
        go_on,
        answer,
    }
}

/// When a step ends, seen from a decision that takes its time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Before,
    During,
    After,
}

/// The whole is cancelled: its parts end one after the other, the one elsewhere first, and each executor is
/// told of it, all in one decision. The worker takes its step on the part, and ends it, at any time.
#[test]
fn a_step_ends_before_during_or_after_the_decision_that_asks_its_agent() {
    use When::{After, Before, During};
    for (takes, ends) in [
        (Before, Before),
        (Before, During),
        (Before, After),
        (During, During),
        (During, After),
        (After, After),
    ] {
        let case = format!("{takes:?}, {ends:?}");
        let Held {
            stage,
            begun,
            go_on,
            mut answer,
        } = held();
        let take = || -> Stepped {
            let turn = stage.next().unwrap();
            assert_eq!(turn.agent(), "worker", "{case}");
            only(turn)
        };
        let mut stepped = (takes == Before).then(take);
        if ends == Before {
            let stepped = stepped.take().unwrap();
            assert!(stage.engine.finish(stepped, stage.now));
        }
        let mut cancelled = thread::scope(|scope| {
            let cancel = || stage.ask(message(Verb::TaskCancel, "other", "whole", ""));
            let cancelled = scope.spawn(cancel);
            begun.recv_timeout(BOUND).unwrap();
            if takes == During {
                stepped = Some(take());
            }
            let ending = (ends == During).then(|| {
                let stepped = stepped.take().unwrap();
                scope.spawn(|| assert!(stage.engine.finish(stepped, stage.now)))
            });
            go_on.send(()).unwrap();
            if let Some(ending) = ending {
                ending.join().unwrap();
            }
            cancelled.join().unwrap()
        });
        if takes == After {
            stage.flush();
            stepped = Some(take());
        }
        if let Some(stepped) = stepped {
            assert!(stage.engine.finish(stepped, stage.now));
        }
        stage.settle();
        for task in ["whole", "whole/1", "whole/2"] {
            assert_eq!(stage.task(task).status, Status::Cancelled, "{case}: {task}");
        }
        assert!(reply(&stage, &mut cancelled).is_some(), "{case}");
        let status = reply(&stage, &mut answer).unwrap().status;
        let expected = match ends {
            Before => Status::Processing,
            During | After => Status::Cancelled,
        };
        assert_eq!(status, Some(expected), "{case}");
        let heard = ["taskAssgin whole/2 1", "taskCancel whole/2 1"];
        assert_eq!(stage.heard("worker"), heard, "{case}");
        let open = stage.engine.store().documents("question").unwrap();
        assert_eq!(open, [], "{case}: all is answered, once");
    }
}

/// What is handed out, brought and over without a word needs no decision, and waits for none.
#[test]
fn agents_take_turns_and_hear_news_while_a_decision_takes_its_time() {
    let Held {
        stage,
        begun,
        go_on,
        ..
    } = held();
    thread::scope(|scope| {
        let cancel = || drop(stage.ask(message(Verb::TaskCancel, "other", "whole", "")));
        let cancelled = scope.spawn(cancel);
        begun.recv_timeout(BOUND).unwrap();
        let (done, is_done) = channel();
        let engine = &stage.engine;
        let goes_on = scope.spawn(move || {
            for text in ["one", "two"] {
                engine.deliver("other", telemetry(text), stage.now);
            }
            // The worker's turn comes first, and is not over yet.
            let asked = engine.next_turn(1, stage.now).unwrap();
            let news = engine.next_turn(2, stage.now).unwrap();
            let (first, news) = news.step(|| true);
            assert!(engine.finish(first, stage.now));
            assert!(engine.finish(only(news.unwrap()), stage.now));
            assert!(engine.next_turn(1, stage.now).is_none());
            done.send(()).unwrap();
            asked
        });
        let went_on = is_done.recv_timeout(BOUND);
        go_on.send(()).unwrap();
        went_on.expect("nothing of this waits for the decision");
        cancelled.join().unwrap();
        let asked = goes_on.join().unwrap();
        assert!(stage.engine.finish(only(asked), stage.now));
    });
    assert_eq!(stage.heard("other"), ["taskAssgin whole 1", "one", "two"]);
}

/// A batch is refused while agents step: what was asked in it is taken out and its room given back, what was
/// asked before stays with whoever steps on it, and is asked and answered once.
#[test]
fn a_batch_that_is_refused_during_a_step_takes_back_its_own_questions_alone() {
    let home = tempfile::tempdir().unwrap();
    let limits = Limits {
        mailbox: 1,
        ..Limits::default()
    };
    let plan = Plan {
        limits,
        ..small(home.path())
    };
    let stage = stage(plan, [("worker", willing()), ("other", willing())]);
    stage.settle();
    for agent in ["worker", "other"] {
        drop(stage.heard(agent));
    }
    let mut before = stage.ask(assignment("worker", "before"));
    stage.flush();
    let stepped = only(stage.next().unwrap());
    stage.engine.deliver("other", telemetry("news"), stage.now);
    let quiet = only(stage.next().unwrap());
    let mut lost = stage.ask(assignment("worker", "lost"));
    fill(&stage);
    assert_eq!(
        answered(&mut lost),
        Some(Err(engine::StoreFailure::Full.into()))
    );
    for stepped in [quiet, stepped] {
        assert!(stage.engine.finish(stepped, stage.now));
    }
    let mut after = stage.ask(assignment("worker", "after"));
    stage.settle();
    for told in [&mut before, &mut after] {
        assert_eq!(reply(&stage, told).unwrap().verdict, Verdict::Accepted);
    }
    let heard = ["taskAssgin before 1", "taskAssgin after 1"];
    assert_eq!(stage.heard("worker"), heard);
    assert_eq!(stage.heard("other"), ["news"]);
    let open = stage.engine.store().documents("question").unwrap();
    assert_eq!(open, []);
}
