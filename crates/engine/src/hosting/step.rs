//! Agents in here at work: an input is handed out, the agent steps on it outside every lock, and
//! what came of it is one batch.
//!
//! An engine begins by letting the thread that decides run the steps that follow from it, in the
//! order in which inputs arrived, so that a seed decides everything. With [`Stepping::Beside`]
//! whoever has threads for it runs them: [`Engine::next_turn`], [`Turn::step`],
//! [`Engine::finish`]. Then an input is handed out once the commit that it rests on is on disk.
//! Different agents step beside each other; one agent takes one input after the other, as many in
//! a turn as wait for it, so that a busy agent is not handed from thread to thread for each. Read
//! next: [`crate::hosting::mailbox`], [`crate::tasks::negotiate`] (what answers lead to), [`crate::hosting::failing`].

use crate::Engine;
use crate::commit::unit_of_work::UnitOfWork;
use crate::hosting::instance::{Behaviour, HandedOut};
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use domain::agent::{Input, Output};
use domain::time::Timestamp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
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
    /// Whoever calls [`Engine::next_turn`], on any threads. What agents are asked reaches them, and
    /// what they want of the world leaves, once the commit that it rests on is on disk.
    Beside,
}

/// The steps that an agent is to take now, one after the other.
pub struct Turn {
    index: usize,
    incarnation: u64,
    agent: Arc<str>,
    behaviour: Behaviour,
    number: u64,
    input: Input,
    /// What comes behind this input, as long as it is not called back.
    rest: HandedOut,
    now: Timestamp,
}

/// A step that was taken.
pub struct Stepped {
    index: usize,
    incarnation: u64,
    number: u64,
    /// What came of it, with the behaviour if the turn is over; of one that panicked, why.
    ended: Result<(Option<Behaviour>, Vec<Output>), String>,
}

impl Stepped {
    /// True of the last step of its turn.
    pub fn ends_turn(&self) -> bool {
        !matches!(self.ended, Ok((None, _)))
    }
}

impl Turn {
    /// Whose turn it is.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// What the agent steps on next.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Lets the agent take its next step; with it the rest of the turn, if there is more and
    /// `goes_on` says so once the step was taken. What is left where it does not waits for another
    /// turn. A panic ends the step, the turn and nothing else.
    pub fn step(self, goes_on: impl FnOnce() -> bool) -> (Stepped, Option<Self>) {
        let Self {
            index,
            incarnation,
            number,
            input,
            rest,
            now,
            ..
        } = self;
        let stepped = |ended| Stepped {
            index,
            incarnation,
            number,
            ended,
        };
        let Behaviour { mut agent, mut rng } = self.behaviour;
        match catch_unwind(AssertUnwindSafe(|| agent.step(input, now, &mut rng))) {
            Ok(outputs) => {
                let behaviour = Behaviour { agent, rng };
                match goes_on().then(|| rest.take()).flatten() {
                    Some((number, input)) => {
                        let turn = Self {
                            behaviour,
                            number,
                            input,
                            rest,
                            ..self
                        };
                        (stepped(Ok((None, outputs))), Some(turn))
                    }
                    None => (stepped(Ok((Some(behaviour), outputs))), None),
                }
            }
            Err(panic) => {
                // What panicked once may do so again while it is let go of.
                drop(catch_unwind(AssertUnwindSafe(|| drop(agent))));
                let said = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
                let said = said.unwrap_or_else(|| "it panicked".to_owned());
                (stepped(Err(said)), None)
            }
        }
    }
}

impl Engine {
    /// Says who runs steps from now on. What waits is run at once if that is who decides.
    pub fn set_stepping(&self, stepping: Stepping, now: Timestamp) {
        self.hosting.set_beside(stepping == Stepping::Beside);
        self.step_in_turn(now);
    }

    /// Resolves when there may be a step to take, or one was given up. One of those who wait is told.
    pub async fn step_ready(&self) {
        self.commits.outbox.ready().await;
    }

    /// The turn of the agent whose input has waited longest, of those that have none now; none if
    /// nothing can be handed out. It has up to `most` steps, all that can be handed out to it. Whoever
    /// takes one brings each of its steps to [`Engine::finish`], in order.
    pub fn next_turn(&self, most: usize, now: Timestamp) -> Option<Turn> {
        let mut work = self.lock_work();
        let index = work.first_in_line()?;
        let instance = work.instance(index);
        let dropped = instance
            .actor()
            .map_or(0, |actor| actor.mailbox.take_dropped());
        let (behaviour, rest, incarnation) = instance.take(most)?;
        let (number, input) = rest.take()?;
        let agent = self.registry.roster.name(index);
        if dropped > 0 {
            self.hosting.dropped.fetch_add(dropped, Relaxed);
            warn!(
                agent = &*agent,
                telemetry.dropped = dropped,
                "agent '{agent}' is behind: {dropped} pieces of telemetry made room for newer ones"
            );
        }
        if self.hosting.is_beside() {
            self.watch(&mut work, index, number, now);
            if work.first_in_line().is_some() {
                self.commits.outbox.notify_ready();
            }
        }
        Some(Turn {
            index,
            incarnation,
            agent,
            behaviour,
            number,
            input,
            rest,
            now,
        })
    }

    /// How many pieces of telemetry made room for newer ones, of all agents.
    pub fn telemetry_dropped(&self) -> u64 {
        self.hosting.dropped.load(Relaxed)
    }

    /// A step is taken for so long at the most.
    fn watch(&self, work: &mut Work, agent: usize, number: u64, now: Timestamp) {
        let due = now + self.limits.step_ms;
        work.schedule(Due::Step { agent, number }, Some(due));
        if work.next_due() == Some(due) {
            self.commits.outbox.notify();
        }
    }

    /// Takes in what came of a step, as one batch. False if the agent was given up meanwhile:
    /// nothing of it is taken then.
    pub fn finish(&self, stepped: Stepped, now: Timestamp) -> bool {
        let goes_on = !stepped.ends_turn();
        let Stepped {
            index,
            incarnation,
            number,
            ended,
        } = stepped;
        let name = self.registry.roster.name(index);
        let ended = ended.map(|(behaviour, outputs)| {
            let outputs = outputs.into_iter();
            let held = outputs.map(|output| self.held_output(&name, output, now));
            (behaviour, held.collect::<Vec<Output>>())
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
        if let Some(next) = work.instance(index).stepping_on().filter(|_| goes_on) {
            self.watch(&mut work, index, next, now);
        }
        let mut unit = UnitOfWork::default();
        match ended {
            Ok((behaviour, outputs)) => {
                if let Some(behaviour) = behaviour {
                    work.instance(index).put_back(behaviour);
                }
                match running.question {
                    Some(asked) => {
                        self.take_answer(&mut work, index, &asked, outputs, now, &mut unit);
                    }
                    None => {
                        self.take_outputs(&mut work, index, outputs, now, &mut unit);
                    }
                }
            }
            Err(panic) => {
                error!(agent = &*name, "agent '{name}' panicked: {panic}");
                self.crashed(&mut work, index, running.question, now, &mut unit);
            }
        }
        match unit.is_empty() {
            true => self.commits.outbox.notify(),
            false => drop(self.commit(unit)),
        }
        if work.first_in_line().is_some() {
            self.commits.outbox.notify_ready();
        }
        true
    }

    /// Runs the steps that follow from what was decided, unless others run them, or nothing can be
    /// decided any more.
    pub(crate) fn step_in_turn(&self, now: Timestamp) {
        if self.hosting.is_beside() || self.is_broken() {
            return;
        }
        while let Some(turn) = self.next_turn(1, now) {
            self.finish(turn.step(|| false).0, now);
        }
    }
}
