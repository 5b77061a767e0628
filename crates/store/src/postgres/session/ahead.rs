//! Rows that are looked up before somebody asks for them: many keys in one round trip.
//!
//! Who writes a group knows what will be looked up for it, one by one. Each answer is given once: who asks
//! again may have changed the row meanwhile, and asks the server. Read next: [`super`].

use super::Session;
use crate::postgres::error::PostgresError;
use crate::sql::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use tokio_postgres::Row;

/// Answers that nobody has asked for yet, by statement and key.
#[derive(Default)]
pub(super) struct Ahead(RefCell<HashMap<&'static str, HashMap<String, Vec<Row>>>>);

impl Ahead {
    /// The answer, if it is here.
    pub(super) fn take(&self, sql: &str, values: &[Value<'_>]) -> Option<Vec<Row>> {
        match values {
            [Value::Text(key)] => self.0.borrow_mut().get_mut(sql)?.remove(*key),
            _ => None,
        }
    }

    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

impl Session {
    /// Looks these keys up, in one round trip, for whoever asks for each with this statement within the
    /// transaction. Nobody may change such a row without having asked for it.
    pub(crate) fn look_ahead<'k>(
        &self,
        sql: &'static str,
        keys: impl Iterator<Item = &'k str>,
    ) -> Result<(), PostgresError> {
        let keys: BTreeSet<&str> = keys.collect();
        if keys.is_empty() {
            return Ok(());
        }
        let values: Vec<_> = keys.iter().map(|key| vec![Value::Text(key)]).collect();
        let mut found = vec![Vec::new(); keys.len()];
        self.look_up(sql, &values, &mut |place, row| {
            found[place].push(row.clone());
            Ok::<_, PostgresError>(())
        })?;
        let found = keys.into_iter().map(str::to_owned).zip(found).collect();
        self.ahead.0.borrow_mut().insert(sql, found);
        Ok(())
    }
}
