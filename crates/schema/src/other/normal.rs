//! The normal form of text that a stranger wrote: NFC, visible, on one line, no longer than allowed.
//!
//! Knows characters only. What is taken out is what a reader cannot see and a machine can: controls,
//! direction marks, joiners and other zero-width characters, variation selectors, the tags block,
//! noncharacters. Nothing here judges what a text says; see [`super::alarm`] for that.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// A text in its normal form, and whether something was cut off its end.
pub(super) fn normal(text: &str, bytes_max: usize) -> (Cow<'_, str>, bool) {
    if is_plain(text) && text.len() <= bytes_max {
        return (Cow::Borrowed(text), false);
    }
    // NFC makes text shorter where it composes: a little more than fits is looked at, not all of it.
    let (draft, more) = visible(text, bytes_max.saturating_mul(2).saturating_add(64));
    let mut composed: String = draft.nfc().collect();
    let cut = shorten(&mut composed, bytes_max);
    (Cow::Owned(composed), more || cut)
}

/// True for characters that are taken out. White space is not among them: it becomes a space.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        // C0, DEL, C1.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, grapheme joiner, fillers, vowels that are not shown, Mongolian selectors.
        | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}'
        // Zero width, direction marks, embeddings, overrides, isolates, invisible operators.
        | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Variation selectors, which can carry bytes, and interlinear annotation.
        | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fffb}'
        // Tags, more variation selectors, and the unassigned that are ignored by default.
        | '\u{e0000}'..='\u{e0fff}'
        // Noncharacters.
        | '\u{fdd0}'..='\u{fdef}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Printable ASCII without needless spaces is in its normal form.
fn is_plain(text: &str) -> bool {
    let mut before = b' ';
    for &byte in text.as_bytes() {
        if !(b' '..=b'~').contains(&byte) || (byte == b' ' && before == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' ' || text.is_empty()
}

/// The visible part of a text, white space as single spaces; and whether visible text was left.
fn visible(text: &str, bytes_max: usize) -> (String, bool) {
    let (mut kept, mut gap) = (String::new(), false);
    for c in text.chars() {
        if c.is_whitespace() {
            gap = !kept.is_empty();
        } else if !is_hidden(c) {
            if kept.len() >= bytes_max {
                return (kept, true);
            }
            if gap {
                kept.push(' ');
            }
            gap = false;
            kept.push(c);
        }
    }
    (kept, false)
}

/// Cuts a text to so many bytes, between characters; true if that took something away.
fn shorten(text: &mut String, bytes_max: usize) -> bool {
    if text.len() <= bytes_max {
        return false;
    }
    let end = (0..=bytes_max).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.expect("0 is a boundary"));
    text.truncate(text.trim_end().len());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> String {
        normal(text, usize::MAX).0.into_owned()
    }

    /// D112, Q15: what cannot be seen goes, what can be seen stays.
    #[test]
    fn normal_forms() {
        for (text, expected) in [
            ("window seat", "window seat"),
            ("", ""),
            ("  window\t\r\n seat\u{a0}\u{3000} ", "window seat"),
            ("caf\u{65}\u{301}", "caf\u{e9}"),
            ("a\0b\u{1b}[31mc\u{9b}d", "ab[31mcd"),
            ("\u{202e}live\u{202c} \u{2066}x\u{2069}", "live x"),
            ("ig\u{200b}no\u{200d}re\u{feff}", "ignore"),
            ("a\u{e0041}\u{e0042}b\u{fe0f}\u{e0100}", "ab"),
            ("x\u{fdd0}\u{ffff}\u{10ffff}y", "xy"),
            ("\u{200b}\u{200b}", ""),
            ("靠窗的座位，谢谢", "靠窗的座位，谢谢"),
            ("a\u{2028}b\u{85}c", "a b c"),
        ] {
            assert_eq!(whole(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_cut_is_between_characters_and_told() {
        assert_eq!(normal("abc def", 4), ("abc".into(), true));
        assert_eq!(normal("靠窗", 5), ("靠".into(), true));
        assert_eq!(normal("靠窗", 6), ("靠窗".into(), false));
        assert_eq!(normal("e\u{301}", 2), ("\u{e9}".into(), false));
        assert_eq!(normal("x\u{200b}", 1), ("x".into(), false));
    }

    proptest! {
        #[test]
        fn a_normal_form_is_its_own(text in any::<String>(), max in 0..64usize) {
            let (once, _) = normal(&text, max);
            prop_assert!(once.len() <= max);
            prop_assert!(!once.chars().any(is_hidden));
            prop_assert_eq!(normal(&once, max), (once.clone(), false));
        }
    }
}
