//! What the engine enters into the audit trail: at once, counted once its interval is over, and again
//! what the store did not take.
//!
//! Read next: [`super::unstored`], what is kept; [`crate::access::authorise`], whose denials are here.

use super::unstored::{Entry, UnderWay};
use super::{by, entry, words};
use crate::commit::trial;
use crate::refusal::Forbidden;
use crate::{Engine, Refusal};
use domain::access::{Decision, Principal, Request};
use domain::audit::{AuditEvent, AuditKind, AuditRecord};
use domain::time::Timestamp;
use store::{Batch, Condition};

/// How many records that the store did not take are written again at a time: a batch that a disk has no
/// room for takes those with it that are written beside it.
const AGAIN_AT_ONCE: usize = 64;

impl Engine {
    /// Enters something into the audit trail. Not waited for: it explains, it is nobody's promise.
    pub fn audit(&self, event: AuditEvent, now: Timestamp) {
        let (record, begun) = {
            let mut tally = self.trail.tally.lock().expect("no holder panics");
            let before = tally.ends();
            let record = tally.take(event, now);
            (record, before.is_none() && tally.ends().is_some())
        };
        if let Some(record) = record {
            self.record(vec![record], now);
        }
        if begun {
            // Whoever ticks has one more deadline.
            self.commits.outbox.notify();
        }
    }

    /// Something was denied, by this rule or for want of one.
    pub(crate) fn audit_denial(
        &self,
        who: &Principal,
        what: &str,
        decision: Decision<'_>,
        now: Timestamp,
    ) {
        let reason = match decision.rule {
            Some((list, rule)) => format!("rule {list}/{rule}"),
            None => "no rule permits it".to_owned(),
        };
        let denied = by(AuditKind::Denied, who).to(what).because(&reason);
        self.audit(denied, now);
    }

    /// Something that the rules permit was denied all the same, if this is such a refusal.
    pub(crate) fn audit_refusal(
        &self,
        who: &Principal,
        asked: Option<Request<'_>>,
        refusal: &Refusal,
        now: Timestamp,
    ) {
        if let Some(reason) = beyond_rules(refusal) {
            let what = asked.map(words).unwrap_or_default();
            let denied = by(AuditKind::Denied, who).to(&what).because(reason);
            self.audit(denied, now);
        }
    }

    /// When what is counted, or was not stored, is due; none if nothing is.
    pub(crate) fn trail_due(&self) -> Option<Timestamp> {
        let counted = self.trail.tally.lock().expect("no holder panics").ends();
        let unstored = self.trail.unstored.lock().expect("no holder panics").due();
        counted.into_iter().chain(unstored).min()
    }

    /// Enters what was counted, once its interval is over, and again what the store did not take.
    pub(crate) fn close_trail(&self, now: Timestamp) {
        let counted = self
            .trail
            .tally
            .lock()
            .expect("no holder panics")
            .close(now);
        self.record(counted, now);
        let lacks = self
            .trail
            .unstored
            .lock()
            .expect("no holder panics")
            .lacks(now);
        if lacks {
            match self.store.statistics().condition {
                Condition::Working => self.write_trail_again(AGAIN_AT_ONCE, now),
                Condition::Full | Condition::Locked | Condition::Unreachable => {
                    drop(self.store.commit(trial()));
                }
                Condition::Stopped => {}
            }
        }
    }

    /// Enters what was counted so far: nobody is let in any more.
    pub fn end_trail(&self, now: Timestamp) {
        self.write_trail_again(usize::MAX, now);
        let counted = self
            .trail
            .tally
            .lock()
            .expect("no holder panics")
            .cut_short();
        self.record(counted, now);
    }

    fn record(&self, records: Vec<AuditRecord>, now: Timestamp) {
        let entries = records.into_iter().map(|record| entry(record, now));
        self.write_trail(entries.collect(), false, now);
    }

    /// Writes again what the store did not take, so many records at most: it takes something again.
    fn write_trail_again(&self, most: usize, now: Timestamp) {
        let mut unstored = self.trail.unstored.lock().expect("no holder panics");
        let kept = unstored.take_kept(most);
        drop(unstored);
        self.write_trail(kept, true, now);
    }

    fn write_trail(&self, entries: Vec<Entry>, is_again: bool, now: Timestamp) {
        if entries.is_empty() {
            return;
        }
        let mut unstored = self.trail.unstored.lock().expect("no holder panics");
        let ticket = self.store.commit(Batch {
            happenings: entries.clone(),
            ..Batch::default()
        });
        let batch = UnderWay {
            ticket,
            entries,
            is_again,
        };
        let is_begun = unstored.put(batch, now);
        drop(unstored);
        if is_begun {
            // Whoever ticks has one more deadline.
            self.commits.outbox.notify();
        }
    }
}

/// Why something is denied that no rule of `access.toml` could permit; none if it is not denied.
fn beyond_rules(refusal: &Refusal) -> Option<&'static str> {
    let Refusal::Forbidden(cause) = refusal else {
        return None;
    };
    match cause {
        Forbidden::Denied { .. } => None,
        Forbidden::ForeignSender { .. } | Forbidden::ForeignAgent { .. } => {
            Some("in the name of another")
        }
        Forbidden::NotPublisher { .. } => Some("not the publisher of the task"),
        Forbidden::NotExecutor { .. } => Some("not the executor of the task"),
        Forbidden::NotEntitled { .. } => Some("not among what the management system lets it do"),
        Forbidden::Faults { .. } => Some("agents may not break or mend anything"),
    }
}
