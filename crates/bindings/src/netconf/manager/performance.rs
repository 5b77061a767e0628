//! The performance figures of convoke-ems.
//!
//! Read next: [`super::interfaces`], for where they are not offered.

use super::ForeignNames;
use super::text::{decimal, entries, identifier, instant, leaf};
use crate::netconf::EMS_NAMESPACE as NS;
use ::netconf::xml::XmlElement;
use domain::inventory::ElementId;
use domain::telemetry::{CellPerformance, LinkPerformance, Performance, Saving};

/// The most cells, and the most links, that are taken.
const FIGURES: usize = 200_000;

/// What is read: a subtree filter.
pub const PERFORMANCE_FILTER: &str =
    "<performance xmlns=\"urn:convoke:params:xml:ns:yang:convoke-ems\"/>";

/// Reads the figures of the last period; none before the end of the first. `data` is the element
/// `<data>` of the reply.
pub fn read_performance(data: XmlElement<'_>, names: &ForeignNames) -> Option<Performance> {
    let of = data.child(NS, "performance")?;
    let id = |entry: XmlElement<'_>| -> Option<ElementId> {
        identifier(entry, NS, "id").map(|id| names.element(id))
    };
    let cells = entries(of, NS, "cell", FIGURES).filter_map(|e| Some((id(e)?, cell(e))));
    let links = entries(of, NS, "link", FIGURES).filter_map(|e| Some((id(e)?, link(e))));
    Some(Performance {
        from: instant(of, NS, "from")?,
        until: instant(of, NS, "until")?,
        cells: cells.collect(),
        links: links.collect(),
    })
}

fn cell(of: XmlElement<'_>) -> CellPerformance {
    let figure = |name| decimal(of, NS, name).unwrap_or_default();
    CellPerformance {
        load: figure("load"),
        users: figure("users"),
        traffic_mbps: figure("traffic"),
        throughput_mbps: figure("throughput"),
        edge_throughput_mbps: figure("edge-throughput"),
        interference_dbm: figure("interference"),
        power_offset_db: figure("power-offset"),
        saving: leaf(of, NS, "saving")
            .and_then(Saving::parse)
            .unwrap_or_default(),
        energy_kwh: figure("energy"),
    }
}

fn link(of: XmlElement<'_>) -> LinkPerformance {
    let figure = |name| decimal(of, NS, name).unwrap_or_default();
    LinkPerformance {
        utilisation: figure("utilisation"),
        traffic_mbps: figure("traffic"),
        latency_ms: figure("latency"),
        loss: figure("loss"),
    }
}
