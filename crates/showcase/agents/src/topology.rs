//! The consequences of failures: the inventory as a graph, indexed once.
//!
//! [`Inventory::sites_cut_off`] says the same for one failure; agents ask for hundreds of
//! candidates, so elements become numbers here. A test holds both to the same answer. What is asked
//! again and again (what stands beside an element, what it takes with it alone, what elements are
//! called) is worked out once. Refuses to know alarms. Read next: [`crate::oss_fault::correlation`].

mod areas;

use self::areas::areas;
use crate::element_names::ElementNames;
use domain::inventory::{ElementId, ElementKind, Inventory, Link};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The inventory as a graph.
#[derive(Clone, Debug)]
pub struct Topology {
    inventory: Arc<Inventory>,
    ids: Arc<[ElementId]>,
    parents: Vec<Option<usize>>,
    edges: Vec<Edge>,
    /// By node: its links, each with the node at the far end.
    beside: Vec<Vec<(usize, usize)>>,
    cores: Vec<usize>,
    /// The elements that are built into something, as far as service depends on it.
    nested: Vec<usize>,
    sites: Vec<usize>,
    routers: Vec<usize>,
    cards: Vec<usize>,
    areas: BTreeMap<ElementId, BTreeSet<ElementId>>,
    /// By element: the links that end on or run through it.
    links: Vec<Vec<usize>>,
    /// By element: what is built into it.
    children: Vec<Vec<usize>>,
    /// By element: the sites cut off when it fails alone, once somebody has asked.
    dependent: Vec<OnceLock<Box<[usize]>>>,
    names: OnceLock<ElementNames>,
}

#[derive(Clone, Debug)]
struct Edge {
    link: usize,
    ends: [usize; 2],
    nodes: [usize; 2],
    /// The optical module at each end, if the inventory has it.
    optics: [Option<usize>; 2],
    ducts: Vec<usize>,
}

/// The part that is left when something has failed.
#[derive(Clone, Debug)]
pub struct Survivors<'a> {
    topology: &'a Topology,
    /// True for what has not failed by itself.
    whole: Vec<bool>,
    works: Vec<bool>,
    reached: Vec<bool>,
}

impl Topology {
    /// The index of `inventory`, made once for all who share the inventory: a platform has one, and
    /// may have a thousand agents.
    pub fn of(inventory: &Arc<Inventory>) -> Arc<Self> {
        static LATEST: Mutex<Weak<Topology>> = Mutex::new(Weak::new());
        let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        let known = latest.upgrade();
        known
            .filter(|topology| Arc::ptr_eq(&topology.inventory, inventory))
            .unwrap_or_else(|| {
                let topology = Arc::new(Self::new(Arc::clone(inventory)));
                *latest = Arc::downgrade(&topology);
                topology
            })
    }

    /// Indexes `inventory`; links whose ends it does not know are left out.
    pub fn new(inventory: Arc<Inventory>) -> Self {
        let ids: Arc<[ElementId]> = inventory.elements.keys().cloned().collect();
        let index = |id: &ElementId| ids.binary_search(id).ok();
        let elements = inventory.elements.values();
        let kinds: Vec<ElementKind> = elements.clone().map(|e| e.kind).collect();
        let parents: Vec<Option<usize>> = elements
            .map(|e| e.parent.as_ref().and_then(index))
            .collect();
        let of_kind = |kind: ElementKind| -> Vec<usize> {
            let numbers = 0..kinds.len();
            numbers.filter(|&i| kinds[i] == kind).collect()
        };
        // No service but their own depends on cells; links know their optical modules themselves.
        let depends = |i: &usize| !matches!(kinds[*i], ElementKind::Cell | ElementKind::Optic);
        let numbers = 0..parents.len();
        let nested = numbers.filter(|&i| parents[i].is_some()).filter(depends);
        let nested = nested.collect();
        let (sites, routers) = (of_kind(ElementKind::Site), of_kind(ElementKind::Router));
        let cards = of_kind(ElementKind::LineCard);
        let edges = inventory.links.iter().filter_map(|(id, link)| {
            Some(Edge {
                link: index(id)?,
                ends: [index(&link.a)?, index(&link.b)?],
                nodes: [
                    index(inventory.node_of(&link.a))?,
                    index(inventory.node_of(&link.b))?,
                ],
                optics: [index(&link.optic_a), index(&link.optic_b)],
                ducts: link.ducts.iter().filter_map(index).collect(),
            })
        });
        let edges: Vec<Edge> = edges.collect();
        let mut beside = vec![Vec::new(); ids.len()];
        for edge in &edges {
            let [a, b] = edge.nodes;
            beside[a].push((edge.link, b));
            beside[b].push((edge.link, a));
        }
        let cores = inventory.cores.iter().filter_map(index).collect();
        let areas = areas(&inventory);
        let mut links = vec![Vec::new(); ids.len()];
        for (id, link) in &inventory.links {
            let touched: BTreeSet<usize> = touched(&inventory, link).filter_map(index).collect();
            let number = index(id);
            touched.iter().for_each(|&i| links[i].extend(number));
        }
        let mut children = vec![Vec::new(); ids.len()];
        for (child, parent) in parents.iter().enumerate() {
            parent.iter().for_each(|&i| children[i].push(child));
        }
        Self {
            links,
            children,
            dependent: vec![OnceLock::new(); ids.len()],
            names: OnceLock::new(),
            nested,
            sites,
            routers,
            cards,
            parents,
            edges,
            beside,
            cores,
            areas,
            ids,
            inventory,
        }
    }

    /// The inventory behind it.
    pub fn inventory(&self) -> &Arc<Inventory> {
        &self.inventory
    }

    /// The routers over which `element` is connected: its own, or those at which the access rings
    /// and spurs end that it belongs to. Alarms with a router in common may have a cause in common.
    pub fn area(&self, element: &ElementId) -> Option<&BTreeSet<ElementId>> {
        self.areas.get(element)
    }

    /// The names of its elements.
    pub fn names(&self) -> &ElementNames {
        let names = || ElementNames::new(&self.inventory, Arc::clone(&self.ids));
        self.names.get_or_init(names)
    }

    /// The links that end on or run through an element, in order.
    pub fn links_of(&self, id: &ElementId) -> impl Iterator<Item = &ElementId> {
        self.listed(&self.links, id)
    }

    /// The elements that are built into an element, in order.
    pub fn children_of(&self, id: &ElementId) -> impl Iterator<Item = &ElementId> {
        self.listed(&self.children, id)
    }

    /// The sites that are out of service if nothing but `id` fails, in order.
    pub fn dependent_on(
        &self,
        id: &ElementId,
    ) -> impl ExactSizeIterator<Item = &ElementId> + Clone {
        let dependent = match self.ids.binary_search(id) {
            Ok(i) => self.dependent[i].get_or_init(|| self.without([id]).cut_off().collect()),
            Err(_) => &[][..],
        };
        dependent.iter().map(|&i| &self.ids[i])
    }

    fn listed<'a>(
        &'a self,
        lists: &'a [Vec<usize>],
        id: &ElementId,
    ) -> impl Iterator<Item = &'a ElementId> {
        let list = self.ids.binary_search(id).ok().map(|i| &lists[i]);
        list.into_iter().flatten().map(|&i| &self.ids[i])
    }

    /// The elements that are joined to an element directly: a link's ends and ducts, the links on
    /// or in it, what is built into it, what it is built into.
    pub fn neighbours<'a>(&'a self, id: &'a ElementId) -> BTreeSet<&'a ElementId> {
        let mut beside: BTreeSet<&ElementId> = self.links_of(id).collect();
        if let Some(link) = self.inventory.links.get(id) {
            beside.extend([&link.a, &link.b]);
            beside.extend(&link.ducts);
        }
        beside.extend(self.children_of(id));
        beside.extend(self.inventory.element(id).and_then(|e| e.parent.as_ref()));
        beside.remove(id);
        beside
    }

    /// The part that is left when every element of `failed` has failed.
    pub fn without<'a>(&self, failed: impl IntoIterator<Item = &'a ElementId>) -> Survivors<'_> {
        let mut works = vec![true; self.ids.len()];
        for id in failed {
            if let Ok(i) = self.ids.binary_search(id) {
                works[i] = false;
            }
        }
        let whole = works.clone();
        self.pass_on(&mut works);
        let reached = self.reached(&works);
        Survivors {
            topology: self,
            whole,
            works,
            reached,
        }
    }

    /// Failure passes from a parent to what is built into it, and from ducts and ends to links.
    fn pass_on(&self, works: &mut [bool]) {
        for &i in &self.nested {
            let mut above = self.parents[i];
            // Nesting is card in router and site in zone; the bound only guards against a cycle.
            for _ in 0..4 {
                let Some(parent) = above else { break };
                works[i] &= works[parent];
                above = self.parents[parent];
            }
        }
        for edge in &self.edges {
            let optics = edge.optics.iter().flatten();
            let needed = edge.ends.iter().chain(&edge.ducts).chain(optics);
            works[edge.link] &= needed.copied().all(|e| works[e]);
        }
    }

    fn reached(&self, works: &[bool]) -> Vec<bool> {
        let mut reached = vec![false; works.len()];
        let mut open: Vec<usize> = self.cores.iter().copied().filter(|&c| works[c]).collect();
        for &core in &open {
            reached[core] = true;
        }
        while let Some(node) = open.pop() {
            for &(link, next) in &self.beside[node] {
                if works[link] && !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        reached
    }
}

impl Survivors<'_> {
    /// The sites out of service, as [`Inventory::sites_cut_off`].
    pub fn sites_cut_off(&self) -> BTreeSet<ElementId> {
        let sites = self.cut_off().map(|i| self.topology.ids[i].clone());
        sites.collect()
    }

    /// True if `site` is out of service.
    pub fn cuts_off(&self, site: &ElementId) -> bool {
        let number = self.topology.ids.binary_search(site);
        number.is_ok_and(|i| self.cut_off().any(|cut| cut == i))
    }

    fn cut_off(&self) -> impl Iterator<Item = usize> {
        let sites = self.topology.sites.iter().copied();
        sites.filter(|&i| !self.reached[i])
    }

    /// The sites without power of their own.
    pub fn sites_dead(&self) -> BTreeSet<ElementId> {
        self.all(&self.topology.sites, |i| !self.works[i])
    }

    /// The links at one end of which light is missed: that end works and its management system
    /// reaches it, but the fibre is broken, or the far end or its optical module is dead.
    pub fn links_dark(&self) -> BTreeSet<ElementId> {
        self.links(|edge| {
            let carries = self.whole[edge.link] && edge.ducts.iter().all(|&d| self.works[d]);
            let sends = |i: usize| {
                self.works[edge.ends[i]] && edge.optics[i].is_none_or(|optic| self.works[optic])
            };
            let tells = |i: usize| self.works[edge.ends[i]] && self.reached[edge.nodes[i]];
            let dark = |i: usize| tells(i) && !(carries && sends(1 - i));
            dark(0) || dark(1)
        })
    }

    /// The links that routing protocols miss, as a node beside them can tell.
    pub fn links_lost(&self) -> BTreeSet<ElementId> {
        self.links(|edge| !self.works[edge.link] && edge.nodes.iter().any(|&n| self.reached[n]))
    }

    /// The links whose ends are both cut off: their absence shows late, if at all.
    pub fn links_isolated(&self) -> BTreeSet<ElementId> {
        self.links(|edge| !edge.nodes.iter().any(|&n| self.reached[n]))
    }

    /// The routers that no core reaches.
    pub fn routers_cut_off(&self) -> BTreeSet<ElementId> {
        self.all(&self.topology.routers, |i| !self.reached[i])
    }

    /// The cards that are dead while their router lives and can say so.
    pub fn cards_missed(&self) -> BTreeSet<ElementId> {
        self.all(&self.topology.cards, |i| {
            !self.works[i] && self.topology.parents[i].is_some_and(|r| self.reached[r])
        })
    }

    fn links(&self, keep: impl Fn(&Edge) -> bool) -> BTreeSet<ElementId> {
        let edges = self.topology.edges.iter().filter(|e| keep(e));
        edges.map(|e| self.topology.ids[e.link].clone()).collect()
    }

    fn all(&self, of: &[usize], keep: impl Fn(usize) -> bool) -> BTreeSet<ElementId> {
        let kept = of.iter().filter(|&&i| keep(i));
        kept.map(|&i| self.topology.ids[i].clone()).collect()
    }
}

/// The elements that a link ends on or runs through, and what its ends are built into.
fn touched<'a>(inventory: &'a Inventory, link: &'a Link) -> impl Iterator<Item = &'a ElementId> {
    let ends = [&link.a, &link.b].into_iter();
    let nodes = ends.clone().map(|end| inventory.node_of(end));
    ends.chain(nodes).chain(&link.ducts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Net, id};

    #[test]
    fn one_failure_gives_what_the_inventory_gives() {
        let inventory = Arc::new(Net::town().with_optics().inventory());
        let topology = Topology::new(Arc::clone(&inventory));
        for element in inventory.elements.keys() {
            let failed = BTreeSet::from([element.clone()]);
            assert_eq!(
                topology.without(&failed).sites_cut_off(),
                inventory.sites_cut_off(&failed),
                "{element}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn several_failures_give_what_the_inventory_gives(
            picks in proptest::collection::vec(0usize..200, 0..6)
        ) {
            let inventory = Arc::new(Net::town().with_optics().inventory());
            let ids: Vec<_> = inventory.elements.keys().cloned().collect();
            let failed: BTreeSet<_> = picks.iter().map(|p| ids[p % ids.len()].clone()).collect();
            let topology = Topology::new(Arc::clone(&inventory));
            proptest::prop_assert_eq!(
                topology.without(&failed).sites_cut_off(),
                inventory.sites_cut_off(&failed)
            );
        }
    }

    #[test]
    fn a_link_is_dark_while_one_end_can_tell() {
        let topology = Topology::new(Arc::new(Net::town().inventory()));
        let cut = topology.without(&[id("duct:B-1")]);
        let seen: Vec<String> = cut.links_dark().iter().map(|l| l.to_string()).collect();
        assert_eq!(seen, ["link:B-b1", "link:B-b2"]);
    }

    #[test]
    fn an_optical_module_darkens_the_far_end_only() {
        let topology = Topology::new(Arc::new(Net::town().with_optics().inventory()));
        let dark = |optic: &str| topology.without(&[id(optic)]).links_dark();
        // The site at the far end is cut off and cannot tell; the router's own end sees light.
        assert!(dark("optic:B-b5/a").is_empty());
        assert_eq!(dark("optic:B-b5/b"), BTreeSet::from([id("link:B-b5")]));
        assert_eq!(dark("optic:B-C/a"), BTreeSet::from([id("link:B-C")]));
    }

    #[test]
    fn areas_follow_access_links_and_stop_at_routers() {
        let topology = Topology::new(Arc::new(Net::town().inventory()));
        let area = |e: &str| -> Vec<String> {
            let routers = topology.area(&id(e)).into_iter().flatten();
            routers.map(|r| r.to_string()).collect()
        };
        assert_eq!(area("site:b3"), ["router:B"]);
        assert_eq!(area("duct:B-1"), ["router:B"]);
        assert_eq!(area("link:A-B"), ["router:A", "router:B"]);
        assert_eq!(area("zone:b"), ["router:B"]);
        let topology = Topology::new(Arc::new(Net::town().with_optics().inventory()));
        assert_eq!(
            topology.area(&id("optic:A-B/a")).map(BTreeSet::len),
            Some(2)
        );
    }
}
