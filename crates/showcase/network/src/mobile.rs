//! The mobile domain: cells, the users whom they serve, and what that costs.
//!
//! Knows where users are and what they want; refuses to know what breaks, which is told to it as
//! [`Ground`], and who decides on powers and sleep. Pure: one picture follows from the instant, the
//! ground and the settings of cells. A tour:
//! - [`propagation`]: the public formulas of coverage and rates;
//! - [`demand`]: a measured day, and crowds;
//! - `users`: sample points around sites, with hills and houses;
//! - `hearing`: who is served by what, and whom each user hears besides;
//! - `evaluation`: what that loads, in rounds of which only what changes is computed again (`stirred`);
//! - `picture`: what users get and cells carry;
//! - `look`: the whole domain seen at one instant, on its ground;
//! - [`energy`]: what units consume by load, power and sleep;
//! - `account`: performance of a period, and the tally;
//! - [`battery`]: what happens without mains;
//! - [`nearby`]: what stands near a point.
//!
//! How it hangs in the network that runs is in `simulation/mobile.rs`.

mod account;
pub mod battery;
pub mod demand;
pub mod energy;
mod evaluation;
mod hearing;
mod look;
pub mod nearby;
mod picture;
pub mod propagation;
mod stirred;
mod users;

pub use account::Tally;
pub use demand::Surge;

use crate::chance::{between, stream};
use account::{Account, Rates};
use demand::Day;
use domain::inventory::{Cell, ElementId, ElementKind, Inventory};
use domain::telemetry::{Performance, Saving};
use domain::time::{Dice, Timestamp};
use evaluation::Evaluation;
use hearing::Hearing;
use nearby::Nearby;
use picture::{Picture, share, slowest_tenth};
use propagation::{OPEN_LAND_DB, decibels, elements_db};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use stirred::Cast;
use users::{Land, Unit, Users, ray, served_by};

/// The dice of users; see [`stream`].
const PURPOSE: u64 = 21;
/// By how much a cell's power can be raised at most, in dB.
pub const OFFSET_MOST_DB: f64 = 10.0;
/// A period of performance, in milliseconds; periods end at full quarters of an hour.
pub const PERIOD_MS: i64 = 900_000;
/// Farther than this (km) from every site is open land.
const TOWN_KM: f64 = 2.5;
/// What an antenna on a roof gains over one in a hand, in dB.
const ROOF_DB: f64 = 5.0;
/// A vehicle hears no cell beyond this, in km.
const ROAD_KM: f64 = 16.0;

/// How the mobile domain is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Sample points around each site, 1 to 100.
    pub points_per_site: usize,
    /// What each user is guaranteed, in Mbit/s; who gets less counts as a broken guarantee.
    pub guaranteed_mbps: f64,
    /// True if users and loads are followed all day, and told every 900 s; false if only when
    /// something changes, which is quicker, and nothing is told.
    pub performance: bool,
    /// How many times a day a stadium fills, on average.
    pub stadiums_per_day: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            points_per_site: 12,
            guaranteed_mbps: 2.0,
            performance: true,
            stadiums_per_day: 0.0,
        }
    }
}

/// What the rest of the network gives the mobile domain to stand on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// Sites out of service, whatever the cause.
    pub sites_out: BTreeSet<ElementId>,
    /// Sites whose equipment has no power or has stopped: their cells draw nothing and forget what
    /// they were told.
    pub unpowered: BTreeSet<ElementId>,
    /// Cells whose radio unit is dead.
    pub cells_failed: BTreeSet<ElementId>,
    /// By how much cells send less than planned, in dB.
    pub losses_db: BTreeMap<ElementId, f64>,
    /// Power from outside the network on a cell's carrier at its users, in dBm.
    pub interference_dbm: BTreeMap<ElementId, f64>,
    /// What the backhaul of a site carries at most, in Mbit/s; sites without entry have enough.
    pub backhaul_mbps: BTreeMap<ElementId, f64>,
}

/// How somebody is served at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// By which cell.
    pub cell: ElementId,
    /// What arrives of it, in dBm per resource element.
    pub rsrp_dbm: f64,
    /// What they get, in Mbit/s.
    pub throughput_mbps: f64,
}

/// How the users are who live nearest to some sites.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AreaState {
    /// How many they are.
    pub users: f64,
    /// The share of them that is served, 0 to 1; by whatever cell.
    pub served_share: f64,
    /// What the slowest tenth of those gets who are served, in Mbit/s.
    pub edge_throughput_mbps: f64,
    /// What all of them get on average, in Mbit/s; those without service get nothing.
    pub mean_throughput_mbps: f64,
}

/// What a cell was told, and how it obeys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Told {
    offset_db: f64,
    saving: Saving,
    /// It wakes until then: awake as to energy, asleep as to users.
    waking: Option<Timestamp>,
    /// Counts what it was told, so that the newest holds.
    order: u32,
}

/// The mobile domain of one network.
#[derive(Clone, Debug)]
pub struct Mobile {
    settings: Settings,
    sites: Vec<ElementId>,
    positions: Vec<(f64, f64)>,
    nearby: Nearby,
    units: Vec<Unit>,
    numbers: BTreeMap<ElementId, usize>,
    on: Vec<Range<usize>>,
    users: Users,
    /// By cell: the load of an undisturbed day, and what each of its users wants.
    loads: Vec<Day>,
    wanted: Vec<Day>,
    surges: Vec<Surge>,
    ground: Ground,
    told: Vec<Told>,
    /// True if a cell was told something, or a crowd was added, since it was looked at last.
    changed: bool,
    evaluation: Evaluation,
    rates: Rates,
    account: Account,
}

impl Mobile {
    /// The mobile domain of `inventory` at `start`, undisturbed: the same inventory, settings and
    /// seed give the same users.
    pub fn new(inventory: &Inventory, settings: &Settings, seed: u64, start: Timestamp) -> Self {
        let mut dice = stream(seed, PURPOSE);
        let sites: Vec<_> = inventory.of_kind(ElementKind::Site).collect();
        let positions: Vec<(f64, f64)> = sites.iter().map(|site| site.position).collect();
        let sites: Vec<ElementId> = sites.iter().map(|site| site.id.clone()).collect();
        let (units, on) = units(inventory, &sites);
        let nearby = Nearby::new(positions.iter().copied());
        let land = Land {
            positions: &positions,
            nearby: &nearby,
            units: &units,
            on: &on,
        };
        let users = land.settle(settings.points_per_site.clamp(1, 100), &mut dice);
        let loads = demand::loads(&places(&units, &on, &mut dice));
        let cast = Cast {
            units: &units,
            on: &on,
            users: &users,
        };
        let hearing = Hearing::new(cast, &vec![1.0; units.len()]);
        let wanted = demand::calibrated(cast, &hearing, &loads);
        let mut mobile = Self {
            settings: settings.clone(),
            told: vec![Told::default(); units.len()],
            changed: false,
            evaluation: Evaluation::new(cast, hearing),
            rates: Rates::default(),
            account: Account::new(units.len(), start),
            surges: Vec::new(),
            ground: Ground::default(),
            numbers: (0..).zip(&units).map(|(n, u)| (u.id.clone(), n)).collect(),
            sites,
            positions,
            nearby,
            units,
            on,
            users,
            loads,
            wanted,
        };
        mobile.evaluate(start);
        mobile
    }

    /// Lets time pass until `now` with everything as it was, and looks again, on this ground. An
    /// instant before the last one counts as the last one.
    pub fn see(&mut self, ground: Ground, now: Timestamp) {
        let now = now.max(self.account.at);
        self.account
            .pass(now, self.evaluation.picture(), &self.rates);
        self.forget(&ground);
        self.ground = ground;
        self.changed = false;
        self.evaluate(now);
    }

    /// The ground on which it was looked at last.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// More is wanted where and while `surge` says; seen when it is looked at next.
    pub fn add_surge(&mut self, surge: Surge) {
        self.surges.push(surge);
        self.changed = true;
    }

    /// True if a cell was told something, or a crowd was added, since it was looked at last.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Raises the power of a cell, once it is looked at again; unknown cells are passed over.
    ///
    /// The offset is held within 0 to [`OFFSET_MOST_DB`].
    pub fn set_power(&mut self, cell: &ElementId, offset_db: f64) {
        if let Some(told) = self.told_mut(cell) {
            told.offset_db = offset_db.clamp(0.0, OFFSET_MOST_DB);
        }
    }

    /// Lets a cell sleep or wake at once, when it is looked at next; unknown cells are passed over.
    pub fn set_saving(&mut self, cell: &ElementId, saving: Saving) {
        if let Some(told) = self.told_mut(cell) {
            (told.saving, told.waking) = (saving, None);
        }
    }

    /// A cell wakes until `ready`: it draws power as if awake, and serves nobody yet.
    pub fn begin_waking(&mut self, cell: &ElementId, ready: Timestamp) {
        if let Some(told) = self.told_mut(cell) {
            told.waking = Some(ready);
        }
    }

    /// Until when a cell wakes, if it does.
    pub fn waking(&self, cell: &ElementId) -> Option<Timestamp> {
        self.told[self.number(cell)?].waking
    }

    /// Counts one more order to a cell; gives its number, so that the newest can be told.
    pub fn next_order(&mut self, cell: &ElementId) -> u32 {
        self.told_mut(cell).map_or(0, |told| {
            told.order += 1;
            told.order
        })
    }

    /// The number of the newest order to a cell; a cell that lost its power has a new one.
    pub fn order(&self, cell: &ElementId) -> Option<u32> {
        Some(self.told[self.number(cell)?].order)
    }

    /// By how much a cell's power is raised, in dB, and how deeply it sleeps.
    pub fn told(&self, cell: &ElementId) -> Option<(f64, Saving)> {
        let told = self.told[self.number(cell)?];
        Some((told.offset_db, told.saving))
    }

    /// True if a cell is on air and can serve users.
    pub fn on_air(&self, cell: &ElementId) -> bool {
        self.number(cell)
            .is_some_and(|cell| self.evaluation.scene().factor[cell] > 0.0)
    }

    /// Foreign power on a cell's carrier, in dBm, and what the noise of receivers is there.
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

    /// How somebody with an antenna on a roof, as vehicles have, is served at a longitude and
    /// latitude; hills and houses are left out, and beyond towns signals carry farther.
    pub fn serve(&self, position: (f64, f64)) -> Option<Served> {
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
        Some(Served {
            cell: unit.id.clone(),
            rsrp_dbm: decibels(mw),
            throughput_mbps: (rate * share(picture.asked[cell]))
                .min(scene.backhaul[unit.site].max(0.0)),
        })
    }

    /// What came together since the beginning, up to when it was looked at last.
    pub fn tally(&self) -> Tally {
        self.account.tally
    }

    /// The same up to `now`, if nothing changes until then.
    pub fn tally_at(&self, now: Timestamp) -> Tally {
        let seconds = now.seconds_since(self.account.at).max(0.0);
        self.account.tally.after(seconds, &self.rates)
    }

    /// The share of what is wanted that is carried at this instant, 0 to 1; none if nothing is wanted.
    pub fn carried_share(&self) -> Option<f64> {
        let Rates {
            traffic_mbps,
            wanted_mbps,
            ..
        } = self.rates;
        (wanted_mbps > 0.0).then(|| traffic_mbps / wanted_mbps)
    }

    /// How the users are who live nearest to `sites`, at this instant.
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

    /// What the cells of each site carry at this instant, in Mbit/s.
    pub fn traffic_of_sites(&self) -> BTreeMap<ElementId, f64> {
        self.sums_of_sites(&self.picture().traffic)
    }

    /// What each site gives its backhaul to carry at this instant, in Mbit/s.
    pub fn offered_by_sites(&self) -> BTreeMap<ElementId, f64> {
        self.sums_of_sites(&self.picture().offered)
    }

    /// What a site gives its backhaul to carry at this instant, in Mbit/s.
    pub fn offered_by(&self, site: &ElementId) -> Option<f64> {
        let cells = self.on[self.sites.binary_search(site).ok()?].clone();
        Some(self.picture().offered[cells].iter().sum())
    }

    fn sums_of_sites(&self, of_cells: &[f64]) -> BTreeMap<ElementId, f64> {
        let sum = |cells: &Range<usize>| of_cells[cells.clone()].iter().sum();
        let sites = self.sites.iter().cloned();
        sites.zip(self.on.iter().map(sum)).collect()
    }

    /// What the cells of a site draw at this instant, in watts.
    pub fn site_power_w(&self, site: &ElementId) -> f64 {
        self.of_site(site, &self.rates.power_w)
    }

    /// What they would draw if none of them slept, in watts.
    pub fn site_power_awake_w(&self, site: &ElementId) -> f64 {
        self.of_site(site, &self.rates.power_without_w)
    }

    fn of_site(&self, site: &ElementId, values: &[f64]) -> f64 {
        let site = self.sites.binary_search(site);
        site.map_or(0.0, |site| values[self.on[site].clone()].iter().sum())
    }

    /// The load of a cell at this instant, 0 to 1.
    pub fn load(&self, cell: &ElementId) -> Option<f64> {
        Some(self.picture().load[self.number(cell)?])
    }

    /// The users that a cell serves at this instant.
    pub fn users_of(&self, cell: &ElementId) -> Option<f64> {
        Some(self.picture().users[self.number(cell)?])
    }

    /// Ends the period at the instant at which it was looked at last; cells of sites out of service
    /// do not report.
    pub fn close_period(&mut self) -> Performance {
        let (from, until) = (self.account.from, self.account.at);
        let out: Vec<bool> = self
            .sites
            .iter()
            .map(|site| self.ground.sites_out.contains(site))
            .collect();
        let units = &self.units;
        let mut cells = self.account.close(units, |cell| !out[units[cell].site]);
        for (unit, told) in units.iter().zip(&self.told) {
            if let Some(performance) = cells.get_mut(&unit.id) {
                performance.power_offset_db = told.offset_db;
                performance.saving = told.saving;
            }
        }
        Performance {
            from,
            until,
            cells,
            links: BTreeMap::new(),
        }
    }

    /// Everything as it was looked at last.
    fn picture(&self) -> &Picture {
        self.evaluation.picture()
    }

    fn land(&self) -> Land<'_> {
        Land {
            positions: &self.positions,
            nearby: &self.nearby,
            units: &self.units,
            on: &self.on,
        }
    }

    fn number(&self, cell: &ElementId) -> Option<usize> {
        self.numbers.get(cell).copied()
    }

    fn told_mut(&mut self, cell: &ElementId) -> Option<&mut Told> {
        let number = self.number(cell)?;
        self.changed = true;
        self.told.get_mut(number)
    }

    /// Who loses power forgets what it was told.
    fn forget(&mut self, ground: &Ground) {
        for (number, site) in self.sites.iter().enumerate() {
            if ground.unpowered.contains(site) && !self.ground.unpowered.contains(site) {
                for told in &mut self.told[self.on[number].clone()] {
                    *told = Told {
                        order: told.order + 1,
                        ..Told::default()
                    };
                }
            }
        }
    }
}

/// The cells in the order of their identifiers, and which are on each site.
fn units(inventory: &Inventory, sites: &[ElementId]) -> (Vec<Unit>, Vec<Range<usize>>) {
    let mut units = Vec::new();
    let mut on = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        let from = units.len();
        let cells = inventory.cells_of(site);
        units.extend(cells.map(|id| Unit::new(id.clone(), number, inventory.cells[id].clone())));
        on.push(from..units.len());
    }
    (units, on)
}

/// The place of each cell among all by load, 0 to 1: sites with a capacity layer are busy ones,
/// wide carriers are emptier than narrow ones, and the rest is chance. Every place is taken once.
fn places(units: &[Unit], on: &[Range<usize>], dice: &mut Dice) -> Vec<f64> {
    let mut scores = vec![0.0; units.len()];
    for cells in on {
        let busy = between(dice, 0.0, 0.6);
        for cell in cells.clone() {
            let plan: &Cell = &units[cell].plan;
            let wide = match plan.capacity_layer {
                true if plan.bandwidth_mhz > 20.0 => -0.6,
                true => -0.1,
                false => 0.0,
            };
            scores[cell] = busy + wide + between(dice, 0.0, 0.4);
        }
    }
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b)));
    let mut places = vec![0.0; units.len()];
    for (rank, cell) in order.into_iter().enumerate() {
        places[cell] = (rank as f64 + 0.5) / units.len() as f64;
    }
    places
}

#[cfg(test)]
mod tests;
