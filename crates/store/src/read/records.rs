//! Pages of exchanges and data, in the order in which they were first stored.
//!
//! And, by their keys, negotiations, teams and erasures. Read next: `row::exchange`.

use super::{Most, Page, ReadError, behind, numbered, page, rows};
use crate::cipher::{Keys, Tables};
use crate::failure::SqlFailure;
use crate::row::cursor::{self, Cursor};
use crate::row::data_param::{self, data_param_columns};
use crate::row::document::Document;
use crate::row::erasure::{self, Erasure};
use crate::row::exchange::{self, exchange_columns};
use crate::row::negotiation::{self, negotiation_columns};
use crate::row::{RowError, document, observation, push_config, team};
use crate::sql::{Row, Session, Value, values};
use domain::context::{DataParam, Exchange};
use domain::negotiation::{Kind, Negotiation};
use domain::push::PushConfig;
use domain::task::TaskId;
use domain::team::Team;
use domain::time::Timestamp;

/// The selection of exchanges or data. The default is the first thousand of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Of this task only.
    pub task: Option<TaskId>,
    /// Sent by or to this agent only.
    pub party: Option<String>,
    /// With this agent on the other side only; exchanges only.
    pub counterparty: Option<String>,
    /// Sent by this agent only; exchanges only.
    pub from: Option<String>,
    /// Requested at or after this instant; exchanges only.
    pub since: Option<Timestamp>,
    /// Requested at or before this instant; exchanges only.
    pub until: Option<Timestamp>,
    /// Behind the one with this identifier: the last of the page before.
    pub after: Option<String>,
    /// True for the last first.
    pub newest_first: bool,
    /// The most rows.
    pub limit: usize,
    /// The most bytes of all rows as stored; one row is returned in any case.
    pub bytes: u64,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            task: None,
            party: None,
            counterparty: None,
            from: None,
            since: None,
            until: None,
            after: None,
            newest_first: false,
            limit: 1_000,
            bytes: u64::MAX,
        }
    }
}

/// The records that belong to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    /// True if it has sub-tasks.
    pub parts: bool,
    /// True if it has negotiations.
    pub negotiations: bool,
}

const EXCHANGE: &str = concat!(
    "SELECT ",
    exchange_columns!(),
    " FROM exchange WHERE id = ?1"
);
const LAST_NUMBERED: &str = concat!(
    "SELECT ",
    exchange_columns!(),
    " FROM exchange WHERE id BETWEEN ?1 AND ?2 AND length(id) = length(?1)
    AND substr(id, ?3) NOT LIKE '%/%' ORDER BY id DESC LIMIT 1"
);
const DATA_PARAM: &str = concat!(
    "SELECT ",
    data_param_columns!(),
    " FROM data_param WHERE id = ?1"
);
const NEGOTIATION: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation WHERE task = ?1 AND kind = ?2"
);
const NEGOTIATIONS: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation WHERE task = ?1"
);

const NEGOTIATIONS_OF_PARTY: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation WHERE publisher = ?2 UNION ALL SELECT ",
    negotiation_columns!(),
    " FROM negotiation WHERE executor = ?2 AND publisher <> ?2 ORDER BY number LIMIT ?1"
);

const ALL_NEGOTIATIONS: &str = concat!(
    "SELECT ",
    negotiation_columns!(),
    " FROM negotiation ORDER BY number LIMIT ?1"
);

/// The query of a page: `$and` narrows it, `:number` is its beginning.
macro_rules! exchanges {
    ($and:literal) => {
        concat!(
            "SELECT ",
            exchange_columns!(),
            " FROM exchange WHERE ",
            $and,
            "number > :number AND number < :end AND request_time BETWEEN :since AND :until
            AND (CAST(:counterparty AS TEXT) IS NULL OR :counterparty IN (+send_from, +send_to))
            AND (CAST(:from AS TEXT) IS NULL OR :from = +send_from)"
        )
    };
}
macro_rules! data_params {
    ($and:literal) => {
        concat!(
            "SELECT ",
            data_param_columns!(),
            " FROM data_param WHERE ",
            $and,
            "number > :number AND number < :end"
        )
    };
}
/// A page in the order of the numbers, or in reverse.
fn by_number(select: &str, newest_first: bool) -> String {
    let order = if newest_first { " DESC" } else { "" };
    format!("{select} ORDER BY number{order} LIMIT :limit")
}

// A party is on either side: two index look-ups, merged. `+` keeps the party of a task from being
// looked up by anything but the task.
const EXCHANGES: &str = exchanges!("");
const EXCHANGES_OF_TASK: &str = exchanges!("task = :task AND ");
const EXCHANGES_OF_PARTY: &str = concat!(
    exchanges!("send_from = :party AND "),
    " UNION ALL ",
    exchanges!("send_to = :party AND send_from <> :party AND ")
);
const EXCHANGES_OF_BOTH: &str =
    exchanges!("task = :task AND :party IN (+send_from, +send_to) AND ");
const DATA: &str = data_params!("");
const DATA_OF_TASK: &str = data_params!("task = :task AND ");
const DATA_OF_PARTY: &str = concat!(
    data_params!("party_one = :party AND "),
    " UNION ALL ",
    data_params!("party_two = :party AND party_one <> :party AND ")
);
const DATA_OF_BOTH: &str = data_params!("task = :task AND :party IN (+party_one, +party_two) AND ");

/// The queries of pages, for the test that none of them scans or sorts.
#[cfg(test)]
pub(crate) fn pages() -> Vec<String> {
    let exchanges = [
        EXCHANGES,
        EXCHANGES_OF_TASK,
        EXCHANGES_OF_PARTY,
        EXCHANGES_OF_BOTH,
    ];
    let data = [DATA, DATA_OF_TASK, DATA_OF_PARTY, DATA_OF_BOTH];
    let whole = [
        NEGOTIATIONS_OF_PARTY,
        team::OF_CANDIDATE,
        team::OF_PUBLISHER,
        LAST_NUMBERED,
    ];
    let pages = exchanges.iter().chain(&data);
    let pages = pages.flat_map(|s| [by_number(s, false), by_number(s, true)]);
    let whole = whole.iter().map(|s| (*s).to_owned());
    pages.chain(whole).collect()
}

pub(crate) fn exchange(tables: Tables<'_>, id: &str) -> Result<Option<Exchange>, ReadError> {
    Ok(rows(tables, EXCHANGE, values![id], exchange::read)?.pop())
}

/// The exchange with the highest number behind `prefix`, up to `most`: a look-up for each digit.
pub(crate) fn last_numbered(
    tables: Tables<'_>,
    prefix: &str,
    most: u64,
) -> Result<Option<Exchange>, ReadError> {
    let behind = i64::try_from(prefix.chars().count()).unwrap_or(i64::MAX) + 1;
    for digits in (1..=most.max(1).ilog10() + 1).rev() {
        // Longer numbers stand between these too, and were looked for before.
        let first = format!("{prefix}{}", 10_u64.pow(digits - 1));
        let last = format!("{prefix}{}", "9".repeat(digits as usize));
        let which = values![&first, &last, behind];
        let found = rows(tables, LAST_NUMBERED, which, exchange::read)?.pop();
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

pub(crate) fn data_param(tables: Tables<'_>, id: &str) -> Result<Option<DataParam>, ReadError> {
    Ok(rows(tables, DATA_PARAM, values![id], data_param::read)?.pop())
}

pub(crate) fn negotiation(
    tables: Tables<'_>,
    task: &TaskId,
    kind: Kind,
) -> Result<Option<Negotiation>, ReadError> {
    let key = values![task.as_str(), kind.as_str()];
    Ok(rows(tables, NEGOTIATION, key, negotiation::read)?.pop())
}

pub(crate) fn negotiations(
    tables: Tables<'_>,
    task: &TaskId,
) -> Result<Vec<Negotiation>, ReadError> {
    rows(
        tables,
        NEGOTIATIONS,
        values![task.as_str()],
        negotiation::read,
    )
}

pub(crate) fn all_negotiations(
    tables: Tables<'_>,
    most: Most,
) -> Result<Page<Negotiation>, ReadError> {
    let (sql, which) = (ALL_NEGOTIATIONS, values![most.and_one()]);
    page(most, tables, sql, which, negotiation::read)
}

pub(crate) fn negotiations_of(
    tables: Tables<'_>,
    party: &str,
    most: Most,
) -> Result<Page<Negotiation>, ReadError> {
    let (sql, which) = (NEGOTIATIONS_OF_PARTY, values![most.and_one(), party]);
    page(most, tables, sql, which, negotiation::read)
}

pub(crate) fn teams_with(
    tables: Tables<'_>,
    candidate: &str,
    most: Most,
) -> Result<Page<Team>, ReadError> {
    let (sql, which) = (team::OF_CANDIDATE, values![most.and_one(), candidate]);
    page(most, tables, sql, which, team::read)
}

pub(crate) fn teams(tables: Tables<'_>, most: Most) -> Result<Page<Team>, ReadError> {
    let (sql, which) = (team::FIRST, values![most.and_one()]);
    page(most, tables, sql, which, team::read)
}

pub(crate) fn teams_by(
    tables: Tables<'_>,
    publisher: &str,
    most: Most,
) -> Result<Page<Team>, ReadError> {
    let (sql, which) = (team::OF_PUBLISHER, values![most.and_one(), publisher]);
    let mut found = page(most, tables, sql, which, team::read)?;
    // Of teams of before nobody noted who was asked either.
    let is_its = |team: &Team| {
        team.publisher == publisher || team.candidates.iter().any(|c| c.agent == publisher)
    };
    found.rows.retain(is_its);
    Ok(found)
}

pub(crate) fn cursors(tables: Tables<'_>) -> Result<Vec<Cursor>, ReadError> {
    rows(tables, cursor::ALL, &[], cursor::read)
}

pub(crate) fn knows(tables: Tables<'_>, task: &TaskId) -> Result<bool, ReadError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM task WHERE id = ?1)
        OR EXISTS (SELECT 1 FROM negotiation WHERE task = ?1)";
    Ok(tables.session.one(sql, values![task.as_str()])?)
}

pub(crate) fn below(tables: Tables<'_>, task: &TaskId) -> Result<Below, ReadError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM task WHERE parent = ?1),
        EXISTS (SELECT 1 FROM negotiation WHERE task = ?1)";
    let read = |row: &Row<'_>, _: &Keys| {
        Ok(Below {
            parts: row.get(0)?,
            negotiations: row.get(1)?,
        })
    };
    let found = rows(tables, sql, values![task.as_str()], read)?.pop();
    Ok(found.expect("a statement without a table gives one row"))
}

pub(crate) fn documents(tables: Tables<'_>, kind: &str) -> Result<Vec<Document>, ReadError> {
    rows(tables, document::OF_KIND, values![kind], document::read)
}

/// The oldest observations.
pub(crate) fn observations(
    tables: Tables<'_>,
    most: usize,
) -> Result<Vec<(u64, String)>, ReadError> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    rows(
        tables,
        observation::OLDEST,
        values![most],
        observation::read,
    )
}

/// The push configurations of a task, by owner and identifier.
pub(crate) fn push_configs(
    tables: Tables<'_>,
    task: &TaskId,
) -> Result<Vec<PushConfig>, ReadError> {
    let key = values![task.as_str()];
    rows(tables, push_config::OF_TASK, key, push_config::read)
}

pub(crate) fn team(tables: Tables<'_>, task: &TaskId) -> Result<Option<Team>, ReadError> {
    Ok(rows(tables, team::OF_TASK, values![task.as_str()], team::read)?.pop())
}

pub(crate) fn erasure(tables: Tables<'_>, task: &TaskId) -> Result<Option<Erasure>, ReadError> {
    let key = values![task.as_str()];
    Ok(rows(tables, erasure::OF_TASK, key, |row, _| erasure::read(row))?.pop())
}

pub(crate) fn exchanges(tables: Tables<'_>, filter: &Filter) -> Result<Page<Exchange>, ReadError> {
    let sql = match (&filter.task, &filter.party) {
        (None, None) => EXCHANGES,
        (Some(_), None) => EXCHANGES_OF_TASK,
        (None, Some(_)) => EXCHANGES_OF_PARTY,
        (Some(_), Some(_)) => EXCHANGES_OF_BOTH,
    };
    let find = "SELECT number FROM exchange WHERE id = ?1";
    let begin = match filter.since {
        Some(since) => number_at(tables.session, since + -DISORDER_MS)? - 1,
        None => 0,
    };
    let end = match filter.until {
        Some(until) => number_at(tables.session, until + DISORDER_MS)?,
        None => i64::MAX,
    };
    filtered(tables, sql, find, (begin, end), filter, exchange::read)
}

/// The longest time by which an exchange may have been requested later than one stored behind it,
/// in milliseconds: requests take some time before they are ordered.
const DISORDER_MS: i64 = 60_000;

/// The number of the first exchange that was not requested before `time`, as far as exchanges are
/// in the order of their requests; found by bisection, for no index holds the times.
fn number_at(session: Session<'_>, time: Timestamp) -> Result<i64, ReadError> {
    let sql =
        "SELECT number, request_time FROM exchange WHERE number >= ?1 ORDER BY number LIMIT 1";
    let last = "SELECT coalesce(max(number), 0) FROM exchange";
    let (mut before, mut from) = (0, session.one::<i64>(last, &[])? + 1);
    // Exchanges up to `before` lie before `time`, those from `from` on do not.
    while before + 1 < from {
        let middle = before + (from - before) / 2;
        let row = |row: &Row<'_>| Ok::<(i64, i64), SqlFailure>((row.get(0)?, row.get(1)?));
        let found = session.find(sql, values![middle], row)?;
        match found {
            Some((number, at)) if number < from && at < time.as_ms() => before = number,
            _ => from = middle,
        }
    }
    Ok(from)
}

pub(crate) fn data_params(
    tables: Tables<'_>,
    filter: &Filter,
) -> Result<Page<DataParam>, ReadError> {
    let sql = match (&filter.task, &filter.party) {
        (None, None) => DATA,
        (Some(_), None) => DATA_OF_TASK,
        (None, Some(_)) => DATA_OF_PARTY,
        (Some(_), Some(_)) => DATA_OF_BOTH,
    };
    let find = "SELECT number FROM data_param WHERE id = ?1";
    filtered(tables, sql, find, (0, i64::MAX), filter, data_param::read)
}

/// The amount of stored data that a principal wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSum {
    /// The name of the principal.
    pub writer: String,
    /// The number of entries.
    pub entries: u64,
    /// Their size in bytes as stored, or as announced for data in pieces.
    pub bytes: u64,
}

/// The amount that each principal wrote by `data-write`; entries of the platform's own have a '/'
/// in their identifiers. Reads no data, but one row for each entry.
pub(crate) fn data_sums(session: Session<'_>) -> Result<Vec<DataSum>, SqlFailure> {
    let sql = "SELECT party_one, count(*), CAST(sum(coalesce(size, 0) +
          coalesce(octet_length(data), octet_length(url), 0) + coalesce(octet_length(cipher), 0))
          AS BIGINT) FROM data_param WHERE id NOT LIKE '%/%' GROUP BY party_one";
    session.all(sql, &[], |row| {
        Ok(DataSum {
            writer: row.get(0)?,
            entries: row.get::<i64>(1)? as u64,
            bytes: row.get::<i64>(2)? as u64,
        })
    })
}

/// Reads the rows of `sql`; `find` gives the beginning.
fn filtered<T>(
    tables: Tables<'_>,
    sql: &str,
    find: &str,
    (begin, end): (i64, i64),
    filter: &Filter,
    read: impl Fn(&Row<'_>, &Keys) -> Result<T, RowError>,
) -> Result<Page<T>, ReadError> {
    let after = |id: &String| behind(tables.session, find, id, |r| r.get::<i64>(0));
    let after = filter.after.as_ref().map(after).transpose()?;
    let (number, end) = match filter.newest_first {
        false => (after.map_or(begin, |after| after.max(begin)), end),
        true => (begin, after.map_or(end, |after| after.min(end))),
    };
    let sql = by_number(sql, filter.newest_first);
    let since = filter.since.unwrap_or_default().as_ms();
    let until = filter.until.map_or(i64::MAX, Timestamp::as_ms);
    let most = Most {
        rows: filter.limit,
        bytes: filter.bytes,
    };
    let limit = most.and_one();
    let task = filter.task.as_ref().map(TaskId::as_str);
    let values: [(&str, Value<'_>); 9] = [
        ("task", task.into()),
        ("party", filter.party.as_ref().into()),
        ("counterparty", filter.counterparty.as_ref().into()),
        ("from", filter.from.as_ref().into()),
        ("since", since.into()),
        ("until", until.into()),
        ("number", number.into()),
        ("end", end.into()),
        ("limit", limit.into()),
    ];
    let (sql, values) = numbered(&sql, &values);
    page(most, tables, &sql, &values, read)
}
