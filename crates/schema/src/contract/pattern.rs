//! Patterns: I-Regexp (RFC 9485), which match whole strings, in linear time whatever they say.
//!
//! Knows the grammar of RFC 9485 §4 and how to say the same to the `regex` crate. Other dialects'
//! `\d`, `\b` or `(?i)` are refused, for the next reader would take them otherwise.

use regex::{Regex, RegexBuilder};
use std::iter::Peekable;
use std::str::CharIndices;

/// Characters of a pattern.
const CHARS_MAX: usize = 1_024;
/// Bytes that a compiled pattern takes, and the tables that grow while it is used.
const BYTES_MAX: usize = 2 << 20;
/// Groups within groups.
const GROUPS_MAX: usize = 32;

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// It is not written as RFC 9485 §4 says.
    #[error("at byte {at} an I-Regexp (RFC 9485) has no {found}")]
    Grammar {
        /// Where, in bytes from the start.
        at: usize,
        /// What stands there.
        found: String,
    },
    /// It begins with `^` or ends with `$`. These stand for themselves in an I-Regexp, which matches
    /// the whole string anyway; whoever writes them there means something else.
    #[error("an I-Regexp (RFC 9485) matches the whole string without ^ and $")]
    Anchor,
    /// It has more than 1,024 characters, or groups nested deeper than 32.
    #[error(
        "the pattern is longer than {CHARS_MAX} characters or nests more than {GROUPS_MAX} groups"
    )]
    TooLong,
    /// Compiled it takes more than 2 MiB, or asks for what there is not.
    #[error("the pattern cannot be compiled: {reason}")]
    Compile {
        /// Why, as the compiler says.
        reason: String,
    },
}

/// Whether a pattern can be used.
///
/// # Errors
/// [`PatternFault`] if it cannot.
pub fn check_pattern(pattern: &str) -> Result<(), PatternFault> {
    Pattern::new(pattern).map(|_| ())
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn new(pattern: &str) -> Result<Self, PatternFault> {
        let translated = Translation::of(pattern)?;
        let compiled = RegexBuilder::new(&translated)
            .size_limit(BYTES_MAX)
            .dfa_size_limit(BYTES_MAX)
            .build();
        compiled.map(Self).map_err(|cause| PatternFault::Compile {
            reason: cause.to_string(),
        })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// A walk along the grammar that writes the same for the `regex` crate.
struct Translation<'a> {
    rest: Peekable<CharIndices<'a>>,
    length: usize,
    out: String,
    groups: usize,
}

type Step = Result<(), PatternFault>;

impl<'a> Translation<'a> {
    fn of(pattern: &'a str) -> Result<String, PatternFault> {
        if pattern.len() > CHARS_MAX && pattern.chars().count() > CHARS_MAX {
            return Err(PatternFault::TooLong);
        }
        if pattern.starts_with('^') || pattern.ends_with('$') {
            return Err(PatternFault::Anchor);
        }
        let mut walk = Self {
            rest: pattern.char_indices().peekable(),
            length: pattern.len(),
            out: r"\A(?:".to_owned(),
            groups: 0,
        };
        walk.branches()?;
        match walk.peek() {
            None => Ok(walk.out + r")\z"),
            Some(_) => walk.refuse(),
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, c)| *c)
    }

    fn next(&mut self) -> Option<char> {
        self.rest.next().map(|(_, c)| c)
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, c)| *c == wanted).is_some()
    }

    /// Passes `wanted` on as it is.
    fn pass(&mut self, wanted: char) -> Step {
        match self.eat(wanted) {
            true => {
                self.out.push(wanted);
                Ok(())
            }
            false => self.refuse(),
        }
    }

    fn refuse<T>(&mut self) -> Result<T, PatternFault> {
        let (at, found) = match self.rest.peek() {
            Some((at, c)) => (*at, format!("{c:?} here")),
            None => (self.length, "end here".to_owned()),
        };
        Err(PatternFault::Grammar { at, found })
    }

    fn branches(&mut self) -> Step {
        loop {
            while !matches!(self.peek(), None | Some('|' | ')')) {
                self.atom()?;
                self.quantifier()?;
            }
            if !self.eat('|') {
                return Ok(());
            }
            self.out.push('|');
        }
    }

    fn atom(&mut self) -> Step {
        match self.peek() {
            Some('(') => self.group(),
            Some('[') => self.class(),
            Some('\\') => self.escape(),
            Some('.') => {
                self.next();
                self.out.push_str(r"[^\n\r]");
                Ok(())
            }
            Some('*' | '+' | '?' | '{' | '}' | ']') | None => self.refuse(),
            Some(c) => {
                self.next();
                self.literal(c);
                Ok(())
            }
        }
    }

    fn group(&mut self) -> Step {
        self.groups += 1;
        if self.groups > GROUPS_MAX {
            return Err(PatternFault::TooLong);
        }
        self.next();
        self.out.push_str("(?:");
        self.branches()?;
        self.groups -= 1;
        self.pass(')')
    }

    fn quantifier(&mut self) -> Step {
        match self.peek() {
            Some(c @ ('*' | '+' | '?')) => self.pass(c),
            Some('{') => self.range(),
            _ => Ok(()),
        }
    }

    /// `{n}`, `{n,}` or `{n,m}`.
    fn range(&mut self) -> Step {
        self.pass('{')?;
        self.digits()?;
        if self.peek() == Some(',') {
            self.pass(',')?;
            if self.peek() != Some('}') {
                self.digits()?;
            }
        }
        self.pass('}')
    }

    fn digits(&mut self) -> Step {
        let before = self.out.len();
        while let Some((_, digit)) = self.rest.next_if(|(_, c)| c.is_ascii_digit()) {
            self.out.push(digit);
        }
        match self.out.len() > before {
            true => Ok(()),
            false => self.refuse(),
        }
    }

    /// `[…]`: a hyphen stands for itself first and last.
    fn class(&mut self) -> Step {
        self.pass('[')?;
        if self.peek() == Some('^') {
            self.pass('^')?;
        }
        if self.eat('-') {
            self.literal('-');
        } else {
            self.class_member()?;
        }
        while !matches!(self.peek(), None | Some(']')) {
            if self.eat('-') {
                self.literal('-');
                break;
            }
            self.class_member()?;
        }
        self.pass(']')
    }

    /// One character, a range of them, or a category.
    fn class_member(&mut self) -> Step {
        if self.category()? {
            return Ok(());
        }
        self.class_char()?;
        let mut ahead = self.rest.clone();
        let hyphen = ahead.next().is_some_and(|(_, c)| c == '-');
        let last = ahead.next().is_none_or(|(_, c)| c == ']');
        if hyphen && !last {
            self.pass('-')?;
            self.class_char()?;
        }
        Ok(())
    }

    fn class_char(&mut self) -> Step {
        match self.peek() {
            None | Some('[' | ']' | '-') => self.refuse(),
            Some('\\') => self.single_escape(),
            Some(c) => {
                self.next();
                self.literal(c);
                Ok(())
            }
        }
    }

    fn escape(&mut self) -> Step {
        match self.category()? {
            true => Ok(()),
            false => self.single_escape(),
        }
    }

    /// `\p{Lu}` or `\P{Lu}`; false, and nothing read, if something else comes.
    fn category(&mut self) -> Result<bool, PatternFault> {
        let mut ahead = self.rest.clone();
        let start = (ahead.next(), ahead.next());
        let (Some((_, '\\')), Some((_, which @ ('p' | 'P')))) = start else {
            return Ok(false);
        };
        self.rest = ahead;
        self.out.extend(['\\', which]);
        self.pass('{')?;
        let rest = self.rest.clone().map(|(_, c)| c);
        let name: String = rest.take_while(|c| *c != '}').take(3).collect();
        if !is_category(&name) {
            return self.refuse();
        }
        name.chars().try_for_each(|c| self.pass(c))?;
        self.pass('}')?;
        Ok(true)
    }

    fn single_escape(&mut self) -> Step {
        let mut ahead = self.rest.clone();
        ahead.next();
        let meant = match ahead.peek().map(|(_, c)| *c) {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(
                c @ ('(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^' | '{' | '|'
                | '}'),
            ) => c,
            _ => return self.refuse(),
        };
        ahead.next();
        self.rest = ahead;
        self.literal(meant);
        Ok(())
    }

    /// A character that means itself to the `regex` crate too.
    fn literal(&mut self, c: char) {
        match c.is_alphanumeric() {
            true => self.out.push(c),
            false => self.out.push_str(&format!("\\x{{{:x}}}", u32::from(c))),
        }
    }
}

/// RFC 9485 §4 `IsCategory`.
fn is_category(name: &str) -> bool {
    let mut chars = name.chars();
    let kinds = match chars.next() {
        Some('L') => "lmotu",
        Some('M') => "cen",
        Some('N') => "dlo",
        Some('P') => "cdefios",
        Some('Z') => "lps",
        Some('S') => "ckmo",
        Some('C') => "cfno",
        _ => return false,
    };
    match (chars.next(), chars.next()) {
        (None, _) => true,
        (Some(kind), None) => kinds.contains(kind),
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Q8: a pattern is an I-Regexp and matches the whole string.
    #[test]
    fn patterns_match_whole_strings() {
        for (pattern, right, wrong) in [
            ("[A-Z]{3}", "PEK", "PEKX"),
            ("a|bc", "bc", "abc"),
            ("", "", "a"),
            ("a.c", "a—c", "a\nc"),
            ("cell-[0-9]{1,3}", "cell-42", "cell-"),
            ("(x(y|z)?)+", "xyxz", "y"),
            (r"\p{Lu}\P{Lu}*", "Éa1", "éa"),
            (r"[\p{L}\p{Nd}_]{2,}", "靠9_", "a"),
            (r"\(\*\)\.\\", r"(*).\", "x"),
            (r"[^a-c]", "d", "b"),
            ("[-a]+", "a-a", "b"),
            ("[a-]+", "-a", "b"),
            ("[a^&~.]+", "^&~.a", "b"),
            ("x^2$y", "x^2$y", "x"),
            ("[$]", "$", ""),
            (r"[\[\]]+", "[]", "x"),
            (r"\p{Cn}|\p{Co}|\p{Cc}", "\u{1}", "a"),
            ("&&--", "&&--", "&"),
            (r"\t\n", "\t\n", "t"),
        ] {
            let compiled =
                Pattern::new(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault}"));
            assert!(compiled.matches(right), "{pattern} {right:?}");
            assert!(!compiled.matches(wrong), "{pattern} {wrong:?}");
        }
    }

    /// Q8: what other dialects mean otherwise is refused, and where is told.
    #[test]
    fn what_is_no_i_regexp_is_refused() {
        for pattern in [
            r"\d+",
            r"\bx",
            "(?i)x",
            "(?=x)",
            "a**",
            "*",
            "(a",
            "a)",
            "[a",
            "[]",
            "a{",
            "a{,3}",
            "a{x}",
            "]",
            "}",
            r"\",
            r"\p{Greek}",
            r"\p{Lx}",
            r"\p{",
            "[z-a]",
            "a{5,2}",
            "[[a]]",
            r"\$",
            "[a-b-c]",
            r"\u0041",
        ] {
            assert!(check_pattern(pattern).is_err(), "{pattern}");
        }
        assert_eq!(check_pattern("^a"), Err(PatternFault::Anchor));
        assert_eq!(check_pattern("a$"), Err(PatternFault::Anchor));
        assert_eq!(
            check_pattern(r"x\d").unwrap_err().to_string(),
            r"at byte 1 an I-Regexp (RFC 9485) has no '\\' here"
        );
    }

    #[test]
    fn patterns_that_would_be_large_are_refused() {
        assert!(matches!(
            check_pattern(r"((\p{L}{100}){100}){100}"),
            Err(PatternFault::Compile { .. })
        ));
        assert_eq!(
            check_pattern(&"a".repeat(1_025)),
            Err(PatternFault::TooLong)
        );
        assert_eq!(
            check_pattern(&"(".repeat(1_000)),
            Err(PatternFault::TooLong)
        );
    }

    proptest! {
        /// No pattern of a stranger panics, and what is accepted compiles and runs.
        #[test]
        fn no_pattern_panics(pattern in r"[-a-c0-9\[\](){}|\\^$.*+?,pL&~ ]{0,24}") {
            if let Ok(compiled) = Pattern::new(&pattern) {
                compiled.matches("abc");
            }
        }

        /// A text without marks is a pattern that matches itself alone.
        #[test]
        fn plain_text_matches_itself(text in "[a-z0-9 &~#,:;<=>@!\"'/%_-]{0,16}", more in "[a-z]") {
            let compiled = Pattern::new(&text).unwrap();
            prop_assert!(compiled.matches(&text));
            prop_assert!(!compiled.matches(&(text + &more)));
        }
    }
}
