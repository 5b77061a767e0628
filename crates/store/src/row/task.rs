//! Rows of `task`.
//!
//! Read next: [`super::exchange`].

use super::form::{conditions_from_json, conditions_to_json};
use super::{RowError, check, column, content};
use crate::digest::{RowDigest, Sum};
use domain::content::Content;
use domain::task::{Awaits, Conditions, Status, Task, TaskId};
use domain::time::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

pub(crate) const TABLE: &str = "task";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! task_columns {
    () => {
        "number, id, parent, send_from, send_to, status, created_at, changed_at, version, \
         asynchronous, conditions, awaits, answer_by, percent, digest, content, text, plan, \
         result, said, ended"
    };
}
pub(crate) use task_columns;

/// All tasks, in the order in which they were assigned.
pub(crate) const ALL: &str = concat!("SELECT ", task_columns!(), " FROM task ORDER BY number");

const INSERT: &str = "INSERT INTO task (id, parent, send_from, send_to, status, created_at,
    changed_at, version, asynchronous, conditions, awaits, answer_by, percent, digest, content,
    text, plan, result, said, ended) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
    ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";

const UPDATE: &str = "UPDATE task SET parent = ?2, send_from = ?3, send_to = ?4, status = ?5,
    created_at = ?6, changed_at = ?7, version = ?8, asynchronous = ?9, conditions = ?10,
    awaits = ?11, answer_by = ?12, percent = ?13, digest = ?14, content = ?15, text = ?16,
    plan = ?17, result = ?18, said = ?19, ended = ?20 WHERE id = ?1";

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
        let parts = Parts::of(task);
        let sum = parts.digest(task);
        let statement = match new {
            true => &mut self.insert,
            false => &mut self.update,
        };
        statement.execute(params![
            task.id.as_str(),
            task.conditions.parent.as_ref().map(TaskId::as_str),
            task.from,
            task.to,
            task.status.as_str(),
            task.created_at.as_ms(),
            task.changed_at.as_ms(),
            task.version as i64,
            task.asynchronous,
            parts.conditions,
            task.awaits.map(Awaits::as_str),
            task.answer_by.map(Timestamp::as_ms),
            task.percent,
            sum,
            parts.content,
            task.text,
            parts.plan,
            parts.result,
            parts.said,
            task.status.is_terminal(),
        ])?;
        Ok(())
    }
}

/// What is JSON in a row; conditions that state nothing are none.
struct Parts {
    conditions: Option<String>,
    content: String,
    plan: Option<String>,
    result: Option<String>,
    said: Option<String>,
}

impl Parts {
    fn of(task: &Task) -> Self {
        let unconditional = Conditions {
            parent: task.conditions.parent.clone(),
            ..Conditions::default()
        };
        let conditional = task.conditions != unconditional;
        Self {
            conditions: conditional.then(|| conditions_to_json(&task.conditions)),
            content: content::to_json(&task.content),
            plan: task.plan.as_ref().map(content::to_json),
            result: task.result.as_ref().map(content::to_json),
            said: task.said.as_ref().map(content::to_json),
        }
    }

    fn digest(&self, task: &Task) -> Sum {
        RowDigest::of(TABLE)
            .text(task.id.as_str())
            .optional_text(task.conditions.parent.as_ref().map(TaskId::as_str))
            .text(&task.from)
            .text(&task.to)
            .text(task.status.as_str())
            .number(task.created_at.as_ms())
            .number(task.changed_at.as_ms())
            .number(task.version as i64)
            .number(task.asynchronous.into())
            .optional_text(self.conditions.as_deref())
            .optional_text(task.awaits.map(Awaits::as_str))
            .optional_number(task.answer_by.map(Timestamp::as_ms))
            .number(task.percent.into())
            .text(&self.content)
            .text(&task.text)
            .optional_text(self.plan.as_deref())
            .optional_text(self.result.as_deref())
            .optional_text(self.said.as_deref())
            .sum()
    }
}

/// Reads a row of `task_columns!` and checks its digest.
pub(crate) fn read(row: &Row<'_>) -> Result<Task, RowError> {
    let number: i64 = row.get(0)?;
    let id: String = column(row, 1, TABLE, &format!("number {number}"))?;
    let text = |index| column::<String>(row, index, TABLE, &id);
    let number = |index| column::<i64>(row, index, TABLE, &id);
    let optional = |index| column::<Option<String>>(row, index, TABLE, &id);
    let corrupt = || RowError::corrupt(TABLE, &id);
    let parts = Parts {
        conditions: optional(10)?,
        content: text(15)?,
        plan: optional(17)?,
        result: optional(18)?,
        said: optional(19)?,
    };
    let parsed = |json: &str| content::from_json(json).ok_or_else(corrupt);
    let read_optional = |json: &Option<String>| -> Result<Option<Content>, RowError> {
        json.as_deref().map(parsed).transpose()
    };
    let mut conditions = match &parts.conditions {
        Some(json) => conditions_from_json(json).ok_or_else(corrupt)?,
        None => Conditions::default(),
    };
    conditions.parent = optional(2)?.map(TaskId::new);
    let awaits = optional(11)?.map(|name| Awaits::parse(&name).ok_or_else(corrupt));
    let task = Task {
        id: TaskId::new(id.as_str()),
        from: text(3)?,
        to: text(4)?,
        content: parsed(&parts.content)?,
        text: text(16)?,
        asynchronous: number(9)? != 0,
        conditions,
        status: Status::parse(&text(5)?).ok_or_else(corrupt)?,
        awaits: awaits.transpose()?,
        answer_by: column::<Option<i64>>(row, 12, TABLE, &id)?.map(Timestamp::from_ms),
        percent: number(13)?.try_into().map_err(|_| corrupt())?,
        plan: read_optional(&parts.plan)?,
        result: read_optional(&parts.result)?,
        said: read_optional(&parts.said)?,
        created_at: Timestamp::from_ms(number(6)?),
        changed_at: Timestamp::from_ms(number(7)?),
        version: number(8)?.try_into().map_err(|_| corrupt())?,
    };
    // The state in short, for indexes: it is not in the digest, so it is compared.
    if (number(20)? != 0) != task.status.is_terminal() {
        return Err(corrupt());
    }
    let stored: Vec<u8> = column(row, 14, TABLE, &id)?;
    check(&stored, &parts.digest(&task), TABLE, &id)?;
    Ok(task)
}
