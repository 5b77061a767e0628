//! Languages of annotations: BCP 47 tags, looked up as RFC 4647 §3.4 says.
//!
//! Knows the form of a tag and its canonical case (RFC 5646 §2.1, §2.1.1); refuses to know which
//! subtags are registered. Read next: [`crate::template::Annotation`].

use language::excerpt::excerpt;
use oxilangtag::LanguageTag;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A BCP 47 language tag in its canonical case: `en`, `zh-Hans`, `en-US`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language(String);

/// The text is not a well-formed language tag (RFC 5646 §2.1), or longer than is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a language tag of at most {LONGEST} bytes, such as en or zh-Hans", excerpt(.0))]
pub struct NotALanguage(pub String);

/// The longest tag that is read, in bytes; far above what RFC 5646 §4.4.1 asks for.
const LONGEST: usize = 128;

impl Language {
    /// English, the default of templates that name no language.
    pub fn english() -> Self {
        Self("en".to_owned())
    }

    /// Chinese.
    pub fn chinese() -> Self {
        Self("zh".to_owned())
    }

    /// Reads a well-formed tag in any case.
    ///
    /// # Errors
    /// [`NotALanguage`] for anything that RFC 5646 §2.1 does not produce, and for a variant or an
    /// extension given twice.
    pub fn parse(text: &str) -> Result<Self, NotALanguage> {
        let short = (text.len() <= LONGEST).then_some(text);
        let tag = short.and_then(|text| LanguageTag::parse_and_normalize(text).ok());
        tag.filter(|tag| {
            let singletons = tag.extension_subtags().map(|(singleton, _)| singleton);
            are_distinct(tag.variant_subtags()) && are_distinct(singletons)
        })
        .map(|tag| Self(tag.into_inner()))
        .ok_or_else(|| NotALanguage(text.to_owned()))
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its first subtag: `zh` of `zh-Hans`.
    pub fn primary(&self) -> &str {
        self.0.split('-').next().unwrap_or(&self.0)
    }

    /// The tag and what it falls back to, the longest first: `zh-Hans-CN`, `zh-Hans`, `zh`
    /// (RFC 4647 §3.4: a single-letter subtag goes with the one behind it).
    pub fn fallbacks(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self.0.as_str()), |tag| shortened(tag))
    }
}

/// The available language that a preferred one is served by, by RFC 4647 §3.4 lookup; none if none
/// is.
pub fn lookup<'a>(
    preferred: &Language,
    available: impl IntoIterator<Item = &'a Language> + Clone,
) -> Option<&'a Language> {
    preferred
        .fallbacks()
        .find_map(|tag| available.clone().into_iter().find(|l| l.as_str() == tag))
}

fn shortened(tag: &str) -> Option<&str> {
    let (shorter, _) = tag.rsplit_once('-')?;
    match shorter.rsplit_once('-') {
        Some((shortest, last)) if last.len() == 1 => Some(shortest),
        None if shorter.len() == 1 => None,
        _ => Some(shorter),
    }
}

/// True if no subtag is given twice, which RFC 5646 §2.2.9 asks for beside the grammar.
fn are_distinct<T: Ord>(mut subtags: impl Iterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    subtags.all(|subtag| seen.insert(subtag))
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Language {
    type Err = NotALanguage;
    fn from_str(text: &str) -> Result<Self, NotALanguage> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Language {
    type Error = NotALanguage;
    fn try_from(text: String) -> Result<Self, NotALanguage> {
        Self::parse(&text)
    }
}

impl From<Language> for String {
    fn from(language: Language) -> String {
        language.0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tag(text: &str) -> Language {
        Language::parse(text).unwrap()
    }

    /// D30, Q4: any case is read, one is kept.
    #[test]
    fn tags_are_kept_in_canonical_case() {
        for (given, canonical) in [
            ("EN", "en"),
            ("en-us", "en-US"),
            ("ZH-hans-cn", "zh-Hans-CN"),
            ("zh-cmn-hans", "zh-cmn-Hans"),
            ("sl-rozaj-biske", "sl-rozaj-biske"),
            ("de-CH-1996", "de-CH-1996"),
            ("en-CA-X-CA", "en-CA-x-ca"),
            ("sgn-be-FR", "sgn-BE-FR"),
            ("az-Latn", "az-Latn"),
            ("es-419", "es-419"),
            ("de-DE-u-CO-phonebk", "de-DE-u-co-phonebk"),
            ("x-WHATEVER", "x-whatever"),
            ("I-KLINGON", "i-klingon"),
        ] {
            assert_eq!(tag(given).as_str(), canonical, "{given}");
        }
    }

    /// Q4: what is not a tag is told apart from one.
    #[test]
    fn what_the_grammar_does_not_produce_is_refused() {
        for text in [
            "",
            "e",
            "english1",
            "en_US",
            "en-",
            "-en",
            "en--US",
            "123",
            "x",
            "a-DE",
            "en-x",
            "de-1901-1901",
            "ar-a-aaa-b-bbb-a-ccc",
            "en-a",
            "toolonglanguage",
            "zh-中文",
            "*",
            "en-US-US",
            "en;q=0.8",
        ] {
            assert_eq!(
                Language::parse(text),
                Err(NotALanguage(text.into())),
                "{text}"
            );
        }
        let longest = format!("en-x{}-abcdef", "-abcdefgh".repeat(13));
        assert_eq!(
            (longest.len(), tag(&longest).as_str()),
            (LONGEST, &*longest)
        );
        assert!(Language::parse(&format!("{longest}g")).is_err());
    }

    /// Q4: RFC 4647 §3.4 lookup, its own example included.
    #[test]
    fn lookup_shortens_the_preferred_tag_until_one_is_there() {
        let fallbacks = |t: &str| tag(t).fallbacks().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            fallbacks("zh-Hant-CN-x-private1-private2"),
            [
                "zh-Hant-CN-x-private1-private2",
                "zh-Hant-CN-x-private1",
                "zh-Hant-CN",
                "zh-Hant",
                "zh"
            ]
        );
        assert_eq!(fallbacks("x-one"), ["x-one"]);
        let available = [tag("en"), tag("en-GB"), tag("zh")];
        let served = |t: &str| lookup(&tag(t), &available).map(Language::as_str);
        assert_eq!(served("en-US"), Some("en"));
        assert_eq!(served("en-gb-oxendict"), Some("en-GB"));
        assert_eq!(served("zh-Hans"), Some("zh"));
        assert_eq!(served("de"), None);
    }

    #[test]
    fn serde_refuses_what_parse_refuses() {
        assert_eq!(
            serde_json::from_str::<Language>("\"EN-us\"").unwrap(),
            tag("en-US")
        );
        assert!(serde_json::from_str::<Language>("\"en_US\"").is_err());
    }
}
