//! Outputs of an agent that change no task: what is wanted of the world, and when it is to be woken.
//!
//! Knows as well how what stands for an agent elsewhere takes its step, whose outputs these are at once.
//! Read next: [`crate::tasks::dispatch`], which takes what changes tasks; [`crate::commit::outbox`].

use crate::Engine;
use crate::commit::outbox::Outgoing;
use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::timers::Due;
use domain::agent::{Input, Output};
use domain::time::Timestamp;
use tracing::error;

impl Engine {
    /// Steps what stands for an agent elsewhere; what it says keeps to the schemas.
    pub(crate) fn step(&self, index: usize, input: Input, now: Timestamp) -> Vec<Output> {
        let outputs = self.hosting.agents.step_elsewhere(index, input, now);
        let name = self.registry.roster.name(index);
        let held = outputs
            .into_iter()
            .map(|output| self.held_output(&name, output, now));
        held.collect()
    }

    /// Takes an output on that changes no task. What stands for an agent elsewhere, asked about one task,
    /// has no word about another: that it says when something reaches it.
    pub(crate) fn pass_on(&self, index: usize, output: Output, unit: &mut UnitOfWork) {
        let name = self.registry.roster.name(index);
        match self.known_to_the_world(index, output) {
            Output::Wake { token, at } => {
                let agents = &self.hosting.agents;
                let wake = Due::Wake {
                    agent: index,
                    incarnation: match agents.is_hosted(index) {
                        true => agents.lock(index).incarnation(),
                        false => 0,
                    },
                    token,
                };
                self.deadlines.wake(at, wake);
            }
            output @ (Output::Send { .. } | Output::Act { .. } | Output::Note(_)) => {
                unit.outgoing.push(Outgoing {
                    agent: name.to_string(),
                    output,
                });
            }
            Output::Answer(_) | Output::Report { .. } | Output::Speak { .. } => {
                error!(
                    agent = &*name,
                    "agent '{name}' says what it was not asked: it is not taken"
                );
            }
        }
    }

    /// The same with the token by which the world knows it; room is reserved for what comes back.
    fn known_to_the_world(&self, index: usize, output: Output) -> Output {
        let agents = &self.hosting.agents;
        let reserved = |token| match agents.is_hosted(index) {
            true => agents.lock(index).expect(token),
            false => token,
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
