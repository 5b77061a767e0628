//! Media types with their parameters (RFC 9110 §8.3.1), as modes of cards and types of parts.
//!
//! Knows case, blanks, quotes and order, and the parameter `schema` of the object-schemas
//! extension. Read next: [`crate::objects`].

use std::fmt;

/// A media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    essence: String,
    parameters: Vec<(String, String)>,
}

/// The parameter that names a schema (object schemas §1).
const SCHEMA: &str = "schema";

impl MediaType {
    /// Reads a media type. `text` alone, as in cards of v0.3, is a type as well.
    ///
    /// None if it is not well-formed.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim_matches(is_blank);
        let essence_end = rest.find(';').unwrap_or(rest.len());
        let essence = rest[..essence_end]
            .trim_end_matches(is_blank)
            .to_ascii_lowercase();
        if !essence.split('/').all(is_token) || essence.split('/').count() > 2 {
            return None;
        }
        rest = &rest[essence_end..];
        let mut parameters = Vec::new();
        while let Some(after) = rest.strip_prefix(';') {
            rest = after.trim_start_matches(is_blank);
            // RFC 9110 §5.6.6: a parameter may be missing between two semicolons.
            if rest.is_empty() || rest.starts_with(';') {
                continue;
            }
            let (name, after) = rest.split_once('=')?;
            let (value, after) = value(after)?;
            is_token(name).then(|| parameters.push((name.to_ascii_lowercase(), value)))?;
            rest = after.trim_start_matches(is_blank);
        }
        rest.is_empty().then_some(Self {
            essence,
            parameters,
        })
    }

    /// `application/json;schema=NAME`, the mode by which a card names a schema (object schemas §1).
    pub fn of_schema(name: &str) -> Self {
        Self {
            essence: "application/json".to_owned(),
            parameters: vec![(SCHEMA.to_owned(), name.to_owned())],
        }
    }

    /// Type and subtype, in lower case.
    pub fn essence(&self) -> &str {
        &self.essence
    }

    /// The value of a parameter; its name in lower case.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut all = self.parameters.iter();
        all.find(|(it, _)| it == name)
            .map(|(_, value)| value.as_str())
    }

    /// The schema that it names, if it is `application/json` with that parameter.
    pub fn schema(&self) -> Option<&str> {
        match self.essence.as_str() {
            "application/json" => self.parameter(SCHEMA),
            _ => None,
        }
    }

    /// True if this mode of a card covers a type, ignoring parameters: the same one, `image/*`,
    /// `*/*`, or a top-level type alone.
    pub fn covers(&self, other: &Self) -> bool {
        let (mine, sub) = self.essence.split_once('/').unwrap_or((&self.essence, "*"));
        let theirs = other.essence.split('/').next().unwrap_or_default();
        match (mine, sub) {
            ("*", "*") => true,
            (mine, "*") => mine == theirs,
            _ => self.essence == other.essence,
        }
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.essence)?;
        for (name, value) in &self.parameters {
            match is_token(value) {
                true => write!(f, ";{name}={value}")?,
                false => {
                    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
                    write!(f, ";{name}=\"{escaped}\"")?;
                }
            }
        }
        Ok(())
    }
}

/// The value of a parameter, and the rest of the text behind it.
fn value(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted_string(quoted);
    }
    let end = text
        .find(|c: char| c == ';' || is_blank(c))
        .unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    is_token(value).then(|| (value.to_owned(), rest))
}

fn quoted_string(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(chars.next()?.1),
            c => value.push(c),
        }
    }
    None
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// RFC 9110 §5.6.2: a token.
fn is_token(text: &str) -> bool {
    let in_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(in_token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// F6, Q67: case, blanks, quotes, order and other parameters do not matter.
    #[test]
    fn a_schema_is_found_however_it_is_written() {
        for text in [
            "application/json;schema=fightComparison",
            "application/json; schema=fightComparison",
            " Application/JSON ;\tSchema=fightComparison ",
            "application/json;charset=utf-8;schema=\"fightComparison\"",
            "application/json;;schema=\"fight\\Comparison\";v=1;",
        ] {
            let parsed = MediaType::parse(text).expect(text);
            assert_eq!(parsed.schema(), Some("fightComparison"), "{text}");
        }
        for text in [
            "application/json",
            "application/json;schemas=x",
            "text/plain;schema=x",
            "application/geo+json;schema=x",
        ] {
            assert_eq!(MediaType::parse(text).expect(text).schema(), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_media_type_is_none() {
        for text in [
            "",
            ";",
            "a/b/c",
            "a b/c",
            "a/b;x",
            "a/b;x=",
            "a/b;=y",
            "a/b;x=\"y",
            "a/b;x=y z",
            "application/json;schema=",
            "ä/b",
        ] {
            assert_eq!(MediaType::parse(text), None, "{text}");
        }
    }

    /// Modes cover types, ignoring parameters.
    #[test]
    fn modes_cover_types() {
        for (mode, named, covered) in [
            ("text/plain", "text/plain;charset=utf-8", true),
            (
                "application/json;schema=a",
                "application/json;schema=b",
                true,
            ),
            ("text", "text/markdown", true),
            ("image/*", "image/png", true),
            ("*/*", "image/png", true),
            ("image/*", "video/mp4", false),
            ("text/plain", "text/markdown", false),
        ] {
            let [mode, named] = [mode, named].map(|it| MediaType::parse(it).expect(it));
            assert_eq!(mode.covers(&named), covered, "{mode} {named}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(value in "[ -~]{1,12}") {
            let written = MediaType::of_schema(&value);
            prop_assert_eq!(MediaType::parse(&written.to_string()), Some(written));
        }

        #[test]
        fn nothing_makes_it_panic(text in any::<String>()) {
            let _ = MediaType::parse(&text);
        }
    }
}
