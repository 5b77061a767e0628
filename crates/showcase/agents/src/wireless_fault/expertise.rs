//! The meaning of readings of sites, their cells and their zones.
//!
//! | reading | means |
//! |---|---|
//! | the utility's meters of most of a zone's sites are dead, or its mains is away | `mains-failure` of the zone |
//! | two thirds or more of a zone's measured sites have no mains, or said so with their last breath | the same |
//! | a cell's carrier is off, or it reflects its power | `cell-hardware-failure` of the cell |
//! | a cell hears 6 dB more than its noise, or more | `interference` at the cell |
//! | a site is silent but its zone has mains | not a fault of the wireless network: look at its backhaul |
//!
//! Read next: [`super::care`], which does something about it.

use crate::domain_agent::job::{DiagnosisFinding, Measurements, place_of};
use crate::domain_agent::{DomainAgent, DomainExpertise};
use crate::payloads::diagnosis::Suspicion;
use crate::topology::Topology;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::telemetry::{Condition, Measurement};
use std::collections::BTreeSet;

/// Below this (volts) there is no mains.
const NO_MAINS_VOLTS: f64 = 100.0;
/// An antenna that is well reflects less than this standing-wave ratio says.
const VSWR_MAX: f64 = 2.5;
/// Foreign power above noise that a cell bears, in dB.
const INTERFERENCE_DB: f64 = 6.0;
/// The most sites measured around a zone.
const SITES_MAX: usize = 6;

/// The knowledge of the wireless domain.
#[derive(Debug)]
pub struct WirelessExpertise;

/// The part that the wireless network's fault agent does as every domain's agent does.
pub(super) type Base = DomainAgent<WirelessExpertise>;

impl DomainExpertise for WirelessExpertise {
    const DOMAIN: Domain = Domain::Wireless;

    fn measures(kind: ElementKind) -> bool {
        matches!(
            kind,
            ElementKind::Site | ElementKind::PowerZone | ElementKind::Cell
        )
    }

    fn plan(
        topology: &Topology,
        suspicion: &Suspicion,
        sites: &BTreeSet<ElementId>,
    ) -> Vec<ElementId> {
        let target = &suspicion.target;
        let mut plan = vec![target.clone()];
        let inventory = topology.inventory();
        match inventory.element(target) {
            Some(e) if e.kind == ElementKind::Site => plan.extend(e.parent.clone()),
            Some(e) if e.kind == ElementKind::Cell => {}
            Some(_) => {
                let is_site = |id: &&ElementId| {
                    let kind = inventory.element(id).map(|e| e.kind);
                    kind == Some(ElementKind::Site)
                };
                let members = topology.children_of(target).filter(is_site);
                let mut members: Vec<&ElementId> = members.collect();
                // Sites known to be out say most.
                members.sort_by_key(|s| !sites.contains(*s));
                plan.extend(members.into_iter().take(SITES_MAX).cloned());
            }
            None => {}
        }
        plan
    }

    fn decide(
        inventory: &Inventory,
        target: &ElementId,
        measured: &Measurements,
    ) -> Option<DiagnosisFinding> {
        let kind = inventory.element(target)?.kind;
        if kind == ElementKind::Cell {
            return cell_finding(inventory, measured.get(target)?);
        }
        let zone = match kind {
            ElementKind::Site => inventory.element(target)?.parent.as_ref()?,
            _ => target,
        };
        let dark = match measured.get(zone).and_then(zone_is_dark) {
            Some(dark) => dark,
            None => sites_are_dark(inventory, zone, measured),
        };
        dark.then(|| DiagnosisFinding {
            root_cause: zone.clone(),
            cause: Cause::MainsFailure,
            location: place_of(inventory, zone),
            proposal: format!(
                "Restore the mains of {zone}: switch its feeder over, or bring a mobile generator"
            ),
            automatic: false,
        })
    }
}

/// The finding of a cell's own readings: broken hardware first.
fn cell_finding(inventory: &Inventory, m: &Measurement) -> Option<DiagnosisFinding> {
    let cell = inventory.cells.get(&m.element)?;
    let causes = cell_causes(m, noise_dbm(cell.bandwidth_mhz));
    let first = causes.first()?;
    Some(of_cell(inventory, &m.element, *first))
}

/// The causes that a cell's own readings speak for; `usual_dbm` is what it hears on its carrier while
/// all is well.
pub(super) fn cell_causes(m: &Measurement, usual_dbm: f64) -> Vec<Cause> {
    let heard_dbm = m.readings.get("interference_dbm");
    let noisy = heard_dbm.is_some_and(|dbm| is_foreign(*dbm, usual_dbm));
    let hardware = is_broken(m).then_some(Cause::CellHardwareFailure);
    let interference = noisy.then_some(Cause::Interference);
    hardware.into_iter().chain(interference).collect()
}

/// True if so much is heard that others transmit, where so much is usual.
pub(crate) fn is_foreign(heard_dbm: f64, usual_dbm: f64) -> bool {
    heard_dbm > usual_dbm + INTERFERENCE_DB
}

/// True if a cell's readings say that its hardware is broken.
pub(super) fn is_broken(m: &Measurement) -> bool {
    let reading = |name: &str| m.readings.get(name).copied();
    let carrier_off = reading("carrier_on").is_some_and(|on| on < 0.5);
    let reflects = reading("vswr").is_some_and(|v| v > VSWR_MAX);
    (m.condition == Condition::Failed && carrier_off) || reflects
}

/// The finding that `cause` ails a cell.
pub(super) fn of_cell(inventory: &Inventory, cell: &ElementId, cause: Cause) -> DiagnosisFinding {
    let proposal = match cause {
        Cause::Interference => {
            format!("Find what transmits on the carrier of {cell} and have it stopped")
        }
        _ => format!("Restart {cell}; if that does not help, replace its radio unit"),
    };
    DiagnosisFinding {
        root_cause: cell.clone(),
        cause,
        location: place_of(inventory, cell),
        proposal,
        automatic: false,
    }
}

/// Thermal noise of a receiver of so many MHz with a noise figure of 7 dB, in dBm.
pub(crate) fn noise_dbm(bandwidth_mhz: f64) -> f64 {
    -174.0 + 7.0 + 10.0 * (bandwidth_mhz.max(0.1) * 1e6).log10()
}

fn members<'a>(
    inventory: &'a Inventory,
    zone: &'a ElementId,
) -> impl Iterator<Item = &'a ElementId> {
    inventory
        .of_kind(ElementKind::Site)
        .filter(move |s| s.parent.as_ref() == Some(zone))
        .map(|s| &s.id)
}

/// The statement of the zone's own readings; none if it could not be measured.
pub(super) fn zone_is_dark(m: &Measurement) -> Option<bool> {
    if m.condition == Condition::Unreachable {
        return None;
    }
    let reading = |name: &str| m.readings.get(name).copied();
    if let (Some(dead), Some(all)) = (reading("meters_dead"), reading("meters_total")) {
        return Some(2.0 * dead > all);
    }
    match reading("mains_volts") {
        Some(volts) => Some(volts < NO_MAINS_VOLTS),
        None => Some(m.condition == Condition::Failed),
    }
}

fn sites_are_dark(inventory: &Inventory, zone: &ElementId, measured: &Measurements) -> bool {
    let volts = |m: &Measurement| {
        let now = m.readings.get("mains_volts");
        now.or_else(|| m.readings.get("last_mains_volts")).copied()
    };
    let known: Vec<f64> = members(inventory, zone)
        .filter_map(|site| volts(measured.get(site)?))
        .collect();
    let dark = known.iter().filter(|v| **v < NO_MAINS_VOLTS).count();
    dark >= 2 && 3 * dark >= 2 * known.len()
}

#[cfg(test)]
mod tests;
