//! `/usage`: what each user holds, how often more was refused, and how the store keeps up (module
//! convoke-usage).
//!
//! Marked `nacm:default-deny-all` by its module: only a rule opens it. Read next: `engine::accounts`.

use super::reader::Reader;
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::Projection;
use engine::StoreStatistics;
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
            })
            .store(Some(&engine.store_statistics()), kept);
        write(&node.written(), projection, out);
    }
}

fn kept<'a>(node: output::Store<'a>, of: &StoreStatistics) -> output::Store<'a> {
    node.queued(of.queued)
        .changes(of.batches)
        .failed(of.failed)
        .commits(of.transactions)
        .write_time(of.writing.as_micros() as u64)
        .commit_time(of.committing.as_micros() as u64)
}
