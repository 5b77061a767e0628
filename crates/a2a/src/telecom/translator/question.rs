//! The questions asked back of a prompt: what lacks, or cannot be.
//!
//! Knows how a question is put; refuses to know how it travels, which is
//! [`negotiation`](crate::telecom::negotiation)'s.

use super::Translator;
use crate::telecom::text_language::TextLanguage;
use schema::violation::PayloadViolation;

/// A question about one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The key of the schema; empty if the payload as a whole is meant.
    pub key: String,
    /// The title of the section that it belongs into.
    pub section: String,
    /// Its name there.
    pub label: String,
    /// The line where something wrong stands, from 1; none if nothing stands there.
    pub line: Option<u32>,
    /// Its meaning.
    pub meaning: String,
    /// The values expected: `string`, `one of: …`.
    pub expected: String,
    /// An example of how it may be said; empty if the schema has no example.
    pub example: String,
    /// The text found instead; none if it lacks.
    pub found: Option<String>,
}

impl Question {
    pub(super) fn new(
        translator: &Translator,
        key: &str,
        expected: &str,
        text_language: TextLanguage,
    ) -> Self {
        let (section, label) = match translator.field_of(key) {
            Some((part, field)) => (
                part.title.first(text_language),
                field.labels.first(text_language),
            ),
            None => (super::titles::further(text_language), key),
        };
        let schema = &translator.schema;
        let (meaning, example) = schema.key(key).map_or_else(Default::default, |key| {
            let language = text_language.language();
            let (_, described) = key.annotation.lookup(Some(&language), &schema.language);
            let example = described.examples.first().map(|e| e.said.clone());
            (described.meaning.clone(), example.unwrap_or_default())
        });
        Self {
            key: key.to_owned(),
            section: section.to_owned(),
            label: label.to_owned(),
            line: None,
            meaning,
            expected: expected.to_owned(),
            example,
            found: None,
        }
    }

    pub(super) fn of(
        translator: &Translator,
        violation: &PayloadViolation,
        text_language: TextLanguage,
    ) -> Self {
        let key = violation.key_name().unwrap_or_default();
        Self {
            found: violation.found.clone(),
            ..Self::new(translator, &key, &violation.expected, text_language)
        }
    }

    /// The question for people: what is meant, what is expected, what was found.
    pub fn words(&self, text_language: TextLanguage) -> String {
        let mut words = self.meaning.clone();
        let (open, close) = text_language.either((" (", ")"), ("（", "）"));
        words.push_str(open);
        words.push_str(&self.expected);
        if !self.example.is_empty() {
            words.push_str(text_language.either("; e.g. ", "；例如："));
            words.push_str(&self.example);
        }
        if let Some(found) = &self.found {
            words.push_str(text_language.either("; not ", "；不能是："));
            words.push_str(found);
        }
        words.push_str(close);
        words
    }
}
