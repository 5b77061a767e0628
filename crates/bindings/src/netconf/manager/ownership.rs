//! One inventory of what several management systems document, and whose each element is.
//!
//! An element belongs to the first system that documents it, in the order of the settings; what others
//! document under the same name is left out and told, and so are elements of towns that an earlier
//! system has placed in another province. Whoever owns an element is the only one that reports on it
//! and acts on it. Read next: [`super::topology`], which reads what one system documents.

use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The most elements that are named of those that were left out for one reason.
const EXAMPLES: usize = 4;

/// What several systems document together. A system is known by its place in the order of the
/// settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedInventory {
    /// The network.
    pub inventory: Inventory,
    /// The system that each of its elements belongs to.
    pub owners: BTreeMap<ElementId, usize>,
    /// What was left out, by the reason.
    pub left_out: BTreeMap<OwnershipDispute, LeftOut>,
    /// The first system that placed a town in its province.
    towns: BTreeMap<String, usize>,
}

/// Two systems that document the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnershipDispute {
    /// The system that is refused.
    pub refused: usize,
    /// The system that was first.
    pub first: usize,
    /// What they dispute about.
    pub over: DisputedThing,
}

/// What two systems dispute about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DisputedThing {
    /// The name of an element.
    Element,
    /// The province of the town that an element lies in.
    Province,
}

/// Elements that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Their number.
    pub number: usize,
    /// The first few of them.
    pub examples: Vec<ElementId>,
}

/// What the systems document, one after the other, in one inventory. Links to what nobody knows are
/// left out, and so is what links are said to run through and be plugged into, where that is
/// something else.
pub fn merged<'a>(parts: impl IntoIterator<Item = &'a Inventory>) -> MergedInventory {
    let mut whole = MergedInventory::default();
    for (system, part) in parts.into_iter().enumerate() {
        whole.claim(system, part);
        whole.describe(system, part);
    }
    drop_loose_ends(&mut whole.inventory);
    let known = &whole.inventory.elements;
    whole.owners.retain(|id, _| known.contains_key(id));
    whole
}

impl MergedInventory {
    /// Enters the elements of a system that are nobody else's.
    fn claim(&mut self, system: usize, part: &Inventory) {
        for (id, element) in &part.elements {
            if let Some((first, over)) = self.dispute(element, part) {
                let dispute = OwnershipDispute {
                    refused: system,
                    first,
                    over,
                };
                self.left_out.entry(dispute).or_default().enter(id);
                continue;
            }
            self.place(system, element, part);
            self.owners.insert(id.clone(), system);
            self.inventory.elements.insert(id.clone(), element.clone());
        }
    }

    /// The system that an element of this part is refused for, and why, if it is.
    fn dispute(&self, element: &Element, part: &Inventory) -> Option<(usize, DisputedThing)> {
        if let Some(owner) = self.owners.get(&element.id) {
            return Some((*owner, DisputedThing::Element));
        }
        let said = part.provinces.get(&element.place)?;
        let known = self.inventory.provinces.get(&element.place)?;
        let first = self.towns.get(&element.place)?;
        (said != known).then_some((*first, DisputedThing::Province))
    }

    /// Enters the province of the town that an element lies in, unless it is known.
    fn place(&mut self, system: usize, element: &Element, part: &Inventory) {
        let town = &element.place;
        if let Some(province) = part.provinces.get(town)
            && let Entry::Vacant(unknown) = self.inventory.provinces.entry(town.clone())
        {
            unknown.insert(province.clone());
            self.towns.insert(town.clone(), system);
        }
    }

    /// Enters what a system says of the elements that are its own.
    fn describe(&mut self, system: usize, part: &Inventory) {
        let owners = &self.owners;
        let own = |id: &ElementId| owners.get(id) == Some(&system);
        let whole = &mut self.inventory;
        let links = part.links.iter().filter(|(id, _)| own(id));
        whole
            .links
            .extend(links.map(|(id, link)| (id.clone(), link.clone())));
        let cells = part.cells.iter().filter(|(id, _)| own(id));
        whole
            .cells
            .extend(cells.map(|(id, cell)| (id.clone(), cell.clone())));
        let batteries = part.battery_wh.iter().filter(|(id, _)| own(id));
        whole
            .battery_wh
            .extend(batteries.map(|(id, wh)| (id.clone(), *wh)));
        let cores = part.cores.iter().filter(|id| own(id));
        whole.cores.extend(cores.cloned());
    }
}

impl LeftOut {
    fn enter(&mut self, id: &ElementId) {
        self.number += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(id.clone());
        }
    }
}

/// Leaves out links that end nowhere, and ducts, modules and parents that nobody knows.
fn drop_loose_ends(whole: &mut Inventory) {
    let kinds: BTreeMap<ElementId, ElementKind> = whole
        .elements
        .iter()
        .map(|(id, element)| (id.clone(), element.kind))
        .collect();
    let is_end = |id: &ElementId| {
        use ElementKind::{LineCard, Router, Site};
        matches!(kinds.get(id), Some(LineCard | Router | Site))
    };
    whole
        .links
        .retain(|_, link| is_end(&link.a) && is_end(&link.b));
    let is = |id: &ElementId, kind: ElementKind| kinds.get(id) == Some(&kind);
    for link in whole.links.values_mut() {
        link.ducts.retain(|duct| is(duct, ElementKind::Duct));
        for optic in [&mut link.optic_a, &mut link.optic_b] {
            if !is(optic, ElementKind::Optic) {
                // As where a link is documented without termination points.
                *optic = ElementId::new("");
            }
        }
    }
    for element in whole.elements.values_mut() {
        let outer = element.parent.as_ref().and_then(|parent| kinds.get(parent));
        if outer.is_none_or(|outer| !nests(element.kind, *outer)) {
            element.parent = None;
        }
    }
    let links = &whole.links;
    whole
        .elements
        .retain(|id, element| element.kind != ElementKind::Link || links.contains_key(id));
}

/// True if a thing of one kind is built into one of another: what is said beyond that could go round
/// in circles.
fn nests(inner: ElementKind, outer: ElementKind) -> bool {
    use ElementKind::{Cell, LineCard, Optic, PowerZone, Router, Site};
    matches!(
        (inner, outer),
        (LineCard, Router) | (Optic, LineCard | Router | Site) | (Cell, Site) | (Site, PowerZone)
    )
}
