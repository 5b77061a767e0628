//! Where the seam meets PostgreSQL: errors and rows of one in those of the other.
//!
//! Read next: [`super`], which is above; [`crate::postgres::session`], below.

use super::{Expect, Row, Value};
use crate::failure::SqlFailure;
use crate::postgres::error::PostgresError;
use crate::postgres::session::{self, Session};
use std::ops::ControlFlow;

/// An error of whoever reads rows.
struct Readers<E>(E);

impl<E: From<SqlFailure>> From<PostgresError> for Readers<E> {
    fn from(error: PostgresError) -> Self {
        Self(SqlFailure::from(error).into())
    }
}

/// Reads row after row, until `each` breaks off.
pub(crate) fn query<E: From<SqlFailure>>(
    session: &Session,
    sql: &str,
    values: &[Value<'_>],
    mut each: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let mut each = |row: &tokio_postgres::Row| each(&Row::Postgres(row)).map_err(Readers);
    let read = session.query(sql, values, &mut each);
    read.map_err(|Readers(error)| error)
}

impl From<Expect> for session::Expect {
    fn from(expect: Expect) -> Self {
        match expect {
            Expect::Any => Self::Any,
            Expect::One(rule) => Self::One(rule),
        }
    }
}
