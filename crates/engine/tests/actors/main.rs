//! Agents in here as actors beside the decisions: what reaches them and when, what is refused for
//! want of room, what is put again after a death, and what becomes of an agent that fails.
//!
//! Each test hands out the steps itself, one by one, so that an agent that does not come back is one
//! whose step is not brought back. No clock and no thread decides anything but in the two tests that
//! are about threads. Read next: `engine::Engine::next_turn`.
#![allow(clippy::unwrap_used, missing_docs)]

mod activity;
mod beside;
mod circles;
mod failing;
mod outside;
mod recovery;
mod told;
mod trail;
mod turns;

use domain::agent::{Agent, Ask, Input, Message, Output, Progress};
use domain::content::Content;
use domain::event::LogEvent;
use domain::profile::{Profile, Skill};
use domain::registry::{AgentChange, Health};
use domain::reply::{Reply, Verdict};
use domain::task::{Conditions, Status, Task, TaskId};
use domain::telemetry::Telemetry;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::TaskById;
use engine::refusal::OverLimit;
use engine::{
    Credential, Engine, Execution, Hosted, Limits, Negotiate, Proxy, Refusal, Setup, Stepped,
    Stepping, Turn,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::at_once;

const JOB: &str = "## target object\nlink\n## task description\ndiagnose it";
const EXPECTING: &str = "## target object\nlink\n## task description\ndiagnose it\n\
                         ## expected response\nwhat is broken";
const ACCEPT: &str = "## target object\nlink\n## task description\ngood\n## result\naccept";

type Script = Arc<dyn Fn(&Input) -> Vec<Output> + Send + Sync>;

/// Does what the test says, and writes down what it heard.
struct Scripted {
    script: Script,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Agent for Scripted {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        self.heard.lock().unwrap().push(word_of(&input));
        (self.script)(&input)
    }
}

/// What was heard, in a few words.
fn word_of(input: &Input) -> String {
    match input {
        Input::Started(briefing) => {
            let open = briefing.open.iter().map(|task| task.id.as_str());
            format!("started {}", open.collect::<Vec<_>>().join(" "))
                .trim()
                .to_owned()
        }
        Input::Asked(ask) => format!("{} {} {}", ask.verb, ask.task.id, ask.round),
        Input::Replied { token, reply } => match reply {
            Ok(reply) => format!("reply {token} {}", reply.verdict.as_str()),
            Err(no) => format!("reply {token} {}", no.tag),
        },
        Input::Telemetry(Telemetry::CustomerAnswered { text, .. }) => text.clone(),
        Input::Woken(token) => format!("woken {token}"),
        Input::Notified(news) => format!("told {} {}", news.task, news.status),
        other => format!("{other:?}"),
    }
}

fn answer(verdict: Verdict) -> Output {
    Output::Answer(Reply::new(verdict, Vec::new()))
}

fn asked(input: &Input) -> Option<&Ask> {
    match input {
        Input::Asked(ask) => Some(ask),
        _ => None,
    }
}

/// Takes everything on.
fn willing() -> Script {
    Arc::new(|input| match asked(input) {
        Some(_) => vec![answer(Verdict::Accepted)],
        None => Vec::new(),
    })
}

struct Stage {
    engine: Engine,
    now: Timestamp,
    heard: BTreeMap<String, Arc<Mutex<Vec<String>>>>,
    /// Where a state that outlives a platform lies.
    path: Option<PathBuf>,
}

/// How a stage is to be.
struct Plan {
    store: store::Options,
    path: Option<PathBuf>,
    limits: Limits,
    now: Timestamp,
    renewable: bool,
    /// Makes what stands for agents elsewhere, whose names begin with `out`.
    proxy: Option<Proxy>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            store: store::Options::memory(),
            path: None,
            limits: Limits::default(),
            now: Timestamp::from_ms(1_000_000),
            renewable: true,
            proxy: None,
        }
    }
}

impl Plan {
    /// The state lies in this file, and nothing is written before it is flushed.
    fn held_in(path: &Path) -> Self {
        Self {
            store: store::Options {
                synchronous_full: false,
                batch_wait: Duration::from_secs(3_600),
                readers: 1,
                ..store::Options::file(path)
            },
            path: Some(path.to_owned()),
            ..Self::default()
        }
    }
}

/// A platform on which these agents step beside the decisions; all have been briefed.
fn stage<const N: usize>(plan: Plan, agents: [(&str, Script); N]) -> Stage {
    let mut heard = BTreeMap::new();
    let hosted = agents.map(|(name, script)| {
        let book = Arc::<Mutex<Vec<String>>>::default();
        heard.insert(name.to_owned(), Arc::clone(&book));
        let make = move || -> Box<dyn Agent> {
            Box::new(Scripted {
                script: Arc::clone(&script),
                heard: Arc::clone(&book),
            })
        };
        let profile = Profile {
            skills: vec![Skill::default()],
            ..testkit::profile(name)
        };
        Hosted {
            profile: Arc::new(profile),
            agent: make(),
            again: plan.renewable.then(|| Box::new(make) as engine::Factory),
            endpoint: None,
            registered_at: plan.now,
        }
    });
    let engine = Engine::open(Setup {
        store: plan.store,
        default_agent: "worker".to_owned(),
        limits: plan.limits,
        credentials: Box::new(|name| name.starts_with("out").then_some(Credential::Agent)),
        proxy: plan.proxy,
        deliverable: Box::new(|subscription| match subscription.url.as_str() {
            "panic" => panic!("a decision panics"),
            _ => Ok(()),
        }),
        ..testkit::setup(hosted)
    })
    .unwrap();
    engine.set_stepping(Stepping::Beside, plan.now);
    engine.start(plan.now);
    Stage {
        engine,
        now: plan.now,
        heard,
        path: plan.path,
    }
}

/// The first step of a turn; what is left of it waits for another.
fn only(turn: Turn) -> Stepped {
    turn.step(|| false).0
}

type Pending = Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + Send>>;

impl Stage {
    fn begin(&self, who: &str, negotiate: Negotiate) -> Pending {
        let who = self.engine.principal(who);
        let execution = self.engine.execute(&who, negotiate, self.now);
        match execution.map(|told| told.reply) {
            Execution::Done(outcome) => Box::pin(std::future::ready(outcome)),
            Execution::Pending(pending) => pending,
        }
    }

    fn ask(&self, negotiate: Negotiate) -> Pending {
        self.begin("operator", negotiate)
    }

    /// Everything that was decided is on disk.
    fn flush(&self) {
        let nothing = self.engine.store().erase(&TaskId::new("nothing"), self.now);
        drop(nothing.wait());
    }

    fn next(&self) -> Option<Turn> {
        self.turn(1)
    }

    fn turn(&self, most: usize) -> Option<Turn> {
        self.engine.next_turn(most, self.now)
    }

    /// Takes one step; whose it was.
    fn step(&self) -> Option<String> {
        let turn = self.next()?;
        let agent = turn.agent().to_owned();
        assert!(self.engine.finish(only(turn), self.now));
        Some(agent)
    }

    /// Takes every step that can be taken, until nothing is left to write or to do.
    fn settle(&self) {
        loop {
            self.flush();
            if self.step().is_none() {
                break;
            }
            while self.step().is_some() {}
        }
    }

    fn heard(&self, agent: &str) -> Vec<String> {
        std::mem::take(&mut *self.heard[agent].lock().unwrap())
    }

    fn task(&self, id: &str) -> Arc<Task> {
        self.flush();
        let query = TaskById(TaskId::new(id));
        let found = self
            .engine
            .read(&self.engine.principal("operator"), query, self.now);
        found.unwrap().unwrap()
    }

    fn is_known(&self, id: &str) -> bool {
        self.flush();
        self.engine.store().knows(&TaskId::new(id)).unwrap()
    }

    fn health(&self, agent: &str) -> Health {
        self.engine.place(agent).unwrap().health
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now + ms;
        self.engine.tick(self.now);
    }

    /// The state as it is on disk, in a file of its own: what a death leaves.
    fn dead(&self, place: &Path) -> PathBuf {
        let from = self.path.as_ref().unwrap();
        for part in ["", "-wal"] {
            let named = |path: &Path| PathBuf::from(format!("{}{part}", path.display()));
            if named(from).exists() {
                std::fs::copy(named(from), named(place)).unwrap();
            }
        }
        place.to_owned()
    }
}

fn message(verb: Verb, to: &str, task: &str, text: &str) -> Negotiate {
    Negotiate {
        to: Some(to.to_owned()),
        ..testkit::message(verb, task, text)
    }
}

fn assignment(to: &str, task: &str) -> Negotiate {
    testkit::assignment(to, task, JOB)
}

/// The answer, if it is there.
fn answered(pending: &mut Pending) -> Option<Result<Reply, Refusal>> {
    (0..4).find_map(|_| at_once(pending.as_mut()))
}

/// The reply, once everything is on disk that was decided.
fn reply(stage: &Stage, pending: &mut Pending) -> Option<Reply> {
    for _ in 0..3 {
        stage.flush();
        match answered(pending) {
            Some(Ok(reply)) => return Some(reply),
            Some(other) => panic!("{other:?}"),
            None => {}
        }
    }
    None
}

fn telemetry(text: impl Into<String>) -> Input {
    Input::Telemetry(Telemetry::CustomerAnswered {
        ticket: "1".to_owned(),
        text: text.into(),
    })
}

#[test]
fn a_read_and_another_agent_go_on_while_an_agent_thinks() {
    let stage = stage(
        Plan::default(),
        [("worker", willing()), ("other", willing())],
    );
    stage.settle();
    let mut slow = stage.ask(assignment("worker", "slow"));
    stage.flush();
    // It thinks from now on.
    let thinking = stage.next().unwrap();
    assert_eq!(thinking.agent(), "worker");
    assert_eq!(stage.task("slow").status, Status::Created, "reads go on");
    let mut behind = stage.ask(assignment("worker", "behind"));
    let mut quick = stage.ask(assignment("other", "quick"));
    stage.flush();
    assert_eq!(stage.step().as_deref(), Some("other"));
    assert!(stage.step().is_none(), "one agent takes one step at a time");
    let verdict = reply(&stage, &mut quick).unwrap().verdict;
    assert_eq!(verdict, Verdict::Accepted);
    assert!(reply(&stage, &mut slow).is_none());
    assert!(stage.engine.finish(only(thinking), stage.now));
    stage.settle();
    for pending in [&mut slow, &mut behind] {
        assert_eq!(reply(&stage, pending).unwrap().verdict, Verdict::Accepted);
    }
    assert_eq!(
        stage.heard("worker"),
        ["started", "taskAssgin slow 1", "taskAssgin behind 1"]
    );
}

#[test]
fn an_asynchronous_caller_waits_a_stated_time_and_a_synchronous_one_for_the_result() {
    let done = Content::new("link", "done").with_result("done");
    let script: Script = Arc::new(move |input| match asked(input) {
        Some(_) => vec![Output::Answer(Reply::new(
            Verdict::Result,
            vec![done.clone()],
        ))],
        None => Vec::new(),
    });
    let mut stage = stage(Plan::default(), [("worker", script)]);
    stage.settle();
    let mut at_once = stage.ask(assignment("worker", "at-once"));
    stage.settle();
    assert_eq!(
        reply(&stage, &mut at_once).unwrap().verdict,
        Verdict::Result
    );
    let mut patient = stage.ask(message(Verb::TaskAssign, "worker", "patient", JOB));
    let mut late = stage.ask(assignment("worker", "late"));
    stage.flush();
    stage.pass(Limits::default().answer_ms - 1);
    assert!(reply(&stage, &mut late).is_none());
    stage.pass(1);
    let pending = reply(&stage, &mut late).unwrap();
    assert_eq!(
        (pending.verdict, pending.status),
        (Verdict::Pending, Some(Status::Created))
    );
    assert!(reply(&stage, &mut patient).is_none());
    stage.settle();
    assert_eq!(
        reply(&stage, &mut patient).unwrap().verdict,
        Verdict::Result
    );
    assert_eq!(stage.task("late").status, Status::Finished);
    // Asked again, the answer that came since is told.
    let mut again = stage.ask(assignment("worker", "late"));
    assert_eq!(reply(&stage, &mut again).unwrap().verdict, Verdict::Result);
}

#[test]
fn a_request_without_room_is_refused_and_leaves_nothing() {
    let limits = Limits {
        mailbox: 2,
        ..Limits::default()
    };
    let stage = stage(
        Plan {
            limits,
            ..Plan::default()
        },
        [("worker", willing())],
    );
    stage.settle();
    let mut taken: Vec<Pending> = ["a", "b"]
        .map(|id| stage.ask(assignment("worker", id)))
        .into();
    let offer = || message(Verb::FeasibilityNegotiate, "worker", "d", JOB);
    for (id, refused) in [("c", assignment("worker", "c")), ("d", offer())] {
        let outcome = answered(&mut stage.ask(refused)).unwrap();
        let full = matches!(&outcome, Err(Refusal::OverLimit(OverLimit::MailboxFull { name, most: 2 })) if name == "worker");
        assert!(full, "{outcome:?}");
        assert!(!stage.is_known(id));
        let thread = stage.engine.store().exchanges(&store::Filter {
            task: Some(TaskId::new(id)),
            limit: 10,
            ..store::Filter::default()
        });
        assert_eq!(thread.unwrap().rows, []);
    }
    // Whoever wants to end something is always heard.
    let mut cancel = stage.ask(message(Verb::TaskCancel, "worker", "a", ""));
    stage.settle();
    assert_eq!(
        reply(&stage, &mut cancel).unwrap().verdict,
        Verdict::Accepted
    );
    // Sent again, it runs afresh.
    taken.push(stage.ask(assignment("worker", "c")));
    stage.settle();
    let verdicts = taken.iter_mut().map(|t| reply(&stage, t).unwrap().verdict);
    assert_eq!(
        verdicts.collect::<Vec<_>>(),
        [Verdict::Refused, Verdict::Accepted, Verdict::Accepted],
        "the first was cancelled before it was heard"
    );
}

#[test]
fn an_input_is_handed_out_and_a_message_leaves_after_the_commit_it_rests_on() {
    let home = tempfile::tempdir().unwrap();
    let script: Script = Arc::new(|input| match asked(input) {
        Some(ask) => vec![
            answer(Verdict::Accepted),
            Output::Note(format!("taken: {}", ask.task.id)),
        ],
        None => Vec::new(),
    });
    let plan = Plan::held_in(&home.path().join("held.db"));
    let stage = stage(plan, [("worker", script)]);
    stage.settle();
    let mut pending = stage.ask(assignment("worker", "t"));
    assert!(stage.next().is_none(), "the task is not on disk");
    stage.flush();
    assert!(stage.step().is_some());
    assert!(
        !stage.engine.has_outgoing(),
        "what follows is not on disk either"
    );
    assert!(answered(&mut pending).is_none());
    stage.flush();
    assert_eq!(stage.engine.outgoing().len(), 1);
    assert!(reply(&stage, &mut pending).is_some());
}

#[test]
fn the_outputs_of_a_step_are_one_batch() {
    let home = tempfile::tempdir().unwrap();
    let script: Script = Arc::new(|input| match input {
        Input::Asked(_) => vec![answer(Verdict::Accepted)],
        Input::Telemetry(_) => {
            let report = |percent| Output::Report {
                task: TaskId::new("t"),
                progress: Progress::Working {
                    percent,
                    content: Content::new("link", format!("{percent} %")),
                },
            };
            vec![report(10), Output::Note("half".to_owned()), report(20)]
        }
        _ => Vec::new(),
    });
    let stage = stage(
        Plan::held_in(&home.path().join("whole.db")),
        [("worker", script)],
    );
    stage.settle();
    drop(stage.ask(assignment("worker", "t")));
    stage.settle();
    let before = stage.engine.store().statistics().batches;
    stage
        .engine
        .deliver("worker", telemetry("go on"), stage.now);
    stage.step().unwrap();
    stage.flush();
    assert_eq!(stage.engine.store().statistics().batches, before + 1);
    assert_eq!(stage.task("t").version, 4);
    assert_eq!(stage.engine.outgoing().len(), 1);
}

/// What a publisher may say, each from a state of its own: how the test gets there, what is said,
/// and what its agent hears of it.
fn questions() -> Vec<(&'static str, Vec<Negotiate>, &'static str)> {
    let expecting = |id: &str| Negotiate {
        texts: vec![EXPECTING.to_owned()],
        ..assignment("worker", id)
    };
    vec![
        (
            "assignment",
            vec![assignment("worker", "t")],
            "taskAssgin t 1",
        ),
        (
            "offer",
            vec![message(Verb::FeasibilityNegotiate, "worker", "t", JOB)],
            "FeasibilityNegotiate t 1",
        ),
        (
            "plan",
            vec![
                assignment("worker", "t"),
                message(Verb::FulfillmentNegotiate, "worker", "t", JOB),
            ],
            "FulfillmentNegotiate t 1",
        ),
        (
            "acceptance",
            vec![
                expecting("judged"),
                message(Verb::FulfillmentNegotiate, "worker", "judged", ACCEPT),
            ],
            "FulfillmentNegotiate judged 1",
        ),
        (
            "answer",
            vec![
                assignment("worker", "asks"),
                message(Verb::FulfillmentNegotiate, "worker", "asks", JOB),
            ],
            "FulfillmentNegotiate asks 1",
        ),
        (
            "completion",
            vec![
                Negotiate {
                    question: Some(Content::new("link", "which one?")),
                    ..assignment("worker", "t")
                },
                message(Verb::FulfillmentNegotiate, "worker", "t", JOB),
            ],
            "taskAssgin t 1",
        ),
        (
            "cancellation",
            vec![
                assignment("worker", "t"),
                message(Verb::TaskCancel, "worker", "t", ""),
            ],
            "taskCancel t 1",
        ),
        (
            "cancellation of a part",
            vec![
                assignment("boss", "whole"),
                Negotiate {
                    parent: Some(TaskId::new("whole")),
                    ..assignment("worker", "part")
                },
                message(Verb::TaskCancel, "boss", "whole", ""),
            ],
            "taskCancel part 1",
        ),
    ]
}

fn versatile() -> Script {
    Arc::new(|input| {
        let Some(ask) = asked(input) else {
            return Vec::new();
        };
        let done = || Content::new("link", "done").with_result("done");
        match (ask.verb, ask.task.id.as_str()) {
            (Verb::TaskAssign, "judged") => {
                vec![Output::Answer(Reply::new(Verdict::Result, vec![done()]))]
            }
            (Verb::TaskAssign, "asks") => {
                let question = Content::new("link", "which one?");
                let reply = Reply::new(Verdict::InputRequired, vec![question]);
                vec![Output::Answer(reply)]
            }
            _ => vec![answer(Verdict::Accepted)],
        }
    })
}

/// Kill −9 between any two steps: before the question is on disk, after it, while the agent thinks,
/// before its outputs are on disk, after them.
#[test]
fn what_was_not_answered_is_put_again_after_a_death_and_answered_once() {
    for (what, messages, hears) in questions() {
        for death in 0..4 {
            let home = tempfile::tempdir().unwrap();
            let file = |name: &str| home.path().join(name);
            let agents = || [("worker", versatile()), ("boss", willing())];
            let before = stage(Plan::held_in(&file("before.db")), agents());
            before.settle();
            let (last, first) = messages.split_last().unwrap();
            for message in first {
                drop(before.ask(message.clone()));
                before.settle();
            }
            let asked = before.ask(last.clone());
            if death > 0 {
                before.flush();
            }
            if death > 1 {
                while before.step().is_some() {}
            }
            if death > 2 {
                before.settle();
            }
            let after = Plan::held_in(&before.dead(&file("after.db")));
            drop((asked, before));
            let after = stage(after, agents());
            after.settle();
            let heard = after.heard("worker");
            let again = heard.iter().filter(|heard| *heard == hears).count();
            // What was committed and not answered is heard once; all else is not heard again.
            let expected = usize::from(death == 1 || death == 2);
            assert_eq!(again, expected, "{what}, death {death}: {heard:?}");
            let rows = after.engine.store().documents("question").unwrap();
            assert_eq!(rows, [], "{what}, death {death}: nothing is open any more");
            // Whoever asks again gets the answer, and the agent does not hear it twice.
            let mut again = after.ask(last.clone());
            after.settle();
            let told = reply(&after, &mut again).unwrap_or_else(|| panic!("{what}, {death}"));
            assert_ne!(told.verdict, Verdict::Pending, "{what}, death {death}");
            let heard = after.heard("worker");
            let again = heard.iter().filter(|heard| *heard == hears).count();
            assert_eq!(again, usize::from(death == 0), "{what}, {death}: {heard:?}");
        }
    }
}

/// An agent that is hosted no more may be hosted again: what it was asked is kept for as long as that
/// is open, and no longer.
#[test]
fn what_an_agent_was_asked_that_is_gone_is_kept_for_as_long_as_it_is_open() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str| home.path().join(name);
    let rows = |stage: &Stage| stage.engine.store().documents("question").unwrap().len();
    let first = stage(
        Plan::held_in(&file("1.db")),
        [("worker", willing()), ("gone", willing())],
    );
    first.settle();
    let asked = [
        first.ask(assignment("gone", "ends")),
        first.ask(assignment("gone", "stays")),
    ];
    first.flush();
    let second = Plan::held_in(&first.dead(&file("2.db")));
    drop((asked, first));
    let second = stage(second, [("worker", willing())]);
    second.settle();
    assert_eq!(rows(&second), 2);
    drop(second.ask(message(Verb::TaskCancel, "gone", "ends", "")));
    second.settle();
    assert_eq!(second.task("ends").status, Status::Cancelled);
    let third = Plan::held_in(&second.dead(&file("3.db")));
    drop(second);
    let third = stage(third, [("worker", willing())]);
    third.settle();
    assert_eq!(
        rows(&third),
        1,
        "nobody waits for an answer about what has ended"
    );
    let fourth = Plan::held_in(&third.dead(&file("4.db")));
    drop(third);
    let fourth = stage(fourth, [("worker", willing()), ("gone", willing())]);
    fourth.settle();
    assert_eq!(fourth.heard("gone"), ["started", "taskAssgin stays 1"]);
    assert_eq!(rows(&fourth), 0);
}

/// Agents are kept apart by unwinding, in every profile of the workspace.
#[test]
fn no_profile_aborts_on_panic() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let lines = manifest.lines().map(str::trim);
    let settings: Vec<&str> = lines.filter(|line| line.starts_with("panic")).collect();
    assert_eq!(settings, [r#"panic = "unwind""#; 2], "dev and release");
}
