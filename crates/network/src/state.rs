//! What is broken now, and what of it can be seen.
//!
//! Knows physics: which fibres are whole, who has power, who reaches the core, and so which
//! conditions management systems could notice ([`Sighting`]). Refuses to know how late or how
//! faithfully they tell ([`crate::alarms`]). Read next: [`crate::alarms`].

use crate::fault::FaultKind;
use crate::reach::Reach;
use domain::inventory::{ElementId, ElementKind, Inventory, Link};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// What kind of trouble it is: an injected fault, or one of the small things that happen anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TroubleKind {
    /// An injected fault.
    Fault(FaultKind),
    /// The equipment of one site has stopped.
    SiteStopped,
    /// One site has lost its mains.
    SitePower,
    /// A transceiver of one link is off; the fibre is whole.
    TransceiverOff,
}

/// Something broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// What it is.
    pub kind: TroubleKind,
    /// What is broken.
    pub element: ElementId,
    /// Since when.
    pub since: Timestamp,
    /// For cuts: where on each link, in kilometres from the link's end A.
    pub breaks: BTreeMap<ElementId, f64>,
}

/// Everything that is broken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// By number.
    pub troubles: BTreeMap<usize, Trouble>,
    /// Sites whose battery is empty, with the trouble that emptied it.
    pub exhausted: BTreeMap<ElementId, usize>,
}

/// A condition that one observer could report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sighting {
    /// The element it concerns.
    pub resource: ElementId,
    /// What it is.
    pub alarm_type: AlarmType,
    /// The node that sees it; the element itself where the management system does.
    pub seen_by: ElementId,
}

/// What follows from a [`State`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The elements that do not work, seen physically: cut, dead, or without power.
    pub failed: BTreeSet<ElementId>,
    /// Sites out of service.
    pub out: BTreeSet<ElementId>,
    /// Sites whose cabinet gets no mains.
    pub without_mains: BTreeSet<ElementId>,
    /// Routers and sites that work and reach the core: only these can report or be measured.
    pub reached: BTreeSet<ElementId>,
    /// What could be reported.
    pub sightings: BTreeSet<Sighting>,
}

impl Trouble {
    /// The sites that have no mains because of it.
    pub fn sites_without_mains<'a>(
        &'a self,
        inventory: &'a Inventory,
    ) -> impl Iterator<Item = &'a ElementId> {
        let zone = self.kind == TroubleKind::Fault(FaultKind::MainsFailure);
        let alone = self.kind == TroubleKind::SitePower;
        inventory
            .of_kind(ElementKind::Site)
            .filter(move |site| {
                (zone && site.parent.as_ref() == Some(&self.element))
                    || (alone && site.id == self.element)
            })
            .map(|site| &site.id)
    }

    /// True if the element itself stops working at once: all but the loss of mains.
    fn stops_its_element(&self) -> bool {
        !matches!(
            self.kind,
            TroubleKind::Fault(FaultKind::MainsFailure) | TroubleKind::SitePower
        )
    }
}

impl State {
    /// The elements that do not work, those without power included.
    pub fn failed(&self) -> BTreeSet<ElementId> {
        self.failed_by(|_| true)
    }

    /// The elements that do not work because of the troubles that `counts` picks by number.
    pub fn failed_by(&self, counts: impl Fn(usize) -> bool) -> BTreeSet<ElementId> {
        let stopped = self
            .troubles
            .iter()
            .filter(|(number, trouble)| counts(**number) && trouble.stops_its_element())
            .map(|(_, trouble)| trouble.element.clone());
        let empty = self
            .exhausted
            .iter()
            .filter(|(_, number)| counts(**number))
            .map(|(site, _)| site.clone());
        stopped.chain(empty).collect()
    }

    /// What follows.
    pub fn view(&self, inventory: &Inventory, reach: &Reach) -> View {
        let failed = self.failed();
        let reached = reach.nodes(&failed);
        let mut view = View {
            out: inventory
                .of_kind(ElementKind::Site)
                .filter(|site| !reached.contains(&site.id))
                .map(|site| site.id.clone())
                .collect(),
            without_mains: self
                .troubles
                .values()
                .filter(|trouble| !trouble.stops_its_element())
                .flat_map(|trouble| trouble.sites_without_mains(inventory))
                .cloned()
                .collect(),
            failed,
            reached,
            sightings: BTreeSet::new(),
        };
        view.sightings = view.sight(inventory);
        view
    }

    /// Where the fibre of `link` is broken, in kilometres from its end A: every break, sorted.
    pub fn breaks(&self, link: &ElementId) -> Vec<f64> {
        let mut breaks: Vec<f64> = self
            .troubles
            .values()
            .filter_map(|trouble| trouble.breaks.get(link).copied())
            .collect();
        breaks.sort_by(f64::total_cmp);
        breaks
    }
}

impl View {
    /// True if `end` of a link (a card or a site) sends light.
    pub fn sends(&self, inventory: &Inventory, end: &ElementId) -> bool {
        inventory.works(end, &self.failed)
    }

    /// True if light that is sent into `link` arrives.
    pub fn carries(&self, id: &ElementId, link: &Link) -> bool {
        !self.failed.contains(id) && link.ducts.iter().all(|duct| !self.failed.contains(duct))
    }

    /// True if `end` of a link can be asked what it sees.
    pub fn answers(&self, inventory: &Inventory, end: &ElementId) -> bool {
        self.sends(inventory, end) && self.reached.contains(inventory.node_of(end))
    }

    /// True if no light arrives at the end of `link` that is not `far`.
    pub fn dark(
        &self,
        inventory: &Inventory,
        id: &ElementId,
        link: &Link,
        far: &ElementId,
    ) -> bool {
        !self.carries(id, link) || !self.sends(inventory, far)
    }

    fn sight(&self, inventory: &Inventory) -> BTreeSet<Sighting> {
        let mut sightings = BTreeSet::new();
        let mut see = |resource: &ElementId, alarm_type, seen_by: &ElementId| {
            sightings.insert(Sighting {
                resource: resource.clone(),
                alarm_type,
                seen_by: seen_by.clone(),
            });
        };
        for site in &self.out {
            see(site, AlarmType::SiteUnreachable, site);
            see(site, AlarmType::CellsOutOfService, site);
        }
        for site in &self.without_mains {
            see(site, AlarmType::MainsFailure, site);
        }
        for router in inventory.of_kind(ElementKind::Router) {
            if !self.reached.contains(&router.id) {
                see(&router.id, AlarmType::NodeUnreachable, &router.id);
            }
        }
        for card in inventory.of_kind(ElementKind::LineCard) {
            let router = inventory.node_of(&card.id);
            if self.failed.contains(&card.id) && self.reached.contains(router) {
                see(&card.id, AlarmType::CardFailure, router);
            }
        }
        for (id, link) in &inventory.links {
            for (end, far) in [(&link.a, &link.b), (&link.b, &link.a)] {
                if self.answers(inventory, end) && self.dark(inventory, id, link, far) {
                    see(id, AlarmType::LossOfSignal, inventory.node_of(end));
                }
            }
            // Routing protocols lose a link whose neighbour is silent, and in time those that
            // nobody announces any more because both ends are cut off.
            let up = inventory.works(id, &self.failed)
                && self.reached.contains(inventory.node_of(&link.a));
            if !up {
                see(id, AlarmType::LinkDown, id);
            }
        }
        sightings
    }

    /// True if neither end of the link called `id` can report anything.
    pub fn is_isolated(&self, inventory: &Inventory, id: &ElementId) -> bool {
        inventory.links.get(id).is_some_and(|link| {
            [&link.a, &link.b]
                .into_iter()
                .all(|end| !self.reached.contains(inventory.node_of(end)))
        })
    }
}
