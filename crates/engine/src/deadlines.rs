//! What falls due, of all that is decided and of agents' steps and alarms, in one order.
//!
//! Beside the locks of decisions and of agents: each of them sets its own, and whoever has a clock takes out what
//! is due, and then the locks that it needs. Read next: [`crate::tasks::timers`]; [`crate::drive`], which carries out
//! what falls due.

use crate::numbers::Numbers;
use crate::tasks::timers::{Due, Timers};
use domain::time::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard};

/// When what falls due, and its number among what falls due then.
pub(crate) type Place = (Timestamp, u64);

pub(crate) struct Deadlines {
    state: Mutex<State>,
    numbers: Arc<Numbers>,
}

#[derive(Default)]
struct State {
    timers: Timers,
    /// When whoever has a clock looks next; none if nothing was due when he looked.
    armed: Option<Timestamp>,
}

impl Deadlines {
    pub(crate) fn new(numbers: Arc<Numbers>) -> Self {
        Self {
            state: Mutex::default(),
            numbers,
        }
    }

    /// An agent is to be woken then.
    pub(crate) fn wake(&self, at: Timestamp, due: Due) {
        let number = self.numbers.next();
        self.lock().timers.add(at, number, due);
    }

    /// Sets when something is due that is due at one time only; none withdraws it.
    pub(crate) fn schedule(&self, due: Due, at: Option<Timestamp>) {
        let mut state = self.lock();
        state.timers.schedule(due, at, || self.numbers.next());
    }

    /// The same of an agent that must have come back from a step by then. True if whoever has a clock would look
    /// too late, whom nothing else tells.
    pub(crate) fn watch(&self, step: Due, until: Timestamp) -> bool {
        let mut state = self.lock();
        let numbers = &self.numbers;
        state.timers.schedule(step, Some(until), || numbers.next());
        let is_late = state.armed.is_none_or(|armed| until < armed);
        if is_late {
            state.armed = Some(until);
        }
        is_late
    }

    /// Withdraws what follows from what was decided.
    pub(crate) fn withdraw_decided(&self) {
        self.lock().timers.withdraw_decided();
    }

    /// When to look next: when something is due here, or at `other`. Whoever asks will look then.
    pub(crate) fn arm(&self, other: Option<Timestamp>) -> Option<Timestamp> {
        let mut state = self.lock();
        let own = state.timers.first().map(|((at, _), _)| at);
        state.armed = own.into_iter().chain(other).min();
        state.armed
    }

    /// What is due first, and its place; none if nothing is due by now.
    pub(crate) fn first(&self, now: Timestamp) -> Option<(Place, Due)> {
        let state = self.lock();
        let (place, due) = state.timers.first()?;
        (place.0 <= now).then(|| (place, due.clone()))
    }

    /// Takes out what is due there; false if it was withdrawn meanwhile.
    pub(crate) fn take(&self, place: Place) -> bool {
        self.lock().timers.take(place)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}
