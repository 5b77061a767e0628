//! Taking decisions back that did not reach the disk, a full one for instance.
//!
//! What is decided runs ahead of what is stored. If a batch was refused, everything decided since
//! stands on nothing: memory becomes what the disk says. Callers who waited for what is gone hear
//! that it failed. Read next: [`crate::tasks::work`], [`crate::commit::unit_of_work`].

use crate::Engine;
use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::loaded::Loaded;
use crate::tasks::lookup::names_of;
use crate::tasks::timers::Due;
use crate::tasks::work::{Decided, Work, asking};
use domain::agent::{Input, Output, Undelivered};
use domain::registry::Reach;
use domain::telemetry::Outcome;
use domain::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use store::{Condition, ReadError};
use tracing::{error, warn};

/// Why something was not carried out.
const NOT_STORED: &str = "the store did not take what it follows from";

impl Work<'_> {
    /// Has somebody look then whether the store takes something.
    pub(crate) fn look_at_store(&mut self, at: Timestamp) {
        self.schedule(Due::Store, Some(at));
    }
}

impl Engine {
    /// True if a decision was not stored since decisions were taken back.
    fn is_to_recover(&self) -> bool {
        self.store.taken_back() != self.commits.taken_back.load(Relaxed)
    }

    /// Takes back what was not stored, before anything is decided and before agents go on. How many decisions were
    /// not stored by then: if there are more since, they are to be taken back as well.
    pub(crate) fn recover_first(&self) -> u64 {
        let taken_back = self.store.taken_back();
        if self.is_to_recover() {
            let mut work = self.hold_shards(&self.tasks.all_shards());
            self.recover(&mut work);
        }
        taken_back
    }

    /// Makes memory what the disk says, if a decision was not stored since the last time. Nobody
    /// else decides meanwhile.
    fn recover(&self, work: &mut Work<'_>) {
        // Somebody may have been before.
        if !self.is_to_recover() {
            return;
        }
        // What is queued behind the failure may fail for its sake.
        let is_away = self.store.statistics().condition == Condition::Unreachable;
        if is_away || !self.store.settle() {
            return self.put_off_recovery(work);
        }
        let taken_back = self.store.taken_back();
        let teams = |found: &store::Decided| asking(&self.store, &found.negotiations);
        let decided = self.store.decided();
        let decided = decided.and_then(|found| Ok((teams(&found)?, found)));
        let (teams, decided) = match decided {
            Ok(decided) => decided,
            Err(cause) => {
                if matches!(cause, ReadError::Unreachable(_)) {
                    return self.put_off_recovery(work);
                }
                return error!("decisions that were not stored cannot be taken back: {cause}");
            }
        };
        self.commits.taken_back.store(taken_back, Relaxed);
        self.commits.stale.store(false, Relaxed);
        warn!("decisions that were not stored are taken back");
        // Everything is settled: what is not on disk by now never will be.
        let agents = &self.hosting.agents;
        let unbriefed = agents.withdraw_unreleased();
        let asking = Decided {
            tasks: decided.tasks,
            negotiations: decided.negotiations,
            teams,
        };
        work.reset(asking, &agents.under_way());
        self.commits.observers.on_rollback();
        let names: BTreeSet<&str> = decided
            .registrations
            .iter()
            .map(|r| r.profile.name.as_str())
            .collect();
        for known in self.registry.roster.registrations() {
            let name = &known.profile.name;
            if known.reach != Reach::Hosted && !names.contains(name.as_str()) {
                self.registry.roster.leave(name);
                work.schedule(Due::Lease(name.clone()), None);
            }
        }
        for registration in &decided.registrations {
            self.registry.roster.put(Arc::clone(registration));
            let until = registration.lease_until().filter(|_| !registration.expired);
            work.schedule(Due::Lease(registration.profile.name.clone()), until);
        }
        self.hand_back();
        let unanswered = self.questions_on_record();
        for index in unbriefed {
            let briefing = self.briefing_anew(work, index, unanswered.iter());
            agents.brief_anew(index, briefing);
        }
        // Nobody decides meanwhile, so this may be read now as well as before.
        let mut names = Vec::new();
        unanswered.iter().for_each(|it| names_of(it, &mut names));
        self.load_missing(work, names);
        let mut moot = UnitOfWork::default();
        self.put_again(work, unanswered, &mut moot);
        work.loaded = Loaded::default();
        if !moot.is_empty() {
            drop(self.commit(moot));
        }
        work.look_at_store(Timestamp::from_ms(0));
        self.commits.outbox.notify();
    }

    /// Memory becomes what the store says once that can be read; until then nothing is stored.
    fn put_off_recovery(&self, work: &mut Work<'_>) {
        if !self.commits.stale.swap(true, Relaxed) {
            work.look_at_store(Timestamp::from_ms(0));
            self.commits.outbox.notify();
        }
    }

    /// What agents wanted of the world on the strength of what was not stored has not left: they
    /// are told so.
    fn hand_back(&self) {
        for outgoing in self.commits.outbox.take_held() {
            let Some(index) = self.registry.roster.find(&outgoing.agent) else {
                continue;
            };
            if !self.hosting.agents.is_hosted(index) {
                continue;
            }
            let mut agent = self.hosting.agents.lock(index);
            if let Some(token) = outgoing.token() {
                // What it sent this on was not answered, and is put again.
                drop(agent.take_kept(token));
            }
            let told = match outgoing.output {
                Output::Send { token, .. } => Input::Replied {
                    token,
                    reply: Err(Undelivered {
                        tag: "operation-failed".to_owned(),
                        message: NOT_STORED.to_owned(),
                    }),
                },
                Output::Act { token, .. } => Input::Acted {
                    token,
                    outcome: Outcome::Impossible(NOT_STORED.to_owned()),
                },
                _ => continue,
            };
            if let Some(told) = agent.expected(told) {
                self.hosting.agents.post_to(&mut agent, told, None);
            }
        }
    }
}
