//! Rows that are replaced by others of their key, and how all of them are written.
//!
//! Read next: [`super::standing`]; [`super::task`], one of them.

use super::standing::{Name, RowPlace, Standing};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::sql::Session;
use domain::task::TaskId;

/// A value in a row of a table, which is replaced by another of its key.
pub(crate) trait Replaceable {
    /// Its row, as far as it depends on nothing that is known only within a transaction.
    type Prepared;

    /// True if hardly any is written in the place of another: then it is looked up only where writing it as
    /// a new one fails.
    const MOSTLY_NEW: bool = false;

    /// Makes the row ready.
    fn prepare(&self, keys: &RowKeys) -> Self::Prepared;

    /// The task that it is about, if there is one.
    fn task(&self) -> Option<&TaskId> {
        None
    }

    /// True if it says by itself that nothing stands under its key. Where that is wrong, writing it fails, and
    /// it is looked up before it is written again.
    fn is_new(&self) -> bool {
        false
    }

    /// True if it says by itself that hardly anything will follow it.
    fn is_final(&self) -> bool {
        false
    }

    /// By what name its row is known to whoever wrote it lately; none if it is looked up whenever it is
    /// written.
    fn name(&self) -> Option<Name> {
        None
    }

    /// The row of its key, if there is one.
    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure>;

    /// Writes the row over `old`, whose place this is then, or as a new one in this place; returns what stands now. A row whose key is a text has the number 0 in any case.
    fn write(
        &self,
        row: &Self::Prepared,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure>;
}

/// Makes the row of a value ready and writes it over the one of its key, wherever that is, or in this place.
pub(crate) fn put<V: Replaceable>(
    session: Session<'_>,
    value: &V,
    place: RowPlace,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let row = value.prepare(&encryptor.keys);
    let old = value.standing(session)?;
    let place = old.as_ref().map_or(place, |old| old.place);
    value.write(&row, session, old.as_ref(), place, encryptor)?;
    Ok(())
}
