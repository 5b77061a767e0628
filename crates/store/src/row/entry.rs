//! Rows of `log`: a kind, and a body that is JSON.
//!
//! Read next: [`super::head`].

use super::content::{ContentRow, json};
use super::{RowError, check, column};
use crate::digest::{Sum, link};
use domain::event::{Entry, Happening, Sequence, Termination};
use domain::notification::Notification;
use domain::task::{Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

pub(crate) const TABLE: &str = "log";

/// The entries behind one sequence, in order.
pub(crate) const BEHIND: &str = "SELECT sequence, time, kind, body, digest FROM log
    WHERE sequence > ?1 ORDER BY sequence LIMIT ?2";

/// All entries, in order.
pub(crate) const ALL: &str = "SELECT sequence, time, kind, body, digest FROM log ORDER BY sequence";

const DIGEST: &str = "SELECT digest FROM log WHERE sequence = ?1";

const INSERT: &str =
    "INSERT INTO log (sequence, time, kind, body, digest) VALUES (?1, ?2, ?3, ?4, ?5)";

const TASK: &str = "task";
const SESSION_STARTED: &str = "session-started";
const SESSION_ENDED: &str = "session-ended";

#[derive(Serialize, Deserialize)]
struct NotificationRow<'a> {
    time: i64,
    task: Cow<'a, str>,
    from: Cow<'a, str>,
    to: Cow<'a, str>,
    verb: Cow<'a, str>,
    asynchronous: bool,
    status: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<Cow<'a, str>>,
    start_time: i64,
    percent: u8,
    content: ContentRow<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
struct SessionRow<'a> {
    username: Cow<'a, str>,
    session: u32,
    source_host: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    killed_by: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
}

impl<'a> From<&'a Notification> for NotificationRow<'a> {
    fn from(notification: &'a Notification) -> Self {
        Self {
            time: notification.time.as_ms(),
            task: Cow::Borrowed(notification.task.as_str()),
            from: Cow::Borrowed(&notification.from),
            to: Cow::Borrowed(&notification.to),
            verb: Cow::Borrowed(notification.verb.as_str()),
            asynchronous: notification.asynchronous,
            status: Cow::Borrowed(notification.status.as_str()),
            previous: notification.previous.map(|s| Cow::Borrowed(s.as_str())),
            start_time: notification.start_time.as_ms(),
            percent: notification.percent,
            content: ContentRow::from(&notification.content),
            data: notification.data.as_deref().map(Cow::Borrowed),
        }
    }
}

impl NotificationRow<'_> {
    fn into_notification(self) -> Option<Notification> {
        Some(Notification {
            time: Timestamp::from_ms(self.time),
            task: TaskId::new(self.task),
            from: self.from.into_owned(),
            to: self.to.into_owned(),
            verb: Verb::parse(&self.verb)?,
            asynchronous: self.asynchronous,
            status: Status::parse(&self.status)?,
            previous: match self.previous {
                Some(status) => Some(Status::parse(&status)?),
                None => None,
            },
            start_time: Timestamp::from_ms(self.start_time),
            percent: self.percent,
            content: self.content.into(),
            data: self.data.map(Cow::into_owned),
        })
    }
}

/// The kind and body of `happening`.
fn encode(happening: &Happening) -> (&'static str, String) {
    match happening {
        Happening::Task(notification) => {
            (TASK, json(&NotificationRow::from(notification.as_ref())))
        }
        Happening::SessionStarted {
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
            (SESSION_STARTED, json(&row))
        }
        Happening::SessionEnded {
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
                reason: Some(Cow::Borrowed(reason.as_str())),
            };
            (SESSION_ENDED, json(&row))
        }
    }
}

fn decode(kind: &str, body: &str) -> Option<Happening> {
    if kind == TASK {
        let row: NotificationRow<'_> = serde_json::from_str(body).ok()?;
        return Some(Happening::Task(Arc::new(row.into_notification()?)));
    }
    let row: SessionRow<'_> = serde_json::from_str(body).ok()?;
    let (username, source_host) = (row.username.into_owned(), row.source_host.into_owned());
    match kind {
        SESSION_STARTED => Some(Happening::SessionStarted {
            username,
            session: row.session,
            source_host,
        }),
        SESSION_ENDED => Some(Happening::SessionEnded {
            username,
            session: row.session,
            source_host,
            killed_by: row.killed_by,
            reason: Termination::parse(&row.reason?)?,
        }),
        _ => None,
    }
}

/// The prepared statement of the writer.
pub(crate) struct EntryStatement<'c>(CachedStatement<'c>);

impl<'c> EntryStatement<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self(connection.prepare_cached(INSERT)?))
    }

    /// Appends the entry behind the one whose digest is `previous`; returns its own digest.
    pub(crate) fn append(&mut self, entry: &Entry, previous: &Sum) -> rusqlite::Result<Sum> {
        let (kind, body) = encode(&entry.happening);
        let sum = link(previous, entry.sequence, entry.time, kind, &body);
        let row = params![entry.sequence as i64, entry.time.as_ms(), kind, body, sum];
        self.0.execute(row)?;
        Ok(sum)
    }
}

/// The digest of an entry that must be there.
pub(crate) fn stored_digest(connection: &Connection, sequence: Sequence) -> Result<Sum, RowError> {
    let mut statement = connection.prepare_cached(DIGEST)?;
    let key = sequence.to_string();
    let read = |row: &Row<'_>| Ok(column(row, 0, TABLE, &key));
    let found = statement.query_row([sequence as i64], read).optional()?;
    found.unwrap_or_else(|| Err(RowError::corrupt(TABLE, sequence)))
}

/// One step along the chain: reads a row of [`BEHIND`] and checks it against the digest of the
/// entry before it. Gives the entry and its digest.
pub(crate) fn read(
    row: &Row<'_>,
    expected: Sequence,
    previous: &Sum,
) -> Result<(Entry, Sum), RowError> {
    let found: i64 = column(row, 0, TABLE, &expected.to_string())?;
    let sequence = found as Sequence;
    if sequence != expected {
        return Err(RowError::corrupt(TABLE, expected));
    }
    let key = sequence.to_string();
    let time = Timestamp::from_ms(column(row, 1, TABLE, &key)?);
    let kind: String = column(row, 2, TABLE, &key)?;
    let body: String = column(row, 3, TABLE, &key)?;
    let stored: Sum = column(row, 4, TABLE, &key)?;
    check(
        &stored,
        &link(previous, sequence, time, &kind, &body),
        TABLE,
        &key,
    )?;
    let happening = decode(&kind, &body).ok_or_else(|| RowError::corrupt(TABLE, sequence))?;
    let entry = Entry {
        sequence,
        time,
        happening,
    };
    Ok((entry, stored))
}
