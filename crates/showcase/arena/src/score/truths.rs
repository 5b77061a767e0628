//! The truth about a run in the form that commitments are compared with: faults, and the small
//! troubles that are none.
//!
//! The simulation keeps the history of its faults; its small troubles are noted here while they last.
//! Read next: [`yardsticks::measure`].

use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::time::Timestamp;
use network::state::TroubleKind;
use network::{Simulation, Truth};
use std::collections::{BTreeMap, BTreeSet};
use yardsticks::{Consequences, KnownTrouble};

/// The small troubles of a run so far, by the number that the simulation gives them.
#[derive(Clone, Debug, Default)]
pub struct SmallTroubles {
    known: BTreeMap<usize, KnownTrouble>,
    lasting: BTreeSet<usize>,
}

impl SmallTroubles {
    /// Notes what has begun and what has ended by `now`.
    pub fn look(&mut self, simulation: &Simulation, now: Timestamp) {
        let troubles = &simulation.state().troubles;
        for (number, trouble) in troubles {
            let small = match trouble.kind {
                // A restart is what somebody does, and no trouble of the network.
                TroubleKind::Fault(_) | TroubleKind::Restarting => false,
                TroubleKind::SiteStopped
                | TroubleKind::SitePower
                | TroubleKind::TransceiverOff
                | TroubleKind::BadContact => true,
            };
            if small && self.lasting.insert(*number) {
                let known = KnownTrouble {
                    element: trouble.element.clone(),
                    cause: None,
                    from: trouble.since,
                    until: None,
                    restored: None,
                    area: BTreeSet::new(),
                    counts: false,
                };
                self.known.insert(*number, known);
            }
        }
        let known = &mut self.known;
        self.lasting.retain(|number| {
            let lasts = troubles.contains_key(number);
            if let Some(trouble) = known.get_mut(number).filter(|_| !lasts) {
                trouble.until = Some(now);
            }
            lasts
        });
    }

    /// All of them, in the order in which they began.
    pub fn all(&self) -> impl Iterator<Item = &KnownTrouble> {
        self.known.values()
    }
}

/// The faults of a run, in the order of the simulation's truth, and then its small troubles.
pub(crate) fn known_troubles(
    simulation: &Simulation,
    graph: &Consequences,
    small: &SmallTroubles,
) -> Vec<KnownTrouble> {
    let faults = simulation.truth().iter();
    let faults = faults.map(|truth| {
        let area = area(graph.inventory(), truth);
        let users = match area.is_empty() {
            true => 0.0,
            false => simulation.mobile().area(&area).users,
        };
        let number = graph.number(&truth.fault.element);
        let dependent = number.map_or(&[][..], |number| graph.dependent(number));
        let dependent = dependent.iter().map(|&site| graph.element(site).clone());
        KnownTrouble {
            element: truth.fault.element.clone(),
            cause: Some(truth.fault.kind),
            from: truth.fault.at,
            until: truth.repaired_at,
            restored: truth.restored_at,
            area: dependent.chain(area.iter().cloned()).collect(),
            counts: users > 0.0,
        }
    });
    faults.chain(small.all().cloned()).collect()
}

/// The sites whose users a fault affected.
pub(super) fn area(inventory: &Inventory, truth: &Truth) -> BTreeSet<ElementId> {
    let cells = truth.touched.iter().map(|id| inventory.node_of(id));
    let sites = cells.filter(|id| {
        let element = inventory.element(id);
        element.is_some_and(|e| e.kind == ElementKind::Site)
    });
    sites.chain(&truth.sites_out).cloned().collect()
}
