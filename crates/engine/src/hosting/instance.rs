//! An agent in here as the engine has it: its behaviour while it rests, its mailbox, and what becomes
//! of it when it fails.
//!
//! While an agent has its turn, its behaviour is elsewhere, with the inputs that it steps on one
//! after the other; whoever brings back what came of a step says by the incarnation and the number
//! of the input which step that was. What a fenced agent brings is not taken, and what it had not
//! begun is called back. Read next: [`crate::hosting::agents`], which locks it;
//! [`crate::hosting::mailbox`], [`crate::hosting::step`].

use crate::Limits;
use crate::hosting::activity::Steps;
use crate::hosting::mailbox::{Envelope, Mailbox};
use crate::hosting::question::Question;
use domain::agent::{Agent, Input};
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Within what time how often an agent is made anew before it is left alone.
const RESTARTS_WITHIN_MS: i64 = 60_000;
const RESTARTS_MOST: usize = 3;

/// Makes the agent anew.
pub type Factory = Box<dyn Fn() -> Box<dyn Agent> + Send + Sync>;

/// The behaviour of an agent, with the random numbers it throws.
pub(crate) struct Behaviour {
    pub(crate) agent: Box<dyn Agent>,
    pub(crate) rng: SeededRng,
}

pub(crate) struct AgentInstance {
    life: Life,
    pub(crate) mailbox: Mailbox,
    pub(crate) steps: Steps,
    again: Option<Arc<Factory>>,
    /// How often it failed.
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

enum Life {
    Rests(Behaviour),
    /// Its behaviour is with whoever runs its turn.
    Steps,
    /// What it was about is ended, and it is made anew.
    Fails,
    /// It failed too often and is not made anew.
    LeftAlone,
}

/// A step that an agent takes, or will in this turn.
struct Running {
    number: u64,
    question: Option<Question>,
    /// Since when its input is on its way.
    since: Timestamp,
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

/// How it is with an agent once a step is over.
pub(crate) enum After {
    /// Its turn goes on.
    GoesOn,
    /// Its turn is over, and what it has not begun waits for the next.
    Rests(Behaviour),
    /// It panicked.
    Failed,
}

/// A step that is over.
pub(crate) struct Ended {
    /// What it was about, if that is on record.
    pub(crate) question: Option<Question>,
    /// The number of the input that the agent steps on now, if its turn goes on.
    pub(crate) next: Option<u64>,
}

/// What an agent is handed out for a turn.
pub(crate) struct Given {
    pub(crate) behaviour: Behaviour,
    pub(crate) inputs: HandedOut,
    pub(crate) incarnation: u64,
    /// How much telemetry had to make room since its last turn.
    pub(crate) dropped: u64,
    /// What of it was on record.
    pub(crate) forgotten: Vec<Question>,
}

impl AgentInstance {
    pub(crate) fn new(behaviour: Behaviour, again: Option<Factory>, limits: &Limits) -> Self {
        Self {
            life: Life::Rests(behaviour),
            mailbox: Mailbox::new(limits.mailbox, limits.telemetry),
            steps: Steps::default(),
            again: again.map(Arc::new),
            incarnation: 0,
            running: VecDeque::new(),
            handed_out: HandedOut::default(),
            restarts: VecDeque::new(),
            kept: Vec::new(),
            failed_over: HashSet::new(),
        }
    }

    /// True of an agent that failed too often and is not made anew.
    pub(crate) fn is_left_alone(&self) -> bool {
        matches!(self.life, Life::LeftAlone)
    }

    /// In which of its lives it is.
    pub(crate) fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Takes an input into the mailbox, behind all others; false if the agent is left alone.
    pub(crate) fn post(&mut self, envelope: Envelope) -> bool {
        let is_taken = !self.is_left_alone();
        if is_taken {
            self.mailbox.put(envelope);
        }
        is_taken
    }

    /// Whether one more request has room: what was handed out and not begun stands in it.
    pub(crate) fn has_room(&self) -> bool {
        let later = self.running.iter().skip(1);
        let later = later.filter_map(|r| r.question.as_ref());
        self.mailbox
            .has_room_beside(later.filter(|q| q.is_request()).count())
    }

    /// Takes out what it was asked: what it steps on, then what waits.
    pub(crate) fn take_questions(&mut self) -> Vec<Question> {
        self.call_back();
        let running = self.running.iter_mut();
        let mut asked: Vec<Question> = running.filter_map(|r| r.question.take()).collect();
        asked.extend(self.mailbox.take_questions());
        asked
    }

    /// What is on record and under way: what it steps on, what waits, and what is kept.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        let running = self.running.iter().filter_map(|r| r.question.as_ref());
        let waiting = self.mailbox.questions();
        running
            .chain(waiting)
            .chain(self.kept.iter().map(|(_, q)| q))
    }

    /// True if it neither steps nor has an input.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.running.is_empty() && self.mailbox.is_empty()
    }

    /// How many inputs wait on which it has not begun to step, and since when the next of them does.
    pub(crate) fn waiting(&self) -> (usize, Option<Timestamp>) {
        let (posted, next) = self.mailbox.waiting();
        let mut handed_out = self.running.iter().skip(1);
        let many = handed_out.len() + posted;
        (many, handed_out.next().map(|first| first.since).or(next))
    }

    /// The number of its next input, if it rests and there is one.
    pub(crate) fn next(&self) -> Option<u64> {
        match self.life {
            Life::Rests(_) => self.mailbox.next(),
            _ => None,
        }
    }

    /// Takes the behaviour out to step on its next inputs, so many at the most. The first step begins.
    pub(crate) fn take(&mut self, most: usize, now: Timestamp) -> Option<Given> {
        self.next()?;
        let Life::Rests(behaviour) = std::mem::replace(&mut self.life, Life::Steps) else {
            unreachable!("what has a next input rests");
        };
        let inputs = HandedOut::default();
        for _ in 0..most.max(1) {
            let Some(envelope) = self.mailbox.take() else {
                break;
            };
            self.running.push_back(Running {
                number: envelope.number,
                question: envelope.question,
                since: envelope.since,
            });
            inputs.put(envelope.number, envelope.input);
        }
        self.handed_out = inputs.clone();
        self.steps.begin(now);
        let (dropped, forgotten) = self.mailbox.take_dropped();
        Some(Given {
            behaviour,
            inputs,
            incarnation: self.incarnation,
            dropped,
            forgotten,
        })
    }

    /// The number of the input that it steps on.
    fn stepping_on(&self) -> Option<u64> {
        self.running.front().map(|running| running.number)
    }

    /// What it steps on, if that is on record.
    pub(crate) fn stepping_on_question(&self) -> Option<&Question> {
        self.running.front()?.question.as_ref()
    }

    /// The task about which it steps on that input, if what it was asked is on record.
    pub(crate) fn steps_about(&self, number: u64) -> Option<TaskId> {
        let is_this = self.stepping_on() == Some(number);
        let asked = self.stepping_on_question().filter(|_| is_this)?;
        Some(asked.task.clone())
    }

    /// Ends the step on that input, which took so long; none if it is not what this incarnation steps on.
    pub(crate) fn end_step(
        &mut self,
        incarnation: u64,
        number: u64,
        after: After,
        took: Duration,
        now: Timestamp,
    ) -> Option<Ended> {
        if self.incarnation != incarnation || self.stepping_on() != Some(number) {
            return None;
        }
        let question = self.running.pop_front()?.question;
        let next = match after {
            After::GoesOn => {
                self.steps.end(took);
                let next = self.stepping_on();
                next.inspect(|_| self.steps.begin(now))
            }
            After::Rests(behaviour) => {
                self.steps.end(took);
                self.put_back(behaviour);
                None
            }
            After::Failed => {
                self.steps.fail(took);
                self.fence();
                None
            }
        };
        Some(Ended { question, next })
    }

    /// Gives it up, if it steps on that input; with it what that is about, if it is on record.
    pub(crate) fn give_up(&mut self, number: u64, now: Timestamp) -> Option<Option<Question>> {
        let is_stuck = self.stepping_on() == Some(number);
        is_stuck.then(|| {
            self.steps.fail(self.steps.lasts(now));
            self.fence();
            self.stepping_on_question().cloned()
        })
    }

    /// Puts the behaviour back: its turn is over, and what it has not begun waits for the next.
    pub(crate) fn put_back(&mut self, behaviour: Behaviour) {
        self.call_back();
        self.life = Life::Rests(behaviour);
    }

    /// The agent failed: nothing that comes of it is taken any more, and nothing is handed out until
    /// it is made anew.
    fn fence(&mut self) {
        self.incarnation += 1;
        self.life = Life::Fails;
        self.call_back();
    }

    /// Forgets what it stepped on when it failed. What makes it anew; none, and it is left alone, if it
    /// failed too often or cannot be made.
    pub(crate) fn restart(&mut self, now: Timestamp) -> Option<Arc<Factory>> {
        self.running.clear();
        // What comes back to a former life is heard by nobody.
        let moot = self.mailbox.forget_replies().into_iter();
        self.kept.extend(moot.map(|asked| (Vec::new(), asked)));
        self.restarts
            .retain(|restart| now < *restart + RESTARTS_WITHIN_MS);
        let again = self.again.clone();
        let again = again.filter(|_| self.restarts.len() < RESTARTS_MOST);
        match again {
            Some(_) => self.restarts.push_back(now),
            None => self.life = Life::LeftAlone,
        }
        again
    }

    /// What was handed out and not begun stands before all that waits again.
    fn call_back(&mut self) {
        for (number, input) in self.handed_out.call_back().into_iter().rev() {
            // They were handed out in this order, and none of them was begun.
            let last = self.running.pop_back();
            let last = last.expect("what was handed out and not begun runs");
            self.mailbox.put_first(Envelope {
                number,
                input,
                question: last.question,
                after: None,
                since: last.since,
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

    /// An input with the token that the agent gave what it replies to; none if the agent was made anew
    /// since.
    pub(crate) fn expected(&mut self, input: Input) -> Option<Input> {
        Some(match input {
            Input::Replied { token, reply } => Input::Replied {
                token: self.redeem(token)?,
                reply,
            },
            Input::Acted { token, outcome } => Input::Acted {
                token: self.redeem(token)?,
                outcome,
            },
            other => other,
        })
    }

    /// A token of the world as the agent knows it; none if nothing comes back under it, to this
    /// incarnation at least.
    fn redeem(&mut self, token: Token) -> Option<Token> {
        let expected = self.mailbox.redeem(token) || self.incarnation == 0;
        expected.then(|| token.wrapping_sub(self.incarnation << 48))
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
}
