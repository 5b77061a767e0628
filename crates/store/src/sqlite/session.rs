//! Statements on a connection to SQLite, which keeps them prepared.
//!
//! Read next: [`crate::sql`], which is above.

use crate::failure::{FailureKind, SqlFailure};
use crate::sql::row::Row;
use crate::sql::value::Value;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, TransactionBehavior, params_from_iter};
use std::ops::ControlFlow;

/// A connection.
#[derive(Clone, Copy)]
pub(crate) struct Session<'s>(pub(crate) &'s Connection);

/// A transaction under way; rolled back when dropped.
pub(crate) struct Transaction<'s>(rusqlite::Transaction<'s>);

impl<'s> Session<'s> {
    pub(crate) fn query<E: From<SqlFailure>>(
        self,
        sql: &str,
        values: &[Value<'_>],
        mut each: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut statement = self.0.prepare_cached(sql).map_err(SqlFailure::from)?;
        let rows = statement.query(params_from_iter(values));
        let mut rows = rows.map_err(SqlFailure::from)?;
        while let Some(row) = rows.next().map_err(SqlFailure::from)? {
            if each(&Row::Sqlite(row))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn change(self, sql: &str, values: &[Value<'_>]) -> Result<u64, SqlFailure> {
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.execute(params_from_iter(values))? as u64)
    }

    pub(crate) fn begin(self) -> Result<Transaction<'s>, SqlFailure> {
        let behavior = TransactionBehavior::Immediate;
        let begun = rusqlite::Transaction::new_unchecked(self.0, behavior)?;
        Ok(Transaction(begun))
    }

    pub(crate) fn snapshot(self) -> Result<Transaction<'s>, SqlFailure> {
        Ok(Transaction(self.0.unchecked_transaction()?))
    }

    pub(crate) fn isolated<T>(
        self,
        work: impl FnOnce() -> Result<T, SqlFailure>,
    ) -> Result<T, SqlFailure> {
        self.0.execute_batch("SAVEPOINT part")?;
        let done = work();
        let end = match &done {
            Err(cause) if cause.kind() == FailureKind::Rule => "ROLLBACK TO part; RELEASE part",
            _ => "RELEASE part",
        };
        self.0.execute_batch(end)?;
        done
    }

    pub(crate) fn changes(self) -> u64 {
        self.0.total_changes()
    }
}

impl Transaction<'_> {
    pub(crate) fn commit(self) -> Result<(), SqlFailure> {
        Ok(self.0.commit()?)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
