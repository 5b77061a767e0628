//! Rows of `team`.
//!
//! Read next: [`super::entry`].

use super::form::{team_from_json, team_to_json};
use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use domain::team::Team;
use rusqlite::{Connection, Row, params};

pub(crate) const TABLE: &str = "team";

/// All teams, in the order in which they were first stored.
pub(crate) const ALL: &str = "SELECT task, changed_at, digest, team FROM team ORDER BY number";

/// The team of one task.
pub(crate) const OF_TASK: &str = "SELECT task, changed_at, digest, team FROM team WHERE task = ?1";

const WRITE: &str = "INSERT INTO team (task, changed_at, digest, team) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (task) DO UPDATE SET changed_at = ?2, digest = ?3, team = ?4";

/// Writes the team, in place of the one of its task if there is one.
pub(crate) fn write(connection: &Connection, team: &Team) -> rusqlite::Result<()> {
    let (task, at, json) = (
        team.task.as_str(),
        team.changed_at.as_ms(),
        team_to_json(team),
    );
    let mut statement = connection.prepare_cached(WRITE)?;
    statement.execute(params![task, at, digest(task, at, &json), json])?;
    Ok(())
}

fn digest(task: &str, changed_at: i64, json: &str) -> Sum {
    RowDigest::of(TABLE)
        .text(task)
        .number(changed_at)
        .text(json)
        .sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>) -> Result<Team, RowError> {
    let task: String = column(row, 0, TABLE, "")?;
    let changed_at: i64 = column(row, 1, TABLE, &task)?;
    let stored: Vec<u8> = column(row, 2, TABLE, &task)?;
    let json: String = column(row, 3, TABLE, &task)?;
    check(&stored, &digest(&task, changed_at, &json), TABLE, &task)?;
    team_from_json(&json).ok_or_else(|| RowError::corrupt(TABLE, &task))
}
