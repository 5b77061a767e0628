//! How busy an agent in here is, and how its steps went: for whoever runs the platform.
//!
//! Counts only. The engine has no clock: how long a step took says who ran it. Read next:
//! [`crate::hosting::instance`], whose steps are counted.

use domain::time::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// How busy an agent in here is, and how its steps went since the engine was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStatistics {
    /// The agent.
    pub name: Arc<str>,
    /// Inputs on which it has not begun to step: in its mailbox, or handed out behind another.
    pub waiting: u32,
    /// How long the next of them has waited, in milliseconds; 0 if there is none.
    pub waiting_ms: u64,
    /// When the step began that it is in; none while it is in none.
    pub step_since: Option<Timestamp>,
    /// Steps that have ended, those that failed among them.
    pub steps: u64,
    /// How long these took together, as far as whoever ran them said so (`Stepped::taking`); those
    /// that did not return, until they were given up.
    pub step_time: Duration,
    /// Steps that panicked, or did not return in time.
    pub failed: u64,
}

/// The steps of one agent: the one that it is in, and those that have ended.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    since: Option<Timestamp>,
    ended: u64,
    took: Duration,
    failed: u64,
}

impl Steps {
    /// A step begins.
    pub(crate) fn begin(&mut self, now: Timestamp) {
        self.since = Some(now);
    }

    /// The step under way has ended, after so long.
    pub(crate) fn end(&mut self, took: Duration) {
        self.since = None;
        self.ended += 1;
        self.took += took;
    }

    /// The step under way has failed, after so long.
    pub(crate) fn fail(&mut self, took: Duration) {
        self.end(took);
        self.failed += 1;
    }

    /// How long the step under way lasts by now.
    pub(crate) fn lasts(&self, now: Timestamp) -> Duration {
        let since = self.since.map_or(0, |since| ms_between(since, now));
        Duration::from_millis(since)
    }

    /// What is told of them, and of inputs that wait: how many, and since when the next of them does.
    pub(crate) fn told(
        &self,
        name: Arc<str>,
        (waiting, first): (usize, Option<Timestamp>),
        now: Timestamp,
    ) -> AgentStatistics {
        AgentStatistics {
            name,
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            waiting_ms: first.map_or(0, |since| ms_between(since, now)),
            step_since: self.since,
            steps: self.ended,
            step_time: self.took,
            failed: self.failed,
        }
    }
}

/// Milliseconds between two instants; 0 if the second is not the later one.
fn ms_between(since: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.as_ms() - since.as_ms()).unwrap_or(0)
}
