//! The languages of A2A-T prompts.
//!
//! Knows their tags. Read next: [`template`](super::template).

use schema::language::Language;

/// A language that prompts are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextLanguage {
    /// `en-US`.
    #[default]
    English,
    /// `zh-CN`.
    Chinese,
}

impl TextLanguage {
    /// Every language, English first.
    pub const ALL: [TextLanguage; 2] = [Self::English, Self::Chinese];

    /// The tag in A2A-T.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::English => "en-US",
            Self::Chinese => "zh-CN",
        }
    }

    /// The language that serves who prefers this one: Chinese whatever its script, else English.
    pub fn of(language: &Language) -> Self {
        match language.primary() {
            "zh" => Self::Chinese,
            _ => Self::English,
        }
    }

    /// The language of annotations.
    pub fn language(self) -> Language {
        match self {
            Self::English => Language::english(),
            Self::Chinese => Language::chinese(),
        }
    }

    /// One of two texts.
    pub(super) fn either<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}
