//! Reading data that were written in pieces, a bounded part at a time.
//!
//! Read next: `row::data_chunk`.

use super::{ReadError, behind, rows};
use crate::cipher::{Keys, Tables};
use crate::row::{RowError, data_chunk, data_param};
use crate::sql::{Row, values};
use domain::context::{Body, DataParam};
use std::ops::ControlFlow;

/// The place of a stored piece of data; its bytes are read separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The offset, in bytes.
    pub offset: u64,
    /// The length, in bytes.
    pub length: u64,
}

/// The number and the row of data that must exist.
fn find(tables: Tables<'_>, id: &str) -> Result<(i64, DataParam), ReadError> {
    let sql = "SELECT number FROM data_param WHERE id = ?1";
    let number = behind(tables.session, sql, id, |row| row.get(0))?;
    let data = super::records::data_param(tables, id)?;
    let data = data.ok_or_else(|| RowError::corrupt(data_param::TABLE, id))?;
    Ok((number, data))
}

pub(crate) fn map(tables: Tables<'_>, id: &str) -> Result<Vec<Piece>, ReadError> {
    let _snapshot = tables.session.snapshot()?;
    let (number, _) = find(tables, id)?;
    let piece = |row: &Row<'_>, _: &Keys| -> Result<Piece, RowError> {
        let (offset, length): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(Piece {
            offset: offset as u64,
            length: length as u64,
        })
    };
    rows(tables, data_chunk::MAP, values![number], piece)
}

pub(crate) fn chunk(
    tables: Tables<'_>,
    id: &str,
    offset: u64,
) -> Result<Option<Vec<u8>>, ReadError> {
    let _snapshot = tables.session.snapshot()?;
    let (number, _) = find(tables, id)?;
    Ok(data_chunk::stored(tables, number, offset)?)
}

pub(crate) fn data(
    tables: Tables<'_>,
    id: &str,
    offset: u64,
    length: usize,
) -> Result<Vec<u8>, ReadError> {
    let _snapshot = tables.session.snapshot()?;
    let (number, data) = find(tables, id)?;
    match data.body {
        Body::Inline(text) => Ok(part(text.as_bytes(), offset, length).to_vec()),
        Body::Elsewhere(_) => Ok(Vec::new()),
        Body::Chunked(_) => pieces(tables, number, offset, length),
    }
}

/// At most `length` bytes from `offset` on.
fn part(bytes: &[u8], offset: u64, length: usize) -> &[u8] {
    let from = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
    &bytes[from..from.saturating_add(length).min(bytes.len())]
}

/// Joins pieces up to the first gap.
fn pieces(
    tables: Tables<'_>,
    number: i64,
    offset: u64,
    length: usize,
) -> Result<Vec<u8>, ReadError> {
    let end = offset.saturating_add(length as u64).min(i64::MAX as u64);
    let mut joined = Vec::new();
    let within = values![number, offset as i64, end as i64];
    tables.session.query(data_chunk::WITHIN, within, |row| {
        let (begins, bytes) = data_chunk::read(row, tables.keys)?;
        let next = offset + joined.len() as u64;
        let Some(skipped) = next.checked_sub(begins) else {
            return Ok(ControlFlow::Break(()));
        };
        let wanted = length - joined.len();
        joined.extend_from_slice(part(&bytes, skipped, wanted));
        Ok::<_, RowError>(ControlFlow::Continue(()))
    })?;
    Ok(joined)
}
