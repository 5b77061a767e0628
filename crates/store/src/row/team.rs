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

macro_rules! teams {
    ($which:literal) => {
        concat!(
            "SELECT number, task, changed_at, digest, team, cipher FROM team ",
            $which
        )
    };
}

/// All teams, in the order in which they were first stored.
pub(crate) const ALL: &str = teams!("ORDER BY number");

/// The first of them.
pub(crate) const FIRST: &str = teams!("ORDER BY number LIMIT ?1");

/// The first of those that a party published, or may have.
pub(crate) const OF_PUBLISHER: &str = concat!(
    teams!("WHERE publisher = ?2"),
    " UNION ALL ",
    teams!("WHERE publisher IS NULL"),
    " ORDER BY number LIMIT ?1"
);

/// The team of one task.
pub(crate) const OF_TASK: &str = teams!("WHERE task = ?1");

/// The team of one number.
pub(crate) const OF_NUMBER: &str = teams!("WHERE number = ?1");

/// The tasks of the first teams that an agent is a candidate of.
pub(crate) const OF_CANDIDATE: &str =
    "SELECT task FROM team_candidate WHERE agent = ?2 ORDER BY task LIMIT ?1";

const CANDIDATE: &str = "INSERT OR IGNORE INTO team_candidate (agent, task) VALUES (?1, ?2)";

const WRITE: &str =
    "INSERT INTO team (task, changed_at, digest, team, cipher, publisher) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (task) DO UPDATE
    SET changed_at = ?2, digest = ?3, team = ?4, cipher = ?5, publisher = ?6";

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
    let (json, publisher) = (row.texts.text(0), team.publisher.as_str());
    statement.execute(params![task, at, stamp, json, row.cipher, publisher])?;
    let mut statement = connection.prepare_cached(CANDIDATE)?;
    for candidate in &team.candidates {
        statement.execute([candidate.agent.as_str(), task])?;
    }
    ink.replaced(connection, old, Set::Team, &row.sum);
    Ok(())
}

/// Nobody is a candidate of the team of this task any more.
pub(crate) fn forget_candidates(connection: &Connection, task: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("DELETE FROM team_candidate WHERE task = ?1")?;
    statement.execute([task])?;
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
    let task: String = column(row, 1, TABLE, "")?;
    let changed_at: i64 = column(row, 2, TABLE, &task)?;
    let stored: Vec<u8> = column(row, 3, TABLE, &task)?;
    let shown = Texts([Some(Cow::Owned(column(row, 4, TABLE, &task)?))]);
    let cipher: Option<Vec<u8>> = column(row, 5, TABLE, &task)?;
    let of = (TABLE, task.as_str());
    let json = uncover(keys, of, shown, cipher.as_deref(), &stored, |json| {
        digest(&task, changed_at, json)
    })?;
    team_from_json(json.text(0)).ok_or_else(|| RowError::corrupt(TABLE, &task))
}
