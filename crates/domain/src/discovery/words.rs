//! Splitting text into words, in English and in Chinese.
//!
//! A run of letters and digits, without capitals; where a script puts no blanks between words, each
//! pair of neighbouring characters, or a character that stands alone. Grammar and synonyms are not
//! considered. Read next: [`super::index`].

use language::script::is_unspaced;
use language::word::singular;
use std::collections::BTreeSet;

/// The most different words of a question that are looked at: the first ones.
pub(super) const ASKED_MOST: usize = 64;

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let characters: Vec<char> = run.chars().flat_map(char::to_lowercase).collect();
        for part in characters.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
            match part {
                [_, _, ..] if is_unspaced(part[0]) => {
                    words.extend(part.windows(2).map(String::from_iter));
                }
                whole => words.push(String::from_iter(whole)),
            }
        }
    }
    words
}

/// The different words of a question, in order.
pub(super) fn asked(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut words = words(text);
    words.retain(|word| seen.insert(singular(word).into_owned()));
    words.truncate(ASKED_MOST);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_english_and_chinese() {
        let text = "Line-cards: fault_diagnosis_v1, loss of 5G基站故障诊断 (站) 用";
        let expected = "line cards fault diagnosis v1 loss of 5g 基站 站故 故障 障诊 诊断 站 用";
        assert_eq!(words(text).join(" "), expected);
        assert!(words(" —, …").is_empty());
        assert_eq!(asked("Links, link; loss 站"), ["links", "loss", "站"]);
        assert_eq!(
            asked(&(0..100).map(|i| format!("w{i} ")).collect::<String>()).len(),
            64
        );
    }
}
