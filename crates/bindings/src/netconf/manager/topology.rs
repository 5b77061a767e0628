//! The documented network (RFC 8345) as an inventory.
//!
//! What convoke-ems adds to a node or link is read where it stands; what only the standard models
//! tell is made of it in `standard`. What lies outside of what the settings grant the system is left
//! out. Read next: [`super::foreign_names`]; [`super::ownership`], which puts several systems' parts
//! together.

mod standard;

use self::standard::Plain;
use super::foreign_names::{ForeignNames, LinkEnd};
use super::text::{clipped, decimal, entries, identifier, leaf};
use crate::netconf::{EMS_NAMESPACE as EMS, NETWORK_NAMESPACE as NW, TOPOLOGY_NAMESPACE as NT};
use ::netconf::xml::XmlElement;
use domain::inventory::{
    Cell, Domain, Element, ElementId, ElementKind, Inventory, Link, RadioUnit,
};

/// The most nodes, links and termination points of one system.
const ELEMENTS: usize = 200_000;
/// The most networks of one system.
const NETWORKS: usize = 64;
/// The most ducts of a link, and neighbours of a cell.
const LISTED: usize = 256;

/// What of the networks is read: a subtree filter.
pub const NETWORKS_FILTER: &str =
    "<networks xmlns=\"urn:ietf:params:xml:ns:yang:ietf-network\"><network/></networks>";

/// What a management system's entry in the configuration says of its elements: what they are where
/// they do not say it themselves, and the bounds of what it may document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainDefaults {
    /// The domain; elements of another are not the system's to document.
    pub domain: Domain,
    /// The province, if they lie in one; elements of another are not the system's to document.
    pub province: Option<String>,
    /// The nodes at which the core of the network is attached.
    pub cores: Vec<String>,
    /// What the identifiers of sites begin with; all other nodes are routers.
    pub sites: Vec<String>,
}

impl DomainDefaults {
    /// Defaults of a domain alone.
    pub fn of(domain: Domain) -> Self {
        Self {
            domain,
            province: None,
            cores: Vec::new(),
            sites: Vec::new(),
        }
    }

    /// True if the system may document such an element: one of its domain that is of a kind that
    /// belongs there, or a site that the configuration names.
    fn grants(&self, id: &str, kind: ElementKind, domain: Domain) -> bool {
        let is_own = domain == self.domain && belongs(kind, domain);
        is_own || (kind == ElementKind::Site && self.names_site(id))
    }

    /// True if the system may document elements that are said to lie in this province, or in none.
    fn grants_province(&self, said: Option<&str>) -> bool {
        said.is_none() || self.province.is_none() || self.province.as_deref() == said
    }

    /// True if the configuration says that a node of this name is a site.
    fn names_site(&self, id: &str) -> bool {
        self.sites
            .iter()
            .any(|begin| id.starts_with(begin.as_str()))
    }
}

/// The network as a management system documents it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemInventory {
    /// The elements.
    pub inventory: Inventory,
    /// How the system calls them.
    pub names: ForeignNames,
    /// The number of nodes and links that cannot be read.
    pub unreadable: usize,
    /// The number of elements that are not the system's to document, and are left out.
    pub outside: usize,
}

/// Reads the networks; `data` is the element `<data>` of the reply.
pub fn read_networks(data: XmlElement<'_>, defaults: &DomainDefaults) -> SystemInventory {
    let mut read = SystemInventory::default();
    let mut plain = Plain::default();
    let networks = data.child(NW, "networks").into_iter();
    let networks = networks.flat_map(|networks| entries(networks, NW, "network", NETWORKS));
    let networks: Vec<XmlElement<'_>> = networks.collect();
    let mut left = ELEMENTS;
    for network in &networks {
        for node in entries(*network, NW, "node", left) {
            left = left.saturating_sub(1);
            if !read_node(node, defaults, &mut plain, &mut read, &mut left) {
                read.unreadable += 1;
            }
        }
    }
    for network in &networks {
        for link in entries(*network, NT, "link", left) {
            left = left.saturating_sub(1);
            if !read_link(link, defaults, &mut plain, &mut read) {
                read.unreadable += 1;
            }
        }
    }
    plain.finish(defaults, &mut read);
    read
}

/// Reads a node; false if it cannot be read.
fn read_node<'a>(
    node: XmlElement<'a>,
    defaults: &DomainDefaults,
    plain: &mut Plain<'a>,
    read: &mut SystemInventory,
    left: &mut usize,
) -> bool {
    let Some(id) = identifier(node, NW, "node-id") else {
        return false;
    };
    let points = entries(node, NT, "termination-point", *left);
    let Some(kind) = kind(node) else {
        plain.node(id, points.filter_map(|p| identifier(p, NT, "tp-id")));
        return true;
    };
    if let Some(element) = placed(node, id, kind, defaults, read) {
        enter_node(node, id, element, read);
    }
    // A module may be of another domain than what it is built into.
    for point in points {
        *left = left.saturating_sub(1);
        let Some(id) = identifier(point, NT, "tp-id") else {
            read.unreadable += 1;
            continue;
        };
        let Some(module) = placed(point, id, ElementKind::Optic, defaults, read) else {
            continue;
        };
        read.names.enter(id, &module.id);
        read.inventory.elements.insert(module.id.clone(), module);
    }
    true
}

/// Enters the element that a node is, with what convoke-ems says of its kind.
fn enter_node(node: XmlElement<'_>, id: &str, element: Element, read: &mut SystemInventory) {
    read.names.enter(id, &element.id);
    if leaf(node, EMS, "core") == Some("true") {
        read.inventory.cores.insert(element.id.clone());
    }
    if let Some(wh) = decimal(node, EMS, "battery") {
        read.inventory.battery_wh.insert(element.id.clone(), wh);
    }
    if let Some(cell) = node.child(EMS, "cell").and_then(cell) {
        read.inventory.cells.insert(element.id.clone(), cell);
    }
    read.inventory.elements.insert(element.id.clone(), element);
}

fn read_link<'a>(
    link: XmlElement<'a>,
    defaults: &DomainDefaults,
    plain: &mut Plain<'a>,
    read: &mut SystemInventory,
) -> bool {
    let end = |of, node, point| {
        let end = link.child(NT, of)?;
        let node = identifier(end, NT, node)?;
        Some((node, identifier(end, NT, point).unwrap_or_default()))
    };
    let id = identifier(link, NT, "link-id");
    let source = end("source", "source-node", "source-tp");
    let destination = end("destination", "dest-node", "dest-tp");
    let (Some(id), Some(source), Some(destination)) = (id, source, destination) else {
        return false;
    };
    if kind(link).is_none() {
        plain.link(id, source, destination);
        return true;
    }
    let Some(element) = placed(link, id, ElementKind::Link, defaults, read) else {
        return true;
    };
    read.names.enter(id, &element.id);
    let made = Link {
        a: ElementId::new(source.0),
        b: ElementId::new(destination.0),
        ducts: named(link, "duct"),
        length_km: decimal(link, EMS, "length").unwrap_or_default(),
        backbone: leaf(link, EMS, "backbone") == Some("true"),
        capacity_mbps: decimal(link, EMS, "capacity").unwrap_or_default(),
        optic_a: ElementId::new(source.1),
        optic_b: ElementId::new(destination.1),
    };
    for (at, end) in [(source, LinkEnd::A), (destination, LinkEnd::B)] {
        if !at.1.is_empty() {
            read.names.enter_interface(at, &element.id, end);
        }
    }
    read.inventory.links.insert(element.id.clone(), made);
    read.inventory.elements.insert(element.id.clone(), element);
    true
}

/// The kind that convoke-ems says; none if it says nothing.
fn kind(of: XmlElement<'_>) -> Option<ElementKind> {
    leaf(of, EMS, "kind").and_then(ElementKind::parse)
}

/// An element with what convoke-ems says of its place; none, and counted, if it is not the system's to
/// document, or is not called what it is.
fn placed(
    of: XmlElement<'_>,
    id: &str,
    kind: ElementKind,
    defaults: &DomainDefaults,
    read: &mut SystemInventory,
) -> Option<Element> {
    let domain = leaf(of, EMS, "domain").and_then(Domain::parse);
    let domain = domain.unwrap_or(defaults.domain);
    let said = identifier(of, EMS, "province");
    let is_granted = defaults.grants(id, kind, domain) && defaults.grants_province(said);
    if !is_named_as(id, kind) || !is_granted {
        read.outside += 1;
        return None;
    }
    let text = |name| {
        let text = leaf(of, EMS, name).unwrap_or_default();
        clipped(text, super::text::NAME_BYTES).to_owned()
    };
    let place = match text("place") {
        none if none.is_empty() => defaults.province.clone().unwrap_or_default(),
        place => place,
    };
    let province = said.or(defaults.province.as_deref());
    if let (Some(province), false) = (province, place.is_empty()) {
        let entry = read.inventory.provinces.entry(place.clone());
        entry.or_insert_with(|| province.to_owned());
    }
    let degrees = |name| decimal(of, EMS, name).unwrap_or_default();
    Some(Element {
        id: ElementId::new(id),
        kind,
        domain,
        parent: identifier(of, EMS, "parent").map(ElementId::new),
        place,
        position: (degrees("longitude"), degrees("latitude")),
        vendor: text("vendor"),
        model: text("model"),
    })
}

/// True if there are elements of a kind in a domain: what others have as well may be in any.
fn belongs(kind: ElementKind, domain: Domain) -> bool {
    match kind {
        ElementKind::Site | ElementKind::Cell | ElementKind::PowerZone => {
            domain == Domain::Wireless
        }
        ElementKind::Router | ElementKind::LineCard => domain == Domain::Ip,
        ElementKind::Link | ElementKind::Duct | ElementKind::Optic => true,
    }
}

/// True if a name says of which kind an element is: `kind:name`, which is how those of one kind are
/// found ([`Inventory::of_kind`]).
fn is_named_as(id: &str, kind: ElementKind) -> bool {
    id.split_once(':')
        .is_some_and(|(begin, name)| begin == kind.as_str() && !name.is_empty())
}

/// The elements that a leaf-list of convoke-ems names.
fn named(of: XmlElement<'_>, name: &'static str) -> Vec<ElementId> {
    let named = entries(of, EMS, name, LISTED).map(|entry| entry.trimmed_text());
    named
        .filter(|id| super::text::is_identifier(id))
        .map(ElementId::new)
        .collect()
}

/// The planned parameters of a cell; none if its radio unit is not known here.
fn cell(of: XmlElement<'_>) -> Option<Cell> {
    let number = |name| decimal(of, EMS, name).unwrap_or_default();
    Some(Cell {
        azimuth_degrees: number("azimuth"),
        carrier_mhz: number("carrier"),
        bandwidth_mhz: number("bandwidth"),
        power_dbm: number("power"),
        radio_unit: RadioUnit::parse(leaf(of, EMS, "radio-unit")?)?,
        capacity_layer: leaf(of, EMS, "capacity-layer") == Some("true"),
        neighbours: named(of, "neighbour"),
    })
}
