//! The exchange of capabilities (RFC 6241 §8.1), for both sides.
//!
//! Writes and reads `<hello>`, and decides the framing that follows. The capabilities of a server
//! are configured by the caller.

use crate::framing::Framing;
use crate::names::capability::{BASE_1_0, BASE_1_1};
use crate::names::namespace::BASE;
use crate::xml::{XmlElement, write};
use std::sync::Arc;

/// Capability URIs of one peer, trimmed, in the order given; cheap to clone, so that sessions
/// share what their server announces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities(Arc<[String]>);

impl Capabilities {
    /// Capabilities from URIs; white space at both ends is dropped, as are empty ones and
    /// repetitions.
    pub fn new<T: AsRef<str>>(uris: impl IntoIterator<Item = T>) -> Self {
        let mut known: Vec<String> = Vec::new();
        for uri in uris {
            let uri = uri.as_ref().trim();
            if !uri.is_empty() && !known.iter().any(|other| other == uri) {
                known.push(uri.to_owned());
            }
        }
        Capabilities(known.into())
    }

    /// True if the capability is announced, with any parameters.
    pub fn has(&self, uri: &str) -> bool {
        self.0.iter().any(|known| strip_parameters(known) == uri)
    }

    /// The parameters of a capability: the part after `?`.
    pub fn parameters(&self, uri: &str) -> Option<&str> {
        self.0
            .iter()
            .filter_map(|known| known.split_once('?'))
            .find(|(known, _)| *known == uri)
            .map(|(_, parameters)| parameters)
    }

    /// All URIs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl<T: AsRef<str>> FromIterator<T> for Capabilities {
    fn from_iter<I: IntoIterator<Item = T>>(uris: I) -> Self {
        Capabilities::new(uris)
    }
}

fn strip_parameters(uri: &str) -> &str {
    uri.split_once('?').map_or(uri, |(before, _)| before)
}

/// The sender of a hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelloSender {
    /// The client: it must not name a session.
    Client,
    /// The server: it must name the session.
    Server,
}

/// The content of a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Its capabilities.
    pub capabilities: Capabilities,
    /// The session; `Some` exactly in a server's hello.
    pub session_id: Option<u32>,
}

/// The error for a hello that cannot open a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HelloError {
    /// The first message is something else.
    #[error("the first message is no hello")]
    NoHello,
    /// No `<capabilities>`, or two of them.
    #[error("a hello without a list of capabilities")]
    NoCapabilities,
    /// A client named a session (RFC 6241 §8.1: the session is terminated).
    #[error("a client's hello with a session-id")]
    UnexpectedSessionId,
    /// A server named none, or not a number from 1 to 4294967295.
    #[error("a server's hello without a valid session-id")]
    NoSessionId,
    /// No base capability in common.
    #[error("no base capability in common")]
    NoCommonBase,
}

/// Appends a server's hello.
pub fn write_server_hello(capabilities: &Capabilities, session_id: u32, out: &mut Vec<u8>) {
    write_hello(capabilities, Some(session_id), out);
}

/// Appends a client's hello.
pub fn write_client_hello(capabilities: &Capabilities, out: &mut Vec<u8>) {
    write_hello(capabilities, None, out);
}

fn write_hello(capabilities: &Capabilities, session_id: Option<u32>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hello");
    write::attribute("xmlns", BASE, out);
    out.extend_from_slice(b"><capabilities>");
    for uri in capabilities.iter() {
        write::leaf("capability", uri, out);
    }
    out.extend_from_slice(b"</capabilities>");
    if let Some(id) = session_id {
        write::leaf("session-id", &id.to_string(), out);
    }
    out.extend_from_slice(b"</hello>");
}

/// Reads a hello.
///
/// # Errors
/// [`HelloError`] for anything that RFC 6241 §8.1 does not allow, except a
/// missing common base, which [`negotiate`] finds.
pub fn parse_hello(root: XmlElement<'_>, sender: HelloSender) -> Result<Hello, HelloError> {
    if !root.is(BASE, "hello") {
        return Err(HelloError::NoHello);
    }
    let mut lists = root
        .children()
        .filter(|child| child.is(BASE, "capabilities"));
    let (Some(list), None) = (lists.next(), lists.next()) else {
        return Err(HelloError::NoCapabilities);
    };
    let capabilities = list
        .children()
        .filter(|child| child.is(BASE, "capability"))
        .map(XmlElement::text)
        .collect();
    let mut named = root.children().filter(|child| child.is(BASE, "session-id"));
    let session_id = match (sender, named.next()) {
        (HelloSender::Client, None) => None,
        (HelloSender::Client, Some(_)) => return Err(HelloError::UnexpectedSessionId),
        (HelloSender::Server, id) => {
            let id = id.and_then(|id| id.trimmed_text().parse().ok());
            if id.is_none_or(|id: u32| id == 0) || named.next().is_some() {
                return Err(HelloError::NoSessionId);
            }
            id
        }
    };
    Ok(Hello {
        capabilities,
        session_id,
    })
}

/// The framing for all that follows: chunked exactly if both peers have base:1.1.
///
/// # Errors
/// [`HelloError::NoCommonBase`].
pub fn negotiate(ours: &Capabilities, theirs: &Capabilities) -> Result<Framing, HelloError> {
    let both = |uri| ours.has(uri) && theirs.has(uri);
    if both(BASE_1_1) {
        Ok(Framing::Chunked)
    } else if both(BASE_1_0) {
        Ok(Framing::EndOfMessage)
    } else {
        Err(HelloError::NoCommonBase)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::xml::{Limits, XmlDocument};

    fn hello(inside: &str, sender: HelloSender) -> String {
        let xml = format!("<hello xmlns='{BASE}'>{inside}</hello>");
        let document = XmlDocument::parse(xml, &Limits::default()).unwrap();
        match parse_hello(document.root(), sender) {
            Ok(hello) => format!(
                "{:?} {}",
                hello.session_id,
                hello.capabilities.iter().collect::<Vec<_>>().join("|")
            ),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_rules_of_a_hello() {
        use insta::assert_snapshot;
        let list = "<capabilities><capability>\n  a:1?x=1 \n</capability><capability/>\
                    <capability>a:1?x=1</capability></capabilities>";
        assert_snapshot!(hello(list, HelloSender::Client), @"None a:1?x=1");
        assert_snapshot!(hello(list, HelloSender::Server), @"a server's hello without a valid session-id");
        let with = |id: &str| format!("{list}<session-id>{id}</session-id>");
        assert_snapshot!(hello(&with(" 4 "), HelloSender::Server), @"Some(4) a:1?x=1");
        assert_snapshot!(hello(&with("4"), HelloSender::Client), @"a client's hello with a session-id");
        assert_snapshot!(hello(&with(""), HelloSender::Client), @"a client's hello with a session-id");
        assert_snapshot!(hello(&with("0"), HelloSender::Server), @"a server's hello without a valid session-id");
        assert_snapshot!(hello(&with("-1"), HelloSender::Server), @"a server's hello without a valid session-id");
        assert_snapshot!(hello("", HelloSender::Client), @"a hello without a list of capabilities");
    }

    #[test]
    fn base_1_1_wins_exactly_if_both_have_it() {
        let (old, new) = (BASE_1_0, BASE_1_1);
        let sets: [&[&str]; 4] = [&[], &[old], &[new], &[old, new]];
        let mut table = String::new();
        for ours in sets {
            for theirs in sets {
                let outcome = negotiate(&Capabilities::new(ours), &Capabilities::new(theirs));
                table.push(match outcome {
                    Ok(Framing::Chunked) => 'c',
                    Ok(Framing::EndOfMessage) => 'e',
                    Err(_) => '-',
                });
            }
            table.push(' ');
        }
        insta::assert_snapshot!(table, @"---- -e-e --cc -ecc");
    }

    #[test]
    fn parameters_do_not_hide_a_capability() {
        let capabilities = Capabilities::new(["urn:w?basic-mode=explicit", "urn:x"]);
        assert!(capabilities.has("urn:w") && capabilities.has("urn:x"));
        assert_eq!(
            capabilities.parameters("urn:w"),
            Some("basic-mode=explicit")
        );
        assert_eq!(capabilities.parameters("urn:x"), None);
    }
}
