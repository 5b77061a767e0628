//! Our statements in PostgreSQL's words.
//!
//! Statements are written once, as SQLite reads them. PostgreSQL numbers parameters with `$`, has no
//! names for them, needs no unary `+` that keeps a column from an index, and knows no `NOT INDEXED`.
//! All else that both do not speak is not written. A pure function; strings, quoted names and
//! comments are left as they are. Read next: [`super::session`].

use std::iter::Peekable;
use std::str::CharIndices;

/// A statement as PostgreSQL reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) text: String,
    /// The names of `:name` parameters, which follow the numbered ones in this order.
    pub(crate) names: Vec<String>,
}

/// Translates one statement. `?N` becomes `$N`; each `:name` becomes the next free number, the same
/// wherever it stands again.
pub(crate) fn translate(sql: &str) -> Translated {
    let mut words = Words {
        sql,
        rest: sql.char_indices().peekable(),
    };
    let mut translated = Translated {
        text: String::with_capacity(sql.len()),
        names: Vec::new(),
    };
    let numbered = numbered(sql);
    while let Some(word) = words.next() {
        let Translated { text, names } = &mut translated;
        match word {
            Word::Numbered(number) => {
                text.push('$');
                text.push_str(number);
            }
            Word::Named(name) => {
                let known = names.iter().position(|it| it == name);
                let place = known.unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                });
                text.push_str(&format!("${}", numbered + place + 1));
            }
            Word::Plus => {}
            Word::NotIndexed => {}
            Word::Other(other) => text.push_str(other),
        }
    }
    translated
}

/// The highest number of a `?N` parameter.
fn numbered(sql: &str) -> usize {
    let mut words = Words {
        sql,
        rest: sql.char_indices().peekable(),
    };
    let numbers = std::iter::from_fn(|| words.next()).filter_map(|word| match word {
        Word::Numbered(number) => number.parse().ok(),
        _ => None,
    });
    numbers.max().unwrap_or(0)
}

/// A part of a statement.
#[derive(Clone, Copy)]
enum Word<'s> {
    /// The digits of `?N`.
    Numbered(&'s str),
    /// The name of `:name`.
    Named(&'s str),
    /// A `+` in front of a name, and behind nothing that it could be added to.
    Plus,
    NotIndexed,
    Other(&'s str),
}

struct Words<'s> {
    sql: &'s str,
    rest: Peekable<CharIndices<'s>>,
}

impl<'s> Words<'s> {
    fn next(&mut self) -> Option<Word<'s>> {
        let (at, first) = self.rest.next()?;
        let word = match first {
            '\'' | '"' => {
                self.skip(|it| it != first);
                self.rest.next();
                Word::Other(self.since(at))
            }
            '-' if self.sql[at..].starts_with("--") => {
                self.skip(|it| it != '\n');
                Word::Other(self.since(at))
            }
            '?' => {
                self.skip(|it| it.is_ascii_digit());
                Word::Numbered(&self.since(at)[1..])
            }
            // A cast is two of them.
            ':' if self.rest.next_if(|(_, it)| *it == ':').is_some() => Word::Other("::"),
            ':' if self.name_follows() => {
                self.skip(in_name);
                Word::Named(&self.since(at)[1..])
            }
            '+' if self.name_follows() && !adds(&self.sql[..at]) => Word::Plus,
            'N' if !self.sql[..at].ends_with(in_name) && not_indexed(&self.sql[at..]) => {
                for _ in 1..NOT_INDEXED.len() {
                    self.rest.next();
                }
                Word::NotIndexed
            }
            it if in_name(it) => {
                self.skip(in_name);
                Word::Other(self.since(at))
            }
            _ => Word::Other(self.since(at)),
        };
        Some(word)
    }

    fn skip(&mut self, while_: impl Fn(char) -> bool) {
        while self.rest.next_if(|(_, it)| while_(*it)).is_some() {}
    }

    fn since(&mut self, at: usize) -> &'s str {
        let end = self.rest.peek().map_or(self.sql.len(), |(at, _)| *at);
        &self.sql[at..end]
    }

    fn name_follows(&mut self) -> bool {
        let next = self.rest.peek();
        next.is_some_and(|(_, it)| in_name(*it) && !it.is_ascii_digit())
    }
}

const NOT_INDEXED: &str = "NOT INDEXED";

fn not_indexed(rest: &str) -> bool {
    let after = rest.strip_prefix(NOT_INDEXED);
    after.is_some_and(|after| !after.starts_with(in_name))
}

fn in_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

/// The words behind which a `+` has nothing on its left.
const OPENERS: &[&str] = &[
    "AND", "BY", "CASE", "ELSE", "FROM", "HAVING", "IN", "LIMIT", "NOT", "ON", "OR", "SELECT",
    "SET", "THEN", "WHEN", "WHERE",
];

/// Whether a `+` behind this text adds: an operand stands before it.
fn adds(before: &str) -> bool {
    let before = before.trim_end();
    if before.ends_with([')', '\'', '"']) {
        return true;
    }
    let word = before.rsplit(|it: char| !in_name(it)).next();
    word.is_some_and(|word| !word.is_empty() && !OPENERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sql: &str) -> String {
        translate(sql).text
    }

    #[test]
    fn numbered_parameters_keep_their_numbers() {
        let sql = "UPDATE task SET status = ?2 WHERE id = ?1 AND version < ?12";
        let expected = "UPDATE task SET status = $2 WHERE id = $1 AND version < $12";
        assert_eq!(text(sql), expected);
    }

    #[test]
    fn named_parameters_follow_the_numbered_ones_and_keep_one_number_each() {
        let sql = "SELECT id FROM task WHERE :from = send_from AND number > ?1 AND send_to = :to \
                   OR send_to = :from";
        let translated = translate(sql);
        assert_eq!(
            translated.text,
            "SELECT id FROM task WHERE $2 = send_from AND number > $1 AND send_to = $3 \
             OR send_to = $2"
        );
        assert_eq!(translated.names, ["from", "to"]);
        assert_eq!(
            text("SELECT CAST(:a AS TEXT), x::text"),
            "SELECT CAST($1 AS TEXT), x::text"
        );
    }

    #[test]
    fn a_plus_that_keeps_a_column_from_an_index_is_dropped() {
        let sql = "SELECT 1 FROM task WHERE +send_to = ?1 AND +task.ended = 0 ORDER BY +number";
        let expected = "SELECT 1 FROM task WHERE send_to = $1 AND task.ended = 0 ORDER BY number";
        assert_eq!(text(sql), expected);
        assert_eq!(text("WHERE (+a = 1)"), "WHERE (a = 1)");
    }

    #[test]
    fn a_plus_that_adds_is_kept() {
        let sums = [
            "SET number = number +more",
            "SELECT (a) +b, 'x' + y, a + b, 1 +c",
            "SELECT length(a)+length(b)",
        ];
        for sql in sums {
            assert_eq!(text(sql), sql);
        }
    }

    #[test]
    fn not_indexed_is_dropped() {
        let sql = "SELECT number FROM task NOT INDEXED ORDER BY number";
        assert_eq!(text(sql), "SELECT number FROM task  ORDER BY number");
        assert_eq!(text("SELECT NOT INDEXED_BY"), "SELECT NOT INDEXED_BY");
    }

    #[test]
    fn texts_quoted_names_and_comments_are_left_as_they_are() {
        let sql = "SELECT '?1 :a +b NOT INDEXED', '''?2', \"?3:x\" -- it's ?4\n FROM x";
        assert_eq!(text(sql), sql);
        assert_eq!(text("SELECT 'ü', ?1"), "SELECT 'ü', $1");
    }
}
