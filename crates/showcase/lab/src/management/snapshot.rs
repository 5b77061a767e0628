//! What was read of the laboratory at one instant.
//!
//! Read next: [`super::conditions`].

use crate::documents::{DocumentedLink, Documents};
use crate::rack::protocol::{DeviceState, PortState, ProbeReport};
use domain::inventory::ElementId;
use domain::telemetry::LinkPerformance;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// When.
    pub at: Timestamp,
    /// The state of each router; none of one that did not answer.
    pub routers: BTreeMap<String, Option<DeviceState>>,
    /// What the probes have counted.
    pub probes: ProbeReport,
}

impl Snapshot {
    /// The state of a port, if its router answered.
    pub fn port(&self, at: &(String, String)) -> Option<&PortState> {
        self.routers.get(&at.0)?.as_ref()?.ports.get(&at.1)
    }

    /// True if a daemon of a router answers.
    pub(crate) fn answers(&self, router: &str, daemon: &str) -> bool {
        let state = self.routers.get(router).and_then(Option::as_ref);
        state.is_some_and(|state| state.daemons.get(daemon) == Some(&true))
    }

    /// Both ends of a link.
    pub(crate) fn ends(&self, link: &DocumentedLink) -> [Option<&PortState>; 2] {
        [self.port(&link.a), self.port(&link.b)]
    }

    /// The performance of links since an earlier snapshot.
    pub(crate) fn performance_since(
        &self,
        earlier: &Self,
        documents: &Documents,
        capacity_mbps: f64,
    ) -> BTreeMap<ElementId, LinkPerformance> {
        let seconds = self.at.seconds_since(earlier.at).max(0.001);
        let of = |link: &DocumentedLink| {
            let rates = [&link.a, &link.b].into_iter().filter_map(|end| {
                let sent = self.port(end)?.tx_bytes;
                let before = earlier.port(end)?.tx_bytes;
                Some(sent.saturating_sub(before) as f64 * 8.0 / 1e6 / seconds)
            });
            let traffic_mbps = rates.reduce(f64::max)?;
            let probes = self.probes.links.get(link.id.as_str());
            let probes = probes.copied().unwrap_or_default();
            let performance = LinkPerformance {
                utilisation: traffic_mbps / capacity_mbps,
                traffic_mbps,
                latency_ms: probes.delay_ms,
                loss: probes.loss(),
            };
            Some((link.id.clone(), performance))
        };
        documents.links.iter().filter_map(of).collect()
    }
}
