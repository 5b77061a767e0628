//! An agent as the engine has it: its behaviour while it rests, and of one in here its mailbox and
//! what becomes of it when it fails.
//!
//! While an agent has its turn, its behaviour is elsewhere, with the inputs that it steps on one
//! after the other; whoever brings back what came of a step says by the incarnation and the number
//! of the input which step that was. What a fenced agent brings is not taken, and what it had not
//! begun is called back. Read next: [`crate::hosting::mailbox`], [`crate::hosting::step`].

use crate::Limits;
use crate::hosting::mailbox::{Envelope, Mailbox};
use crate::hosting::question::Question;
use domain::agent::{Agent, Input};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Within what time how often an agent is made anew before it is left alone.
const RESTARTS_WITHIN_MS: i64 = 60_000;
const RESTARTS_MOST: usize = 3;

/// Makes the agent anew.
pub type Factory = Box<dyn Fn() -> Box<dyn Agent> + Send + Sync>;

pub(crate) struct AgentInstance {
    /// None while it steps elsewhere, or is left alone.
    behaviour: Option<Behaviour>,
    /// Of an agent in here.
    actor: Option<Actor>,
}

pub(crate) struct Actor {
    pub(crate) mailbox: Mailbox,
    again: Option<Factory>,
    /// How often it was made anew.
    incarnation: u64,
    /// What it was handed out and has not brought back, in order: it steps on the first.
    running: VecDeque<Running>,
    handed_out: HandedOut,
    restarts: VecDeque<Timestamp>,
    /// What it has stepped on and is kept on record, with the tokens of what it sent then and has not
    /// come back.
    kept: Vec<(Vec<Token>, Question)>,
    /// What it failed over, by key, with the version of its task: of that it is not told again.
    pub(crate) failed_over: HashSet<(String, u64)>,
}

/// A step that an agent takes, or will in this turn.
pub(crate) struct Running {
    pub(crate) number: u64,
    pub(crate) question: Option<Question>,
}

/// The inputs of a turn that were not begun, with their numbers: whoever runs the turn takes one
/// after the other, and the engine calls back what is left.
#[derive(Clone, Default)]
pub(crate) struct HandedOut(Arc<Mutex<VecDeque<(u64, Input)>>>);

impl HandedOut {
    pub(crate) fn take(&self) -> Option<(u64, Input)> {
        self.lock().pop_front()
    }

    pub(crate) fn put(&self, number: u64, input: Input) {
        self.lock().push_back((number, input));
    }

    fn call_back(&self) -> VecDeque<(u64, Input)> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, Input)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentInstance {
    /// What stands for an agent elsewhere.
    pub(crate) fn stub(behaviour: Behaviour) -> Self {
        Self {
            behaviour: Some(behaviour),
            actor: None,
        }
    }

    /// An agent in here.
    pub(crate) fn hosted(behaviour: Behaviour, again: Option<Factory>, limits: &Limits) -> Self {
        Self {
            behaviour: Some(behaviour),
            actor: Some(Actor {
                mailbox: Mailbox::new(limits.mailbox, limits.telemetry),
                again,
                incarnation: 0,
                running: VecDeque::new(),
                handed_out: HandedOut::default(),
                restarts: VecDeque::new(),
                kept: Vec::new(),
                failed_over: HashSet::new(),
            }),
        }
    }

    pub(crate) fn is_hosted(&self) -> bool {
        self.actor.is_some()
    }

    /// True of an agent in here that failed too often and is not made anew.
    pub(crate) fn is_left_alone(&self) -> bool {
        let idle = |actor: &Actor| actor.running.is_empty();
        self.behaviour.is_none() && self.actor.as_ref().is_some_and(idle)
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
        actor.call_back();
        let running = actor.running.iter_mut();
        let mut asked: Vec<Question> = running.filter_map(|r| r.question.take()).collect();
        asked.extend(actor.mailbox.take_questions());
        asked
    }

    /// In which of its lives it is; what stands for an agent elsewhere has one.
    pub(crate) fn incarnation(&self) -> u64 {
        self.actor.as_ref().map_or(0, |actor| actor.incarnation)
    }

    /// The behaviour of a stub.
    pub(crate) fn behaviour(&mut self) -> Option<&mut Behaviour> {
        self.behaviour.as_mut()
    }

    pub(crate) fn actor(&mut self) -> Option<&mut Actor> {
        self.actor.as_mut()
    }

    /// What is on record and under way: what it steps on, what waits, and what is kept.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.actor.iter().flat_map(|actor| {
            let running = actor.running.iter().filter_map(|r| r.question.as_ref());
            let waiting = actor.mailbox.questions();
            running
                .chain(waiting)
                .chain(actor.kept.iter().map(|(_, q)| q))
        })
    }

    /// True if it neither steps nor has an input.
    pub(crate) fn is_at_rest(&self) -> bool {
        let busy = |actor: &Actor| !actor.running.is_empty() || !actor.mailbox.is_empty();
        !self.actor.as_ref().is_some_and(busy)
    }

    /// The number of its next input, if it rests and there is one.
    pub(crate) fn next(&self) -> Option<u64> {
        self.behaviour.as_ref()?;
        self.actor.as_ref()?.mailbox.next()
    }

    /// Takes the behaviour out to step on its next inputs, so many at the most.
    pub(crate) fn take(&mut self, most: usize) -> Option<(Behaviour, HandedOut, u64)> {
        self.next()?;
        let actor = self.actor.as_mut()?;
        let handed_out = HandedOut::default();
        for _ in 0..most.max(1) {
            let Some(envelope) = actor.mailbox.take() else {
                break;
            };
            actor.running.push_back(Running {
                number: envelope.number,
                question: envelope.question,
            });
            handed_out.put(envelope.number, envelope.input);
        }
        actor.handed_out = handed_out.clone();
        Some((self.behaviour.take()?, handed_out, actor.incarnation))
    }

    /// Ends the step on that input; none if it is not what this incarnation steps on.
    pub(crate) fn end_step(&mut self, incarnation: u64, number: u64) -> Option<Running> {
        let actor = self.actor.as_mut()?;
        let is_first = actor.running.front().is_some_and(|r| r.number == number);
        match is_first && actor.incarnation == incarnation {
            true => actor.running.pop_front(),
            false => None,
        }
    }

    /// The number of the input that it steps on.
    pub(crate) fn stepping_on(&self) -> Option<u64> {
        let actor = self.actor.as_ref()?;
        actor.running.front().map(|running| running.number)
    }

    /// What it steps on, if that is on record.
    pub(crate) fn stepping_on_question(&self) -> Option<&Question> {
        let actor = self.actor.as_ref()?;
        actor.running.front()?.question.as_ref()
    }

    /// Puts the behaviour back: its turn is over, and what it has not begun waits for the next.
    pub(crate) fn put_back(&mut self, behaviour: Behaviour) {
        if let Some(actor) = &mut self.actor {
            actor.call_back();
        }
        self.behaviour = Some(behaviour);
    }

    /// The agent failed: nothing that comes of it is taken any more. Its behaviour anew, unless it
    /// failed too often or cannot be made.
    pub(crate) fn restart(&mut self, now: Timestamp) -> Option<Box<dyn Agent>> {
        self.behaviour = None;
        let actor = self.actor.as_mut()?;
        actor.incarnation += 1;
        actor.call_back();
        actor.running.clear();
        // What comes back to a former life is heard by nobody.
        let moot = actor.mailbox.forget_replies().into_iter();
        actor.kept.extend(moot.map(|asked| (Vec::new(), asked)));
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
    /// Whether one more request has room: what was handed out and not begun stands in it.
    pub(crate) fn has_room(&self) -> bool {
        let later = self
            .running
            .iter()
            .skip(1)
            .filter_map(|r| r.question.as_ref());
        self.mailbox
            .has_room_beside(later.filter(|q| q.is_request()).count())
    }

    /// What was handed out and not begun stands before all that waits again.
    fn call_back(&mut self) {
        for (number, input) in self.handed_out.call_back().into_iter().rev() {
            // They were handed out in this order, and none of them was begun.
            let last = self.running.pop_back();
            self.mailbox.put_first(Envelope {
                number,
                input,
                question: last.and_then(|running| running.question),
                after: None,
            });
        }
    }

    /// Reserves room for what comes back under a token; the token as the world knows it: one of
    /// another life is another.
    pub(crate) fn expect(&mut self, token: Token) -> Token {
        let outer = token.wrapping_add(self.incarnation << 48);
        self.mailbox.reserve(outer);
        outer
    }

    /// True if the notice with this key is under way to it, or kept.
    pub(crate) fn has_notice(&self, key: &str) -> bool {
        let running = self.running.iter().filter_map(|r| r.question.as_ref());
        let mut beside = running.chain(self.kept.iter().map(|(_, q)| q));
        self.mailbox.has_notice(key) || beside.any(|q| q.is_notice() && q.key == key)
    }

    /// Keeps what it has stepped on until something has come back under each of these tokens of the
    /// world.
    pub(crate) fn keep(&mut self, sent: Vec<Token>, question: Question) {
        self.kept.push((sent, question));
    }

    /// Something comes back under a token of the world; what was kept for its sake and for no other's.
    pub(crate) fn take_kept(&mut self, token: Token) -> Option<Question> {
        let at = self
            .kept
            .iter()
            .position(|(sent, _)| sent.contains(&token))?;
        let sent = &mut self.kept[at].0;
        sent.retain(|other| *other != token);
        sent.is_empty().then(|| self.kept.remove(at).1)
    }

    /// What was kept for anything's sake: nothing that comes back is heard by who sent it.
    pub(crate) fn take_all_kept(&mut self) -> Vec<Question> {
        let kept = std::mem::take(&mut self.kept).into_iter();
        kept.map(|(_, question)| question).collect()
    }

    /// A token of the world as the agent knows it; none if nothing comes back under it, to this
    /// incarnation at least.
    pub(crate) fn redeem(&mut self, token: Token) -> Option<Token> {
        let expected = self.mailbox.redeem(token) || self.incarnation == 0;
        expected.then(|| token.wrapping_sub(self.incarnation << 48))
    }
}

/// The behaviour of an agent, with the random numbers it throws.
pub(crate) struct Behaviour {
    pub(crate) agent: Box<dyn Agent>,
    pub(crate) rng: SeededRng,
}
