//! Rows that are looked up before somebody asks for them: many keys of many tables in one round trip.
//!
//! Who writes a group knows what will be looked up for it, one by one. Each answer is given once: who asks
//! again may have changed the row meanwhile, and asks the server. Read next: [`super`].

use super::Session;
use super::many::list;
use super::stream::rows_of;
use crate::failure::FailureKind;
use crate::postgres::error::PostgresError;
use crate::postgres::value::Parameter;
use crate::postgres::wait::poll;
use crate::sql::{Row, Value};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::pin::pin;
use std::task::Poll;
use tokio_postgres::Statement;
use tokio_postgres::types::Type;

/// Answers that nobody has asked for yet, by statement and key.
#[derive(Default)]
pub(super) struct Ahead(RefCell<HashMap<&'static str, Answers>>);

/// By key: the row, if there is one.
type Answers = HashMap<Vec<String>, Option<tokio_postgres::Row>>;

impl Ahead {
    /// The answer, if it is here.
    pub(super) fn take(
        &self,
        sql: &str,
        values: &[Value<'_>],
    ) -> Option<Option<tokio_postgres::Row>> {
        let mut all = self.0.borrow_mut();
        let answers = all.get_mut(sql)?;
        let parts = values.iter().map(|value| match value {
            Value::Text(part) => Some((*part).to_owned()),
            _ => None,
        });
        answers.remove(&parts.collect::<Option<Vec<_>>>()?)
    }

    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

impl Session {
    /// Looks the keys of these statements up, in one round trip, for whoever asks for each within the
    /// transaction. A statement gives one row at most, and nobody may change such a row without having asked for it.
    pub(crate) fn look_ahead(
        &self,
        wanted: &[(&'static str, BTreeSet<Vec<&str>>)],
    ) -> Result<(), PostgresError> {
        // Prepared before anything is sent: to prepare is waited for, and behind a long answer that nobody takes yet
        // that would be for ever.
        let mut all = Vec::new();
        for (sql, keys) in wanted.iter().filter(|(_, keys)| !keys.is_empty()) {
            all.extend(self.of_many(sql)?.map(|many| (*sql, keys, many)));
        }
        let mut asked = Vec::new();
        for (sql, keys, many) in all {
            let part = |at: usize| -> Vec<_> {
                let parts = keys.iter().map(|key| Parameter(Value::Text(key[at])));
                parts.collect()
            };
            let parts: Vec<_> = (0..many.params().len()).map(part).collect();
            let client = &self.line.client;
            let mut answer = Box::pin(async move { rows_of(client, &many, parts).await });
            let first = poll(answer.as_mut());
            asked.push((sql, keys, answer, first));
        }
        if asked.is_empty() {
            return Ok(());
        }
        self.known(|| {
            for (sql, keys, answer, first) in asked {
                let rows = match first {
                    Poll::Ready(rows) => rows.map_err(PostgresError::from),
                    Poll::Pending => self.answered(pin!(answer)),
                };
                let answers = by_key(keys, rows?);
                self.ahead.0.borrow_mut().insert(sql, answers?);
            }
            Ok(())
        })
    }

    /// The statement that looks many keys up, where this text looks up one.
    fn of_many(&self, sql: &str) -> Result<Option<Statement>, PostgresError> {
        match looking_up_many(sql, self.ready(sql)?.params()) {
            Some(many) => Ok(Some(self.prepared(&many)?)),
            None => Ok(None),
        }
    }
}

/// The text that looks up many keys with parts of these types, a list for each part, where `sql` looks up one: the
/// rows, and behind their columns the place of the key, counted from 1. Each key is looked up by itself, as the limit
/// has it: a plan for all at once that was made while the table was small would read the whole of it later.
fn looking_up_many(sql: &str, types: &[Type]) -> Option<String> {
    let lists = types.iter().enumerate().map(|(at, kind)| list(at, kind));
    let lists: Vec<_> = lists.collect::<Option<_>>()?;
    let parts = 1..=types.len();
    let names: Vec<_> = parts.clone().map(|part| format!("part{part}")).collect();
    let one = parts.fold(sql.to_owned(), |one, part| {
        one.replace(&format!("?{part}"), &format!("wanted.part{part}"))
    });
    let (lists, names) = (lists.join(", "), names.join(", "));
    Some(format!(
        "SELECT found.*, wanted.place FROM unnest({lists}) WITH ORDINALITY AS wanted ({names}, place) \
         CROSS JOIN LATERAL ({one} LIMIT 1) AS found"
    ))
}

/// The answer for each key, of rows that have the place of theirs in the last column.
fn by_key(
    keys: &BTreeSet<Vec<&str>>,
    rows: Vec<tokio_postgres::Row>,
) -> Result<Answers, PostgresError> {
    let mut found: Vec<Option<tokio_postgres::Row>> = vec![None; keys.len()];
    for row in rows {
        let place: i64 = Row::Postgres(&row)
            .get(row.len() - 1)
            .map_err(|_| misread())?;
        let key = usize::try_from(place - 1).ok();
        *key.and_then(|key| found.get_mut(key)).ok_or_else(misread)? = Some(row);
    }
    let owned = |key: &Vec<&str>| key.iter().map(|part| (*part).to_owned()).collect();
    Ok(keys.iter().map(owned).zip(found).collect())
}

fn misread() -> PostgresError {
    PostgresError::new(FailureKind::Other, "a row is of no key that was looked up")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_looks_up_one_key_becomes_one_that_looks_up_many() {
        let one = "SELECT number FROM document WHERE kind = ?1 AND name = ?2";
        let many = looking_up_many(one, &[Type::TEXT, Type::BYTEA]);
        let wanted = "SELECT found.*, wanted.place \
            FROM unnest(CAST(?1 AS text[]), CAST(?2 AS bytea[])) \
            WITH ORDINALITY AS wanted (part1, part2, place) CROSS JOIN LATERAL \
            (SELECT number FROM document WHERE kind = wanted.part1 AND name = wanted.part2 LIMIT 1) AS found";
        assert_eq!(many.unwrap(), wanted);
        assert_eq!(looking_up_many(one, &[Type::TEXT, Type::JSONB]), None);
    }
}
