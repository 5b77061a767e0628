//! What part each element plays if another fails, by how things are joined alone.
//!
//! A failure is told of by the element itself, by what is built into it, by the ports that face the links
//! it takes with it, by the sites it cuts off, and by what stands beside. Refuses to know alarms. Read
//! next: [`super::likelihoods`].

use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use std::collections::{BTreeMap, BTreeSet};

/// The part that an element plays in the failure of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// It is what fails.
    Itself,
    /// It is built into what fails.
    Part,
    /// What fails is built into it.
    Holder,
    /// A site whose supply fails.
    Fed,
    /// It is built into a site whose supply fails.
    FedPart,
    /// A port that faces a link which fails, on a node that is still reached.
    Facing,
    /// A port of a link that fails, on a node that is cut off.
    FacingCutOff,
    /// A link that fails with it.
    Lost,
    /// A router over which it is connected.
    Over,
    /// A card or a node at the end of a link that fails.
    End,
    /// A site that is cut off at the end of a link that fails.
    CutOff,
    /// A site that is cut off behind it.
    CutOffBehind,
    /// It is built into a site that is cut off.
    CutOffPart,
    /// A node that is adjacent to one that fails or is cut off.
    Beside,
    /// A site near one that fails or is cut off.
    Near,
}

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failing {
    /// An element of this kind.
    Element(ElementKind),
    /// No element, but a place: something disturbs a site and those that are near it.
    Vicinity,
}

/// The sites that are taken to be near one: as many as cells of a honeycomb have neighbours.
const NEAR: usize = 6;

/// A way to take part in a failure: the kind of what fails, the part, and the kind of what plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) failing: Failing,
    /// True if the failure cuts sites off: what has a second way fails otherwise.
    pub(super) cuts_off: bool,
    /// The part.
    pub(super) role: Role,
    pub(super) kind: ElementKind,
}

/// What may fail, with all that take part in its failure.
#[derive(Clone, Debug)]
pub(super) struct Suspect {
    pub(super) element: usize,
    pub(super) failing: Failing,
    pub(super) cause: Option<Cause>,
    /// By place of the slot: how many play that part.
    pub(super) many: Vec<(usize, usize)>,
}

/// Who takes part in what, for a whole network, by number.
#[derive(Clone, Debug)]
pub(super) struct Roles {
    pub(super) ids: Vec<ElementId>,
    pub(super) kinds: Vec<ElementKind>,
    pub(super) suspects: Vec<Suspect>,
    pub(super) slots: Vec<Slot>,
    /// By element: the suspects in whose failure it takes part, each with the place of the slot.
    pub(super) takes_part: Vec<Vec<(usize, usize)>>,
}

impl Roles {
    pub(super) fn new(topology: &Topology) -> Self {
        let inventory = topology.inventory();
        let mut roles = Self {
            takes_part: vec![Vec::new(); inventory.elements.len()],
            ids: inventory.elements.keys().cloned().collect(),
            kinds: inventory.elements.values().map(|e| e.kind).collect(),
            suspects: Vec::new(),
            slots: Vec::new(),
        };
        let mut places: BTreeMap<Slot, usize> = BTreeMap::new();
        let surroundings = Surroundings::new(topology);
        for (number, (id, element)) in inventory.elements.iter().enumerate() {
            let cuts_off = topology.dependent_on(id).len() > 0;
            let parts = surroundings.parts(id, element.kind);
            let failing = Failing::Element(element.kind);
            roles.enrol(&mut places, number, (failing, cuts_off), parts);
            if let Some(near) = surroundings.near.get(id) {
                let around = near.iter().map(|site| (*site, Role::Near));
                let parts = around.chain([(id, Role::Itself)]).collect();
                roles.enrol(&mut places, number, (Failing::Vicinity, false), parts);
            }
        }
        roles
    }

    fn enrol(
        &mut self,
        places: &mut BTreeMap<Slot, usize>,
        element: usize,
        (failing, cuts_off): (Failing, bool),
        parts: BTreeMap<&ElementId, Role>,
    ) {
        let suspect = self.suspects.len();
        let mut many: BTreeMap<usize, usize> = BTreeMap::new();
        for (member, role) in parts {
            let Some(member) = self.number(member) else {
                continue;
            };
            let slot = Slot {
                failing,
                cuts_off,
                role,
                kind: self.kinds[member],
            };
            let place = *places.entry(slot).or_insert_with(|| {
                self.slots.push(slot);
                self.slots.len() - 1
            });
            *many.entry(place).or_default() += 1;
            self.takes_part[member].push((suspect, place));
        }
        let cause = match failing {
            Failing::Element(kind) => Cause::of(kind),
            Failing::Vicinity => None,
        };
        self.suspects.push(Suspect {
            element,
            failing,
            cause,
            many: many.into_iter().collect(),
        });
    }

    /// The slot that an element has in the failure of a suspect; none if it takes no part.
    pub(super) fn slot(&self, element: usize, suspect: usize) -> Option<usize> {
        let parts = &self.takes_part[element];
        let place = parts.binary_search_by_key(&suspect, |part| part.0).ok()?;
        Some(parts[place].1)
    }

    /// How many elements have a slot in the failure of a suspect.
    pub(super) fn many(&self, suspect: usize, slot: usize) -> usize {
        let many = &self.suspects[suspect].many;
        let place = many.binary_search_by_key(&slot, |it| it.0);
        place.map_or(1, |place| many[place].1)
    }

    /// The number of an element; none if the inventory does not have it.
    pub(super) fn number(&self, element: &ElementId) -> Option<usize> {
        self.ids.binary_search(element).ok()
    }
}

type Groups<'a> = BTreeMap<&'a ElementId, BTreeSet<&'a ElementId>>;

/// A topology with what stands around what.
struct Surroundings<'a> {
    topology: &'a Topology,
    /// By node: the nodes at the far ends of its links.
    beside: Groups<'a>,
    /// By site: the sites that are nearest to it, and those that it is one of the nearest to.
    near: Groups<'a>,
    /// By module: its link.
    plugged: BTreeMap<&'a ElementId, &'a ElementId>,
}

impl<'a> Surroundings<'a> {
    fn new(topology: &'a Topology) -> Self {
        let inventory = topology.inventory();
        let (mut beside, mut plugged) = (Groups::new(), BTreeMap::new());
        for (id, link) in &inventory.links {
            let [a, b] = [&link.a, &link.b].map(|end| inventory.node_of(end));
            beside.entry(a).or_default().insert(b);
            beside.entry(b).or_default().insert(a);
            plugged.extend([(&link.optic_a, id), (&link.optic_b, id)]);
        }
        Self {
            topology,
            beside,
            near: near(inventory),
            plugged,
        }
    }

    /// What is built into an element, and into that.
    fn built_into(&self, id: &ElementId) -> impl Iterator<Item = &'a ElementId> {
        let topology = self.topology;
        let parts = topology.children_of(id);
        parts.flat_map(move |part| topology.children_of(part).chain([part]))
    }

    /// The links that fail with an element.
    fn links(&self, failing: &'a ElementId, kind: ElementKind) -> BTreeSet<&'a ElementId> {
        let topology = self.topology;
        let mut links: BTreeSet<&ElementId> = topology.links_of(failing).collect();
        links.extend(self.plugged.get(failing).copied());
        match kind {
            ElementKind::Link => links.extend([failing]),
            ElementKind::PowerZone => {
                let sites = topology.children_of(failing);
                links.extend(sites.flat_map(|site| topology.links_of(site)));
            }
            _ => {}
        }
        links
    }

    /// The part that each plays in the failure of an element: the first that it could.
    fn parts(&self, failing: &'a ElementId, kind: ElementKind) -> BTreeMap<&'a ElementId, Role> {
        let (topology, inventory) = (self.topology, self.topology.inventory());
        let mut parts: BTreeMap<&ElementId, Role> = BTreeMap::new();
        let mut plays = |who: &'a ElementId, role: Role| {
            parts.entry(who).or_insert(role);
        };
        let out: BTreeSet<&ElementId> = topology.dependent_on(failing).collect();
        plays(failing, Role::Itself);
        let over = topology.area(failing).into_iter().flatten();
        over.for_each(|router| plays(router, Role::Over));
        if kind == ElementKind::PowerZone {
            for site in topology.children_of(failing) {
                plays(site, Role::Fed);
                let parts = self.built_into(site);
                parts.for_each(|part| plays(part, Role::FedPart));
            }
        } else {
            let parts = self.built_into(failing);
            parts.for_each(|part| plays(part, Role::Part));
        }
        let lost = self.links(failing, kind);
        let lost = || {
            let links = lost.iter();
            links.filter_map(|id| Some((*id, inventory.links.get(*id)?)))
        };
        for module in lost().flat_map(|(_, link)| [&link.optic_a, &link.optic_b]) {
            match out.contains(inventory.node_of(module)) {
                true => plays(module, Role::FacingCutOff),
                false => plays(module, Role::Facing),
            }
        }
        let node = inventory.node_of(failing);
        let holder = inventory.element(failing).and_then(|e| e.parent.as_ref());
        if let Some(holder) = holder {
            plays(holder, Role::Holder);
            plays(node, Role::Holder);
        }
        lost().for_each(|(id, _)| plays(id, Role::Lost));
        for end in lost().flat_map(|(_, link)| [&link.a, &link.b]) {
            let node = inventory.node_of(end);
            if out.contains(node) {
                plays(node, Role::CutOff);
            } else {
                plays(end, Role::End);
                plays(node, Role::End);
            }
        }
        for site in &out {
            plays(site, Role::CutOffBehind);
            let parts = self.built_into(site);
            parts.for_each(|part| plays(part, Role::CutOffPart));
        }
        for (around, role) in [(&self.near, Role::Near), (&self.beside, Role::Beside)] {
            let touched = out.iter().copied().chain([node]);
            let around = touched.filter_map(|node| around.get(node)).flatten();
            around.for_each(|other| plays(other, role));
        }
        parts
    }
}

/// By site: the sites that are nearest to it, and those that it is one of the nearest to.
fn near(inventory: &Inventory) -> Groups<'_> {
    let sites: Vec<&Element> = inventory.of_kind(ElementKind::Site).collect();
    let apart = |one: &Element, other: &Element| {
        let (east, north) = (
            other.position.0 - one.position.0,
            other.position.1 - one.position.1,
        );
        east.hypot(north)
    };
    let mut near = Groups::new();
    for site in &sites {
        let others = sites.iter().filter(|other| other.id != site.id);
        let mut others: Vec<&Element> = others.copied().collect();
        others.sort_by(|x, y| apart(site, x).total_cmp(&apart(site, y)));
        for other in others.into_iter().take(NEAR) {
            near.entry(&site.id).or_default().insert(&other.id);
            near.entry(&other.id).or_default().insert(&site.id);
        }
    }
    near
}
