//! Rows of `push_config`: push notification configurations, by task, owner and identifier.
//!
//! Payload: all but these three, as it holds addresses and secrets of receivers. Rows are removed
//! with their task. Read next: [`super::entry`].

use super::json::{from_json, to_json};
use super::replaceable::Replaceable;
use super::standing::{AS_KNOWN, RowPlace, Standing, standing};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, values};
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

const WRITE: &str =
    "INSERT INTO push_config (task, owner, id, digest, config, cipher, number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9)
    ON CONFLICT (task, owner, id) DO UPDATE SET digest = ?4, config = ?5, cipher = ?6
    WHERE push_config.digest = ?8 AND push_config.shard = ?9";

const STANDING: &str = "SELECT number, digest, shard FROM push_config
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

impl PushChange {
    /// The task of the configuration.
    pub fn task(&self) -> &TaskId {
        match self {
            Self::Keep(config) => &config.task,
            Self::Forget { task, .. } => task,
        }
    }

    /// Task, owner and identifier of the configuration.
    pub(crate) fn key(&self) -> [&str; 3] {
        match self {
            Self::Keep(config) => key(config),
            Self::Forget { task, owner, id } => [task.as_str(), owner, id],
        }
    }
}

/// True if the task is there, with which configurations are removed.
pub(crate) fn has_task(session: Session<'_>, config: &PushConfig) -> Result<bool, SqlFailure> {
    let task: Option<i64> = session.find(TASK, values![config.task.as_str()], |row| row.get(0))?;
    Ok(task.is_some())
}

/// Deletes the configuration of this task, owner and identifier, if there is one.
pub(crate) fn forget(
    session: Session<'_>,
    [task, owner, id]: [&str; 3],
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let forget = "DELETE FROM push_config WHERE task = ?1 AND owner = ?2 AND id = ?3
        RETURNING number, digest, shard";
    let key = values![task, owner, id];
    encryptor.delete(session, Set::PushConfig, forget, key)?;
    Ok(())
}

impl Replaceable for PushConfig {
    type Prepared = Stamped<1>;

    fn prepare(&self, keys: &RowKeys) -> Stamped<1> {
        let json = Texts([Some(Cow::Owned(to_json(self)))]);
        keys.cover_stamped(TABLE, json, |json| digest(key(self), json))
    }

    fn task(&self) -> Option<&TaskId> {
        Some(&self.task)
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        let [task, owner, id] = key(self);
        standing(session, Set::PushConfig, STANDING, values![task, owner, id])
    }

    fn write(
        &self,
        Stamped { row, stamp }: &Stamped<1>,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let [task, owner, id] = key(self);
        session.put(
            WRITE,
            values![
                task,
                owner,
                id,
                stamp,
                row.texts.text(0),
                row.cipher.as_ref(),
                place.number,
                old.map(|old| &old.digest),
                place.shard,
            ],
            AS_KNOWN,
        )?;
        Ok(encryptor.replaced(old, Set::PushConfig, place, &row.sum, stamp.clone()))
    }
}

fn key(config: &PushConfig) -> [&str; 3] {
    [config.task.as_str(), &config.owner, &config.id]
}

/// Deletes the configurations of a task.
pub(crate) fn forget_task(
    session: Session<'_>,
    task: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let forget = "DELETE FROM push_config WHERE task = ?1 RETURNING number, digest, shard";
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
