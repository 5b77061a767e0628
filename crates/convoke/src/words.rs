//! Words fitted into a place: one line, no wider than there is room.
//!
//! Widths are columns of a terminal, in which characters of East Asian scripts take two. Knows text
//! alone; where it goes is [`crate::output`]'s and [`crate::timeline`]'s.

/// The columns that a character takes.
fn columns(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// The columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text on one line, at most so many columns wide; what is cut off leaves an ellipsis.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace(char::is_control, "\u{fffd}");
    if width(&text) <= most {
        return text;
    }
    let mut room = most.saturating_sub(1);
    let mut kept: String = text
        .chars()
        .take_while(|c| {
            let fits = columns(*c) <= room;
            room = room.saturating_sub(columns(*c));
            fits
        })
        .collect();
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

/// The text filled up with spaces.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_to_the_columns_there_are() {
        assert_eq!(cut("a  short\nline", 20), "a short line");
        assert_eq!(cut("exactly ten", 11), "exactly ten");
        assert_eq!(cut("exactly ten", 10), "exactly t…");
        assert_eq!(cut("基站故障", 8), "基站故障");
        assert_eq!(cut("基站故障", 7), "基站故…");
        assert_eq!(cut("基站故障", 6), "基站…");
        assert_eq!(cut("bell\u{7}", 9), "bell\u{fffd}");
        assert_eq!(width(&padded("基站", 9)), 9);
    }
}
