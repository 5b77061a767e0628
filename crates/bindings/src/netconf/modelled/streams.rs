//! `/netconf/streams` (RFC 5277 §3.2.5.1): the one stream, NETCONF, with replay from the log.

use super::Reader;
use ::netconf::data::Node;
use ::netconf::names::namespace::NETMOD_NOTIFICATION;

impl Reader<'_> {
    pub(super) fn streams(&self) -> Node<'static> {
        let began = self
            .platform
            .engine
            .feed()
            .began()
            .unwrap_or(self.platform.started);
        let stream = Node::entry("", "stream", 1)
            .leaf("name", "NETCONF")
            .leaf(
                "description",
                "Every event: changes of tasks, negotiations and agents, sessions that start and end.",
            )
            .leaf("replaySupport", true)
            .leaf("replayLogCreationTime", began.to_string());
        Node::container(NETMOD_NOTIFICATION, "netconf")
            .state()
            .with(Node::container("", "streams").with(stream))
    }
}
