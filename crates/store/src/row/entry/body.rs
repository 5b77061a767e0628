//! What happened, as the kind and the body of an entry of the log.
//!
//! A body is the form that serde derives for a value of the domain; sessions, which are variants
//! there, have theirs here. Read next: [`super`].

use crate::row::json::{from_json, to_json};
use domain::event::{LogEvent, Termination};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

const TASK: &str = "task";
const NEGOTIATION: &str = "negotiation";
const AGENT: &str = "agent";
const SCHEMA: &str = "schema";
const LEAD: &str = "lead";
const POLICY: &str = "policy";
const AUDIT: &str = "audit";
const SESSION_STARTED: &str = "session-started";
const SESSION_ENDED: &str = "session-ended";

#[derive(Serialize, Deserialize)]
struct SessionRow<'a> {
    username: Cow<'a, str>,
    session: u32,
    source_host: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    killed_by: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Termination>,
}

/// The kind and body of a happening.
pub(crate) fn encode(happening: &LogEvent) -> (&'static str, String) {
    match happening {
        LogEvent::Task(notification) => (TASK, to_json(notification.as_ref())),
        LogEvent::Negotiation(update) => (NEGOTIATION, to_json(update.as_ref())),
        LogEvent::Agent(update) => (AGENT, to_json(update.as_ref())),
        LogEvent::Schema(update) => (SCHEMA, to_json(update.as_ref())),
        LogEvent::Lead(moved) => (LEAD, to_json(moved.as_ref())),
        LogEvent::Policy(update) => (POLICY, to_json(update.as_ref())),
        LogEvent::Audit(record) => (AUDIT, to_json(record.as_ref())),
        LogEvent::SessionStarted {
            username,
            session,
            source_host,
        } => {
            let row = SessionRow {
                username: Cow::Borrowed(username),
                session: *session,
                source_host: Cow::Borrowed(source_host),
                killed_by: None,
                reason: None,
            };
            (SESSION_STARTED, to_json(&row))
        }
        LogEvent::SessionEnded {
            username,
            session,
            source_host,
            killed_by,
            reason,
        } => {
            let row = SessionRow {
                username: Cow::Borrowed(username),
                session: *session,
                source_host: Cow::Borrowed(source_host),
                killed_by: *killed_by,
                reason: Some(*reason),
            };
            (SESSION_ENDED, to_json(&row))
        }
    }
}

/// The happening of that kind and body; none if the body does not have the form of the kind.
pub(crate) fn decode(kind: &str, body: &str) -> Option<LogEvent> {
    Some(match kind {
        TASK => LogEvent::Task(Arc::new(from_json(body)?)),
        NEGOTIATION => LogEvent::Negotiation(Arc::new(from_json(body)?)),
        AGENT => LogEvent::Agent(Arc::new(from_json(body)?)),
        SCHEMA => LogEvent::Schema(Arc::new(from_json(body)?)),
        LEAD => LogEvent::Lead(Arc::new(from_json(body)?)),
        POLICY => LogEvent::Policy(Arc::new(from_json(body)?)),
        AUDIT => LogEvent::Audit(Arc::new(from_json(body)?)),
        SESSION_STARTED => {
            let row: SessionRow<'_> = from_json(body)?;
            LogEvent::SessionStarted {
                username: row.username.into_owned(),
                session: row.session,
                source_host: row.source_host.into_owned(),
            }
        }
        SESSION_ENDED => {
            let row: SessionRow<'_> = from_json(body)?;
            LogEvent::SessionEnded {
                username: row.username.into_owned(),
                session: row.session,
                source_host: row.source_host.into_owned(),
                killed_by: row.killed_by,
                reason: row.reason?,
            }
        }
        _ => return None,
    })
}
