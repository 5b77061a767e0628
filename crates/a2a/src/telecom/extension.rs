//! The URIs of A2A-T: its four extensions in both generations, and the templates they name.
//!
//! Knows spellings only. Refuses to know what is said under them. Read next:
//! [`envelope`](super::envelope), where they stand in a message.

use std::fmt;

/// The beginning of all extension URIs.
const PREFIX: &str = "https://projects.tmforum.org/a2aproject/telecommunication/extensions/";

/// An extension, whatever its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `Task-T`: a task as sections of a prompt.
    Task,
    /// `Notification-T`: a subscription.
    Notification,
    /// `Negotiation-T`: offers, acceptances and refusals in rounds.
    Negotiation,
    /// `Authorization-T`: who may do what; see [`authorization`](super::authorization).
    Authorization,
}

impl Family {
    /// Every extension.
    pub const ALL: [Family; 4] = [
        Self::Task,
        Self::Notification,
        Self::Negotiation,
        Self::Authorization,
    ];

    /// The name in URIs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Task => "Task-T",
            Self::Notification => "Notification-T",
            Self::Negotiation => "Negotiation-T",
            Self::Authorization => "Authorization-T",
        }
    }

    /// The extension called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.as_str() == name)
    }
}

/// The spelling of the URIs that a peer uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UriGeneration {
    /// `…/Task-T/v1`.
    #[default]
    Current,
    /// `…/Task-T/NL/v1`, of older builds.
    Older,
}

/// An extension as a peer names it; it is answered by the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TelecomExtension {
    /// Its purpose.
    pub family: Family,
    /// Its spelling.
    pub generation: UriGeneration,
}

impl TelecomExtension {
    /// Every extension in every spelling, for cards and headers.
    pub fn all() -> impl Iterator<Item = Self> {
        let spelled = |family| {
            [UriGeneration::Current, UriGeneration::Older]
                .map(|generation| Self { family, generation })
        };
        Family::ALL.into_iter().flat_map(spelled)
    }

    /// The spelling in which a peer's card declares an extension, the current one first; none if it
    /// does not.
    pub fn declared<'a>(family: Family, uris: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let declared = uris.into_iter().filter_map(Self::parse);
        declared
            .filter(|e| e.family == family)
            .min_by_key(|e| e.generation)
    }

    /// The URI.
    pub fn uri(self) -> String {
        let version = match self.generation {
            UriGeneration::Current => "v1",
            UriGeneration::Older => "NL/v1",
        };
        format!("{PREFIX}{}/{version}", self.family.as_str())
    }

    /// The extension of this URI; none if it is none of A2A-T.
    pub fn parse(uri: &str) -> Option<Self> {
        let (family, version) = uri.strip_prefix(PREFIX)?.split_once('/')?;
        let generation = match version {
            "v1" => UriGeneration::Current,
            "NL/v1" => UriGeneration::Older,
            _ => return None,
        };
        Family::parse(family).map(|family| Self { family, generation })
    }
}

/// `Task-T/network-layer/ran-energy-saving/v1`: a template, whatever its language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateUri {
    /// Its first segment.
    pub family: Family,
    /// The segments between, at least one, by `/`.
    pub path: String,
    /// Its last segment, such as `v1`.
    pub version: String,
}

/// The text names no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a template URI, such as Task-T/network-layer/ran-energy-saving/v1")]
pub struct NotATemplateUri(pub String);

impl TemplateUri {
    /// The longest that is read, in bytes.
    const LONGEST: usize = 256;

    /// Reads a template URI.
    ///
    /// # Errors
    /// [`NotATemplateUri`]: fewer than three segments, an empty one, one of dots or a backslash, an
    /// unknown extension, or more than 256 bytes.
    pub fn parse(text: &str) -> Result<Self, NotATemplateUri> {
        Self::segments(text).ok_or_else(|| NotATemplateUri(text.chars().take(80).collect()))
    }

    fn segments(text: &str) -> Option<Self> {
        let simple = |s: &str| !s.trim().is_empty() && !s.contains("..") && !s.contains('\\');
        if text.len() > Self::LONGEST || !text.split('/').all(simple) {
            return None;
        }
        let (family, rest) = text.split_once('/')?;
        let (path, version) = rest.rsplit_once('/')?;
        Some(Self {
            family: Family::parse(family)?,
            path: path.to_owned(),
            version: version.to_owned(),
        })
    }
}

impl fmt::Display for TemplateUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.family.as_str(), self.path, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Issue 6 §5: both generations are known, each answered by its own name.
    #[test]
    fn both_generations_are_known() {
        let all: Vec<TelecomExtension> = TelecomExtension::all().collect();
        assert_eq!(all.len(), 8);
        for extension in all {
            assert_eq!(TelecomExtension::parse(&extension.uri()), Some(extension));
        }
        let older =
            "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T/NL/v1";
        let found = TelecomExtension::parse(older).expect("an extension");
        assert_eq!(
            (found.family, found.generation),
            (Family::Task, UriGeneration::Older)
        );
    }

    #[test]
    fn a_peer_is_spoken_to_as_its_card_spells() {
        let all: Vec<String> = TelecomExtension::all().map(TelecomExtension::uri).collect();
        let uris = all.iter().map(String::as_str);
        let declared = |family, uris: &[&str]| {
            TelecomExtension::declared(family, uris.iter().copied()).map(|e| e.generation)
        };
        let uris: Vec<&str> = uris.rev().collect();
        assert_eq!(declared(Family::Task, &uris), Some(UriGeneration::Current));
        let older: Vec<&str> = uris.iter().copied().filter(|u| u.contains("NL")).collect();
        assert_eq!(declared(Family::Task, &older), Some(UriGeneration::Older));
        assert_eq!(declared(Family::Task, &["https://example.org"]), None);
    }

    #[test]
    fn other_uris_are_none() {
        for uri in [
            "",
            "Task-T/v1",
            "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T",
            "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T/v2",
            "https://projects.tmforum.org/a2aproject/telecommunication/extensions/task-t/v1",
            "https://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T/v1/",
            "http://projects.tmforum.org/a2aproject/telecommunication/extensions/Task-T/v1",
        ] {
            assert_eq!(TelecomExtension::parse(uri), None, "{uri}");
        }
    }

    #[test]
    fn template_uris_are_read_and_written() {
        for uri in [
            "Task-T/network-layer/ran-energy-saving/v1",
            "Negotiation-T/common/abort/v1",
            "Authorization-T/authorization-policy-management/v2",
        ] {
            assert_eq!(TemplateUri::parse(uri).expect(uri).to_string(), uri);
        }
        for uri in [
            "",
            "Task-T/v1",
            "Task-T//v1",
            "Task-T/../v1",
            "Other/x/v1",
            "Task-T/a\\b/v1",
        ] {
            TemplateUri::parse(uri).expect_err(uri);
        }
    }
}
