//! Elements made of nodes and links that only the standard models describe (RFC 8345).
//!
//! A node is a router, or a site if the configuration says so by its name; a link runs between two
//! nodes. RFC 8345 links have one direction: two that run between the same termination points, or
//! nodes, in opposite directions are one element, under the name of the first. Read next:
//! [`super`].

use super::{DomainDefaults, SystemInventory};
use crate::netconf::manager::foreign_names::LinkEnd;
use crate::netconf::manager::text::NAME_BYTES;
use domain::inventory::{Domain, Element, ElementId, ElementKind, Link};
use std::collections::BTreeMap;

/// A node and its termination point, which may be empty.
type End<'a> = (&'a str, &'a str);

/// What was read, before it is made into elements.
#[derive(Default)]
pub(super) struct Plain<'a> {
    nodes: BTreeMap<&'a str, Vec<&'a str>>,
    links: Vec<(&'a str, End<'a>, End<'a>)>,
}

impl<'a> Plain<'a> {
    /// Takes a node with its termination points.
    pub(super) fn node(&mut self, id: &'a str, points: impl Iterator<Item = &'a str>) {
        self.nodes.entry(id).or_default().extend(points);
    }

    /// Takes a link.
    pub(super) fn link(&mut self, id: &'a str, source: End<'a>, destination: End<'a>) {
        self.links.push((id, source, destination));
    }

    /// Makes elements of all of it.
    pub(super) fn finish(self, defaults: &DomainDefaults, read: &mut SystemInventory) {
        for id in self.nodes.keys() {
            let kind = kind_of(id, defaults);
            let element = element(id, kind, None, defaults);
            if !defaults.grants(id, kind, element.domain) {
                read.outside += 1;
                continue;
            }
            if defaults.cores.iter().any(|core| core == id) {
                read.inventory.cores.insert(element.id.clone());
            }
            read.names.enter(id, &element.id);
            insert(element, defaults, read);
        }
        let mut made: BTreeMap<(End<'a>, End<'a>), ElementId> = BTreeMap::new();
        for (id, source, destination) in &self.links {
            match made.get(&(*destination, *source)) {
                Some(link) => read.names.enter(id, link),
                None => {
                    let link = make_link(id, *source, *destination, defaults, read);
                    made.insert((*source, *destination), link);
                }
            }
        }
    }
}

fn make_link(
    id: &str,
    source: End<'_>,
    destination: End<'_>,
    defaults: &DomainDefaults,
    read: &mut SystemInventory,
) -> ElementId {
    let mut link = element(id, ElementKind::Link, None, defaults);
    let name = link.id.as_str().trim_start_matches("link:").to_owned();
    let mut end = |(node, point): End<'_>, end: LinkEnd, letter: char| {
        let node_id = read.names.element(node);
        if !point.is_empty() {
            read.names.enter_interface((node, point), &link.id, end);
        }
        let optic = format!("optic:{name}/{letter}");
        let module = element(&optic, ElementKind::Optic, Some(node_id.clone()), defaults);
        let optic = module.id.clone();
        insert(module, defaults, read);
        (node_id, optic)
    };
    let (a, optic_a) = end(source, LinkEnd::A, 'a');
    let (b, optic_b) = end(destination, LinkEnd::B, 'b');
    let router = |id: &ElementId| id.as_str().starts_with("router:");
    let made = Link {
        backbone: router(&a) && router(&b),
        a,
        b,
        ducts: Vec::new(),
        length_km: 0.0,
        capacity_mbps: 0.0,
        optic_a,
        optic_b,
    };
    let id_of_link = link.id.clone();
    // A link stands where it begins.
    if let Some(from) = read.inventory.elements.get(&made.a) {
        link.place.clone_from(&from.place);
    }
    read.names.enter(id, &id_of_link);
    read.inventory.links.insert(id_of_link.clone(), made);
    read.inventory.elements.insert(id_of_link.clone(), link);
    id_of_link
}

fn insert(element: Element, defaults: &DomainDefaults, read: &mut SystemInventory) {
    if let Some(province) = &defaults.province {
        let entry = read.inventory.provinces.entry(element.place.clone());
        entry.or_insert_with(|| province.clone());
    }
    let entry = read.inventory.elements.entry(element.id.clone());
    entry.or_insert(element);
}

/// The kind of a node: as its name begins, as the configuration says, else what its domain has.
fn kind_of(id: &str, defaults: &DomainDefaults) -> ElementKind {
    let begun = id
        .split_once(':')
        .and_then(|(kind, _)| ElementKind::parse(kind));
    match begun {
        Some(kind) => kind,
        None if defaults.names_site(id) || defaults.domain == Domain::Wireless => ElementKind::Site,
        None => ElementKind::Router,
    }
}

/// An element of which nothing is known but its name.
fn element(
    id: &str,
    kind: ElementKind,
    parent: Option<ElementId>,
    defaults: &DomainDefaults,
) -> Element {
    let prefix = format!("{}:", kind.as_str());
    let name = id.strip_prefix(&prefix).unwrap_or(id);
    let ours = format!("{prefix}{name}");
    // Whose name gets too long by its kind keeps it as it is.
    let ours = if ours.len() > NAME_BYTES {
        id.to_owned()
    } else {
        ours
    };
    let place = match &parent {
        Some(parent) => parent.as_str().split_once(':').map_or("", |(_, name)| name),
        None => name,
    };
    Element {
        id: ElementId::new(ours),
        kind,
        domain: match kind {
            ElementKind::Site | ElementKind::PowerZone | ElementKind::Cell => Domain::Wireless,
            _ => defaults.domain,
        },
        place: place.to_owned(),
        parent,
        position: (0.0, 0.0),
        vendor: String::new(),
        model: String::new(),
    }
}
