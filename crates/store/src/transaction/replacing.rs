//! Rows in the place of others: what is known to stand is replaced or deleted unseen, all else is looked up first.
//!
//! Read next: [`crate::known`]; [`crate::row::replaceable`].

use super::{Statements, behind, breaks_a_rule};
use crate::batch::Batch;
use crate::failure::SqlFailure;
use crate::row::document::Document;
use crate::row::replaceable::Replaceable;
use crate::row::standing::{RowPlace, Standing};
use crate::shard::Shard;

impl Statements<'_, '_> {
    /// Writes a row in the place of the one of its key, wherever that is, or as the next number of its table on its
    /// shard of the batch, which is told if it is new.
    pub(super) fn put<V: Replaceable>(
        &mut self,
        value: &V,
        row: &V::Prepared,
        batch: &Batch,
        last: &mut i64,
    ) -> Result<Option<Shard>, SqlFailure> {
        let name = value.name();
        let is_new = value.is_new() && !self.isolated;
        let known = name.as_ref().filter(|_| !is_new);
        let mut old = match known.and_then(|name| self.known.take(name)) {
            None if is_new || (V::MOSTLY_NEW && !self.session.is_pipelined()) => None,
            None => self.look_up(value)?,
            known => known,
        };
        let new = behind(*last, batch.shard_of(value.task()));
        let mut place = old.as_ref().map_or(new, |old| old.place);
        let mut written = value.write(row, self.session, old.as_ref(), place, self.encryptor);
        let fails = written.as_ref().is_err_and(breaks_a_rule);
        if fails && old.is_none() && !self.session.is_pipelined() {
            old = self.look_up(value)?;
            place = old.as_ref().map_or(new, |old| old.place);
            written = value.write(row, self.session, old.as_ref(), place, self.encryptor);
        }
        let standing = written?;
        if let Some(name) = name.filter(|_| !value.is_final()) {
            self.known.note(name, standing);
        }
        *last += i64::from(old.is_none());
        Ok(old.is_none().then_some(place.shard))
    }

    fn look_up<V: Replaceable>(&mut self, value: &V) -> Result<Option<Standing>, SqlFailure> {
        self.known.misses += 1;
        value.standing(self.session)
    }

    /// The same for a row that is found by its name and has no number: it is on shard 0.
    pub(super) fn put_named<V: Replaceable>(
        &mut self,
        value: &V,
        row: &V::Prepared,
    ) -> Result<(), SqlFailure> {
        let (old, place) = (self.look_up(value)?, RowPlace::zero(0));
        value.write(row, self.session, old.as_ref(), place, self.encryptor)?;
        Ok(())
    }

    /// Deletes a document, if there is one of its name.
    pub(super) fn remove(&mut self, document: &Document) -> Result<(), SqlFailure> {
        let known = document.name().and_then(|name| self.known.take(&name));
        let old = match known {
            None => self.look_up(document)?,
            known => known,
        };
        match old {
            Some(old) => document.remove(self.session, &old, self.encryptor),
            None => Ok(()),
        }
    }
}
