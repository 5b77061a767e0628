//! The cells that could serve the users of cells that are lost, and how well.
//!
//! Users are thought to be spread evenly over the sectors that are lost; where they really are nobody
//! here knows. Read next: [`crate::optimisation`], which chooses among the helpers.

use super::{CAPACITY_PREFERRED_DBM, NOISE_DBM, PlanePoint, Radio};
use domain::inventory::ElementId;
use domain::radio::{COVERAGE_DBM, spectral_efficiency};
use domain::telemetry::CellPerformance;
use std::collections::{BTreeMap, BTreeSet};

/// Directions off the middle of a sector in which users are thought to be, in degrees.
const DIRECTIONS: [f64; 3] = [-40.0, 0.0, 40.0];
/// Distances at which they are thought to be, as shares of the sector's reach.
const DISTANCES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// The reach of a sector, as a share of the way to the nearest site.
const REACH: f64 = 0.6;
/// The most cells that are looked at for one sector.
const CANDIDATES_MAX: usize = 24;
/// However busy a cell is, this share of it is left to one more user.
const SHARE_LEAST: f64 = 0.02;

/// A cell that might serve users of what is lost.
#[derive(Clone, Debug)]
pub struct CandidateCell {
    /// The cell.
    pub cell: ElementId,
    /// Its load before, 0 to 1.
    pub load: f64,
    /// True if it serves; a cell that sleeps does not.
    pub on: bool,
    /// By how much its power is raised, in dB.
    pub offset_db: f64,
    bandwidth_mhz: f64,
    carrier_khz: i64,
    capacity_layer: bool,
}

/// A lost sector's users, and the cells around.
#[derive(Clone, Debug)]
pub struct LostSector {
    /// The cells that might serve.
    pub candidates: Vec<CandidateCell>,
    /// The throughput that the users want together, in Mbit/s.
    pub demand_mbps: f64,
    /// By place of a user and candidate: reference signal power without offset.
    heard: Vec<Vec<Heard>>,
    noise_milliwatt: f64,
}

/// Reference signal power, both ways: powers of ten are dear, and plans ask for very many.
#[derive(Clone, Copy, Debug)]
struct Heard {
    dbm: f64,
    milliwatt: f64,
}

/// The service of users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserService {
    /// The share of them who are covered, 0 to 1.
    pub share: f64,
    /// The throughput that is carried for them, in Mbit/s.
    pub carried_mbps: f64,
    /// The throughput that the slowest tenth of those covered gets, in Mbit/s; 0 if nobody is.
    pub edge_mbps: f64,
    /// The worth that counts when plans are compared: carried traffic, worth the more the nearer
    /// each user is to what was promised. In Mbit/s.
    pub worth_mbps: f64,
}

/// All that is known of the cells around.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Cells that cannot serve: lost themselves, or of a site that is out.
    pub lost: &'a BTreeSet<ElementId>,
    /// The last performance of cells.
    pub cells: &'a BTreeMap<ElementId, CellPerformance>,
    /// The load of cells of which none is known.
    pub usual_load: f64,
}

impl LostSector {
    /// The users of the sector of a lost cell, who want `demand_mbps` together.
    pub fn of_sector(
        radio: &Radio,
        lost_cell: &ElementId,
        demand_mbps: f64,
        around: Surroundings<'_>,
    ) -> Option<Self> {
        let places = places_of(radio, lost_cell)?;
        let found = candidates(radio, lost_cell, &places, around);
        let rsrp = |place: usize| {
            let of = |heard_dbm: &Vec<f64>| {
                let dbm = heard_dbm[place];
                let milliwatt = milliwatt(dbm);
                Heard { dbm, milliwatt }
            };
            found.iter().map(|(heard, _)| of(heard)).collect()
        };
        let heard: Vec<Vec<Heard>> = (0..places.len()).map(rsrp).collect();
        let candidates: Vec<CandidateCell> = found.into_iter().map(|(_, c)| c).collect();
        Some(Self {
            noise_milliwatt: milliwatt(NOISE_DBM),
            heard,
            demand_mbps,
            candidates,
        })
    }

    /// The service of the users, each promised `min_mbps`.
    pub fn served(&self, min_mbps: f64) -> UserService {
        let each = self.each_mbps();
        let (hosts, load) = self.hosts();
        let mut rates: Vec<f64> = Vec::new();
        let mut served = UserService::default();
        for (host, rate) in hosts.iter().flatten() {
            let fares = fares(*rate, load[*host], each, min_mbps);
            served.carried_mbps += fares.carried_mbps;
            served.worth_mbps += fares.worth_mbps;
            rates.push(fares.rate_mbps);
        }
        rates.sort_by(f64::total_cmp);
        served.share = rates.len() as f64 / hosts.len().max(1) as f64;
        served.edge_mbps = rates.get(rates.len() / 10).copied().unwrap_or(0.0);
        served
    }

    /// [`UserService::worth_mbps`] alone, of which plans ask for very many.
    pub fn worth_mbps(&self, min_mbps: f64) -> f64 {
        let each = self.each_mbps();
        let (hosts, load) = self.hosts();
        let hosts = hosts.iter().flatten();
        let fares = hosts.map(|(host, rate)| fares(*rate, load[*host], each, min_mbps));
        fares.fold(0.0, |sum, fares| sum + fares.worth_mbps)
    }

    /// The throughput that the users at one place want, in Mbit/s.
    fn each_mbps(&self) -> f64 {
        self.demand_mbps / self.heard.len().max(1) as f64
    }

    /// The cell that the users at each place choose and what all of it would give there, in Mbit/s; the
    /// load of each candidate then.
    fn hosts(&self) -> (Vec<Option<(usize, f64)>>, Vec<f64>) {
        let each = self.each_mbps();
        let candidates = self.candidates.iter();
        let gains: Vec<f64> = candidates.clone().map(|c| milliwatt(c.offset_db)).collect();
        let on = candidates.clone().enumerate().filter(|(_, c)| c.on);
        let on: Vec<usize> = on.map(|(i, _)| i).collect();
        let places = self.heard.iter();
        let hosts: Vec<_> = places.map(|p| self.host(p, &on, &gains)).collect();
        let mut load: Vec<f64> = candidates.map(|c| c.load).collect();
        for (host, rate) in hosts.iter().flatten() {
            load[*host] += each / rate.max(0.1);
        }
        (hosts, load)
    }

    /// The cell that a user chooses, and what all of it would give at that place, in Mbit/s. `on` are
    /// the candidates that serve, `gains` the offsets of all as factors.
    fn host(&self, heard: &[Heard], on: &[usize], gains: &[f64]) -> Option<(usize, f64)> {
        let (mut strongest, mut preferred) = (None, None);
        for &i in on {
            let candidate = &self.candidates[i];
            let dbm = heard[i].dbm + candidate.offset_db;
            let louder = |than: Option<(usize, f64)>| than.is_none_or(|(_, other)| dbm >= other);
            if louder(strongest) {
                strongest = Some((i, dbm));
            }
            if candidate.capacity_layer && dbm >= CAPACITY_PREFERRED_DBM && louder(preferred) {
                preferred = Some((i, dbm));
            }
        }
        let (host, dbm) = preferred.or(strongest)?;
        if dbm < COVERAGE_DBM {
            return None;
        }
        let carrier = self.candidates[host].carrier_khz;
        let others = on.iter().copied().filter(|i| *i != host);
        let foreign: f64 = others
            .filter(|i| self.candidates[*i].carrier_khz == carrier)
            .map(|i| heard[i].milliwatt * gains[i] * self.candidates[i].load)
            .sum();
        let sinr = heard[host].milliwatt * gains[host] / (foreign + self.noise_milliwatt);
        let rate = spectral_efficiency(sinr) * self.candidates[host].bandwidth_mhz;
        Some((host, rate))
    }
}

/// The service of the users at one place.
struct Fares {
    rate_mbps: f64,
    carried_mbps: f64,
    worth_mbps: f64,
}

/// The service of users who want `each` and are promised `min_mbps`, on a cell of such a load that
/// would give them `rate` if it were all theirs, all in Mbit/s.
fn fares(rate: f64, load: f64, each: f64, min_mbps: f64) -> Fares {
    let rate_mbps = rate * (1.0 - load).max(SHARE_LEAST);
    let carried_mbps = each / load.max(1.0);
    let kept = (rate_mbps / min_mbps.max(0.1)).min(1.0);
    Fares {
        rate_mbps,
        carried_mbps,
        worth_mbps: carried_mbps * (0.5 + 0.5 * kept),
    }
}

fn milliwatt(dbm: f64) -> f64 {
    match dbm == 0.0 {
        true => 1.0,
        false => 10f64.powf(dbm / 10.0),
    }
}

/// One lost cell for each sector of a set: of those that look the same way, the one that covers.
pub fn sectors<'a>(radio: &Radio, lost: impl Iterator<Item = &'a ElementId>) -> Vec<ElementId> {
    let mut found: BTreeMap<ElementId, ElementId> = BTreeMap::new();
    for cell in lost.filter(|c| radio.cell(c).is_some()) {
        let first = radio.sector_of(cell).next().unwrap_or(cell).clone();
        let covers = |c: &ElementId| radio.cell(c).is_some_and(|c| !c.capacity_layer);
        let known = found.entry(first).or_insert_with(|| cell.clone());
        if covers(cell) {
            *known = cell.clone();
        }
    }
    found.into_values().collect()
}

fn places_of(radio: &Radio, cell: &ElementId) -> Option<Vec<PlanePoint>> {
    let from = radio.place_of(cell)?;
    let azimuth = radio.cell(cell)?.azimuth_degrees;
    let reach = radio.spacing_km(cell) * REACH;
    let place = |direction: f64, distance: f64| {
        let bearing = (azimuth + direction).to_radians();
        PlanePoint {
            x_km: from.x_km + reach * distance * bearing.sin(),
            y_km: from.y_km + reach * distance * bearing.cos(),
        }
    };
    let places = DIRECTIONS
        .into_iter()
        .flat_map(|d| DISTANCES.into_iter().map(move |r| place(d, r)));
    Some(places.collect())
}

/// The cells around with what is heard of each at these places, in dBm; those that are heard best
/// somewhere first.
fn candidates(
    radio: &Radio,
    lost: &ElementId,
    places: &[PlanePoint],
    around: Surroundings<'_>,
) -> Vec<(Vec<f64>, CandidateCell)> {
    let mut near: Vec<&ElementId> = radio.sector_of(lost).collect();
    near.extend(radio.inventory().cells_of(radio.site_of(lost)));
    for cell in radio.sector_of(lost) {
        near.extend(radio.cell(cell).map_or(&[][..], |c| &c.neighbours));
    }
    // What stands beside a neighbour helps as much: its other layer may not be on anybody's list.
    let mut seen: BTreeSet<&ElementId> = near.iter().copied().collect();
    near = seen.iter().copied().collect();
    let beside: Vec<&ElementId> = near.iter().flat_map(|c| radio.sector_of(c)).collect();
    near.extend(beside.into_iter().filter(|c| seen.insert(*c)));
    near.retain(|c| *c != lost && !around.lost.contains(*c));
    let heard = |cell: &ElementId| -> Vec<f64> {
        let antenna = radio.antenna(cell);
        let dbm = |p: &PlanePoint| antenna.map_or(f64::NEG_INFINITY, |a| a.rsrp_dbm(*p));
        places.iter().map(dbm).collect()
    };
    let best = |heard: &[f64]| heard.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let heard = near.into_iter().map(|cell| (heard(cell), cell));
    let mut heard: Vec<(f64, Vec<f64>, &ElementId)> =
        heard.map(|(at, cell)| (best(&at), at, cell)).collect();
    heard.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(b.2)));
    let candidate = |(_, at, id): (f64, Vec<f64>, &ElementId)| {
        let cell = radio.cell(id)?;
        let known = around.cells.get(id);
        let candidate = CandidateCell {
            cell: id.clone(),
            load: known.map_or(around.usual_load, |c| c.load),
            on: known.is_none_or(|c| c.saving.serves()),
            offset_db: 0.0,
            bandwidth_mhz: cell.bandwidth_mhz,
            carrier_khz: (cell.carrier_mhz * 1_000.0) as i64,
            capacity_layer: cell.capacity_layer,
        };
        Some((at, candidate))
    };
    let found = heard.into_iter().filter_map(candidate);
    found.take(CANDIDATES_MAX).collect()
}
