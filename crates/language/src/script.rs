//! The script of a character.
//!
//! Read next: [`crate::text`].

/// True for Chinese characters.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// True for characters of scripts that put no spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff1f}' | '\u{20000}'..='\u{3ffff}')
}

/// True if more of the letters of a text are Chinese than are not.
pub fn is_mostly_chinese(text: &str) -> bool {
    let chinese = text.chars().filter(|c| is_cjk(*c)).count();
    chinese * 2 > text.chars().filter(|c| c.is_alphabetic()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_of_the_script_of_most_of_its_letters() {
        assert!(is_mostly_chinese("请安排 window 座位一个呀好的"));
        assert!(!is_mostly_chinese("a window, 窗"));
    }
}
