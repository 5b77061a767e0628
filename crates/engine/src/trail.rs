//! The audit trail: what concerns who gets in and what they may do goes into the log, and into the
//! log of the process.
//!
//! Nothing waits for it, and a flood of it is a few records (`domain::audit::Tally`). It is read by
//! who may execute `get-audit`, page by page, and told to nobody else. What the store does not take
//! is kept until it does ([`unstored`]). Refuses to know where people come from: whoever let them in
//! says so. Read next: [`crate::access`], whose denials are here.

mod unstored;

use crate::commit::trial;
use crate::{Engine, FaultRefusal, Refusal};
use domain::access::{Decision, Principal, Request};
use domain::audit::{AuditEvent, AuditKind, AuditRecord, Tally};
use domain::event::{LogEvent, Sequence};
use domain::time::Timestamp;
use std::sync::Arc;
use std::sync::Mutex;
use store::{Batch, Condition};
use tracing::{info, warn};
use unstored::{Entry, UnderWay, Unstored};

/// How many looks at the log one page takes at most: a page may hold fewer records than were asked for,
/// or none, and another follow.
const LOOKS_MOST: usize = 8;

/// How many records that the store did not take are written again at a time: a batch that a disk has no
/// room for takes those with it that are written beside it.
const AGAIN_AT_ONCE: usize = 64;

/// How many entries one look takes up.
const AT_ONCE: usize = 512;

/// Which records are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Those that were written at this instant or later.
    pub since: Option<Timestamp>,
    /// Those behind this place of the log.
    pub after: Option<Sequence>,
    /// Those of these kinds; all if there are none.
    pub kinds: Vec<AuditKind>,
    /// Those about this user.
    pub user: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// A record, and where and when it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Audited {
    /// The place in the log.
    pub sequence: Sequence,
    /// When it was written.
    pub time: Timestamp,
    /// What it says.
    pub record: Arc<AuditRecord>,
}

/// Records in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditPage {
    /// The records.
    pub records: Vec<Audited>,
    /// The place behind which the next page begins; none at the end of the log.
    pub next: Option<Sequence>,
}

/// What of the audit trail is not in the log yet.
#[derive(Default)]
pub(crate) struct Trail {
    /// What is gathered.
    tally: Mutex<Tally>,
    /// What is not known to be on disk.
    unstored: Mutex<Unstored>,
}

impl AuditFilter {
    fn takes(&self, record: &AuditRecord) -> bool {
        let event = &record.event;
        (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self.user.as_ref().is_none_or(|user| *user == event.user)
    }
}

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
                Condition::Full | Condition::Locked => drop(self.store.commit(trial())),
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

    pub(crate) fn audit_page(&self, filter: &AuditFilter) -> Result<AuditPage, Refusal> {
        let feed = self.feed();
        let since = match filter.since {
            Some(since) => feed.cursor_at(since)?,
            None => 0,
        };
        let mut cursor = filter.after.unwrap_or(0).max(since);
        let mut page = AuditPage::default();
        for _ in 0..LOOKS_MOST {
            let entries = feed.after(cursor, AT_ONCE)?;
            if entries.is_empty() {
                return Ok(page);
            }
            for entry in &entries {
                if page.records.len() == filter.limit {
                    page.next = Some(cursor);
                    return Ok(page);
                }
                cursor = entry.sequence;
                let LogEvent::Audit(record) = &entry.happening else {
                    continue;
                };
                if filter.takes(record) {
                    page.records.push(Audited {
                        sequence: entry.sequence,
                        time: entry.time,
                        record: Arc::clone(record),
                    });
                }
            }
        }
        page.next = Some(cursor);
        Ok(page)
    }
}

/// What an administrator decided, for the batch of what is decided: neither is stored without the
/// other.
pub(crate) fn decided(event: AuditEvent, now: Timestamp) -> (Timestamp, LogEvent) {
    let record = AuditRecord {
        event,
        count: 1,
        since: now,
    };
    entry(record, now)
}

/// Says it in the log of the process, and makes it an entry of the platform's.
fn entry(record: AuditRecord, now: Timestamp) -> (Timestamp, LogEvent) {
    tell(&record);
    (now, LogEvent::Audit(Arc::new(record)))
}

/// Why something is denied that no rule of `access.toml` could permit; none if it is not denied.
fn beyond_rules(refusal: &Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::ForeignSender { .. } | Refusal::ForeignAgent { .. } => {
            Some("in the name of another")
        }
        Refusal::NotPublisher { .. } => Some("not the publisher of the task"),
        Refusal::NotExecutor { .. } => Some("not the executor of the task"),
        Refusal::NotEntitled { .. } => Some("not among what the management system lets it do"),
        Refusal::Fault(FaultRefusal::Agent { .. }) => Some("agents may not break or mend anything"),
        _ => None,
    }
}

/// Something that a principal did.
pub(crate) fn by(kind: AuditKind, who: &Principal) -> AuditEvent {
    AuditEvent::new(kind, &who.name).from(&who.source)
}

/// Says it in the log of the process.
fn tell(record: &AuditRecord) {
    let event = &record.event;
    let kind = event.kind.as_str();
    let (user, source) = (event.user.as_str(), event.source.as_str());
    let (subject, reason, count) = (event.subject.as_str(), event.reason.as_str(), record.count);
    match event.kind {
        AuditKind::LoginFailed | AuditKind::Denied => warn!(
            audit.kind = kind,
            user, source, subject, reason, count, "audit: {kind}: '{user}' {subject}"
        ),
        _ => info!(
            audit.kind = kind,
            user, source, subject, reason, count, "audit: {kind}: '{user}' {subject}"
        ),
    }
}

/// What is asked for, for people.
pub(crate) fn words(request: Request<'_>) -> String {
    match request {
        Request::Exec { rpc, .. } => format!("execute <{rpc}>"),
        Request::Read { path, .. } => format!("read /{}", path.join("/")),
        Request::Notification { name, .. } => format!("receive <{name}>"),
    }
}
