//! State and counters of interfaces (RFC 8343): the performance of links, and the measurement of a
//! link where nothing better is offered.
//!
//! Two readings make figures. A counter that fell, or whose discontinuity moved, was set back, and
//! says nothing of that period. Read next: [`super::foreign_names`], which knows whose interface is
//! whose.

use super::ForeignNames;
use super::INTERFACES_NAMESPACE as NS;
use super::foreign_names::LinkEnd;
use super::text::{entries, identifier, leaf, number};
use ::netconf::data::{Node, write};
use ::netconf::filter::Projection;
use ::netconf::xml::XmlElement;
use domain::inventory::{ElementId, Inventory};
use domain::telemetry::{Condition, LinkPerformance, Measurement};
use std::collections::BTreeMap;

/// The most interfaces that are taken of a system.
const INTERFACES: usize = 200_000;
/// The share of lost packets from which a link is degraded.
const LOSSY: f64 = 0.01;

/// What of the interfaces is read: a subtree filter.
pub const INTERFACES_FILTER: &str = "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><interface><name/>\
     <admin-status/><oper-status/><speed/><statistics/></interface></interfaces>";

/// A subtree filter for all of these interfaces.
pub fn interfaces_filter<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let entries = names.into_iter();
    let entries = entries.map(|name| Node::entry(NS, "interface", 1).leaf("name", name));
    let filter = Node::container(NS, "interfaces").with_all(entries);
    let mut out = Vec::with_capacity(256);
    write(&filter, &Projection::everything(), &mut out);
    String::from_utf8(out).expect("nodes are written from strings")
}

/// What was read of an interface; what it does not say is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceReading {
    /// True if it carries traffic; none if it does not say.
    pub is_up: Option<bool>,
    /// Its speed in bit/s.
    pub speed: Option<u64>,
    /// Since when its counters count.
    pub discontinuity: String,
    /// Octets in and out.
    pub octets: [Option<u64>; 2],
    /// Packets in and out.
    pub packets: [Option<u64>; 2],
    /// Packets with errors or discarded, in and out.
    pub lost: [Option<u64>; 2],
}

/// Reads all interfaces, by name; `data` is the element `<data>` of the reply.
pub fn read_interfaces(data: XmlElement<'_>) -> BTreeMap<String, InterfaceReading> {
    let all = data.child(NS, "interfaces").into_iter();
    let all = all.flat_map(|all| entries(all, NS, "interface", INTERFACES));
    let read = all.filter_map(|of| Some((identifier(of, NS, "name")?.to_owned(), reading(of))));
    read.collect()
}

fn reading(of: XmlElement<'_>) -> InterfaceReading {
    let admin_down = matches!(leaf(of, NS, "admin-status"), Some("down" | "testing"));
    let oper = match leaf(of, NS, "oper-status") {
        Some("up") => Some(true),
        None | Some("unknown") => None,
        Some(_) => Some(false),
    };
    let statistics = of.child(NS, "statistics");
    let count = |name: &str| number::<u64>(statistics?, NS, name);
    let sum = |names: &[&str]| {
        let known: Vec<u64> = names.iter().filter_map(|name| count(name)).collect();
        let sum = || known.iter().fold(0_u64, |sum, n| sum.saturating_add(*n));
        (!known.is_empty()).then(sum)
    };
    let discontinuity = statistics.and_then(|s| leaf(s, NS, "discontinuity-time"));
    InterfaceReading {
        is_up: if admin_down { Some(false) } else { oper },
        speed: number(of, NS, "speed"),
        discontinuity: super::text::clipped(discontinuity.unwrap_or_default(), 64).to_owned(),
        octets: [count("in-octets"), count("out-octets")],
        packets: [
            sum(&["in-unicast-pkts", "in-broadcast-pkts", "in-multicast-pkts"]),
            sum(&[
                "out-unicast-pkts",
                "out-broadcast-pkts",
                "out-multicast-pkts",
            ]),
        ],
        lost: [
            sum(&["in-discards", "in-errors"]),
            sum(&["out-discards", "out-errors"]),
        ],
    }
}

/// What an interface did between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Done {
    mbps: f64,
    loss: f64,
}

/// What happened between two readings, in each direction; none if the counters say nothing of it.
fn done(before: &InterfaceReading, after: &InterfaceReading, seconds: f64) -> Option<Done> {
    if before.discontinuity != after.discontinuity || seconds <= 0.0 {
        return None;
    }
    // None if it was set back; what is not counted at all is 0.
    let grown = |before: [Option<u64>; 2], after: [Option<u64>; 2], way: usize| match (
        before[way],
        after[way],
    ) {
        (Some(before), Some(after)) => after.checked_sub(before),
        _ => Some(0),
    };
    let mut most = Done::default();
    for way in 0..2 {
        let octets = grown(before.octets, after.octets, way)? as f64;
        let packets = grown(before.packets, after.packets, way)? as f64;
        let lost = grown(before.lost, after.lost, way)? as f64;
        most.mbps = most.mbps.max(octets * 8.0 / seconds / 1e6);
        if lost > 0.0 {
            // What is discarded on its way out, or in error, is not among the packets of RFC 8343.
            most.loss = most.loss.max(lost / (packets + lost));
        }
    }
    Some(most)
}

/// The performance of the links between two readings of all interfaces, `seconds` apart: the busier
/// direction at either end, as a share of the documented capacity, or of the speed of the interface.
/// Delays are not counted by interfaces, and are 0.
pub fn link_performance(
    before: &BTreeMap<String, InterfaceReading>,
    after: &BTreeMap<String, InterfaceReading>,
    seconds: f64,
    names: &ForeignNames,
    device: Option<&str>,
    inventory: &Inventory,
) -> BTreeMap<ElementId, LinkPerformance> {
    let mut links: BTreeMap<ElementId, LinkPerformance> = BTreeMap::new();
    for (name, now) in after {
        let Some((link, _)) = names.interface(name, device) else {
            continue;
        };
        let Some(done) = before
            .get(name)
            .and_then(|before| done(before, now, seconds))
        else {
            continue;
        };
        let documented = inventory.links.get(link).map(|link| link.capacity_mbps);
        let speed = now.speed.map(|speed| speed as f64 / 1e6);
        let capacity = documented.filter(|mbps| *mbps > 0.0).or(speed);
        let performance = links.entry(link.clone()).or_default();
        performance.traffic_mbps = performance.traffic_mbps.max(done.mbps);
        performance.loss = performance.loss.max(done.loss);
        if let Some(capacity) = capacity.filter(|mbps| *mbps > 0.0) {
            let utilisation = done.mbps / capacity;
            performance.utilisation = performance.utilisation.max(utilisation);
        }
    }
    links
}

/// The measurement of a link by two readings of its interfaces, `seconds` apart.
///
/// # Errors
/// The reason why the interfaces do not say how it is.
pub fn measured_link(
    link: &ElementId,
    names: &ForeignNames,
    before: &BTreeMap<String, InterfaceReading>,
    after: &BTreeMap<String, InterfaceReading>,
    seconds: f64,
) -> Result<Measurement, String> {
    let mut readings = BTreeMap::new();
    let mut up = Vec::new();
    let mut loss: f64 = 0.0;
    for (end, name) in names.interfaces_of(link) {
        let letter = match end {
            LinkEnd::A => 'a',
            LinkEnd::B => 'b',
        };
        let Some(now) = after.get(name) else { continue };
        if let Some(is_up) = now.is_up {
            up.push(is_up);
            readings.insert(format!("oper_up_{letter}"), f64::from(u8::from(is_up)));
        }
        if let Some(done) = before.get(name).and_then(|b| done(b, now, seconds)) {
            loss = loss.max(done.loss);
            readings.insert(format!("traffic_{letter}_mbps"), done.mbps);
            readings.insert(format!("loss_{letter}"), done.loss);
        }
    }
    if up.is_empty() {
        return Err(format!("no interface says how {link} is"));
    }
    let condition = match up.iter().all(|is_up| *is_up) {
        false => Condition::Failed,
        true if loss >= LOSSY => Condition::Degraded,
        true => Condition::Good,
    };
    Ok(Measurement {
        element: link.clone(),
        condition,
        readings,
    })
}
