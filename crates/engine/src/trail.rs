//! The audit trail: what concerns who gets in and what they may do goes into the log, and into the
//! log of the process.
//!
//! Nothing waits for it, and a flood of it is a few records (`domain::audit::Tally`). It is read by
//! who may execute `get-audit`, page by page ([`page`]), and told to nobody else. What the store does not
//! take is kept until it does ([`unstored`]). Refuses to know where people come from: whoever let them in
//! says so. Read next: [`record`], what is entered and when.

pub(crate) mod page;
pub(crate) mod record;
mod unstored;

use domain::access::{Principal, Request};
use domain::audit::{AuditEvent, AuditKind, AuditRecord, Tally};
use domain::event::LogEvent;
use domain::time::Timestamp;
use std::sync::{Arc, Mutex};
use tracing::{info, warn};
use unstored::Unstored;

/// What of the audit trail is not in the log yet.
#[derive(Default)]
pub(crate) struct Trail {
    /// What is gathered.
    tally: Mutex<Tally>,
    /// What is not known to be on disk.
    unstored: Mutex<Unstored>,
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
