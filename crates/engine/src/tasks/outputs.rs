//! Outputs of an agent that change no task: what is wanted of the world, and when it is to be woken.
//!
//! Knows as well how what stands for an agent elsewhere takes its step, whose outputs these are at once.
//! Read next: [`crate::tasks::dispatch`], which takes what changes tasks; [`crate::commit::outbox`].

use crate::Engine;
use crate::commit::outbox::Outgoing;
use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::timers::Due;
use crate::tasks::work::Work;
use domain::agent::{Input, Output};
use domain::time::Timestamp;
use tracing::error;

impl Engine {
    /// Steps what stands for an agent elsewhere; what it says keeps to the schemas.
    pub(crate) fn step(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(behaviour) = work.instance(index).behaviour() else {
            return Vec::new();
        };
        let outputs = behaviour.agent.step(input, now, &mut behaviour.rng);
        let name = self.registry.roster.name(index);
        let held = outputs
            .into_iter()
            .map(|output| self.held_output(&name, output, now));
        held.collect()
    }

    /// Takes an output on that changes no task. What stands for an agent elsewhere, asked about one task,
    /// has no word about another: that it says when something reaches it.
    pub(crate) fn pass_on(
        &self,
        work: &mut Work,
        index: usize,
        output: Output,
        unit: &mut UnitOfWork,
    ) {
        let agent = self.registry.roster.name(index);
        match self.known_to_the_world(work, index, output) {
            Output::Wake { token, at } => {
                let incarnation = work.instance(index).incarnation();
                work.set_due(
                    at,
                    Due::Wake {
                        agent: index,
                        incarnation,
                        token,
                    },
                );
            }
            output @ (Output::Send { .. } | Output::Act { .. } | Output::Note(_)) => {
                unit.outgoing.push(Outgoing {
                    agent: agent.to_string(),
                    output,
                });
            }
            Output::Answer(_) | Output::Report { .. } | Output::Speak { .. } => {
                error!(
                    agent = &*agent,
                    "agent '{agent}' says what it was not asked: it is not taken"
                );
            }
        }
    }

    /// The same with the token by which the world knows it; room is reserved for what comes back.
    fn known_to_the_world(&self, work: &mut Work, index: usize, output: Output) -> Output {
        let mut reserved = |token| match work.instance(index).actor() {
            Some(actor) => actor.expect(token),
            None => token,
        };
        match output {
            Output::Send { token, message } => Output::Send {
                token: reserved(token),
                message,
            },
            Output::Act { token, action } => Output::Act {
                token: reserved(token),
                action,
            },
            other => other,
        }
    }
}
