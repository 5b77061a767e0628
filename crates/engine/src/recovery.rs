//! Taking decisions back that did not reach the disk, a full one for instance.
//!
//! What is decided runs ahead of what is stored. If a batch was refused, everything decided since
//! stands on nothing: memory becomes what the disk says. Callers who waited for what is gone hear
//! that it failed. Read next: [`crate::work`], [`crate::staged`].

use crate::Engine;
use crate::work::{Due, Work};
use domain::registry::Reach;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tracing::{error, warn};

impl Engine {
    /// Makes memory what the disk says, if a decision was not stored since the last time. Nobody
    /// else decides meanwhile.
    pub(crate) fn recover(&self, work: &mut Work) {
        if self.store.taken_back() == self.taken_back.load(Relaxed) {
            return;
        }
        // What is queued behind the failure may fail for its sake.
        self.store.settle();
        let taken_back = self.store.taken_back();
        let decided = match self.store.decided() {
            Ok(decided) => decided,
            Err(cause) => {
                return error!("decisions that were not stored cannot be taken back: {cause}");
            }
        };
        self.taken_back.store(taken_back, Relaxed);
        warn!("decisions that were not stored are taken back");
        work.reset(decided.tasks, decided.negotiations);
        self.teams.forget_all();
        self.entries.forget_all();
        let names: BTreeSet<&str> = decided
            .registrations
            .iter()
            .map(|r| r.profile.name.as_str())
            .collect();
        for known in self.roster.registrations() {
            let name = &known.profile.name;
            if known.reach != Reach::Hosted && !names.contains(name.as_str()) {
                self.roster.leave(name);
                work.schedule(Due::Lease(name.clone()), None);
            }
        }
        for registration in &decided.registrations {
            self.roster.put(Arc::clone(registration));
            let until = registration.lease_until().filter(|_| !registration.expired);
            work.schedule(Due::Lease(registration.profile.name.clone()), until);
        }
    }
}
