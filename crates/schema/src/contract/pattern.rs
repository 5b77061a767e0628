//! Patterns: I-Regexp (RFC 9485), which match whole strings, in linear time whatever they say.
//!
//! Knows how large a pattern may be, and has the `regex` crate match it. Read next:
//! [`crate::iregexp`], its grammar.

use crate::iregexp::{self, Fault};
use crate::render::ecma;
use regex::{Regex, RegexBuilder};

/// Characters of a pattern.
const CHARS_MAX: usize = 1_024;
/// Bytes that a compiled pattern takes, and the tables that grow while it is used.
const BYTES_MAX: usize = 2 << 20;

/// The fault of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// It is not written as RFC 9485 §4 says.
    #[error("at byte {at} an I-Regexp (RFC 9485) has no {found}")]
    Grammar {
        /// The place, in bytes from the start.
        at: usize,
        /// The text found there.
        found: String,
    },
    /// It begins with `^` or ends with `$`. These stand for themselves in an I-Regexp, which matches
    /// the whole string anyway; whoever writes them there means something else.
    #[error("an I-Regexp (RFC 9485) matches the whole string without ^ and $")]
    Anchor,
    /// It has more than 1,024 characters, or groups nested deeper than 32.
    #[error("the pattern is longer than {CHARS_MAX} characters or nests more than 32 groups")]
    TooLong,
    /// Compiled it takes more memory than it may, or asks for what there is not.
    #[error("the pattern cannot be compiled: {reason}")]
    Compile {
        /// The reason, as the compiler says.
        reason: String,
    },
}

/// A template that no payload can be checked against.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern of {place}")]
pub struct Unusable {
    /// The key, and the members below it: `alarms/items/severity`.
    pub place: String,
    /// The fault of its pattern.
    #[source]
    pub fault: PatternFault,
}

/// Checks whether a pattern can be used.
///
/// # Errors
/// [`PatternFault`] if it cannot.
pub fn check_pattern(pattern: &str) -> Result<(), PatternFault> {
    Pattern::new(pattern).map(|_| ())
}

/// A compiled pattern, an I-Regexp (RFC 9485).
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern to 2 MiB at most.
    ///
    /// # Errors
    /// [`PatternFault`] if it cannot be used.
    pub fn new(pattern: &str) -> Result<Self, PatternFault> {
        Self::within(pattern, BYTES_MAX)
    }

    /// Compiles a pattern to so many bytes at most: the fewer, the less a character can cost.
    ///
    /// # Errors
    /// [`PatternFault`] if it cannot be used.
    pub fn within(pattern: &str, bytes: usize) -> Result<Self, PatternFault> {
        if pattern.len() > CHARS_MAX && pattern.chars().count() > CHARS_MAX {
            return Err(PatternFault::TooLong);
        }
        if pattern.starts_with('^') || pattern.ends_with('$') {
            return Err(PatternFault::Anchor);
        }
        let compiled = RegexBuilder::new(&ecma(&iregexp::parse(pattern)?))
            .size_limit(bytes)
            .dfa_size_limit(BYTES_MAX)
            .build();
        compiled.map(Self).map_err(|cause| PatternFault::Compile {
            reason: cause.to_string(),
        })
    }

    /// True if it matches the whole of a text, in time linear in the text.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl From<Fault> for PatternFault {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::TooDeep => Self::TooLong,
            Fault::Grammar { at, found } => Self::Grammar {
                at,
                found: found.map_or("end here".to_owned(), |c| format!("{c:?} here")),
            },
        }
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
            ("[a&&b~~^]+", "a&b~^", "c"),
            ("[!-&&-~]", "a", " "),
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
            "(?:a)",
            "[+--]",
            "{",
            "a]",
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
