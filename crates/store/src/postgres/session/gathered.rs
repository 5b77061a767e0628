//! Rows for the same table that go out as one statement.
//!
//! A row that is inserted by itself costs the server and us a statement; a group of commits inserts hundreds. So
//! insertions of a transaction are gathered, and inserted table by table before anything else is said: before a
//! statement of any other kind, and before anything is waited for. Nothing but the order of insertions among
//! themselves is not as it was given. Read next: [`super`].

use super::{Expect, Session, Stage};
use crate::postgres::error::PostgresError;
use crate::postgres::value::{Owned, Parameter};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_postgres::Statement;
use tokio_postgres::types::Type;

/// The most rows that are gathered: while the server inserts some, the next are made ready.
const ROWS_MAX: usize = 512;

/// The most bytes that are gathered.
const BYTES_MAX: usize = 1 << 20;

/// What was gathered, and how it is inserted.
#[derive(Default)]
pub(super) struct Gathered {
    waiting: RefCell<Waiting>,
    /// By the text that inserts one row: the statement that inserts many; none if it is no such text.
    many: RefCell<HashMap<String, Option<Statement>>>,
}

#[derive(Default)]
struct Waiting {
    /// In the order in which the tables were first meant.
    tables: Vec<Rows>,
    rows: usize,
    bytes: usize,
}

/// Rows that the same text inserts.
struct Rows {
    sql: String,
    many: Statement,
    rows: Vec<Owned>,
}

impl Gathered {
    /// Forgets what was gathered.
    pub(super) fn clear(&self) {
        *self.waiting.borrow_mut() = Waiting::default();
    }
}

impl Session {
    /// Gathers a row, if that is what this change is; gives the values back if it is another.
    pub(super) fn gather(&self, sql: &str, row: Owned) -> Result<Option<Owned>, PostgresError> {
        if self.stage.get() == Stage::Outside {
            return Ok(Some(row));
        }
        let Some(many) = self.many(sql)? else {
            return Ok(Some(row));
        };
        let is_full = {
            let mut waiting = self.gathered.waiting.borrow_mut();
            waiting.rows += 1;
            waiting.bytes += row.len();
            let is_full = waiting.rows >= ROWS_MAX || waiting.bytes >= BYTES_MAX;
            match waiting.tables.iter_mut().find(|table| table.sql == sql) {
                Some(table) => table.rows.push(row),
                None => waiting.tables.push(Rows {
                    sql: sql.to_owned(),
                    many,
                    rows: vec![row],
                }),
            }
            is_full
        };
        if is_full {
            self.insert_gathered();
        }
        Ok(None)
    }

    /// Sends what was gathered.
    pub(super) fn insert_gathered(&self) {
        let waiting = std::mem::take(&mut *self.gathered.waiting.borrow_mut());
        if !waiting.tables.is_empty() {
            self.streams.settle(self);
        }
        for Rows { many, rows, .. } in waiting.tables {
            let client = Arc::clone(&self.line.client);
            let answer = async move {
                let rows: Vec<_> = rows.iter().map(Owned::values).collect();
                let column = |at: usize| -> Vec<Parameter<'_>> {
                    rows.iter().map(|row| Parameter(row[at])).collect()
                };
                let columns: Vec<_> = (0..many.params().len()).map(column).collect();
                client.execute_raw(&many, columns).await
            };
            self.held(|| self.sent(Box::pin(answer), Expect::Any));
        }
    }

    /// The statement that inserts many rows, where this text inserts one.
    fn many(&self, sql: &str) -> Result<Option<Statement>, PostgresError> {
        if let Some(known) = self.gathered.many.borrow().get(sql) {
            return Ok(known.clone());
        }
        let many = match inserting_many(sql, self.ready(sql)?.params()) {
            Some(many) => Some(self.prepared(&many)?),
            None => None,
        };
        let mut all = self.gathered.many.borrow_mut();
        all.insert(sql.to_owned(), many.clone());
        Ok(many)
    }
}

/// The text that inserts many rows of columns of these types, a list for each, where `sql` inserts one: all of its
/// values are parameters, in order, and nothing follows them.
fn inserting_many(sql: &str, types: &[Type]) -> Option<String> {
    let (into, values) = sql.split_once("VALUES (")?;
    let values = values.trim_end().strip_suffix(')')?;
    let in_order = |(at, value): (usize, &str)| value.trim() == format!("?{}", at + 1);
    let is_one = into.starts_with("INSERT INTO ")
        && values.split(',').count() == types.len()
        && values.split(',').enumerate().all(in_order);
    if !is_one {
        return None;
    }
    let mut lists = Vec::new();
    for (at, kind) in types.iter().enumerate() {
        let kind = match *kind {
            Type::INT8 => "bigint",
            Type::INT4 => "integer",
            Type::INT2 => "smallint",
            Type::BOOL => "boolean",
            Type::TEXT => "text",
            Type::BYTEA => "bytea",
            _ => return None,
        };
        lists.push(format!("CAST(?{} AS {kind}[])", at + 1));
    }
    Some(format!("{into}SELECT * FROM unnest({})", lists.join(", ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_inserts_one_row_becomes_one_that_inserts_many() {
        let one = "INSERT INTO log (sequence,\n body) VALUES (?1,\n ?2)";
        let many = inserting_many(one, &[Type::INT8, Type::BYTEA]);
        let wanted = "INSERT INTO log (sequence,\n body) \
            SELECT * FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bytea[]))";
        assert_eq!(many.unwrap(), wanted);
    }

    #[test]
    fn other_texts_are_left_alone() {
        for other in [
            "UPDATE log SET body = ?1",
            "INSERT INTO log (sequence, body) VALUES (?2, ?1)",
            "INSERT INTO log (sequence, body) VALUES (?1, 7)",
            "INSERT INTO log (sequence, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            "INSERT INTO log (sequence, body) VALUES (?1, ?2) RETURNING (body)",
        ] {
            assert_eq!(inserting_many(other, &[Type::INT8, Type::BYTEA]), None);
        }
        let unknown = inserting_many("INSERT INTO log (body) VALUES (?1)", &[Type::JSONB]);
        assert_eq!(unknown, None);
    }
}
