//! Words of a text, compared as hurried people type them, and names that are looked for in it.
//!
//! Read next: [`super::matter`], [`super::place`].

use language::dictionary::Dictionary;
use language::word::alike;
use schema::steps::{GivenUp, ReadingBudget};

/// The words in lower case, without the punctuation around them.
pub(super) fn words(text: &str, work: &ReadingBudget<'_>) -> Vec<String> {
    work.take(2 * text.len());
    let text = text.replace(['’', '‘'], "'").to_lowercase();
    let parts = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '!' | '?' | ';'));
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    parts.map(bare).filter(|word| !word.is_empty()).collect()
}

/// After so many characters it is asked whether to go on.
const CHARACTERS_AT_ONCE: usize = 1_024;

/// The places of a dictionary's words in a text, in the order of places, the longest first: the
/// byte at which each begins, the word, and what it stands for.
pub(super) fn standing<'d, T: Copy>(
    dictionary: &'d Dictionary<T>,
    text: &str,
    work: &ReadingBudget<'_>,
) -> Result<Vec<(usize, &'d str, T)>, GivenUp> {
    let mut found = Vec::new();
    for (count, (at, _)) in text.char_indices().enumerate() {
        if count % CHARACTERS_AT_ONCE == 0 {
            work.may_go_on()?;
        }
        for (word, meanings) in dictionary.beginning(&text[at..]) {
            work.take(meanings.len());
            found.extend(meanings.iter().map(|meaning| (at, word, *meaning)));
        }
        work.take(1);
    }
    Ok(found)
}

/// True if the words of `phrase` stand in this order in `words`, each at most `apart` words behind
/// the one before.
pub(super) fn says(words: &[String], phrase: &str, apart: usize, work: &ReadingBudget<'_>) -> bool {
    work.take(words.len());
    let mut wanted = phrase.split(' ');
    let first = wanted.next().unwrap_or_default();
    let mut starts = (0..words.len()).filter(|at| alike(&words[*at], first));
    starts.any(|start| {
        let mut at = start;
        wanted.clone().all(|word| {
            let mut reach = words[at + 1..].iter().take(apart + 1);
            let found = reach.position(|typed| {
                work.take(1);
                alike(typed, word)
            });
            found.map(|n| at += n + 1).is_some()
        })
    })
}

/// The vehicle identification number in a text (ISO 3779; blanks and hyphens in it do not matter),
/// and the text without it.
pub(super) fn vehicle(text: &str, work: &ReadingBudget<'_>) -> (Option<String>, String) {
    let upper: Vec<char> = text.chars().map(|c| c.to_ascii_uppercase()).collect();
    let original: Vec<char> = text.chars().collect();
    work.take(text.len());
    for start in 0..upper.len() {
        let begins = start == 0 || !upper[start - 1].is_ascii_alphanumeric();
        if let Some((vin, end)) = begins.then(|| number_at(&upper, start, work)).flatten() {
            let rest = original[..start]
                .iter()
                .chain([&' '])
                .chain(&original[end..]);
            return (Some(vin), rest.collect());
        }
    }
    (None, text.to_owned())
}

fn number_at(upper: &[char], start: usize, work: &ReadingBudget<'_>) -> Option<(String, usize)> {
    let allowed = |c: char| c.is_ascii_alphanumeric() && !matches!(c, 'I' | 'O' | 'Q');
    let mut vin = String::new();
    for (at, &c) in upper.iter().enumerate().skip(start) {
        work.take(1);
        match c {
            c if allowed(c) => vin.push(c),
            ' ' | '-' if !vin.is_empty() => continue,
            _ => return None,
        }
        if vin.len() == 17 {
            let ends = upper.get(at + 1).is_none_or(|c| !c.is_ascii_alphanumeric());
            let digits = vin.bytes().filter(u8::is_ascii_digit).count();
            return (ends && digits >= 5).then_some((vin, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use schema::steps::Effort;

    fn any() -> ReadingBudget<'static> {
        ReadingBudget::within(Effort::any())
    }

    #[test]
    fn a_vehicle_is_found_however_it_is_grouped() {
        for text in [
            "car 0HV A7K2M9 B4048293.",
            "(0HVA7K2M9B4048293)",
            "0hva7k2m9b4048293 again",
            "车架号0HV-A7K2M9-B4048293。",
        ] {
            let (vin, rest) = vehicle(text, &any());
            assert_eq!(vin.as_deref(), Some("0HVA7K2M9B4048293"), "{text}");
            assert!(!rest.contains("48293"));
        }
        assert_eq!(vehicle("call 0HVA7K2M9B40482931 or 12345", &any()).0, None);
    }
}
