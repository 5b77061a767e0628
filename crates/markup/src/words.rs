//! Text fitted into columns, and numbers formatted for people.
//!
//! Widths are columns of a terminal, in which characters of East Asian scripts take two; pictures
//! use the same widths. Read next: [`crate::Markup`].

use std::borrow::Cow;

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
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// True for characters that set the direction of others (UAX #9 §2), and for invisible ones: a name
/// that holds one would reorder the words behind it, or look like another name. Joining characters
/// are not among them, as words need them.
pub fn deceives(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
    ) || matches!(
        c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
    ) || matches!(
        c,
        '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
    ) || matches!(c, '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}')
        || matches!(c, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}')
        || matches!(c, '\u{e01f0}'..='\u{e0fff}')
}

/// The text made safe for a terminal: controls (C0, C1) and [deceptive characters](deceives) are
/// written as `\u{9b}`. Line feeds are kept, as are the styles of [`is_style`], which do not move
/// the cursor.
pub fn legible(text: &str) -> Cow<'_, str> {
    let odd = |c: char| (c.is_control() && c != '\n') || deceives(c);
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len() + 16), text);
    while let Some(c) = rest.chars().next() {
        let length = style_length(rest);
        if let Some(length) = length {
            out.push_str(&rest[..length]);
        } else if odd(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        rest = &rest[length.unwrap_or(c.len_utf8())..];
    }
    Cow::Owned(out)
}

/// The same on one line, for a cell of a table.
pub fn legible_line(text: &str) -> String {
    let odd = |c: &char| c.is_control() || deceives(*c);
    let escaped = |c: char| match odd(&c) {
        true => c.escape_unicode().collect(),
        false => c.to_string(),
    };
    match text.chars().any(|c| odd(&c)) {
        true => text.chars().map(escaped).collect(),
        false => text.to_owned(),
    }
}

/// True for a style that changes the look of text without concealing it: bold, dim, italic, and the
/// eight colours.
fn is_style(numbers: &str) -> bool {
    let known = |number: &str| {
        matches!(
            number,
            "0" | "1" | "2" | "3" | "31" | "32" | "33" | "34" | "35" | "36" | "37"
        )
    };
    numbers.split(';').all(known)
}

/// The length in bytes of the style sequence that the text begins with.
fn style_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\x1b[")?;
    let numbers = &rest[..rest.find('m')?];
    is_style(numbers).then_some(text.len() - rest.len() + numbers.len() + 1)
}

/// The text on one line, at most `most` columns wide; an ellipsis marks where it was cut.
pub fn cut(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace(|c: char| c.is_control() || deceives(c), "\u{fffd}");
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

/// The text, padded with spaces on the right to `columns`.
pub fn left(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// The text, padded with spaces on the left to `columns`.
pub fn right(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{}{text}", " ".repeat(missing))
}

/// A number with its noun: `1 fault`, `3 faults`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(&number.to_string())),
    }
}

/// The number with `decimals` decimals and thousands separators: `12,345.6`. Never `-0`.
pub fn decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let nothing = text.trim_matches(['-', '0', '.']).is_empty();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) if nothing => ("", rest),
        Some(rest) => ("−", rest),
        None => ("", text.as_str()),
    };
    match text.split_once('.') {
        Some((whole, rest)) => format!("{sign}{}.{rest}", grouped(whole)),
        None => format!("{sign}{}", grouped(text)),
    }
}

/// The number with about three significant digits: `0.0123`, `4.56`, `78.9`, `12,345`.
pub fn number(number: f64) -> String {
    let size = number.abs();
    let decimals = match size {
        _ if size.fract() == 0.0 || size >= 100.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ => (2 - size.log10().floor() as i32).clamp(2, 6) as usize,
    };
    decimal(number, decimals)
}

/// A span of seconds: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`.
pub fn span(seconds: f64) -> String {
    let s = seconds.max(0.0).round() as u64;
    match s {
        0..=119 => format!("{s} s"),
        120..=7_199 => format!("{} min", s / 60),
        7_200..=172_799 => format!("{} h {:02} min", s / 3_600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3_600 % 24),
    }
}

fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_written_out() {
        let nasty = "a\u{202e}b\u{9b}2J\u{1b}[2J\u{1b}[8mc\td\n\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(
            legible(nasty),
            "a\\u{202e}b\\u{9b}2J\\u{1b}[2J\\u{1b}[8mc\\u{9}d\n\u{1b}[1;31mred\u{1b}[0m"
        );
        let thought = "\u{1b}[3mwhat an agent thinks\u{1b}[0m";
        assert_eq!(legible(thought), thought);
        assert_eq!(legible_line("a\nip  ok"), "a\\u{a}ip  ok");
        for (hidden, written) in [
            ('\u{ad}', "\\u{ad}"),
            ('\u{1160}', "\\u{1160}"),
            ('\u{200b}', "\\u{200b}"),
            ('\u{2800}', "\\u{2800}"),
            ('\u{3164}', "\\u{3164}"),
            ('\u{ffa0}', "\\u{ffa0}"),
            ('\u{e0041}', "\\u{e0041}"),
        ] {
            let text = format!("ip{hidden}");
            assert_eq!(legible(&text), format!("ip{written}"));
            assert_eq!(legible_line(&text), format!("ip{written}"));
            assert_eq!(cut(&text, 9), "ip\u{fffd}");
        }
        assert_eq!(legible_line("می\u{200c}خواهم"), "می\u{200c}خواهم");
        assert!(matches!(
            legible("基站 Zürich\n"),
            std::borrow::Cow::Borrowed(_)
        ));
    }

    #[test]
    fn what_is_too_long_is_cut_to_the_columns_there_are() {
        assert_eq!(cut("a  short\nline", 20), "a short line");
        assert_eq!(cut("exactly ten", 11), "exactly ten");
        assert_eq!(cut("exactly ten", 10), "exactly t…");
        assert_eq!(cut("基站故障", 8), "基站故障");
        assert_eq!(cut("基站故障", 7), "基站故…");
        assert_eq!(cut("基站故障", 6), "基站…");
        assert_eq!(cut("bell\u{7}", 9), "bell\u{fffd}");
        assert_eq!(width(&left("基站", 9)), 9);
        assert_eq!(right("7", 3), "  7");
    }

    #[test]
    fn numbers_show_the_digits_that_tell() {
        let told = [
            0.0,
            8.0,
            0.012_345,
            0.5,
            4.557,
            78.91,
            123.4,
            1_234_567.8,
            -4.2,
        ]
        .map(number)
        .join(" ");
        assert_eq!(told, "0 8 0.0123 0.500 4.56 78.9 123 1,234,568 −4.20");
        assert_eq!(decimal(-0.04, 1), "0.0");
        assert_eq!(decimal(-1234.56, 1), "−1,234.6");
        assert_eq!(count(1, "fault", "faults"), "1 fault");
        assert_eq!(count(1200, "fault", "faults"), "1,200 faults");
    }

    #[test]
    fn spans_are_told_in_the_unit_that_fits() {
        let told = [0.4, 119.0, 125.0, 7_500.0, 200_000.0].map(span).join(", ");
        assert_eq!(told, "0 s, 119 s, 2 min, 2 h 05 min, 2 d 7 h");
    }
}
