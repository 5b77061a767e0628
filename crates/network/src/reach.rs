//! Who reaches the core, counted quickly.
//!
//! Says the same as [`Inventory::sites_cut_off`], which agents have, over indices instead of names:
//! picking a fault tries every element, and every event asks again. A law in the tests of
//! [`crate::simulation`] holds the two together. Read next: [`crate::state`].

use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::BTreeSet;

/// The paths of an inventory, by the position of each element in the order of identifiers.
#[derive(Clone, Debug)]
pub struct Reach {
    names: Vec<ElementId>,
    parents: Vec<Option<usize>>,
    /// For each node: the neighbours, and the link that leads there.
    adjacent: Vec<Vec<(usize, usize)>>,
    links: Vec<Path>,
    cores: Vec<usize>,
    sites: Vec<usize>,
    routers: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Path {
    own: usize,
    ends: [usize; 2],
    optics: Vec<usize>,
    ducts: Vec<usize>,
}

impl Reach {
    /// The paths of `inventory`; elements that it names but does not have are left out.
    pub fn new(inventory: &Inventory) -> Self {
        let names: Vec<ElementId> = inventory.elements.keys().cloned().collect();
        let index = |id: &ElementId| names.binary_search(id).ok();
        let parents = inventory
            .elements
            .values()
            .map(|element| element.parent.as_ref().and_then(index))
            .collect();
        let mut adjacent = vec![Vec::new(); names.len()];
        let mut links = Vec::new();
        for (id, link) in &inventory.links {
            let nodes = (
                index(inventory.node_of(&link.a)),
                index(inventory.node_of(&link.b)),
            );
            let own = (index(id), index(&link.a), index(&link.b));
            if let ((Some(from), Some(to)), (Some(own), Some(a), Some(b))) = (nodes, own) {
                adjacent[from].push((to, links.len()));
                adjacent[to].push((from, links.len()));
                links.push(Path {
                    own,
                    ends: [a, b],
                    optics: [&link.optic_a, &link.optic_b]
                        .into_iter()
                        .filter_map(index)
                        .collect(),
                    ducts: link.ducts.iter().filter_map(index).collect(),
                });
            }
        }
        let sites = inventory.of_kind(ElementKind::Site);
        let routers = inventory.of_kind(ElementKind::Router);
        Self {
            parents,
            adjacent,
            links,
            cores: inventory.cores.iter().filter_map(index).collect(),
            sites: sites.filter_map(|site| index(&site.id)).collect(),
            routers: routers.filter_map(|router| index(&router.id)).collect(),
            names,
        }
    }

    /// The routers and sites that work and reach a working core router when `failed` has failed.
    pub fn nodes<'a>(
        &self,
        failed: impl IntoIterator<Item = &'a ElementId>,
    ) -> BTreeSet<ElementId> {
        let reached = self.reached(&self.flags(failed));
        let nodes = self.names.iter().zip(reached);
        nodes
            .filter(|(_, reached)| *reached)
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The sites out of service when `failed` has failed.
    pub fn sites_out<'a>(
        &self,
        failed: impl IntoIterator<Item = &'a ElementId>,
    ) -> BTreeSet<ElementId> {
        let reached = self.reached(&self.flags(failed));
        self.sites
            .iter()
            .filter(|site| !reached[**site])
            .map(|site| self.names[*site].clone())
            .collect()
    }

    /// All sites, in the order of their identifiers.
    pub fn sites(&self) -> impl Iterator<Item = &ElementId> {
        self.sites.iter().map(|site| &self.names[*site])
    }

    /// All routers, in the order of their identifiers.
    pub fn routers(&self) -> impl Iterator<Item = &ElementId> {
        self.routers.iter().map(|router| &self.names[*router])
    }

    /// The links that do not work when `failed` has failed.
    pub fn links_down<'a>(
        &self,
        failed: impl IntoIterator<Item = &'a ElementId>,
    ) -> BTreeSet<ElementId> {
        let flags = self.flags(failed);
        self.links
            .iter()
            .filter(|link| !self.carries(link, &flags))
            .map(|link| self.names[link.own].clone())
            .collect()
    }

    fn flags<'a>(&self, failed: impl IntoIterator<Item = &'a ElementId>) -> Vec<bool> {
        let mut flags = vec![false; self.names.len()];
        for id in failed {
            if let Ok(index) = self.names.binary_search(id) {
                flags[index] = true;
            }
        }
        flags
    }

    fn works(&self, element: usize, failed: &[bool]) -> bool {
        !failed[element] && self.parents[element].is_none_or(|parent| self.works(parent, failed))
    }

    fn reached(&self, failed: &[bool]) -> Vec<bool> {
        let mut reached = vec![false; self.names.len()];
        let mut open = Vec::new();
        for &core in &self.cores {
            reached[core] = self.works(core, failed);
            open.extend(reached[core].then_some(core));
        }
        while let Some(node) = open.pop() {
            for &(next, link) in &self.adjacent[node] {
                if !reached[next] && self.carries(&self.links[link], failed) {
                    reached[next] = true;
                    open.push(next);
                }
            }
        }
        reached
    }

    fn carries(&self, link: &Path, failed: &[bool]) -> bool {
        !failed[link.own]
            && link.ducts.iter().all(|duct| !failed[*duct])
            && link.optics.iter().all(|optic| !failed[*optic])
            && link.ends.iter().all(|end| self.works(*end, failed))
    }
}
