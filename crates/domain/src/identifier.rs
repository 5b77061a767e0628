//! The syntax of identifiers that principals choose: tasks, conversations, data.
//!
//! Two keys that look the same to a reader must be the same to the platform, so a key is in normal
//! form C and holds no invisible characters. Each key has its own maximum length. Names of agents
//! and users are narrower, see [`crate::profile`].

use crate::profile::{is_deceptive, is_joining};
use unicode_normalization::is_nfc;

/// The rule, as error messages state it.
pub const RULE: &str =
    "in Unicode normal form C, without control, direction and invisible characters";

/// True if a text of 1 to `bytes_max` bytes may be a key.
pub fn is_identifier(text: &str, bytes_max: usize) -> bool {
    let hidden = |c: char| is_deceptive(c) || is_joining(c);
    (1..=bytes_max).contains(&text.len()) && !text.chars().any(hidden) && is_nfc(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_it_looks_like() {
        for good in [
            "t1",
            "故障-7",
            "Zu\u{308}rich".replace("u\u{308}", "ü").as_str(),
            "a b",
        ] {
            assert!(is_identifier(good, 128), "{good:?}");
        }
        let bad = [
            "",
            "a\u{0}",
            "a\n",
            "a\u{9b}",
            "a\u{200b}b",
            "a\u{200d}b",
            "\u{feff}a",
            "a\u{202e}b",
            "a\u{2066}b",
            "Zu\u{308}rich",
            "a\u{e0041}",
            "a\u{ad}b",
            "a\u{3164}",
            "a\u{fe0f}",
        ];
        for bad in bad {
            assert!(!is_identifier(bad, 128), "{bad:?}");
        }
        assert!(is_identifier("ü", 2) && !is_identifier("ü", 1));
    }
}
