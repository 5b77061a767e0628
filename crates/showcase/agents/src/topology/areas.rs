//! The routers over which each element is connected: [`super::Topology::area`].
//!
//! Of a network in which everything is connected over everything, areas would be as large as the
//! square of it: beyond a bound the rest has none. Read next: [`super`].

use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::{BTreeMap, BTreeSet};

/// The most routers of all areas together, as often as they are walked, read and entered. An element of
/// a network of rings and spurs has two.
const ENTERED: usize = 4_000_000;

/// Areas while they are found.
struct Areas {
    known: BTreeMap<ElementId, BTreeSet<ElementId>>,
    /// How many routers may still be walked, read and entered.
    left: usize,
}

impl Areas {
    /// Takes a number off what is left; false, from then on, if that is less.
    fn affords(&mut self, number: usize) -> bool {
        let left = self.left.checked_sub(number);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The area of an element, as far as it is known.
    fn of(&mut self, id: &ElementId) -> BTreeSet<ElementId> {
        let number = self.known.get(id).map_or(0, BTreeSet::len);
        match self.affords(number) {
            true => self.known.get(id).cloned().unwrap_or_default(),
            false => BTreeSet::new(),
        }
    }

    /// Says which the area of an element is.
    fn set(&mut self, id: &ElementId, routers: BTreeSet<ElementId>) {
        if self.affords(routers.len()) {
            self.known.insert(id.clone(), routers);
        }
    }

    /// Adds to the area of an element.
    fn extend(&mut self, id: &ElementId, routers: &BTreeSet<ElementId>) {
        if self.affords(routers.len()) {
            let area = self.known.entry(id.clone()).or_default();
            area.extend(routers.iter().cloned());
        }
    }

    /// Walks from a router over access links into its sites.
    fn walk<'a>(
        &mut self,
        router: &'a ElementId,
        beside: &BTreeMap<&'a ElementId, Vec<&'a ElementId>>,
        is_router: impl Fn(&ElementId) -> bool,
    ) {
        let mut open = vec![router];
        while let Some(node) = open.pop() {
            if !self.affords(1) {
                return;
            }
            let area = self.known.entry(node.clone()).or_default();
            let new = area.insert(router.clone());
            if new && (node == router || !is_router(node)) {
                let next = beside.get(node).into_iter().flatten().copied();
                open.extend(next.filter(|next| !is_router(next)));
            }
        }
    }
}

/// The routers of each element.
pub(super) fn areas(inventory: &Inventory) -> BTreeMap<ElementId, BTreeSet<ElementId>> {
    areas_within(inventory, ENTERED)
}

/// The same with a bound on all of them.
fn areas_within(inventory: &Inventory, left: usize) -> BTreeMap<ElementId, BTreeSet<ElementId>> {
    let known = BTreeMap::new();
    let mut areas = Areas { known, left };
    let is_router = |id: &ElementId| {
        inventory
            .element(id)
            .is_some_and(|e| e.kind == ElementKind::Router)
    };
    let mut beside: BTreeMap<&ElementId, Vec<&ElementId>> = BTreeMap::new();
    for link in inventory.links.values() {
        let (a, b) = (inventory.node_of(&link.a), inventory.node_of(&link.b));
        if !(is_router(a) && is_router(b)) {
            beside.entry(a).or_default().push(b);
            beside.entry(b).or_default().push(a);
        }
    }
    for router in inventory.of_kind(ElementKind::Router) {
        areas.walk(&router.id, &beside, is_router);
    }
    for card in inventory.of_kind(ElementKind::LineCard) {
        areas.set(&card.id, card.parent.iter().cloned().collect());
    }
    for site in inventory.of_kind(ElementKind::Site) {
        if let Some(zone) = &site.parent {
            let routers = areas.of(&site.id);
            areas.extend(zone, &routers);
        }
    }
    for (id, link) in &inventory.links {
        let mut routers = areas.of(&link.a);
        routers.extend(areas.of(&link.b));
        for duct in &link.ducts {
            areas.extend(duct, &routers);
        }
        for optic in [&link.optic_a, &link.optic_b] {
            areas.set(optic, routers.clone());
        }
        areas.set(id, routers);
    }
    for cell in inventory.of_kind(ElementKind::Cell) {
        if let Some(site) = &cell.parent {
            let routers = areas.of(site);
            areas.set(&cell.id, routers);
        }
    }
    areas.known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Net;

    #[test]
    fn beyond_the_bound_the_rest_has_no_area() {
        let inventory = Net::town().with_optics().inventory();
        let number = |left| -> usize {
            let areas = areas_within(&inventory, left);
            areas.values().map(BTreeSet::len).sum()
        };
        let all = number(ENTERED);
        assert!(all > 20, "{all}");
        assert!(number(20) <= 20);
        assert_eq!(number(0), 0);
        assert_eq!(number(100 * all), all);
    }
}
