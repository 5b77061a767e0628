//! As much of what somebody wrote as a message about it quotes.
//!
//! A name that is refused may be as long as a whole message; its beginning tells which one it is. Read
//! next: [`crate::text`].

use std::borrow::Cow;

/// The most characters that are quoted.
const QUOTED_MOST: usize = 64;

/// The text, or its first 64 characters with an ellipsis behind them.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED_MOST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_quotes_the_beginning_of_a_long_name() {
        let longest = "ü".repeat(QUOTED_MOST);
        assert_eq!(excerpt(&longest), longest);
        let longer = longest.clone() + "ü";
        assert_eq!(excerpt(&longer), longest + "…");
        let error = crate::time::NotATimestamp("7".repeat(1 << 20));
        assert!(error.to_string().len() < 200);
    }
}
