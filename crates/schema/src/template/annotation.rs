//! The meaning of a key, in the languages that its author wrote (§4.2).

use crate::language::{self, Language};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The descriptions of one thing, by language; never empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Annotation(pub BTreeMap<Language, Description>);

/// The meaning of something, in one language.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The meaning, without acceptable values and examples where these are given apart; the whole
    /// prose as its author wrote it where `verbatim`.
    pub meaning: String,
    /// True if the author wrote one prose, examples and acceptable values in it: it is told as it
    /// stands, and `examples` are what could be read from it.
    pub verbatim: bool,
    /// The utterances of people, with the value they mean.
    pub examples: Vec<MappingExample>,
}

/// `'two people' -> 2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MappingExample {
    /// The utterance.
    pub said: String,
    /// The value they mean.
    pub value: Value,
}

/// Stands for an annotation that somebody made without any description.
static NOTHING: LazyLock<(Language, Description)> =
    LazyLock::new(|| (Language::english(), Description::default()));

impl Annotation {
    /// One description, in one language.
    pub fn of(language: Language, description: Description) -> Self {
        Self(BTreeMap::from([(language, description)]))
    }

    /// The description that serves who prefers a language: the preferred one or what it falls back
    /// to (RFC 4647 §3.4), else the default or what that falls back to, else any.
    pub fn lookup(
        &self,
        preferred: Option<&Language>,
        default: &Language,
    ) -> (&Language, &Description) {
        preferred
            .and_then(|l| language::lookup(l, self.0.keys()))
            .or_else(|| language::lookup(default, self.0.keys()))
            .and_then(|l| self.0.get_key_value(l))
            .or_else(|| self.0.first_key_value())
            .unwrap_or((&NOTHING.0, &NOTHING.1))
    }
}

impl Description {
    /// A meaning alone, without examples.
    pub fn meaning(text: &str) -> Self {
        Self {
            meaning: text.to_owned(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Q4, D30: the preferred language, what it falls back to, the default, any; never an error.
    #[test]
    fn lookup_serves_something_always() {
        let tag = |t: &str| Language::parse(t).expect("a tag");
        let annotation = Annotation(BTreeMap::from([
            (tag("de"), Description::meaning("Leistung")),
            (tag("en"), Description::meaning("power")),
            (tag("zh"), Description::meaning("功率")),
        ]));
        let served = |preferred: Option<&str>, default: &str| {
            let preferred = preferred.map(tag);
            annotation
                .lookup(preferred.as_ref(), &tag(default))
                .0
                .to_string()
        };
        assert_eq!(served(Some("zh-Hans-CN"), "en"), "zh");
        assert_eq!(served(Some("fr"), "en-US"), "en");
        assert_eq!(served(None, "zh"), "zh");
        assert_eq!(served(Some("fr"), "it"), "de");
        assert_eq!(Annotation::default().lookup(None, &tag("it")).1.meaning, "");
    }
}
