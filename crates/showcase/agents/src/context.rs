//! The knowledge that every agent has of itself and around it: its profile, the roster, the
//! inventory, and fresh numbers.
//!
//! Also the wrapper that turns a [`TaskExecutor`] into an [`Agent`]: it tells apart what may be asked of an
//! executor, so that no agent has to say it twice. Read next: [`crate::roster`].

use crate::knowledge::Knowledge;
use domain::agent::{Agent, Ask, Briefing, Input, Output};
use domain::content::{Content, Payload};
use domain::inventory::{Domain, Inventory};
use domain::negotiation::{Kind, Stance};
use domain::profile::{Layer, Profile};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use std::sync::Arc;

/// The briefing of an agent, and the numbers it hands out.
#[derive(Clone, Debug)]
pub struct AgentContext {
    /// Its own profile.
    pub own: Arc<Profile>,
    /// Every registered agent.
    pub roster: Vec<Arc<Profile>>,
    /// The network as documented.
    pub inventory: Arc<Inventory>,
    next_token: Token,
    next_task: u64,
}

impl AgentContext {
    /// The context of an agent that starts at `now`. Tokens begin at `now` in microseconds, so that
    /// an answer to a token of an earlier run is never taken for one of this run.
    pub fn open(briefing: &Briefing, now: Timestamp) -> Self {
        Self {
            own: Arc::clone(&briefing.own),
            roster: briefing.roster.clone(),
            inventory: Arc::clone(&briefing.inventory),
            next_token: (now.as_ms() as u64).saturating_mul(1_000) + 1,
            next_task: 1,
        }
    }

    /// A token that this agent has not used before.
    pub fn token(&mut self) -> Token {
        self.next_token += 1;
        self.next_token
    }

    /// A task identifier unique on the platform, restarts included: alias, instant, count.
    pub fn task_id(&mut self, now: Timestamp) -> TaskId {
        let n = self.next_task;
        self.next_task += 1;
        TaskId::new(format!("{}-{}-{n}", self.alias(), now.as_ms()))
    }

    /// The short name: the alias, or the name if there is none.
    pub fn alias(&self) -> &str {
        self.own.alias.as_deref().unwrap_or(&self.own.name)
    }

    /// The other agents of the roster with a skill that takes `schema`, working in `layer` and, if
    /// one is asked for, in `domain`; in roster order.
    pub fn colleagues(
        &self,
        schema: &str,
        layer: Layer,
        domain: Option<Domain>,
    ) -> impl Iterator<Item = &str> {
        let fits = move |p: &&Arc<Profile>| {
            p.name != self.own.name
                && p.layer == layer
                && p.schemas().any(|s| s == schema)
                && domain.is_none_or(|d| works_in(p, d))
        };
        self.roster
            .iter()
            .filter(fits)
            .map(|profile| profile.name.as_str())
    }

    /// The first of [`AgentContext::colleagues`].
    pub fn colleague(&self, schema: &str, layer: Layer, domain: Option<Domain>) -> Option<String> {
        let mut colleagues = self.colleagues(schema, layer, domain);
        colleagues.next().map(str::to_owned)
    }

    /// Keeps the roster as agents register and leave.
    pub fn roster_changed(&mut self, change: Input) {
        match change {
            Input::Joined(profile) => {
                self.roster.retain(|p| p.name != profile.name);
                self.roster.push(profile);
            }
            Input::Left(name) => self.roster.retain(|p| p.name != name),
            _ => {}
        }
    }

    /// True if an agent declares that it negotiates how it fulfils a task (draft §5.1, §5.3).
    pub fn negotiates_fulfillment(&self, name: &str) -> bool {
        let declares = |p: &Arc<Profile>| p.name == name && p.capability.negotiates_fulfillment();
        self.roster.iter().any(declares)
    }
}

/// True if `profile` names `domain` among its domains.
pub fn works_in(profile: &Profile, domain: Domain) -> bool {
    let domains = profile.domain.as_deref().unwrap_or("");
    domains
        .split(',')
        .any(|d| d.trim().eq_ignore_ascii_case(domain.as_str()))
}

/// An agent that has been started.
pub trait TaskExecutor: Sized + Send {
    /// Begins, with what follows from it.
    fn start(briefing: Briefing, now: Timestamp, rng: &mut SeededRng) -> (Self, Vec<Output>);

    /// The same for who weighs causes: by this knowledge.
    fn knowing(
        knowledge: &Arc<Knowledge>,
        briefing: Briefing,
        now: Timestamp,
        rng: &mut SeededRng,
    ) -> (Self, Vec<Output>) {
        let _ = knowledge;
        Self::start(briefing, now, rng)
    }

    /// Takes any input but [`Input::Started`] and [`Input::Asked`].
    fn take(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output>;

    /// Could it do this (§5.3, 1)?
    fn feasible(&self, content: &Content) -> Reply;

    /// Could it do this, where the answer may take talking to others first: [`Verdict::Pending`] then,
    /// and [`Output::Speak`] when it is known.
    fn proposed(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let _ = now;
        (self.feasible(&ask.content), Vec::new())
    }

    /// The publisher's word on what was offered in a feasibility (§5.3, 1).
    fn settled(&mut self, ask: &Ask, agreed: bool, now: Timestamp) -> Vec<Output> {
        let _ = (ask, agreed, now);
        Vec::new()
    }

    /// Answers an assignment. Also called when a question about one was answered, with both as one
    /// content.
    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>);

    /// The task has ended: cancelled, accepted, or out of time or rounds.
    fn ended(&mut self, task: &TaskId) -> Vec<Output> {
        let _ = task;
        Vec::new()
    }

    /// [`TaskExecutor::ended`], for who has something to do at that instant.
    fn stopped(&mut self, task: &TaskId, now: Timestamp) -> Vec<Output> {
        let _ = now;
        self.ended(task)
    }

    /// The result is rejected for the reasons in the content; the task goes on (§4.5).
    fn rejected(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let _ = (ask, now);
        Vec::new()
    }

    /// The publisher's word on a decision that was proposed (§5.3, 2).
    fn decided(&mut self, ask: &Ask, agreed: bool, now: Timestamp) -> Vec<Output> {
        let _ = (ask, agreed, now);
        Vec::new()
    }

    /// The publisher would rather have this plan (§4.3).
    fn planned(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
        let _ = now;
        let words = "the work is done in one way only";
        let target = &ask.task.content.target_object;
        (Reply::refused("no-other-plan", target, words), Vec::new())
    }
}

/// Answers what is asked of an executor: exactly one reply, and what else follows.
fn asked<W: TaskExecutor>(worker: &mut W, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>) {
    let noted = |outputs| (Reply::accepted(), outputs);
    let task = &ask.task.id;
    match (ask.verb, ask.turn) {
        (Verb::FeasibilityNegotiate, None | Some((_, Stance::Offer))) => worker.proposed(ask, now),
        (Verb::FeasibilityNegotiate, Some((_, stance))) => {
            noted(worker.settled(ask, stance == Stance::Accept, now))
        }
        (Verb::TaskAssign, _) => worker.assigned(ask, now),
        (Verb::TaskCancel, _) => noted(worker.stopped(task, now)),
        (Verb::FulfillmentNegotiate, _) if ask.task.status.is_terminal() => {
            noted(worker.stopped(task, now))
        }
        (Verb::FulfillmentNegotiate, None) => noted(answered(worker, ask, now)),
        (Verb::FulfillmentNegotiate, Some((Kind::Result, _))) => noted(worker.rejected(ask, now)),
        (Verb::FulfillmentNegotiate, Some((_, Stance::Offer))) => worker.planned(ask, now),
        (Verb::FulfillmentNegotiate, Some((_, stance))) => {
            noted(worker.decided(ask, stance == Stance::Accept, now))
        }
        (other, _) => {
            let words = format!("{other} is not for agents");
            (Reply::refused("unknown-verb", "", words), Vec::new())
        }
    }
}

/// A question was answered (§4.4): the task goes on as if it had been assigned like this.
fn answered<W: TaskExecutor>(worker: &mut W, ask: &Ask, now: Timestamp) -> Vec<Output> {
    let complete = Ask {
        content: completed(&ask.task.content, &ask.content),
        ..ask.clone()
    };
    let (reply, rest) = worker.assigned(&complete, now);
    let mut outputs: Vec<Output> =
        Output::of_reply(&ask.task.id, &ask.task.content.target_object, reply)
            .into_iter()
            .collect();
    outputs.extend(rest);
    outputs
}

/// An assignment together with the answer to a question about it.
fn completed(assignment: &Content, answer: &Content) -> Content {
    let mut whole = assignment.clone();
    whole.target_object.clone_from(&answer.target_object);
    whole.task_description = [
        &assignment.target_object,
        &assignment.task_description,
        &answer.task_description,
    ]
    .map(String::as_str)
    .join("\n");
    whole.result.clone_from(&answer.result);
    whole.terms.extend(answer.terms.iter().cloned());
    whole.payload = match (whole.payload, &answer.payload) {
        (Some(asked), Some(more)) if asked.schema_id == more.schema_id => {
            let both = asked.values.into_iter().chain(more.values.clone());
            Some(Payload {
                values: both.collect(),
                ..more.clone()
            })
        }
        (asked, more) => more.clone().or(asked),
    };
    whole
}

/// A [`TaskExecutor`] behind the contract of [`Agent`]; asked before it was started, it refuses.
#[derive(Debug)]
pub struct HostedExecutor<W> {
    worker: Option<W>,
    knowledge: Arc<Knowledge>,
}

impl<W> HostedExecutor<W> {
    /// Not started yet; where causes are weighed, by this knowledge.
    pub fn knowing(knowledge: Arc<Knowledge>) -> Self {
        Self {
            worker: None,
            knowledge,
        }
    }
}

impl<W> Default for HostedExecutor<W> {
    fn default() -> Self {
        Self::knowing(Arc::new(Knowledge::in_force()))
    }
}

impl<W: TaskExecutor> Agent for HostedExecutor<W> {
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        match (input, &mut self.worker) {
            (Input::Started(briefing), slot) => {
                let (worker, outputs) = W::knowing(&self.knowledge, briefing, now, rng);
                *slot = Some(worker);
                outputs
            }
            (Input::Asked(ask), Some(worker)) => {
                let (reply, rest) = asked(worker, &ask, now);
                let mut outputs = vec![Output::Answer(reply)];
                outputs.extend(rest);
                outputs
            }
            (Input::Asked(_), None) => vec![Output::Answer(Reply::refused(
                "not-started",
                "",
                "the agent has not been started",
            ))],
            (input, Some(worker)) => worker.take(input, now, rng),
            (_, None) => Vec::new(),
        }
    }
}
