//! The rows of a table, from one session to another, as they are stored.
//!
//! Read in the order of their keys, a page at a time, so that no database sorts a whole table; each row is
//! handed on as it comes. Knows what a table is and nothing of what rows mean. Read next:
//! [`crate::schema::table`].

use crate::failure::{FailureKind, SqlFailure};
use crate::row::RowError;
use crate::schema::table::{Kind, Table};
use crate::schema::tables;
use crate::sql::{Expect, Row, Session, Value};
use std::ops::ControlFlow;

/// The rows of a page.
const PAGE: usize = 1_000;

/// The bytes that are sent before those before are known to have arrived.
const SENT: u64 = 4 << 20;

/// What went wrong on the way of a row.
#[derive(Debug)]
pub(crate) enum RowFault {
    /// It could not be read.
    Read(RowError),
    /// It could not be written.
    Written(SqlFailure),
    /// It holds U+0000 where that cannot be.
    Zero { table: &'static str, key: String },
    /// Another number of rows arrived.
    Differs(&'static str),
}

impl From<SqlFailure> for RowFault {
    fn from(cause: SqlFailure) -> Self {
        Self::Read(cause.into())
    }
}

/// A part of the key of a row.
#[derive(Clone, Debug)]
enum KeyPart {
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl<'k> From<&'k KeyPart> for Value<'k> {
    fn from(part: &'k KeyPart) -> Self {
        match part {
            KeyPart::Number(number) => Self::Number(*number),
            KeyPart::Text(text) => Self::Text(text),
            KeyPart::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

/// Copies all rows, and the number of the last observation, which is in none; returns how many rows. Nothing is
/// judged. `tell` is given each table now and then, and how many of its rows are done.
pub(crate) fn copy_all(
    here: Session<'_>,
    there: Session<'_>,
    tell: &mut dyn FnMut(&'static str, u64),
) -> Result<u64, RowFault> {
    let mut rows = 0;
    for table in tables::ALL {
        rows += copy(here, there, table, &mut |done| tell(table.name, done))?;
    }
    let last = here.last_observation()?;
    let continued = there.continue_observations(last);
    continued.map_err(RowFault::Written)?;
    Ok(rows)
}

/// Copies the rows of a table, and checks that as many arrived; returns their number. `tell` is called after
/// each page.
fn copy(
    here: Session<'_>,
    there: Session<'_>,
    table: &'static Table,
    tell: &mut dyn FnMut(u64),
) -> Result<u64, RowFault> {
    let mut way = Way::new(here, there, table);
    loop {
        let page = way.page()?;
        if page > 0 {
            tell(way.rows);
        }
        if page < PAGE {
            break;
        }
    }
    let all = format!("SELECT count(*) FROM {}", quoted(table.name));
    there.flush().map_err(RowFault::Written)?;
    let sent = here.one::<i64>(&all, &[])?;
    let arrived = there.one::<i64>(&all, &[]).map_err(RowFault::Written)?;
    match (sent, arrived) == (way.rows as i64, way.rows as i64) {
        true => Ok(way.rows),
        false => Err(RowFault::Differs(table.name)),
    }
}

/// The way of a table's rows.
struct Way<'s> {
    here: Session<'s>,
    there: Session<'s>,
    table: &'static Table,
    /// The places of the columns of the key.
    key: Vec<usize>,
    first: String,
    next: String,
    insert: String,
    /// The key of the last row; none before the first.
    last: Option<Vec<KeyPart>>,
    rows: u64,
    /// The bytes that are on their way.
    sent: u64,
}

impl<'s> Way<'s> {
    fn new(here: Session<'s>, there: Session<'s>, table: &'static Table) -> Self {
        let name = quoted(table.name);
        let columns = list(table.columns.iter().map(|column| column.name));
        let key = list(table.key.iter().copied());
        let parameters = |count: usize| {
            let all: Vec<_> = (1..=count).map(|place| format!("?{place}")).collect();
            all.join(", ")
        };
        let from = format!("SELECT {columns} FROM {name}");
        let order = format!("ORDER BY {key} LIMIT {PAGE}");
        let place = |name: &&str| table.columns.iter().position(|it| it.name == *name);
        Self {
            here,
            there,
            table,
            key: table.key.iter().filter_map(place).collect(),
            first: format!("{from} {order}"),
            next: format!(
                "{from} WHERE ({key}) > ({}) {order}",
                parameters(table.key.len())
            ),
            insert: format!(
                "INSERT INTO {name} ({columns}) VALUES ({})",
                parameters(table.columns.len())
            ),
            last: None,
            rows: 0,
            sent: 0,
        }
    }

    /// Hands on a page; returns the number of its rows.
    fn page(&mut self) -> Result<usize, RowFault> {
        let (sql, last) = match self.last.take() {
            None => (self.first.clone(), Vec::new()),
            Some(last) => (self.next.clone(), last),
        };
        let values: Vec<Value<'_>> = last.iter().map(Value::from).collect();
        let mut rows = 0;
        let here = self.here;
        here.query(&sql, &values, |row| {
            rows += 1;
            self.hand_on(row)?;
            if rows == PAGE {
                self.last = Some(self.key_of(row)?);
            }
            Ok::<_, RowFault>(ControlFlow::Continue(()))
        })?;
        self.rows += rows as u64;
        Ok(rows)
    }

    fn hand_on(&mut self, row: &Row<'_>) -> Result<(), RowFault> {
        let columns = self.table.columns.iter().enumerate();
        let values = columns.map(|(place, column)| {
            if row.is_null(place)? {
                return Ok(Value::Null);
            }
            let value = match column.kind {
                Kind::Number => Value::Number(row.get(place)?),
                Kind::Text | Kind::Payload => Value::Text(row.text(place)?),
                Kind::Bytes => Value::Bytes(row.bytes(place)?),
            };
            Ok(value)
        });
        let values: Result<Vec<Value<'_>>, SqlFailure> = values.collect();
        let values = values.map_err(|cause| self.misfit(row, cause))?;
        if !self.there.holds_zeros() {
            self.check_zeros(row, &values)?;
        }
        let rule = "a row that is copied is stored";
        let put = self.there.put(&self.insert, &values, Expect::One(rule));
        put.map_err(RowFault::Written)?;
        self.sent += row.size()?;
        if self.sent > SENT {
            self.there.flush().map_err(RowFault::Written)?;
            self.sent = 0;
        }
        Ok(())
    }

    fn check_zeros(&self, row: &Row<'_>, values: &[Value<'_>]) -> Result<(), RowFault> {
        let mut columns = self.table.columns.iter().zip(values);
        let zero = columns.any(|(column, value)| match value {
            Value::Text(text) => column.kind == Kind::Text && text.contains('\0'),
            _ => false,
        });
        match zero {
            true => Err(RowFault::Zero {
                table: self.table.name,
                key: self.named(row),
            }),
            false => Ok(()),
        }
    }

    /// A value that is not of its column's type is damage to its row.
    fn misfit(&self, row: &Row<'_>, cause: SqlFailure) -> RowFault {
        RowFault::Read(match cause.kind() {
            FailureKind::Misfit => RowError::corrupt(self.table.name, self.named(row)),
            _ => cause.into(),
        })
    }

    fn key_of(&self, row: &Row<'_>) -> Result<Vec<KeyPart>, RowFault> {
        let parts = self.key.iter().map(|place| {
            Ok(match self.table.columns[*place].kind {
                Kind::Number => KeyPart::Number(row.get(*place)?),
                Kind::Text | Kind::Payload => KeyPart::Text(row.get(*place)?),
                Kind::Bytes => KeyPart::Bytes(row.get(*place)?),
            })
        });
        let parts: Result<_, SqlFailure> = parts.collect();
        parts.map_err(|cause| self.misfit(row, cause))
    }

    /// The key of a row, for people.
    fn named(&self, row: &Row<'_>) -> String {
        let part = |place: &usize| {
            let number = row.get::<i64>(*place).map(|number| number.to_string());
            number.or_else(|_| row.get::<String>(*place)).ok()
        };
        let parts: Vec<_> = self.key.iter().filter_map(part).collect();
        parts.join(" ")
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.map(quoted).collect();
    names.join(", ")
}
