//! When an agent is to be woken, and when one must have come back from a step.
//!
//! Beside what is decided, so that a step can be handed out while something is. Read next:
//! [`crate::tasks::timers`]; [`crate::drive`], which carries out what falls due.

use crate::numbers::Numbers;
use crate::tasks::timers::{Due, Timers};
use domain::time::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) struct Alarms {
    state: Mutex<State>,
    numbers: Arc<Numbers>,
}

#[derive(Default)]
struct State {
    timers: Timers,
    /// When whoever has a clock looks next; none if nothing was due when he looked.
    armed: Option<Timestamp>,
}

impl Alarms {
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

    /// An agent must have come back from this step by then; none ends the watch. True if whoever has a clock
    /// would look too late.
    pub(crate) fn watch(&self, step: Due, until: Option<Timestamp>) -> bool {
        let mut state = self.lock();
        state.timers.schedule(step, until, || self.numbers.next());
        let is_late = until.is_some_and(|until| state.armed.is_none_or(|armed| until < armed));
        if is_late {
            state.armed = until;
        }
        is_late
    }

    /// When to look next: when something is due here, or at `other`. Whoever asks will look then.
    pub(crate) fn arm(&self, other: Option<Timestamp>) -> Option<Timestamp> {
        let mut state = self.lock();
        let own = state.timers.next().map(|(at, _)| at);
        state.armed = own.into_iter().chain(other).min();
        state.armed
    }

    /// What is due first, by its time and number.
    pub(crate) fn next(&self) -> Option<(Timestamp, u64)> {
        self.lock().timers.next()
    }

    /// The agents that must have come back from a step by now and have not.
    pub(crate) fn overdue(&self, now: Timestamp) -> Vec<usize> {
        let state = self.lock();
        let agents = state.timers.by(now).filter_map(|due| match due {
            Due::Step { agent, .. } => Some(*agent),
            _ => None,
        });
        agents.collect()
    }

    /// Takes out what is due first; none if nothing is due by now.
    pub(crate) fn take(&self, now: Timestamp) -> Option<Due> {
        self.lock().timers.take(now)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}
