//! The syntax of identifiers that principals choose: tasks, conversations, data.
//!
//! Two keys that look the same to a reader must be the same to the platform, so a key is in normal
//! form C and holds no invisible characters. It also holds nothing that stands for a character which
//! could not be read, or that XML cannot write: every protocol must show it as it is. Each key has
//! its own maximum length. Names of agents and users are narrower, see [`crate::profile`].

use crate::profile::{is_deceptive, is_joining};
use unicode_normalization::is_nfc;

/// The rule, as error messages state it.
pub const RULE: &str = "in Unicode normal form C, without control, direction and invisible \
    characters, noncharacters and U+FFFD";

/// True if a text of 1 to `bytes_max` bytes may be a key.
pub fn is_identifier(text: &str, bytes_max: usize) -> bool {
    let unfit = |c: char| is_deceptive(c) || is_joining(c) || is_no_character(c);
    (1..=bytes_max).contains(&text.len()) && !text.chars().any(unfit) && is_nfc(text)
}

/// True for noncharacters (Unicode §23.7), two of which XML 1.0 §2.2 leaves out, and for U+FFFD, which
/// is written in the place of whatever could not be.
fn is_no_character(c: char) -> bool {
    let last_of_a_plane = u32::from(c) & 0xfffe == 0xfffe;
    last_of_a_plane || matches!(c, '\u{fdd0}'..='\u{fdef}' | char::REPLACEMENT_CHARACTER)
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
            "a\u{fdf0}",
            "a\u{20000}",
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
            "a\u{fdd0}",
            "a\u{fdef}",
            "a\u{fffd}",
            "a\u{fffe}",
            "a\u{ffff}",
            "a\u{1fffe}",
            "a\u{10ffff}",
        ];
        for bad in bad {
            assert!(!is_identifier(bad, 128), "{bad:?}");
        }
        assert!(is_identifier("ü", 2) && !is_identifier("ü", 1));
    }
}
