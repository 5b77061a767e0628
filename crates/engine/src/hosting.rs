//! Agents in here: what they owe answers to, how they take steps, and those that fail.
//!
//! Read next: [`agents`], [`instance`], [`mailbox`], [`step`]; [`activity`], what is counted of them.

pub(crate) mod activity;
pub(crate) mod agents;
pub(crate) mod briefing;
pub(crate) mod delivery;
pub(crate) mod failing;
pub(crate) mod instance;
pub(crate) mod mailbox;
pub(crate) mod question;
pub(crate) mod redelivery;
pub(crate) mod step;

use agents::Agents;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The agents, how those in here take steps, and how they fare.
pub(crate) struct Hosting {
    pub(crate) agents: Arc<Agents>,
    /// True if they step beside the decisions.
    beside: AtomicBool,
    /// How many pieces of telemetry made room for newer ones.
    dropped: AtomicU64,
    /// How many steps did not return in time.
    given_up: AtomicU64,
}

impl Hosting {
    pub(crate) fn new(agents: Arc<Agents>) -> Self {
        Self {
            agents,
            beside: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
        }
    }

    /// True if agents in here step beside the decisions, on threads of whoever has some.
    pub(crate) fn is_beside(&self) -> bool {
        self.beside.load(Acquire)
    }

    /// Has them step beside the decisions from now on, or in turn.
    fn set_beside(&self, beside: bool) {
        self.beside.store(beside, Release);
    }
}
