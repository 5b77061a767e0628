//! Rows of `task`.
//!
//! Read next: [`super::exchange`].

use super::{RowError, check, column, content};
use crate::digest::{RowDigest, Sum};
use domain::content::Content;
use domain::task::{Status, Task, TaskId};
use domain::time::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

pub(crate) const TABLE: &str = "task";

/// All tasks, in the order they were assigned.
pub(crate) const ALL: &str = "SELECT number, id, send_from, send_to, content, text, asynchronous,
    status, percent, result, said, created_at, changed_at, version, digest
    FROM task ORDER BY number";

const INSERT: &str = "INSERT INTO task (id, send_from, send_to, content, text, asynchronous,
    status, percent, result, said, created_at, changed_at, version, digest)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

const UPDATE: &str = "UPDATE task SET send_from = ?2, send_to = ?3, content = ?4, text = ?5,
    asynchronous = ?6, status = ?7, percent = ?8, result = ?9, said = ?10, created_at = ?11,
    changed_at = ?12, version = ?13, digest = ?14 WHERE id = ?1";

const STORED: &str = "SELECT version, status FROM task WHERE id = ?1";

/// The prepared statements of the writer.
pub(crate) struct TaskStatements<'c> {
    insert: CachedStatement<'c>,
    update: CachedStatement<'c>,
    stored: CachedStatement<'c>,
}

impl<'c> TaskStatements<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            insert: connection.prepare_cached(INSERT)?,
            update: connection.prepare_cached(UPDATE)?,
            stored: connection.prepare_cached(STORED)?,
        })
    }

    /// The stored version and state of `id`.
    pub(crate) fn stored(&mut self, id: &TaskId) -> rusqlite::Result<Option<(u64, Status)>> {
        let row = |row: &Row<'_>| {
            let version: i64 = row.get(0)?;
            let status = row.get_ref(1)?.as_str()?;
            // An unreadable state is let through here: the digest finds it, and the trigger
            // compares the same text.
            Ok((
                version as u64,
                Status::parse(status).unwrap_or(Status::Created),
            ))
        };
        self.stored.query_row([id.as_str()], row).optional()
    }

    /// Writes the task: a new row, or in place of the one that is there.
    pub(crate) fn write(&mut self, task: &Task, new: bool) -> rusqlite::Result<()> {
        let content = content::to_json(&task.content);
        let result = task.result.as_ref().map(content::to_json);
        let said = task.said.as_ref().map(content::to_json);
        let sum = digest(task, &content, result.as_deref(), said.as_deref());
        let statement = match new {
            true => &mut self.insert,
            false => &mut self.update,
        };
        statement.execute(params![
            task.id.as_str(),
            task.from,
            task.to,
            content,
            task.text,
            task.asynchronous,
            task.status.as_str(),
            task.percent,
            result,
            said,
            task.created_at.as_ms(),
            task.changed_at.as_ms(),
            task.version as i64,
            sum,
        ])?;
        Ok(())
    }
}

fn digest(task: &Task, content: &str, result: Option<&str>, said: Option<&str>) -> Sum {
    RowDigest::of(TABLE)
        .text(task.id.as_str())
        .text(&task.from)
        .text(&task.to)
        .text(content)
        .text(&task.text)
        .number(task.asynchronous.into())
        .text(task.status.as_str())
        .number(task.percent.into())
        .optional_text(result)
        .optional_text(said)
        .number(task.created_at.as_ms())
        .number(task.changed_at.as_ms())
        .number(task.version as i64)
        .sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>) -> Result<Task, RowError> {
    let number: i64 = row.get(0)?;
    let key = format!("number {number}");
    let id: String = column(row, 1, TABLE, &key)?;
    let text = |index| column::<String>(row, index, TABLE, &id);
    let number = |index| column::<i64>(row, index, TABLE, &id);
    let optional = |index| column::<Option<String>>(row, index, TABLE, &id);
    let corrupt = || RowError::corrupt(TABLE, &id);
    let parsed = |json: &str| content::from_json(json).ok_or_else(corrupt);
    let (sections, result, said) = (text(4)?, optional(9)?, optional(10)?);
    let read_optional = |json: &Option<String>| -> Result<Option<Content>, RowError> {
        json.as_deref().map(parsed).transpose()
    };
    let task = Task {
        id: TaskId::new(id.as_str()),
        from: text(2)?,
        to: text(3)?,
        content: parsed(&sections)?,
        text: text(5)?,
        asynchronous: number(6)? != 0,
        status: Status::parse(&text(7)?).ok_or_else(corrupt)?,
        percent: number(8)?.try_into().map_err(|_| corrupt())?,
        result: read_optional(&result)?,
        said: read_optional(&said)?,
        created_at: Timestamp::from_ms(number(11)?),
        changed_at: Timestamp::from_ms(number(12)?),
        version: number(13)?.try_into().map_err(|_| corrupt())?,
    };
    let computed = digest(&task, &sections, result.as_deref(), said.as_deref());
    check(
        &column::<Vec<u8>>(row, 14, TABLE, &id)?,
        &computed,
        TABLE,
        &id,
    )?;
    Ok(task)
}
