//! What people do to the network from outside: they break something on their own terms, and mend it by
//! a word.
//!
//! For operators who try out their agents; no agent has a road to it. What a fault looks like is
//! physics ([`crate::state`]). Read next: `simulation/events.rs`.

use super::Simulation;
use super::events::Event;
use crate::fault::{self, Fault, FaultError, FaultKind, Terms};
use domain::time::Timestamp;

impl Simulation {
    /// As [`Simulation::inject`], on these terms.
    ///
    /// # Errors
    /// [`FaultError`] if the element is unknown or of the wrong kind, or the fault cannot go on like
    /// this.
    pub fn inject_on(&mut self, mut fault: Fault, terms: Terms) -> Result<(), FaultError> {
        fault::check(&self.inventory, &fault)?;
        terms.check(fault.kind)?;
        fault.at = fault.at.max(self.now);
        let (at, kind) = (fault.at, fault.kind);
        let number = self.expect(fault, terms);
        // Surges end with their own event, and ageing modules not at all.
        let ends = matches!(kind, FaultKind::MainsFailure | FaultKind::Interference);
        if let Some(lasts_s) = terms.lasts_s.filter(|_| ends) {
            self.schedule(at.plus_s(lasts_s), Event::Mend(number));
        }
        self.schedule_decoys(at);
        Ok(())
    }

    /// Mends the fault at this place of [`Simulation::truth`] at once, or calls it off if it has not
    /// begun. False if there is none, or it is mended. `now` is as in [`Simulation::act`].
    pub fn mend_fault(&mut self, place: usize, now: Timestamp) -> bool {
        let mut injected = self.injected.iter();
        let number = injected.find(|(_, index)| **index == place);
        let Some((&number, _)) = number else {
            return false;
        };
        if self.truths[place].repaired_at.is_some() {
            return false;
        }
        self.now = self.now.max(now);
        let strikes =
            |event: &Event| matches!(event, Event::Strike { number: n, .. } if *n == number);
        self.queue.retain(|_, event| !strikes(event));
        self.note_repair(number);
        match self.state.troubles.contains_key(&number) {
            true => self.mend(number),
            false => self.look(),
        }
        true
    }
}

#[cfg(test)]
mod tests;
