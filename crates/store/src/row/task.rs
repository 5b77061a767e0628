//! Rows of `task`.
//!
//! Payload: conditions, content, text, plan, result and what was said. Read next:
//! [`super::exchange`].

use super::json::{from_json, to_json};
use super::replaceable::Replaceable;
use super::standing::{RowPlace, Standing, number_or_digest};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::{FailureKind, SqlFailure};
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Expect, Row, Session, Value, values};
use domain::content::Content;
use domain::task::{Awaits, Conditions, Status, Task, TaskId};
use domain::time::Timestamp;
use std::borrow::Cow;

pub(crate) const TABLE: &str = "task";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! task_columns {
    () => {
        "number, id, parent, send_from, send_to, status, created_at, changed_at, version, \
         asynchronous, conditions, awaits, answer_by, percent, digest, content, text, plan, \
         result, said, ended, given, cipher, conversation, shard"
    };
}
pub(crate) use task_columns;

/// The number of these columns.
pub(crate) const COLUMNS: usize = 25;

/// The index of the column that tells whether the task has ended.
pub(crate) const ENDED: usize = 20;

/// The index of the column of its shard.
pub(crate) const SHARD: usize = 24;

/// All tasks, in the order in which they were assigned.
pub(crate) const ALL: &str = concat!("SELECT ", task_columns!(), " FROM task ORDER BY number");

const INSERT: &str = "INSERT INTO task (id, parent, send_from, send_to, status, created_at,
    changed_at, version, asynchronous, conditions, awaits, answer_by, percent, digest, content,
    text, plan, result, said, ended, given, cipher, conversation, number, shard) VALUES (?1, ?2, ?3, ?4,
    ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
    ?25)";

const UPDATE: &str = "UPDATE task SET parent = ?2, send_from = ?3, send_to = ?4, status = ?5,
    created_at = ?6, changed_at = ?7, version = ?8, asynchronous = ?9, conditions = ?10,
    awaits = ?11, answer_by = ?12, percent = ?13, digest = ?14, content = ?15, text = ?16,
    plan = ?17, result = ?18, said = ?19, ended = ?20, given = ?21,
    cipher = ?22, conversation = ?23
    WHERE id = ?1 AND digest = ?24 AND shard = ?25 AND (ended = 0 OR status = ?5 AND version = ?8)";

/// What [`UPDATE`] holds to; to the first of it a trigger does too, where the database has them.
const NEVER_LEFT: &str = "a terminal state is never left, and a task is replaced only where it is as it was known to be, and on its shard";

const REMOVE: &str = "DELETE FROM task WHERE number = ?1 AND ended = 1
    AND changed_at <= coalesce((SELECT ended_by FROM checkpoint WHERE checkpoint.shard = task.shard), -1)
    RETURNING number, digest, shard";

/// What [`REMOVE`] holds to.
const NEVER_FORGOTTEN: &str = "a task is never forgotten before a checkpoint says so";

/// Asked for each task before it is written.
pub(crate) const STORED: &str =
    "SELECT version, status, ended, number, digest, shard FROM task WHERE id = ?1";

/// A stored task, as far as what follows it depends on it.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) version: u64,
    pub(crate) status: Status,
    pub(crate) standing: Standing,
}

/// What is stored of `id`.
pub(crate) fn stored(session: Session<'_>, id: &TaskId) -> Result<Option<Stored>, SqlFailure> {
    session.find(STORED, values![id.as_str()], |row| {
        Ok(Stored {
            version: row.get::<i64>(0)? as u64,
            // An unreadable state is let through here: the digest finds it, and the update compares
            // the same text.
            status: Status::parse(row.text(1)?).unwrap_or(Status::Created),
            standing: Standing {
                set: set_of(row.get(2)?),
                place: RowPlace {
                    shard: row.get(5)?,
                    number: row.get(3)?,
                },
                digest: row.get(4)?,
            },
        })
    })
}

impl Replaceable for Task {
    type Prepared = Stamped<6>;

    fn prepare(&self, keys: &RowKeys) -> Stamped<6> {
        keys.cover_stamped(TABLE, texts(self), |texts| digest(self, texts))
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        Ok(stored(session, &self.id)?.map(|stored| stored.standing))
    }

    fn write(
        &self,
        Stamped { row, stamp }: &Stamped<6>,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let (ended, texts) = (self.status.is_terminal(), &row.texts);
        let values: &[Value<'_>] = values![
            self.id.as_str(),
            self.conditions.parent.as_ref().map(TaskId::as_str),
            &self.from,
            &self.to,
            self.status.as_str(),
            self.created_at.as_ms(),
            self.changed_at.as_ms(),
            self.version as i64,
            self.asynchronous,
            texts.optional(CONDITIONS),
            self.awaits.map(Awaits::as_str),
            self.answer_by.map(Timestamp::as_ms),
            self.percent,
            stamp,
            texts.text(CONTENT),
            texts.text(TEXT),
            texts.optional(PLAN),
            texts.optional(RESULT),
            texts.optional(SAID),
            ended,
            self.conditions.data.as_ref(),
            row.cipher.as_ref(),
            self.conditions.conversation.as_ref(),
            number_or_digest(old, place),
            place.shard,
        ];
        match old {
            None => session.put(INSERT, values, Expect::Any)?,
            Some(_) => session.put(UPDATE, values, Expect::One(NEVER_LEFT))?,
        }
        Ok(encryptor.replaced(old, set_of(ended), place, &row.sum, stamp.clone()))
    }
}

/// Removes an ended task, which the checkpoint must allow.
pub(crate) fn remove(
    session: Session<'_>,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let gone = encryptor.delete(session, Set::EndedTask, REMOVE, values![number])?;
    match gone.values().sum() {
        1 => Ok(()),
        _ => Err(SqlFailure::of(FailureKind::Rule, NEVER_FORGOTTEN)),
    }
}

/// The set of a task that has ended or not.
fn set_of(ended: bool) -> Set {
    match ended {
        true => Set::EndedTask,
        false => Set::OpenTask,
    }
}

const CONDITIONS: usize = 0;
const CONTENT: usize = 1;
const TEXT: usize = 2;
const PLAN: usize = 3;
const RESULT: usize = 4;
const SAID: usize = 5;

/// The payload, all JSON except the text; empty conditions are absent.
fn texts(task: &Task) -> Texts<'_, 6> {
    let unconditional = Conditions {
        parent: task.conditions.parent.clone(),
        ..Conditions::default()
    };
    let conditional = task.conditions != unconditional;
    let json = |content: &Content| Cow::Owned(to_json(content));
    Texts([
        conditional.then(|| Cow::Owned(to_json(&task.conditions))),
        Some(json(&task.content)),
        Some(Cow::Borrowed(&task.text)),
        task.plan.as_ref().map(json),
        task.result.as_ref().map(json),
        task.said.as_ref().map(json),
    ])
}

/// The digest of the columns that are not payload, and of the texts.
fn digest(task: &Task, texts: &Texts<'_, 6>) -> Sum {
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
        .optional_text(texts.optional(CONDITIONS))
        .optional_text(task.awaits.map(Awaits::as_str))
        .optional_number(task.answer_by.map(Timestamp::as_ms))
        .number(task.percent.into())
        .text(texts.text(CONTENT))
        .text(texts.text(TEXT))
        .optional_text(texts.optional(PLAN))
        .optional_text(texts.optional(RESULT))
        .optional_text(texts.optional(SAID))
        .sum()
}

/// Reads a row of `task_columns!` and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<Task, RowError> {
    let number: i64 = row.get(0)?;
    let id: String = column(row, 1, TABLE, &format!("number {number}"))?;
    let text = |index| column::<String>(row, index, TABLE, &id);
    let number = |index| column::<i64>(row, index, TABLE, &id);
    let optional = |index| column::<Option<String>>(row, index, TABLE, &id);
    let corrupt = || RowError::corrupt(TABLE, &id);
    let awaits = optional(11)?.map(|name| Awaits::parse(&name).ok_or_else(corrupt));
    let mut task = Task {
        id: TaskId::new(id.as_str()),
        from: text(3)?,
        to: text(4)?,
        content: Content::new("", ""),
        text: String::new(),
        asynchronous: number(9)? != 0,
        conditions: Conditions {
            parent: optional(2)?.map(TaskId::new),
            ..Conditions::default()
        },
        status: Status::parse(&text(5)?).ok_or_else(corrupt)?,
        awaits: awaits.transpose()?,
        answer_by: column::<Option<i64>>(row, 12, TABLE, &id)?.map(Timestamp::from_ms),
        percent: number(13)?.try_into().map_err(|_| corrupt())?,
        plan: None,
        result: None,
        said: None,
        created_at: Timestamp::from_ms(number(6)?),
        changed_at: Timestamp::from_ms(number(7)?),
        version: number(8)?.try_into().map_err(|_| corrupt())?,
    };
    // The state in short, for indexes: it is not in the digest, so it is compared.
    if (number(ENDED)? != 0) != task.status.is_terminal() {
        return Err(corrupt());
    }
    let owned = |index| Ok::<_, RowError>(optional(index)?.map(Cow::Owned));
    let shown = Texts([
        owned(10)?,
        Some(Cow::Owned(text(15)?)),
        Some(Cow::Owned(text(16)?)),
        owned(17)?,
        owned(18)?,
        owned(19)?,
    ]);
    let cipher: Option<Vec<u8>> = column(row, 22, TABLE, &id)?;
    let stored: Vec<u8> = column(row, 14, TABLE, &id)?;
    let of = (TABLE, id.as_str());
    let texts = uncover(keys, of, shown, cipher.as_deref(), &stored, |texts| {
        digest(&task, texts)
    })?;
    fill(&mut task, texts).ok_or_else(corrupt)?;
    // Not in the digest either; releases before encryption did not write it.
    let given = optional(21)?;
    if given != task.conditions.data && (given.is_some() || cipher.is_some()) {
        return Err(corrupt());
    }
    if optional(23)? != task.conditions.conversation {
        return Err(corrupt());
    }
    Ok(task)
}

/// Puts the payload into the task; none if it cannot be parsed.
fn fill(task: &mut Task, texts: Texts<'_, 6>) -> Option<()> {
    let parsed = |place| match texts.optional(place) {
        Some(json) => from_json(json).map(Some),
        None => Some(None),
    };
    task.content = from_json(texts.text(CONTENT))?;
    (task.plan, task.result, task.said) = (parsed(PLAN)?, parsed(RESULT)?, parsed(SAID)?);
    if let Some(json) = texts.optional(CONDITIONS) {
        let parent = task.conditions.parent.take();
        task.conditions = from_json(json)?;
        task.conditions.parent = parent;
    }
    let Texts([_, _, text, ..]) = texts;
    task.text = text?.into_owned();
    Some(())
}
