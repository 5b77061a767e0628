//! The rule for the names of users and agents, which name files and stand in the audit trail.
//!
//! Knows no files and no keys. Read next: [`crate::state`], which has files by name;
//! [`crate::ssh::authentication`].

use domain::profile::{is_deceptive, is_joining};

/// The rule for user names, for error messages.
pub(crate) const USER_NAME_RULE: &str =
    "a name is 1 to 64 characters that are seen, no '/', '\\', '(' or ')', and begins with no '.'";

/// True if `name` can be a user name: 1 to 64 characters, no path separator, no parenthesis (the
/// audit trail puts a placeholder for many users in them), no invisible or direction-changing
/// characters, no leading dot.
#[must_use]
pub(crate) fn is_user_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= 64
        && !name.starts_with('.')
        && !name.contains(['/', '\\', '(', ')'])
        && !name.contains(|c| is_deceptive(c) || is_joining(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path() {
        for good in ["operator", "ran-east", "a.b", "kern netz", "用户"] {
            assert!(is_user_name(good), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            ".hidden",
            "a/b",
            "a\\b",
            "a\0b",
            "a\nb",
            "(several)",
            "ann\u{ad}",
            "ann\u{202e}",
            "ann\u{3164}",
            "ann\u{e0041}",
            "ann\u{200d}",
            long.as_str(),
        ] {
            assert!(!is_user_name(bad), "{bad:?}");
        }
    }
}
