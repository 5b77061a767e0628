//! Rows of `team`.
//!
//! Payload: all but the task and the time of the change. Read next: [`super::entry`].

use super::json::{from_json, to_json};
use super::replaceable::Replaceable;
use super::standing::{AS_KNOWN, Name, RowPlace, Standing, standing};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Expect, Row, Session, values};
use domain::task::TaskId;
use domain::team::Team;
use std::borrow::Cow;
use std::collections::BTreeSet;

pub(crate) const TABLE: &str = "team";

macro_rules! teams {
    ($which:literal) => {
        teams!("publisher", $which)
    };
    ($publisher:literal, $which:literal) => {
        concat!(
            "SELECT number, team.task, changed_at, digest, team, cipher, ",
            $publisher,
            " FROM ",
            $which
        )
    };
}

/// All teams, in the order in which they were first stored; also of a state of an older release.
pub(crate) const ALL: &str = teams!("NULL", "team ORDER BY number");

/// The first teams.
pub(crate) const FIRST: &str = teams!("team ORDER BY number LIMIT ?1");

/// The first teams that a party published, or may have published.
pub(crate) const OF_PUBLISHER: &str = concat!(
    teams!("team WHERE publisher = ?2"),
    " UNION ALL ",
    teams!("team WHERE publisher IS NULL"),
    " ORDER BY number LIMIT ?1"
);

/// The team of one task.
pub(crate) const OF_TASK: &str = teams!("team WHERE task = ?1");

/// The team of one number.
pub(crate) const OF_NUMBER: &str = teams!("team WHERE number = ?1");

/// The first teams in which an agent is a candidate, by their tasks.
pub(crate) const OF_CANDIDATE: &str = teams!(
    "team_candidate CROSS JOIN team
    WHERE team.task = team_candidate.task AND agent = ?2 ORDER BY team_candidate.task LIMIT ?1"
);

const FOUND_BY: &str = "SELECT publisher FROM team WHERE task = ?1";
const CANDIDATES: &str = "SELECT agent FROM team_candidate WHERE task = ?1";

const CANDIDATE: &str = "INSERT INTO team_candidate (agent, task) VALUES (?1, ?2)
    ON CONFLICT DO NOTHING";

const WRITE: &str =
    "INSERT INTO team (task, changed_at, digest, team, cipher, publisher, number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9)
    ON CONFLICT (task) DO UPDATE
    SET changed_at = ?2, digest = ?3, team = ?4, cipher = ?5, publisher = ?6
    WHERE team.digest = ?8 AND team.shard = ?9";

pub(crate) const STANDING: &str = "SELECT number, digest, shard FROM team WHERE task = ?1";

impl Replaceable for Team {
    type Prepared = Stamped<1>;

    fn prepare(&self, keys: &RowKeys) -> Stamped<1> {
        let (task, at) = (self.task.as_str(), self.changed_at.as_ms());
        let json = Texts([Some(Cow::Owned(to_json(self)))]);
        keys.cover_stamped(TABLE, json, |json| digest(task, at, json))
    }

    fn task(&self) -> Option<&TaskId> {
        Some(&self.task)
    }

    fn name(&self) -> Option<Name> {
        Some((TABLE, self.task.to_string()))
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        standing(session, Set::Team, STANDING, values![self.task.as_str()])
    }

    fn write(
        &self,
        Stamped { row, stamp }: &Stamped<1>,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let task = self.task.as_str();
        session.put(
            WRITE,
            values![
                task,
                self.changed_at.as_ms(),
                stamp,
                row.texts.text(0),
                row.cipher.as_ref(),
                &self.publisher,
                place.number,
                old.map(|old| &old.digest),
                place.shard,
            ],
            AS_KNOWN,
        )?;
        for candidate in &self.candidates {
            session.put(CANDIDATE, values![&candidate.agent, task], Expect::Any)?;
        }
        Ok(encryptor.replaced(old, Set::Team, place, &row.sum, stamp.clone()))
    }
}

/// Deletes the candidates of the team of this task from the index.
pub(crate) fn forget_candidates(session: Session<'_>, task: &str) -> Result<(), SqlFailure> {
    session.put(
        "DELETE FROM team_candidate WHERE task = ?1",
        values![task],
        Expect::Any,
    )?;
    Ok(())
}

fn digest(task: &str, changed_at: i64, json: &Texts<'_, 1>) -> Sum {
    RowDigest::of(TABLE)
        .text(task)
        .number(changed_at)
        .text(json.text(0))
        .sum()
}

/// Reads a row of [`ALL`] and checks its digest, and that the indexes of publisher and candidates
/// agree with it.
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
    let team: Option<Team> = from_json(json.text(0));
    let publisher: Option<String> = column(row, 6, TABLE, &task)?;
    // An earlier release noted none.
    team.filter(|team| publisher.is_none_or(|publisher| publisher == team.publisher))
        .ok_or_else(|| RowError::corrupt(TABLE, &task))
}

/// Checks that a team is indexed under its publisher and its candidates, and under nobody else. A
/// team stored by an earlier release has neither.
pub(crate) fn check_finders(session: Session<'_>, team: &Team) -> Result<(), RowError> {
    let task = team.task.as_str();
    let publisher: Option<String> = session.one(FOUND_BY, values![task])?;
    let noted = session.all(CANDIDATES, values![task], |row| row.get(0))?;
    let noted: BTreeSet<String> = noted.into_iter().collect();
    let asked: BTreeSet<String> = team.candidates.iter().map(|c| c.agent.clone()).collect();
    match publisher {
        Some(publisher) if publisher != team.publisher => Err(RowError::corrupt(TABLE, task)),
        None if noted.is_empty() => Ok(()),
        _ if noted != asked => Err(RowError::corrupt("team_candidate", task)),
        _ => Ok(()),
    }
}
