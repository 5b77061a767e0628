//! Reading: the pool of connections, pages and errors.
//!
//! Readers see the last committed state without touching the writer. Every row is checked against
//! its digest on the way out. The queries: [`tasks`], [`records`] (exchanges and data), [`parties`],
//! [`chunks`], [`log`]. Read next: `row`.

pub(crate) mod chains;
pub(crate) mod chunks;
mod error;
pub(crate) mod log;
mod no_reads;
pub(crate) mod parties;
pub(crate) mod records;
pub(crate) mod tasks;

pub use error::ReadError;
pub use no_reads::NoReads;

use crate::cipher::{Keys, Tables};
use crate::failure::SqlFailure;
use crate::row::RowError;
use crate::sql::{Connection, Row, Session, Value, values};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The connections shared by readers.
pub(crate) struct Readers {
    connections: Vec<Arc<Mutex<Connection>>>,
    keys: Arc<Keys>,
    turn: AtomicUsize,
    reads: AtomicU64,
}

impl Readers {
    /// Connections of the readers' own: they never wait for the writer.
    pub(crate) fn new(connections: Vec<Connection>, keys: Arc<Keys>) -> Self {
        let connections = connections.into_iter();
        Self {
            connections: connections.map(|c| Arc::new(Mutex::new(c))).collect(),
            keys,
            turn: AtomicUsize::new(0),
            reads: AtomicU64::new(0),
        }
    }

    /// The writer's own connection, for a state in memory.
    pub(crate) fn shared(connection: Arc<Mutex<Connection>>, keys: Arc<Keys>) -> Self {
        Self {
            connections: vec![connection],
            keys,
            turn: AtomicUsize::new(0),
            reads: AtomicU64::new(0),
        }
    }

    /// Reads with an idle connection, or waits in turn for one. A read whose connection is lost is done
    /// once more, on another.
    pub(crate) fn with<T>(
        &self,
        mut read: impl FnMut(Tables<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        NoReads::check();
        self.reads.fetch_add(1, Relaxed);
        let idle = self.connections.iter().find_map(|c| c.try_lock().ok());
        let mut connection = idle.unwrap_or_else(|| {
            let turn = self.turn.fetch_add(1, Relaxed) % self.connections.len();
            // Reading leaves nothing half done that a panic elsewhere could have spoilt.
            let locked = self.connections[turn].lock();
            locked.unwrap_or_else(PoisonError::into_inner)
        });
        let mut done = || {
            connection.renewed()?;
            read(Tables {
                session: connection.session(),
                keys: &self.keys,
            })
        };
        match done() {
            Err(ReadError::Unreachable(_)) => done(),
            done => done,
        }
    }

    /// The number of reads.
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Relaxed)
    }

    /// Closes the connections, so that the writer's is the last and tidies the files up.
    pub(crate) fn close(&mut self) {
        self.connections.clear();
    }
}

/// The place of `id`, from which a page continues.
fn behind<T>(
    session: Session<'_>,
    find: &str,
    id: &str,
    place: impl FnMut(&Row<'_>) -> Result<T, SqlFailure>,
) -> Result<T, ReadError> {
    let found = session.find(find, values![id], place)?;
    found.ok_or_else(|| ReadError::Unknown { id: id.to_owned() })
}

/// All rows of a query.
fn rows<T>(
    tables: Tables<'_>,
    sql: &str,
    values: &[Value<'_>],
    read: impl Fn(&Row<'_>, &Keys) -> Result<T, RowError>,
) -> Result<Vec<T>, ReadError> {
    Ok(page(Most::ALL, tables, sql, values, read)?.rows)
}

/// The query with its named parameters (`:name`) numbered, and the values of those that it has, in the
/// order of their numbers.
fn numbered<V: Copy>(sql: &str, named: &[(&str, V)]) -> (String, Vec<V>) {
    let (mut text, mut rest) = (String::with_capacity(sql.len()), sql);
    let (mut names, mut values) = (Vec::new(), Vec::new());
    while let Some((before, behind)) = rest.split_once(':') {
        let end = behind.find(|c: char| !c.is_ascii_lowercase());
        let (name, behind) = behind.split_at(end.unwrap_or(behind.len()));
        let known = names.iter().position(|known| *known == name);
        let number = known.unwrap_or_else(|| {
            let found = named.iter().find(|(found, _)| *found == name);
            let (_, value) = found.expect("a query names no other parameters");
            names.push(name);
            values.push(*value);
            names.len() - 1
        });
        text.push_str(before);
        text.push_str(&format!("?{}", number + 1));
        rest = behind;
    }
    text.push_str(rest);
    (text, values)
}

/// The limits of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// The most rows.
    pub rows: usize,
    /// The most bytes of all rows as stored; one row is returned in any case.
    pub bytes: u64,
}

impl Most {
    const ALL: Self = Self {
        rows: usize::MAX,
        bytes: u64::MAX,
    };

    /// The limit of a query that also finds out whether more rows follow.
    fn and_one(self) -> i64 {
        i64::try_from(self.rows.saturating_add(1)).unwrap_or(i64::MAX)
    }
}

/// The first of the rows that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows, within the limits.
    pub rows: Vec<T>,
    /// True if others follow.
    pub more: bool,
}

impl<T> Default for Page<T> {
    /// An empty page.
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            more: false,
        }
    }
}

impl<T> Page<T> {
    /// The same page with its rows mapped.
    pub fn map<U>(self, make: impl FnMut(T) -> U) -> Page<U> {
        Page {
            rows: self.rows.into_iter().map(make).collect(),
            more: self.more,
        }
    }
}

/// A page of the rows of a query, which must return one row more than the limit: it ends at the
/// limit of rows or of bytes.
fn page<T>(
    most: Most,
    tables: Tables<'_>,
    sql: &str,
    values: &[Value<'_>],
    read: impl Fn(&Row<'_>, &Keys) -> Result<T, RowError>,
) -> Result<Page<T>, ReadError> {
    let (mut found, mut bytes) = (Page::default(), 0);
    tables.session.query(sql, values, |row| {
        bytes += row.size()?;
        if found.rows.len() >= most.rows || bytes > most.bytes && !found.rows.is_empty() {
            found.more = true;
            return Ok(ControlFlow::Break(()));
        }
        found.rows.push(read(row, tables.keys)?);
        Ok::<_, RowError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
