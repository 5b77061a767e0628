//! `/netconf/streams` (RFC 5277 §3.2.5.1): the one stream, NETCONF, with replay from
//! the log, or at a management system as far back as its memory reaches.

use super::reader::Reader;
use ::netconf::data::Node;
use ::netconf::names::namespace::NETMOD_NOTIFICATION;
use engine::Endpoint;

impl Reader<'_> {
    pub(super) fn streams(&self) -> Node<'static> {
        let stream = self.platform.engine.stream(self.endpoint);
        let began = stream.began().unwrap_or(self.platform.started);
        let stream = Node::entry("", "stream", 1)
            .leaf("name", "NETCONF")
            .leaf("description", self.stream_description())
            .leaf("replaySupport", true)
            .leaf("replayLogCreationTime", began.to_string());
        Node::container(NETMOD_NOTIFICATION, "netconf")
            .state()
            .with(Node::container("", "streams").with(stream))
    }

    /// What the stream of the endpoint tells.
    pub(super) fn stream_description(&self) -> &'static str {
        match self.endpoint {
            Endpoint::Platform | Endpoint::Agent(_) => {
                "Every event: changes of tasks, negotiations and agents, sessions that start and end."
            }
            Endpoint::Ems(_) => {
                "What reaches this management system: alarms, periods that end, what customers and \
                 engineers say."
            }
        }
    }
}
