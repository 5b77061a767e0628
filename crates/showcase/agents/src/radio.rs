//! The agents' picture of the radio network: what a cell reaches, carries and consumes, by formula.
//!
//! The picture comes from the inventory and the public formulas of [`domain::radio`] alone: it knows
//! neither shadows nor where users really are, so what it promises has to be verified. Read next:
//! [`coverage`] (who could serve whom), [`energy`] (what that costs), [`curve`] (the usual day).

pub mod coverage;
pub mod curve;
pub mod energy;

use domain::inventory::{Cell, ElementId, ElementKind, Inventory};
use domain::radio::{GAIN_DBI, NOISE_FIGURE_DB, THERMAL_DBM_HZ, path_loss_db, pattern_db};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The RSRP (dBm per resource element) from which users are assumed to prefer the capacity layer: an
/// estimate, as terminals do not tell.
pub const CAPACITY_PREFERRED_DBM: f64 = -108.0;
/// Resource blocks of 180 kHz per MHz of carrier, without guard bands; assumed for carriers of any
/// width.
const BLOCKS_PER_MHZ: f64 = 5.0;
/// Thermal noise in a resource element of 15 kHz, and that of the receiver, in dBm; assumed for
/// carriers of any width.
const NOISE_DBM: f64 = THERMAL_DBM_HZ + NOISE_FIGURE_DB + 41.76;
/// Kilometres of one degree of latitude.
const KM_PER_DEGREE: f64 = 111.2;
/// Two cells of one site that look into directions closer than this, in degrees, share a sector.
const SAME_SECTOR_DEGREES: f64 = 30.0;

/// A place on the ground: kilometres east and north of the middle of the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanePoint {
    /// East.
    pub x_km: f64,
    /// North.
    pub y_km: f64,
}

impl PlanePoint {
    /// Kilometres from here to `other`.
    pub fn km_to(self, other: Self) -> f64 {
        (self.x_km - other.x_km).hypot(self.y_km - other.y_km)
    }
}

/// The cells of the network, where they stand and what they are planned to be.
#[derive(Clone, Debug)]
pub struct Radio {
    inventory: Arc<Inventory>,
    places: BTreeMap<ElementId, PlanePoint>,
    /// By cell of the capacity layer: the cell that covers its sector.
    covers: BTreeMap<ElementId, ElementId>,
    /// The sites of each area: of a zone, of a town, and of the site itself.
    areas: BTreeMap<String, Vec<ElementId>>,
}

/// A cell's antenna, as far as it says who hears it how well.
#[derive(Clone, Copy, Debug)]
pub struct Antenna {
    place: PlanePoint,
    azimuth_degrees: f64,
    carrier_mhz: f64,
    /// The power that the cell sends on all of its carrier, in dBm.
    sent_dbm: f64,
    /// The resource elements over which it is spread, in dB.
    spread_db: f64,
}

impl Radio {
    /// The picture of what the inventory documents.
    pub fn new(inventory: Arc<Inventory>) -> Self {
        let sites: Vec<&ElementId> = {
            let mut sites: Vec<&ElementId> = inventory.cells.keys().collect();
            sites.dedup_by(|a, b| inventory.node_of(a) == inventory.node_of(b));
            sites.into_iter().map(|c| inventory.node_of(c)).collect()
        };
        let position = |s: &ElementId| inventory.element(s).map_or((0.0, 0.0), |e| e.position);
        let count = sites.len().max(1) as f64;
        let middle = sites.iter().fold((0.0, 0.0), |sum, s| {
            let (lon, lat) = position(s);
            (sum.0 + lon / count, sum.1 + lat / count)
        });
        let east = KM_PER_DEGREE * middle.1.to_radians().cos();
        let place = |s: &ElementId| {
            let (lon, lat) = position(s);
            PlanePoint {
                x_km: (lon - middle.0) * east,
                y_km: (lat - middle.1) * KM_PER_DEGREE,
            }
        };
        let places = sites.iter().map(|s| ((*s).clone(), place(s))).collect();
        let covers = BTreeMap::new();
        let mut areas: BTreeMap<String, Vec<ElementId>> = BTreeMap::new();
        for site in inventory.of_kind(ElementKind::Site) {
            let zone = site.parent.iter().map(ElementId::as_str);
            let names = [site.id.as_str(), site.place.as_str()].into_iter();
            for name in names.chain(zone) {
                let sites = areas.entry(name.to_owned()).or_default();
                sites.push(site.id.clone());
            }
        }
        let mut radio = Self {
            places,
            covers,
            areas,
            inventory,
        };
        radio.covers = radio.covers();
        radio
    }

    fn covers(&self) -> BTreeMap<ElementId, ElementId> {
        let covers = |c: &ElementId| self.cell(c).is_some_and(|c| !c.capacity_layer);
        let cover = |id: &ElementId| self.sector_of(id).find(|c| *c != id && covers(c)).cloned();
        let capacity = self
            .inventory
            .cells
            .iter()
            .filter(|(_, c)| c.capacity_layer);
        capacity
            .filter_map(|(id, _)| Some((id.clone(), cover(id)?)))
            .collect()
    }

    /// The inventory behind it.
    pub fn inventory(&self) -> &Arc<Inventory> {
        &self.inventory
    }

    /// The plan of a cell.
    pub fn cell(&self, id: &ElementId) -> Option<&Cell> {
        self.inventory.cells.get(id)
    }

    /// The site of a cell.
    pub fn site_of<'a>(&'a self, cell: &'a ElementId) -> &'a ElementId {
        self.inventory.node_of(cell)
    }

    /// The cells of a site, a zone or a town; none if there is no such area.
    pub fn cells_of_area<'a>(&'a self, area: &str) -> impl Iterator<Item = &'a ElementId> {
        let sites = self.areas.get(area).into_iter().flatten();
        sites.flat_map(|site| self.inventory.cells_of(site))
    }

    /// The place of a cell.
    pub fn place_of(&self, cell: &ElementId) -> Option<PlanePoint> {
        self.places.get(self.site_of(cell)).copied()
    }

    /// The antenna of a cell.
    pub fn antenna(&self, id: &ElementId) -> Option<Antenna> {
        let cell = self.cell(id)?;
        let elements = 12.0 * BLOCKS_PER_MHZ * cell.bandwidth_mhz.max(0.2);
        Some(Antenna {
            place: self.place_of(id)?,
            azimuth_degrees: cell.azimuth_degrees,
            carrier_mhz: cell.carrier_mhz,
            sent_dbm: cell.power_dbm,
            spread_db: 10.0 * elements.log10(),
        })
    }

    /// The cells of the same site that look the same way, the cell itself included.
    pub fn sector_of<'a>(&'a self, id: &'a ElementId) -> impl Iterator<Item = &'a ElementId> {
        let azimuth = self.cell(id).map_or(0.0, |c| c.azimuth_degrees);
        let site = self.site_of(id);
        let near = move |other: &&ElementId| {
            self.cell(other).is_some_and(|c| {
                let off = (c.azimuth_degrees - azimuth + 180.0).rem_euclid(360.0) - 180.0;
                off.abs() < SAME_SECTOR_DEGREES
            })
        };
        self.inventory.cells_of(site).filter(near)
    }

    /// The cell that gives coverage where `id` adds capacity; none if it adds none, or nothing else
    /// covers its sector.
    pub fn cover_of(&self, id: &ElementId) -> Option<&ElementId> {
        self.covers.get(id)
    }

    /// Kilometres to the nearest site that a cell hands over to; two if it knows none.
    pub fn spacing_km(&self, id: &ElementId) -> f64 {
        let here = self.place_of(id);
        let neighbours = self.cell(id).map_or(&[][..], |c| &c.neighbours);
        let distances = neighbours.iter().filter_map(|n| {
            let km = here?.km_to(self.place_of(n)?);
            (km > 0.01).then_some(km)
        });
        distances
            .min_by(f64::total_cmp)
            .unwrap_or(2.0)
            .clamp(0.2, 12.0)
    }
}

impl Antenna {
    /// The reference signal power of its cell at a place, in dBm, without any offset.
    pub fn rsrp_dbm(&self, at: PlanePoint) -> f64 {
        let metres = self.place.km_to(at) * 1_000.0;
        let east_km = at.x_km - self.place.x_km;
        let bearing = east_km.atan2(at.y_km - self.place.y_km).to_degrees();
        let gain = GAIN_DBI - pattern_db(bearing - self.azimuth_degrees);
        let loss = path_loss_db(metres, self.carrier_mhz);
        self.sent_dbm + gain - loss - self.spread_db
    }
}

#[cfg(test)]
pub(crate) mod tests;
