//! Rows for the same table that go out as one statement.
//!
//! A row that is inserted by itself costs the server and us a statement; a group of commits inserts hundreds. So
//! insertions of a transaction are gathered, and inserted table by table: before a change of another kind to the same
//! table, and all of them before anything is waited for. So what is asked finds them, and nothing but the order of
//! changes to different tables is not as it was given; no table refers to another. Read next: [`super`].

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
    pub(super) fn gather(
        &self,
        sql: &str,
        row: Owned,
        expect: Expect,
    ) -> Result<Option<Owned>, PostgresError> {
        if self.stage.get() == Stage::Outside {
            return Ok(Some(row));
        }
        // A row that may be met and left alone counts for nothing among others.
        let Some(many) = self
            .many(sql)?
            .filter(|_| expect == Expect::Any || is_plain(sql))
        else {
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
        waiting
            .tables
            .into_iter()
            .for_each(|rows| self.insert(rows));
    }

    /// Sends what was gathered for the table that this text changes; all, if the text reads another as well.
    pub(super) fn insert_gathered_before(&self, sql: &str) {
        let Some(table) = changed_alone(sql) else {
            return self.insert_gathered();
        };
        let due = {
            let mut waiting = self.gathered.waiting.borrow_mut();
            let is_due = |rows: &mut Rows| changed_alone(&rows.sql) == Some(table);
            let due: Vec<_> = waiting.tables.extract_if(.., is_due).collect();
            for row in due.iter().flat_map(|rows| &rows.rows) {
                waiting.rows -= 1;
                waiting.bytes -= row.len();
            }
            due
        };
        due.into_iter().for_each(|rows| self.insert(rows));
    }

    fn insert(&self, Rows { many, rows, .. }: Rows) {
        self.streams.settle(self);
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
/// values are parameters, in order, and none follows them.
fn inserting_many(sql: &str, types: &[Type]) -> Option<String> {
    let (into, rest) = sql.split_once("VALUES (")?;
    let (values, conflict) = rest.split_once(')')?;
    let in_order = |(at, value): (usize, &str)| value.trim() == format!("?{}", at + 1);
    let is_one = into.starts_with("INSERT INTO ")
        && values.split(',').count() == types.len()
        && values.split(',').enumerate().all(in_order)
        && (conflict.is_empty() || conflict.trim_start().starts_with("ON CONFLICT"))
        && !["?", "RETURNING"].iter().any(|it| conflict.contains(it));
    if !is_one {
        return None;
    }
    let lists = types.iter().enumerate().map(|(at, kind)| list(at, kind));
    let lists: Vec<_> = lists.collect::<Option<_>>()?;
    let lists = lists.join(", ");
    Some(format!("{into}SELECT * FROM unnest({lists}){conflict}"))
}

/// True if a row that stands in the way of this insertion breaks a rule.
fn is_plain(sql: &str) -> bool {
    !sql.contains("ON CONFLICT")
}

/// The table that a text changes, if it names no other.
fn changed_alone(sql: &str) -> Option<&str> {
    let kinds = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
    let rest = kinds.iter().find_map(|kind| sql.strip_prefix(kind))?;
    let others = ["SELECT", "JOIN", "USING", "FROM"];
    let table = rest.split([' ', '(', '\n']).next()?.trim_matches('"');
    (!others.iter().any(|other| rest.contains(other))).then_some(table)
}

/// The parameter at this place, counted from 0, as a list of values of a type; none for a type that no column of ours has.
pub(super) fn list(at: usize, kind: &Type) -> Option<String> {
    let kind = match *kind {
        Type::INT8 => "bigint",
        Type::INT4 => "integer",
        Type::INT2 => "smallint",
        Type::BOOL => "boolean",
        Type::TEXT => "text",
        Type::BYTEA => "bytea",
        _ => return None,
    };
    Some(format!("CAST(?{} AS {kind}[])", at + 1))
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
    fn what_becomes_of_a_row_in_the_way_is_said_of_many_as_of_one() {
        let one = "INSERT INTO head (shard, chain) VALUES (?1, ?2)
            ON CONFLICT (shard) DO UPDATE SET chain = excluded.chain";
        let many = inserting_many(one, &[Type::INT8, Type::BYTEA]);
        let wanted = "INSERT INTO head (shard, chain) \
            SELECT * FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bytea[]))
            ON CONFLICT (shard) DO UPDATE SET chain = excluded.chain";
        assert_eq!(many.unwrap(), wanted);
        assert!(!is_plain(one));
    }

    #[test]
    fn a_text_that_changes_one_table_tells_which() {
        for one in [
            "INSERT INTO log (body) VALUES (?1)",
            "UPDATE log SET body = ?1",
            "DELETE FROM log WHERE body = ?1",
        ] {
            assert_eq!(changed_alone(one), Some("log"));
        }
        for other in [
            "DELETE FROM log WHERE body = (SELECT body FROM checkpoint)",
            "UPDATE log SET body = other.body FROM other",
            "SELECT body FROM log",
        ] {
            assert_eq!(changed_alone(other), None);
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        for other in [
            "UPDATE log SET body = ?1",
            "INSERT INTO log (sequence, body) VALUES (?2, ?1)",
            "INSERT INTO log (sequence, body) VALUES (?1, 7)",
            "INSERT INTO log (sequence, body) VALUES (?1, ?2) ON CONFLICT (sequence) DO UPDATE SET body = ?2",
            "INSERT INTO log (sequence, body) VALUES (?1, ?2) RETURNING (body)",
        ] {
            assert_eq!(inserting_many(other, &[Type::INT8, Type::BYTEA]), None);
        }
        let unknown = inserting_many("INSERT INTO log (body) VALUES (?1)", &[Type::JSONB]);
        assert_eq!(unknown, None);
    }
}
