//! The wireless network's fault agent: sites and the zones that power them.
//!
//! | reading | means |
//! |---|---|
//! | the utility's meters of most of a zone's sites are dead, or its mains is away | `mains-failure` of the zone |
//! | two thirds or more of a zone's measured sites have no mains, or said so with their last breath | the same |
//! | a site is silent but its zone has mains | not a fault of the wireless network: look at its backhaul |
//!
//! It also verifies service: a site is in service when none of its alarms says otherwise, and
//! each site that is still out is measured, since the alarm that would clear it may be late.
//! Read next: [`crate::domain_agent`].

use crate::domain_agent::job::{Finding, Measurements, place_of};
use crate::domain_agent::{DomainAgent, Practice};
use crate::payloads::diagnosis::Suspicion;
use domain::cause::Cause;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::telemetry::{Condition, Measurement};
use std::collections::BTreeSet;

/// The wireless network's fault agent.
pub type WirelessFault = DomainAgent<WirelessPractice>;

/// Below this (volts) there is no mains.
const NO_MAINS_VOLTS: f64 = 100.0;
/// The most sites measured around a zone.
const SITES_MAX: usize = 6;

/// What the wireless domain knows.
#[derive(Debug)]
pub struct WirelessPractice;

impl Practice for WirelessPractice {
    const DOMAIN: Domain = Domain::Wireless;

    fn measures(kind: ElementKind) -> bool {
        matches!(kind, ElementKind::Site | ElementKind::PowerZone)
    }

    fn plan(
        inventory: &Inventory,
        suspicion: &Suspicion,
        sites: &BTreeSet<ElementId>,
    ) -> Vec<ElementId> {
        let target = &suspicion.target;
        let mut plan = vec![target.clone()];
        match inventory.element(target) {
            Some(e) if e.kind == ElementKind::Site => plan.extend(e.parent.clone()),
            Some(_) => {
                let mut members: Vec<&ElementId> = members(inventory, target).collect();
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
    ) -> Option<Finding> {
        let zone = match inventory.element(target)?.kind {
            ElementKind::Site => inventory.element(target)?.parent.as_ref()?,
            _ => target,
        };
        let dark = match measured.get(zone).and_then(zone_is_dark) {
            Some(dark) => dark,
            None => sites_are_dark(inventory, zone, measured),
        };
        dark.then(|| Finding {
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

fn members<'a>(
    inventory: &'a Inventory,
    zone: &'a ElementId,
) -> impl Iterator<Item = &'a ElementId> {
    inventory
        .of_kind(ElementKind::Site)
        .filter(move |s| s.parent.as_ref() == Some(zone))
        .map(|s| &s.id)
}

/// What the zone's own readings say; none if it could not be measured.
fn zone_is_dark(m: &Measurement) -> Option<bool> {
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
