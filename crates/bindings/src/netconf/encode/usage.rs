//! `/usage`: what each user holds, and how often more was refused (module convoke-usage).
//!
//! Marked `nacm:default-deny-all` by its module: only a rule opens it. Read next: `engine::accounts`.

use super::Reader;
use crate::netconf::USAGE_NAMESPACE;
use ::netconf::data::{Node, write};
use ::netconf::filter::Projection;
use engine::Usage;
use std::collections::BTreeMap;

impl Reader<'_> {
    /// Writes `/usage`.
    pub(super) fn write_usage(&self, projection: &Projection<'_>, out: &mut Vec<u8>) {
        let engine = &self.platform.engine;
        let mut sessions: BTreeMap<String, u32> = BTreeMap::new();
        for session in self.platform.sessions(self.endpoint) {
            *sessions.entry(session.username.clone()).or_default() += 1;
        }
        let users = engine.usage();
        let mut node = Node::container(USAGE_NAMESPACE, "usage")
            .state()
            .leaf("memory-short", engine.accounts().is_short());
        for user in &users {
            let open = sessions.get(&user.name).copied().unwrap_or(0);
            node.push(of_user(user, open));
        }
        write(&node, projection, out);
    }
}

fn of_user(usage: &Usage, sessions: u32) -> Node<'_> {
    Node::entry("", "user", 1)
        .leaf("name", &usage.name)
        .leaf("sessions", sessions)
        .leaf("connections", usage.connections)
        .leaf("held-bytes", usage.held_bytes)
        .leaf("requests", usage.requests)
        .leaf("tasks-open", usage.tasks_open)
        .leaf("data-bytes", usage.data_bytes)
        .leaf("refused", usage.refused)
}
