//! Typing errors: letters swapped, doubled or left out, capitals dropped.
//!
//! Numbers and words with digits are kept, as vehicle numbers are copied, not typed. Read next:
//! [`super::words`].

use crate::chance::{choose, happens, whole};
use domain::time::SeededRng;

/// The share of English letters with a typing error, and of those written without capitals.
const TYPO: f64 = 0.3;
const LOWER: f64 = 0.12;
/// The share of Chinese letters with a wrong character of the same sound, and of those without
/// punctuation.
const HOMOPHONE: f64 = 0.15;
const BARE: f64 = 0.12;
/// Characters that input methods confuse.
const HOMOPHONES: [(&str, &str); 5] = [
    ("信号", "信好"),
    ("网络", "网路"),
    ("的时候", "得时候"),
    ("一直", "一只"),
    ("怎么", "咋么"),
];
/// The shortest word that may be mistyped, in characters.
const SHORTEST: usize = 5;

pub(super) fn english(text: String, rng: &mut SeededRng) -> String {
    let mut text = text;
    if happens(rng, TYPO) {
        for _ in 0..whole(rng, 1, 2) {
            text = mistyped(&text, rng);
        }
    }
    if happens(rng, LOWER) {
        let lower = |word: &str| match word.bytes().any(|b| b.is_ascii_digit()) {
            true => word.to_owned(),
            false => word.to_lowercase(),
        };
        text = text.split(' ').map(lower).collect::<Vec<_>>().join(" ");
    }
    text
}

/// `text` with one word mistyped.
fn mistyped(text: &str, rng: &mut SeededRng) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let long = |word: &str| word.len() >= SHORTEST && word.bytes().all(|b| b.is_ascii_lowercase());
    let eligible: Vec<usize> = (0..words.len()).filter(|n| long(&words[*n])).collect();
    if let Some(at) = choose(rng, &eligible).copied() {
        let mut letters: Vec<char> = words[at].chars().collect();
        let place = whole(rng, 1, letters.len() - 2);
        match whole(rng, 0, 2) {
            0 => letters.swap(place, place + 1),
            1 => {
                letters.remove(place);
            }
            _ => letters.insert(place, letters[place]),
        }
        words[at] = letters.into_iter().collect();
    }
    words.join(" ")
}

pub(super) fn chinese(text: String, rng: &mut SeededRng) -> String {
    let mut text = text;
    if happens(rng, HOMOPHONE) {
        let present: Vec<_> = HOMOPHONES
            .iter()
            .filter(|(right, _)| text.contains(right))
            .collect();
        if let Some((right, wrong)) = choose(rng, &present).copied() {
            text = text.replacen(right, wrong, 1);
        }
    }
    if happens(rng, BARE) {
        text = text.replace(['，', '。', '！', '？'], " ");
        text.truncate(text.trim_end().len());
    }
    text
}
