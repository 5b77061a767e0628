//! Reachability of the core, computed over indices.
//!
//! Gives the same result as [`Inventory::sites_cut_off`], which agents use, but faster: choosing a
//! fault tries every element, and every event asks again. A property test of [`crate::simulation`]
//! checks that the two agree. Read next: [`crate::state`].

use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The connectivity of an inventory, with elements as indices in the order of identifiers.
#[derive(Clone, Debug)]
pub struct Reachability {
    names: Vec<ElementId>,
    parents: Vec<Option<usize>>,
    /// For each node: its neighbours, each with the link to it.
    adjacent: Vec<Vec<(usize, usize)>>,
    links: Vec<Path>,
    cores: Vec<usize>,
    sites: Vec<usize>,
    routers: Vec<usize>,
    /// The nodes that can reach the core, in the order of identifiers, by index and by name.
    nodes: Vec<usize>,
    node_names: Arc<[ElementId]>,
    /// Links with an end that is not in the inventory, each with the node of its first end.
    loose: Vec<(ElementId, Option<usize>)>,
}

/// The set of nodes that reach the core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReachableNodes {
    names: Arc<[ElementId]>,
    are: Vec<bool>,
}

/// The consequences of failures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureImpact {
    /// The working nodes that reach a working core router.
    pub reached: ReachableNodes,
    /// The sites that do not reach the core.
    pub out: BTreeSet<ElementId>,
    /// The links that do not work.
    pub down: BTreeSet<ElementId>,
    /// Those links, and the links whose first end is out of reach.
    pub astray: BTreeSet<ElementId>,
}

impl ReachableNodes {
    /// True if `node` reaches the core.
    pub fn contains(&self, node: &ElementId) -> bool {
        let place = self.names.binary_search(node);
        place.is_ok_and(|place| self.are[place])
    }
}

#[derive(Clone, Debug)]
struct Path {
    own: usize,
    ends: [usize; 2],
    /// The node of its first end.
    from: usize,
    optics: Vec<usize>,
    ducts: Vec<usize>,
}

impl Reachability {
    /// The connectivity of `inventory`; links to elements that it does not have are left out.
    pub fn new(inventory: &Inventory) -> Self {
        let names: Vec<ElementId> = inventory.elements.keys().cloned().collect();
        let index = |id: &ElementId| names.binary_search(id).ok();
        let parents = inventory
            .elements
            .values()
            .map(|element| element.parent.as_ref().and_then(index))
            .collect();
        let mut adjacent = vec![Vec::new(); names.len()];
        let (mut links, mut loose) = (Vec::new(), Vec::new());
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
                    from,
                    optics: [&link.optic_a, &link.optic_b]
                        .into_iter()
                        .filter_map(index)
                        .collect(),
                    ducts: link.ducts.iter().filter_map(index).collect(),
                });
            } else {
                loose.push((id.clone(), nodes.0));
            }
        }
        let of_kind = |kind| -> Vec<usize> {
            let elements = inventory.of_kind(kind);
            elements.filter_map(|element| index(&element.id)).collect()
        };
        let (sites, routers) = (of_kind(ElementKind::Site), of_kind(ElementKind::Router));
        let cores: Vec<usize> = inventory.cores.iter().filter_map(index).collect();
        let joined = (0..names.len()).filter(|node| !adjacent[*node].is_empty());
        let nodes: BTreeSet<usize> = joined
            .chain([&sites, &routers, &cores].into_iter().flatten().copied())
            .collect();
        Self {
            node_names: nodes.iter().map(|node| names[*node].clone()).collect(),
            nodes: nodes.into_iter().collect(),
            loose,
            parents,
            adjacent,
            links,
            cores,
            sites,
            routers,
            names,
        }
    }

    /// The consequences of the failure of the elements `failed`.
    pub fn aftermath<'a>(&self, failed: impl IntoIterator<Item = &'a ElementId>) -> FailureImpact {
        let flags = self.flags(failed);
        let reached = self.reached(&flags);
        let name = |index: usize| self.names[index].clone();
        let (mut down, mut astray) = (BTreeSet::new(), BTreeSet::new());
        for link in &self.links {
            let works = self.carries(link, &flags);
            down.extend((!works).then(|| name(link.own)));
            astray.extend((!works || !reached[link.from]).then(|| name(link.own)));
        }
        let loose = self.loose.iter();
        let loose = loose.filter(|(_, from)| from.is_none_or(|from| !reached[from]));
        astray.extend(loose.map(|(link, _)| link.clone()));
        let out = self.sites.iter().filter(|site| !reached[**site]);
        FailureImpact {
            out: out.map(|site| name(*site)).collect(),
            reached: self.named(&reached),
            down,
            astray,
        }
    }

    /// The working nodes that reach a working core router when `failed` has failed.
    pub fn nodes<'a>(&self, failed: impl IntoIterator<Item = &'a ElementId>) -> ReachableNodes {
        self.named(&self.reached(&self.flags(failed)))
    }

    fn named(&self, reached: &[bool]) -> ReachableNodes {
        ReachableNodes {
            names: Arc::clone(&self.node_names),
            are: self.nodes.iter().map(|node| reached[*node]).collect(),
        }
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

    /// All routers, in the order of their identifiers.
    pub fn routers(&self) -> impl Iterator<Item = &ElementId> {
        self.routers.iter().map(|router| &self.names[*router])
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
