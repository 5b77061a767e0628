//! What every agent has on its desk: its profile, the roster, the inventory, and fresh numbers.
//!
//! Also the wrapper that turns a [`Worker`] into an [`Agent`], so that no agent has to say twice
//! what happens before it was started. Read next: [`crate::roster`].

use domain::agent::{Agent, Ask, Briefing, Input, Output};
use domain::inventory::{Domain, Inventory};
use domain::profile::{Layer, Profile};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::{Dice, Timestamp};
use std::sync::Arc;

/// What an agent was told at the start, and the numbers it hands out.
#[derive(Clone, Debug)]
pub struct Desk {
    /// Its own profile.
    pub own: Arc<Profile>,
    /// Every registered agent.
    pub roster: Vec<Arc<Profile>>,
    /// The network as documented.
    pub inventory: Arc<Inventory>,
    next_token: Token,
    next_task: u64,
}

impl Desk {
    /// The desk of an agent that starts at `now`. Tokens begin at `now` in microseconds, so that
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

    /// The first other agent of the roster with a skill that takes `schema`, working in `layer`
    /// and, if one is asked for, in `domain`.
    pub fn colleague(&self, schema: &str, layer: Layer, domain: Option<Domain>) -> Option<String> {
        let fits = |p: &&Arc<Profile>| {
            p.name != self.own.name
                && p.layer == layer
                && p.schemas().any(|s| s == schema)
                && domain.is_none_or(|d| works_in(p, d))
        };
        self.roster.iter().find(fits).map(|p| p.name.clone())
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
pub trait Worker: Sized + Send {
    /// Begins, with what follows from it.
    fn start(briefing: Briefing, now: Timestamp, dice: &mut Dice) -> (Self, Vec<Output>);
    /// Takes any input but [`Input::Started`] and [`Input::Asked`].
    fn take(&mut self, input: Input, now: Timestamp, dice: &mut Dice) -> Vec<Output>;
    /// Answers an [`Ask`]: the reply, and what else follows.
    fn answer(&mut self, ask: &Ask, now: Timestamp) -> (Reply, Vec<Output>);
}

/// A [`Worker`] behind the contract of [`Agent`]; asked before it was started, it refuses.
#[derive(Debug)]
pub struct Hosted<W>(Option<W>);

impl<W> Default for Hosted<W> {
    fn default() -> Self {
        Self(None)
    }
}

impl<W: Worker> Agent for Hosted<W> {
    fn step(&mut self, input: Input, now: Timestamp, dice: &mut Dice) -> Vec<Output> {
        match (input, &mut self.0) {
            (Input::Started(briefing), slot) => {
                let (worker, outputs) = W::start(briefing, now, dice);
                *slot = Some(worker);
                outputs
            }
            (Input::Asked(ask), Some(worker)) => {
                let (reply, rest) = worker.answer(&ask, now);
                let mut outputs = vec![Output::Answer(reply)];
                outputs.extend(rest);
                outputs
            }
            (Input::Asked(_), None) => vec![Output::Answer(Reply::refused(
                "not-started",
                "",
                "the agent has not been started",
            ))],
            (input, Some(worker)) => worker.take(input, now, dice),
            (_, None) => Vec::new(),
        }
    }
}
