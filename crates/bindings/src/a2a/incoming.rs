//! A request as it comes over HTTP: its line, its fields, its body.
//!
//! Knows which of them A2A looks at; refuses to know what is asked. Read next: [`super::exchange`], which
//! reads it.

use a2a::extension;
use a2a::version::{self, Version};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A body up to so many bytes is read at once, a longer one beside the connections: reading takes time in
/// proportion to it.
const AT_ONCE_BYTES: usize = 4 << 10;

/// The bytes of a request, which may be read on another thread than the one that answers it.
#[derive(Clone)]
pub struct RequestBody(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl RequestBody {
    /// Takes bytes, with what they count for while they are held.
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(bytes))
    }

    /// True if it is read beside the connections.
    pub(super) fn is_long(&self) -> bool {
        self.len() > AT_ONCE_BYTES
    }
}

impl Deref for RequestBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// A request as it came over HTTP.
#[derive(Clone, Copy, Debug)]
pub struct IncomingRequest<'a> {
    /// `GET`, `POST`, …
    pub verb: &'a str,
    /// The path below the agent's URL, with its leading slash and its escapes; empty at the URL
    /// itself.
    pub path: &'a str,
    /// The part behind `?`; empty if there is none.
    pub query: &'a str,
    /// Names and values, as they came.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, whole.
    pub body: &'a RequestBody,
}

impl<'a> IncomingRequest<'a> {
    /// The same, for another thread.
    pub(super) fn kept(&self) -> Kept {
        let headers = self.headers.iter();
        Kept {
            verb: self.verb.to_owned(),
            path: self.path.to_owned(),
            query: self.query.to_owned(),
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: self.body.clone(),
        }
    }

    /// The first header of a name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers_of(name).next()
    }

    fn headers_of(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let all = self.headers.iter();
        let named = all.filter(move |(it, _)| it.eq_ignore_ascii_case(name));
        named.map(|(_, value)| *value)
    }

    /// The extensions that are asked for, by the header of either version.
    pub(super) fn extensions(&self) -> Vec<String> {
        let [one, other] = Version::ALL.map(extension::header);
        extension::requested(self.headers_of(one).chain(self.headers_of(other)))
    }

    /// v1.0 §3.6.1: the header, or the parameter of the same name. Where there are several, all of
    /// them, as one list (RFC 9110 §5.3).
    pub(super) fn version(&self) -> Option<String> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let named = pairs.filter(|(name, _)| *name == version::HEADER);
        let said = self.headers_of(version::HEADER);
        let said: Vec<&str> = said.chain(named.map(|(_, value)| value)).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// True if it is at the URL itself, where JSON-RPC is posted.
    pub(super) fn is_of_rpc(&self) -> bool {
        matches!(self.path, "" | "/")
    }
}

/// A request that is kept for another thread.
pub(super) struct Kept {
    verb: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: RequestBody,
}

impl Kept {
    /// Lends it to who reads it, as it came.
    pub(super) fn lend<T>(&self, read: impl FnOnce(&IncomingRequest<'_>) -> T) -> T {
        let headers = self.headers.iter();
        let headers: Vec<(&str, &str)> = headers
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        read(&IncomingRequest {
            verb: &self.verb,
            path: &self.path,
            query: &self.query,
            headers: &headers,
            body: &self.body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A5: of a header that comes twice, or beside the parameter, none is passed over.
    #[test]
    fn whatever_says_the_version_is_heard() {
        let heard = |versions: &[&str], query: &str| {
            let headers: Vec<(&str, &str)> =
                versions.iter().map(|it| ("a2a-version", *it)).collect();
            let incoming = IncomingRequest {
                verb: "GET",
                path: "/tasks",
                query,
                headers: &headers,
                body: &RequestBody::new([]),
            };
            incoming.version()
        };
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(heard(&[], "pageSize=1"), None);
        assert_eq!(heard(&["1.0"], ""), said("1.0"));
        assert_eq!(heard(&["1.0", "0.3"], ""), said("1.0, 0.3"));
        assert_eq!(heard(&[], "A2A-Version=1.0"), said("1.0"));
        assert_eq!(heard(&["1.0"], "A2A-Version=0.3"), said("1.0, 0.3"));
    }
}
