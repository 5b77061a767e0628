//! One seed: who asks what, and what was answered.
//!
//! Resolves the numbers of a [`Step`] among what is there, asks the engine, and hears the answers
//! when everything is on disk. What is right is for [`crate::laws`]. Read next:
//! [`crate::everything`], [`crate::verdict`].

use crate::behaviour::Book;
use crate::everything::{Everything, LOST};
use crate::laws::Laws;
use crate::platform::{self, Place, Platform, SYNCHRONOUS_MS};
use crate::step::{Step, pick};
use crate::verdict::{Broken, Lie, Tally};
use domain::access::Principal;
use domain::content::Content;
use domain::discovery::Criteria;
use domain::negotiation::{Kind, Side};
use domain::registry::{Health, Reach};
use domain::reply::Reply;
use domain::task::{Awaits, Subscription, Task, TaskId};
use domain::team::Need;
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::{
    DeregisterAgent, Endpoint, Execution, FormTeam, Negotiate, Operation, Refusal, RegisterAgent,
    RenewLease,
};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use testkit::{at_once, wait};

/// One request of `task-negotiate`.
pub struct Asked {
    pub who: String,
    pub negotiate: Negotiate,
    pub sent: Timestamp,
    /// What its task waited for then.
    pub awaits: Option<Awaits>,
    /// The first reply that was heard.
    pub reply: Option<Reply>,
    /// True if it must be refused.
    pub meddles: bool,
    /// True if it was refused, at least once.
    pub refused: bool,
    /// True if it is known to be a turn of a negotiation.
    pub is_turn: bool,
    /// True if it was sent more than once, or its caller hung up.
    pub is_unsure: bool,
    pub is_counted: bool,
    /// True once it is too old to be remembered by anybody.
    pub forgotten: bool,
}

impl Asked {
    /// True if it has an identity of its own: sent again, it is the same request.
    pub fn is_repeatable(&self) -> bool {
        match self.negotiate.verb {
            Verb::TaskAssign | Verb::TaskCancel => true,
            _ => self.is_turn && self.negotiate.round.is_some(),
        }
    }
}

type Pending = Pin<Box<dyn Future<Output = Result<Option<Reply>, Refusal>> + Send>>;

/// Whoever waits for an answer: to which request, since when.
struct Caller {
    asked: Option<usize>,
    since: Timestamp,
    pending: Pending,
}

pub struct Trial {
    platform: Platform,
    pub now: Timestamp,
    asked: Vec<Asked>,
    callers: Vec<Caller>,
    /// True if the last step asked something, and nothing has happened since.
    just_asked: bool,
    laws: Laws,
    seed: u64,
    /// How often the platform died.
    deaths: u64,
}

/// Those who publish tasks; the first is an administrator.
const PUBLISHERS: [&str; 5] = ["operator", "watcher", "planner", "field", "operator"];
const EXECUTORS: [&str; 6] = ["worker", "planner", "field", "tower", "worker", "field"];
const OUTSIDE: [&str; 2] = ["field", "tower"];
const AGENTS: [&str; 4] = ["worker", "planner", "field", "tower"];
const WORDS: [&str; 12] = [
    "now", "later", "later", "later", "ask", "propose", "refuse", "pending", "later", "later",
    "now", "silent",
];

pub fn principal(name: &str) -> Principal {
    let agent = AGENTS.contains(&name);
    let group = match (agent, name) {
        (true, _) => "agents",
        (_, "operator") => "admin",
        _ => "viewer",
    };
    Principal {
        name: name.to_owned(),
        groups: [group.to_owned()].into(),
        agent,
        source: String::new(),
    }
}

fn at<T>(list: &[T], number: u8) -> Option<&T> {
    list.get(usize::from(number).checked_rem(list.len())?)
}

impl Trial {
    pub fn new(seed: u64, place: Place, lie: Option<Lie>) -> Self {
        let shards = [64, 1, 64, 3, 2][(seed % 5) as usize];
        Self::over(shards, seed, place, lie)
    }

    /// The same over so many shards.
    pub fn over(shards: usize, seed: u64, place: Place, lie: Option<Lie>) -> Self {
        let now = Timestamp::from_ms(100_000_000);
        let book = Arc::<Mutex<Book>>::default();
        let platform = Platform::new((seed, shards), place, Arc::clone(&book), lie, now);
        let mut trial = Self {
            platform,
            laws: Laws::new(book, lie),
            now,
            asked: Vec::new(),
            callers: Vec::new(),
            just_asked: false,
            seed,
            deaths: 0,
        };
        for name in &OUTSIDE[..(seed % 3) as usize] {
            trial.register(name);
        }
        trial
    }

    pub fn take(&mut self, step: &Step) -> Result<(), Broken> {
        let asked = self.asked.len();
        // What a word means follows from what the task waits for, and that from what its executor
        // has said by then.
        if self.platform.is_beside() && matches!(step, Step::Say { .. }) {
            self.tick()?;
        }
        let taken = self.take_one(step);
        self.just_asked = self.asked.len() > asked;
        taken
    }

    /// Where agents step beside the decisions, a death finds them anywhere: what is decided is on
    /// disk or not, some have stepped because of it, and what came of that is on disk or not.
    fn come_some_way(&mut self) {
        if !self.platform.is_beside() {
            return;
        }
        self.deaths += 1;
        let way = pick(&[self.seed, self.deaths]);
        if way.is_multiple_of(4) {
            return;
        }
        self.platform.flush(self.now);
        for _ in 0..way / 4 % 4 {
            self.platform.step(self.now);
        }
        if way % 4 == 3 {
            self.platform.flush(self.now);
        }
    }

    fn take_one(&mut self, step: &Step) -> Result<(), Broken> {
        match step {
            Step::Assign {
                from,
                to,
                task,
                word,
                terms,
            } => self.assign(*from, *to, *task, *word, *terms),
            Step::Offer {
                from,
                to,
                task,
                word,
                alternatives,
                numbered,
            } => {
                let from = PUBLISHERS[usize::from(*from) % 5];
                let to = EXECUTORS[usize::from(*to) % 6];
                let texts = (0..*alternatives).map(|n| {
                    let word = WORDS[usize::from(word.wrapping_add(n)) % 12];
                    self.text(word, "")
                });
                let texts = texts.collect();
                let id = TaskId::new(format!("t{task}"));
                let next = self
                    .laws
                    .round_of_next(&id, Kind::Feasibility, Side::Publisher);
                self.ask(
                    from,
                    Negotiate {
                        to: Some(to.to_owned()),
                        task: Some(id),
                        texts,
                        round: numbered.then_some(next),
                        ..Negotiate::new(Endpoint::Platform, Verb::FeasibilityNegotiate)
                    },
                );
            }
            Step::Settle { pick, word } => {
                let open = self.laws.open_negotiations(Side::Publisher, |_| true);
                if let Some((task, publisher, executor)) = at(&open, *pick).cloned() {
                    self.say(
                        &publisher,
                        Some(&executor),
                        Verb::FeasibilityNegotiate,
                        &task,
                        *word,
                        true,
                    );
                }
            }
            Step::Counter { pick, word } => {
                let outside = |name: &str| OUTSIDE.contains(&name);
                let open = self.laws.open_negotiations(Side::Executor, outside);
                if let Some((task, publisher, executor)) = at(&open, *pick).cloned() {
                    self.say(
                        &executor,
                        Some(&publisher),
                        Verb::FeasibilityNegotiate,
                        &task,
                        *word,
                        true,
                    );
                }
            }
            Step::Say {
                pick,
                word,
                numbered,
            } => {
                let waiting = self.laws.tasks(|t| t.awaits.is_some());
                let others = self.laws.tasks(|t| !t.status.is_terminal());
                let list = if waiting.is_empty() || word % 8 == 0 {
                    others
                } else {
                    waiting
                };
                if let Some(task) = at(&list, *pick).cloned() {
                    let who = if pick % 16 == 15 {
                        "operator"
                    } else {
                        &task.from
                    };
                    let verb = Verb::FulfillmentNegotiate;
                    self.say(who, Some(&task.to), verb, &task.id, *word, *numbered);
                }
            }
            Step::Speak {
                pick,
                word,
                numbered,
            } => {
                let own = self.laws.tasks(|t| OUTSIDE.contains(&t.to.as_str()));
                if let Some(task) = at(&own, *pick).cloned() {
                    let verb = Verb::FulfillmentNegotiate;
                    self.say(&task.to, None, verb, &task.id, *word, *numbered);
                }
            }
            Step::Report { pick, word } => {
                let own = self.laws.tasks(|t| OUTSIDE.contains(&t.to.as_str()));
                let open = self
                    .laws
                    .tasks(|t| OUTSIDE.contains(&t.to.as_str()) && !t.status.is_terminal());
                let list = if open.is_empty() { own } else { open };
                if let Some(task) = at(&list, *pick).cloned() {
                    self.report(&task.to, &task.id, *word);
                }
            }
            Step::Cancel { pick } => {
                let tasks = self.laws.tasks(|_| true);
                if let Some(task) = at(&tasks, *pick).cloned() {
                    self.cancel(&task.from, &task);
                }
            }
            Step::Subscribe { pick } => {
                let tasks = self.laws.tasks(|_| true);
                if let Some(task) = at(&tasks, *pick).cloned() {
                    let texts = vec![self.text("tell", "")];
                    self.ask(
                        &task.from,
                        Negotiate {
                            to: Some(task.to.clone()),
                            task: Some(task.id.clone()),
                            texts,
                            subscription: Some(Subscription {
                                protocol: "http".to_owned(),
                                method: "POST".to_owned(),
                                url: format!("http://127.0.0.1/{}", pick % 3),
                            }),
                            ..Negotiate::new(Endpoint::Platform, Verb::TaskResultSubscribe)
                        },
                    );
                }
            }
            Step::Ask { who, pick } => {
                let tasks = self.laws.tasks(|_| true);
                let task = at(&tasks, *pick).cloned();
                let verb = match task {
                    Some(_) => Verb::TaskResultQuery,
                    None => Verb::CapabilityRequest,
                };
                let anybody = PUBLISHERS[usize::from(*who) % 5];
                let who = task.as_ref().map_or(anybody, |t| &t.from).to_owned();
                let texts = vec![self.text("tell", "")];
                self.ask(
                    &who,
                    Negotiate {
                        to: task.as_ref().map(|t| t.to.clone()),
                        task: task.map(|t| t.id.clone()),
                        texts,
                        ..Negotiate::new(Endpoint::Platform, verb)
                    },
                );
            }
            Step::Meddle { who, pick, word } => self.meddle(*who, *pick, *word),
            Step::Again { pick } => return self.again(*pick),
            Step::Place { agent, word } => self.place(OUTSIDE[usize::from(*agent) % 2], *word),
            Step::Team { from, task, places } => self.team(*from, *task, *places),
            Step::Pass(ms) => {
                self.now = self.now + i64::from(*ms);
                self.platform.engine().tick(self.now);
            }
            Step::Tick => return self.tick(),
            Step::Trim => return self.trim(),
            Step::Reopen(back_ms) => return self.reopen(*back_ms),
            Step::Kill => return self.kill(),
        }
        Ok(())
    }

    /// The last laws: everything that can be read, at once.
    pub fn end(mut self) -> Result<Tally, Broken> {
        self.close()?;
        Ok(self.laws.tally)
    }

    /// What can be read once all is over.
    pub fn outcome(mut self) -> Result<Everything, Broken> {
        self.close()?;
        Ok(Everything::of(&self.platform, &self.laws))
    }

    fn close(&mut self) -> Result<(), Broken> {
        self.tick()?;
        self.audit()?;
        let engine = self.platform.engine();
        let stored = engine.store().entries(0, usize::MAX >> 1).unwrap();
        // What was trimmed may still be in memory.
        let last = engine.last_sequence();
        let front = stored.first().map_or(last, |e| e.sequence - 1);
        if engine.feed().after(front, usize::MAX >> 1).unwrap() != stored {
            return Err(Broken::new("the feed is the log", "they differ"));
        }
        if !engine.store().verify().unwrap().is_sound() {
            return Err(Broken::new("the store is sound", "verify says it is not"));
        }
        Ok(())
    }

    /// A text that no other request has; `sections` follow.
    fn text(&self, description: &str, sections: &str) -> String {
        let number = self.asked.len();
        format!(
            "## target object\nsite-1\n## task description\n{description}\n\
             ## environmental information\nrequest {number}\n{sections}"
        )
    }

    fn ask(&mut self, who: &str, negotiate: Negotiate) {
        let awaits = negotiate.task.as_ref().and_then(|id| self.laws.awaits(id));
        self.asked.push(Asked {
            awaits,
            who: who.to_owned(),
            negotiate,
            sent: self.now,
            reply: None,
            meddles: false,
            refused: false,
            is_turn: false,
            is_unsure: false,
            is_counted: false,
            forgotten: false,
        });
        self.send(self.asked.len() - 1);
    }

    /// A request is sent again, with or without its first caller still waiting.
    fn again(&mut self, pick: u8) -> Result<(), Broken> {
        let back = 1 + usize::from(pick) % self.asked.len().clamp(1, 12);
        let Some(number) = self.asked.len().checked_sub(back) else {
            return Ok(());
        };
        let fulfills = self.asked[number].negotiate.verb == Verb::FulfillmentNegotiate;
        if fulfills && !(self.just_asked && back == 1) {
            self.tick()?;
        }
        if self.asked[number].forgotten || !self.means_the_same(number) {
            return Ok(());
        }
        if pick.is_multiple_of(2) {
            self.forget_callers(Some(number));
        }
        self.asked[number].is_unsure = true;
        self.laws.tally.note("sent again");
        self.send(number);
        Ok(())
    }

    /// What `FulfillmentNegotiate` means follows from what the task waits for: sent again when that
    /// is something else, it is another message.
    fn means_the_same(&self, number: usize) -> bool {
        let asked = &self.asked[number];
        let awaits = asked.negotiate.task.as_ref().map(|id| self.laws.awaits(id));
        asked.negotiate.verb != Verb::FulfillmentNegotiate
            || awaits == Some(asked.awaits)
            || (awaits == Some(None) && asked.awaits != Some(Awaits::Answer))
    }

    fn send(&mut self, number: usize) {
        let asked = &self.asked[number];
        let (who, negotiate) = (principal(&asked.who), asked.negotiate.clone());
        let execution = self.platform.engine().execute(&who, negotiate, self.now);
        self.wait(Some(number), execution.map(|told| Some(told.reply)));
    }

    /// Does something that gets another answer than a reply.
    fn execute(&mut self, who: &str, operation: impl Operation) {
        let engine = self.platform.engine();
        let execution = engine.execute(&principal(who), operation, self.now);
        self.wait(None, execution.map(|_| None));
    }

    fn wait(&mut self, asked: Option<usize>, execution: Execution<Option<Reply>>) {
        let pending = match execution {
            Execution::Done(outcome) => Box::pin(std::future::ready(outcome)) as Pending,
            Execution::Pending(pending) => pending,
        };
        self.callers.push(Caller {
            asked,
            since: self.now,
            pending,
        });
    }

    fn assign(&mut self, from: u8, to: u8, task: u8, word: u8, terms: u16) {
        let has = |bit: u32| terms >> bit & 1 == 1;
        let from = PUBLISHERS[usize::from(from) % 5];
        let mut to = EXECUTORS[usize::from(to) % 6].to_owned();
        let mut from = from.to_owned();
        let mut id = TaskId::new(format!("t{task}"));
        let mut description = WORDS[usize::from(word) % 12].to_owned();
        let mut parent = None;
        if has(0) && has(1) {
            // A part: of what is under way, by one of its parties.
            let open = self.laws.tasks(|t| !t.status.is_terminal());
            if let Some(whole) = at(&open, word).cloned() {
                from = if has(2) {
                    whole.to.clone()
                } else {
                    whole.from.clone()
                };
                // A name of its own may lead to another shard than that of its whole.
                if !has(14) {
                    id = TaskId::new(format!("{}/p{}", whole.id, task % 3));
                }
                parent = Some(whole.id.clone());
            }
        } else if has(3)
            && let Some(agreed) = self.laws.agreed(&id)
        {
            (from, to) = (agreed.publisher, agreed.executor);
            if !has(4) {
                description = agreed.description;
            }
        }
        let expected = if has(5) {
            "## expected response\nservice\n"
        } else {
            ""
        };
        let texts = vec![self.text(&description, expected)];
        let late = i64::from(terms >> 8) * 40;
        self.ask(
            &from,
            Negotiate {
                to: Some(to),
                task: Some(id),
                texts,
                asynchronous: Some(has(6)),
                parent,
                deadline: (has(7) && has(8)).then_some(self.now + late),
                answer_within_ms: has(9).then_some(3_000),
                fulfillment: (has(10) && has(11)).then_some(true),
                round_limit: has(12).then_some(1 + u32::from(has(13))),
                ..Negotiate::new(Endpoint::Platform, Verb::TaskAssign)
            },
        );
    }

    /// Accepts, refuses, or offers something else.
    fn say(
        &mut self,
        who: &str,
        to: Option<&str>,
        verb: Verb,
        task: &TaskId,
        word: u8,
        numbered: bool,
    ) {
        let result = match word % 10 {
            0..4 => "## result\naccept\n",
            4 => "## result\naccept 1\n",
            5 => "## result\naccept 2\n",
            6 | 7 => "## result\nreject\n- not this\n",
            _ => "",
        };
        let texts = vec![self.text(&format!("said {word}"), result)];
        let side = self.laws.side_of(task, who);
        let round = self.laws.round_now(task, verb, side);
        self.ask(
            who,
            Negotiate {
                to: to.map(str::to_owned),
                task: Some(task.clone()),
                texts,
                round: numbered.then_some(round),
                ..Negotiate::new(Endpoint::Platform, verb)
            },
        );
    }

    fn report(&mut self, who: &str, task: &TaskId, word: u8) {
        let sections = match word % 9 {
            0..2 => "## progress\n40 percent\n",
            2 => "## status\nblocked\n",
            3 => "## status\ninput-required\n",
            4 => "## status\nauth-required\n",
            5 | 6 => "## result\ndone\n",
            7 => "## status\nfailed\n",
            _ => "## status\nrejected\n",
        };
        let texts = vec![self.text("reported", sections)];
        self.ask(
            who,
            Negotiate {
                task: Some(task.clone()),
                texts,
                ..Negotiate::new(Endpoint::Platform, Verb::TaskResultNotify)
            },
        );
    }

    fn cancel(&mut self, who: &str, task: &Task) {
        let texts = vec!["## target object\nsite-1\n## task description\nstop".to_owned()];
        self.ask(
            who,
            Negotiate {
                to: Some(task.to.clone()),
                task: Some(task.id.clone()),
                texts,
                ..Negotiate::new(Endpoint::Platform, Verb::TaskCancel)
            },
        );
    }

    /// Somebody who may not does it all the same.
    fn meddle(&mut self, who: u8, pick: u8, word: u8) {
        let tasks = self.laws.tasks(|_| true);
        let Some(task) = at(&tasks, pick).cloned() else {
            return;
        };
        let who = ["watcher", "planner", "tower", "worker"][usize::from(who) % 4];
        if who == task.from {
            return;
        }
        match word % 3 {
            0 => self.cancel(who, &task),
            1 if who != task.to => self.report(who, &task.id, word / 3),
            2 if who != task.to => {
                let verb = Verb::FulfillmentNegotiate;
                self.say(who, Some(&task.to), verb, &task.id, word / 3, false);
            }
            _ => return,
        }
        self.asked.last_mut().unwrap().meddles = true;
    }

    fn register(&mut self, name: &str) {
        let register = RegisterAgent {
            profile: platform::profile(name),
            reach: Reach::Client,
            lease_ms: 60_000,
        };
        self.execute(name, register);
    }

    fn place(&mut self, name: &str, word: u8) {
        let health = match word % 7 {
            5 => Health::Degraded,
            6 => Health::Failing,
            _ => Health::Ok,
        };
        match word % 8 {
            0..4 => self.register(name),
            4..7 => {
                let renew = RenewLease {
                    name: None,
                    health,
                    note: String::new(),
                };
                self.execute(name, renew);
            }
            _ => self.execute(name, DeregisterAgent { name: None }),
        }
    }

    fn team(&mut self, from: u8, task: u8, places: u8) {
        let need = |n: u8| Need {
            name: format!("n{n}"),
            criteria: Criteria {
                skill: Some("work".to_owned()),
                ..Criteria::default()
            },
            content: Content::new("site-1", WORDS[usize::from(n + task)]),
            optional: n == 2,
        };
        let form = FormTeam {
            task: TaskId::new(format!("t{task}")),
            needs: (0..places).map(need).collect(),
        };
        self.laws.tally.note("teams");
        self.execute(PUBLISHERS[usize::from(from) % 5], form);
    }

    /// Everything is on disk, answers are heard, and the laws are asked.
    fn tick(&mut self) -> Result<(), Broken> {
        self.platform.engine().tick(self.now);
        self.hear()?;
        self.laws
            .look(self.platform.engine(), &self.asked, self.now)?;
        self.laws.check_promises(&mut self.asked)?;
        if self.laws.lie == Some(Lie::LostCommit) && self.platform.is_on_disk() {
            self.platform.remember();
        }
        Ok(())
    }

    fn hear(&mut self) -> Result<(), Broken> {
        let mut quiet = 0;
        while quiet < 2 {
            self.platform.settle(self.now);
            quiet += 1;
            for mut caller in std::mem::take(&mut self.callers) {
                match at_once(caller.pending.as_mut()) {
                    None => self.callers.push(caller),
                    Some(outcome) => {
                        quiet = 0;
                        let asked = caller.asked.map(|number| &mut self.asked[number]);
                        self.laws.heard(asked, outcome)?;
                    }
                }
            }
            if self.callers.is_empty() {
                break;
            }
        }
        let overdue = |c: &&Caller| c.since + SYNCHRONOUS_MS <= self.now;
        match self.callers.iter().find(overdue) {
            Some(caller) => {
                let asked = caller.asked.map(|number| &self.asked[number].negotiate);
                Err(Broken::new("nobody waits for ever", format!("{asked:?}")))
            }
            None => Ok(()),
        }
    }

    /// Callers hang up: nobody knows what became of what they asked.
    fn forget_callers(&mut self, of: Option<usize>) {
        for caller in std::mem::take(&mut self.callers) {
            match caller.asked {
                Some(number) if of.is_none_or(|of| of == number) => {
                    self.asked[number].is_unsure = true;
                }
                _ if of.is_some() => self.callers.push(caller),
                _ => {}
            }
        }
    }

    fn trim(&mut self) -> Result<(), Broken> {
        self.tick()?;
        let trimmed = wait(self.platform.engine().trim(self.now)).unwrap();
        self.laws.trimmed(
            self.platform.engine(),
            trimmed.tasks,
            &mut self.asked,
            self.now,
        )?;
        self.laws
            .look(self.platform.engine(), &self.asked, self.now)
    }

    fn reopen(&mut self, back_ms: u32) -> Result<(), Broken> {
        if !self.platform.is_on_disk() {
            return Ok(());
        }
        self.tick()?;
        self.audit()?;
        let before = Everything::of(&self.platform, &self.laws);
        self.forget_callers(None);
        self.now = self.now + (1 - i64::from(back_ms));
        self.platform.reopen(self.now);
        self.laws.started = self.now;
        let after = Everything::of(&self.platform, &self.laws);
        before.is(&after, LOST)?;
        self.laws
            .look(self.platform.engine(), &self.asked, self.now)
    }

    fn kill(&mut self) -> Result<(), Broken> {
        if !self.platform.is_on_disk() {
            return Ok(());
        }
        self.laws.tally.note("deaths");
        if !self.callers.is_empty() {
            self.laws.tally.note("unpromised and lost");
        }
        self.come_some_way();
        let before = Everything::of(&self.platform, &self.laws);
        self.forget_callers(None);
        // To start takes a moment.
        self.now = self.now + 1;
        self.platform.die(self.now);
        self.laws.started = self.now;
        let after = Everything::of(&self.platform, &self.laws);
        before.is(&after, LOST)?;
        self.laws.died(&self.platform.open_questions());
        self.laws.check_promises(&mut self.asked)?;
        self.tick()?;
        self.audit()
    }

    fn audit(&mut self) -> Result<(), Broken> {
        self.laws.audit(self.platform.engine(), &self.asked, AGENTS)
    }
}
