//! The words of a key: of its name and of its description, and which of them say something.
//!
//! Refuses to know what a key takes. Read next: [`super::kind`], which guesses that from them.

use crate::lexicon;
use crate::rules::pattern::regex;
use language::script::is_cjk;
use language::text::tokens;
use language::word::stem;
use regex::Regex;
use schema::template::Annotation;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// All that an author tells of acceptable values and examples, which is not what a key means.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(example mappings?|examples?|acceptable values|可选值|取值|示例|例如映射)\s*[:：][^.。]*(?:\.\d[^.。]*)*[.。]?|default(s)?( value)?( is|s to|:)[^.]*\.?|'[^']*'\s*(?:->|→)\s*\S+",
    )
});

pub(super) fn prose(annotation: &Annotation) -> String {
    let all: Vec<&str> = annotation.0.values().map(|d| d.meaning.as_str()).collect();
    ASIDE.replace_all(&all.join(" "), " ").to_lowercase()
}

/// The words of a name in snake_case, camelCase or dots.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// Words of names that tell the form of a value and not what it is of.
const FORMAL: &str = " number count num amount total value values id ids identifier name names type list of in is has have \
 the a an to from by for enable enabled flag allow allowed allows include includes included with use using want \
 string text percent percentage watts minutes seconds hours days ms code status ";

pub(super) fn name_stems(name: &str) -> Vec<String> {
    let words = name_words(name);
    let telling: Vec<String> = words
        .iter()
        .filter(|w| !lexicon::listed(FORMAL, w))
        .map(|w| stem(w))
        .collect();
    if telling.is_empty() {
        words.iter().map(|w| stem(w)).collect()
    } else {
        telling
    }
}

pub(super) fn gist(prose: &str) -> BTreeSet<String> {
    let mut stems: BTreeSet<String> = tokens(prose)
        .iter()
        .filter(|t| t.text.is_ascii() && t.text.len() > 1)
        .filter(|t| {
            !lexicon::is_function(&t.text)
                && !lexicon::is_asking(&t.text)
                && !lexicon::listed(VAGUE, &t.text)
        })
        .map(|t| t.stem.clone())
        .collect();
    stems.extend(bigrams(prose));
    stems
}

/// Words of descriptions that tell nothing of what a key is of.
const VAGUE: &str = " key value values number name optional required default format string integer boolean whether flag \
 indicating indicates specified specific given based used user users type e g eg i etc example examples true false if not \
 acceptable range be ";

/// Pairs of neighbouring Chinese characters.
pub(crate) fn bigrams(text: &str) -> BTreeSet<String> {
    let chars: Vec<char> = text.chars().collect();
    chars
        .windows(2)
        .filter(|w| w.iter().all(|c| is_cjk(*c)))
        .map(|w| w.iter().collect())
        .collect()
}

/// A key's words, to guess from.
pub(super) struct Words<'a> {
    pub(super) name: &'a [String],
    pub(super) prose: &'a str,
}

impl Words<'_> {
    pub(super) fn named(&self, list: &str) -> bool {
        list.split_whitespace()
            .any(|w| self.name.contains(&stem(w)))
    }

    pub(super) fn told(&self, list: &[&str]) -> bool {
        list.iter().any(|w| contains_word(self.prose, w))
    }
}

/// True if a text holds a word, or for Chinese its characters.
pub(crate) fn contains_word(text: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_cjk(c));
        edge(before) && edge(after)
    })
}

/// A value as people say it: `carrier_shutdown` is "carrier shutdown".
pub(crate) fn spoken(written: &str) -> String {
    let snake = written.contains('_')
        || !written.contains(' ')
            && written.chars().skip(1).any(char::is_uppercase)
            && written.chars().any(char::is_lowercase);
    if snake {
        name_words(written).join(" ")
    } else {
        written.to_lowercase()
    }
}
