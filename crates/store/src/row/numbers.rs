//! The numbers of rows, which the writer gives.
//!
//! Each table has its own. They place rows in the order in which they were first stored, and stand in
//! the sums of rows. Read next: [`super::task`].

use super::standing::RowPlace;
use crate::failure::SqlFailure;
use crate::sql::Session;

/// The place of a row that is written over one that is there, and stays where that is.
pub(crate) const THERE: RowPlace = RowPlace::zero(0);

/// The last number given in each table. While the state is open no number is given twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) task: i64,
    pub(crate) exchange: i64,
    pub(crate) data: i64,
    pub(crate) data_chunk: i64,
    pub(crate) negotiation: i64,
    pub(crate) team: i64,
    pub(crate) document: i64,
    pub(crate) push_config: i64,
    pub(crate) observation: i64,
}

impl Numbers {
    /// The last numbers of a stored state.
    pub(crate) fn read(session: Session<'_>) -> Result<Self, SqlFailure> {
        let last = |table: &str, column: &str| -> Result<i64, SqlFailure> {
            let sql = format!("SELECT coalesce(max({column}), 0) FROM {table}");
            session.one(&sql, &[])
        };
        Ok(Self {
            task: last("task", "number")?,
            exchange: last("exchange", "number")?,
            // Pieces whose data are gone never become those of others.
            data: last("data_param", "number")?.max(last("data_chunk", "data")?),
            data_chunk: last("data_chunk", "number")?,
            negotiation: last("negotiation", "number")?,
            team: last("team", "number")?,
            document: last("document", "number")?,
            push_config: last("push_config", "number")?,
            observation: session.last_observation()?,
        })
    }
}
