//! `/restconf-state` (RFC 8040 §9): what RESTCONF can do at an endpoint, and its stream.
//!
//! It is data like any other, so sessions of NETCONF read it too, where RESTCONF is served. Read next:
//! [`super::streams`], the same stream for these; [`crate::restconf`], which serves it.

use super::reader::Reader;
use ::netconf::data::Node;
use ::netconf::names::namespace::RESTCONF_MONITORING;

/// The capabilities of RFC 8040 §9.1 that are offered.
const CAPABILITIES: [&str; 6] = [
    "urn:ietf:params:restconf:capability:defaults:1.0?basic-mode=explicit",
    "urn:ietf:params:restconf:capability:depth:1.0",
    "urn:ietf:params:restconf:capability:fields:1.0",
    "urn:ietf:params:restconf:capability:filter:1.0",
    "urn:ietf:params:restconf:capability:replay:1.0",
    "urn:ietf:params:restconf:capability:with-defaults:1.0",
];

/// The encodings of events; each is a resource of its own.
const ENCODINGS: [&str; 2] = ["json", "xml"];

impl Reader<'_> {
    /// The state of RESTCONF, whose API resource for this endpoint has this URL.
    pub(super) fn restconf_state(&self, url: &str) -> Node<'static> {
        let capabilities =
            Node::container("", "capabilities").leaf_list("capability", CAPABILITIES);
        let began = self.platform.engine.stream(self.endpoint).began();
        let began = began.unwrap_or(self.platform.started);
        let stream = Node::entry("", "stream", 1)
            .leaf("name", "NETCONF")
            .leaf("description", self.stream_description())
            .leaf("replay-support", true)
            .leaf("replay-log-creation-time", began.to_string())
            .list("access", 1, ENCODINGS, |access, encoding| {
                let location = format!("{url}/streams/NETCONF/{encoding}");
                access.leaf("encoding", encoding).leaf("location", location)
            });
        Node::container(RESTCONF_MONITORING, "restconf-state")
            .state()
            .with(capabilities)
            .with(Node::container("", "streams").with(stream))
    }
}
