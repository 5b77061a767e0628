//! A condition of subscriptions: in which words it is said, and whether a payload meets it.
//!
//! Refuses to know documents and their sections. Read next: [`super`].

use super::super::labels::{parts, unquoted};
use super::super::phrases::Phrases;
use super::super::text_language::TextLanguage;
use domain::content::Payload;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A condition that a subscription can ask for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionCondition {
    /// Its names.
    pub labels: Phrases,
    /// The keys of the results that it looks at; a value under any of them will do.
    pub keys: Vec<String>,
    /// The values that the keys hold, and how that is said; if empty, anything, taken as it stands.
    #[serde(default)]
    pub values: BTreeMap<String, Phrases>,
    /// The beginning of values, said or not, such as `site:`.
    #[serde(default)]
    pub prefix: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Test {
    pub(super) keys: Vec<String>,
    pub(super) values: BTreeSet<String>,
}

impl SubscriptionCondition {
    /// The condition that one of these values stands there; none if it has no words for them.
    pub(super) fn said(&self, value: &Value, text_language: TextLanguage) -> Option<String> {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let word = |value: &Value| {
            let value = value.as_str()?;
            match self.values.is_empty() {
                true => Some(value.trim_start_matches(&self.prefix).to_owned()),
                false => Some(self.values.get(value)?.first(text_language).to_owned()),
            }
        };
        let words: Option<Vec<String>> = values.iter().map(word).collect();
        Some(format!(
            "{}: {}",
            self.labels.first(text_language),
            words?.join(", ")
        ))
    }

    pub(super) fn test(&self, said: &str) -> Result<Test, (String, String)> {
        let bare = said.trim_start_matches('[').trim_end_matches(']');
        let values: Result<BTreeSet<String>, _> = parts(bare)
            .into_iter()
            .map(|value| self.value(&unquoted(value)))
            .collect();
        let label = self.labels.first(TextLanguage::English);
        match values? {
            values if values.is_empty() => Err((label.to_owned(), "says no value".to_owned())),
            values => Ok(Test {
                keys: self.keys.clone(),
                values,
            }),
        }
    }

    fn value(&self, said: &str) -> Result<String, (String, String)> {
        if self.values.is_empty() {
            return Ok(match said.starts_with(&self.prefix) {
                true => said.to_owned(),
                false => format!("{}{said}", self.prefix),
            });
        }
        let same = |phrase: &str| phrase.eq_ignore_ascii_case(said);
        let found = self
            .values
            .iter()
            .find(|(name, phrases)| same(name) || phrases.all().any(same));
        found.map(|(name, _)| name.clone()).ok_or_else(|| {
            let known: Vec<&str> = self
                .values
                .values()
                .map(|p| p.first(TextLanguage::English))
                .collect();
            let label = self.labels.first(TextLanguage::English);
            (
                said.to_owned(),
                format!("is no value of '{label}'; values are {}", known.join(", ")),
            )
        })
    }
}

impl Test {
    pub(super) fn holds(&self, payload: &Payload) -> bool {
        let values = self.keys.iter().filter_map(|key| payload.values.get(key));
        values.into_iter().any(|value| match value {
            Value::Array(items) => items.iter().any(|item| self.is_met_by(item)),
            value => self.is_met_by(value),
        })
    }

    fn is_met_by(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.values.contains(text),
            value => self.values.contains(&value.to_string()),
        }
    }
}
