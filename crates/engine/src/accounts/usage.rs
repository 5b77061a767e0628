//! What each user holds, and what the store does, told to whoever runs the platform.
//!
//! Read next: [`crate::accounts`].

use crate::Engine;
use crate::accounts::{Account, Usage};
use std::sync::Arc;
use store::StoreStatistics;

impl Engine {
    /// What the store did since it was opened.
    pub fn store_statistics(&self) -> StoreStatistics {
        self.store.statistics()
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
