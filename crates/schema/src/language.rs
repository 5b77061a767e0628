//! Languages of annotations: BCP 47 tags, looked up as RFC 4647 §3.4 says.
//!
//! Knows the form of a tag and its canonical case (RFC 5646 §2.1, §2.1.1); refuses to know which
//! subtags are registered. Read next: [`crate::template::Annotation`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A BCP 47 language tag in its canonical case: `en`, `zh-Hans`, `en-US`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language(String);

/// The text is not a well-formed language tag (RFC 5646 §2.1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a language tag, such as en or zh-Hans")]
pub struct NotALanguage(pub String);

/// Tags registered before there was a grammar, which it does not cover (RFC 5646 §2.1, `irregular`).
const IRREGULAR: [&str; 17] = [
    "en-gb-oed",
    "i-ami",
    "i-bnn",
    "i-default",
    "i-enochian",
    "i-hak",
    "i-klingon",
    "i-lux",
    "i-mingo",
    "i-navajo",
    "i-pwn",
    "i-tao",
    "i-tay",
    "i-tsu",
    "sgn-be-fr",
    "sgn-be-nl",
    "sgn-ch-de",
];

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
        let lower = text.to_ascii_lowercase();
        let well_formed = text.len() <= LONGEST
            && (IRREGULAR.contains(&lower.as_str()) || follows_grammar(&lower));
        if well_formed {
            Ok(Self(canonical_case(&lower)))
        } else {
            Err(NotALanguage(text.to_owned()))
        }
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

/// True if the tag, in lower case, is a `langtag` or a `privateuse` of RFC 5646 §2.1.
fn follows_grammar(tag: &str) -> bool {
    let subtags: Vec<&str> = tag.split('-').collect();
    let sane =
        |s: &&str| (1..=8).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_alphanumeric());
    subtags.iter().all(sane) && (private_use(&subtags) || language_tag(&subtags))
}

fn private_use(subtags: &[&str]) -> bool {
    subtags.len() > 1 && subtags[0] == "x"
}

fn language_tag(subtags: &[&str]) -> bool {
    let Some(mut rest) = after_language(subtags) else {
        return false;
    };
    rest = rest.strip_prefix_if(|s| s.len() == 4 && alphabetic(s));
    rest = rest.strip_prefix_if(|s| (s.len() == 2 && alphabetic(s)) || (s.len() == 3 && digits(s)));
    let variants = rest.iter().take_while(|s| is_variant(s)).count();
    unique(&rest[..variants]) && extensions(&rest[variants..])
}

/// What follows the language and its at most three extended subtags.
fn after_language<'s, 'a>(subtags: &'s [&'a str]) -> Option<&'s [&'a str]> {
    let (first, mut rest) = subtags.split_first()?;
    if !alphabetic(first) || first.len() < 2 {
        return None;
    }
    if first.len() <= 3 {
        for _ in 0..3 {
            rest = rest.strip_prefix_if(|s| s.len() == 3 && alphabetic(s));
        }
    }
    Some(rest)
}

/// True if the subtags are extensions, each under its own singleton, and perhaps a private use.
fn extensions(subtags: &[&str]) -> bool {
    let mut rest = subtags;
    let mut seen = BTreeSet::new();
    while let Some((singleton, behind)) = rest.split_first() {
        if *singleton == "x" {
            return !behind.is_empty();
        }
        let length = behind.iter().take_while(|s| s.len() >= 2).count();
        if singleton.len() != 1 || length == 0 || !seen.insert(*singleton) {
            return false;
        }
        rest = &behind[length..];
    }
    true
}

fn is_variant(subtag: &str) -> bool {
    subtag.len() >= 5 || (subtag.len() == 4 && subtag.as_bytes()[0].is_ascii_digit())
}

fn alphabetic(subtag: &str) -> bool {
    subtag.bytes().all(|b| b.is_ascii_alphabetic())
}

fn digits(subtag: &str) -> bool {
    subtag.bytes().all(|b| b.is_ascii_digit())
}

fn unique(subtags: &[&str]) -> bool {
    subtags.iter().collect::<BTreeSet<_>>().len() == subtags.len()
}

/// Drops the first element where a test holds for it.
trait StripPrefixIf {
    fn strip_prefix_if(self, holds: impl Fn(&str) -> bool) -> Self;
}

impl StripPrefixIf for &[&str] {
    fn strip_prefix_if(self, holds: impl Fn(&str) -> bool) -> Self {
        match self.split_first() {
            Some((first, rest)) if holds(first) => rest,
            _ => self,
        }
    }
}

/// The case of RFC 5646 §2.1.1: regions upper, scripts title, all else lower, and lower behind a
/// singleton.
fn canonical_case(lower: &str) -> String {
    let mut after_singleton = false;
    let cased: Vec<String> = lower
        .split('-')
        .enumerate()
        .map(|(i, subtag)| {
            let plain = i == 0 || after_singleton;
            after_singleton |= subtag.len() == 1;
            match subtag.len() {
                2 if !plain => subtag.to_ascii_uppercase(),
                4 if !plain => title(subtag),
                _ => subtag.to_owned(),
            }
        })
        .collect();
    cased.join("-")
}

fn title(subtag: &str) -> String {
    let (first, rest) = subtag.split_at(1);
    first.to_ascii_uppercase() + rest
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
        let endless = format!("en-x{}", "-abcdefgh".repeat(40));
        assert!(Language::parse(&endless).is_err());
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
