//! Between whom a record is, without what it says: whoever may not see it costs no more than where there
//! is none.
//!
//! What is then read whole is checked as ever. Read next: [`super::tasks`], [`super::records`].

use super::{ReadError, rows};
use crate::cipher::Tables;
use rusqlite::params;

/// A record that is found by its identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed<'k> {
    /// The task of this identifier.
    Task(&'k str),
    /// The exchange of this one.
    Exchange(&'k str),
    /// The data of this one.
    Data(&'k str),
}

const TASK: &str = "SELECT send_from, send_to FROM task WHERE id = ?1";
const EXCHANGE: &str = "SELECT send_from, send_to FROM exchange WHERE id = ?1";
const DATA: &str = "SELECT party_one, party_two FROM data_param WHERE id = ?1";

pub(crate) fn parties(
    tables: Tables<'_>,
    record: Keyed<'_>,
) -> Result<Option<[String; 2]>, ReadError> {
    let (sql, id) = match record {
        Keyed::Task(id) => (TASK, id),
        Keyed::Exchange(id) => (EXCHANGE, id),
        Keyed::Data(id) => (DATA, id),
    };
    let read = |row: &rusqlite::Row<'_>, _: &_| Ok([row.get(0)?, row.get(1)?]);
    Ok(rows(tables, sql, params![id], read)?.pop())
}
