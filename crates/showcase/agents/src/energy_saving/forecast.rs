//! A forecast of how busy each sector will be: by hour of day as learnt, by the usual day until
//! then.
//!
//! What counts is the traffic of a whole sector, since it is there whichever of its cells sleep. A
//! sector that is busier today than it usually is at this hour is expected to stay so: that is how a
//! full stadium is noticed. Read next: [`super::policy`].

use crate::radio::Radio;
use crate::radio::curve::{hour_of, usual_load};
use domain::inventory::ElementId;
use domain::telemetry::{CellPerformance, Performance};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The share of an hour's mean that is today's.
const TODAY: f64 = 0.5;
/// The factor by which a sector's today may lie off its usual day.
const OFF_USUAL: (f64, f64) = (0.5, 4.0);
/// Mbit/s that a MHz of carrier gives, where nothing was measured.
const MBPS_PER_MHZ: f64 = 1.5;
/// Below so many users nobody's throughput is told.
pub const USERS_TELLING: f64 = 0.5;
/// Below this load too little is measured to say what a full cell would give.
const LOAD_TELLING: f64 = 0.03;

#[derive(Clone, Debug, Default)]
struct Sector {
    /// Traffic by hour of day, in Mbit/s.
    usual: [Option<f64>; 24],
    /// Traffic in the last period, in Mbit/s, and when it ended.
    latest: Option<(f64, Timestamp)>,
}

/// All that was learnt of every sector; a sector goes by its covering cell.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    sectors: BTreeMap<ElementId, Sector>,
    cells: BTreeMap<ElementId, CellPerformance>,
    /// The throughput that a full cell carries, in Mbit/s, as measured last.
    full_mbps: BTreeMap<ElementId, f64>,
    /// By covering cell: what the slowest users of the covering cells around it get, in Mbit/s; none
    /// where nobody's throughput is told.
    slowest_around_mbps: BTreeMap<ElementId, f64>,
}

impl Forecast {
    /// Takes a period down.
    pub fn learn(&mut self, radio: &Radio, performance: &Performance) {
        let mut traffic: BTreeMap<ElementId, f64> = BTreeMap::new();
        for (id, cell) in &performance.cells {
            self.cells.insert(id.clone(), cell.clone());
            if cell.load > LOAD_TELLING && cell.traffic_mbps > 0.0 {
                let full = cell.traffic_mbps / cell.load;
                self.full_mbps.insert(id.clone(), full);
            }
            let sector = sector_of(radio, id).clone();
            *traffic.entry(sector).or_default() += cell.traffic_mbps;
        }
        let middle = performance
            .from
            .plus_s(performance.until.seconds_since(performance.from) / 2.0);
        let hour = hour_of(middle) as usize % 24;
        for (id, mbps) in traffic {
            let sector = self.sectors.entry(id).or_default();
            let known = sector.usual[hour];
            sector.usual[hour] = Some(known.map_or(mbps, |k| k * (1.0 - TODAY) + mbps * TODAY));
            sector.latest = Some((mbps, performance.until));
        }
        let covering = radio.inventory().cells.iter();
        let covering = covering.filter(|(_, cell)| !cell.capacity_layer);
        self.slowest_around_mbps = covering
            .filter_map(|(id, cell)| Some((id.clone(), self.slowest_of(radio, &cell.neighbours)?)))
            .collect();
    }

    /// The throughput that the slowest users of the covering ones of these cells get, as far as it
    /// is told.
    fn slowest_of(&self, radio: &Radio, cells: &[ElementId]) -> Option<f64> {
        let covers = |id: &&ElementId| radio.cell(id).is_some_and(|c| !c.capacity_layer);
        let measured = cells.iter().filter(covers).filter_map(|id| self.cell(id));
        measured.filter_map(edge_mbps).min_by(f64::total_cmp)
    }

    /// The last performance of a cell.
    pub fn cell(&self, id: &ElementId) -> Option<&CellPerformance> {
        self.cells.get(id)
    }

    /// The throughput that the slowest users of the covering cells around a covering cell get, in
    /// Mbit/s; none where nobody's throughput is told.
    pub fn slowest_around_mbps(&self, cover: &ElementId) -> Option<f64> {
        self.slowest_around_mbps.get(cover).copied()
    }

    /// Every cell that has reported.
    pub fn cells(&self) -> impl Iterator<Item = (&ElementId, &CellPerformance)> {
        self.cells.iter()
    }

    /// The throughput that a cell carries when it is full, in Mbit/s.
    pub fn full_mbps(&self, radio: &Radio, id: &ElementId) -> f64 {
        let planned = || {
            radio
                .cell(id)
                .map_or(1.0, |c| c.bandwidth_mhz * MBPS_PER_MHZ)
        };
        let measured = self.full_mbps.get(id).copied();
        measured.unwrap_or_else(planned).max(0.1)
    }

    /// The traffic of a sector at an instant, in Mbit/s; none if nothing was ever heard of it.
    pub fn traffic_mbps(&self, cover: &ElementId, at: Timestamp) -> Option<f64> {
        self.sectors.get(cover)?.traffic_mbps(at)
    }

    /// The most traffic of a sector between two instants, in Mbit/s, looked at every quarter hour.
    pub fn most_mbps(&self, cover: &ElementId, from: Timestamp, until: Timestamp) -> Option<f64> {
        let span = until.seconds_since(from).max(0.0);
        let steps = (span / 900.0).ceil() as i64;
        let at = |n: i64| from.plus_s((n as f64 * 900.0).min(span));
        let sector = self.sectors.get(cover)?;
        let latest = sector.latest?.0;
        let coming = (0..=steps).filter_map(|n| sector.traffic_mbps(at(n)));
        Some(coming.fold(latest, f64::max))
    }
}

impl Sector {
    fn traffic_mbps(&self, at: Timestamp) -> Option<f64> {
        let (latest, seen_at) = self.latest?;
        let hour = |at: Timestamp| hour_of(at) as usize % 24;
        let by_curve = latest * usual_load(at) / usual_load(seen_at).max(0.01);
        Some(match (self.usual[hour(at)], self.usual[hour(seen_at)]) {
            (Some(then), Some(now)) if now > 0.01 => {
                then * (latest / now).clamp(OFF_USUAL.0, OFF_USUAL.1)
            }
            _ => by_curve,
        })
    }
}

/// The throughput that a cell's slowest users get, in Mbit/s; none if it has too few to tell.
pub fn edge_mbps(cell: &CellPerformance) -> Option<f64> {
    let edge = cell.edge_throughput_mbps;
    (cell.users >= USERS_TELLING && edge > 0.0).then_some(edge)
}

/// The cell by which the sector of `id` goes: the one that covers it.
pub fn sector_of<'a>(radio: &'a Radio, id: &'a ElementId) -> &'a ElementId {
    match radio.cell(id).is_some_and(|c| c.capacity_layer) {
        true => radio.cover_of(id).unwrap_or(id),
        false => id,
    }
}
