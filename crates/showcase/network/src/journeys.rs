//! Connected vehicles of car makers' fleets, and their positions over time.
//!
//! A vehicle parks near a site of its home town, drives on most days along the straight lines of
//! the backbone's links to another town, stays there near a site, and returns. Its position at an
//! instant is a function of the seed, the vehicle and the instant alone. All of it is invented:
//! makers, fleets, and that a car drives on 85 of 100 days.
//! Refuses to know the serving cell: that is [`coverage`]'s, or the mobile network's. Read next:
//! [`coverage`], [`records`], then [`crate::customer_complaints`].

pub mod coverage;
pub mod records;
mod roads;

use crate::chance::{between, choose, happens, stream, whole};
use crate::geography::distance_km;
use domain::inventory::{ElementKind, Inventory};
use domain::time::{SeededRng, Timestamp};
use rand::{Rng, RngExt, SeedableRng};
use roads::Roads;

/// Longitude and latitude in degrees (WGS 84).
pub type Position = (f64, f64);

/// The purpose of the fleets' random stream; see [`stream`].
const PURPOSE: u64 = 50;
/// The share of days on which a vehicle drives.
const DRIVES: f64 = 0.85;
/// The time of departure, in seconds of the day.
const SETS_OUT_S: (f64, f64) = (5.5 * 3_600.0, 11.0 * 3_600.0);
/// The speed, in km/h.
const SPEED_KMH: (f64, f64) = (70.0, 120.0);
/// The longest drive in one direction, in seconds.
const DRIVE_LONGEST_S: f64 = 5.5 * 3_600.0;
/// The longest stay at the far end, in seconds.
const STAY_LONGEST_S: f64 = 8.0 * 3_600.0;
/// The most links driven in one direction.
const LINKS_MOST: usize = 4;
/// The greatest distance of a parking place from a site, in kilometres.
const PARKED_KM: f64 = 1.2;

/// A car maker with connected vehicles: an invented name and world manufacturer identifier (ISO
/// 3780; none that begins with 0 is assigned).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// Its name.
    pub name: &'static str,
    /// The first three characters of its vehicles' identification numbers.
    pub identifier: &'static str,
}

/// The makers.
pub const MAKERS: [Maker; 3] = [
    Maker {
        name: "Halvern",
        identifier: "0HV",
    },
    Maker {
        name: "Tessaro",
        identifier: "0TS",
    },
    Maker {
        name: "Kvendal",
        identifier: "0KD",
    },
];

/// A vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Vehicle {
    /// Its identification number (ISO 3779: 17 characters without I, O and Q).
    pub vin: String,
    /// Its maker.
    pub maker: Maker,
    /// Its home town.
    pub home: String,
    /// The province of the network it subscribes to; empty if towns have none.
    pub province: String,
    /// Its parking place at home.
    spot: Position,
}

impl Vehicle {
    /// The fleet through which its owner complains, as in tickets: `Halvern (North)`.
    pub fn fleet(&self) -> String {
        match self.province.is_empty() {
            true => self.maker.name.to_owned(),
            false => format!("{} ({})", self.maker.name, self.province),
        }
    }
}

/// The position and motion of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VehicleState {
    /// The point.
    pub position: Position,
    /// True if it is moving.
    pub driving: bool,
}

/// All vehicles and their journeys.
#[derive(Clone, Debug)]
pub struct Journeys {
    vehicles: Vec<Vehicle>,
    roads: Roads,
    seed: u64,
}

/// One day of one vehicle.
#[derive(Clone, Debug)]
pub struct Trip {
    sets_out_s: f64,
    speed_kmh: f64,
    /// The route from the parking place at home through the towns to the parking place at the far
    /// end.
    way: Vec<Position>,
    /// The distance driven before it turns round, in kilometres.
    reach_km: f64,
    stays_s: f64,
}

impl Journeys {
    /// The fleets of a network: `count` vehicles, at most 200, distributed by the density of sites.
    pub fn new(inventory: &Inventory, count: usize, seed: u64) -> Self {
        let mut rng = stream(seed, PURPOSE);
        let roads = Roads::of(inventory);
        let sites: Vec<_> = inventory.of_kind(ElementKind::Site).collect();
        let vehicle = |number: usize, rng: &mut SeededRng| {
            let site = *choose(rng, &sites)?;
            let maker = *choose(rng, &MAKERS)?;
            Some(Vehicle {
                vin: vin(maker, number, rng),
                maker,
                home: site.place.clone(),
                province: inventory.province_of(&site.id).unwrap_or("").to_owned(),
                spot: roads::beside(site.position, PARKED_KM, rng),
            })
        };
        let vehicles = (0..count.min(200)).map_while(|n| vehicle(n, &mut rng));
        Self {
            vehicles: vehicles.collect(),
            roads,
            seed,
        }
    }

    /// Every vehicle.
    pub fn vehicles(&self) -> &[Vehicle] {
        &self.vehicles
    }

    /// The vehicle with this identification number.
    pub fn vehicle(&self, vin: &str) -> Option<&Vehicle> {
        self.vehicles.iter().find(|v| v.vin == vin)
    }

    /// The position of the vehicle of this index at `at`; none if there is no such vehicle.
    pub fn whereabouts(&self, vehicle: usize, at: Timestamp) -> Option<VehicleState> {
        let trip = self.trip(vehicle, at.days())?;
        let spot = self.vehicles.get(vehicle)?.spot;
        Some(match trip {
            Some(trip) => trip.whereabouts(at.second_of_day()),
            None => VehicleState {
                position: spot,
                driving: false,
            },
        })
    }

    /// The trip of the vehicle of this index on a day, counted from 1970, if it drives. None if there is no such
    /// vehicle.
    pub fn trip(&self, vehicle: usize, day: i64) -> Option<Option<Trip>> {
        let owner = self.vehicles.get(vehicle)?;
        let mut rng = of_day(self.seed, vehicle, day);
        if !happens(&mut rng, DRIVES) {
            return Some(None);
        }
        let links = whole(&mut rng, 1, LINKS_MOST);
        let mut way = vec![owner.spot];
        way.extend(self.roads.walk(&owner.home, links, &mut rng));
        if let Some(spot) = self
            .roads
            .spot_near(way.last().copied(), PARKED_KM, &mut rng)
        {
            way.push(spot);
        }
        Some(Some(Trip::along(way, &mut rng)))
    }

    /// The town nearest to a point, with its distance in kilometres.
    pub fn nearest_town(&self, position: Position) -> Option<(&str, f64)> {
        self.roads.nearest(position)
    }
}

impl Trip {
    fn along(way: Vec<Position>, rng: &mut SeededRng) -> Self {
        let speed_kmh = between(rng, SPEED_KMH.0, SPEED_KMH.1);
        let sets_out_s = between(rng, SETS_OUT_S.0, SETS_OUT_S.1);
        let reach_km = roads::length_km(&way).min(speed_kmh * DRIVE_LONGEST_S / 3_600.0);
        let left = 86_400.0 - sets_out_s - 2.0 * reach_km / speed_kmh * 3_600.0;
        let stays_s = between(rng, 0.2, 0.8) * left.clamp(0.0, STAY_LONGEST_S);
        Self {
            sets_out_s,
            speed_kmh,
            way,
            reach_km,
            stays_s,
        }
    }

    /// The position so many seconds after the beginning of the day.
    pub fn whereabouts(&self, second: f64) -> VehicleState {
        let km_of = |seconds: f64| seconds.max(0.0) * self.speed_kmh / 3_600.0;
        let out = km_of(second - self.sets_out_s);
        let turns_s = self.sets_out_s + self.reach_km / self.speed_kmh * 3_600.0 + self.stays_s;
        let back = km_of(second - turns_s);
        let km = out.min(self.reach_km) - back.min(self.reach_km);
        let moves_out = out > 0.0 && out < self.reach_km;
        let moves_back = back > 0.0 && back < self.reach_km;
        VehicleState {
            position: roads::point_along(&self.way, km),
            driving: moves_out || moves_back,
        }
    }
}

/// The random generator for one day of one vehicle, independent of previous draws.
fn of_day(seed: u64, vehicle: usize, day: i64) -> SeededRng {
    let mut root = stream(seed, PURPOSE + 1);
    let mixed = root.next_u64() ^ (vehicle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    SeededRng::seed_from_u64(mixed ^ (day as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
}

/// A vehicle identification number: maker, six characters that describe the vehicle, year and
/// plant, and a serial number of six digits (ISO 3779).
fn vin(maker: Maker, number: usize, rng: &mut SeededRng) -> String {
    const ALLOWED: &[u8] = b"ABCDEFGHJKLMNPRSTUVWXYZ0123456789";
    let mut vin = maker.identifier.to_owned();
    for _ in 0..8 {
        let at = rng.random_range(0..ALLOWED.len());
        vin.push(char::from(ALLOWED[at]));
    }
    let serial = 100_000 + number * 997 + whole(rng, 0, 996);
    vin + &format!("{serial:06}")
}

/// Kilometres between two positions.
fn km(a: Position, b: Position) -> f64 {
    distance_km(a, b)
}

#[cfg(test)]
pub(crate) mod tests;
