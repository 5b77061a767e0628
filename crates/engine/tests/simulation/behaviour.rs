//! The minds of the agents in here: they answer in every way an agent may, some of them badly, and
//! write down what they were asked.
//!
//! What a mind does depends on the seed and on what it was asked how often, so that one that is
//! asked twice is likely to answer differently. Read next: `domain::agent`.

use crate::step::{hash, pick};
use crate::verdict::Lie;
use domain::agent::{Agent, Ask, Input, Output, Progress};
use domain::content::Content;
use domain::negotiation::{Kind, Speech, Stance};
use domain::reply::{Reason, Reply, Verdict};
use domain::task::TaskId;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What minds were asked, and how often.
#[derive(Default)]
pub struct Book {
    /// Assignments, by task.
    pub assigned: BTreeMap<TaskId, u32>,
    /// Publishers' turns, by task, kind, round and agent.
    pub turns: BTreeMap<(TaskId, Kind, u32, String), u32>,
}

/// What a mind has to do when it is woken.
enum Errand {
    Work(TaskId, u64),
    Word(TaskId, Kind),
}

pub struct Behaviour {
    pub name: String,
    pub seed: u64,
    pub book: Arc<Mutex<Book>>,
    pub lie: Option<Lie>,
    pub errands: Errands,
    pub next: u64,
}

/// What a mind still has to do, by token.
#[derive(Default)]
pub struct Errands(BTreeMap<u64, Errand>);

impl Agent for Behaviour {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Started(briefing) => {
                let open = briefing.open.iter();
                open.map(|task| self.later(Errand::Work(task.id.clone(), task.version), now, 500))
                    .collect()
            }
            Input::Asked(ask) => self.asked(&ask, now),
            Input::Woken(token) => match self.errands.0.remove(&token) {
                Some(Errand::Work(task, nth)) => self.work(task, nth, now),
                Some(Errand::Word(task, kind)) => {
                    let speech = self.speech(&task, kind, token);
                    vec![Output::Speak { task, kind, speech }]
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

impl Behaviour {
    fn chance(&self, task: &TaskId, nth: u64, below: u64) -> u64 {
        pick(&[self.seed, hash(&self.name), hash(task.as_str()), nth]) % below
    }

    fn later(&mut self, errand: Errand, now: Timestamp, most_ms: u64) -> Output {
        self.next += 1;
        self.errands.0.insert(self.next, errand);
        Output::Wake {
            token: self.next,
            at: now + (1 + pick(&[self.seed, self.next]) % most_ms) as i64,
        }
    }

    fn asked(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        match (ask.verb, ask.turn) {
            (Verb::TaskAssign, _) => self.assigned(ask, now),
            (Verb::FeasibilityNegotiate, Some((kind, Stance::Offer)))
            | (Verb::FulfillmentNegotiate, Some((kind @ Kind::Fulfillment, Stance::Offer))) => {
                self.proposed(ask, kind, now)
            }
            (Verb::FulfillmentNegotiate, _) => {
                let again = self.later(Errand::Work(ask.task.id.clone(), 900), now, 4_000);
                vec![Output::Answer(Reply::accepted()), again]
            }
            _ => vec![Output::Answer(Reply::accepted())],
        }
    }

    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let task = &ask.task.id;
        if ask.content.task_description == "silent" {
            // Owes an answer: a defect of the agent, and nothing may come of it.
            return Vec::new();
        }
        let times = {
            let mut book = self.book.lock().unwrap();
            let times = book.assigned.entry(task.clone()).or_default();
            *times += if self.lie == Some(Lie::RunTwice) {
                2
            } else {
                1
            };
            u64::from(*times)
        };
        let said = || vec![self.said(task, times)];
        let word = match ask.content.task_description.as_str() {
            "now" | "later" if ask.task.conditions.fulfillment_demanded => "propose",
            word => word,
        };
        let (verdict, content) = match word {
            "now" => (Verdict::Result, said()),
            "ask" => (Verdict::InputRequired, said()),
            "propose" => (Verdict::Offered, said()),
            "refuse" => (Verdict::Refused, vec![]),
            "pending" => (Verdict::Pending, vec![]),
            _ => (Verdict::Accepted, vec![]),
        };
        let work = self.later(Errand::Work(task.clone(), times), now, 3_000);
        let mut outputs = vec![Output::Answer(Reply::new(verdict, content)), work];
        // The answer may stand anywhere among the outputs.
        if self.chance(task, times, 2) == 0 {
            outputs.reverse();
        }
        outputs
    }

    fn proposed(&mut self, ask: &Ask, kind: Kind, now: Timestamp) -> Vec<Output> {
        let task = &ask.task.id;
        let times = {
            let mut book = self.book.lock().unwrap();
            let key = (task.clone(), kind, ask.round, self.name.clone());
            let times = book.turns.entry(key).or_default();
            if kind == Kind::Feasibility {
                *times += 1;
            }
            u64::from(*times)
        };
        let draw = self.chance(task, u64::from(ask.round) * 100 + times, 12);
        let reply = match draw {
            0..3 => Reply::accepted(),
            3..5 => Reply {
                reasons: reasons(),
                ..Reply::new(Verdict::Refused, vec![])
            },
            5..8 => Reply::new(Verdict::Offered, vec![self.said(task, draw)]),
            8 => Reply::new(
                Verdict::Offered,
                vec![self.said(task, draw), self.said(task, draw + 1)],
            ),
            // An offer of nothing: a defect of the agent, and nothing may come of it.
            9 => {
                let key = (task.clone(), kind, ask.round, self.name.clone());
                self.book.lock().unwrap().turns.remove(&key);
                Reply::new(Verdict::Offered, vec![])
            }
            _ => {
                let word = self.later(Errand::Word(task.clone(), kind), now, 5_000);
                let pending = Reply::new(Verdict::Pending, vec![]);
                return vec![Output::Answer(pending), word];
            }
        };
        vec![Output::Answer(reply)]
    }

    /// The next thing that happens to a task that this agent carries out.
    fn work(&mut self, task: TaskId, nth: u64, now: Timestamp) -> Vec<Output> {
        let said = self.said(&task, nth);
        let progress = match self.chance(&task, nth, 14) {
            0..3 => Progress::Working {
                percent: (nth * 13 % 150) as u8,
                content: said,
            },
            3 => Progress::Blocked(said),
            4 => Progress::InputRequired(said),
            5 => Progress::AuthRequired(said),
            6..10 => Progress::Result(said),
            10 => Progress::Failed(said),
            _ => {
                let speech = self.speech(&task, Kind::Fulfillment, nth);
                let kind = Kind::Fulfillment;
                let word = Output::Speak {
                    task: task.clone(),
                    kind,
                    speech,
                };
                return self.and_on(word, task, nth, now);
            }
        };
        let report = Output::Report {
            task: task.clone(),
            progress,
        };
        self.and_on(report, task, nth, now)
    }

    fn and_on(&mut self, output: Output, task: TaskId, nth: u64, now: Timestamp) -> Vec<Output> {
        let mut outputs = vec![output];
        if nth % 100 < 6 {
            outputs.push(self.later(Errand::Work(task, nth + 1), now, 6_000));
        }
        outputs
    }

    fn speech(&self, task: &TaskId, kind: Kind, nth: u64) -> Speech {
        let offer = |many: u64| {
            let each = (0..many).map(|n| self.said(task, nth * 7 + n));
            Speech::offer(each.collect())
        };
        match (kind, self.chance(task, nth + 77, 6)) {
            (_, 0..2) => Speech::accept(),
            (_, 2) => Speech::refuse(reasons()),
            (_, 3..5) => offer(1),
            _ => offer(2),
        }
    }

    fn said(&self, task: &TaskId, nth: u64) -> Content {
        let words = format!("{} says {nth} of {task}", self.name);
        Content::new("site-1", words).with_result("done")
    }
}

fn reasons() -> Vec<Reason> {
    vec![Reason {
        reason: "no-capacity".to_owned(),
        path: String::new(),
        message: "busy".to_owned(),
    }]
}
