//! Changes of the same table that go out as one statement.
//!
//! A row that is written by itself costs the server and us a statement; a group of commits writes hundreds. So what
//! is inserted, replaced and deleted in a transaction is gathered, and goes out table by table: first what is
//! inserted, then what is replaced, then what is deleted. A row that would be met out of this order, or twice
//! by one statement, has its table go out before; all of them go out before anything is waited for. So what is asked
//! finds them, each row is changed in the order that was given, and nothing but the order of changes to different rows
//! is another; no table refers to another. Read next: [`super::many`], the statements; [`super`].

use super::many::{self, Change, Many};
use super::{Expect, Session, Stage};
use crate::postgres::error::PostgresError;
use crate::postgres::value::{Owned, Parameter};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_postgres::Statement;

/// The most rows that are gathered: while the server writes some, the next are made ready.
const ROWS_MAX: usize = 512;

/// The most bytes that are gathered.
const BYTES_MAX: usize = 1 << 20;

/// What was gathered, and how it goes out.
#[derive(Default)]
pub(super) struct Gathered {
    waiting: RefCell<Waiting>,
    /// By the text that changes one row: what changes many; none if there is no such text.
    many: RefCell<HashMap<String, Option<Arc<Prepared>>>>,
}

/// A statement that changes many rows.
struct Prepared {
    many: Many,
    statement: Statement,
}

#[derive(Default)]
struct Waiting {
    /// In the order in which they were first meant.
    tables: Vec<Table>,
    rows: usize,
    bytes: usize,
}

/// What was gathered for one table.
#[derive(Default)]
struct Table {
    name: String,
    /// In the order in which they go out.
    changes: [Vec<Rows>; 3],
    /// The columns by which rows are replaced and deleted; none before one is.
    key: Vec<String>,
    /// By the values of these: what is to become of the row last.
    last: HashMap<Vec<u8>, Change>,
}

/// Rows that the same text changes.
struct Rows {
    prepared: Arc<Prepared>,
    expect: Expect,
    rows: Vec<Owned>,
}

impl Gathered {
    /// Forgets what was gathered.
    pub(super) fn clear(&self) {
        *self.waiting.borrow_mut() = Waiting::default();
    }
}

impl Waiting {
    /// Where what changes this table is gathered.
    fn of(&mut self, name: &str) -> &mut Table {
        let known = self.tables.iter().position(|table| table.name == name);
        let place = known.unwrap_or_else(|| {
            self.tables.push(Table {
                name: name.to_owned(),
                ..Table::default()
            });
            self.tables.len() - 1
        });
        &mut self.tables[place]
    }

    /// Takes out what was gathered for this table.
    fn take(&mut self, name: &str) -> Option<Table> {
        let place = self.tables.iter().position(|table| table.name == name)?;
        let due = self.tables.remove(place);
        for row in due.changes.iter().flatten().flat_map(|rows| &rows.rows) {
            self.rows -= 1;
            self.bytes -= row.len();
        }
        Some(due)
    }
}

impl Table {
    /// Notes that a row is meant; false if what was gathered must go out before, so that it is changed in its turn.
    fn notes(&mut self, many: &Many, row: &Owned) -> bool {
        if self.key.is_empty() {
            let Some(key) = &many.key else {
                // Until something is replaced or deleted, rows go in as they come.
                return true;
            };
            self.key = key.clone();
            if !self.notes_inserted() {
                return false;
            }
        }
        let is_other = many.key.as_ref().is_some_and(|key| *key != self.key);
        let Some(places) = many.places(&self.key).filter(|_| !is_other) else {
            return false;
        };
        let last = self.last.insert(row.key(&places), many.change);
        last.is_none_or(|last| last < many.change)
    }

    /// Notes the rows that are to be inserted; false if their statements do not say the key.
    fn notes_inserted(&mut self) -> bool {
        let Self {
            changes, key, last, ..
        } = self;
        changes.iter().flatten().all(|Rows { prepared, rows, .. }| {
            let Some(places) = prepared.many.places(key) else {
                return false;
            };
            let keys = rows.iter().map(|row| row.key(&places));
            last.extend(keys.map(|key| (key, prepared.many.change)));
            true
        })
    }

    fn add(&mut self, prepared: Arc<Prepared>, expect: Expect, row: Owned) {
        let all = &mut self.changes[prepared.many.change as usize];
        let same =
            |rows: &&mut Rows| rows.expect == expect && Arc::ptr_eq(&rows.prepared, &prepared);
        match all.iter_mut().find(same) {
            Some(rows) => rows.rows.push(row),
            None => all.push(Rows {
                prepared,
                expect,
                rows: vec![row],
            }),
        }
    }
}

impl Session {
    /// Gathers the change of a row, if that is what this is; gives the values back if it is another.
    pub(super) fn gather(
        &self,
        sql: &str,
        row: Owned,
        expect: Expect,
    ) -> Result<Option<Owned>, PostgresError> {
        if self.stage.get() == Stage::Outside {
            return Ok(Some(row));
        }
        let Some(prepared) = self.many(sql)?.filter(|it| it.many.takes(expect)) else {
            return Ok(Some(row));
        };
        let table = &prepared.many.table;
        let is_in_turn = {
            let mut waiting = self.gathered.waiting.borrow_mut();
            waiting.of(table).notes(&prepared.many, &row)
        };
        if !is_in_turn {
            self.send_gathered_of(table);
        }
        let is_full = {
            let mut waiting = self.gathered.waiting.borrow_mut();
            waiting.rows += 1;
            waiting.bytes += row.len();
            let of = waiting.of(table);
            if !is_in_turn {
                of.notes(&prepared.many, &row);
            }
            of.add(Arc::clone(&prepared), expect, row);
            waiting.rows >= ROWS_MAX || waiting.bytes >= BYTES_MAX
        };
        if is_full {
            self.send_gathered();
        }
        Ok(None)
    }

    /// Sends what was gathered.
    pub(super) fn send_gathered(&self) {
        let waiting = std::mem::take(&mut *self.gathered.waiting.borrow_mut());
        let tables = waiting.tables.into_iter();
        tables.for_each(|table| self.send_table(table));
    }

    /// Sends what was gathered for the table that this text changes; all, if the text reads another as well.
    pub(super) fn send_gathered_before(&self, sql: &str) {
        match many::changed_alone(sql) {
            Some(table) => self.send_gathered_of(table),
            None => self.send_gathered(),
        }
    }

    fn send_gathered_of(&self, table: &str) {
        let due = self.gathered.waiting.borrow_mut().take(table);
        if let Some(due) = due {
            self.send_table(due);
        }
    }

    fn send_table(&self, table: Table) {
        let all = table.changes.into_iter().flatten();
        all.for_each(|rows| self.send_rows(rows));
    }

    fn send_rows(&self, sent: Rows) {
        let Rows {
            prepared,
            expect,
            rows,
        } = sent;
        self.streams.settle(self);
        let client = Arc::clone(&self.line.client);
        let expect = match expect {
            Expect::One(rule) => Expect::Each(rows.len() as u64, rule),
            other => other,
        };
        let answer = async move {
            let rows: Vec<_> = rows.iter().map(Owned::values).collect();
            let column = |at: usize| -> Vec<Parameter<'_>> {
                rows.iter().map(|row| Parameter(row[at])).collect()
            };
            let columns: Vec<_> = (0..prepared.statement.params().len()).map(column).collect();
            client.execute_raw(&prepared.statement, columns).await
        };
        self.held(|| self.sent(Box::pin(answer), expect));
    }

    /// The statement that changes many rows, where this text changes one.
    fn many(&self, sql: &str) -> Result<Option<Arc<Prepared>>, PostgresError> {
        if let Some(known) = self.gathered.many.borrow().get(sql) {
            return Ok(known.clone());
        }
        let prepared = match Many::of(sql, self.ready(sql)?.params()) {
            Some(many) => {
                let statement = self.prepared(&many.text)?;
                Some(Arc::new(Prepared { many, statement }))
            }
            None => None,
        };
        let mut all = self.gathered.many.borrow_mut();
        all.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }
}
