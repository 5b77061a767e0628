//! The stored form of audit records in the log.

use super::*;
use domain::audit::{AuditEvent, AuditKind, AuditRecord};

pub(super) fn encode(record: &AuditRecord) -> String {
    json(&AuditRow::from(record))
}

pub(super) fn decode(body: &str) -> Option<AuditRecord> {
    let row: AuditRow<'_> = serde_json::from_str(body).ok()?;
    row.into_record()
}

#[derive(Serialize, Deserialize)]
struct AuditRow<'a> {
    kind: Cow<'a, str>,
    user: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    source: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    subject: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    reason: Cow<'a, str>,
    count: u32,
    since: i64,
}

impl<'a> From<&'a AuditRecord> for AuditRow<'a> {
    fn from(record: &'a AuditRecord) -> Self {
        let event = &record.event;
        Self {
            kind: Cow::Borrowed(event.kind.as_str()),
            user: Cow::Borrowed(&event.user),
            source: Cow::Borrowed(&event.source),
            subject: Cow::Borrowed(&event.subject),
            reason: Cow::Borrowed(&event.reason),
            count: record.count,
            since: record.since.as_ms(),
        }
    }
}

impl AuditRow<'_> {
    fn into_record(self) -> Option<AuditRecord> {
        Some(AuditRecord {
            event: AuditEvent {
                kind: AuditKind::parse(&self.kind)?,
                user: self.user.into_owned(),
                source: self.source.into_owned(),
                subject: self.subject.into_owned(),
                reason: self.reason.into_owned(),
            },
            count: self.count,
            since: Timestamp::from_ms(self.since),
        })
    }
}
