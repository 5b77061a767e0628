//! What a character is written in.
//!
//! Read next: [`crate::text`].

/// True for Chinese characters.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
