//! The versions of a state, which each database counts alike.
//!
//! A change of the tables is a version: a migration in SQLite, one in PostgreSQL, and what is said in
//! [`super::tables`]. Read next: [`crate::sqlite::schema`], [`crate::postgres::schema`].

use crate::open::OpenError;

/// The version that this release makes. Each database checks that its migrations lead to it.
pub(crate) const NEWEST: i32 = 9;

/// The version from which rows are bound to the head if there is a key.
pub(crate) const BOUND: i32 = 6;

/// The version from which there are shards.
pub(crate) const SHARDED: i32 = 9;

/// Refuses a version that this release does not know, or that is before the `oldest` that it carries over; 0 is
/// that of no state yet.
pub(crate) fn check(found: i32, oldest: i32) -> Result<(), OpenError> {
    let known = NEWEST;
    match found {
        0 => Ok(()),
        found if found > known => Err(OpenError::Newer { found, known }),
        found if found < oldest => Err(OpenError::Older { found, oldest }),
        _ => Ok(()),
    }
}
