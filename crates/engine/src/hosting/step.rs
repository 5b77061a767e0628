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
use crate::drive::name_of;
use crate::hosting::instance::{After, Behaviour, Ended, Given, HandedOut};
use crate::tasks::loaded::Name;
use crate::tasks::timers::Due;
use domain::agent::{Input, Output};
use domain::time::Timestamp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
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
    took: Duration,
}

impl Stepped {
    /// The same step, which took so long: to be said by whoever ran it and has a clock. It counts as none
    /// otherwise.
    pub fn taking(self, took: Duration) -> Self {
        Self { took, ..self }
    }

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
            took: Duration::ZERO,
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
        self.hosting.agents.ready().await;
    }

    /// The turn of the agent whose input has waited longest, of those that have none now; none if
    /// nothing can be handed out. It has up to `most` steps, all that can be handed out to it. Whoever
    /// takes one brings each of its steps to [`Engine::finish`], in order.
    pub fn next_turn(&self, most: usize, now: Timestamp) -> Option<Turn> {
        self.hosting.agents.note_time(now);
        self.recover_first();
        let (index, given) = self.hosting.agents.hand_out(most, now)?;
        let Given {
            behaviour,
            inputs: rest,
            incarnation,
            dropped,
            forgotten,
        } = given;
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
        self.forget(forgotten);
        if self.hosting.is_beside() {
            self.watch(index, number, now);
            if self.hosting.agents.has_next() {
                self.hosting.agents.notify_ready();
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
    fn watch(&self, agent: usize, number: u64, now: Timestamp) {
        let until = now + self.limits.step_ms;
        if self.deadlines.watch(Due::Step { agent, number }, until) {
            self.commits.outbox.notify();
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
            took,
        } = stepped;
        let agents = &self.hosting.agents;
        agents.note_time(now);
        let agent = index;
        self.deadlines.schedule(Due::Step { agent, number }, None);
        let name = self.registry.roster.name(index);
        let (after, came) = match ended {
            Ok((behaviour, outputs)) => {
                let outputs = outputs.into_iter();
                let held = outputs.map(|output| self.held_output(&name, output, now));
                let after = behaviour.map_or(After::GoesOn, After::Rests);
                (after, Ok(held.collect::<Vec<Output>>()))
            }
            Err(panic) => (After::Failed, Err(panic)),
        };
        self.recover_first();
        // What decides nothing waits for nobody who does. What is on record stays with the agent until what
        // follows from it is decided.
        let is_quiet = came.as_ref().is_ok_and(|outputs| only_wakes(outputs))
            && agents.lock(index).stepping_on_question().is_none();
        let lock = || match &came {
            Err(_) => self.lock_all_for(index),
            Ok(outputs) => {
                let about = agents.lock(index).steps_about(number);
                let held = about.iter().cloned().map(Name::Tree);
                let held: Vec<Name> = held.chain(outputs.iter().filter_map(name_of)).collect();
                self.lock_with_all(&held, |_, names| {
                    names.extend(about.clone().map(Name::Task))
                })
            }
        };
        let mut work = (!is_quiet).then(lock);
        let ended = agents
            .lock(index)
            .end_step(incarnation, number, after, took, now);
        let Some(Ended { question, next }) = ended else {
            return false;
        };
        if let Some(next) = next {
            self.watch(index, next, now);
        }
        let mut unit = UnitOfWork::default();
        match (&mut work, came) {
            (Some(work), Ok(outputs)) => match question {
                Some(asked) => self.take_answer(work, index, &asked, outputs, now, &mut unit),
                None => drop(self.take_outputs(work, index, outputs, now, &mut unit)),
            },
            (Some(work), Err(panic)) => {
                error!(agent = &*name, "agent '{name}' panicked: {panic}");
                self.crashed(work, index, question, now, &mut unit);
            }
            (None, came) => {
                let wakes = came.into_iter().flatten();
                wakes.for_each(|wake| self.pass_on(index, wake, &mut unit));
            }
        }
        match unit.is_empty() {
            true => self.commits.outbox.notify(),
            false => drop(self.commit(unit)),
        }
        drop(work);
        if agents.has_next() {
            self.hosting.agents.notify_ready();
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

/// True if nothing is decided by what came of a step.
fn only_wakes(outputs: &[Output]) -> bool {
    outputs.iter().all(|it| matches!(it, Output::Wake { .. }))
}
