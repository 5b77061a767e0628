//! Gradual troubles: ageing optical modules, bad contacts, degraded cells, congested links.
//!
//! Knows the stage of each and its observable effects; refuses to know when it progresses
//! ([`crate::simulation`]). Read next: [`crate::configuration`].

use super::{NetworkState, NetworkView, ObservableCondition, Trouble, TroubleKind};
use crate::fault::FaultKind;
use domain::inventory::{ElementId, ElementKind, Inventory, Link};
use domain::telemetry::AlarmType;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The course of a trouble.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Course {
    /// It is constant.
    #[default]
    Steady,
    /// An optical module ages.
    Ageing {
        /// Seconds from the first loss of light to darkness.
        lasts_s: f64,
        /// The level of its light.
        light: LightLevel,
    },
    /// A contact is intermittent.
    Contact {
        /// True while it is open.
        open: bool,
    },
    /// A parameter is wrong.
    Wrong {
        /// The parameter.
        parameter: String,
    },
    /// An interferer transmits.
    Foreign {
        /// Its received power at each cell, in dBm.
        heard_dbm: BTreeMap<ElementId, f64>,
    },
}

/// The level of light of an ageing optical module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LightLevel {
    /// Reduced, not noticeable yet.
    Fading,
    /// Below its specification.
    Low,
    /// Too low for error-free reception.
    Poor,
    /// No light.
    Dark,
}

/// The loss of light at which an ageing module goes dark, in dB.
const FALL_DB: f64 = 16.0;
/// The share of its ageing time after which light is [`LightLevel::Low`], and [`LightLevel::Poor`].
pub(crate) const LOW_FROM: f64 = 0.12;
pub(crate) const POOR_FROM: f64 = 0.6;
/// The share of its ageing time from which on it has dark moments.
pub(crate) const FLICKERS_FROM: f64 = 0.85;
/// The share of packets lost to poor light, at its beginning and end.
const POOR_LOSS: (f64, f64) = (1e-4, 5e-2);
/// The loss from which a cell is degraded, in dB.
const DEGRADED_DB: f64 = 2.5;
/// The power of foreign transmissions, in dBm, from which they are interference, and from which
/// they degrade the cell.
const INTERFERENCE_DBM: (f64, f64) = (-100.0, -92.0);

impl Trouble {
    /// The share of its ageing time that has passed; none if it does not age.
    fn aged(&self, now: Timestamp) -> Option<f64> {
        match self.course {
            Course::Ageing { lasts_s, .. } => {
                Some((now.seconds_since(self.since) / lasts_s).clamp(0.0, 1.0))
            }
            _ => None,
        }
    }

    /// True if the element does not work at this instant; none for troubles that are not of this
    /// file.
    pub(super) fn stops_now(&self) -> Option<bool> {
        match &self.course {
            Course::Ageing { light, .. } => Some(*light == LightLevel::Dark),
            Course::Contact { open } => Some(*open),
            Course::Wrong { .. } | Course::Foreign { .. } => Some(false),
            Course::Steady => match self.kind {
                TroubleKind::Fault(
                    FaultKind::Misconfiguration | FaultKind::Interference | FaultKind::Congestion,
                ) => Some(false),
                _ => None,
            },
        }
    }
}

impl NetworkState {
    /// The loss of light of an optical module, in dB; 0 if it is in order.
    pub fn dimmed_db(&self, optic: &ElementId, now: Timestamp) -> f64 {
        let ours = self.troubles.values().filter(|t| t.element == *optic);
        ours.filter_map(|trouble| trouble.aged(now))
            .map(|aged| FALL_DB * aged)
            .fold(0.0, f64::max)
    }

    /// The share of packets lost to bit errors on each link, 0 to 1.
    pub fn link_losses(&self, inventory: &Inventory, now: Timestamp) -> BTreeMap<ElementId, f64> {
        let mut losses = self.settings.misfits();
        for trouble in self.troubles.values() {
            let Course::Ageing {
                light: LightLevel::Poor,
                ..
            } = trouble.course
            else {
                continue;
            };
            if let Some((link, _, _)) = link_of(inventory, &trouble.element) {
                let aged = trouble.aged(now).unwrap_or_default().max(POOR_FROM);
                let way = (aged - POOR_FROM) / (1.0 - POOR_FROM);
                let loss = POOR_LOSS.0 * (POOR_LOSS.1 / POOR_LOSS.0).powf(way);
                let sum: &mut f64 = losses.entry(link.clone()).or_default();
                *sum = 1.0 - (1.0 - *sum) * (1.0 - loss);
            }
        }
        losses
    }

    /// Cells whose hardware is broken, or that are restarting.
    pub fn cells_failed(&self, inventory: &Inventory) -> BTreeSet<ElementId> {
        self.failed()
            .into_iter()
            .filter(|id| {
                inventory
                    .element(id)
                    .is_some_and(|e| e.kind == ElementKind::Cell)
            })
            .collect()
    }

    /// The loss of cells with a deviating parameter, in dB.
    pub fn cell_losses_db(&self, inventory: &Inventory) -> BTreeMap<ElementId, f64> {
        self.settings.cell_losses_db(inventory)
    }

    /// Foreign power on the carriers of cells, in dBm; cells without are left out.
    pub fn interference_dbm(&self) -> BTreeMap<ElementId, f64> {
        let mut heard: BTreeMap<ElementId, f64> = BTreeMap::new();
        for trouble in self.troubles.values() {
            if let Course::Foreign { heard_dbm } = &trouble.course {
                for (cell, dbm) in heard_dbm {
                    let milliwatts = 10f64.powf(dbm / 10.0);
                    let before = heard.get(cell).map_or(0.0, |dbm| 10f64.powf(dbm / 10.0));
                    heard.insert(cell.clone(), 10.0 * (before + milliwatts).log10());
                }
            }
        }
        heard
    }

    /// The sightings of gradual troubles by observers in reach according to `view`.
    pub(super) fn ailments(
        &self,
        inventory: &Inventory,
        view: &NetworkView,
    ) -> Vec<ObservableCondition> {
        let mut sightings = self.poor_light(inventory, view);
        sightings.extend(self.poor_cells(inventory, view));
        sightings
    }

    fn poor_light(&self, inventory: &Inventory, view: &NetworkView) -> Vec<ObservableCondition> {
        let mut sightings = Vec::new();
        for trouble in self.troubles.values() {
            let Course::Ageing { light, .. } = trouble.course else {
                continue;
            };
            let own = inventory.node_of(&trouble.element);
            if light >= LightLevel::Low && view.reached.contains(own) {
                sightings.push(seen(&trouble.element, AlarmType::OpticalPowerLow, own));
            }
            let Some((id, _, far)) = link_of(inventory, &trouble.element) else {
                continue;
            };
            let whole = inventory.works(id, &view.failed);
            if light == LightLevel::Poor && whole && view.answers(inventory, far) {
                let by = inventory.node_of(far);
                sightings.push(seen(id, AlarmType::SignalDegraded, by));
            }
        }
        sightings
    }

    fn poor_cells(&self, inventory: &Inventory, view: &NetworkView) -> Vec<ObservableCondition> {
        let failed = self.cells_failed(inventory);
        let lost = self.cell_losses_db(inventory);
        let heard = self.interference_dbm();
        let unavailable = failed.iter().map(|c| (c, AlarmType::CellUnavailable));
        let disturbed = heard
            .iter()
            .filter(|(_, dbm)| **dbm >= INTERFERENCE_DBM.0)
            .map(|(cell, _)| (cell, AlarmType::InterferenceHigh));
        let weak = lost.iter().filter(|(_, db)| **db >= DEGRADED_DB);
        let deaf = heard.iter().filter(|(_, dbm)| **dbm >= INTERFERENCE_DBM.1);
        let degraded = weak
            .chain(deaf)
            .filter(|(cell, _)| !failed.contains(*cell))
            .map(|(cell, _)| (cell, AlarmType::CellDegraded));
        unavailable
            .chain(disturbed)
            .chain(degraded)
            .map(|(cell, alarm_type)| seen(cell, alarm_type, inventory.node_of(cell)))
            .filter(|sighting| view.reached.contains(&sighting.seen_by))
            .collect()
    }
}

fn seen(resource: &ElementId, alarm_type: AlarmType, by: &ElementId) -> ObservableCondition {
    ObservableCondition {
        resource: resource.clone(),
        alarm_type,
        seen_by: by.clone(),
    }
}

/// The link into which an optical module is plugged, and the far end of it.
pub(crate) fn link_of<'a>(
    inventory: &'a Inventory,
    optic: &ElementId,
) -> Option<(&'a ElementId, &'a Link, &'a ElementId)> {
    let name = optic.as_str().strip_prefix("optic:")?.rsplit_once('/')?.0;
    let named = inventory
        .links
        .get_key_value(&ElementId::new(format!("link:{name}")));
    let fits = |(_, link): &(&ElementId, &Link)| link.optic_a == *optic || link.optic_b == *optic;
    // Modules are named after their links; where they are not, every link is asked.
    let found = named
        .filter(fits)
        .or_else(|| inventory.links.iter().find(fits));
    found.map(|(id, link)| {
        let far = if link.optic_a == *optic {
            &link.b
        } else {
            &link.a
        };
        (id, link, far)
    })
}
