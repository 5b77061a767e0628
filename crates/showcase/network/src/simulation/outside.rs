//! Operator interventions: injecting a fault on given terms, and repairing it at once.
//!
//! For operators who test their agents; agents have no access to it. The symptoms of a fault are in
//! [`crate::state`]. Read next: `simulation/events.rs`.

use super::Simulation;
use super::queue::Event;
use crate::fault::{self, Fault, FaultError, FaultKind, FaultTerms};
use domain::time::Timestamp;

impl Simulation {
    /// Injects a fault as [`Simulation::inject`] does, on these terms.
    ///
    /// # Errors
    /// [`FaultError`] if the element is unknown or of the wrong kind, or the terms do not apply to
    /// the fault.
    pub fn inject_on(&mut self, mut fault: Fault, terms: FaultTerms) -> Result<(), FaultError> {
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

    /// Repairs the fault at this index of [`Simulation::truth`] at once, or cancels it if it has
    /// not begun. False if there is none, or it is repaired already. `now` is as in
    /// [`Simulation::act`].
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
