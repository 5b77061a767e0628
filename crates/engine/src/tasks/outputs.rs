//! How what stands for an agent elsewhere takes its step, whose outputs are there at once.
//!
//! Read next: [`crate::tasks::dispatch`], which takes them on.

use crate::Engine;
use crate::tasks::work::Work;
use domain::agent::{Input, Output};
use domain::time::Timestamp;

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
}
