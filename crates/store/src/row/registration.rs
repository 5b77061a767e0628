//! Rows of `registration`.
//!
//! Read next: [`super::team`].

use super::form::{registration_from_json, registration_to_json};
use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use domain::registry::Registration;
use rusqlite::{Connection, Row, params};

pub(crate) const TABLE: &str = "registration";

/// All registrations, by name.
pub(crate) const ALL: &str = "SELECT name, place, digest FROM registration ORDER BY name";

const WRITE: &str = "INSERT OR REPLACE INTO registration (name, place, digest) VALUES (?1, ?2, ?3)";

/// Writes the registration, in place of the one of its agent if there is one.
pub(crate) fn write(connection: &Connection, registration: &Registration) -> rusqlite::Result<()> {
    let (name, place) = (
        &registration.profile.name,
        registration_to_json(registration),
    );
    let mut statement = connection.prepare_cached(WRITE)?;
    statement.execute(params![name, place, digest(name, &place)])?;
    Ok(())
}

/// Removes the registration of an agent, if there is one.
pub(crate) fn remove(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("DELETE FROM registration WHERE name = ?1")?;
    statement.execute([name])?;
    Ok(())
}

fn digest(name: &str, place: &str) -> Sum {
    RowDigest::of(TABLE).text(name).text(place).sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>) -> Result<Registration, RowError> {
    let name: String = column(row, 0, TABLE, "")?;
    let place: String = column(row, 1, TABLE, &name)?;
    let stored: Vec<u8> = column(row, 2, TABLE, &name)?;
    check(&stored, &digest(&name, &place), TABLE, &name)?;
    registration_from_json(&place).ok_or_else(|| RowError::corrupt(TABLE, &name))
}
