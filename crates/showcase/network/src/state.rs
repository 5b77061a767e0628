//! The current troubles, and the conditions observable from them.
//!
//! Knows physics: intact fibres, powered elements, reachability of the core, and so the conditions
//! that management systems could detect ([`ObservableCondition`]). Refuses to know the delay and reliability
//! of alarms ([`crate::alarms`]). Gradual troubles are in `state/ailments.rs`. Read next:
//! [`crate::alarms`].

mod ailments;

pub use ailments::{Course, LightLevel};
pub(crate) use ailments::{FLICKERS_FROM, LOW_FROM, POOR_FROM, link_of};

use crate::configuration::ParameterDeviations;
use crate::fault::FaultKind;
use crate::reachability::{FailureImpact, Reachability, ReachableNodes};
use crate::traffic::Demand;
use domain::inventory::{ElementId, ElementKind, Inventory, Link};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a trouble: an injected fault, or a small background one.
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
    /// A contact of one link is intermittent.
    BadContact,
    /// An element restarts by command.
    Restarting,
}

/// A current trouble.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// Its kind.
    pub kind: TroubleKind,
    /// The broken element.
    pub element: ElementId,
    /// The instant of its beginning.
    pub since: Timestamp,
    /// For cuts: the break on each link, in kilometres from the link's end A.
    pub breaks: BTreeMap<ElementId, f64>,
    /// Its course so far.
    pub course: Course,
}

/// All current troubles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkState {
    /// By number.
    pub troubles: BTreeMap<usize, Trouble>,
    /// Sites whose battery is empty, with the trouble that emptied it.
    pub exhausted: BTreeMap<ElementId, usize>,
    /// Sites whose battery will soon be empty.
    pub batteries_low: BTreeSet<ElementId>,
    /// Parameters that are not as planned.
    pub settings: ParameterDeviations,
    /// Additional traffic, by the number of the congestion that caused it, also after it was
    /// re-routed.
    pub surges: BTreeMap<usize, Vec<Demand>>,
}

/// A condition that one observer could report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservableCondition {
    /// The element it concerns.
    pub resource: ElementId,
    /// The type of alarm for it.
    pub alarm_type: AlarmType,
    /// The node that detects it; the element itself if the management system does.
    pub seen_by: ElementId,
}

/// The consequences of a [`NetworkState`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkView {
    /// The elements that do not work physically: cut, dead, or without power.
    pub failed: BTreeSet<ElementId>,
    /// The links that do not work, themselves or at an end.
    pub down: BTreeSet<ElementId>,
    /// Sites out of service.
    pub out: BTreeSet<ElementId>,
    /// Sites without mains.
    pub without_mains: BTreeSet<ElementId>,
    /// Working routers and sites that reach the core: only these can report or be measured.
    pub reached: ReachableNodes,
    /// The conditions that could be reported.
    pub sightings: BTreeSet<ObservableCondition>,
}

impl Trouble {
    /// The sites without mains because of it.
    pub fn sites_without_mains<'a>(
        &'a self,
        inventory: &'a Inventory,
    ) -> impl Iterator<Item = &'a ElementId> {
        let zone = self.kind == TroubleKind::Fault(FaultKind::MainsFailure);
        let alone = self.kind == TroubleKind::SitePower;
        inventory
            .of_kind(ElementKind::Site)
            .take_while(move |_| zone || alone)
            .filter(move |site| {
                (zone && site.parent.as_ref() == Some(&self.element))
                    || (alone && site.id == self.element)
            })
            .map(|site| &site.id)
    }

    /// True if an engineer who works at `element` finds it and can repair it: at the broken
    /// element, at any link of a common cut, at any cell that receives the interferer. Congestion
    /// cannot be repaired in the field.
    pub fn mended_at(&self, element: &ElementId) -> bool {
        let beyond_tools = matches!(
            self.kind,
            TroubleKind::Fault(FaultKind::Congestion) | TroubleKind::Restarting
        );
        let heard = match &self.course {
            Course::Foreign { heard_dbm } => heard_dbm.contains_key(element),
            _ => false,
        };
        let here = self.element == *element || self.breaks.contains_key(element) || heard;
        here && !beyond_tools
    }

    /// True if it takes away the mains of sites.
    fn takes_mains(&self) -> bool {
        matches!(
            self.kind,
            TroubleKind::Fault(FaultKind::MainsFailure) | TroubleKind::SitePower
        )
    }

    /// True if the element itself does not work: at once with most troubles, eventually with some,
    /// and never if only its mains is gone or it is merely degraded.
    fn stops_its_element(&self) -> bool {
        self.stops_now().unwrap_or(!self.takes_mains())
    }
}

impl NetworkState {
    /// The elements that do not work, including those without power.
    pub fn failed(&self) -> BTreeSet<ElementId> {
        let mut failed = self.failed_by(|_| true);
        failed.extend(self.settings.lasers_off().cloned());
        failed
    }

    /// The elements that do not work because of the troubles selected by `counts` by number.
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

    /// The consequences of this state.
    pub fn view(&self, inventory: &Inventory, reach: &Reachability) -> NetworkView {
        let failed = self.failed();
        let FailureImpact {
            reached,
            out,
            down,
            astray,
        } = reach.aftermath(&failed);
        let mut view = NetworkView {
            out,
            without_mains: self
                .troubles
                .values()
                .filter(|trouble| trouble.takes_mains())
                .flat_map(|trouble| trouble.sites_without_mains(inventory))
                .cloned()
                .collect(),
            down,
            failed,
            reached,
            sightings: BTreeSet::new(),
        };
        view.sightings = view.sight(inventory, reach, &astray);
        view.sightings.extend(self.ailments(inventory, &view));
        // Only a site in reach can tell, and it goes on saying so until its mains is back.
        view.sightings
            .extend(self.batteries_low.iter().map(|site| ObservableCondition {
                resource: site.clone(),
                alarm_type: AlarmType::BatteryLow,
                seen_by: site.clone(),
            }));
        view
    }

    /// The breaks of the fibre of `link`, in kilometres from its end A, sorted.
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

impl NetworkView {
    /// True if `end` of a link (a card or a site) transmits light.
    pub fn sends(&self, inventory: &Inventory, end: &ElementId) -> bool {
        inventory.works(end, &self.failed)
    }

    /// True if light transmitted into `link` arrives.
    pub fn carries(&self, id: &ElementId, link: &Link) -> bool {
        !self.failed.contains(id) && link.ducts.iter().all(|duct| !self.failed.contains(duct))
    }

    /// True if `end` of a link can report its received light.
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
        let module = if link.a == *far {
            &link.optic_a
        } else {
            &link.optic_b
        };
        !self.carries(id, link) || !self.sends(inventory, far) || self.failed.contains(module)
    }

    /// The sightings of what is broken; `astray` are the links that do not work, or whose first end
    /// is out of reach.
    fn sight(
        &self,
        inventory: &Inventory,
        reach: &Reachability,
        astray: &BTreeSet<ElementId>,
    ) -> BTreeSet<ObservableCondition> {
        let mut sightings = BTreeSet::new();
        let mut see = |resource: &ElementId, alarm_type, seen_by: &ElementId| {
            sightings.insert(ObservableCondition {
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
        for router in reach.routers().filter(|id| !self.reached.contains(id)) {
            see(router, AlarmType::NodeUnreachable, router);
        }
        let kind = |id: &ElementId| inventory.element(id).map(|element| element.kind);
        let failed = self.failed.iter();
        for card in failed.filter(|id| kind(id) == Some(ElementKind::LineCard)) {
            let router = inventory.node_of(card);
            if self.reached.contains(router) {
                see(card, AlarmType::CardFailure, router);
            }
        }
        // Light arrives over what works, and both its ends are in reach, or neither is.
        let links = astray
            .iter()
            .filter_map(|id| inventory.links.get_key_value(id));
        for (id, link) in links {
            for (end, far) in [(&link.a, &link.b), (&link.b, &link.a)] {
                if self.answers(inventory, end) && self.dark(inventory, id, link, far) {
                    see(id, AlarmType::LossOfSignal, inventory.node_of(end));
                }
            }
            // Routing protocols lose a link whose neighbour is silent, and in time those that
            // nobody announces any more because both ends are cut off.
            see(id, AlarmType::LinkDown, id);
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
