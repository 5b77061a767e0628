//! Rows of `push_config`: push notification configurations, by task, owner and identifier.
//!
//! Payload: all but these three, as it holds addresses and secrets of receivers. Rows are removed
//! with their task. Read next: [`super::entry`].

use super::json::{from_json, to_json};
use super::{RowError, column, standing};
use crate::cipher::Keys;
use crate::cover::{Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sql::{Expect, Row, Session, values};
use domain::push::PushConfig;
use domain::task::TaskId;
use std::borrow::Cow;

pub(crate) const TABLE: &str = "push_config";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! push_config_columns {
    () => {
        "task, owner, id, digest, config, cipher"
    };
}
pub(crate) use push_config_columns;

/// All push configurations.
pub(crate) const ALL: &str = concat!(
    "SELECT ",
    push_config_columns!(),
    " FROM push_config ORDER BY number"
);

/// The configurations of one task, by owner and identifier.
pub(crate) const OF_TASK: &str = concat!(
    "SELECT ",
    push_config_columns!(),
    " FROM push_config WHERE task = ?1 ORDER BY owner, id"
);

const WRITE: &str = "INSERT INTO push_config (task, owner, id, digest, config, cipher, number)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (task, owner, id) DO UPDATE SET digest = ?4, config = ?5, cipher = ?6";

const STANDING: &str = "SELECT number, digest FROM push_config
    WHERE task = ?1 AND owner = ?2 AND id = ?3";

const TASK: &str = "SELECT 1 FROM task WHERE id = ?1";

/// A change of a push configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushChange {
    /// It is stored, in place of the one of its task, owner and identifier if there is one.
    Keep(PushConfig),
    /// It is deleted, if it exists.
    Forget {
        /// Its task.
        task: TaskId,
        /// Its owner.
        owner: String,
        /// Its identifier.
        id: String,
    },
}

/// Carries out a change; true if a configuration was stored as number `number`.
pub(crate) fn write(
    session: Session<'_>,
    change: &PushChange,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<bool, SqlFailure> {
    match change {
        PushChange::Keep(config) => keep(session, config, number, encryptor),
        PushChange::Forget { task, owner, id } => {
            let forget = "DELETE FROM push_config WHERE task = ?1 AND owner = ?2 AND id = ?3
                RETURNING number, digest";
            let key = values![task.as_str(), owner, id];
            encryptor.delete(session, Set::PushConfig, forget, key)?;
            Ok(false)
        }
    }
}

/// Stores a configuration, unless its task has been removed meanwhile: in place of the one of its key,
/// or as number `number` if there is none, which is returned.
pub(crate) fn keep(
    session: Session<'_>,
    config: &PushConfig,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<bool, SqlFailure> {
    let key = [config.task.as_str(), &config.owner, &config.id];
    let task: Option<i64> = session.find(TASK, values![key[0]], |row| row.get(0))?;
    if task.is_none() {
        return Ok(false);
    }
    let json = Texts([Some(Cow::Owned(to_json(config)))]);
    let row = encryptor.cover(TABLE, json, |json| digest(key, json));
    let [task, owner, id] = key;
    let (json, cipher) = (row.texts.text(0), row.cipher);
    let old = standing(session, STANDING, values![task, owner, id])?;
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    session.put(
        WRITE,
        values![task, owner, id, &stamp, json, cipher.as_ref(), number],
        Expect::Any,
    )?;
    encryptor.replaced(old.as_ref(), Set::PushConfig, number, &row.sum);
    Ok(old.is_none())
}

/// Deletes the configurations of a task.
pub(crate) fn forget_task(
    session: Session<'_>,
    task: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let forget = "DELETE FROM push_config WHERE task = ?1 RETURNING number, digest";
    encryptor.delete(session, Set::PushConfig, forget, values![task])?;
    Ok(())
}

fn digest(key: [&str; 3], json: &Texts<'_, 1>) -> Sum {
    let row = key
        .iter()
        .fold(RowDigest::of(TABLE), |row, part| row.text(part));
    row.text(json.text(0)).sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<PushConfig, RowError> {
    let task: String = column(row, 0, TABLE, "")?;
    let owner: String = column(row, 1, TABLE, &task)?;
    let id: String = column(row, 2, TABLE, &task)?;
    let stored: Vec<u8> = column(row, 3, TABLE, &task)?;
    let shown = Texts([Some(Cow::Owned(column(row, 4, TABLE, &task)?))]);
    let cipher: Option<Vec<u8>> = column(row, 5, TABLE, &task)?;
    let of = (TABLE, task.as_str());
    let json = uncover(keys, of, shown, cipher.as_deref(), &stored, |json| {
        digest([&task, &owner, &id], json)
    })?;
    from_json(json.text(0)).ok_or_else(|| RowError::corrupt(TABLE, &task))
}
