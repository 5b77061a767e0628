//! What follows from the failure of one element: the inventory as a graph of numbers.
//!
//! Knows what agents may know of topology and no more; shares no code with theirs nor with the
//! simulated network, so that a yardstick stands or falls by itself. Refuses to know alarms. Read
//! next: [`crate::codebook`], which turns consequences into expected alarms.

use domain::inventory::{ElementId, ElementKind, Inventory};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of an element: index for [`Consequences::element`].
pub type ElementNumber = usize;

/// A device that raises alarms: its node, and whether it is the cells of that.
pub type DeviceNumber = (ElementNumber, bool);

/// The inventory as a graph.
#[derive(Clone, Debug)]
pub struct Consequences {
    inventory: Arc<Inventory>,
    ids: Vec<ElementId>,
    kinds: Vec<ElementKind>,
    parents: Vec<Option<ElementNumber>>,
    nodes: Vec<ElementNumber>,
    /// By element: the node that raises its alarms.
    raisers: Vec<ElementNumber>,
    joints: Vec<Joint>,
    /// By node: its links, each with the node at the far end.
    beside: Vec<Vec<(usize, ElementNumber)>>,
    /// By element: the links that end on, run through or are plugged into it.
    on: Vec<Vec<usize>>,
    cores: Vec<ElementNumber>,
    /// By element: what it needs directly.
    needs: Vec<Vec<ElementNumber>>,
    /// By element: the sites that are out of service if it fails alone.
    dependent: Vec<Vec<ElementNumber>>,
}

/// A link with what it needs.
#[derive(Clone, Debug)]
struct Joint {
    link: ElementNumber,
    ends: [ElementNumber; 2],
    nodes: [ElementNumber; 2],
    optics: [Option<ElementNumber>; 2],
    ducts: Vec<ElementNumber>,
}

/// The consequences of one failure, each in the order of identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// The sites out of service.
    pub sites_out: Vec<ElementNumber>,
    /// The sites without mains.
    pub sites_dark: Vec<ElementNumber>,
    /// The links at a reachable end of which no light arrives.
    pub links_dark: Vec<ElementNumber>,
    /// The links that do not carry traffic, as a reachable end can tell.
    pub links_lost: Vec<ElementNumber>,
    /// The links that do not carry traffic and of which neither end is reachable.
    pub links_isolated: Vec<ElementNumber>,
    /// The dead cards of reachable routers.
    pub cards_dead: Vec<ElementNumber>,
    /// The routers that no core reaches.
    pub routers_lost: Vec<ElementNumber>,
}

impl Consequences {
    /// Indexes `inventory`; links whose ends it does not have are left out.
    pub fn new(inventory: Arc<Inventory>) -> Self {
        let ids: Vec<ElementId> = inventory.elements.keys().cloned().collect();
        let number = |id: &ElementId| ids.binary_search(id).ok();
        let elements = inventory.elements.values();
        let kinds = elements.clone().map(|e| e.kind).collect();
        let parents = elements.map(|e| e.parent.as_ref().and_then(number));
        let parents: Vec<Option<ElementNumber>> = parents.collect();
        let node = |(place, id)| number(inventory.node_of(id)).unwrap_or(place);
        let nodes: Vec<ElementNumber> = ids.iter().enumerate().map(node).collect();
        let joints = inventory.links.iter().filter_map(|(id, link)| {
            let end = |end: &ElementId| number(inventory.node_of(end));
            Some(Joint {
                link: number(id)?,
                ends: [number(&link.a)?, number(&link.b)?],
                nodes: [end(&link.a)?, end(&link.b)?],
                optics: [number(&link.optic_a), number(&link.optic_b)],
                ducts: link.ducts.iter().filter_map(number).collect(),
            })
        });
        let joints: Vec<Joint> = joints.collect();
        let mut raisers = nodes.clone();
        for joint in &joints {
            raisers[joint.link] = joint.nodes[0];
        }
        let (mut beside, mut on) = (vec![Vec::new(); ids.len()], vec![Vec::new(); ids.len()]);
        for (place, joint) in joints.iter().enumerate() {
            let [a, b] = joint.nodes;
            beside[a].push((place, b));
            beside[b].push((place, a));
            let optics = joint.optics.iter().flatten();
            let needed = joint.ends.iter().chain(&joint.nodes).chain(optics);
            let needed: BTreeSet<ElementNumber> = needed.chain(&joint.ducts).copied().collect();
            for needed in needed {
                on[needed].push(joint.link);
            }
        }
        let cores = inventory.cores.iter().filter_map(number).collect();
        let mut graph = Self {
            inventory,
            ids,
            kinds,
            parents,
            nodes,
            raisers,
            joints,
            beside,
            on,
            cores,
            needs: Vec::new(),
            dependent: Vec::new(),
        };
        let all = 0..graph.ids.len();
        graph.needs = graph.needed();
        graph.dependent = all.map(|element| graph.cut_off_by(element)).collect();
        graph
    }

    /// The inventory.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there is no element.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The element with this number.
    pub fn element(&self, number: ElementNumber) -> &ElementId {
        &self.ids[number]
    }

    /// The number of an element; none if the inventory does not have it.
    pub fn number(&self, element: &ElementId) -> Option<ElementNumber> {
        self.ids.binary_search(element).ok()
    }

    /// The kind of an element.
    pub fn kind(&self, number: ElementNumber) -> ElementKind {
        self.kinds[number]
    }

    /// The element that contains an element.
    pub fn parent(&self, number: ElementNumber) -> Option<ElementNumber> {
        self.parents[number]
    }

    /// The node that contains an element, or the element itself.
    pub fn node(&self, number: ElementNumber) -> ElementNumber {
        self.nodes[number]
    }

    /// The device that raises an element's alarms: its node, whose cells are a device of their own; of a
    /// link the node at its first end.
    pub fn device(&self, number: ElementNumber) -> DeviceNumber {
        (
            self.raisers[number],
            self.kinds[number] == ElementKind::Cell,
        )
    }

    /// The links that end on, run through or are plugged into an element.
    pub fn links_on(&self, number: ElementNumber) -> &[ElementNumber] {
        &self.on[number]
    }

    /// The sites that are out of service if nothing but this element fails.
    pub fn dependent(&self, number: ElementNumber) -> &[ElementNumber] {
        &self.dependent[number]
    }

    /// What an element needs directly: a link its ends, modules and ducts; a site its links and
    /// its power; anything else what it is built into.
    pub fn needs(&self, number: ElementNumber) -> &[ElementNumber] {
        &self.needs[number]
    }

    /// The consequences of the failure of one element.
    pub fn impact(&self, failed: ElementNumber) -> Impact {
        let works = self.works_without(failed);
        let reached = self.reached(&works);
        let lives = |e: ElementNumber| works[e] && self.parents[e].is_none_or(|p| works[p]);
        let of_kind = |kind: ElementKind| {
            let all = 0..self.ids.len();
            all.filter(move |&e| self.kinds[e] == kind)
        };
        let carries = |joint: &Joint| self.carries(joint, &works);
        let dark_at = |joint: &Joint, end: usize| {
            let whole = works[joint.link] && joint.ducts.iter().all(|&d| works[d]);
            let far = 1 - end;
            let sends = lives(joint.ends[far]) && joint.optics[far].is_none_or(|o| works[o]);
            let tells = lives(joint.ends[end]) && reached[joint.nodes[end]];
            tells && !(whole && sends)
        };
        let links = |keep: &dyn Fn(&Joint) -> bool| {
            let kept = self.joints.iter().filter(|joint| keep(joint));
            kept.map(|joint| joint.link).collect::<Vec<_>>()
        };
        let told = |joint: &Joint| joint.nodes.iter().any(|&node| reached[node]);
        Impact {
            sites_out: self.dependent[failed].clone(),
            sites_dark: of_kind(ElementKind::Site).filter(|&s| !lives(s)).collect(),
            links_dark: links(&|joint| dark_at(joint, 0) || dark_at(joint, 1)),
            links_lost: links(&|joint| !carries(joint) && told(joint)),
            links_isolated: links(&|joint| !told(joint)),
            cards_dead: of_kind(ElementKind::LineCard)
                .filter(|&card| !lives(card) && self.parents[card].is_some_and(|r| reached[r]))
                .collect(),
            routers_lost: of_kind(ElementKind::Router)
                .filter(|&router| !reached[router])
                .collect(),
        }
    }

    /// By element: what it needs directly, in order.
    fn needed(&self) -> Vec<Vec<ElementNumber>> {
        let parents = self.parents.iter();
        let parents = parents.map(|parent| parent.iter().copied().collect());
        let mut needed: Vec<Vec<ElementNumber>> = parents.collect();
        for joint in &self.joints {
            let of_link = &mut needed[joint.link];
            of_link.extend(joint.ends);
            of_link.extend(joint.optics.iter().flatten());
            of_link.extend(&joint.ducts);
        }
        for (node, links) in self.beside.iter().enumerate() {
            if matches!(self.kinds[node], ElementKind::Site | ElementKind::Router) {
                let links = links.iter();
                needed[node].extend(links.map(|(place, _)| self.joints[*place].link));
            }
        }
        for of_element in &mut needed {
            of_element.sort_unstable();
            of_element.dedup();
        }
        needed
    }

    fn cut_off_by(&self, element: ElementNumber) -> Vec<ElementNumber> {
        match self.kinds[element] {
            ElementKind::Cell => Vec::new(),
            _ => self.sites_beyond(&self.reached(&self.works_without(element))),
        }
    }

    fn sites_beyond(&self, reached: &[bool]) -> Vec<ElementNumber> {
        let all = 0..self.ids.len();
        let sites = all.filter(|&e| self.kinds[e] == ElementKind::Site);
        sites.filter(|&site| !reached[site]).collect()
    }

    /// By element: whether it works by itself, and what it is built into.
    fn works_without(&self, failed: ElementNumber) -> Vec<bool> {
        let mut works = vec![true; self.ids.len()];
        works[failed] = false;
        works
    }

    fn carries(&self, joint: &Joint, works: &[bool]) -> bool {
        let lives = |e: ElementNumber| works[e] && self.parents[e].is_none_or(|p| works[p]);
        let optics = joint.optics.iter().flatten();
        works[joint.link]
            && joint.ends.iter().all(|&end| lives(end))
            && joint.ducts.iter().chain(optics).all(|&e| works[e])
    }

    /// By node: whether a working core router reaches it.
    fn reached(&self, works: &[bool]) -> Vec<bool> {
        let lives = |e: ElementNumber| works[e] && self.parents[e].is_none_or(|p| works[p]);
        let mut reached = vec![false; self.ids.len()];
        let cores = self.cores.iter().copied();
        let mut open: Vec<ElementNumber> = cores.filter(|&core| lives(core)).collect();
        for &core in &open {
            reached[core] = true;
        }
        while let Some(node) = open.pop() {
            for &(place, next) in &self.beside[node] {
                if !reached[next] && self.carries(&self.joints[place], works) {
                    reached[next] = true;
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
    use crate::invented;

    #[test]
    fn the_sites_that_depend_are_those_that_the_inventory_cuts_off() {
        let graph = invented::town();
        for (number, id) in graph.ids.iter().enumerate() {
            let failed = BTreeSet::from([id.clone()]);
            let told = graph.dependent(number).iter();
            let told: BTreeSet<ElementId> = told.map(|&s| graph.element(s).clone()).collect();
            assert_eq!(told, graph.inventory().sites_cut_off(&failed), "{id}");
        }
    }

    #[test]
    fn a_duct_darkens_the_links_in_it_and_a_module_the_far_end_alone() {
        let graph = invented::town();
        let dark = |id: &str| {
            let impact = graph.impact(invented::number(&graph, id));
            let links = impact.links_dark.iter();
            links
                .map(|&l| graph.element(l).to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(dark("duct:d"), ["link:R-1", "link:R-2"]);
        assert!(dark("optic:R-3/b").is_empty() || dark("optic:R-3/b") == ["link:R-3"]);
        assert_eq!(dark("cell:1/1"), Vec::<String>::new());
    }
}
