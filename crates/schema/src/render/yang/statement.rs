//! YANG text: statements, indented and quoted (RFC 7950 §6).
//!
//! Knows the syntax, no meaning.

use crate::render::dialect::is_yang_char;
use std::fmt;

/// A statement with its substatements.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    keyword: &'static str,
    argument: String,
    below: Vec<Statement>,
}

impl Statement {
    /// A statement whose argument is an identifier or number, which needs no quotes.
    pub(super) fn new(keyword: &'static str, argument: &str) -> Self {
        Self {
            keyword,
            argument: argument.to_owned(),
            below: Vec::new(),
        }
    }

    /// A statement whose argument is any text; it is quoted.
    pub(super) fn text(keyword: &'static str, argument: &str) -> Self {
        Self::new(keyword, &quoted(argument))
    }

    pub(super) fn with(mut self, keyword: &'static str, argument: &str) -> Self {
        self.push(Self::new(keyword, argument));
        self
    }

    pub(super) fn with_text(mut self, keyword: &'static str, argument: &str) -> Self {
        self.push(Self::text(keyword, argument));
        self
    }

    pub(super) fn push(&mut self, below: Statement) {
        self.below.push(below);
    }

    pub(super) fn extend(&mut self, below: impl IntoIterator<Item = Statement>) {
        self.below.extend(below);
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        write!(f, "{indent}{} {}", self.keyword, self.argument)?;
        if self.below.is_empty() {
            return writeln!(f, ";");
        }
        writeln!(f, " {{")?;
        for statement in &self.below {
            statement.write(f, depth + 1)?;
        }
        writeln!(f, "{indent}}}")
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// A text as a double-quoted string on one line; what YANG texts cannot hold becomes a space.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push(' '),
            c if is_yang_char(c) => quoted.push(c),
            _ => quoted.push(' '),
        }
    }
    quoted.push('"');
    quoted
}
