//! `/networks` (RFC 8345) with what convoke-ems adds: the network as documented.
//!
//! One network for each technical domain, the same at every management system, as agents that are
//! hosted here are briefed with all of it. Optical modules are termination points of what they are
//! built into. Read next: [`domain::inventory`].

use crate::netconf::encode::reader::{Reader, keys};
use crate::netconf::output::decimal;
use crate::netconf::{EMS_NAMESPACE, NETWORK_NAMESPACE, TOPOLOGY_NAMESPACE};
use ::netconf::data::{Node, Writer};
use ::netconf::filter::Projection;
use domain::ems::Ems;
use domain::inventory::{Cell, Domain, Element, ElementId, ElementKind, Inventory, Link};
use engine::Refusal;
use engine::query::InventoryOf;
use std::collections::BTreeMap;

/// What a node takes, in bytes: a guess too high costs nothing.
const NODE_BYTES: usize = 768;

/// The networks: identifier and domain.
const NETWORKS: [(&str, Domain); 2] = [
    ("network:ip", Domain::Ip),
    ("network:wireless", Domain::Wireless),
];

type Modules<'i> = BTreeMap<&'i ElementId, Vec<&'i Element>>;

impl Reader<'_> {
    pub(super) fn write_networks(
        &self,
        ems: Ems,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let inventory = self.read(InventoryOf(ems))?;
        if inventory.elements.is_empty() {
            return Ok(());
        }
        let mut writer = Writer::new(projection, out);
        if writer.open(&Node::container(NETWORK_NAMESPACE, "networks").state()) {
            let modules = modules(&inventory);
            for (id, domain) in NETWORKS {
                write_network(&inventory, &modules, (id, domain), &mut writer);
            }
            writer.close();
        }
        Ok(())
    }
}

/// The optical modules by what they are built into.
fn modules(inventory: &Inventory) -> Modules<'_> {
    let mut modules = Modules::new();
    for module in inventory.of_kind(ElementKind::Optic) {
        if let Some(parent) = &module.parent {
            modules.entry(parent).or_default().push(module);
        }
    }
    modules
}

fn write_network(
    inventory: &Inventory,
    modules: &Modules<'_>,
    (id, domain): (&'static str, Domain),
    writer: &mut Writer<'_>,
) {
    let managed = Node::container(EMS_NAMESPACE, "managed-domain").leaf("domain", domain.as_str());
    let network = Node::entry("", "network", 1)
        .leaf("network-id", id)
        .with(Node::container("", "network-types").with(managed));
    if !writer.open(&network) {
        return;
    }
    let view = writer.view();
    if let Some(view) = view.child(NETWORK_NAMESPACE, "node") {
        for element in own(inventory, domain, keys(&view, "node-id")) {
            if !matches!(element.kind, ElementKind::Link | ElementKind::Optic) {
                writer.reserve(NODE_BYTES);
                writer.node(&node(inventory, modules, element));
            }
        }
    }
    if let Some(view) = view.child(TOPOLOGY_NAMESPACE, "link") {
        for element in own(inventory, domain, keys(&view, "link-id")) {
            if let Some(of) = inventory.links.get(&element.id) {
                writer.node(&link(inventory, element, of));
            }
        }
    }
    writer.close();
}

/// The elements of a domain: those named, or all.
fn own(
    inventory: &Inventory,
    domain: Domain,
    named: Option<Vec<String>>,
) -> Box<dyn Iterator<Item = &Element> + '_> {
    let found: Box<dyn Iterator<Item = &Element>> = match named {
        Some(names) => Box::new(
            names
                .into_iter()
                .filter_map(|name| inventory.element(&ElementId::new(name))),
        ),
        None => Box::new(inventory.elements.values()),
    };
    Box::new(found.filter(move |element| element.domain == domain))
}

fn node<'a>(inventory: &'a Inventory, modules: &Modules<'a>, of: &'a Element) -> Node<'a> {
    let own = modules.get(&of.id).into_iter().flatten().copied();
    let battery = inventory.battery_wh.get(&of.id);
    let node = Node::entry("", "node", 1).leaf("node-id", of.id.as_str());
    let node = placed(node, inventory, of)
        .with_opt(
            inventory
                .cores
                .contains(&of.id)
                .then(|| Node::value(EMS_NAMESPACE, "core", true)),
        )
        .with_opt(added("battery", battery.and_then(|wh| decimal(*wh, 1))))
        .with_opt(inventory.cells.get(&of.id).map(cell));
    node.with_all(own.map(|module| {
        let point = Node::entry(TOPOLOGY_NAMESPACE, "termination-point", 1);
        placed(point.leaf("tp-id", module.id.as_str()), inventory, module)
    }))
}

fn link<'a>(inventory: &'a Inventory, element: &'a Element, of: &'a Link) -> Node<'a> {
    let source = Node::container("", "source")
        .leaf("source-node", of.a.as_str())
        .leaf("source-tp", of.optic_a.as_str());
    let destination = Node::container("", "destination")
        .leaf("dest-node", of.b.as_str())
        .leaf("dest-tp", of.optic_b.as_str());
    let node = Node::entry(TOPOLOGY_NAMESPACE, "link", 1)
        .leaf("link-id", element.id.as_str())
        .with(source)
        .with(destination);
    let ducts = of.ducts.iter();
    placed(node, inventory, element)
        .with_opt(added("capacity", decimal(of.capacity_mbps, 3)))
        .with_opt(added("length", decimal(of.length_km, 3)))
        .with(Node::value(EMS_NAMESPACE, "backbone", of.backbone))
        .with_all(ducts.map(|duct| Node::value(EMS_NAMESPACE, "duct", duct.as_str())))
}

/// A leaf that convoke-ems adds, if there is a value.
fn added<'a>(name: &'a str, value: Option<String>) -> Option<Node<'a>> {
    value.map(|value| Node::value(EMS_NAMESPACE, name, value))
}

/// Where an element is, and who made it.
fn placed<'a>(node: Node<'a>, inventory: &'a Inventory, of: &'a Element) -> Node<'a> {
    let text =
        |name, value: &'a str| (!value.is_empty()).then(|| Node::value(EMS_NAMESPACE, name, value));
    let parent = of.parent.as_ref().map_or("", ElementId::as_str);
    let province = inventory.province_of(&of.id).unwrap_or("");
    node.with_opt(text("kind", of.kind.as_str()))
        .with_opt(text("domain", of.domain.as_str()))
        .with_opt(text("parent", parent))
        .with_opt(text("place", &of.place))
        .with_opt(text("province", province))
        .with_opt(added("longitude", decimal(of.position.0, 6)))
        .with_opt(added("latitude", decimal(of.position.1, 6)))
        .with_opt(text("vendor", &of.vendor))
        .with_opt(text("model", &of.model))
}

fn cell(of: &Cell) -> Node<'_> {
    Node::container(EMS_NAMESPACE, "cell")
        .leaf_opt("azimuth", decimal(of.azimuth_degrees, 1))
        .leaf_opt("carrier", decimal(of.carrier_mhz, 1))
        .leaf_opt("bandwidth", decimal(of.bandwidth_mhz, 1))
        .leaf_opt("power", decimal(of.power_dbm, 2))
        .leaf("radio-unit", of.radio_unit.as_str())
        .leaf("capacity-layer", of.capacity_layer)
        .leaf_list("neighbour", of.neighbours.iter().map(ElementId::as_str))
}
