//! Texts: how long, and nothing in them that shows as what it is not.

use super::{DESCRIPTION_BYTES_MAX, Findings, LintRule, Place};

/// Checks a text that people and models read.
pub(super) fn text(text: &str, at: &Place, findings: &mut Findings) {
    length(text.len(), at, findings);
    if let Some(odd) = text.chars().find(|c| is_deceptive(*c)) {
        let message = format!(
            "the character U+{:04X} has no place in a description",
            u32::from(odd)
        );
        findings.note(LintRule::Control, at, message);
    }
}

pub(super) fn length(bytes: usize, at: &Place, findings: &mut Findings) {
    if bytes > DESCRIPTION_BYTES_MAX {
        let message = format!("a text of {bytes} bytes; {DESCRIPTION_BYTES_MAX} are the most");
        findings.note(LintRule::Limit, at, message);
    }
}

/// Controls beside tab and line feed, marks that turn the direction of text, and the tag characters
/// in which text hides.
fn is_deceptive(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200B}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
        || matches!(c, '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}
