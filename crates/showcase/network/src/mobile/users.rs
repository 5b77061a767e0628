//! The positions of users, and the received power of cells there.
//!
//! Knows sample points, each of which stands for many users; refuses to know their demand
//! ([`super::demand`]). About a dozen points lie around each site, within the area in which it is
//! the nearest. Shadowing is drawn once for each point and mast, with a standard deviation of 6 dB
//! as in TR 38.901 for UMa. In an undisturbed network every point is served: one that would not be
//! is moved nearer to its mast. Read next: `evaluation`.

use super::nearby::Nearby;
use super::propagation::{GOOD_DBM, linear, noise_dbm, rsrp_dbm};
use crate::chance::{between, error};
use domain::inventory::{Cell, ElementId};
use domain::radio::COVERAGE_DBM;
use domain::time::SeededRng;
use std::f64::consts::TAU;
use std::ops::Range;

/// The standard deviation of shadowing, in dB.
const SHADOWING_DB: f64 = 6.0;
/// The greatest distance of a received cell, in km, at any power.
const HEARD_KM: f64 = 8.0;
/// The least RSRP of a received cell at planned power, in dBm per resource element.
const HEARD_DBM: f64 = -130.0;
/// The attenuation by the buildings around a yard, in dB.
const YARD_DB: f64 = 20.0;
/// The most cells received at a point, in all and of one site and layer.
const RAYS_MOST: (usize, usize) = (10, 2);
/// The number of users per point: least and greatest.
const WEIGHT: (f64, f64) = (40.0, 160.0);
/// The greatest distance of users from their site, as a share of the distance to the next site, and
/// its bounds in km.
const AROUND: f64 = 0.6;
const AROUND_KM: (f64, f64) = (0.4, 1.1);
/// The most times that an unserved point is moved nearer to its site, each time by half.
const APPROACHES: usize = 6;

/// A cell with the properties that this module needs.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Its identifier.
    pub(super) id: ElementId,
    /// The number of its site.
    pub(super) site: usize,
    /// Its plan.
    pub(super) plan: Cell,
    /// Thermal and receiver noise, in mW per resource element.
    pub(super) noise_mw: f64,
}

impl Unit {
    pub(super) fn new(id: ElementId, site: usize, plan: Cell) -> Self {
        Self {
            id,
            site,
            noise_mw: linear(noise_dbm(plan.bandwidth_mhz)),
            plan,
        }
    }
}

/// The received power of one cell at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    /// The number of the cell.
    pub(super) cell: usize,
    /// The RSRP at planned power, in mW per resource element.
    pub(super) rsrp_mw: f64,
}

/// A sample point.
#[derive(Clone, Debug)]
pub(super) struct User {
    /// The number of the site around which it lies.
    pub(super) site: usize,
    /// The number of users it stands for.
    pub(super) weight: f64,
    /// The cell that serves it in an undisturbed network.
    pub(super) home: Option<usize>,
    /// Its rays, as indices in [`Users::rays`].
    pub(super) rays: Range<usize>,
}

/// All sample points and their rays.
#[derive(Clone, Debug, Default)]
pub(super) struct Users {
    pub(super) points: Vec<User>,
    pub(super) rays: Vec<Ray>,
}

/// The positions of sites and their cells.
pub(super) struct Land<'a> {
    pub(super) positions: &'a [(f64, f64)],
    pub(super) nearby: &'a Nearby,
    pub(super) units: &'a [Unit],
    /// The cells of each site.
    pub(super) on: &'a [Range<usize>],
}

/// The serving cell of a user with these `rays` at powers changed by `factor`, with its received
/// power in mW: the strongest capacity layer if it is good enough, else the strongest of all, if it
/// gives coverage.
pub(super) fn served_by(units: &[Unit], rays: &[Ray], factor: &[f64]) -> Option<(usize, f64)> {
    let (mut best, mut capacity) = (None, None);
    for ray in rays {
        let mw = ray.rsrp_mw * factor[ray.cell];
        let stronger = |than: Option<(usize, f64)>| than.is_none_or(|(_, other)| mw > other);
        if stronger(best) {
            best = Some((ray.cell, mw));
        }
        if units[ray.cell].plan.capacity_layer && stronger(capacity) {
            capacity = Some((ray.cell, mw));
        }
    }
    let good = linear(GOOD_DBM);
    let covers = linear(COVERAGE_DBM);
    capacity
        .filter(|(_, mw)| *mw >= good)
        .or(best.filter(|(_, mw)| *mw >= covers))
}

impl Land<'_> {
    /// Places `per_site` points around each site, and one more for each cell that would have none.
    pub(super) fn settle(&self, per_site: usize, rng: &mut SeededRng) -> Users {
        let mut users = Users::default();
        let planned = vec![1.0; self.units.len()];
        for site in 0..self.positions.len() {
            for _ in 0..per_site {
                self.settle_one(&mut users, site, &planned, rng);
            }
        }
        let mut lonely = vec![true; self.units.len()];
        for home in users.points.iter().filter_map(|user| user.home) {
            lonely[home] = false;
        }
        for cell in (0..self.units.len()).filter(|cell| lonely[*cell]) {
            self.befriend(&mut users, cell, &planned, rng);
        }
        users
    }

    fn settle_one(&self, users: &mut Users, site: usize, planned: &[f64], rng: &mut SeededRng) {
        let reach = self.around_km(site);
        let mut km = reach * between(rng, 0.0, 1.0).sqrt();
        let angle = between(rng, 0.0, TAU);
        let weight = between(rng, WEIGHT.0, WEIGHT.1);
        for approach in 0..=APPROACHES {
            let rays = self.heard(site, (km * angle.cos(), km * angle.sin()), rng);
            let home = served_by(self.units, &rays, planned).map(|(cell, _)| cell);
            if home.is_some() || approach == APPROACHES {
                return users.add(site, weight, home, rays);
            }
            km /= 2.0;
        }
    }

    /// Adds a point that `cell` serves, in its main direction and at a suitable distance.
    fn befriend(&self, users: &mut Users, cell: usize, planned: &[f64], rng: &mut SeededRng) {
        let unit = &self.units[cell];
        let (sin, cos) = unit.plan.azimuth_degrees.to_radians().sin_cos();
        let ways: [f64; 5] = match unit.plan.capacity_layer {
            true => [0.4, 0.3, 0.2, 0.1, 0.05],
            false => [0.9, 0.7, 1.1, 1.3, 0.5],
        };
        let weight = between(rng, WEIGHT.0, WEIGHT.1);
        for km in ways.iter().chain(&ways) {
            let rays = self.heard(unit.site, (km * sin, km * cos), rng);
            let home = served_by(self.units, &rays, planned).map(|(cell, _)| cell);
            if home == Some(cell) {
                return users.add(unit.site, weight, home, rays);
            }
        }
        // Others hear it better wherever it looks: then in a yard that is open to it alone.
        let km = ways[2].min(0.9);
        let own = self.rays(unit.site, (km * sin, km * cos), 0.0);
        let mut rays: Vec<Ray> = own.filter(|(other, _)| *other == cell).map(ray).collect();
        let others = self.heard(unit.site, (km * sin, km * cos), rng);
        let shut = others.into_iter().filter(|ray| ray.cell != cell);
        rays.extend(shut.take(RAYS_MOST.0 - 1).map(|ray| Ray {
            rsrp_mw: ray.rsrp_mw * linear(-YARD_DB),
            ..ray
        }));
        let home = served_by(self.units, &rays, planned).map(|(cell, _)| cell);
        users.add(unit.site, weight, home, rays);
    }

    /// The greatest distance of a site's users, in km.
    fn around_km(&self, site: usize) -> f64 {
        let near = self.nearby.within(self.positions[site], 2.0 * AROUND_KM.1);
        let next = near
            .iter()
            .filter(|(other, _)| *other != site)
            .map(|(_, (x, y))| x.hypot(*y))
            .fold(f64::INFINITY, f64::min);
        (AROUND * next).clamp(AROUND_KM.0, AROUND_KM.1)
    }

    /// The rays at a point (`at` km east and north of `site`), the strongest first.
    fn heard(&self, site: usize, at: (f64, f64), rng: &mut SeededRng) -> Vec<Ray> {
        let mut heard: Vec<Ray> = Vec::new();
        let near = self.nearby.within(self.positions[site], HEARD_KM);
        for (other, (x, y)) in near {
            let shadow = error(rng, SHADOWING_DB);
            let of_site = self.rays(other, (at.0 - x, at.1 - y), shadow);
            heard.extend(of_site.filter(|(_, dbm)| *dbm >= HEARD_DBM).map(ray));
        }
        heard.sort_by(|a, b| b.rsrp_mw.total_cmp(&a.rsrp_mw).then(a.cell.cmp(&b.cell)));
        let layer = |ray: &Ray| {
            let unit = &self.units[ray.cell];
            (unit.site, unit.plan.capacity_layer)
        };
        let mut kept: Vec<Ray> = Vec::new();
        for ray in heard {
            let same = kept.iter().filter(|k| layer(k) == layer(&ray)).count();
            if same < RAYS_MOST.1 && kept.len() < RAYS_MOST.0 {
                kept.push(ray);
            }
        }
        kept
    }

    /// The RSRP of each cell of a site at `to` (km east and north of it), in dBm per resource
    /// element, increased by `gain_db`.
    pub(super) fn rays(
        &self,
        site: usize,
        to: (f64, f64),
        gain_db: f64,
    ) -> impl Iterator<Item = (usize, f64)> {
        self.on[site]
            .clone()
            .map(move |cell| (cell, rsrp_dbm(&self.units[cell].plan, to) + gain_db))
    }
}

/// The ray of a cell with this RSRP in dBm.
pub(super) fn ray((cell, dbm): (usize, f64)) -> Ray {
    Ray {
        cell,
        rsrp_mw: linear(dbm),
    }
}

impl Users {
    fn add(&mut self, site: usize, weight: f64, home: Option<usize>, rays: Vec<Ray>) {
        let from = self.rays.len();
        self.rays.extend(rays);
        self.points.push(User {
            site,
            weight,
            home,
            rays: from..self.rays.len(),
        });
    }
}
