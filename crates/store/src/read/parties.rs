//! The parties of a record, without its contents: a refused reader costs no more than a missing
//! record.
//!
//! The row itself is checked when it is read as a whole. Read next: [`super::tasks`],
//! [`super::records`].

use super::{ReadError, rows};
use crate::cipher::Tables;
use crate::sql::{Row, values};

/// A record named by its identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed<'k> {
    /// The task of this identifier.
    Task(&'k str),
    /// The exchange of this identifier.
    Exchange(&'k str),
    /// The data of this identifier.
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
    let read = |row: &Row<'_>, _: &_| Ok([row.get(0)?, row.get(1)?]);
    Ok(rows(tables, sql, values![id], read)?.pop())
}
