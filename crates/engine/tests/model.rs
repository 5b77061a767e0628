//! The task table against a model: a hundred thousand steps, each taken by the engine and by a few
//! lines that say in other words what it should do; both say the same yes or no, and end the same.
//!
//! The model knows the state of one task and nothing of how the engine decides. Its steps are
//! messages of a publisher and of an executor that is elsewhere, and time. Read next:
//! `simulation`, whose laws are about everything at once.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::Principal;
use domain::registry::Reach;
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::query::TaskById;
use engine::{
    Credential, Engine, Execution, Limits, Negotiate, Negotiated, Refusal, RegisterAgent, Setup,
};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use testkit::{Willing, at_once, hosted, message, profile, setup};

/// Steps in all; of one task; and how many tasks there are at a time.
const STEPS: usize = 100_000;
const STEPS_OF_ONE: usize = 20;
const AT_A_TIME: usize = 50;
/// How long the publisher may be silent, in milliseconds, and when the task must be done.
const WITHIN_MS: i64 = 1_000;
const DEADLINE_MS: i64 = 4_000;
/// What a step of time is.
const PASSES_MS: i64 = 400;

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Works,
    Blocks,
    Asks,
    WantsCredentials,
    Offers,
    Fails,
    Refuses,
    /// The executor, of how it means to do it.
    Proposes,
    /// The publisher, of what waits for it.
    Accepts,
    Rejects,
    /// The publisher: an answer, a counter-offer, or another plan, as it comes.
    Talks,
    Cancels,
}

const SAID: [Said; 16] = [
    Said::Works,
    Said::Works,
    Said::Blocks,
    Said::Asks,
    Said::Asks,
    Said::WantsCredentials,
    Said::Offers,
    Said::Offers,
    Said::Fails,
    Said::Refuses,
    Said::Proposes,
    Said::Accepts,
    Said::Accepts,
    Said::Rejects,
    Said::Talks,
    Said::Cancels,
];

const WORKING: [&str; 3] = ["created", "processing", "blocked"];
const ENDED: [&str; 5] = ["failed", "finished", "cancelled", "rejected", "unconfirmed"];

/// One task, as a few lines understand it.
#[derive(Clone, Debug)]
struct Model {
    state: &'static str,
    since: i64,
    deadline: i64,
    judged: bool,
    /// When the publisher spoke last of how it is done, and the executor has not answered yet.
    planned: Option<i64>,
}

impl Model {
    /// Takes what is said, if it can be said now.
    fn take(&mut self, said: Said, now: i64) -> bool {
        use Said::*;
        let publishers = [Accepts, Rejects, Talks].contains(&said);
        let next = match (self.state, said) {
            // To cancel once more changes nothing.
            ("cancelled", Cancels) => "cancelled",
            (ended, _) if ENDED.contains(&ended) => return false,
            (_, Cancels) => "cancelled",
            (_, Fails) => "failed",
            ("created", Refuses) => "rejected",
            ("question" | "credentials", _) if publishers => "processing",
            ("judgement", Accepts) => "finished",
            ("judgement", Rejects) | ("decision", Accepts | Rejects | Talks) => "processing",
            (working, _) if !WORKING.contains(&working) => return false,
            (_, Works) => "processing",
            (working, Blocks) if working != "blocked" => "blocked",
            (_, Asks) => "question",
            (_, WantsCredentials) => "credentials",
            (_, Proposes) => "decision",
            (_, Offers) if self.judged => "judgement",
            (_, Offers) => "finished",
            (same, Talks) if self.planned.is_none() => same,
            _ => return false,
        };
        match (self.state, said) {
            ("decision", Rejects | Talks) => self.planned = Some(now),
            (working, Talks) if WORKING.contains(&working) => self.planned = Some(now),
            (_, Proposes) | ("decision", _) => self.planned = None,
            _ => {}
        }
        if !WORKING.contains(&next) {
            self.since = now;
        }
        self.state = next;
        true
    }

    fn pass(&mut self, now: i64) {
        let silent = now - self.since >= WITHIN_MS;
        self.state = match self.state {
            "judgement" if silent => "unconfirmed",
            "question" | "credentials" | "decision" if silent => "failed",
            "created" | "processing" | "blocked" if now >= self.deadline => "failed",
            other => other,
        };
        // A plan that the executor does not answer is no plan any more.
        self.planned = self.planned.filter(|said| now - said < WITHIN_MS);
    }
}

/// The state of a task, in the model's words.
fn state_of(task: &Task) -> &'static str {
    match task.awaits.map(|a| a.as_str()) {
        Some("answer") => "question",
        Some(awaited) => awaited,
        None => task.status.as_str(),
    }
}

fn principal(name: &str) -> Principal {
    let agent = name == "field";
    let group = if agent { "agents" } else { "admin" };
    Principal {
        name: name.to_owned(),
        groups: [group.to_owned()].into(),
        agent,
        source: String::new(),
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Negotiated, Refusal>> + Send>>;

struct Platform {
    engine: Engine,
    now: i64,
    messages: u64,
}

impl Platform {
    fn new() -> Self {
        let engine = Engine::open(Setup {
            limits: Limits {
                rounds: 100,
                ..Limits::default()
            },
            credentials: Box::new(|name| (name == "field").then_some(Credential::Agent)),
            ..setup([hosted(profile("worker"), Willing, Timestamp::from_ms(0))])
        });
        let engine = engine.unwrap();
        engine.start(Timestamp::from_ms(1_000));
        let platform = Self {
            engine,
            now: 1_000,
            messages: 0,
        };
        let register = RegisterAgent {
            profile: profile("field"),
            reach: Reach::Client,
            lease_ms: 7 * 86_400_000,
        };
        let now = Timestamp::from_ms(platform.now);
        drop(platform.engine.execute(&principal("field"), register, now));
        platform
    }

    fn execute(&self, who: &str, operation: Negotiate) -> Answer {
        let now = Timestamp::from_ms(self.now);
        match self.engine.execute(&principal(who), operation, now) {
            Execution::Done(outcome) => Box::pin(std::future::ready(outcome)),
            Execution::Pending(answer) => answer,
        }
    }

    fn negotiate(&mut self, who: &str, verb: Verb, task: &TaskId, sections: &str) -> Answer {
        self.messages += 1;
        // No two messages are the same: none is a repetition of one before.
        let text = format!(
            "## target object\nsite-1\n## task description\nmessage {}\n{sections}",
            self.messages
        );
        let negotiate = Negotiate {
            to: (who == "operator").then(|| "field".to_owned()),
            ..message(verb, task.as_str(), &text)
        };
        self.execute(who, negotiate)
    }

    fn assign(&mut self, task: &TaskId, judged: bool) -> Model {
        let expected = if judged {
            "## expected response\nwell\n"
        } else {
            ""
        };
        let deadline = Timestamp::from_ms(self.now + DEADLINE_MS);
        let text = format!("## target object\nsite-1\n## task description\ndo it\n{expected}");
        let negotiate = Negotiate {
            deadline: Some(deadline),
            answer_within_ms: Some(WITHIN_MS),
            ..testkit::assignment("field", task.as_str(), &text)
        };
        drop(self.execute("operator", negotiate));
        Model {
            state: "created",
            since: self.now,
            deadline: self.now + DEADLINE_MS,
            judged,
            planned: None,
        }
    }

    fn say(&mut self, task: &TaskId, said: Said) -> Answer {
        let report = Verb::TaskResultNotify;
        let fulfil = Verb::FulfillmentNegotiate;
        let (who, verb, sections) = match said {
            Said::Works => ("field", report, "## progress\n10 percent"),
            Said::Blocks => ("field", report, "## status\nblocked"),
            Said::Asks => ("field", report, "## status\ninput-required"),
            Said::WantsCredentials => ("field", report, "## status\nauth-required"),
            Said::Offers => ("field", report, "## result\ndone"),
            Said::Fails => ("field", report, "## status\nfailed"),
            Said::Refuses => ("field", report, "## status\nrejected"),
            Said::Proposes => ("field", fulfil, ""),
            Said::Accepts => ("operator", fulfil, "## result\naccept"),
            Said::Rejects => ("operator", fulfil, "## result\nreject"),
            Said::Talks => ("operator", fulfil, ""),
            Said::Cancels => ("operator", Verb::TaskCancel, ""),
        };
        self.negotiate(who, verb, task, sections)
    }

    fn flush(&self) {
        let flushed = self.engine.store().commit(store::Batch::default());
        flushed.wait().unwrap();
    }

    fn task(&self, id: &TaskId) -> Arc<Task> {
        let read = TaskById(id.clone());
        let now = Timestamp::from_ms(self.now);
        let found = self.engine.read(&principal("operator"), read, now);
        found.unwrap().unwrap()
    }
}

/// The next number of a sequence that looks like chance.
fn draw(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 33) as usize
}

/// True if it was taken; it was on disk already, so it is known.
fn taken(mut answer: Answer) -> Result<(), Refusal> {
    // What is asked behind a commit may need another look.
    match at_once(answer.as_mut()) {
        Some(outcome) => outcome.map(drop),
        None => panic!("nothing waits once everything is on disk"),
    }
}

#[test]
fn the_engine_says_what_the_model_says() {
    let (mut platform, mut chance) = (Platform::new(), 0x5EED_0001);
    let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
    let rounds = STEPS / STEPS_OF_ONE / AT_A_TIME;
    for round in 0..rounds {
        let ids: Vec<TaskId> = (0..AT_A_TIME)
            .map(|n| TaskId::new(format!("t{round}-{n}")))
            .collect();
        let mut models: Vec<Model> = ids
            .iter()
            .enumerate()
            .map(|(n, id)| platform.assign(id, n % 3 > 0))
            .collect();
        for step in 0..STEPS_OF_ONE {
            let mut answers = Vec::new();
            for (id, model) in ids.iter().zip(&mut models) {
                let said = SAID[draw(&mut chance) % SAID.len()];
                let before = model.clone();
                let wanted = model.take(said, platform.now);
                answers.push((platform.say(id, said), said, before, wanted));
            }
            platform.flush();
            for ((id, model), (answer, said, before, wanted)) in
                ids.iter().zip(&models).zip(answers)
            {
                let answer = taken(answer);
                assert_eq!(answer.is_ok(), wanted, "{said:?} to {before:?}: {answer:?}");
                let state = state_of(&platform.task(id));
                assert_eq!(state, model.state, "{said:?} to {before:?}");
            }
            if step % 2 == 1 {
                platform.now += PASSES_MS;
                platform.engine.tick(Timestamp::from_ms(platform.now));
                platform.flush();
                for (id, model) in ids.iter().zip(&mut models) {
                    let before = model.clone();
                    model.pass(platform.now);
                    let state = state_of(&platform.task(id));
                    assert_eq!(state, model.state, "at {} after {before:?}", platform.now);
                }
            }
        }
        for model in models {
            *ends.entry(model.state).or_default() += 1;
        }
    }
    // Every end was reached often enough.
    for end in ENDED {
        assert!(ends.get(end).is_some_and(|n| *n > 20), "{ends:?}");
    }
}
