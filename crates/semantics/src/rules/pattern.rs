//! The making of regular expressions that stand in this crate, and so are tested.

use regex::Regex;

/// A pattern of ours.
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("patterns written here are tested")
}
