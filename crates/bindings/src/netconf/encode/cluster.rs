//! `/cluster`: the nodes that serve the platform, and which of them leads (module convoke-cluster).
//!
//! Marked `nacm:default-deny-all` by its module: only a rule opens it. Read next: `domain::cluster`.

use super::reader::Reader;
use crate::netconf::output::{self, Parent as _};
use ::netconf::data::write;
use ::netconf::filter::Projection;
use domain::cluster::{LeadRecord, NodeRecord};

/// What is led, as long as one node leads everything.
const ALL_SHARDS: &str = "all";

impl Reader<'_> {
    /// Writes `/cluster`; nothing if the platform is no node of one.
    pub(super) fn write_cluster(&self, projection: &Projection<'_>, out: &mut Vec<u8>) {
        if let Some(standing) = self.platform.engine.cluster() {
            let node = output::Cluster::default()
                .node(&standing.nodes, listed)
                .lead(&standing.lead, led)
                .takeovers(standing.takeovers);
            write(&node.written(), projection, out);
        }
    }
}

fn listed<'a>(node: output::ClusterNode<'a>, of: &'a NodeRecord) -> output::ClusterNode<'a> {
    node.name(&of.name)
        .address(&of.address)
        .version(&of.version)
        .state(of.state.as_str())
        .rules_agree(of.rules_agree)
        .started(of.started)
        .last_seen(of.last_seen)
        .subscribers(of.feed.map(|feed| feed.subscribers))
        .lag_events(of.feed.map(|feed| feed.events))
        .lag_time(of.feed.map(|feed| feed.ms))
}

fn led<'a>(node: output::Lead<'a>, of: &'a LeadRecord) -> output::Lead<'a> {
    node.shards(ALL_SHARDS)
        .holder(&of.holder)
        .epoch(of.epoch)
        .since(of.since)
        .until(of.until)
}
