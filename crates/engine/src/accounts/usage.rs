//! What each user holds, how busy agents are, and what the store does, told to whoever runs the platform.
//!
//! Read next: [`crate::accounts`], [`crate::hosting::activity`].

use crate::Engine;
use crate::accounts::{Account, Usage};
use crate::hosting::activity::AgentStatistics;
use domain::time::Timestamp;
use std::sync::Arc;
use store::{StoreStatistics, Verification};

impl Engine {
    /// What the store did since it was opened.
    pub fn store_statistics(&self) -> StoreStatistics {
        self.store.statistics()
    }

    /// How large the database is, in bytes; none where that is not known without asking it.
    pub fn store_size(&self) -> Option<u64> {
        self.store.size()
    }

    /// How far what has ended was verified since the store was opened.
    pub fn verification(&self) -> Verification {
        self.store.verification()
    }

    /// How busy each agent in here is, in roster order. Each is held for a moment, one after the other; no
    /// decision is.
    pub fn agent_statistics(&self, now: Timestamp) -> Vec<AgentStatistics> {
        let (agents, roster) = (&self.hosting.agents, &self.registry.roster);
        let each = (0..agents.hosted()).map(|index| {
            let (name, agent) = (roster.name(index), agents.lock(index));
            agent.steps.told(name, agent.waiting(), now)
        });
        each.collect()
    }

    /// What every user holds that has asked for anything in this run or has data stored, by name.
    pub fn usage(&self) -> Vec<Usage> {
        let accounts = self.accounts.all();
        let usage = |account: Arc<Account>| {
            let (open, usage) = (self.open_by(account.user()), account.usage());
            Usage {
                tasks_open: open.number as u64,
                held_bytes: usage.held_bytes + open.bytes as u64,
                ..usage
            }
        };
        accounts.into_iter().map(usage).collect()
    }
}
