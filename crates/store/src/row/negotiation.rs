//! Rows of `negotiation`.
//!
//! Payload: the turns. Read next: [`super::registration`].

use super::json::{from_json, to_json};
use super::replaceable::Replaceable;
use super::standing::{Name, RowPlace, Standing, insert_or_update, number_or_digest};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, Value, values};
use domain::negotiation::{Kind, Negotiation, State};
use domain::task::TaskId;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub(crate) const TABLE: &str = "negotiation";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! negotiation_columns {
    () => {
        "number, task, kind, publisher, executor, state, changed_at, terms, digest, turns, \
         cipher"
    };
}
pub(crate) use negotiation_columns;

/// All negotiations, in the order in which they were first stored.
pub(crate) const ALL: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation ORDER BY number"
);

/// The open negotiations, the longest unchanged first.
pub(crate) const OPEN: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation WHERE state = 'open' ORDER BY changed_at, number"
);

/// Those that are closed and belong to open tasks, which can go on with them; what was agreed before there was
/// a task is not among them.
pub(crate) const OF_OPEN_TASKS: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation WHERE task IN (SELECT id FROM task WHERE ended = 0)
    AND state <> 'open' AND kind <> 'feasibility'"
);

const INSERT: &str = "INSERT INTO negotiation (task, kind, publisher, executor, state, changed_at,
    terms, digest, turns, cipher, number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

const UPDATE: &str = "UPDATE negotiation SET publisher = ?3, executor = ?4, state = ?5,
    changed_at = ?6, terms = ?7, digest = ?8, turns = ?9, cipher = ?10
    WHERE task = ?1 AND kind = ?2 AND digest = ?11 AND shard = ?12";

pub(crate) const STANDING: &str =
    "SELECT number, digest, shard, state FROM negotiation WHERE task = ?1 AND kind = ?2";

/// The rules of a negotiation, as JSON.
#[derive(Serialize, Deserialize)]
struct TermsRow {
    opened: u32,
    round_limit: u32,
    answer_within_ms: Option<i64>,
    version: u64,
}

/// A negotiation that is ready to be written.
pub(crate) struct Prepared {
    terms: String,
    row: Stamped<1>,
}

impl Replaceable for Negotiation {
    type Prepared = Prepared;

    fn prepare(&self, keys: &RowKeys) -> Prepared {
        let terms = to_json(&TermsRow {
            opened: self.opened,
            round_limit: self.round_limit,
            answer_within_ms: self.answer_within_ms,
            version: self.version,
        });
        let turns = Texts([Some(Cow::Owned(to_json(&self.turns)))]);
        let row = keys.cover_stamped(TABLE, turns, |turns| digest(self, &terms, turns));
        Prepared { terms, row }
    }

    fn task(&self) -> Option<&TaskId> {
        Some(&self.task)
    }

    fn is_final(&self) -> bool {
        self.state != State::Open
    }

    fn name(&self) -> Option<Name> {
        let (task, kind) = (self.task.as_str(), self.kind.as_str());
        Some((TABLE, format!("{kind} {task}")))
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        let key = values![self.task.as_str(), self.kind.as_str()];
        session.find(STANDING, key, |row| {
            Ok(Standing {
                place: RowPlace {
                    shard: row.get(2)?,
                    number: row.get(0)?,
                },
                digest: row.get(1)?,
                set: set_of(row.text(3)? == State::Open.as_str()),
            })
        })
    }

    fn write(
        &self,
        Prepared { terms, row }: &Prepared,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let Stamped { row, stamp } = row;
        let values: &[Value<'_>] = values![
            self.task.as_str(),
            self.kind.as_str(),
            &self.publisher,
            &self.executor,
            self.state.as_str(),
            self.changed_at.as_ms(),
            terms,
            stamp,
            row.texts.text(0),
            row.cipher.as_ref(),
            number_or_digest(old, place),
            place.shard,
        ];
        insert_or_update(session, old, [INSERT, UPDATE], values)?;
        let set = set_of(self.state == State::Open);
        Ok(encryptor.replaced(old, set, place, &row.sum, stamp.clone()))
    }
}

/// The set of a negotiation that is open or not.
fn set_of(open: bool) -> Set {
    match open {
        true => Set::OpenNegotiation,
        false => Set::EndedNegotiation,
    }
}

/// Removes the negotiations of a task.
pub(crate) fn forget_task(
    session: Session<'_>,
    task: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let ended = "DELETE FROM negotiation WHERE task = ?1 AND state <> 'open' RETURNING number, digest, shard";
    encryptor.delete(session, Set::EndedNegotiation, ended, values![task])?;
    let open = "DELETE FROM negotiation WHERE task = ?1 RETURNING number, digest, shard";
    encryptor.delete(session, Set::OpenNegotiation, open, values![task])?;
    Ok(())
}

/// The digest of the columns that are not payload, and of the turns.
fn digest(negotiation: &Negotiation, terms: &str, turns: &Texts<'_, 1>) -> Sum {
    RowDigest::of(TABLE)
        .text(negotiation.task.as_str())
        .text(negotiation.kind.as_str())
        .text(&negotiation.publisher)
        .text(&negotiation.executor)
        .text(negotiation.state.as_str())
        .number(negotiation.changed_at.as_ms())
        .text(terms)
        .text(turns.text(0))
        .sum()
}

/// Reads a row of `negotiation_columns!` and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<Negotiation, RowError> {
    let number: i64 = row.get(0)?;
    let key = format!("number {number}");
    let task: String = column(row, 1, TABLE, &key)?;
    let kind: String = column(row, 2, TABLE, &key)?;
    let key = format!("{task}/{kind}");
    let corrupt = || RowError::corrupt(TABLE, &key);
    let text = |index| column::<String>(row, index, TABLE, &key);
    let (terms, shown) = (text(7)?, Texts([Some(Cow::Owned(text(9)?))]));
    let rules: TermsRow = from_json(&terms).ok_or_else(corrupt)?;
    let mut negotiation = Negotiation {
        task: TaskId::new(task),
        kind: Kind::parse(&kind).ok_or_else(corrupt)?,
        publisher: text(3)?,
        executor: text(4)?,
        state: State::parse(&text(5)?).ok_or_else(corrupt)?,
        turns: Vec::new(),
        opened: rules.opened,
        round_limit: rules.round_limit,
        answer_within_ms: rules.answer_within_ms,
        changed_at: Timestamp::from_ms(column(row, 6, TABLE, &key)?),
        version: rules.version,
    };
    let stored: Vec<u8> = column(row, 8, TABLE, &key)?;
    let cipher: Option<Vec<u8>> = column(row, 10, TABLE, &key)?;
    let of = (TABLE, key.as_str());
    let turns = uncover(keys, of, shown, cipher.as_deref(), &stored, |turns| {
        digest(&negotiation, &terms, turns)
    })?;
    negotiation.turns = from_json(turns.text(0)).ok_or_else(corrupt)?;
    Ok(negotiation)
}
