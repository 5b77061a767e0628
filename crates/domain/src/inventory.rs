//! The elements of a network: routers, cards, links, ducts, sites and power zones.
//!
//! The inventory describes topology, never state: states are measured ([`crate::telemetry`]) or
//! alarmed. The simulated network hands it out; agents reason over it. Read next:
//! [`crate::telemetry`].

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The identifier of an element, unique in the network, as `kind:name`, for example
/// `router:Berlin`, `card:Berlin/2`, `link:Berlin-Leipzig`, `duct:Berlin-7`, `site:BE-017`,
/// `zone:Berlin-3`, `optic:Berlin-Leipzig/a`, `cell:BE-017/2`. For serde it is this text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ElementId(String);

impl ElementId {
    /// The element called `id`.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The domain that an element belongs to; its agents see the element's alarms.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "PascalCase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// Base-station sites, their cells and their power.
    Wireless,
    /// Routers, cards, links and ducts.
    #[strum(serialize = "IP")]
    Ip,
    /// Services and customers: complaints arrive here.
    Service,
    /// Customers' contracts and tickets, before anything technical is known.
    Business,
}

crate::named! {
    /// The name of the domain as profiles and payloads write it.
    Domain
}

/// The kind of an element.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// A backbone router; cards are its children.
    Router,
    /// A line card of a router; access and backbone links end on cards.
    #[strum(serialize = "card")]
    LineCard,
    /// A link between two of router card and site.
    Link,
    /// A trench that several links share: one excavator cuts them all.
    Duct,
    /// A base-station site, with a cell-site gateway that forwards for sites behind it.
    Site,
    /// An area whose sites share one mains supply.
    #[strum(serialize = "zone")]
    PowerZone,
    /// The optical module in which an end of a link is plugged; built into a card or a site.
    Optic,
    /// A cell of a site: one carrier in one sector.
    Cell,
}

crate::named! {
    /// The kind as it begins an [`ElementId`].
    ElementKind
}

/// One element of the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its identifier.
    pub id: ElementId,
    /// The kind.
    pub kind: ElementKind,
    /// The domain that manages it.
    pub domain: Domain,
    /// The element that contains it: a card's router, an optical module's card or site, a cell's
    /// site; for a site its power zone.
    pub parent: Option<ElementId>,
    /// The town it stands in or begins at.
    pub place: String,
    /// Longitude and latitude in degrees (WGS 84).
    pub position: (f64, f64),
    /// The manufacturer; empty for what has none (ducts, zones).
    pub vendor: String,
    /// Its type designation.
    pub model: String,
}

/// A link between two elements; the link itself is also an [`Element`] under the same id.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// One end: a line card or a site.
    pub a: ElementId,
    /// The other end.
    pub b: ElementId,
    /// The ducts it runs through.
    pub ducts: Vec<ElementId>,
    /// Length of the fibre in kilometres.
    pub length_km: f64,
    /// True between routers, false towards sites.
    pub backbone: bool,
    /// The capacity in each direction, in Mbit/s.
    pub capacity_mbps: f64,
    /// The optical module at end A.
    pub optic_a: ElementId,
    /// The optical module at end B.
    pub optic_b: ElementId,
}

/// The radio units with known energy figures (network energy set of the ITU AI/ML in 5G Challenge
/// 2023, which numbers them).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "PascalCase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RadioUnit {
    /// Two antennas; can shut down its carrier.
    Type2,
    /// Two antennas.
    Type3,
    /// Two antennas; can shut down its carrier.
    Type4,
    /// Two antennas.
    Type5,
    /// Two antennas.
    Type6,
    /// Two antennas.
    Type7,
    /// Two antennas; can sleep deeply.
    Type9,
    /// 32 antennas (massive MIMO); can shut down its carrier and sleep deeply.
    Type10,
}

crate::named! {
    /// The name in the set.
    RadioUnit
}

/// The planned parameters of a cell; the cell itself is also an [`Element`] under the same id,
/// whose parent is its site.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The azimuth of its antenna, in degrees clockwise from north.
    pub azimuth_degrees: f64,
    /// The middle of its carrier, in MHz.
    pub carrier_mhz: f64,
    /// The bandwidth of its carrier, in MHz.
    pub bandwidth_mhz: f64,
    /// Its transmit power without any offset, in dBm.
    pub power_dbm: f64,
    /// The radio unit that it transmits with.
    pub radio_unit: RadioUnit,
    /// True if it adds capacity where another cell of the same sector gives coverage; such a cell may
    /// sleep without leaving a hole.
    pub capacity_layer: bool,
    /// The cells that users can be handed over to, nearest first.
    pub neighbours: Vec<ElementId>,
}

/// All elements and links, in the order of their identifiers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// Every element, links and ducts included.
    pub elements: BTreeMap<ElementId, Element>,
    /// The ends of every link.
    pub links: BTreeMap<ElementId, Link>,
    /// The routers at which the mobile core is attached: a site is in service while it reaches one.
    pub cores: BTreeSet<ElementId>,
    /// The planned parameters of every cell.
    pub cells: BTreeMap<ElementId, Cell>,
    /// The capacity of the batteries of each site, in watt-hours.
    pub battery_wh: BTreeMap<ElementId, f64>,
    /// The province that each town lies in: a management domain with agents of its own.
    pub provinces: BTreeMap<String, String>,
}

impl Inventory {
    /// The element called `id`.
    pub fn element(&self, id: &ElementId) -> Option<&Element> {
        self.elements.get(id)
    }

    /// All elements of one kind.
    pub fn of_kind(&self, kind: ElementKind) -> impl Iterator<Item = &Element> {
        // Identifiers begin with their kind, so that those of one kind stand side by side.
        let first = ElementId::new(format!("{}:", kind.as_str()));
        let from = self.elements.range(first.clone()..);
        from.take_while(move |(id, _)| id.as_str().starts_with(first.as_str()))
            .map(|(_, element)| element)
            .filter(move |e| e.kind == kind)
    }

    /// The node that contains an element: the router of a card, the site of a cell, either of an
    /// optical module; for anything else the element itself.
    pub fn node_of<'a>(&'a self, element: &'a ElementId) -> &'a ElementId {
        use ElementKind::{Cell, LineCard, Optic};
        match self.elements.get(element) {
            Some(e) if matches!(e.kind, LineCard | Optic | Cell) => {
                e.parent.as_ref().map_or(element, |p| self.node_of(p))
            }
            _ => element,
        }
    }

    /// The province that an element lies in; none if unknown.
    pub fn province_of(&self, element: &ElementId) -> Option<&str> {
        let place = &self.elements.get(element)?.place;
        self.provinces.get(place).map(String::as_str)
    }

    /// The cells of a site, in the order of their identifiers.
    pub fn cells_of<'a>(&'a self, site: &'a ElementId) -> impl Iterator<Item = &'a ElementId> {
        let ours = move |id: &&ElementId| {
            self.elements
                .get(*id)
                .is_some_and(|e| e.parent.as_ref() == Some(site))
        };
        // Cells are named after their sites, so they stand side by side.
        let first = site.as_str().split_once(':').map_or("", |(_, name)| name);
        let first = ElementId::new(format!("cell:{first}/"));
        let cells = self.cells.range(first.clone()..).map(|(id, _)| id);
        cells
            .take_while(move |id| id.as_str().starts_with(first.as_str()))
            .filter(ours)
    }

    /// True if `id` works when every element of `failed` has failed: neither it nor any element
    /// that it is built into or runs through is among them.
    pub fn works(&self, id: &ElementId, failed: &BTreeSet<ElementId>) -> bool {
        if failed.contains(id) {
            return false;
        }
        let parent_works = self
            .elements
            .get(id)
            .and_then(|e| e.parent.as_ref())
            .is_none_or(|p| self.works(p, failed));
        let link_works = self.links.get(id).is_none_or(|l| {
            l.ducts.iter().all(|d| !failed.contains(d))
                && self.works(&l.a, failed)
                && self.works(&l.b, failed)
                && !failed.contains(&l.optic_a)
                && !failed.contains(&l.optic_b)
        });
        parent_works && link_works
    }

    /// The sites that are out of service when `failed` has failed: without power, or without a
    /// path over working links to a working core router.
    pub fn sites_cut_off(&self, failed: &BTreeSet<ElementId>) -> BTreeSet<ElementId> {
        let reached = self.reached_from_cores(failed);
        self.of_kind(ElementKind::Site)
            .map(|s| &s.id)
            .filter(|s| !reached.contains(*s))
            .cloned()
            .collect()
    }

    fn reached_from_cores(&self, failed: &BTreeSet<ElementId>) -> BTreeSet<&ElementId> {
        let mut adjacent: BTreeMap<&ElementId, Vec<&ElementId>> = BTreeMap::new();
        for (id, link) in &self.links {
            if self.works(id, failed) {
                let (a, b) = (self.node_of(&link.a), self.node_of(&link.b));
                adjacent.entry(a).or_default().push(b);
                adjacent.entry(b).or_default().push(a);
            }
        }
        let mut reached: BTreeSet<&ElementId> = self
            .cores
            .iter()
            .filter(|c| self.works(c, failed))
            .collect();
        let mut open: Vec<&ElementId> = reached.iter().copied().collect();
        while let Some(node) = open.pop() {
            for next in adjacent.get(node).into_iter().flatten().copied() {
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> ElementId {
        ElementId::new(text)
    }

    fn element(kind: ElementKind, name: &str, parent: Option<&str>) -> Element {
        Element {
            id: id(name),
            kind,
            domain: Domain::Ip,
            parent: parent.map(id),
            place: "Here".into(),
            position: (0.0, 0.0),
            vendor: String::new(),
            model: String::new(),
        }
    }

    /// A small network: core router R, card c; ring c - s1 - s2 - c; spur s2 - s3; duct d holds
    /// both ring ends.
    fn small() -> Inventory {
        use ElementKind::*;
        let mut inventory = Inventory::default();
        for e in [
            element(Router, "router:R", None),
            element(LineCard, "card:R/1", Some("router:R")),
            element(PowerZone, "zone:z", None),
            element(Site, "site:1", Some("zone:z")),
            element(Site, "site:2", None),
            element(Site, "site:3", None),
            element(Duct, "duct:d", None),
        ] {
            inventory.elements.insert(e.id.clone(), e);
        }
        for (name, a, b, duct) in [
            ("link:c-1", "card:R/1", "site:1", true),
            ("link:1-2", "site:1", "site:2", false),
            ("link:2-c", "site:2", "card:R/1", true),
            ("link:2-3", "site:2", "site:3", false),
        ] {
            inventory
                .elements
                .insert(id(name), element(Link, name, None));
            inventory.links.insert(
                id(name),
                super::Link {
                    a: id(a),
                    b: id(b),
                    ducts: if duct { vec![id("duct:d")] } else { vec![] },
                    length_km: 1.0,
                    backbone: false,
                    capacity_mbps: 1_000.0,
                    optic_a: id(&format!("optic:{name}/a")),
                    optic_b: id(&format!("optic:{name}/b")),
                },
            );
        }
        inventory.cores.insert(id("router:R"));
        inventory
    }

    fn cut(failed: &[&str]) -> Vec<String> {
        let failed = failed.iter().map(|f| id(f)).collect();
        small()
            .sites_cut_off(&failed)
            .iter()
            .map(|s| s.to_string())
            .collect()
    }

    #[test]
    fn a_ring_survives_one_cut_and_not_its_duct() {
        assert!(cut(&["link:c-1"]).is_empty());
        assert_eq!(cut(&["duct:d"]), ["site:1", "site:2", "site:3"]);
        assert_eq!(cut(&["card:R/1"]), ["site:1", "site:2", "site:3"]);
        assert_eq!(cut(&["router:R"]), ["site:1", "site:2", "site:3"]);
    }

    #[test]
    fn a_spur_cuts_what_hangs_behind_it_and_a_zone_its_sites() {
        assert_eq!(cut(&["link:2-3"]), ["site:3"]);
        assert_eq!(cut(&["zone:z"]), ["site:1"]);
        assert_eq!(cut(&["zone:z", "link:2-c"]), ["site:1", "site:2", "site:3"]);
    }
}
