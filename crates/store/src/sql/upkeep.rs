//! What a database is asked beside statements, and what it leaves out.
//!
//! Read next: [`super`].

use super::Session;
use crate::failure::SqlFailure;
use crate::postgres::schema;
use crate::sqlite::upkeep as sqlite;

impl Session<'_> {
    /// Overwrites what is deleted or replaced from now on, or no longer.
    pub(crate) fn overwrite(self, on: bool) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(session) => session.overwrite(on),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Drops what was replaced from where it is kept beside the tables, as far as nobody reads it.
    pub(crate) fn sweep(self) {
        match self {
            Self::Sqlite(session) => session.sweep(),
            Self::Postgres(_) => {}
        }
    }

    /// Writes everything anew, without free space.
    pub(crate) fn compact(self) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(session) => session.compact(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// The bytes in use; none if the database does not tell.
    pub(crate) fn used_bytes(self) -> Result<Option<u64>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.used_bytes().map(Some),
            Self::Postgres(_) => Ok(None),
        }
    }

    /// The last number given to an observation, 0 before the first; no code covers it.
    pub(crate) fn last_observation(self) -> Result<i64, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.last_observation(),
            Self::Postgres(session) => schema::last_observation(session),
        }
    }

    /// Notes the last number given to an observation, where the database does not do that by itself.
    pub(crate) fn note_observation(self, number: i64) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => schema::note_observation(session, number),
        }
    }

    /// Gives observations numbers behind this one from now on, whatever rows there are.
    pub(crate) fn continue_observations(self, number: i64) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(session) => session.continue_observations(number),
            Self::Postgres(session) => schema::note_observation(session, number),
        }
    }

    /// Has the database take note of how much is stored where, if it finds rows by that.
    pub(crate) fn take_stock(self) -> Result<(), SqlFailure> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => schema::take_stock(session),
        }
    }

    /// True if a text that is searched by may hold U+0000.
    pub(crate) fn holds_zeros(self) -> bool {
        matches!(self, Self::Sqlite(_))
    }

    /// A task of a release before encryption, whose data entry stands in its conditions alone; none if
    /// there is none.
    pub(crate) fn ungiven(self) -> Result<Option<String>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.ungiven(),
            Self::Postgres(_) => Ok(None),
        }
    }

    /// The fault of the database's own structure, if one is found at a glance.
    pub(crate) fn quick_fault(self) -> Result<Option<String>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.quick_fault(),
            Self::Postgres(_) => Ok(None),
        }
    }

    /// The fault of the indexes of a table, if there is one.
    pub(crate) fn fault_of(self, table: &str) -> Result<Option<String>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.fault_of(table),
            Self::Postgres(_) => Ok(None),
        }
    }

    /// The faults of the database's own structure.
    pub(crate) fn faults(self) -> Result<Vec<String>, SqlFailure> {
        match self {
            Self::Sqlite(session) => session.faults(),
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// The expression for the data entry that the conditions of a task name.
    pub(crate) fn given(self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::GIVEN,
            Self::Postgres(_) => "given",
        }
    }
}
