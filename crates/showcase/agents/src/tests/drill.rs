//! A platform and a radio network small enough for tests, in which agents talk to each other.
//!
//! The platform keeps tasks and negotiations by the very state machines of `domain`; messages are
//! carried in order, and replies, outcomes and whole agents can be lost. Read next: [`net`].

#![allow(clippy::unwrap_used)]

#[path = "drill/messages.rs"]
mod messages;
#[path = "drill/net.rs"]
pub(crate) mod net;

use crate::bench::{IP_FAULT, Row, SERVICE_COPILOT, WIRELESS_FAULT, at, profile_of, rng};
use crate::roster;
use domain::agent::{Agent, Ask, Briefing, Input, Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::inventory::Inventory;
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech, Stance};
use domain::notification::Notification;
use domain::profile::{Layer, Profile};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Command, Event, Status, Task, TaskId};
use domain::telemetry::{Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use messages::{ask_of, message_of, reply_of, speech, speech_of, task_of};
use net::Net;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An event that is to happen.
#[derive(Clone, Debug)]
enum Due {
    Input(String, Input),
    Period,
    Heal(usize),
}

/// One who waits for the answer of an executor that speaks later.
#[derive(Clone, Debug)]
struct Waiting {
    agent: String,
    token: Token,
    round: u32,
}

/// The things that go wrong, in percent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chaos {
    /// Replies that never arrive.
    pub replies_lost: u64,
    /// Messages to an agent that is away.
    pub away: u64,
    /// Outcomes of actions that nobody tells.
    pub outcomes_lost: u64,
    /// Alarms that never arrive, clearing ones.
    pub clears_lost: u64,
}

pub(crate) struct Drill {
    pub now: Timestamp,
    agents: BTreeMap<String, Box<dyn Agent>>,
    roster: Vec<Arc<Profile>>,
    inventory: Arc<Inventory>,
    pub net: Net,
    pub tasks: BTreeMap<TaskId, Task>,
    negotiations: BTreeMap<TaskId, Negotiation>,
    /// The offers of executors in place of what they were assigned, by task.
    pub offers: BTreeMap<TaskId, Speech>,
    waiting: BTreeMap<TaskId, Waiting>,
    due: BTreeMap<(Timestamp, u64), Due>,
    numbered: u64,
    chance: SeededRng,
    pub chaos: Chaos,
    /// All that was said and done, a line each.
    pub log: Vec<String>,
}

/// The profiles of the agents of use case 2.
fn profiles() -> Vec<Arc<Profile>> {
    let rows: [Row; 6] = [
        WIRELESS_FAULT,
        IP_FAULT,
        SERVICE_COPILOT,
        (
            "service-intent",
            Layer::Service,
            "Wireless, IP",
            &["service_intent_v1"],
        ),
        (
            "optimisation",
            Layer::Resource,
            "Wireless",
            &["experience_compensation_v1"],
        ),
        (
            "energy-saving",
            Layer::Resource,
            "Wireless",
            &["energy_saving_v1"],
        ),
    ];
    rows.into_iter()
        .map(|row| Arc::new(profile_of(row)))
        .collect()
}

/// The instant at which drills begin: the usual day's `hour` o'clock.
pub(crate) fn hour(hour: i64) -> Timestamp {
    let midnight = at(0).as_ms().div_euclid(86_400_000) * 86_400_000;
    Timestamp::from_ms(midnight + hour * 3_600_000)
}

impl Drill {
    /// All agents but those of `without`, started at `now`.
    pub(crate) fn begin(now: Timestamp, seed: u64, without: &[&str]) -> Self {
        Self::begin_on(Net::new(), now, seed, without)
    }

    /// The same on a network that has a past.
    pub(crate) fn begin_on(net: Net, now: Timestamp, seed: u64, without: &[&str]) -> Self {
        let roster = profiles().into_iter();
        let present = |p: &Arc<Profile>| !without.contains(&p.alias.as_deref().unwrap());
        let mut drill = Self {
            now,
            agents: BTreeMap::new(),
            roster: roster.filter(present).collect(),
            inventory: Arc::new(net.inventory.clone()),
            net,
            tasks: BTreeMap::new(),
            negotiations: BTreeMap::new(),
            offers: BTreeMap::new(),
            waiting: BTreeMap::new(),
            due: BTreeMap::new(),
            numbered: 0,
            chance: SeededRng::seed_from_u64(seed),
            chaos: Chaos::default(),
            log: Vec::new(),
        };
        drill.plan(now.plus_s(900.0), Due::Period);
        let names: Vec<String> = drill.roster.iter().map(|p| p.name.clone()).collect();
        // All have started before anybody speaks.
        let first: Vec<(String, Vec<Output>)> = names
            .into_iter()
            .map(|name| {
                let briefing = drill.reborn(&name);
                let outputs = drill.outputs(&name, Input::Started(briefing));
                (name, outputs)
            })
            .collect();
        for (name, outputs) in first {
            drill.take_outputs(&name, outputs);
        }
        drill.run_for(1.0);
        drill
    }

    fn plan(&mut self, at: Timestamp, due: Due) {
        self.numbered += 1;
        self.due.insert((at, self.numbered), due);
    }

    fn happens(&mut self, percent: u64) -> bool {
        percent > 0 && self.chance.next_u64() % 100 < percent
    }

    /// An agent starts, or starts again and knows its open tasks alone.
    pub(crate) fn restart(&mut self, name: &str) {
        let briefing = self.reborn(name);
        self.step(name, Input::Started(briefing));
    }

    fn reborn(&mut self, name: &str) -> Briefing {
        let own = self
            .roster
            .iter()
            .find(|p| p.name == name)
            .cloned()
            .unwrap();
        let role = own.alias.clone().unwrap();
        // What was to reach the one that is gone reaches nobody.
        let late = |d: &Due| {
            matches!(d, Due::Input(n, i) if n == name
            && matches!(i, Input::Woken(_) | Input::Acted { .. } | Input::Replied { .. }))
        };
        self.due.retain(|_, d| !late(d));
        let briefing = self.briefing(name);
        self.agents
            .insert(name.to_owned(), roster::hosted(&role).unwrap());
        briefing
    }

    /// The briefing of an agent at its start.
    pub(crate) fn briefing(&self, name: &str) -> Briefing {
        let own = self
            .roster
            .iter()
            .find(|p| p.name == name)
            .cloned()
            .unwrap();
        let open = self.tasks.values();
        let open = open.filter(|t| t.to == name && !t.status.is_terminal());
        Briefing {
            own,
            roster: self.roster.clone(),
            inventory: Arc::clone(&self.inventory),
            open: open.cloned().map(Arc::new).collect(),
        }
    }

    /// Lets time pass.
    pub(crate) fn run_for(&mut self, seconds: f64) {
        self.run_until(self.now.plus_s(seconds));
    }

    pub(crate) fn run_until(&mut self, until: Timestamp) {
        while let Some((&(at, number), _)) = self.due.iter().next()
            && at <= until
        {
            let due = self.due.remove(&(at, number)).unwrap();
            self.now = self.now.max(at);
            self.expire();
            match due {
                Due::Input(name, input) => self.step(&name, input),
                Due::Period => self.period(),
                Due::Heal(fault) => {
                    let alarms = self.net.heal(fault, self.now);
                    self.alarms(alarms);
                }
            }
        }
        self.now = until;
    }

    fn expire(&mut self) {
        let late = |t: &&Task| t.due().is_some_and(|d| d <= self.now);
        let ids: Vec<TaskId> = self
            .tasks
            .values()
            .filter(late)
            .map(|t| t.id.clone())
            .collect();
        for id in ids {
            self.change(&id, Command::Expire);
            self.stop_executor(&id);
        }
    }

    fn period(&mut self) {
        self.plan(self.now.plus_s(900.0), Due::Period);
        let counted = Arc::new(self.net.performance(self.now));
        for name in [
            "TMF-wireless-fault",
            "TMF-optimisation",
            "TMF-energy-saving",
        ] {
            if self.agents.contains_key(name) {
                let telemetry = Telemetry::Performance(Arc::clone(&counted));
                self.step(name, Input::Telemetry(telemetry));
            }
        }
    }

    /// Breaks something, which heals by itself after so many seconds, if ever; its number.
    pub(crate) fn strike(&mut self, fault: net::Fault, heals_after: Option<f64>) -> usize {
        let (number, alarms) = self.net.strike(fault, self.now);
        self.alarms(alarms);
        if let Some(seconds) = heals_after {
            self.plan(self.now.plus_s(seconds), Due::Heal(number));
        }
        number
    }

    /// Alarms reach the wireless agents, three seconds late.
    fn alarms(&mut self, alarms: Vec<domain::telemetry::Alarm>) {
        for alarm in alarms {
            let wireless = [
                "TMF-wireless-fault",
                "TMF-optimisation",
                "TMF-energy-saving",
            ];
            for name in wireless {
                if alarm.cleared && self.happens(self.chaos.clears_lost) {
                    continue;
                }
                if self.agents.contains_key(name) {
                    let input = Input::Telemetry(Telemetry::Alarm(alarm.clone()));
                    self.plan(self.now.plus_s(3.0), Due::Input(name.to_owned(), input));
                }
            }
        }
    }

    fn step(&mut self, name: &str, input: Input) {
        let outputs = self.outputs(name, input);
        self.take_outputs(name, outputs);
    }

    fn outputs(&mut self, name: &str, input: Input) -> Vec<Output> {
        let Some(agent) = self.agents.get_mut(name) else {
            return Vec::new();
        };
        let outputs = agent.step(input, self.now, &mut rng());
        for content in outputs.iter().flat_map(crate::bench::said_in) {
            // The templates of faults are about to learn of cells.
            let ours = |id: &str| !id.starts_with("fault_");
            if let Some(payload) = content.payload.filter(|p| ours(&p.schema_id)) {
                crate::payloads::tests::lawful(&payload);
            }
        }
        outputs
    }

    fn take_outputs(&mut self, name: &str, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Answer(_) => {}
                Output::Send { token, message } => self.sent(name, token, message),
                Output::Report { task, progress } => self.reported(&task, progress),
                Output::Act { token, action } => {
                    self.log
                        .push(format!("{} acts {}", short(name), brief(&action)));
                    let effects = self.net.act(token, &action, self.now);
                    for (seconds, effect) in effects {
                        let lost = matches!(effect, net::Effect::Outcome(..))
                            && self.happens(self.chaos.outcomes_lost);
                        let at = self.now.plus_s(seconds);
                        match effect {
                            _ if lost => {}
                            net::Effect::Outcome(token, outcome) => {
                                let input = Input::Acted { token, outcome };
                                self.plan(at, Due::Input(name.to_owned(), input));
                            }
                            net::Effect::Field(report) => {
                                let input = Input::Telemetry(Telemetry::Field(report));
                                self.plan(at, Due::Input(name.to_owned(), input));
                            }
                            net::Effect::Heal(fault) => self.plan(at, Due::Heal(fault)),
                        }
                    }
                }
                Output::Speak { task, kind, speech } => self.spoke(&task, kind, speech),
                Output::Wake { token, at } => {
                    let at = at.max(self.now);
                    self.plan(at, Due::Input(name.to_owned(), Input::Woken(token)));
                }
                Output::Note(text) => self.log.push(format!("{}: {text}", short(name))),
            }
        }
    }

    fn reply(&mut self, to: &str, token: Token, reply: Result<Reply, Undelivered>) {
        if self.happens(self.chaos.replies_lost) {
            return;
        }
        let input = Input::Replied { token, reply };
        self.plan(self.now, Due::Input(to.to_owned(), input));
    }

    fn sent(&mut self, from: &str, token: Token, message: Message) {
        let schema = message.content.payload.as_ref();
        let said = schema.map_or("", |p| &p.schema_id);
        let word = message.content.result.as_deref().unwrap_or("");
        let (to, verb) = (short(&message.to), message.verb);
        let line = format!("{} -> {to} {verb} {said} {word}", short(from));
        self.log.push(line.trim_end().to_owned());
        let away = !self.agents.contains_key(&message.to) || self.happens(self.chaos.away);
        let answer = match away {
            true => Some(Err(refusal("unreachable", "away"))),
            false => self.carried(from, token, &message).transpose(),
        };
        if let Some(answer) = answer {
            if let Ok(reply) = &answer {
                let line = format!("{to} => {} {}", short(from), reply.verdict.as_str());
                self.log.push(line);
            }
            self.reply(from, token, answer);
        }
    }

    /// The answer of the platform to a message; none if the executor answers later.
    fn carried(
        &mut self,
        from: &str,
        token: Token,
        message: &Message,
    ) -> Result<Option<Reply>, Undelivered> {
        match message.verb {
            Verb::FeasibilityNegotiate => self.feasibility(from, token, message),
            Verb::TaskAssign => self.assigned(from, message).map(Some),
            Verb::TaskCancel => self.cancelled(from, message).map(Some),
            Verb::FulfillmentNegotiate => self.judged(message).map(Some),
            Verb::TaskResultQuery => {
                let task = self.tasks.get(&message.task);
                let task = task.ok_or_else(|| refusal("unknown-element", "no such task"))?;
                let reply = Reply::new(Verdict::Accepted, task.said.iter().cloned().collect());
                let status = Some(task.status);
                Ok(Some(Reply { status, ..reply }))
            }
            other => panic!("nobody sends {other}"),
        }
    }

    fn feasibility(
        &mut self,
        from: &str,
        token: Token,
        message: &Message,
    ) -> Result<Option<Reply>, Undelivered> {
        let id = &message.task;
        let fresh = || Negotiation {
            round_limit: 5,
            ..Negotiation::between(id.clone(), Kind::Feasibility, from, &message.to)
        };
        let known = self.negotiations.get(id).cloned().unwrap_or_else(fresh);
        let round = message.round;
        // The same again: its answer, or it is waited for.
        if known.said(Side::Publisher, round).is_some() {
            return Ok(match known.said(Side::Executor, round) {
                Some(turn) => Some(reply_of(&turn.speech)),
                None if known.is_open() => {
                    let (agent, token) = (from.to_owned(), token);
                    let waiting = Waiting {
                        agent,
                        token,
                        round,
                    };
                    self.waiting.insert(id.clone(), waiting);
                    None
                }
                None => Some(Reply::accepted()),
            });
        }
        if self.tasks.contains_key(id) {
            return Err(refusal("data-exists", "the task exists"));
        }
        let speech = speech(message);
        let stance = speech.stance;
        let mut after = known;
        let change = after
            .decide(Move::Speak(Side::Publisher, speech), self.now)
            .map_err(|e| refusal("bad-state", &e.to_string()))?;
        after.apply(&change);
        self.negotiations.insert(id.clone(), after.clone());
        let supposed = task_of(message, from, self.now);
        let ask = Ask {
            verb: message.verb,
            task: Arc::new(supposed),
            from: from.to_owned(),
            content: message.content.clone(),
            alternatives: Vec::new(),
            alternative: None,
            round,
            turn: Some((Kind::Feasibility, stance)),
        };
        let outputs = self.outputs(&message.to, Input::Asked(ask));
        let answer = answer_of(&outputs);
        let later = answer.verdict == Verdict::Pending;
        if stance == Stance::Offer {
            if later {
                let (agent, token) = (from.to_owned(), token);
                let waiting = Waiting {
                    agent,
                    token,
                    round,
                };
                self.waiting.insert(id.clone(), waiting);
            } else {
                self.executor_speaks(id, speech_of(&answer));
            }
        }
        self.take_outputs(&message.to, outputs);
        Ok((!later || stance != Stance::Offer).then_some(answer))
    }

    fn executor_speaks(&mut self, id: &TaskId, speech: Speech) {
        let negotiation = self.negotiations.get_mut(id).unwrap();
        let change = negotiation.decide(Move::Speak(Side::Executor, speech), self.now);
        negotiation.apply(&change.expect("it is the executor's turn"));
    }

    fn spoke(&mut self, id: &TaskId, kind: Kind, speech: Speech) {
        if kind == Kind::Fulfillment {
            self.change(id, Command::Propose(speech.contents[0].clone()));
            self.offers.insert(id.clone(), speech);
            return;
        }
        let reply = reply_of(&speech);
        self.executor_speaks(id, speech);
        if let Some(waiting) = self.waiting.remove(id) {
            let line = format!(
                "... => {} {}",
                short(&waiting.agent),
                reply.verdict.as_str()
            );
            self.log.push(line);
            let reply = Reply {
                round: Some(waiting.round),
                ..reply
            };
            self.reply(&waiting.agent, waiting.token, Ok(reply));
        }
    }

    fn assigned(&mut self, from: &str, message: &Message) -> Result<Reply, Undelivered> {
        let id = &message.task;
        if let Some(known) = self.tasks.get(id) {
            return match known.content == message.content {
                true => Ok(Reply {
                    status: Some(known.status),
                    ..Reply::accepted()
                }),
                false => Err(refusal("data-exists", "the task exists")),
            };
        }
        if let Some(negotiation) = self.negotiations.get(id) {
            let agreed = negotiation.agreement();
            let agreed = agreed.ok_or_else(|| refusal("bad-state", "nothing is agreed"))?;
            domain::negotiation::fits(agreed, &message.content)
                .map_err(|e| refusal("invalid-value", &e.to_string()))?;
        }
        if let Some(parent) = &message.conditions.parent {
            let whole = self.tasks.get(parent);
            if whole.is_none_or(|t| t.status.is_terminal() || t.to != from && t.from != from) {
                return Err(refusal("bad-state", "the parent has ended"));
            }
        }
        let task = task_of(message, from, self.now);
        self.tasks.insert(id.clone(), task.clone());
        let ask = ask_of(message, &task, from, None);
        let outputs = self.outputs(&message.to, Input::Asked(ask));
        let answer = answer_of(&outputs);
        let content = answer.content.first().cloned();
        let command = match answer.verdict {
            Verdict::Accepted => Command::Work {
                percent: 0,
                said: None,
            },
            Verdict::Result => Command::Offer {
                result: content.unwrap_or_default(),
                held: false,
            },
            Verdict::Refused => Command::Refuse(content.unwrap_or_default()),
            Verdict::InputRequired => Command::Ask(content.unwrap_or_default()),
            Verdict::Pending | Verdict::Offered => panic!("{answer:?}"),
        };
        self.change(id, command);
        self.take_outputs(&message.to, outputs);
        let task = Some(id.clone());
        let status = self.tasks.get(id).map(|t| t.status);
        Ok(Reply {
            task,
            status,
            ..answer
        })
    }

    fn cancelled(&mut self, from: &str, message: &Message) -> Result<Reply, Undelivered> {
        let known = self.tasks.get(&message.task);
        let known = known.filter(|t| t.from == from);
        let known = known.ok_or_else(|| refusal("unknown-element", "no such task"))?;
        if known.status.is_terminal() {
            return Err(refusal("bad-state", "it has ended"));
        }
        self.change(&message.task, Command::Cancel);
        self.stop_executor(&message.task);
        Ok(Reply::accepted())
    }

    fn stop_executor(&mut self, id: &TaskId) {
        let task = self.tasks[id].clone();
        let message = Message {
            to: task.to.clone(),
            verb: Verb::TaskCancel,
            ..message_of(&task)
        };
        let ask = ask_of(&message, &task, &task.from, None);
        let outputs = self.outputs(&task.to, Input::Asked(ask));
        self.take_outputs(&task.to, outputs);
    }

    fn judged(&mut self, message: &Message) -> Result<Reply, Undelivered> {
        let task = self.tasks.get(&message.task).cloned();
        let task = task.ok_or_else(|| refusal("unknown-element", "no such task"))?;
        let word = message.content.result.as_deref().unwrap_or_default();
        let accepts = word.starts_with("accept");
        if task.awaits == Some(Awaits::Decision) {
            let taken = word.strip_prefix("accept ").map(|n| n.parse().unwrap());
            self.decide(message.task.as_str(), taken);
            return Ok(Reply::accepted());
        }
        if !task.awaits_judgement() {
            return Err(refusal("bad-state", "no result waits"));
        }
        let (command, stance) = match accepts {
            true => (Command::Accept, Stance::Accept),
            false => (Command::Reject(message.content.clone()), Stance::Refuse),
        };
        self.change(&message.task, command);
        let task = self.tasks[&message.task].clone();
        let turn = Some((Kind::Result, stance));
        let ask = ask_of(message, &task, &task.from, turn);
        let outputs = self.outputs(&task.to, Input::Asked(ask));
        self.take_outputs(&task.to, outputs);
        Ok(Reply::accepted())
    }

    fn parts_open(&self, id: &TaskId) -> Vec<TaskId> {
        let part = |t: &&Task| t.conditions.parent.as_ref() == Some(id) && !t.status.is_terminal();
        let parts = self.tasks.values().filter(part);
        parts.map(|t| t.id.clone()).collect()
    }

    fn reported(&mut self, id: &TaskId, progress: Progress) {
        let held = !self.parts_open(id).is_empty();
        let command = match progress {
            Progress::Working { percent, content } => Command::Work {
                percent,
                said: Some(content),
            },
            Progress::Blocked(c) => Command::Block(c),
            Progress::InputRequired(c) => Command::Ask(c),
            Progress::AuthRequired(c) => Command::AskCredentials(c),
            Progress::Result(result) => Command::Offer { result, held },
            Progress::Failed(c) => Command::Fail(c),
            Progress::Refused(c) => Command::Refuse(c),
        };
        self.change(id, command);
    }

    /// Changes a task, tells its publisher, and ends its parts with it.
    fn change(&mut self, id: &TaskId, command: Command) {
        let Some(task) = self.tasks.get_mut(id) else {
            return;
        };
        let previous = task.status;
        let Ok(event) = task.decide(command, self.now) else {
            return;
        };
        task.apply(&event);
        let task = task.clone();
        self.tell(&task, previous, &event);
        if !task.status.is_terminal() {
            return;
        }
        for part in self.parts_open(id) {
            self.change(&part, Command::Cancel);
            self.stop_executor(&part);
        }
        if let Some(parent) = &task.conditions.parent
            && self.parts_open(parent).is_empty()
            && self.tasks.get(parent).is_some_and(Task::is_held)
        {
            self.change(parent, Command::Release);
        }
    }

    fn tell(&mut self, task: &Task, previous: Status, event: &Event) {
        let said = event.result.clone().or(event.said.clone());
        let notification = Notification {
            time: self.now,
            task: task.id.clone(),
            from: task.to.clone(),
            to: task.from.clone(),
            verb: Verb::TaskResultNotify,
            asynchronous: task.asynchronous,
            status: task.status,
            previous: Some(previous),
            start_time: task.created_at,
            percent: task.percent,
            content: said.unwrap_or_else(|| task.content.clone()),
            awaits: task.awaits,
            data: None,
        };
        let input = Input::Notified(Arc::new(notification));
        self.plan(self.now, Due::Input(task.from.clone(), input));
    }

    /// A task of somebody outside, assigned to an agent; the reply.
    pub(crate) fn order(&mut self, to: &str, id: &str, content: Content) -> Reply {
        let message = Message::new(
            format!("TMF-{to}"),
            Verb::TaskAssign,
            TaskId::new(id),
            content,
        );
        self.assigned("operator", &message).unwrap()
    }

    /// Somebody outside asks whether an agent could do it; the reply.
    pub(crate) fn propose(&mut self, to: &str, id: &str, content: Content) -> Reply {
        let message = Message::new(
            format!("TMF-{to}"),
            Verb::FeasibilityNegotiate,
            TaskId::new(id),
            content,
        );
        let reply = self.feasibility("operator", 0, &message);
        reply.unwrap().expect("it answers at once")
    }

    /// The publisher's word on what an executor offers instead: the alternative that is taken, from 1,
    /// or none.
    pub(crate) fn decide(&mut self, id: &str, taken: Option<usize>) {
        let id = TaskId::new(id);
        let offer = self.offers.remove(&id).unwrap();
        let content = Content::new("it", "Word on the decision");
        let (command, stance) = match taken {
            Some(n) => (
                Command::Agree(offer.contents[n - 1].clone()),
                Stance::Accept,
            ),
            None => (Command::Disagree(content.clone()), Stance::Refuse),
        };
        self.change(&id, command);
        let task = Arc::new(self.tasks[&id].clone());
        let to = task.to.clone();
        let turn = Some((Kind::Fulfillment, stance));
        let ask = crate::bench::said(Verb::FulfillmentNegotiate, &task, content, turn);
        let outputs = self.outputs(&to, ask);
        self.take_outputs(&to, outputs);
    }

    /// The operator cancels a task.
    pub(crate) fn cancel(&mut self, id: &str) {
        let message = message_of(&self.tasks[&TaskId::new(id)]);
        self.cancelled("operator", &message).unwrap();
    }

    /// The tasks of a schema that are open.
    pub(crate) fn open(&self, schema: &str) -> Vec<&Task> {
        let of = |t: &&Task| {
            let payload = t.content.payload.as_ref();
            !t.status.is_terminal() && payload.is_some_and(|p| p.schema_id == schema)
        };
        self.tasks.values().filter(of).collect()
    }

    /// True if a line of the log says all of this.
    pub(crate) fn said(&self, words: &[&str]) -> bool {
        self.place_of(words).is_some()
    }

    /// The place in the log of the first line that says all of this.
    pub(crate) fn place_of(&self, words: &[&str]) -> Option<usize> {
        let says = |line: &String| words.iter().all(|w| line.contains(w));
        self.log.iter().position(says)
    }

    /// The places of these lines, which must be there and in this order.
    pub(crate) fn in_order(&self, lines: &[&[&str]]) {
        let mut last = 0;
        for words in lines {
            let says = |line: &String| words.iter().all(|w| line.contains(w));
            let found = self.log[last..].iter().position(says);
            let found = found.unwrap_or_else(|| {
                panic!("no {words:?} after line {last} of\n{}", self.log.join("\n"))
            });
            last += found + 1;
        }
    }

    /// All that must hold when all is over: nothing louder than planned, nobody held, no task that
    /// was begun for a trouble.
    pub(crate) fn is_clean(&self) -> Result<(), String> {
        let loud: BTreeSet<_> = self.net.offsets.keys().collect();
        if !loud.is_empty() {
            return Err(format!("louder than planned: {loud:?}"));
        }
        let standing = |t: &Task| {
            let payload = t.content.payload.as_ref();
            t.from == "TMF-service-intent"
                || payload.is_some_and(|p| p.text("action") == Some("set"))
        };
        let open = self.tasks.values().filter(|t| !t.status.is_terminal());
        let open: Vec<String> = open
            .filter(|t| !standing(t))
            .map(|t| format!("{} of {} at {}: {}", t.id, t.from, t.to, t.status))
            .collect();
        match open.is_empty() {
            true => Ok(()),
            false => Err(open.join("\n")),
        }
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("TMF-").unwrap_or(name)
}

fn brief(action: &domain::telemetry::Action) -> String {
    use domain::telemetry::Action;
    match action {
        Action::SetPower { cell, offset_db } => format!("SetPower {cell} {offset_db}"),
        Action::SetSaving { cells, saving } => {
            let names: Vec<&str> = cells.iter().map(|c| c.as_str()).collect();
            format!("SetSaving {} {}", saving.as_str(), names.join(" "))
        }
        Action::Probe { element } => format!("Probe {element}"),
        Action::ReadConfiguration { element } => format!("ReadConfiguration {element}"),
        Action::Configure {
            element,
            parameter,
            value,
        } => format!("Configure {element} {parameter} {value}"),
        Action::Restart { element } => format!("Restart {element}"),
        Action::Dispatch { element, .. } => format!("Dispatch {element}"),
        other => format!("{other:?}"),
    }
}

fn refusal(tag: &str, message: &str) -> Undelivered {
    Undelivered {
        tag: tag.to_owned(),
        message: message.to_owned(),
    }
}

fn answer_of(outputs: &[Output]) -> Reply {
    crate::bench::answer(outputs).clone()
}
