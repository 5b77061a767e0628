//! Rows of `team`.
//!
//! Payload: all but the task and when it changed. Read next: [`super::entry`].

use super::form::{team_from_json, team_to_json};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::ink::Ink;
use crate::set::Set;
use domain::team::Team;
use rusqlite::{Connection, Row, params};
use std::borrow::Cow;

pub(crate) const TABLE: &str = "team";

/// All teams, in the order in which they were first stored.
pub(crate) const ALL: &str =
    "SELECT task, changed_at, digest, team, cipher FROM team ORDER BY number";

/// The team of one task.
pub(crate) const OF_TASK: &str =
    "SELECT task, changed_at, digest, team, cipher FROM team WHERE task = ?1";

const WRITE: &str =
    "INSERT INTO team (task, changed_at, digest, team, cipher) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (task) DO UPDATE SET changed_at = ?2, digest = ?3, team = ?4, cipher = ?5";

const STANDING: &str = "SELECT number, digest FROM team WHERE task = ?1";

/// Writes the team, in place of the one of its task if there is one.
pub(crate) fn write(connection: &Connection, team: &Team, ink: &mut Ink) -> rusqlite::Result<()> {
    let (task, at) = (team.task.as_str(), team.changed_at.as_ms());
    let json = Texts([Some(Cow::Owned(team_to_json(team)))]);
    let row = ink.cover(TABLE, json, |json| digest(task, at, json));
    let old = ink.standing(connection, STANDING, [task])?;
    let old = old.map(|(number, digest)| (Set::Team, number, digest));
    let stamp = ink.stamp(TABLE, 0, &row.sum);
    let mut statement = connection.prepare_cached(WRITE)?;
    statement.execute(params![task, at, stamp, row.texts.text(0), row.cipher])?;
    ink.replaced(connection, old, Set::Team, &row.sum);
    Ok(())
}

fn digest(task: &str, changed_at: i64, json: &Texts<'_, 1>) -> Sum {
    RowDigest::of(TABLE)
        .text(task)
        .number(changed_at)
        .text(json.text(0))
        .sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<Team, RowError> {
    let task: String = column(row, 0, TABLE, "")?;
    let changed_at: i64 = column(row, 1, TABLE, &task)?;
    let stored: Vec<u8> = column(row, 2, TABLE, &task)?;
    let shown = Texts([Some(Cow::Owned(column(row, 3, TABLE, &task)?))]);
    let cipher: Option<Vec<u8>> = column(row, 4, TABLE, &task)?;
    let of = (TABLE, task.as_str());
    let json = uncover(keys, of, shown, cipher.as_deref(), &stored, |json| {
        digest(&task, changed_at, json)
    })?;
    team_from_json(json.text(0)).ok_or_else(|| RowError::corrupt(TABLE, &task))
}
