//! `/netconf-state` (RFC 6022): capabilities, datastores, schemas, sessions, statistics.

use super::reader::Reader;
use crate::netconf::platform::SessionInfo;
use ::netconf::data::{IdentityRef, Node};
use ::netconf::names::namespace::MONITORING;
use engine::Endpoint;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

impl Reader<'_> {
    pub(super) fn netconf_state(&self) -> Node<'_> {
        let capabilities = Node::container("", "capabilities")
            .leaf_list("capability", self.session_schema.capabilities.iter());
        let mut sessions = Node::container("", "sessions");
        for info in self.platform.sessions(self.endpoint) {
            sessions.push(session(&info));
        }
        Node::container(MONITORING, "netconf-state")
            .state()
            .with(capabilities)
            .with(Node::container("", "datastores").with(self.running()))
            .with(self.schemas())
            .with(sessions)
            .with(self.statistics())
    }

    fn running(&self) -> Node<'static> {
        let datastore = Node::entry("", "datastore", 1).leaf("name", "running");
        match self.platform.lock_of(self.endpoint) {
            Some(lock) => {
                let global = Node::container("", "global-lock")
                    .leaf("locked-by-session", lock.session)
                    .leaf("locked-time", lock.time.to_string());
                datastore.with(Node::container("", "locks").with(global))
            }
            None => datastore,
        }
    }

    /// Counters since the start: of the sessions that ended, and of those that live.
    fn statistics(&self) -> Node<'static> {
        let totals = &self.platform.totals;
        let live = self.platform.sessions(&Endpoint::Platform);
        let sum = |ended: &AtomicU64, of: fn(&SessionInfo) -> &AtomicU64| {
            let live: u64 = live.iter().map(|s| of(s).load(Relaxed)).sum();
            // A zero-based-counter32 wraps.
            (ended.load(Relaxed) + live) as u32
        };
        Node::container("", "statistics")
            .leaf("netconf-start-time", self.platform.started.to_string())
            .leaf("in-bad-hellos", totals.in_bad_hellos.load(Relaxed))
            .leaf("in-sessions", totals.in_sessions.load(Relaxed))
            .leaf("dropped-sessions", totals.dropped_sessions.load(Relaxed))
            .leaf("in-rpcs", sum(&totals.in_rpcs, |s| &s.in_rpcs))
            .leaf("in-bad-rpcs", sum(&totals.in_bad_rpcs, |s| &s.in_bad_rpcs))
            .leaf(
                "out-rpc-errors",
                sum(&totals.out_rpc_errors, |s| &s.out_rpc_errors),
            )
            .leaf(
                "out-notifications",
                sum(&totals.out_notifications, |s| &s.out_notifications),
            )
    }

    fn schemas(&self) -> Node<'_> {
        let generation = &self.session_schema.generation;
        let mut schemas = Node::container("", "schemas");
        for (name, revision) in generation.schemas() {
            let format = IdentityRef {
                prefix: "ncm",
                namespace: MONITORING,
                name: "yang",
            };
            let namespace = generation
                .modules()
                .iter()
                .find(|m| m.name == name && m.revision == revision)
                .map_or("", |m| m.namespace.as_str());
            schemas.push(
                Node::entry("", "schema", 3)
                    .leaf("identifier", name)
                    .leaf("version", revision)
                    .leaf("format", format)
                    .leaf("namespace", namespace)
                    .leaf("location", "NETCONF"),
            );
        }
        schemas
    }
}

fn session(info: &SessionInfo) -> Node<'static> {
    let transport = IdentityRef {
        prefix: "ncm",
        namespace: MONITORING,
        name: "netconf-ssh",
    };
    let host = (!info.source_host.is_empty()).then(|| info.source_host.clone());
    Node::entry("", "session", 1)
        .leaf("session-id", info.id)
        .leaf("transport", transport)
        .leaf("username", info.username.clone())
        .leaf_opt("source-host", host)
        .leaf("login-time", info.login_time.to_string())
        .leaf("in-rpcs", info.in_rpcs.load(Relaxed) as u32)
        .leaf("in-bad-rpcs", info.in_bad_rpcs.load(Relaxed) as u32)
        .leaf("out-rpc-errors", info.out_rpc_errors.load(Relaxed) as u32)
        .leaf(
            "out-notifications",
            info.out_notifications.load(Relaxed) as u32,
        )
}
