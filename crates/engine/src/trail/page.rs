//! The audit trail as it is read: which records are wanted, page by page.
//!
//! Read next: [`crate::trail`], what a record is; [`crate::feed`], the log in which they stand.

use crate::{Engine, Refusal};
use domain::audit::{AuditKind, AuditRecord};
use domain::event::{LogEvent, Sequence};
use domain::time::Timestamp;
use std::sync::Arc;

/// How many looks at the log one page takes at most: a page may hold fewer records than were asked for,
/// or none, and another follow.
const LOOKS_MOST: usize = 8;

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

impl AuditFilter {
    fn takes(&self, record: &AuditRecord) -> bool {
        let event = &record.event;
        (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self.user.as_ref().is_none_or(|user| *user == event.user)
    }
}

impl Engine {
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
