//! The phrases of a template for one thing, in English and Chinese.
//!
//! Refuses to know what they are of: a title, a label, a value. Read next: [`template`](super::template),
//! [`form`](super::form).

use super::text_language::TextLanguage;
use serde::Deserialize;

/// The same in both languages, each at least once, the first being the one that is written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrases {
    /// English.
    pub en: Vec<String>,
    /// Chinese.
    pub zh: Vec<String>,
}

impl Phrases {
    /// Those of one language.
    pub fn in_tongue(&self, text_language: TextLanguage) -> &[String] {
        text_language.either(&self.en, &self.zh)
    }

    /// The one that is written.
    pub fn first(&self, text_language: TextLanguage) -> &str {
        let first = self.in_tongue(text_language).first();
        first.map_or("", String::as_str)
    }

    /// All, of both languages.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.en.iter().chain(&self.zh).map(String::as_str)
    }
}
