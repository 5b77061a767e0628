//! The seam: statements and what they give, whatever database holds the tables.
//!
//! ```text
//! rows, pages, jobs, verification ─► Session ─► sqlite or postgres
//! ```
//! Everything above speaks one SQL: parameters are `?1`, `?2`, …; a database that wants another text
//! makes it of this one. Statements stay prepared, found by their text. Read next: [`value`],
//! [`row`], `upkeep`, [`crate::sqlite`].

mod remote;
pub(crate) mod row;
mod upkeep;
pub(crate) mod value;

pub(crate) use row::{FromCell, Row};
pub(crate) use value::{Value, values};

use crate::failure::{FailureKind, SqlFailure};
use crate::postgres;
use crate::sqlite::session as sqlite;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A connection to the tables, which is one thread's at a time.
pub(crate) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<postgres::session::Session>),
}

impl Connection {
    /// Connects anew where the connection to a server is lost.
    pub(crate) fn renewed(&mut self) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.renewed(),
        }
    }

    /// What statements are asked of.
    pub(crate) fn session(&self) -> Session<'_> {
        match self {
            Self::Sqlite(connection) => Session::sqlite(connection),
            Self::Postgres(session) => Session::Postgres(session),
        }
    }
}

/// A connection in use.
#[derive(Clone, Copy)]
pub(crate) enum Session<'s> {
    Sqlite(sqlite::Session<'s>),
    Postgres(&'s postgres::session::Session),
}

/// The number of rows that a change must meet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// Any number.
    Any,
    /// One; otherwise this rule, which is a condition of the statement, would be broken.
    One(&'static str),
}

impl<'s> Session<'s> {
    /// A connection of SQLite in use.
    pub(crate) fn sqlite(connection: &'s rusqlite::Connection) -> Self {
        Self::Sqlite(sqlite::Session(connection))
    }

    /// Reads row after row, until `each` breaks off.
    pub(crate) fn query<E: From<SqlFailure>>(
        self,
        sql: &str,
        values: &[Value<'_>],
        each: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        match self {
            Self::Sqlite(session) => session.query(sql, values, each),
            Self::Postgres(session) => remote::query(session, sql, values, each),
        }
    }

    /// All rows.
    pub(crate) fn all<T, E: From<SqlFailure>>(
        self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let mut all = Vec::new();
        self.query(sql, values, |row| {
            all.push(read(row)?);
            Ok::<_, E>(ControlFlow::Continue(()))
        })?;
        Ok(all)
    }

    /// The first row, if there is one.
    pub(crate) fn find<T, E: From<SqlFailure>>(
        self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let mut found = None;
        self.query(sql, values, |row| {
            found = Some(read(row)?);
            Ok::<_, E>(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// The first column of a statement that gives one row in any case.
    pub(crate) fn one<T: FromCell>(self, sql: &str, values: &[Value<'_>]) -> Result<T, SqlFailure> {
        let found = self.find(sql, values, |row| row.get(0))?;
        found.ok_or_else(|| SqlFailure::of(FailureKind::Other, "a statement gave no row"))
    }

    /// Asks for a change. If it cannot be made, or meets other rows than expected, this fails, or the
    /// commit of its transaction.
    pub(crate) fn put(
        self,
        sql: &str,
        values: &[Value<'_>],
        expect: Expect,
    ) -> Result<(), SqlFailure> {
        if let Self::Postgres(session) = self {
            return Ok(session.put(sql, values, expect.into())?);
        }
        match (self.change(sql, values)?, expect) {
            (1, _) | (_, Expect::Any) => Ok(()),
            (_, Expect::One(rule)) => Err(SqlFailure::of(FailureKind::Rule, rule)),
        }
    }

    /// Makes a change; returns the number of rows that it met.
    pub(crate) fn change(self, sql: &str, values: &[Value<'_>]) -> Result<u64, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.change(sql, values),
            Self::Postgres(session) => Ok(session.change(sql, values)?),
        }
    }

    /// Says what will be looked up in the transaction under way, by which statements and keys, where each look-up
    /// is a round trip. Nobody may change such a row without having asked for it.
    pub(crate) fn look_ahead<const N: usize>(
        self,
        wanted: [(&'static str, BTreeSet<Vec<&str>>); N],
    ) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => Ok(session.look_ahead(&wanted)?),
        }
    }

    /// True if changes are sent before the answers to those before them have come, as each way takes long. Otherwise a
    /// change that breaks a rule fails at once, and alone: its transaction goes on as if nobody had asked for it.
    pub(crate) fn is_pipelined(self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Begins a transaction that writes; it ends with [`Transaction::commit`], or is rolled back when
    /// dropped. Statements of this session belong to it meanwhile.
    ///
    /// # Errors
    /// Busy if another program keeps the state locked.
    pub(crate) fn begin(self) -> Result<Transaction<'s>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.begin().map(Transaction::Sqlite),
            Self::Postgres(session) => session.transaction().map(Transaction::Postgres),
        }
    }

    /// Begins a transaction that writes for long, as [`Self::begin`] does otherwise. It keeps from nobody
    /// else the row that says whose the state is, and asks for that at its end.
    pub(crate) fn begin_long(self) -> Result<Transaction<'s>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.begin().map(Transaction::Sqlite),
            Self::Postgres(session) => Ok(Transaction::Postgres(session.long_transaction())),
        }
    }

    /// Waits for what was put, so that it is held nowhere but in the database.
    ///
    /// # Errors
    /// The first failure of it.
    pub(crate) fn flush(self) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => Ok(session.flush()?),
        }
    }

    /// Begins a transaction that sees one state of everything and changes nothing; it ends when
    /// dropped.
    pub(crate) fn snapshot(self) -> Result<Transaction<'s>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.snapshot().map(Transaction::Sqlite),
            Self::Postgres(session) => Ok(Transaction::Postgres(session.snapshot())),
        }
    }

    /// Does a part of the transaction under way. If that breaks a rule, what it wrote is undone, and the
    /// transaction goes on.
    pub(crate) fn isolated<T>(
        self,
        work: impl FnOnce() -> Result<T, SqlFailure>,
    ) -> Result<T, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.isolated(work),
            Self::Postgres(session) => session.savepoint(work),
        }
    }

    /// The number of rows that were changed since the session began.
    pub(crate) fn changes(self) -> u64 {
        match self {
            Self::Sqlite(session) => session.changes(),
            Self::Postgres(session) => session.changes(),
        }
    }
}

/// A transaction under way.
pub(crate) enum Transaction<'s> {
    Sqlite(sqlite::Transaction<'s>),
    Postgres(postgres::session::Transaction<'s>),
}

impl Transaction<'_> {
    /// Makes all of it durable.
    pub(crate) fn commit(self) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(transaction) => transaction.commit(),
            Self::Postgres(transaction) => transaction.commit(),
        }
    }
}
