//! An agent as the engine has it: its behaviour while it rests, and of one in here its mailbox and
//! what becomes of it when it fails.
//!
//! While an agent steps, its behaviour is elsewhere; whoever brings it back says by its incarnation
//! and the number of the input which step that was. What a fenced agent brings is not taken. Read
//! next: [`crate::mailbox`], [`crate::step`].

use crate::Limits;
use crate::mailbox::{Envelope, Mailbox};
use crate::question::Question;
use crate::roster::Mind;
use domain::agent::Agent;
use domain::telemetry::Token;
use domain::time::Timestamp;
use std::collections::VecDeque;

/// Within what time how often an agent is made anew before it is left alone.
const RESTARTS_WITHIN_MS: i64 = 60_000;
const RESTARTS_MOST: usize = 3;

/// Makes the agent anew.
pub type Factory = Box<dyn Fn() -> Box<dyn Agent> + Send + Sync>;

pub(crate) struct AgentInstance {
    /// None while it steps elsewhere, or is left alone.
    mind: Option<Mind>,
    /// Of an agent in here.
    actor: Option<Actor>,
}

pub(crate) struct Actor {
    pub(crate) mailbox: Mailbox,
    again: Option<Factory>,
    /// How often it was made anew.
    incarnation: u64,
    running: Option<Running>,
    restarts: VecDeque<Timestamp>,
}

/// The step that an agent takes.
pub(crate) struct Running {
    pub(crate) number: u64,
    pub(crate) question: Option<Question>,
}

impl AgentInstance {
    /// What stands for an agent elsewhere.
    pub(crate) fn stub(mind: Mind) -> Self {
        Self {
            mind: Some(mind),
            actor: None,
        }
    }

    /// An agent in here.
    pub(crate) fn hosted(mind: Mind, again: Option<Factory>, limits: &Limits) -> Self {
        Self {
            mind: Some(mind),
            actor: Some(Actor {
                mailbox: Mailbox::new(limits.mailbox, limits.telemetry),
                again,
                incarnation: 0,
                running: None,
                restarts: VecDeque::new(),
            }),
        }
    }

    pub(crate) fn is_hosted(&self) -> bool {
        self.actor.is_some()
    }

    /// True of an agent in here that failed too often and is not made anew.
    pub(crate) fn is_left_alone(&self) -> bool {
        let idle = |actor: &Actor| actor.running.is_none();
        self.mind.is_none() && self.actor.as_ref().is_some_and(idle)
    }

    /// Takes an input into the mailbox; false if the agent is left alone, or none in here.
    pub(crate) fn post(&mut self, envelope: Envelope) -> bool {
        let gone = self.is_left_alone();
        match self.actor.as_mut().filter(|_| !gone) {
            Some(actor) => {
                actor.mailbox.put(envelope);
                true
            }
            None => false,
        }
    }

    /// Takes out what it was asked: what it steps on, then what waits.
    pub(crate) fn take_questions(&mut self) -> Vec<Question> {
        let Some(actor) = self.actor.as_mut() else {
            return Vec::new();
        };
        let running = actor.running.as_mut().and_then(|r| r.question.take());
        let waiting = actor.mailbox.take_questions();
        running.into_iter().chain(waiting).collect()
    }

    /// In which of its lives it is; what stands for an agent elsewhere has one.
    pub(crate) fn incarnation(&self) -> u64 {
        self.actor.as_ref().map_or(0, |actor| actor.incarnation)
    }

    /// The behaviour of a stub.
    pub(crate) fn mind(&mut self) -> Option<&mut Mind> {
        self.mind.as_mut()
    }

    pub(crate) fn actor(&mut self) -> Option<&mut Actor> {
        self.actor.as_mut()
    }

    /// What it was asked and has not answered: what it steps on, then what waits.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.actor.iter().flat_map(|actor| {
            let running = actor.running.as_ref().and_then(|r| r.question.as_ref());
            running.into_iter().chain(actor.mailbox.questions())
        })
    }

    /// True if it neither steps nor has an input.
    pub(crate) fn is_at_rest(&self) -> bool {
        let busy = |actor: &Actor| actor.running.is_some() || !actor.mailbox.is_empty();
        !self.actor.as_ref().is_some_and(busy)
    }

    /// The number of its next input, if it rests and there is one.
    pub(crate) fn next(&self) -> Option<u64> {
        self.mind.as_ref()?;
        self.actor.as_ref()?.mailbox.next()
    }

    /// Takes the behaviour out to step on its next input.
    pub(crate) fn take(&mut self) -> Option<(Mind, Envelope, u64)> {
        self.next()?;
        let actor = self.actor.as_mut()?;
        let envelope = actor.mailbox.take()?;
        actor.running = Some(Running {
            number: envelope.number,
            question: envelope.question.clone(),
        });
        Some((self.mind.take()?, envelope, actor.incarnation))
    }

    /// Ends the step on that input; none if it is not what this incarnation steps on.
    pub(crate) fn end_step(&mut self, incarnation: u64, number: u64) -> Option<Running> {
        let actor = self.actor.as_mut()?;
        let same = |running: &mut Running| running.number == number;
        match actor.incarnation == incarnation {
            true => actor.running.take_if(same),
            false => None,
        }
    }

    /// True while it steps on that input.
    pub(crate) fn is_running(&self, number: u64) -> bool {
        let running = self.actor.as_ref().and_then(|a| a.running.as_ref());
        running.is_some_and(|r| r.number == number)
    }

    /// Puts the behaviour back.
    pub(crate) fn put_back(&mut self, mind: Mind) {
        self.mind = Some(mind);
    }

    /// The agent failed: nothing that comes of it is taken any more. Its behaviour anew, unless it
    /// failed too often or cannot be made.
    pub(crate) fn restart(&mut self, now: Timestamp) -> Option<Box<dyn Agent>> {
        self.mind = None;
        let actor = self.actor.as_mut()?;
        actor.incarnation += 1;
        actor.running = None;
        actor.mailbox.forget_reserved();
        actor
            .restarts
            .retain(|restart| now < *restart + RESTARTS_WITHIN_MS);
        if actor.restarts.len() >= RESTARTS_MOST {
            return None;
        }
        actor.restarts.push_back(now);
        actor.again.as_ref().map(|again| again())
    }
}

impl Actor {
    /// Reserves room for what comes back under a token; the token as the world knows it: one of
    /// another life is another.
    pub(crate) fn expect(&mut self, token: Token) -> Token {
        let outer = token.wrapping_add(self.incarnation << 48);
        self.mailbox.reserve(outer);
        outer
    }

    /// A token of the world as the agent knows it; none if nothing comes back under it, to this
    /// incarnation at least.
    pub(crate) fn redeem(&mut self, token: Token) -> Option<Token> {
        let expected = self.mailbox.redeem(token) || self.incarnation == 0;
        expected.then(|| token.wrapping_sub(self.incarnation << 48))
    }
}
