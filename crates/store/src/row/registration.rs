//! Rows of `registration`.
//!
//! Read next: [`super::team`].

use super::json::{from_json, to_json};
use super::replaceable::Replaceable;
use super::standing::{AS_KNOWN, RowPlace, Standing, standing};
use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, values};
use domain::registry::Registration;

pub(crate) const TABLE: &str = "registration";

/// All registrations, by name.
pub(crate) const ALL: &str = "SELECT name, place, digest FROM registration ORDER BY name";

const WRITE: &str = "INSERT INTO registration (name, place, digest) VALUES (?1, ?2, ?3)
    ON CONFLICT (name) DO UPDATE SET place = ?2, digest = ?3 WHERE registration.digest = ?4";

const STANDING: &str = "SELECT 0, digest, 0 FROM registration WHERE name = ?1";

/// A registration that is ready to be written.
pub(crate) struct Prepared {
    place: String,
    sum: Sum,
}

impl Replaceable for Registration {
    type Prepared = Prepared;

    fn prepare(&self, _: &RowKeys) -> Prepared {
        let place = to_json(self);
        let sum = digest(&self.profile.name, &place);
        Prepared { place, sum }
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        standing(
            session,
            Set::Registration,
            STANDING,
            values![&self.profile.name],
        )
    }

    fn write(
        &self,
        Prepared { place, sum }: &Prepared,
        session: Session<'_>,
        old: Option<&Standing>,
        at: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let digest = old.map(|old| &old.digest);
        let values = values![&self.profile.name, place, sum, digest];
        session.put(WRITE, values, AS_KNOWN)?;
        Ok(encryptor.replaced(old, Set::Registration, at, sum, sum.to_vec()))
    }
}

/// Removes the registration of an agent, if there is one.
pub(crate) fn remove(
    session: Session<'_>,
    name: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM registration WHERE name = ?1 RETURNING 0, digest, 0";
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
