//! The cells of each site, their handover neighbours, and the batteries.
//!
//! Knows how operators equip masts; refuses to know which user is served by which cell
//! ([`crate::mobile`]). A site has three sectors: a coverage layer (800 MHz, 10 MHz wide)
//! everywhere, and at busy sites a capacity layer as well (2600 MHz, 20 MHz wide, or 3500 MHz, 100
//! MHz wide, with 32 antennas). Has a random stream of its own, so that the rest of the network
//! does not depend on it.
//!
//! Radio units follow the shares of the energy set of the ITU AI/ML in 5G Challenge 2023: coverage
//! layers are of its two-antenna types 2 to 7, capacity layers of the two types whose sleep it
//! shows, 27 of Type9 to 21 of Type10. That units capable of sleep serve capacity layers, and only
//! those, is an assumption. Transmit powers leave 10 dB of room to raise them.
//! Read next: [`crate::mobile`].

use crate::chance::{between, happens, stream, weighted};
use crate::mobile::energy::power_w;
use crate::mobile::nearby::Nearby;
use crate::reachability::Reachability;
use domain::inventory::{Cell, Domain, Element, ElementId, ElementKind, Inventory, RadioUnit};
use domain::radio::pattern_db;
use domain::telemetry::Saving;
use domain::time::SeededRng;
use std::collections::BTreeMap;

/// The purpose of the cells' random stream; see [`stream`].
const PURPOSE: u64 = 20;
/// The share of sites with a capacity layer: 1,000 sites get 5,000 cells.
const BUSY: f64 = 0.67;
/// Two-antenna units of coverage layers, each with the number of stations of the set that have it.
const COVERAGE_UNITS: [(RadioUnit, f64); 6] = [
    (RadioUnit::Type2, 33.0),
    (RadioUnit::Type3, 31.0),
    (RadioUnit::Type4, 231.0),
    (RadioUnit::Type5, 62.0),
    (RadioUnit::Type6, 199.0),
    (RadioUnit::Type7, 114.0),
];
/// Units of capacity layers, each with the number of stations of the set that have it.
const CAPACITY_UNITS: [(RadioUnit, f64); 2] = [(RadioUnit::Type9, 27.0), (RadioUnit::Type10, 21.0)];

/// The most neighbours of a cell.
pub const NEIGHBOURS_MOST: usize = 12;
/// The longest distance of a handover neighbour on a coverage and on a capacity layer, in km.
const HANDOVER_KM: (f64, f64) = (12.0, 3.0);
/// The most antenna loss, in dB, in the direction of another cell for it to be a neighbour.
const FACING_DB: f64 = 15.0;

/// The mean load of a cell over the day (table of [`crate::mobile::demand`]), for which remote
/// batteries are sized.
pub const NORMAL_LOAD: f64 = 0.24;
/// The endurance of old batteries at full load when they were new, in seconds: the hour that is
/// recommended for base stations where nothing is required (sources in `docs/score.md`). Their
/// remaining capacity shows when the mains fails.
pub const OLD_BATTERY_S: f64 = 3_600.0;
/// The endurance of batteries of remote sites at normal load, in hours: from what is planned for cell
/// sites to what was once to be required of them (likewise).
const REMOTE_BATTERY_H: (f64, f64) = (4.0, 8.0);
/// The number of sites on one mains feeder from which on they are not remote: engineers are near
/// and batteries old.
const REMOTE_SITES: usize = 4;

/// Installs cells and batteries at every site of `inventory`.
pub(super) fn equip(inventory: &mut Inventory, seed: u64) {
    let mut rng = stream(seed, PURPOSE);
    let sites: Vec<Element> = inventory.of_kind(ElementKind::Site).cloned().collect();
    for site in &sites {
        for (number, cell) in (1..).zip(cells(&mut rng)) {
            mount(inventory, site, number, cell);
        }
    }
    let neighbours = neighbours(inventory, &sites);
    for (cell, found) in inventory.cells.values_mut().zip(neighbours) {
        cell.neighbours = found;
    }
    install_batteries(inventory, &sites, &mut rng);
}

/// The cells of one site: three for coverage, then three for capacity if it is busy.
fn cells(rng: &mut SeededRng) -> Vec<Cell> {
    let turned = between(rng, 0.0, 120.0).round();
    let coverage = COVERAGE_UNITS[weighted(rng, &COVERAGE_UNITS.map(|(_, n)| n))].0;
    let capacity = CAPACITY_UNITS[weighted(rng, &CAPACITY_UNITS.map(|(_, n)| n))].0;
    let busy = happens(rng, BUSY);
    let layers = [Some(coverage), busy.then_some(capacity)];
    layers
        .into_iter()
        .flatten()
        .flat_map(|unit| (0..3).map(move |sector| cell(unit, turned + 120.0 * f64::from(sector))))
        .collect()
}

fn cell(radio_unit: RadioUnit, azimuth_degrees: f64) -> Cell {
    let (carrier_mhz, bandwidth_mhz, power_dbm) = match radio_unit {
        RadioUnit::Type10 => (3_500.0, 100.0, 50.0),
        RadioUnit::Type9 => (2_600.0, 20.0, 43.0),
        _ => (800.0, 10.0, 43.0),
    };
    Cell {
        azimuth_degrees,
        carrier_mhz,
        bandwidth_mhz,
        power_dbm,
        radio_unit,
        capacity_layer: matches!(radio_unit, RadioUnit::Type9 | RadioUnit::Type10),
        neighbours: Vec::new(),
    }
}

fn mount(inventory: &mut Inventory, site: &Element, number: usize, cell: Cell) {
    let name = site.id.as_str().trim_start_matches("site:");
    let id = ElementId::new(format!("cell:{name}/{number}"));
    let element = Element {
        id: id.clone(),
        kind: ElementKind::Cell,
        domain: Domain::Wireless,
        parent: Some(site.id.clone()),
        model: format!("radio unit {}", cell.radio_unit.as_str()),
        ..site.clone()
    };
    inventory.elements.insert(id.clone(), element);
    inventory.cells.insert(id, cell);
}

/// For each cell, in order: the other cells of its site, then those of other sites that face it,
/// nearest first; at most [`NEIGHBOURS_MOST`], and at most two of one other site.
fn neighbours(inventory: &Inventory, sites: &[Element]) -> Vec<Vec<ElementId>> {
    let nearby = Nearby::new(sites.iter().map(|site| site.position));
    let number: BTreeMap<&ElementId, usize> = (0..).zip(sites).map(|(n, s)| (&s.id, n)).collect();
    let on: Vec<Vec<(&ElementId, &Cell)>> = sites
        .iter()
        .map(|site| {
            let ids = inventory.cells_of(&site.id);
            ids.map(|id| (id, &inventory.cells[id])).collect()
        })
        .collect();
    let of = |id: &ElementId| -> Vec<ElementId> {
        let own = number[inventory.node_of(id)];
        let mut found: Vec<(f64, f64, &ElementId)> = on[own]
            .iter()
            .filter(|(other, _)| *other != id)
            .map(|(other, _)| (0.0, 0.0, *other))
            .collect();
        for (site, (x, y)) in nearby.within(sites[own].position, HANDOVER_KM.0) {
            if site != own {
                found.extend(facing(&on[site], (x, y)));
            }
        }
        found.sort_by(|a, b| {
            a.0.total_cmp(&b.0)
                .then(a.1.total_cmp(&b.1))
                .then(a.2.cmp(b.2))
        });
        found.truncate(NEIGHBOURS_MOST);
        found.into_iter().map(|(_, _, id)| id.clone()).collect()
    };
    inventory.cells.keys().map(of).collect()
}

/// The cells of a site that face an observer who sees the site at `(x, y)` km: distance, antenna
/// loss in that direction, and cell.
fn facing<'a>(
    cells: &[(&'a ElementId, &'a Cell)],
    (x, y): (f64, f64),
) -> impl Iterator<Item = (f64, f64, &'a ElementId)> {
    let (km, back) = (x.hypot(y), (-x).atan2(-y).to_degrees());
    let mut facing: Vec<(f64, f64, &ElementId)> = cells
        .iter()
        .filter(|(_, cell)| !cell.capacity_layer || km <= HANDOVER_KM.1)
        .map(|(id, cell)| (km, pattern_db(back - cell.azimuth_degrees), *id))
        .filter(|(_, loss, _)| *loss <= FACING_DB)
        .collect();
    facing.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(b.2)));
    facing.truncate(2);
    facing.into_iter()
}

/// Installs old batteries, which last an hour at most, at sites that share a feeder with many others, and
/// batteries that last hours at remote ones, where help takes long.
fn install_batteries(inventory: &mut Inventory, sites: &[Element], rng: &mut SeededRng) {
    let reach = Reachability::new(inventory);
    let mut fed: BTreeMap<&ElementId, Vec<&ElementId>> = BTreeMap::new();
    for site in sites {
        let feeder = site.parent.as_ref().unwrap_or(&site.id);
        fed.entry(feeder).or_default().push(&site.id);
    }
    for members in fed.values() {
        let remote = reach.sites_out(members.iter().copied()).len() < REMOTE_SITES;
        for site in members {
            let hours = between(rng, REMOTE_BATTERY_H.0, REMOTE_BATTERY_H.1);
            let holds = match remote {
                true => power_at(inventory, site, NORMAL_LOAD) * hours,
                false => old_battery_wh(inventory, site),
            };
            inventory
                .battery_wh
                .insert((*site).clone(), holds.ceil().max(1.0));
        }
    }
}

/// The capacity of an old battery of a site when it was new, in Wh; remote ones have more.
pub fn old_battery_wh(inventory: &Inventory, site: &ElementId) -> f64 {
    power_at(inventory, site, 1.0) * OLD_BATTERY_S / 3600.0
}

/// The power drawn by all radio units of a site at such a load of each, in watts.
fn power_at(inventory: &Inventory, site: &ElementId, load: f64) -> f64 {
    inventory
        .cells_of(site)
        .map(|id| power_w(&inventory.cells[id], load, 0.0, Saving::Off))
        .sum()
}

#[cfg(test)]
mod tests;
