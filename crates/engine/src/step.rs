//! Agents in here at work: an input is handed out, the agent steps on it outside every lock, and
//! what came of it is one batch.
//!
//! An engine begins by letting the thread that decides run the steps that follow from it, in the
//! order in which inputs arrived, so that a seed decides everything. With [`Stepping::Beside`]
//! whoever has threads for it runs them: [`Engine::next_step`], [`Step::run`],
//! [`Engine::finish`]. Then an input is handed out once the commit that it rests on is on disk.
//! Different agents step beside each other; one agent takes one input after the other. Read next:
//! [`crate::mailbox`], [`crate::negotiate`] (what answers lead to), [`crate::failing`].

use crate::Engine;
use crate::mailbox::Envelope;
use crate::question::Question;
use crate::roster::Mind;
use crate::staged::Staged;
use crate::work::{Due, Work};
use domain::agent::{Ask, Input, Output};
use domain::time::Timestamp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use tracing::{error, warn};

// An agent that panics must not take the platform with it.
#[cfg(panic = "abort")]
compile_error!("agents are kept apart by unwinding: build with panic = \"unwind\"");

/// Who runs the steps of agents in here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepping {
    /// Whoever decides runs the steps that follow, in the order in which inputs arrived, before the
    /// call returns: a seed decides everything. An engine begins like this.
    InTurn,
    /// Whoever calls [`Engine::next_step`], on any threads. What agents are asked reaches them, and
    /// what they want of the world leaves, once the commit that it rests on is on disk.
    Beside,
}

/// A step that an agent is to take.
pub struct Step {
    index: usize,
    incarnation: u64,
    number: u64,
    agent: Arc<str>,
    mind: Mind,
    input: Input,
    now: Timestamp,
}

/// A step that was taken.
pub struct Stepped {
    index: usize,
    incarnation: u64,
    number: u64,
    /// What came of it; of one that panicked, why.
    ended: Result<(Mind, Vec<Output>), String>,
}

impl Step {
    /// Whose step it is.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// What the agent steps on.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Lets the agent step. A panic ends the step and nothing else.
    pub fn run(self) -> Stepped {
        let Self { input, now, .. } = self;
        let Mind {
            mut agent,
            mut dice,
        } = self.mind;
        let stepped = catch_unwind(AssertUnwindSafe(|| agent.step(input, now, &mut dice)));
        let ended = match stepped {
            Ok(outputs) => Ok((Mind { agent, dice }, outputs)),
            Err(panic) => {
                // What panicked once may do so again while it is let go of.
                drop(catch_unwind(AssertUnwindSafe(|| drop(agent))));
                let said = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(said.unwrap_or_else(|| "it panicked".to_owned()))
            }
        };
        Stepped {
            index: self.index,
            incarnation: self.incarnation,
            number: self.number,
            ended,
        }
    }
}

impl Engine {
    /// Says who runs steps from now on. What waits is run at once if that is who decides.
    pub fn set_stepping(&self, stepping: Stepping, now: Timestamp) {
        self.beside.store(stepping == Stepping::Beside, Release);
        self.step_in_turn(now);
    }

    pub(crate) fn is_beside(&self) -> bool {
        self.beside.load(Acquire)
    }

    /// Resolves when there may be a step to take, or one was given up. One of those who wait is told.
    pub async fn step_ready(&self) {
        self.outbox.ready().await;
    }

    /// The step whose input has waited longest, of agents that take none now; none if nothing can
    /// be handed out. Whoever takes one brings it to [`Engine::finish`].
    pub fn next_step(&self, now: Timestamp) -> Option<Step> {
        let mut work = self.lock_work();
        let index = work.first_in_line()?;
        let instance = work.instance(index);
        let dropped = instance
            .actor()
            .map_or(0, |actor| actor.mailbox.take_dropped());
        let (mind, Envelope { number, input, .. }, incarnation) = instance.take()?;
        let agent = self.roster.name(index);
        if dropped > 0 {
            self.dropped.fetch_add(dropped, Relaxed);
            warn!(
                agent = &*agent,
                telemetry.dropped = dropped,
                "agent '{agent}' is behind: {dropped} pieces of telemetry made room for newer ones"
            );
        }
        if self.is_beside() {
            self.watch(&mut work, index, number, now);
            if work.first_in_line().is_some() {
                self.outbox.notify_ready();
            }
        }
        Some(Step {
            index,
            incarnation,
            number,
            agent,
            mind,
            input,
            now,
        })
    }

    /// How many pieces of telemetry made room for newer ones, of all agents.
    pub fn telemetry_dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// A step is taken for so long at the most.
    fn watch(&self, work: &mut Work, agent: usize, number: u64, now: Timestamp) {
        let due = now + self.limits.step_ms;
        work.schedule(Due::Step { agent, number }, Some(due));
        if work.next_due() == Some(due) {
            self.outbox.notify();
        }
    }

    /// Takes in what came of a step, as one batch. False if the agent was given up meanwhile:
    /// nothing of it is taken then.
    pub fn finish(&self, stepped: Stepped, now: Timestamp) -> bool {
        let Stepped {
            index,
            incarnation,
            number,
            ended,
        } = stepped;
        let name = self.roster.name(index);
        let ended = ended.map(|(mind, outputs)| {
            let outputs = outputs.into_iter();
            let held = outputs.map(|output| self.held_output(&name, output, now));
            (mind, held.collect::<Vec<Output>>())
        });
        let mut work = self.lock_work();
        work.schedule(
            Due::Step {
                agent: index,
                number,
            },
            None,
        );
        let Some(running) = work.instance(index).end_step(incarnation, number) else {
            return false;
        };
        let mut staged = Staged::default();
        match ended {
            Ok((mind, outputs)) => {
                work.instance(index).put_back(mind);
                match running.question {
                    Some(asked) => {
                        self.take_answer(&mut work, index, &asked, outputs, now, &mut staged);
                    }
                    None => {
                        self.take_outputs(&mut work, index, outputs, now, &mut staged);
                    }
                }
            }
            Err(panic) => {
                error!(agent = &*name, "agent '{name}' panicked: {panic}");
                self.crashed(&mut work, index, running.question, now, &mut staged);
            }
        }
        match staged.is_empty() {
            true => self.outbox.notify(),
            false => drop(self.commit(staged)),
        }
        if work.first_in_line().is_some() {
            self.outbox.notify_ready();
        }
        true
    }

    /// Runs the steps that follow from what was decided, unless others run them.
    pub(crate) fn step_in_turn(&self, now: Timestamp) {
        if self.is_beside() {
            return;
        }
        while let Some(step) = self.next_step(now) {
            self.finish(step.run(), now);
        }
    }

    /// Puts a question to an agent in here. It is on record until it is answered.
    pub(crate) fn ask(
        &self,
        work: &mut Work,
        index: usize,
        question: Question,
        ask: Ask,
        staged: &mut Staged,
    ) {
        staged.documents.push(question.row());
        self.post(work, index, Input::Asked(ask), Some(question), staged);
    }

    /// Puts an input that rests on what is staged into the mailbox of an agent in here.
    pub(crate) fn post(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        question: Option<Question>,
        staged: &mut Staged,
    ) {
        let after = self.is_beside().then(|| self.mark(staged));
        let number = work.post(index, input, question, after);
        if let (Some(mark), Some(number)) = (after, number) {
            work.rests_on(mark, index, number);
        }
    }

    /// Puts an input that rests on nothing that is not on disk into the mailbox of an agent in here.
    pub(crate) fn put(&self, work: &mut Work, index: usize, input: Input) {
        work.post(index, input, None, None);
        self.outbox.notify_ready();
    }

    /// The mark of the batch that is staged.
    pub(crate) fn mark(&self, staged: &mut Staged) -> u64 {
        let next = || self.marks.fetch_add(1, Relaxed) + 1;
        *staged.mark.get_or_insert_with(next)
    }
}
