//! The content words of a fragment, in English and fit for a key name.
//!
//! Latin script is split at what is no letter and brought to the singular; Chinese is looked up,
//! longest word first ([`super::lexicon`]), and what is not found is passed over. Read next:
//! [`super::induce`].

use super::lexicon::{english_before, is_negation, is_stop, negates_in_chinese};
use ::language::quantity::{number_word, unit_named};
use ::language::word::singular;

/// Longer words are no words.
const WORD_MAX: usize = 24;

/// The words that a fragment is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Content words in order, each once.
    pub(super) content: Vec<String>,
    /// True if something is *not* wanted.
    pub(super) negated: bool,
}

/// The words of a fragment. What was veiled by [`crate::other`] stands in brackets and is left out.
pub(super) fn words(text: &str) -> Words {
    let mut words = Words::default();
    let text = unveiled(&text.to_lowercase().replace('\'', ""));
    words.negated = negates_in_chinese(&text);
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_alphabetic() {
            words.take_latin(rest)
        } else if let Some((english, length)) = english_before(rest) {
            words.note(english);
            length
        } else {
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    words
}

impl Words {
    fn take_latin(&mut self, rest: &str) -> usize {
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let word = &rest[..length];
        if is_negation(word) {
            self.negated = true;
        } else if length > 1 && length <= WORD_MAX && !is_stop(word) && !is_stop(&singular(word)) {
            self.note(&singular(word));
        }
        length
    }

    fn note(&mut self, word: &str) {
        if !self.content.iter().any(|known| known == word) {
            self.content.push(word.to_owned());
        }
    }

    /// Without words of number and unit.
    pub(super) fn without_quantities(mut self) -> Self {
        self.content
            .retain(|word| unit_named(word).is_none() && number_word(word).is_none());
        self
    }
}

fn unveiled(text: &str) -> String {
    let mut shown = String::new();
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => shown.push(c),
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_what_is_left_of_courtesy_and_grammar() {
        let said = |text: &str| words(text).content.join(" ");
        assert_eq!(said("I'd prefer window seats, please!"), "id window seat");
        assert_eq!(said("请安排靠窗的座位"), "window seat");
        assert_eq!(said("reserve [number] bags for [name]"), "reserve bag");
        assert!(words("no smoking").negated && words("不要打开告警").negated);
    }
}
