//! `/usage`: what each user holds, and how often more was refused (module convoke-usage).
//!
//! Marked `nacm:default-deny-all` by its module: only a rule opens it. Read next: `engine::accounts`.

use super::reader::Reader;
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::Projection;
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
        let node = output::Usage::default()
            .memory_short(engine.accounts().is_short())
            .user(&users, |node, usage| {
                node.name(&usage.name)
                    .sessions(sessions.get(&usage.name).copied().unwrap_or(0))
                    .connections(usage.connections)
                    .held_bytes(usage.held_bytes)
                    .requests(usage.requests)
                    .tasks_open(usage.tasks_open)
                    .data_bytes(usage.data_bytes)
                    .refused(usage.refused)
            });
        write(&node.written(), projection, out);
    }
}
