//! The rates of spontaneous faults and of storms.
//!
//! Knows rates; refuses to know when random events are drawn ([`crate::simulation`]). Rates are per
//! element and year, so that they scale with the network; [`PACE`] accelerates them.
//!
//! The figures and their sources:
//!
//! | fault | rate | source |
//! |---|---|---|
//! | fibre cut | 0.0027 per km and year | 4.39 cuts per year and 1,000 sheath miles (D. Crawford, "Fiber Optic Cable Dig-ups: Causes and Cures", 1993) |
//! | duct cut | 0.05 per duct and year | assumed |
//! | line card | 0.02 per card and year | assumed: mean time between failures of 50 years |
//! | router | 0.03 per router and year | assumed |
//! | mains failure | 0.5 per zone and year, 1 to 4 hours | assumed, in the order of the interruption figures that European regulators publish |
//! | optical module ageing | 0.01 per module and year | assumed: one in a hundred is exchanged each year |
//! | cell hardware | 0.05 per cell and year | assumed |
//! | misconfiguration | 0.05 per cell and year | assumed: a change per cell and year, one in twenty wrong |
//! | interference | 0.01 per cell and year, 4 to 12 hours | assumed |
//! | congestion | 0.2 per backbone link and year, 1 to 4 hours | assumed |
//! | bad contact | 0.02 per link and year | assumed; takes a link out for moments, and ends by itself |
//! | storm | 2 per year | assumed; within an hour most zones of an area lose their mains |
//!
//! At these rates the default network of 300 sites has less than one fault a day. With [`PACE`] it
//! has about three, and about four more if each site has five cells: ten real days in one.

use super::{Fault, FaultKind, candidates};
use crate::chance::{between, choose, happens, weighted};
use crate::geography::distance_km;
use domain::inventory::{Element, ElementId, ElementKind, Inventory};
use domain::time::{SeededRng, Timestamp};

/// The factor by which simulated days have more faults than real ones.
pub const PACE: f64 = 10.0;
/// Storms per year.
pub const STORMS_PER_YEAR: f64 = 2.0;
/// Bad contacts per link and year.
pub(crate) const CONTACTS_PER_LINK_YEAR: f64 = 0.02;
const DAYS_PER_YEAR: f64 = 365.0;
/// The share of the zones in a storm's area that lose their mains.
const STRUCK: f64 = 0.8;

/// The rate and duration of a kind of fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    /// The kind of fault.
    pub kind: FaultKind,
    /// Rate per year and element that it can strike; per year and kilometre for fibre cuts.
    pub per_year: f64,
    /// Hours after which it ends by itself, shortest and longest; none if it must be repaired.
    pub lasts_h: Option<(f64, f64)>,
}

/// The rates of all kinds of fault; the sources are in the table of this module.
pub const LIFE: [Life; 10] = [
    life(FaultKind::FibreCut, 0.0027, None),
    life(FaultKind::DuctCut, 0.05, None),
    life(FaultKind::CardFailure, 0.02, None),
    life(FaultKind::RouterFailure, 0.03, None),
    life(FaultKind::MainsFailure, 0.5, Some((1.0, 4.0))),
    life(FaultKind::OpticalModuleAgeing, 0.01, None),
    life(FaultKind::CellHardwareFailure, 0.05, None),
    life(FaultKind::Misconfiguration, 0.05, None),
    life(FaultKind::Interference, 0.01, Some((4.0, 12.0))),
    life(FaultKind::Congestion, 0.2, Some((1.0, 4.0))),
];

const fn life(kind: FaultKind, per_year: f64, lasts_h: Option<(f64, f64)>) -> Life {
    Life {
        kind,
        per_year,
        lasts_h,
    }
}

impl Life {
    /// Hours after which a fault of `kind` ends by itself; none if it does not.
    pub(crate) fn lasts_h(kind: FaultKind) -> Option<(f64, f64)> {
        LIFE.iter().find(|life| life.kind == kind)?.lasts_h
    }
}

/// The elements that a kind can strike, with their weights.
fn weights(inventory: &Inventory, kind: FaultKind) -> Vec<(&ElementId, f64)> {
    let links = &inventory.links;
    inventory
        .of_kind(kind.strikes())
        .map(|element| &element.id)
        .filter_map(|id| match kind {
            FaultKind::FibreCut => Some((id, links.get(id)?.length_km)),
            FaultKind::Congestion => links.get(id)?.backbone.then_some((id, 1.0)),
            _ => Some((id, 1.0)),
        })
        .collect()
}

/// Expected faults of each kind per day in `inventory`, in the order of [`LIFE`].
pub(crate) fn per_day(inventory: &Inventory) -> [f64; 10] {
    LIFE.map(|life| {
        let weights = weights(inventory, life.kind);
        let all: f64 = weights.into_iter().map(|(_, weight)| weight).sum();
        all * life.per_year * PACE / DAYS_PER_YEAR
    })
}

/// A random fault at `at`, given the rate of each kind; none if the kind drawn has no element to
/// strike.
pub(crate) fn befalling(
    inventory: &Inventory,
    per_day: &[f64; 10],
    at: Timestamp,
    rng: &mut SeededRng,
) -> Option<Fault> {
    let kind = LIFE[weighted(rng, per_day)].kind;
    let element = match kind {
        // Where nothing leads around a link there is no story to tell of its congestion.
        FaultKind::Congestion => choose(rng, &candidates(inventory, kind, 0))?.clone(),
        _ => {
            let weights = weights(inventory, kind);
            let shares: Vec<f64> = weights.iter().map(|(_, weight)| *weight).collect();
            weights.get(weighted(rng, &shares))?.0.clone()
        }
    };
    Some(Fault { kind, element, at })
}

/// The faults of a storm that begins at `at`: within an hour, most of the zones around a place lose
/// their mains, in an area wide enough to contain `sites` sites, or everywhere.
pub fn storm(
    inventory: &Inventory,
    sites: usize,
    at: Timestamp,
    rng: &mut SeededRng,
) -> Vec<Fault> {
    let zones: Vec<&Element> = inventory.of_kind(ElementKind::PowerZone).collect();
    let Some(centre) = choose(rng, &zones).map(|zone| zone.position) else {
        return Vec::new();
    };
    let mut near: Vec<(f64, &ElementId)> = zones
        .iter()
        .map(|zone| (distance_km(centre, zone.position), &zone.id))
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    let fed = |zone: &ElementId| {
        let all = inventory.of_kind(ElementKind::Site);
        all.filter(|site| site.parent.as_ref() == Some(zone))
            .count()
    };
    let mut held = 0;
    let mut faults = Vec::new();
    for (_, zone) in near {
        if held >= sites {
            break;
        }
        let after = between(rng, 0.0, 3600.0);
        if happens(rng, STRUCK) {
            held += fed(zone);
            faults.push(Fault {
                kind: FaultKind::MainsFailure,
                element: zone.clone(),
                at: at.plus_s(after),
            });
        }
    }
    faults
}
