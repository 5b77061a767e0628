//! Words, each with what it means, all of which are looked for in a text at once.
//!
//! A text is gone through once, however many words there are. Refuses to know where a word may begin
//! and end: that is for who asks. Read next: [`crate::text`].

use std::collections::BTreeMap;
use std::ops::Bound;

/// The meanings of words; one word may mean several things.
#[derive(Clone, Debug)]
pub struct Dictionary<T>(BTreeMap<String, Vec<T>>);

impl<T> Dictionary<T> {
    /// Adds what a word means; a word without a character means nothing.
    pub fn add(&mut self, word: &str, meaning: T) {
        match self.0.get_mut(word) {
            Some(meanings) => meanings.push(meaning),
            None if word.is_empty() => {}
            None => drop(self.0.insert(word.to_owned(), vec![meaning])),
        }
    }

    /// The words with which `text` begins, longest first.
    pub fn beginning<'d>(&'d self, text: &str) -> impl Iterator<Item = (&'d str, &'d [T])> {
        let mut rest = text;
        std::iter::from_fn(move || {
            loop {
                // Whatever `rest` begins with stands before it, and begins all that is between.
                let range = (Bound::Unbounded, Bound::Included(rest));
                let (word, meanings) = self.0.range::<str, _>(range).next_back()?;
                let shared = shared_beginning(word, rest);
                rest = &rest[..shared];
                if shared == word.len() {
                    let last = rest.chars().next_back().map_or(0, char::len_utf8);
                    rest = &rest[..shared - last];
                    return Some((word.as_str(), meanings.as_slice()));
                }
            }
        })
    }
}

impl<T> Default for Dictionary<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<W: AsRef<str>, T> FromIterator<(W, T)> for Dictionary<T> {
    fn from_iter<I: IntoIterator<Item = (W, T)>>(words: I) -> Self {
        let mut dictionary = Self::default();
        for (word, meaning) in words {
            dictionary.add(word.as_ref(), meaning);
        }
        dictionary
    }
}

/// The number of bytes that two texts begin with alike.
fn shared_beginning(one: &str, other: &str) -> usize {
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    alike.map(|(c, _)| c.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_that_a_text_begins_with_are_found() {
        let words = [
            "base",
            "base station",
            "bas",
            "basis",
            "不来梅",
            "不来梅港",
            "",
        ];
        let dictionary: Dictionary<usize> = words.iter().zip(0..).collect();
        let found = |text: &str| {
            dictionary
                .beginning(text)
                .map(|(word, _)| word)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("base stations"), ["base station", "base", "bas"]);
        assert_eq!(found("不来梅港"), ["不来梅港", "不来梅"]);
        assert!(found("ba").is_empty() && found("").is_empty());
    }
}
