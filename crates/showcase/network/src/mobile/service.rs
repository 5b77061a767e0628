//! The service at an instant: at a place, of an area, of each site.
//!
//! Reads the last evaluation, and changes nothing. Read next: `picture.rs`, the result of an
//! evaluation.

use super::Mobile;
use super::account::Rates;
use super::picture::{share, slowest_tenth};
use super::propagation::{self, OPEN_LAND_DB, decibels, elements_db};
use super::users::{ray, served_by};
use domain::inventory::ElementId;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The distance from every site beyond which land is open, in km.
const TOWN_KM: f64 = 2.5;
/// The gain of a roof antenna over a handheld one, in dB.
const ROOF_DB: f64 = 5.0;
/// The greatest distance of a cell that a vehicle receives, in km.
const ROAD_KM: f64 = 16.0;

/// The service at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceService {
    /// The serving cell.
    pub cell: ElementId,
    /// Its reference signal power (RSRP), in dBm per resource element.
    pub rsrp_dbm: f64,
    /// The throughput, in Mbit/s.
    pub throughput_mbps: f64,
}

/// The service of the users who live nearest to some sites.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AreaState {
    /// The number of users.
    pub users: f64,
    /// The share of them that is served, by any cell, 0 to 1.
    pub served_share: f64,
    /// The 10th percentile of the throughput of served users, in Mbit/s.
    pub edge_throughput_mbps: f64,
    /// The mean throughput of all users, in Mbit/s; those without service count as 0.
    pub mean_throughput_mbps: f64,
}

impl Mobile {
    /// The service of a vehicle with a roof antenna at a longitude and latitude; without shadowing,
    /// and with less path loss in open land.
    pub fn serve(&self, position: (f64, f64)) -> Option<PlaceService> {
        let near = self.nearby.within(position, ROAD_KM);
        let away = near.iter().map(|(_, (x, y))| x.hypot(*y));
        let open = away.fold(f64::INFINITY, f64::min) > TOWN_KM;
        let gain_db = ROOF_DB + if open { OPEN_LAND_DB } else { 0.0 };
        let land = self.land();
        let rays: Vec<_> = near
            .iter()
            .flat_map(|(site, (x, y))| land.rays(*site, (-x, -y), gain_db).map(ray))
            .collect();
        let (scene, picture) = (self.evaluation.scene(), self.picture());
        let (cell, mw) = served_by(&self.units, &rays, &scene.factor)?;
        let unit = &self.units[cell];
        let foreign: f64 = rays
            .iter()
            .filter(|r| r.cell != cell)
            .filter(|r| self.units[r.cell].plan.carrier_mhz == unit.plan.carrier_mhz)
            .map(|r| r.rsrp_mw * scene.factor[r.cell] * picture.load[r.cell])
            .sum();
        let sinr = mw / (unit.noise_mw + foreign + scene.foreign_mw[cell]);
        let rate = unit.plan.bandwidth_mhz * propagation::efficiency(sinr);
        Some(PlaceService {
            cell: unit.id.clone(),
            rsrp_dbm: decibels(mw),
            throughput_mbps: (rate * share(picture.asked[cell]))
                .min(scene.backhaul[unit.site].max(0.0)),
        })
    }

    /// Foreign power on a cell's carrier, and the thermal noise of receivers there, both in dBm.
    pub fn interference_dbm(&self, cell: &ElementId) -> Option<(f64, f64)> {
        let number = self.number(cell)?;
        let unit = &self.units[number];
        let carrier = elements_db(unit.plan.bandwidth_mhz);
        let foreign = unit.noise_mw + self.picture().foreign[number];
        Some((
            decibels(foreign) + carrier,
            decibels(unit.noise_mw) + carrier,
        ))
    }

    /// The share of demand that is carried at this instant, 0 to 1; none without demand.
    pub fn carried_share(&self) -> Option<f64> {
        let Rates {
            traffic_mbps,
            wanted_mbps,
            ..
        } = self.rates;
        (wanted_mbps > 0.0).then(|| traffic_mbps / wanted_mbps)
    }

    /// The service of the users who live nearest to `sites`, at this instant.
    pub fn area(&self, sites: &BTreeSet<ElementId>) -> AreaState {
        let wanted: Vec<bool> = self.sites.iter().map(|site| sites.contains(site)).collect();
        let mut area = AreaState::default();
        let mut served = Vec::new();
        for (user, point) in self.users.points.iter().enumerate() {
            if !wanted[point.site] {
                continue;
            }
            area.users += point.weight;
            if self.picture().serving[user].is_some() {
                let gets = self.picture().throughput[user];
                area.served_share += point.weight;
                area.mean_throughput_mbps += point.weight * gets;
                served.push((gets, point.weight));
            }
        }
        if area.users > 0.0 {
            area.served_share /= area.users;
            area.mean_throughput_mbps /= area.users;
        }
        area.edge_throughput_mbps = slowest_tenth(&mut served);
        area
    }

    /// The traffic of each site's cells at this instant, in Mbit/s.
    pub fn traffic_of_sites(&self) -> BTreeMap<ElementId, f64> {
        self.sums_of_sites(&self.picture().traffic)
    }

    /// The traffic that each site offers to its backhaul at this instant, in Mbit/s.
    pub fn offered_by_sites(&self) -> BTreeMap<ElementId, f64> {
        self.sums_of_sites(&self.picture().offered)
    }

    /// The traffic that a site offers to its backhaul at this instant, in Mbit/s.
    pub fn offered_by(&self, site: &ElementId) -> Option<f64> {
        let cells = self.on[self.sites.binary_search(site).ok()?].clone();
        Some(self.picture().offered[cells].iter().sum())
    }

    fn sums_of_sites(&self, of_cells: &[f64]) -> BTreeMap<ElementId, f64> {
        let sum = |cells: &Range<usize>| of_cells[cells.clone()].iter().sum();
        let sites = self.sites.iter().cloned();
        sites.zip(self.on.iter().map(sum)).collect()
    }
}
