//! Reading: filters, the pool of connections, and the queries.
//!
//! Readers see the last committed state without touching the writer. Every row is checked against
//! its digest on the way out. Read next: `row`.

use crate::digest::ORIGIN;
use crate::row::data_param::{self, data_param_columns};
use crate::row::entry;
use crate::row::exchange::{self, exchange_columns};
use crate::row::{Corrupt, RowError};
use domain::context::{DataParam, Exchange};
use domain::event::{Entry, Sequence};
use domain::task::TaskId;
use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Which exchanges or data to read. The default is the first thousand of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Of this task only.
    pub task: Option<TaskId>,
    /// Sent by or to this agent only.
    pub party: Option<String>,
    /// Behind the one with this identifier: the last of the page before.
    pub after: Option<String>,
    /// Not requested before this instant. Data has no time of its own, so there it is without
    /// effect.
    pub since: Option<Timestamp>,
    /// At most so many.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            task: None,
            party: None,
            after: None,
            since: None,
            limit: 1_000,
        }
    }
}

/// Why nothing was read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReadError {
    /// What was read is not what was written: it is refused rather than served.
    #[error("the state is damaged at {table} '{key}'; it is refused rather than served")]
    Corrupt {
        /// The table, or `sqlite` if SQLite itself found the damage.
        table: String,
        /// The row, or what SQLite says.
        key: String,
    },
    /// The filter begins behind something that is not there.
    #[error("there is no '{id}' to continue behind")]
    Unknown {
        /// The identifier.
        id: String,
    },
    /// SQLite failed.
    #[error("reading the state failed")]
    Sqlite(#[source] Arc<rusqlite::Error>),
}

impl From<RowError> for ReadError {
    fn from(error: RowError) -> Self {
        match error.found_by_sqlite() {
            RowError::Corrupt(Corrupt { table, key }) => Self::Corrupt {
                table: table.to_owned(),
                key,
            },
            RowError::Sqlite(cause) => Self::Sqlite(Arc::new(cause)),
        }
    }
}

impl From<rusqlite::Error> for ReadError {
    fn from(cause: rusqlite::Error) -> Self {
        RowError::Sqlite(cause).into()
    }
}

/// The connections that readers share.
pub(crate) struct Readers {
    connections: Vec<Arc<Mutex<Connection>>>,
    turn: AtomicUsize,
}

impl Readers {
    /// Connections of their own: they never wait for the writer.
    pub(crate) fn new(connections: Vec<Connection>) -> Self {
        let connections = connections.into_iter();
        Self {
            connections: connections.map(|c| Arc::new(Mutex::new(c))).collect(),
            turn: AtomicUsize::new(0),
        }
    }

    /// The writer's own connection, for a state in memory.
    pub(crate) fn shared(connection: Arc<Mutex<Connection>>) -> Self {
        Self {
            connections: vec![connection],
            turn: AtomicUsize::new(0),
        }
    }

    /// Reads with an idle connection, or waits in turn for one.
    pub(crate) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let idle = self.connections.iter().find_map(|c| c.try_lock().ok());
        let connection = idle.unwrap_or_else(|| {
            let turn = self.turn.fetch_add(1, Relaxed) % self.connections.len();
            // Reading leaves nothing half done that a panic elsewhere could have spoilt.
            let locked = self.connections[turn].lock();
            locked.unwrap_or_else(PoisonError::into_inner)
        });
        read(&connection)
    }

    /// Closes the connections, so that the writer's is the last and tidies the files up.
    pub(crate) fn close(&mut self) {
        self.connections.clear();
    }
}

const EXCHANGE: &str = concat!(
    "SELECT ",
    exchange_columns!(),
    " FROM exchange WHERE id = ?1"
);
const DATA_PARAM: &str = concat!(
    "SELECT ",
    data_param_columns!(),
    " FROM data_param WHERE id = ?1"
);

/// One page of exchanges: `$and` narrows it, `:time` and `:number` are where it begins.
macro_rules! exchanges {
    ($and:literal) => {
        concat!(
            "SELECT ",
            exchange_columns!(),
            " FROM exchange WHERE ",
            $and,
            "(request_time, number) > (:time, :number)"
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
            "number > :number"
        )
    };
}
macro_rules! by_time {
    ($($select:expr),+) => { concat!($($select),+, " ORDER BY request_time, number LIMIT :limit") };
}
macro_rules! by_number {
    ($($select:expr),+) => { concat!($($select),+, " ORDER BY number LIMIT :limit") };
}

// A party is on either side: two index look-ups, merged. `+` keeps the party of a task from being
// looked up by anything but the task.
const EXCHANGES: &str = by_time!(exchanges!(""));
const EXCHANGES_OF_TASK: &str = by_time!(exchanges!("task = :task AND "));
const EXCHANGES_OF_PARTY: &str = by_time!(
    exchanges!("send_from = :party AND "),
    " UNION ALL ",
    exchanges!("send_to = :party AND send_from <> :party AND ")
);
const EXCHANGES_OF_BOTH: &str = by_time!(exchanges!(
    "task = :task AND :party IN (+send_from, +send_to) AND "
));
const DATA: &str = by_number!(data_params!(""));
const DATA_OF_TASK: &str = by_number!(data_params!("task = :task AND "));
const DATA_OF_PARTY: &str = by_number!(
    data_params!("party_one = :party AND "),
    " UNION ALL ",
    data_params!("party_two = :party AND party_one <> :party AND ")
);
const DATA_OF_BOTH: &str = by_number!(data_params!(
    "task = :task AND :party IN (+party_one, +party_two) AND "
));

/// The pages, for the test that none of them scans or sorts.
#[cfg(test)]
pub(crate) const PAGES: [&str; 8] = [
    EXCHANGES,
    EXCHANGES_OF_TASK,
    EXCHANGES_OF_PARTY,
    EXCHANGES_OF_BOTH,
    DATA,
    DATA_OF_TASK,
    DATA_OF_PARTY,
    DATA_OF_BOTH,
];

pub(crate) fn exchange(connection: &Connection, id: &str) -> Result<Option<Exchange>, ReadError> {
    Ok(rows(connection, EXCHANGE, params![id], exchange::read)?.pop())
}

pub(crate) fn data_param(
    connection: &Connection,
    id: &str,
) -> Result<Option<DataParam>, ReadError> {
    Ok(rows(connection, DATA_PARAM, params![id], data_param::read)?.pop())
}

pub(crate) fn exchanges(
    connection: &Connection,
    filter: &Filter,
) -> Result<Vec<Exchange>, ReadError> {
    let sql = match (&filter.task, &filter.party) {
        (None, None) => EXCHANGES,
        (Some(_), None) => EXCHANGES_OF_TASK,
        (None, Some(_)) => EXCHANGES_OF_PARTY,
        (Some(_), Some(_)) => EXCHANGES_OF_BOTH,
    };
    let find = "SELECT request_time, number FROM exchange WHERE id = ?1";
    let after: Option<(i64, i64)> = match &filter.after {
        Some(id) => Some(behind(connection, find, id, |r| {
            Ok((r.get(0)?, r.get(1)?))
        })?),
        None => None,
    };
    // Numbers begin with 1: (time, 0) lies before everything of that instant.
    let since = (filter.since.unwrap_or_default().as_ms(), 0);
    let (time, number) = after.unwrap_or(since).max(since);
    page(connection, sql, filter, (time, number), exchange::read)
}

pub(crate) fn data_params(
    connection: &Connection,
    filter: &Filter,
) -> Result<Vec<DataParam>, ReadError> {
    let sql = match (&filter.task, &filter.party) {
        (None, None) => DATA,
        (Some(_), None) => DATA_OF_TASK,
        (None, Some(_)) => DATA_OF_PARTY,
        (Some(_), Some(_)) => DATA_OF_BOTH,
    };
    let find = "SELECT number FROM data_param WHERE id = ?1";
    let number: i64 = match &filter.after {
        Some(id) => behind(connection, find, id, |r| r.get(0))?,
        None => 0,
    };
    page(connection, sql, filter, (0, number), data_param::read)
}

fn behind<T>(
    connection: &Connection,
    find: &str,
    id: &str,
    place: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T, ReadError> {
    let mut statement = connection.prepare_cached(find)?;
    let found = statement.query_row([id], place).optional()?;
    found.ok_or_else(|| ReadError::Unknown { id: id.to_owned() })
}

/// Binds the parameters that `sql` has and reads what it gives.
fn page<T>(
    connection: &Connection,
    sql: &str,
    filter: &Filter,
    (time, number): (i64, i64),
    read: impl Fn(&Row<'_>) -> Result<T, RowError>,
) -> Result<Vec<T>, ReadError> {
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let task = filter.task.as_ref().map(TaskId::as_str);
    let values: [(&str, &dyn ToSql); 5] = [
        (":task", &task),
        (":party", &filter.party),
        (":time", &time),
        (":number", &number),
        (":limit", &limit),
    ];
    let used: Vec<_> = values
        .into_iter()
        .filter(|(n, _)| sql.contains(n))
        .collect();
    rows(connection, sql, used.as_slice(), read)
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
    read: impl Fn(&Row<'_>) -> Result<T, RowError>,
) -> Result<Vec<T>, ReadError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

pub(crate) fn entries(
    connection: &Connection,
    after: Sequence,
    limit: usize,
) -> Result<Vec<Arc<Entry>>, ReadError> {
    if after >= last(connection)? {
        return Ok(Vec::new());
    }
    let mut chain = match after {
        0 => ORIGIN,
        after => entry::stored_digest(connection, after)?,
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(entry::BEHIND)?;
    let mut rows = statement.query(params![after as i64, limit])?;
    let (mut found, mut expected) = (Vec::new(), after + 1);
    while let Some(row) = rows.next()? {
        let (entry, sum) = entry::read(row, expected, &chain)?;
        (chain, expected) = (sum, expected + 1);
        found.push(Arc::new(entry));
    }
    Ok(found)
}

pub(crate) fn sequence_at(connection: &Connection, time: Timestamp) -> Result<Sequence, ReadError> {
    let mut statement = connection.prepare_cached("SELECT time FROM log WHERE sequence = ?1")?;
    let (mut before, mut from) = (0, last(connection)? + 1);
    // Entries up to `before` lie before `time`, those from `from` on do not.
    while before + 1 < from {
        let middle = before + (from - before) / 2;
        let found: Option<i64> = statement
            .query_row([middle as i64], |row| row.get(0))
            .optional()?;
        let Some(found) = found else {
            return Err(RowError::corrupt(entry::TABLE, middle).into());
        };
        if found < time.as_ms() {
            before = middle;
        } else {
            from = middle;
        }
    }
    Ok(before)
}

/// The last sequence of the log; 0 if it is empty.
fn last(connection: &Connection) -> Result<Sequence, ReadError> {
    let mut statement = connection.prepare_cached("SELECT coalesce(max(sequence), 0) FROM log")?;
    let last: i64 = statement.query_row([], |row| row.get(0))?;
    Ok(last as Sequence)
}

/// The time of the first entry of the log.
pub(crate) fn first_time(connection: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let sql = "SELECT time FROM log ORDER BY sequence LIMIT 1";
    let time: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(time.map(Timestamp::from_ms))
}
