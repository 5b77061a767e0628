//! Rows of `registration`.
//!
//! Read next: [`super::team`].

use super::json::{from_json, to_json};
use super::{RowError, check, column, standing};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sql::{Expect, Row, Session, values};
use domain::registry::Registration;

pub(crate) const TABLE: &str = "registration";

/// All registrations, by name.
pub(crate) const ALL: &str = "SELECT name, place, digest FROM registration ORDER BY name";

const WRITE: &str = "INSERT INTO registration (name, place, digest) VALUES (?1, ?2, ?3)
    ON CONFLICT (name) DO UPDATE SET place = ?2, digest = ?3";

const STANDING: &str = "SELECT 0, digest FROM registration WHERE name = ?1";

/// Writes the registration, in place of the one of its agent if there is one.
pub(crate) fn write(
    session: Session<'_>,
    registration: &Registration,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let (name, place) = (&registration.profile.name, to_json(registration));
    let old = standing(session, STANDING, values![name])?;
    let sum = digest(name, &place);
    session.put(WRITE, values![name, &place, &sum], Expect::Any)?;
    encryptor.replaced(old.as_ref(), Set::Registration, 0, &sum);
    Ok(())
}

/// Removes the registration of an agent, if there is one.
pub(crate) fn remove(
    session: Session<'_>,
    name: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM registration WHERE name = ?1 RETURNING 0, digest";
    encryptor.delete(session, Set::Registration, sql, values![name])?;
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
    from_json(&place).ok_or_else(|| RowError::corrupt(TABLE, &name))
}
