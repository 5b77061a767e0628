//! The versions of A2A, and their dialects on the wire.
//!
//! Knows the two versions, the header by which a client names one, and the three dialects of JSON:
//! the official clients write v0.3 over HTTP+JSON as ProtoJSON of its own. Read next:
//! [`crate::wire`], [`crate::method`].

use std::fmt;

/// The header, or query parameter, by which a client names its version (v1.0 §3.6.1).
pub const HEADER: &str = "A2A-Version";

/// A supported version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 0.3, that of most deployed clients.
    V03,
    /// 1.0.
    V10,
}

impl Version {
    /// Every version, older first.
    pub const ALL: [Self; 2] = [Self::V03, Self::V10];

    /// Major and minor number, as in the header and in a card.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V03 => "0.3",
            Self::V10 => "1.0",
        }
    }

    /// The version that a header names: empty or absent is 0.3, a patch number is ignored (v1.0
    /// §3.6.2). Of a header that came several times, all values with commas between them (RFC 9110
    /// §5.3): each must name the same.
    ///
    /// # Errors
    /// [`UnsupportedVersion`] for any other value, and for several versions.
    pub fn of_header(header: Option<&str>) -> Result<Self, UnsupportedVersion> {
        let said = header.unwrap_or_default();
        let mut named = said.split(',').map(|one| Self::of_value(one.trim()));
        let first = named.next().unwrap_or(Ok(Self::V03));
        match named.all(|other| other == first) {
            true => first,
            false => Err(UnsupportedVersion::Several(inert(said))),
        }
    }

    fn of_value(said: &str) -> Result<Self, UnsupportedVersion> {
        match major_and_minor(said) {
            _ if said.is_empty() => Ok(Self::V03),
            Some(("0", "3")) => Ok(Self::V03),
            Some(("1", "0")) => Ok(Self::V10),
            _ => Err(UnsupportedVersion::Unknown(inert(said))),
        }
    }
}

/// The error for a request that is of no version in which it can be served; it quotes the beginning of
/// what was said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedVersion {
    /// The version is neither of the two.
    #[error("version '{0}' is not spoken here, only 0.3 and 1.0 are")]
    Unknown(String),
    /// More than one version is named.
    #[error("the request says '{0}', one version is needed")]
    Several(String),
    /// The method is of another version than the request.
    #[error("'{name}' is a method of {of}; the request says {said}")]
    Method {
        /// The name of the method.
        name: String,
        /// Its version.
        of: Version,
        /// The version of the request.
        said: Version,
    },
    /// The path is of another version than the request.
    #[error("this is a path of {of}; the request says {said}")]
    Path {
        /// The version of the path.
        of: Version,
        /// The version of the request.
        said: Version,
    },
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A JSON form of A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// v0.3 by its specification: unions distinguished by `kind`.
    V03,
    /// v0.3 of the official clients over HTTP+JSON: ProtoJSON of the v0.3 messages (`content` for
    /// `parts`, unions distinguished by member name, long names of enumerations).
    V03Proto,
    /// v1.0: ProtoJSON of the v1.0 messages.
    V10,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::V03, Self::V03Proto, Self::V10];

    /// The version that it belongs to.
    pub fn version(self) -> Version {
        match self {
            Self::V03 | Self::V03Proto => Version::V03,
            Self::V10 => Version::V10,
        }
    }

    /// True where values of enumerations have their long names, as in ProtoJSON.
    pub(crate) fn is_proto(self) -> bool {
        self != Self::V03
    }
}

impl From<Version> for Dialect {
    /// The dialect of a version over JSON-RPC.
    fn from(version: Version) -> Self {
        match version {
            Version::V03 => Self::V03,
            Version::V10 => Self::V10,
        }
    }
}

fn major_and_minor(said: &str) -> Option<(&str, &str)> {
    let mut numbers = said.split('.');
    let (major, minor, patch) = (numbers.next()?, numbers.next()?, numbers.next());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let whole = patch.is_none_or(digits) && numbers.next().is_none();
    whole.then_some((major, minor))
}

/// The text of a peer shortened and without control characters, to be quoted in an error.
pub(crate) fn inert(text: &str) -> String {
    const TOLD_CHARS: usize = 64;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().take(TOLD_CHARS).map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};

    /// A5: Major.Minor, empty means 0.3, everything else is refused, and so is what names two.
    #[test]
    fn a_header_names_a_version() {
        for (header, version) in [
            (None, Ok(Version::V03)),
            (Some(""), Ok(Version::V03)),
            (Some(" 0.3 "), Ok(Version::V03)),
            (Some("0.3.0"), Ok(Version::V03)),
            (Some("1.0"), Ok(Version::V10)),
            (Some("1.0.1"), Ok(Version::V10)),
            (Some("1.0, 1.0.1,1.0"), Ok(Version::V10)),
            (Some("1.0, 0.3"), Err(())),
            (Some("0.3, 1.0"), Err(())),
            (Some("1.0,"), Err(())),
            (Some("1.0, 9.9"), Err(())),
            (Some("1"), Err(())),
            (Some("1.1"), Err(())),
            (Some("1.0.x"), Err(())),
            (Some("1.0.1.2"), Err(())),
            (Some("0.2.9"), Err(())),
            (Some("latest"), Err(())),
        ] {
            let found = Version::of_header(header);
            if let Err(refusal) = found.clone() {
                assert_eq!(Error::from(refusal).kind, ErrorKind::VersionNotSupported);
            }
            assert_eq!(found.map_err(|_| ()), version, "{header:?}");
        }
    }
}
