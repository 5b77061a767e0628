//! Who would complain at first hand of the failure of an element, by how things are joined alone.
//!
//! A link is spoken of by its two modules, a duct by those of all links in it, a card by itself and the
//! far modules of its links, a zone by its sites. Refuses to know alarms. Read next: [`super`].

use crate::topology::Topology;
use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::{BTreeMap, BTreeSet};

/// Nothing.
static NONE: BTreeSet<ElementId> = BTreeSet::new();

/// Who speaks of what.
#[derive(Clone, Debug, Default)]
pub(super) struct Speakers {
    /// By element: who speaks of it.
    of: BTreeMap<ElementId, BTreeSet<ElementId>>,
    /// By element: whom it may speak of.
    suspects: BTreeMap<ElementId, BTreeSet<ElementId>>,
    /// By module: its link.
    links: BTreeMap<ElementId, ElementId>,
    /// By node or link: the nodes at the far ends of its links, and these links.
    beside: BTreeMap<ElementId, BTreeSet<ElementId>>,
}

impl Speakers {
    pub(super) fn new(topology: &Topology) -> Self {
        let inventory = topology.inventory();
        let mut speakers = Self::default();
        for element in inventory.elements.values() {
            match element.kind {
                ElementKind::Site => {
                    let zone = element.parent.iter();
                    zone.for_each(|zone| speakers.speaks(&element.id, zone));
                }
                ElementKind::PowerZone | ElementKind::Duct | ElementKind::Link => {}
                _ => speakers.speaks(&element.id, &element.id),
            }
        }
        for (id, link) in &inventory.links {
            let modules = [&link.optic_a, &link.optic_b];
            for (end, module) in modules.into_iter().enumerate() {
                speakers.links.insert(module.clone(), id.clone());
                speakers.speaks(module, id);
                link.ducts
                    .iter()
                    .for_each(|duct| speakers.speaks(module, duct));
                let far = [&link.a, &link.b][1 - end];
                speakers.speaks(module, modules[1 - end]);
                speakers.speaks_of_far(module, far, inventory);
            }
            // A link that raises alarms itself speaks for both ends.
            speakers.suspects_of(id, [id].into_iter().chain(&link.ducts));
            let [a, b] = [&link.a, &link.b].map(|end| inventory.node_of(end));
            for (one, other) in [(a, b), (a, id), (b, id)] {
                speakers.stand_side_by_side(one, other);
            }
        }
        speakers
    }

    /// Who would complain of an element.
    pub(super) fn of(&self, element: &ElementId) -> &BTreeSet<ElementId> {
        self.of.get(element).unwrap_or(&NONE)
    }

    /// What an element may complain of.
    pub(super) fn suspects(&self, element: &ElementId) -> &BTreeSet<ElementId> {
        self.suspects.get(element).unwrap_or(&NONE)
    }

    /// The link that a module is plugged into.
    pub(super) fn link_of(&self, module: &ElementId) -> Option<&ElementId> {
        self.links.get(module)
    }

    /// The nodes that are adjacent to a node, with the links to them.
    pub(super) fn beside(&self, node: &ElementId) -> &BTreeSet<ElementId> {
        self.beside.get(node).unwrap_or(&NONE)
    }

    fn stand_side_by_side(&mut self, one: &ElementId, other: &ElementId) {
        for (node, beside) in [(one, other), (other, one)] {
            let known = self.beside.entry(node.clone()).or_default();
            known.insert(beside.clone());
        }
    }

    fn speaks(&mut self, who: &ElementId, of: &ElementId) {
        self.of.entry(of.clone()).or_default().insert(who.clone());
        self.suspects_of(who, [of]);
    }

    fn suspects_of<'a>(&mut self, who: &ElementId, of: impl IntoIterator<Item = &'a ElementId>) {
        let suspects = self.suspects.entry(who.clone()).or_default();
        suspects.extend(of.into_iter().cloned());
    }

    /// The far end of a link, and the router that it is a card of.
    fn speaks_of_far(&mut self, module: &ElementId, far: &ElementId, inventory: &Inventory) {
        let of_kind = |id: &ElementId, kind| inventory.element(id).is_some_and(|e| e.kind == kind);
        if of_kind(far, ElementKind::LineCard) {
            self.speaks(module, far);
        }
        let node = inventory.node_of(far);
        if of_kind(node, ElementKind::Router) {
            self.speaks(module, node);
        }
    }
}
