//! Corners of tasks and negotiations that only meet when sides speak at the same time, say things
//! twice, or leave, over the public interface.
//!
//! Knows no protocol; the one agent in here does what each test tells it. Read next:
//! `engine::tasks::negotiate`, `engine::tasks::life`.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "review/below.rs"]
mod below;
#[path = "review/bounds.rs"]
mod bounds;
#[path = "review/questions.rs"]
mod questions;
#[path = "review/resent.rs"]
mod resent;

use domain::agent::{Agent, Ask, Input, Output, Progress};
use domain::content::Content;
use domain::context::DataType;
use domain::discovery::Criteria;
use domain::negotiation::{Kind, Negotiation, Speech, Stance, State};
use domain::profile::Profile;
use domain::registry::Reach;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, Task, TaskId};
use domain::team::Need;
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::query::{DataParamsOf, ExchangesOf, NegotiationsOf, Query, TaskById};
use engine::refusal::{Conflict, Field, InvalidInput, NotFound};
use engine::{
    Credential, DeregisterAgent, Engine, Execution, FormTeam, Limits, Negotiate, Negotiated,
    Operation, Refusal, RegisterAgent, Retention, Setup, WriteData,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::{at_once, hosted, outcome, wait};

/// How long is kept what has ended.
const RETAINED_MS: i64 = 86_400_000;

const JOB: &str = "## target object\nlink\n## task description\ndiagnose it";
const EXPECTING: &str = "## target object\nlink\n## task description\ndiagnose it\n\
                         ## expected response\nwhat is broken";
const ACCEPT: &str = "## target object\nlink\n## task description\ngood\n## result\naccept";
const REJECT: &str = "## target object\nlink\n## task description\nno\n## result\nreject";

/// Does what the test says, whenever it is asked.
fn scripted(mut script: impl FnMut(&Ask) -> Vec<Output> + Send + 'static) -> impl Agent + 'static {
    testkit::Scripted(move |input: Input, _: Timestamp| match input {
        Input::Asked(ask) => script(&ask),
        _ => Vec::new(),
    })
}

fn answer(verdict: Verdict) -> Output {
    Output::Answer(Reply::new(verdict, Vec::new()))
}

fn words(text: &str) -> Content {
    Content::new("link", text)
}

fn profile(name: &str) -> Profile {
    Profile {
        skills: vec![testkit::skill("diagnosis", &["ip"])],
        ..testkit::profile(name)
    }
}

struct Stage {
    engine: Engine,
    now: Timestamp,
}

/// A platform with the agent `desk`, which takes tasks addressed to nobody, and the scripted agent
/// `worker`; agents outside are called `out…`, operators are of group admin.
fn stage(script: impl FnMut(&Ask) -> Vec<Output> + Send + 'static) -> Stage {
    open(store::Options::memory(), Limits::default(), script)
}

fn in_folder(folder: &Path, limits: Limits) -> Stage {
    let accepting = |_: &Ask| vec![answer(Verdict::Accepted)];
    open(testkit::on_disk(folder), limits, accepting)
}

fn open(
    store: store::Options,
    limits: Limits,
    script: impl FnMut(&Ask) -> Vec<Output> + Send + 'static,
) -> Stage {
    open_with("worker", store, limits, script)
}

fn open_with(
    worker: &str,
    store: store::Options,
    limits: Limits,
    script: impl FnMut(&Ask) -> Vec<Output> + Send + 'static,
) -> Stage {
    let now = Timestamp::from_ms(1_000_000);
    open_from(worker, store, limits, now, script)
}

fn open_from(
    worker: &str,
    store: store::Options,
    limits: Limits,
    now: Timestamp,
    script: impl FnMut(&Ask) -> Vec<Output> + Send + 'static,
) -> Stage {
    let engine = Engine::open(setup(worker, store, limits, now, script)).unwrap();
    engine.start(now);
    Stage { engine, now }
}

fn setup(
    worker: &str,
    store: store::Options,
    limits: Limits,
    now: Timestamp,
    script: impl FnMut(&Ask) -> Vec<Output> + Send + 'static,
) -> Setup {
    let refusing = scripted(|_| vec![answer(Verdict::Refused)]);
    Setup {
        store,
        limits,
        retention: Retention {
            max_age_ms: Some(RETAINED_MS),
            ..Retention::default()
        },
        credentials: Box::new(|name| name.starts_with("out").then_some(Credential::Agent)),
        ..testkit::setup([
            hosted(profile("desk"), refusing, now),
            hosted(profile(worker), scripted(script), now),
        ])
    }
}

impl Stage {
    fn begin<O: Operation>(&self, who: &str, operation: O) -> Execution<O::Output> {
        let who = self.engine.principal(who);
        self.engine.execute(&who, operation, self.now)
    }

    fn run<O: Operation>(&self, who: &str, operation: O) -> Result<O::Output, Refusal> {
        outcome(self.begin(who, operation))
    }

    fn say(&self, who: &str, negotiate: Negotiate) -> Result<Reply, Refusal> {
        Ok(self.run(who, negotiate)?.reply)
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now + ms;
        self.engine.tick(self.now);
    }

    fn flush(&self) {
        wait(self.engine.flushed());
    }

    fn register(&self, name: &str) {
        let register = RegisterAgent {
            profile: profile(name),
            reach: Reach::Client,
            lease_ms: 3_600_000,
        };
        self.run(name, register).unwrap();
    }

    fn read<Q: Query>(&self, who: &str, query: Q) -> Q::Output {
        self.flush();
        let who = self.engine.principal(who);
        self.engine.read(&who, query, self.now).unwrap()
    }

    fn task(&self, id: &str) -> Arc<Task> {
        self.read("operator", TaskById(TaskId::new(id))).unwrap()
    }

    fn negotiation(&self, id: &str, kind: Kind) -> Arc<Negotiation> {
        let found = self.read("operator", NegotiationsOf(Some(TaskId::new(id))));
        found.into_iter().find(|n| n.kind == kind).unwrap()
    }

    fn records(&self, who: &str) -> Vec<String> {
        let query = ExchangesOf {
            party: None,
            id: None,
            task: None,
        };
        let found = self.read(who, query);
        found.into_iter().map(|e| e.id).collect()
    }

    fn reads(&self, who: &str, id: &str) -> bool {
        let query = DataParamsOf {
            party: None,
            id: Some(id.to_owned()),
        };
        !self.read(who, query).is_empty()
    }
}

fn message(verb: Verb, task: &str, text: &str) -> Negotiate {
    Negotiate {
        to: Some("worker".to_owned()),
        ..testkit::message(verb, task, text)
    }
}

fn assignment(task: &str, text: &str) -> Negotiate {
    testkit::assignment("worker", task, text)
}

fn part(task: &str, parent: &str) -> Negotiate {
    Negotiate {
        parent: Some(TaskId::new(parent)),
        ..assignment(task, JOB)
    }
}

fn inline(id: &str, text: &str) -> WriteData {
    WriteData {
        id: id.to_owned(),
        task: None,
        reader: None,
        data_type: None,
        description: None,
        format: None,
        url: None,
        offset: 0,
        bytes: text.as_bytes().to_vec(),
        size: None,
        sha256: None,
        finished: true,
    }
}

fn first_of_two(id: &str) -> WriteData {
    WriteData {
        data_type: Some(DataType::Image),
        size: Some(8),
        finished: false,
        ..inline(id, "half")
    }
}

/// The answer, if it is there once everything decided is on disk.
fn answered(
    stage: &Stage,
    execution: Execution<Negotiated>,
) -> Option<Result<Negotiated, Refusal>> {
    let mut outcome = Box::pin(execution.outcome());
    for _ in 0..3 {
        stage.flush();
        if let Some(outcome) = at_once(outcome.as_mut()) {
            return Some(outcome);
        }
    }
    None
}

#[test]
fn parts_are_cancelled_with_their_whole_before_an_executor_speaks_of_another() {
    let stage = stage(|ask| match (ask.verb, ask.task.id.as_str()) {
        (Verb::TaskCancel, "whole/1") => vec![
            answer(Verdict::Accepted),
            Output::Report {
                task: TaskId::new("whole/2"),
                progress: Progress::Failed(words("without the first there is no second")),
            },
        ],
        _ => vec![answer(Verdict::Accepted)],
    });
    stage.say("operator", assignment("whole", JOB)).unwrap();
    for id in ["whole/1", "whole/2"] {
        stage.say("operator", part(id, "whole")).unwrap();
    }
    let cancel = message(Verb::TaskCancel, "whole", "");
    stage.say("operator", cancel).unwrap();
    assert_eq!(stage.task("whole/1").status, Status::Cancelled);
    // It was cancelled in the same decision: what is said of it then is too late.
    assert_eq!(stage.task("whole/2").status, Status::Cancelled);
}

#[test]
fn who_waits_for_an_answer_is_told_that_the_time_for_it_is_over() {
    let mut stage = stage(|_| vec![answer(Verdict::Pending)]);
    let proposal = || Negotiate {
        answer_within_ms: Some(1_000),
        ..message(Verb::FeasibilityNegotiate, "t", JOB)
    };
    let waiting = stage.begin("operator", proposal());
    stage.pass(1_000);
    stage.flush();
    stage.pass(60_000);
    let told = answered(&stage, waiting).expect("the time is over");
    let told = told.unwrap().reply;
    assert_eq!(told.verdict, Verdict::Refused);
    assert_eq!(told.reasons[0].reason, State::Expired.as_str());
    assert_eq!(stage.say("operator", proposal()), Ok(told));
}

#[test]
fn an_answer_in_the_same_breath_as_pending_is_the_answer() {
    let stage = stage(|ask| {
        let word = Output::Speak {
            task: ask.task.id.clone(),
            kind: Kind::Feasibility,
            speech: Speech::refuse(Vec::new()),
        };
        vec![answer(Verdict::Pending), word]
    });
    let proposal = message(Verb::FeasibilityNegotiate, "t", JOB);
    let waiting = stage.begin("operator", proposal);
    match answered(&stage, waiting) {
        Some(Ok(told)) => assert_eq!(told.reply.verdict, Verdict::Refused),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_decision_offered_in_answer_to_the_assignment_can_be_accepted() {
    let stage = stage(|ask| match ask.verb {
        Verb::TaskAssign => {
            let offer = vec![words("by night"), words("by day")];
            vec![Output::Answer(Reply::new(Verdict::Offered, offer))]
        }
        _ => vec![answer(Verdict::Accepted)],
    });
    let reply = stage.say("operator", assignment("t", JOB)).unwrap();
    assert_eq!(reply.status, Some(Status::InputRequired));
    let accept = Negotiate {
        alternative: Some(2),
        ..message(Verb::FulfillmentNegotiate, "t", ACCEPT)
    };
    stage.say("operator", accept).unwrap();
    let task = stage.task("t");
    assert_eq!(task.status, Status::Processing);
    assert_eq!(task.plan, Some(words("by day")));
}

#[test]
fn a_task_of_an_agent_that_was_taken_away_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let first = in_folder(folder.path(), Limits::default());
    let assigned = Negotiate {
        asynchronous: Some(true),
        ..assignment("t", JOB)
    };
    first.say("operator", assigned).unwrap();
    drop(first);
    let options = store::Options::file(folder.path().join("convoke.db"));
    let limits = Limits::default();
    let second = open_with("newcomer", options, limits, |_| Vec::new());
    let cancel = message(Verb::TaskCancel, "t", JOB);
    let reply = second.say("operator", cancel).unwrap();
    assert_eq!(reply.status, Some(Status::Cancelled));
    assert_eq!(second.task("t").status, Status::Cancelled);
}

#[test]
fn a_word_that_says_what_it_replies_to_is_never_taken_for_another() {
    let stage = stage(|ask| match ask.verb {
        Verb::TaskAssign => vec![Output::Answer(Reply::new(
            Verdict::Offered,
            vec![words("this way")],
        ))],
        // Agreed: the result follows at once, and waits for its own judgement.
        _ => vec![
            answer(Verdict::Accepted),
            Output::Report {
                task: ask.task.id.clone(),
                progress: Progress::Result(words("done")),
            },
        ],
    });
    stage.say("operator", assignment("t", EXPECTING)).unwrap();
    let replying = |awaited: &str| {
        let text = format!("{ACCEPT}\n## in reply to\n{awaited}");
        stage.say("operator", message(Verb::FulfillmentNegotiate, "t", &text))
    };
    let agreed = replying("decision").unwrap();
    assert_eq!(stage.task("t").status, Status::InputRequired);
    // The reply was lost, and the word comes again while the result waits.
    assert_eq!(replying("decision").unwrap(), agreed);
    assert_eq!(stage.task("t").status, Status::InputRequired);
    let wrong = replying("answer").unwrap_err();
    assert!(
        matches!(wrong, Refusal::Conflict(Conflict::OutOfTurn(_))),
        "{wrong:?}"
    );
    let unknown = replying("everything").unwrap_err();
    assert!(
        matches!(
            unknown,
            Refusal::InvalidInput(InvalidInput::Unusable { .. })
        ),
        "{unknown:?}"
    );
    replying("judgement").unwrap();
    assert_eq!(stage.task("t").status, Status::Finished);
}

#[test]
fn a_rejected_result_that_is_offered_again_at_once_leaves_each_judgement_its_record() {
    let stage = stage(|ask| {
        let again = ask.turn == Some((Kind::Result, Stance::Refuse));
        let result = Output::Report {
            task: ask.task.id.clone(),
            progress: Progress::Result(words("it is the fibre")),
        };
        match ask.verb {
            Verb::TaskAssign => vec![answer(Verdict::Accepted), result],
            _ if again => vec![answer(Verdict::Accepted), result],
            _ => vec![answer(Verdict::Accepted)],
        }
    });
    stage.say("operator", assignment("t", EXPECTING)).unwrap();
    let judge = |round, text| Negotiate {
        round: Some(round),
        ..message(Verb::FulfillmentNegotiate, "t", text)
    };
    let first = stage.say("operator", judge(1, REJECT)).unwrap();
    assert_eq!(stage.say("operator", judge(1, REJECT)), Ok(first));
    let second = stage.say("operator", judge(2, ACCEPT)).unwrap();
    assert_eq!(second.status, Some(Status::Finished));
    let records = stage.records("operator");
    for round in [1, 2] {
        let id = format!("t/result/{round}/operator");
        assert!(records.contains(&id), "{id} is not in {records:?}");
    }
}

#[test]
fn the_executor_is_told_the_round_of_each_turn() {
    let rounds = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&rounds);
    let stage = stage(move |ask| {
        told.lock().unwrap().push((ask.turn, ask.round));
        match ask.turn {
            Some((_, Stance::Offer)) => {
                let counter = vec![words("rather by day")];
                vec![Output::Answer(Reply::new(Verdict::Offered, counter))]
            }
            _ => vec![answer(Verdict::Accepted)],
        }
    });
    stage.say("operator", assignment("t", JOB)).unwrap();
    for text in [JOB, JOB, ACCEPT] {
        let round = Some(rounds.lock().unwrap().len() as u32);
        let said = message(Verb::FulfillmentNegotiate, "t", text);
        let said = Negotiate { round, ..said };
        stage.say("operator", said).unwrap();
    }
    let turn = |stance| Some((Kind::Fulfillment, stance));
    let expected = [
        (None, 1),
        (turn(Stance::Offer), 1),
        (turn(Stance::Offer), 2),
        (turn(Stance::Accept), 3),
    ];
    assert_eq!(*rounds.lock().unwrap(), expected);
}

#[test]
fn a_judgement_that_an_administrator_gave_is_not_given_again() {
    let stage = stage(|ask| match ask.verb {
        Verb::TaskAssign => vec![Output::Answer(Reply::new(
            Verdict::Result,
            vec![words("it is the fibre")],
        ))],
        _ => vec![answer(Verdict::Accepted)],
    });
    stage.say("outside", assignment("t", EXPECTING)).unwrap();
    let judge = || message(Verb::FulfillmentNegotiate, "t", ACCEPT);
    stage.say("operator", judge()).unwrap();
    let version = stage.task("t").version;
    stage.say("outside", judge()).unwrap();
    assert_eq!(stage.task("t").version, version);
}

#[test]
fn a_question_about_a_task_is_recorded_with_its_parties_alone() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.say("outside", assignment("t", JOB)).unwrap();
    let query = Negotiate {
        to: None,
        ..message(Verb::TaskResultQuery, "t", "")
    };
    stage.say("outside", query).unwrap();
    let of_worker = stage.records("worker");
    assert!(of_worker.iter().any(|id| id.starts_with("query")));
    assert_eq!(stage.records("desk"), Vec::<String>::new());
}

#[test]
fn data_that_one_has_entered_another_cannot_enter() {
    let stage = stage(|_| Vec::new());
    let both = ["outside", "outlaw"].map(|who| {
        let data = inline("plan", who);
        stage.begin(who, data)
    });
    let [first, second] = both.map(outcome);
    assert!(first.is_ok(), "{first:?}");
    assert!(
        matches!(
            second,
            Err(Refusal::Conflict(Conflict::Unobtainable {
                field: Field::DataId,
                ..
            }))
        ),
        "{second:?}"
    );
    assert!(stage.reads("outside", "plan") && !stage.reads("outlaw", "plan"));
}

#[test]
fn data_begun_and_left_keep_nobody_from_entering_others() {
    let stage = stage(|_| Vec::new());
    let begin = |id: &str| stage.begin("outside", first_of_two(id));
    for n in 0..10_001 {
        drop(begin(&format!("left-{n}")));
    }
    let one_more = outcome(begin("one-more"));
    assert!(one_more.is_ok(), "{one_more:?}");
}

#[test]
fn data_of_an_assignment_are_whole_and_its_executor_can_read_them() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out2");
    let with = |task, id: &str| Negotiate {
        data: Some(id.to_owned()),
        ..assignment(task, JOB)
    };
    let refused = |outcome: Result<Reply, Refusal>| match outcome {
        Err(Refusal::InvalidInput(InvalidInput::Unusable { field, .. })) => {
            assert_eq!(field, Field::Data)
        }
        other => panic!("{other:?}"),
    };
    let write = |write| stage.run("outside", write).unwrap();
    write(first_of_two("film"));
    refused(stage.say("outside", with("t1", "film")));
    write(WriteData {
        offset: 4,
        size: None,
        finished: true,
        ..first_of_two("film")
    });
    let assigned = stage.begin("outside", with("t1", "film"));
    // Given away is given away, also before it is on disk.
    refused(stage.say(
        "outside",
        Negotiate {
            to: Some("out2".to_owned()),
            ..with("t2", "film")
        },
    ));
    outcome(assigned).unwrap();
    assert!(stage.reads("worker", "film") && !stage.reads("out2", "film"));
    stage.say("outside", with("t3", "film")).unwrap();
}

#[test]
fn an_assignment_is_the_same_under_another_patience_of_the_platform() {
    let folder = tempfile::tempdir().unwrap();
    let patience = |answer_within_ms| Limits {
        answer_within_ms,
        ..Limits::default()
    };
    let first = in_folder(folder.path(), patience(60_000));
    let stated = || Negotiate {
        answer_within_ms: Some(5_000),
        ..assignment("stated", JOB)
    };
    let replies = [assignment("t", JOB), stated()].map(|a| first.say("operator", a));
    drop(first);
    let second = in_folder(folder.path(), patience(90_000));
    let again = [assignment("t", JOB), stated()].map(|a| second.say("operator", a));
    assert_eq!(replies, again);
    let other = Negotiate {
        answer_within_ms: Some(6_000),
        ..stated()
    };
    let refused = second.say("operator", other);
    assert!(
        matches!(refused, Err(Refusal::Conflict(Conflict::TaskExists { .. }))),
        "{refused:?}"
    );
}

#[test]
fn what_an_agent_was_asked_about_is_withdrawn_when_it_leaves() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out");
    let proposal = Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FeasibilityNegotiate, "t", JOB)
    };
    let waiting = stage.begin("operator", proposal);
    stage.run("out", DeregisterAgent { name: None }).unwrap();
    match answered(&stage, waiting) {
        Some(Ok(told)) => assert_eq!(told.reply.verdict, Verdict::Refused),
        other => panic!("{other:?}"),
    }
    let state = stage.negotiation("t", Kind::Feasibility).state;
    assert_eq!(state, State::Withdrawn);
    stage.say("operator", assignment("t", JOB)).unwrap();
}

#[test]
fn a_plan_that_the_executor_never_answers_expires() {
    let mut stage = stage(|ask| match ask.verb {
        Verb::TaskAssign => vec![answer(Verdict::Accepted)],
        _ => vec![answer(Verdict::Pending)],
    });
    let assign = Negotiate {
        answer_within_ms: Some(1_000),
        ..assignment("t", JOB)
    };
    stage.say("operator", assign).unwrap();
    let plan = |text: &str| {
        let text = format!("## target object\nlink\n## task description\n{text}");
        message(Verb::FulfillmentNegotiate, "t", &text)
    };
    stage.say("operator", plan("by night")).unwrap();
    stage.pass(1_000);
    let state = stage.negotiation("t", Kind::Fulfillment).state;
    assert_eq!(state, State::Expired);
    assert_eq!(stage.task("t").status, Status::Processing);
    stage.say("operator", plan("by day")).unwrap();
}

#[test]
fn the_next_who_is_asked_for_a_place_goes_on_counting() {
    let stage = stage(|_| vec![answer(Verdict::Refused)]);
    let form = || {
        let need = Need {
            name: "place".to_owned(),
            criteria: Criteria {
                tags: vec!["ip".to_owned()],
                ..Criteria::default()
            },
            content: words("diagnose it"),
            optional: false,
        };
        let (task, needs) = (TaskId::new("whole"), vec![need]);
        let formed = stage.run("operator", FormTeam { task, needs });
        assert!(formed.is_ok(), "{formed:?}");
        stage.negotiation("whole/place", Kind::Feasibility).version
    };
    let before = form();
    stage.register("out");
    assert!(form() > before);
}

#[test]
fn a_pending_answer_is_overtaken_by_the_real_one() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out");
    let to_out = |negotiate: Negotiate| Negotiate {
        to: Some("out".to_owned()),
        ..negotiate
    };
    let from_out = |verb, task: &str, text: &str| Negotiate {
        to: Some("operator".to_owned()),
        ..message(verb, task, text)
    };
    let assign = || to_out(assignment("t", JOB));
    for _ in 0..2 {
        let reply = stage.say("operator", assign()).unwrap();
        assert_eq!(reply.verdict, Verdict::Pending);
    }
    let refusal = format!("{JOB}\n## status\nrejected");
    let refused = from_out(Verb::TaskResultNotify, "t", &refusal);
    stage.say("out", refused).unwrap();
    let reply = stage.say("operator", assign()).unwrap();
    assert_eq!(reply.verdict, Verdict::Refused);
    assert_eq!(reply.status, Some(Status::Rejected));
    // A plan for a task under way, likewise.
    stage
        .say("operator", to_out(assignment("t2", JOB)))
        .unwrap();
    let begun = format!("{JOB}\n## progress\n5 %");
    let begun = from_out(Verb::TaskResultNotify, "t2", &begun);
    stage.say("out", begun).unwrap();
    let plan = || to_out(message(Verb::FulfillmentNegotiate, "t2", JOB));
    for _ in 0..2 {
        let reply = stage.say("operator", plan()).unwrap();
        assert_eq!((reply.verdict, reply.round), (Verdict::Pending, Some(1)));
    }
    let taken = from_out(Verb::FulfillmentNegotiate, "t2", ACCEPT);
    stage.say("out", taken).unwrap();
    let reply = stage.say("operator", plan()).unwrap();
    assert_eq!((reply.verdict, reply.round), (Verdict::Accepted, Some(1)));
    assert_eq!(reply.status, Some(Status::Processing));
}

#[test]
fn a_question_that_took_too_long_gets_its_answer_when_asked_again() {
    let mut stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out");
    let proposal = || Negotiate {
        to: Some("out".to_owned()),
        ..message(Verb::FeasibilityNegotiate, "t", JOB)
    };
    let waiting = stage.begin("operator", proposal());
    stage.pass(Limits::default().synchronous_ms);
    match answered(&stage, waiting) {
        Some(Ok(told)) => assert_eq!(told.reply.verdict, Verdict::Pending),
        other => panic!("{other:?}"),
    }
    let no = Negotiate {
        to: Some("operator".to_owned()),
        ..message(Verb::FeasibilityNegotiate, "t", REJECT)
    };
    stage.say("out", no).unwrap();
    let reply = stage.say("operator", proposal()).unwrap();
    assert_eq!((reply.verdict, reply.round), (Verdict::Refused, Some(1)));
    assert_eq!(reply.reasons[0].message, "no");
}

#[test]
fn what_was_acknowledged_is_acknowledged_again_when_its_executor_has_left() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.register("out");
    let to_out = |negotiate: Negotiate| Negotiate {
        to: Some("out".to_owned()),
        ..negotiate
    };
    let assign = || to_out(assignment("t", JOB));
    stage.say("operator", assign()).unwrap();
    stage.run("out", DeregisterAgent { name: None }).unwrap();
    let again = stage.say("operator", assign()).unwrap();
    assert_eq!(again.verdict, Verdict::Refused);
    assert_eq!(again.status, Some(Status::Failed));
    let other = stage.say("operator", to_out(assignment("t2", JOB)));
    assert!(
        matches!(other, Err(Refusal::NotFound(NotFound::Agent { .. }))),
        "{other:?}"
    );
}

#[test]
fn an_executor_refuses_what_it_answered_pending_and_fails_what_it_had_begun() {
    let stage = stage(|ask| {
        let first = match ask.task.id.as_str() {
            "begun" => Verdict::Accepted,
            _ => Verdict::Pending,
        };
        let refused = Output::Report {
            task: ask.task.id.clone(),
            progress: Progress::Refused(words("not today")),
        };
        vec![answer(first), refused]
    });
    for (id, status) in [("t", Status::Rejected), ("begun", Status::Failed)] {
        stage.say("operator", assignment(id, JOB)).unwrap();
        assert_eq!(stage.task(id).status, status);
        assert_eq!(stage.task(id).said, Some(words("not today")));
    }
}
