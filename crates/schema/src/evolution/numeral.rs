//! A quantity in a fragment: `20 watts`, `three bags`, `30分钟`.
//!
//! Knows digits, the small number words of English and Chinese, and units. Read next:
//! [`super::induce`].

use super::lexicon::{unit_before, unit_called};

/// A number and what it counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    /// The number.
    pub(super) value: f64,
    /// Its unit; none if it counts things.
    pub(super) unit: Option<&'static str>,
    /// Whether it was written in digits.
    pub(super) digits: bool,
}

/// The number that an English word is.
pub(super) fn in_words(word: &str) -> Option<f64> {
    const WORDS: [&str; 11] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    WORDS.iter().position(|w| *w == word).map(|n| n as f64)
}

fn in_chinese(c: char) -> Option<f64> {
    const DIGITS: [char; 11] = [
        '零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十',
    ];
    let digit = if c == '两' { '二' } else { c };
    DIGITS.iter().position(|d| *d == digit).map(|n| n as f64)
}

/// The quantity in a text, if there is exactly one.
pub(super) fn quantity(text: &str) -> Option<Quantity> {
    let text = text.to_lowercase();
    let mut found = numbers(&text).into_iter();
    let (value, rest, digits) = found.next()?;
    found.next().is_none().then(|| Quantity {
        value,
        unit: unit_after(rest),
        digits,
    })
}

fn numbers(text: &str) -> Vec<(f64, &str, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, number) = match c {
            '0'..='9' => in_digits(rest),
            'a'..='z' => latin(rest),
            c => (c.len_utf8(), in_chinese(c).map(|n| (n, false))),
        };
        at += length;
        if let Some((value, digits)) = number {
            found.push((value, &text[at..], digits));
        }
    }
    found
}

fn in_digits(rest: &str) -> (usize, Option<(f64, bool)>) {
    let length = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    let digits = rest[..length].trim_end_matches('.');
    (
        length,
        digits
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite())
            .map(|n| (n, true)),
    )
}

/// A word with what digits are in it: `5g` is a word, not a number.
fn latin(rest: &str) -> (usize, Option<(f64, bool)>) {
    let length = rest
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    (length, in_words(&rest[..length]).map(|n| (n, false)))
}

fn unit_after(rest: &str) -> Option<&'static str> {
    let rest = rest.trim_start();
    let length = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let word = &rest[..length];
    let singular = word.strip_suffix('s').filter(|s| !s.is_empty());
    unit_called(word)
        .or_else(|| singular.and_then(unit_called))
        .or_else(|| {
            (length == 0)
                .then(|| unit_before(rest))
                .flatten()
                .map(|(unit, _)| unit)
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_their_units() {
        let told = |text: &str| {
            let found = quantity(text)?;
            Some(format!("{}{}", found.value, found.unit.unwrap_or("")))
        };
        assert_eq!(told("at most 20 watts").unwrap(), "20W");
        assert_eq!(told("within 1.5 hours.").unwrap(), "1.5h");
        assert_eq!(told("three extra bags").unwrap(), "3");
        assert_eq!(told("30分钟内回电").unwrap(), "30min");
        assert_eq!(told("down to 80%").unwrap(), "80%");
        assert_eq!(told("两件行李").unwrap(), "2");
        assert_eq!(told("between 5 and 7"), None);
        assert_eq!(told("window seat"), None);
    }
}
