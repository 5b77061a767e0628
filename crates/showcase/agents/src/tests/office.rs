//! A whole complaint department for tests: the agents, a platform in small, and a made-up network.
//!
//! The platform keeps tasks and carries messages as the engine would: one answer to each message,
//! notifications to publishers, parts cancelled with their whole. What agents say and what becomes
//! of tasks is kept for the laws. Read next: [`crate::bench`].
#![allow(clippy::unwrap_used)]

use crate::bench::{self, Net, id, rng};
use crate::roster::ROSTER;
use domain::agent::{Agent, Briefing, Input, Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::inventory::{Domain, Element, ElementKind, Inventory};
use domain::negotiation::{Kind, Stance};
use domain::notification::Notification;
use domain::profile::{Capability, Layer, Profile, Skill};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Status, Task, TaskId};
use domain::telemetry::{Action, Alarm, Outcome, Telemetry, Ticket, Visit};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The roles that deal with complaints.
pub(crate) const ROLES: [&str; 7] = [
    "bss-tickets",
    "complaint-north",
    "complaint-south",
    "mobile-north",
    "mobile-south",
    "transport-north",
    "transport-south",
];

fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let line = text.lines().find(|l| l.starts_with(&format!("{key} = ")))?;
    line.split('"').nth(1)
}

/// The profile of a role as its file has it, as far as agents look at it.
pub(crate) fn profile(role: &str) -> Arc<Profile> {
    let text = ROSTER.iter().find(|r| r.name == role).unwrap().profile;
    let lists = text.lines().filter_map(|l| l.strip_prefix("schemas = "));
    let schemas = lists.flat_map(|l| l.split('"').skip(1).step_by(2).map(str::to_owned));
    let layer = Layer::ALL
        .into_iter()
        .find(|l| Some(l.as_str()) == value(text, "layer"));
    Arc::new(Profile {
        name: value(text, "name").unwrap().to_owned(),
        alias: value(text, "alias").map(str::to_owned),
        description: String::new(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: String::new(),
        domain: value(text, "domain").map(str::to_owned),
        management_object: None,
        layer: layer.unwrap(),
        province: value(text, "province").map(str::to_owned),
        capability: Capability::default(),
        skills: vec![Skill {
            name: "s".to_owned(),
            schemas: schemas.collect(),
            ..Skill::default()
        }],
        authentication: vec![],
    })
}

fn roster() -> Vec<Arc<Profile>> {
    ROLES
        .into_iter()
        .chain(["billing", "sales"])
        .map(profile)
        .collect()
}

/// Two provinces: Aachen lies in the North, Bonn and Celle in the South; a cell on every site.
pub(crate) fn town() -> Inventory {
    let mut inventory = Net::town().inventory();
    for (place, province) in [("Aachen", "North"), ("Bonn", "South"), ("Celle", "South")] {
        inventory
            .provinces
            .insert(place.to_owned(), province.to_owned());
    }
    let sites: Vec<Element> = inventory.of_kind(ElementKind::Site).cloned().collect();
    for site in sites {
        let name = site.id.as_str().replace("site:", "cell:") + "/1";
        let cell = Element {
            id: id(&name),
            kind: ElementKind::Cell,
            domain: Domain::Wireless,
            parent: Some(site.id.clone()),
            ..site
        };
        inventory.elements.insert(cell.id.clone(), cell);
    }
    inventory
}

/// An agent started alone, in the town.
pub(crate) fn started_as(role: &str) -> Box<dyn Agent> {
    let mut agent = bench::hosted(role);
    agent.step(
        Input::Started(briefing(role, &Arc::new(town()), vec![])),
        bench::at(0),
        &mut rng(),
    );
    agent
}

fn briefing(role: &str, inventory: &Arc<Inventory>, open: Vec<Arc<Task>>) -> Briefing {
    Briefing {
        own: profile(role),
        roster: roster(),
        inventory: Arc::clone(inventory),
        open,
    }
}

/// The quality that a vehicle's records show, by province.
pub(crate) type Records =
    BTreeMap<&'static str, (Vec<Visit>, Option<&'static str>, Option<&'static str>)>;

/// The department.
pub(crate) struct Office {
    agents: BTreeMap<String, (String, Box<dyn Agent>)>,
    pub(crate) inventory: Arc<Inventory>,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    queue: BTreeMap<(Timestamp, u64), (String, Input)>,
    sequence: u64,
    pub(crate) now: Timestamp,
    /// The agents that cannot be reached.
    pub(crate) down: BTreeSet<&'static str>,
    /// The records.
    pub(crate) records: Records,
    /// The answers of the customer to each question; nothing if there is none left.
    pub(crate) answers: Vec<Option<String>>,
    /// The texts that the customer was told: true for a question.
    pub(crate) told: Vec<(String, bool)>,
    /// All that was said, one line each.
    pub(crate) log: Vec<String>,
}

impl Office {
    pub(crate) fn open(inventory: Inventory) -> Self {
        let mut office = Self {
            agents: BTreeMap::new(),
            inventory: Arc::new(inventory),
            tasks: BTreeMap::new(),
            queue: BTreeMap::new(),
            sequence: 0,
            now: bench::at(0),
            down: BTreeSet::new(),
            records: BTreeMap::new(),
            answers: Vec::new(),
            told: Vec::new(),
            log: Vec::new(),
        };
        for role in ROLES {
            office.start(role);
        }
        office
    }

    /// Starts an agent, or starts it again with its open tasks.
    pub(crate) fn start(&mut self, role: &str) {
        let name = profile(role).name.clone();
        let open = self
            .tasks
            .values()
            .filter(|t| t.to == name && !t.status.is_terminal());
        let open = open.cloned().map(Arc::new).collect();
        let briefing = briefing(role, &self.inventory, open);
        self.agents
            .insert(name.clone(), (role.to_owned(), bench::hosted(role)));
        self.step(&name, Input::Started(briefing));
    }

    pub(crate) fn hears(&mut self, role: &str, telemetry: Telemetry) {
        let name = profile(role).name.clone();
        self.step(&name, Input::Telemetry(telemetry));
    }

    pub(crate) fn alarms(&mut self, role: &str, alarms: &[Alarm]) {
        for alarm in alarms {
            self.hears(role, Telemetry::Alarm(alarm.clone()));
        }
    }

    /// A ticket of a fleet, written now.
    pub(crate) fn ticket(&mut self, number: &str, from: &str, text: &str) {
        let chinese = crate::complaints::reader::is_chinese(text);
        let ticket = Ticket {
            ticket: number.to_owned(),
            time: self.now,
            from: from.to_owned(),
            language: if chinese { "zh" } else { "en" }.to_owned(),
            text: text.to_owned(),
        };
        self.hears("bss-tickets", Telemetry::Ticket(ticket));
    }

    /// Lets everything happen until nothing is left, or until so many seconds have passed.
    pub(crate) fn run(&mut self, seconds: f64) {
        let end = self.now.plus_s(seconds);
        while let Some(entry) = self.queue.first_entry() {
            let at = entry.key().0;
            if at > end {
                break;
            }
            self.now = self.now.max(at);
            let (name, input) = entry.remove();
            self.step(&name, input);
        }
        self.now = end;
    }

    fn later(&mut self, seconds: f64, name: &str, input: Input) {
        self.sequence += 1;
        let at = self.now.plus_s(seconds);
        self.queue
            .insert((at, self.sequence), (name.to_owned(), input));
    }

    fn step(&mut self, name: &str, input: Input) {
        for output in self.outputs(name, input) {
            self.take(name, output);
        }
    }

    fn outputs(&mut self, name: &str, input: Input) -> Vec<Output> {
        let (_, agent) = self.agents.get_mut(name).unwrap();
        agent.step(input, self.now, &mut rng())
    }

    fn take(&mut self, name: &str, output: Output) {
        match output {
            Output::Send { token, message } => {
                let reply = self.carry(name, &message);
                self.later(0.1, name, Input::Replied { token, reply });
            }
            Output::Report { task, progress } => self.reported(&task, progress),
            Output::Act { token, action } => self.act(name, token, action),
            Output::Wake { token, at } => {
                let seconds = at.seconds_since(self.now).max(0.0);
                self.later(seconds, name, Input::Woken(token));
            }
            Output::Note(_) => {}
            Output::Answer(_) | Output::Speak { .. } => panic!("not asked: {output:?}"),
        }
    }

    fn act(&mut self, name: &str, token: u64, action: Action) {
        let outcome = match action {
            Action::Trace { .. } => {
                let role = self.agents[name].0.clone();
                let province = if role.ends_with("north") {
                    "North"
                } else {
                    "South"
                };
                match self.records.get(province) {
                    Some((visits, left_to, came_from)) => Outcome::Traced {
                        visits: visits.clone(),
                        left_to: left_to.map(str::to_owned),
                        came_from: came_from.map(str::to_owned),
                    },
                    None => Outcome::Impossible("no such subscription".to_owned()),
                }
            }
            Action::TellCustomer {
                ticket,
                text,
                question,
            } => {
                self.log.push(format!("customer <- {text}"));
                self.told.push((text, question));
                if question
                    && !self.answers.is_empty()
                    && let Some(text) = self.answers.remove(0)
                {
                    let answered = Telemetry::CustomerAnswered { ticket, text };
                    self.later(900.0, name, Input::Telemetry(answered));
                }
                Outcome::Told
            }
            other => panic!("{name} does {other:?}"),
        };
        self.later(5.0, name, Input::Acted { token, outcome });
    }

    /// Carries a message and gives its reply.
    fn carry(&mut self, from: &str, message: &Message) -> Result<Reply, Undelivered> {
        let to = message.to.clone();
        let role = |name: &str| {
            self.agents
                .get(name)
                .map(|a| a.0.clone())
                .unwrap_or_default()
        };
        let said = message
            .content
            .payload
            .as_ref()
            .map_or("", |p| p.schema_id.as_str());
        self.log.push(format!(
            "{} -> {}: {} {said}",
            role(from),
            role(&to),
            message.verb
        ));
        if self.down.contains(role(&to).as_str()) {
            return Err(Undelivered {
                tag: "unreachable".to_owned(),
                message: "nobody answers".to_owned(),
            });
        }
        match message.verb {
            Verb::TaskAssign => Ok(self.assign(from, message)),
            Verb::TaskCancel => {
                self.cancel(&message.task);
                Ok(Reply::accepted())
            }
            Verb::TaskResultQuery => Ok(self.queried(&message.task)),
            Verb::FulfillmentNegotiate => Ok(self.word(from, message)),
            other => panic!("{other}"),
        }
    }

    fn assign(&mut self, from: &str, message: &Message) -> Reply {
        if let Some(known) = self.tasks.get(&message.task) {
            assert_eq!(
                known.content, message.content,
                "the same task is the same task"
            );
            return Reply::accepted();
        }
        let content = message.content.clone();
        let task = Task::assigned(
            message.task.clone(),
            from,
            &message.to,
            content.render(),
            content,
            true,
            self.now,
        )
        .under(message.conditions.clone());
        self.tasks.insert(task.id.clone(), task);
        let reply = self.ask(
            &message.task,
            Verb::TaskAssign,
            message.content.clone(),
            None,
        );
        self.answered(&message.task, &reply);
        reply
    }

    fn ask(
        &mut self,
        task: &TaskId,
        verb: Verb,
        content: Content,
        turn: Option<(Kind, Stance)>,
    ) -> Reply {
        let stored = Arc::new(self.tasks[task].clone());
        let executor = stored.to.clone();
        let asked = bench::said(verb, &stored, content, turn);
        let mut outputs = self.outputs(&executor, asked);
        let first = outputs.remove(0);
        let Output::Answer(reply) = first else {
            panic!("an answer is owed: {first:?}")
        };
        if verb == Verb::TaskAssign {
            self.answered(task, &reply);
        }
        for output in outputs {
            self.take(&executor, output);
        }
        reply
    }

    fn answered(&mut self, task: &TaskId, reply: &Reply) {
        if self.tasks[task].status != Status::Created {
            return;
        }
        let content = reply.content.first().cloned();
        match reply.verdict {
            Verdict::Accepted => self.tasks.get_mut(task).unwrap().status = Status::Processing,
            Verdict::Refused => self.becomes(task, Status::Rejected, None, None),
            Verdict::InputRequired => {
                self.becomes(task, Status::InputRequired, Some(Awaits::Answer), content);
            }
            Verdict::Result => self.reported(task, Progress::Result(content.unwrap())),
            other => panic!("{other:?}"),
        }
    }

    fn becomes(
        &mut self,
        id: &TaskId,
        status: Status,
        awaits: Option<Awaits>,
        content: Option<Content>,
    ) {
        let now = self.now;
        let task = self.tasks.get_mut(id).unwrap();
        assert!(!task.status.is_terminal(), "{id} has ended");
        let previous = Some(task.status);
        (task.status, task.awaits, task.changed_at) = (status, awaits, now);
        if let Some(content) = &content {
            task.said = Some(content.clone());
        }
        let told = Notification {
            time: now,
            task: id.clone(),
            from: task.to.clone(),
            to: task.from.clone(),
            verb: Verb::TaskResultNotify,
            asynchronous: true,
            status,
            previous,
            start_time: task.created_at,
            percent: 0,
            content: content.or_else(|| task.result.clone()).unwrap_or_default(),
            awaits,
            data: None,
        };
        let publisher = task.from.clone();
        self.log.push(format!("{id} is {status}"));
        if self.agents.contains_key(&publisher) {
            self.later(0.2, &publisher, Input::Notified(Arc::new(told)));
        }
    }

    fn reported(&mut self, id: &TaskId, progress: Progress) {
        if self.tasks[id].status.is_terminal() {
            return;
        }
        match progress {
            Progress::Working { .. } => {}
            Progress::Result(content) => {
                let open = self
                    .tasks
                    .values()
                    .filter(|t| t.conditions.parent.as_ref() == Some(id));
                let open = open.filter(|t| !t.status.is_terminal()).count();
                assert_eq!(open, 0, "{id} has a result and open parts");
                let task = self.tasks.get_mut(id).unwrap();
                task.result = Some(content.clone());
                match task.content.expected_response.is_some() {
                    true => self.becomes(
                        id,
                        Status::InputRequired,
                        Some(Awaits::Judgement),
                        Some(content),
                    ),
                    false => self.becomes(id, Status::Finished, None, Some(content)),
                }
            }
            Progress::InputRequired(content) => {
                self.becomes(
                    id,
                    Status::InputRequired,
                    Some(Awaits::Answer),
                    Some(content),
                );
            }
            Progress::Failed(content) => self.becomes(id, Status::Failed, None, Some(content)),
            other => panic!("{other:?}"),
        }
    }

    fn cancel(&mut self, id: &TaskId) {
        if self.tasks[id].status.is_terminal() {
            return;
        }
        self.becomes(id, Status::Cancelled, None, None);
        let parts = self
            .tasks
            .values()
            .filter(|t| t.conditions.parent.as_ref() == Some(id));
        let parts: Vec<TaskId> = parts.map(|t| t.id.clone()).collect();
        for part in parts {
            self.cancel(&part);
        }
        self.ask(id, Verb::TaskCancel, Content::new("t", "stop"), None);
    }

    fn queried(&self, id: &TaskId) -> Reply {
        let task = &self.tasks[id];
        let verdict = match (task.status, &task.result) {
            (Status::Finished, Some(_)) => Verdict::Result,
            _ => Verdict::Accepted,
        };
        let mut reply = Reply::new(verdict, task.result.iter().cloned().collect());
        reply.status = Some(task.status);
        reply
    }

    /// A publisher's word: an answer, or a judgement.
    fn word(&mut self, from: &str, message: &Message) -> Reply {
        let id = &message.task;
        let task = self.tasks[id].clone();
        assert_eq!(task.from, from);
        if task.status.is_terminal() {
            return Reply::refused("ended", "", "the task has ended");
        }
        let accepts = message.content.result.as_deref() == Some("accept");
        let turn = match (task.awaits, accepts) {
            (Some(Awaits::Judgement), true) => Some((Kind::Result, Stance::Accept)),
            (Some(Awaits::Judgement), false) => Some((Kind::Result, Stance::Refuse)),
            (Some(Awaits::Answer), _) => None,
            (None, _) => return Reply::refused("out-of-turn", "", "nothing is awaited"),
            (Some(other), _) => panic!("{other:?}"),
        };
        match turn {
            Some((_, Stance::Accept)) => self.becomes(id, Status::Finished, None, None),
            _ => {
                let task = self.tasks.get_mut(id).unwrap();
                (task.status, task.awaits) = (Status::Processing, None);
            }
        }
        let content = message.content.clone();
        self.ask(id, Verb::FulfillmentNegotiate, content, turn);
        Reply::accepted()
    }

    /// The text that the customer was told in the end; the law is that it is one reply.
    pub(crate) fn reply(&self) -> &str {
        let replies: Vec<&String> = self
            .told
            .iter()
            .filter(|(_, q)| !q)
            .map(|(t, _)| t)
            .collect();
        assert_eq!(replies.len(), 1, "{:#?}\n{:#?}", self.told, self.log);
        replies[0]
    }

    /// The law that every task ends.
    pub(crate) fn all_ended(&self) {
        let open: Vec<&TaskId> = self
            .tasks
            .values()
            .filter(|t| !t.status.is_terminal())
            .map(|t| &t.id)
            .collect();
        assert!(open.is_empty(), "{open:?} {:#?}", self.log);
    }
}
