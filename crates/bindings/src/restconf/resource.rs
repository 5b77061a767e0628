//! The resources below the API resource (RFC 8040 §3), by their paths, and what may be done with each.
//!
//! Knows paths and methods; what data and operations there are is asked elsewhere. Read next:
//! [`super::binding`].

use super::media::Encoding;

/// The name of the one stream (RFC 5277 §3.2.3), as over NETCONF.
pub(super) const STREAM: &str = "NETCONF";

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resource<'p> {
    /// `/restconf`
    Api,
    /// `/restconf/yang-library-version`
    LibraryVersion,
    /// `/restconf/operations`
    Operations,
    /// One of them: `module:rpc`.
    Operation(&'p str),
    /// The datastore, or a resource in it: the steps to it, as they came.
    Data(&'p str),
    /// A stream, and how its events are written.
    Stream(&'p str, Encoding),
}

impl<'p> Resource<'p> {
    /// The resource at a path below the API resource; none if there is none of that kind.
    pub(super) fn at(path: &'p str) -> Option<Self> {
        let path = match path {
            "" | "/" => return Some(Self::Api),
            path => path.strip_prefix('/')?,
        };
        let (first, rest) = match path.split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        match (first, rest) {
            ("yang-library-version", None) => Some(Self::LibraryVersion),
            ("operations", None | Some("")) => Some(Self::Operations),
            ("operations", Some(rpc)) if !rpc.contains('/') => Some(Self::Operation(rpc)),
            ("data", None | Some("")) => Some(Self::Data("")),
            ("data", Some(steps)) => Some(Self::Data(steps)),
            ("streams", Some(stream)) => match stream.split_once('/') {
                None => Some(Self::Stream(stream, Encoding::default())),
                Some((stream, encoding)) => {
                    let mut all = Encoding::ALL.into_iter();
                    let encoding = all.find(|it| it.name() == encoding)?;
                    Some(Self::Stream(stream, encoding))
                }
            },
            _ => None,
        }
    }

    /// The methods that it has.
    pub(super) fn allowed(self) -> &'static str {
        match self {
            Self::Operation(_) => "POST, OPTIONS",
            _ => "GET, HEAD, OPTIONS",
        }
    }

    /// Whether it has a method.
    pub(super) fn allows(self, method: &str) -> bool {
        self.allowed().split(", ").any(|allowed| allowed == method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_one_resource_or_none() {
        for (path, expected) in [
            ("", Some(Resource::Api)),
            ("/", Some(Resource::Api)),
            ("/yang-library-version", Some(Resource::LibraryVersion)),
            ("/operations", Some(Resource::Operations)),
            ("/operations/m:r", Some(Resource::Operation("m:r"))),
            ("/data", Some(Resource::Data(""))),
            ("/data/m:a/b=1,2", Some(Resource::Data("m:a/b=1,2"))),
            (
                "/streams/NETCONF",
                Some(Resource::Stream("NETCONF", Encoding::Json)),
            ),
            (
                "/streams/NETCONF/xml",
                Some(Resource::Stream("NETCONF", Encoding::Xml)),
            ),
            ("/streams/NETCONF/yaml", None),
            ("/streams", None),
            ("/operations/m:r/x", None),
            ("/Data", None),
            ("/ds/ietf-datastores:operational", None),
        ] {
            assert_eq!(Resource::at(path), expected, "{path}");
        }
    }
}
