//! The activation of extensions by a request (v1.0 §3.2.6, §4.6).
//!
//! Knows the header of requests and responses. The extensions themselves are [`crate::objects`] and
//! [`crate::intent`]. Read next: [`crate::intake`].

use crate::card::Card;
use crate::error::{Error, ErrorKind};
use crate::version::{Version, inert};

/// The header of a version that names extensions, in requests and responses.
pub fn header(version: Version) -> &'static str {
    match version {
        Version::V03 => "X-A2A-Extensions",
        Version::V10 => "A2A-Extensions",
    }
}

/// The extensions that headers ask for, each once, in their order. Both names of the header may
/// occur, several times, with commas.
pub fn requested<'a>(headers: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut uris: Vec<String> = Vec::new();
    let all = headers.into_iter().flat_map(|header| header.split(','));
    for uri in all.map(str::trim).filter(|uri| !uri.is_empty()) {
        if !uris.iter().any(|known| known == uri) {
            uris.push(uri.to_owned());
        }
    }
    uris
}

/// The value of the response's header: the requested extensions that the agent supports. None if
/// there are none, and no header is sent then.
pub fn activated(card: &Card, requested: &[String]) -> Option<String> {
    let known = requested.iter().filter(|uri| card.extension(uri).is_some());
    let known: Vec<&str> = known.map(String::as_str).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// Checks that the client asked for every extension that the agent requires.
///
/// # Errors
/// [`ErrorKind::ExtensionSupportRequired`], naming the first one that is missing.
pub fn admit(card: &Card, requested: &[String]) -> Result<(), Error> {
    let mut required = card.extensions.iter().filter(|it| it.required);
    match required.find(|it| !requested.contains(&it.uri)) {
        None => Ok(()),
        Some(missing) => {
            let message = format!("extension '{}' is required", inert(&missing.uri));
            Err(Error::new(ErrorKind::ExtensionSupportRequired, message)
                .with("extension", missing.uri.as_str()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::AgentExtension;
    use crate::message::Metadata;
    use crate::{intent, objects};

    fn card(required: bool) -> Card {
        let mut card = Card::new("a", "b", "1.0.0");
        card.declare(AgentExtension {
            uri: objects::URI.to_owned(),
            description: None,
            required,
            params: Metadata::new(),
        });
        card
    }

    /// A15, Q66: extensions are requested by either header, echoed if supported, and refused if
    /// required and not requested.
    #[test]
    fn extensions_are_asked_for_and_echoed() {
        let both = format!(" {} , urn:x,{}", objects::URI, objects::URI);
        let asked = requested([both.as_str(), "", "urn:y"]);
        assert_eq!(asked, [objects::URI, "urn:x", "urn:y"]);
        assert_eq!(
            activated(&card(false), &asked).as_deref(),
            Some(objects::URI)
        );
        assert_eq!(activated(&card(false), &[intent::URI.to_owned()]), None);
        assert!(admit(&card(false), &[]).is_ok());
        assert!(admit(&card(true), &asked).is_ok());
        let refused = admit(&card(true), &[]).expect_err("required");
        assert_eq!(refused.kind, ErrorKind::ExtensionSupportRequired);
    }
}
