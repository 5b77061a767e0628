//! The statement that changes many rows of a table, where another changes one.
//!
//! Pure functions of texts, of three forms; a list for each parameter takes its place:
//! ```text
//! INSERT INTO t (a, b) VALUES (?1, ?2) …                     INSERT INTO t (a, b) SELECT * FROM unnest(…) …
//! UPDATE t SET b = ?2 WHERE a = ?1 AND digest = ?3 …         UPDATE t SET b = it.p2 FROM unnest(…) AS it (p1, …) WHERE a = it.p1 …
//! DELETE FROM t WHERE a = ?1 AND digest = ?2 …               DELETE FROM t USING unnest(…) AS it (p1, …) WHERE …
//! ```
//! Whatever replaces or deletes one row names its key and then its digest ([`crate::row::standing`]): what stands before
//! the digest is the key. Read next: [`super::gathered`].

use super::Expect;
use tokio_postgres::types::Type;

/// What becomes of a row, in the order in which changes of a table go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    Insert,
    Replace,
    Delete,
}

/// A statement that changes many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Many {
    pub(super) table: String,
    pub(super) change: Change,
    pub(super) text: String,
    /// The columns by which it finds rows that it changes: of one that replaces what stands in its way, those of the
    /// conflict, since one statement can meet a row only once. None if it only inserts.
    pub(super) key: Option<Vec<String>>,
    /// The columns whose values are known, and the places of these among its parameters, counted from 0.
    columns: Vec<(String, usize)>,
    /// True if a row that stands in the way of it breaks a rule.
    is_plain: bool,
}

impl Many {
    /// The statement, with a list of values for each parameter of these types; none if `sql` is of another form.
    pub(super) fn of(sql: &str, types: &[Type]) -> Option<Self> {
        let table = changed_alone(sql)?.to_owned();
        if sql.contains("RETURNING") {
            return None;
        }
        let lists = types.iter().enumerate().map(|(at, kind)| list(at, kind));
        let lists = lists.collect::<Option<Vec<_>>>()?.join(", ");
        if sql.starts_with("INSERT INTO ") {
            return Self::inserting(sql, table, types.len(), &lists);
        }
        let change = match sql.starts_with("UPDATE ") {
            true => Change::Replace,
            false => Change::Delete,
        };
        let (head, condition) = sql.split_once("WHERE ")?;
        let (key, _) = condition.split_once(" AND digest = ?")?;
        let columns: Vec<_> = key.split(" AND ").map(equal).collect::<Option<_>>()?;
        let names: Vec<_> = (1..=types.len()).map(|at| format!("p{at}")).collect();
        let names = names.join(", ");
        let joined = match change {
            Change::Delete => "USING",
            _ => "FROM",
        };
        // The highest first: `?1` begins `?12` too.
        let of_lists = |text: &str| {
            (1..=types.len()).rev().fold(text.to_owned(), |text, at| {
                text.replace(&format!("?{at}"), &format!("it.p{at}"))
            })
        };
        let (head, condition) = (of_lists(head), of_lists(condition));
        Some(Self {
            table,
            change,
            text: format!("{head}{joined} unnest({lists}) AS it ({names}) WHERE {condition}"),
            key: Some(columns.iter().map(|(name, _)| name.clone()).collect()),
            columns,
            is_plain: true,
        })
    }

    /// The same where all values are parameters, in order, and none follows them.
    fn inserting(sql: &str, table: String, parameters: usize, lists: &str) -> Option<Self> {
        let (into, rest) = sql.split_once("VALUES (")?;
        let (values, conflict) = rest.split_once(')')?;
        let in_order = |(at, value): (usize, &str)| value.trim() == format!("?{}", at + 1);
        let is_one = values.split(',').count() == parameters
            && values.split(',').enumerate().all(in_order)
            && (conflict.is_empty() || conflict.trim_start().starts_with("ON CONFLICT"))
            && !conflict.contains('?');
        let (_, names) = into.split_once('(').filter(|_| is_one)?;
        let names = names.trim_end().trim_end_matches(')').split(',');
        Some(Self {
            table,
            change: Change::Insert,
            text: format!("{into}SELECT * FROM unnest({lists}){conflict}"),
            key: replaced_by(conflict),
            columns: names.map(|it| it.trim().to_owned()).zip(0..).collect(),
            is_plain: conflict.is_empty(),
        })
    }

    /// True if what is expected of one row can be expected of many: a row that may be met and left alone counts for
    /// nothing among others.
    pub(super) fn takes(&self, expect: Expect) -> bool {
        expect == Expect::Any || self.is_plain && matches!(expect, Expect::One(_))
    }

    /// The places of the values of these columns; none if it does not know all of them.
    pub(super) fn places(&self, key: &[String]) -> Option<Vec<usize>> {
        let place = |wanted: &String| {
            let mut columns = self.columns.iter();
            Some(columns.find(|(name, _)| name == wanted)?.1)
        };
        key.iter().map(place).collect()
    }
}

/// The columns of `ON CONFLICT (…) DO UPDATE`, by which a row that stands in the way is found.
fn replaced_by(conflict: &str) -> Option<Vec<String>> {
    let rest = conflict.trim_start().strip_prefix("ON CONFLICT (")?;
    let (columns, what) = rest.split_once(')')?;
    let is_replaced = what.trim_start().starts_with("DO UPDATE");
    is_replaced.then(|| columns.split(',').map(|it| it.trim().to_owned()).collect())
}

/// The column and the place of the parameter, counted from 0, in `column = ?N`.
fn equal(condition: &str) -> Option<(String, usize)> {
    let (column, parameter) = condition.trim().split_once(" = ?")?;
    let number: usize = parameter.parse().ok()?;
    Some((column.to_owned(), number.checked_sub(1)?))
}

/// The table that a text changes, if it names no other.
pub(super) fn changed_alone(sql: &str) -> Option<&str> {
    let kinds = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
    let rest = kinds.iter().find_map(|kind| sql.strip_prefix(kind))?;
    let others = ["SELECT", "JOIN", "USING", "FROM"];
    let table = rest.split([' ', '(', '\n']).next()?.trim_matches('"');
    (!others.iter().any(|other| rest.contains(other))).then_some(table)
}

/// The parameter at this place, counted from 0, as a list of values of a type; none for a type that no column of ours has.
pub(super) fn list(at: usize, kind: &Type) -> Option<String> {
    let kind = match *kind {
        Type::INT8 => "bigint",
        Type::INT4 => "integer",
        Type::INT2 => "smallint",
        Type::BOOL => "boolean",
        Type::TEXT => "text",
        Type::BYTEA => "bytea",
        _ => return None,
    };
    Some(format!("CAST(?{} AS {kind}[])", at + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TYPES: [Type; 3] = [Type::INT8, Type::TEXT, Type::BYTEA];

    fn lists(many: usize) -> String {
        let lists = TYPES.iter().take(many).enumerate();
        let lists: Vec<_> = lists.map(|(at, kind)| list(at, kind).unwrap()).collect();
        format!("unnest({})", lists.join(", "))
    }

    fn text(sql: &str, parameters: usize) -> Option<String> {
        Many::of(sql, &TYPES[..parameters]).map(|many| many.text)
    }

    #[test]
    fn a_text_that_inserts_one_row_becomes_one_that_inserts_many() {
        let one = "INSERT INTO log (sequence,\n body) VALUES (?1,\n ?2)";
        let wanted = "INSERT INTO log (sequence,\n body) \
            SELECT * FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS text[]))";
        assert_eq!(text(one, 2).unwrap(), wanted);
        let many = Many::of(one, &TYPES[..2]).unwrap();
        let places = many.places(&["body".into(), "sequence".into()]);
        assert_eq!(places, Some(vec![1, 0]));
        assert_eq!(many.places(&["body".into(), "time".into()]), None);
    }

    #[test]
    fn what_becomes_of_a_row_in_the_way_is_said_of_many_as_of_one() {
        let one = "INSERT INTO head (shard, chain) VALUES (?1, ?2)
            ON CONFLICT (shard) DO UPDATE SET chain = excluded.chain";
        let wanted = format!(
            "INSERT INTO head (shard, chain) SELECT * FROM {}
            ON CONFLICT (shard) DO UPDATE SET chain = excluded.chain",
            lists(2)
        );
        let many = Many::of(one, &TYPES[..2]).unwrap();
        assert_eq!(many.text, wanted);
        assert!(many.takes(Expect::Any) && !many.takes(Expect::One("a rule")));
        // It meets each row once, and what only inserts meets none.
        assert_eq!(many.key.unwrap(), ["shard"]);
        let left = "INSERT INTO head (shard, chain) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        assert_eq!(Many::of(left, &TYPES[..2]).unwrap().key, None);
    }

    #[test]
    fn a_text_that_replaces_or_deletes_one_row_becomes_one_for_many() {
        let one = "UPDATE log SET body = ?2, digest = ?3\n WHERE sequence = ?1 AND digest = ?3 AND (at = 0 OR body = ?2)";
        let wanted = format!(
            "UPDATE log SET body = it.p2, digest = it.p3\n FROM {} AS it (p1, p2, p3) \
            WHERE sequence = it.p1 AND digest = it.p3 AND (at = 0 OR body = it.p2)",
            lists(3)
        );
        assert_eq!(text(one, 3).unwrap(), wanted);
        let one = "DELETE FROM log WHERE sequence = ?1 AND body = ?2 AND digest = ?3";
        let wanted = format!(
            "DELETE FROM log USING {} AS it (p1, p2, p3) \
            WHERE sequence = it.p1 AND body = it.p2 AND digest = it.p3",
            lists(3)
        );
        let many = Many::of(one, &TYPES).unwrap();
        assert_eq!(many.text, wanted);
        assert_eq!(many.key.unwrap(), ["sequence", "body"]);
        assert!(Change::Insert < Change::Replace && Change::Replace < Change::Delete);
    }

    #[test]
    fn a_parameter_whose_number_begins_with_anothers_is_told_from_it() {
        let types = [const { Type::INT8 }; 12];
        let one = "UPDATE log SET body = ?12 WHERE sequence = ?1 AND digest = ?11";
        let text = Many::of(one, &types).unwrap().text;
        assert!(text.starts_with("UPDATE log SET body = it.p12 FROM "));
        assert!(text.ends_with("WHERE sequence = it.p1 AND digest = it.p11"));
    }

    #[test]
    fn a_text_that_changes_one_table_tells_which() {
        for one in [
            "INSERT INTO log (body) VALUES (?1)",
            "UPDATE log SET body = ?1",
            "DELETE FROM log WHERE body = ?1",
        ] {
            assert_eq!(changed_alone(one), Some("log"));
        }
        for other in [
            "DELETE FROM log WHERE body = (SELECT body FROM checkpoint)",
            "UPDATE log SET body = other.body FROM other",
            "SELECT body FROM log",
        ] {
            assert_eq!(changed_alone(other), None);
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        for other in [
            "UPDATE log SET body = ?1 WHERE sequence = ?2",
            "UPDATE log SET body = ?1 WHERE sequence > ?2 AND digest = ?1",
            "DELETE FROM log WHERE sequence = ?2 AND digest = ?1 RETURNING sequence",
            "DELETE FROM log WHERE sequence = 7 AND digest = ?1",
            "INSERT INTO log (sequence, body) VALUES (?2, ?1)",
            "INSERT INTO log (sequence, body) VALUES (?1, 7)",
            "INSERT INTO log (sequence, body) VALUES (?1, ?2) ON CONFLICT (sequence) DO UPDATE SET body = ?2",
            "INSERT INTO log (sequence, body) VALUES (?1, ?2) RETURNING (body)",
        ] {
            assert_eq!(text(other, 2), None, "{other}");
        }
        assert_eq!(
            Many::of("INSERT INTO log (body) VALUES (?1)", &[Type::JSONB]),
            None
        );
    }
}
