//! The demand of users, hour by hour.
//!
//! Knows a measured week; refuses to know who is served (`evaluation`). The load of a cell (0 to 1)
//! by hour of day, over 1,217 cells of the base-station set of the ITU AI/ML in 5G Challenge 2023:
//! mean, 10th, 50th and 90th percentile over cells ([`MEAN_LOAD`], [`PERCENTILES`]). Each cell keeps its rank all day: a
//! busy cell is busy at every hour. Hours are those of the simulation's clock (UTC); weekdays and
//! weekends do not differ. Read next: `users`.

use super::reception::Reception;
use super::round::rates;
use super::stirred::Cast;
use domain::inventory::{ElementId, ElementKind, Inventory};
use domain::radio::load::{Hourly, MEAN_LOAD};
use domain::time::{SeededRng, Timestamp};
use std::collections::BTreeSet;

/// The 10th, 50th and 90th percentile of the load over cells, for each hour of day; the mean is
/// [`MEAN_LOAD`].
pub const PERCENTILES: [[f64; 3]; 24] = [
    [0.021, 0.197, 0.673],
    [0.018, 0.146, 0.517],
    [0.011, 0.085, 0.377],
    [0.010, 0.056, 0.255],
    [0.009, 0.045, 0.183],
    [0.009, 0.039, 0.152],
    [0.009, 0.039, 0.151],
    [0.017, 0.068, 0.208],
    [0.024, 0.114, 0.409],
    [0.035, 0.157, 0.542],
    [0.040, 0.178, 0.535],
    [0.043, 0.195, 0.567],
    [0.044, 0.210, 0.614],
    [0.050, 0.240, 0.687],
    [0.051, 0.259, 0.727],
    [0.048, 0.239, 0.688],
    [0.051, 0.248, 0.707],
    [0.050, 0.266, 0.745],
    [0.053, 0.273, 0.761],
    [0.049, 0.274, 0.790],
    [0.046, 0.251, 0.747],
    [0.038, 0.238, 0.714],
    [0.036, 0.238, 0.734],
    [0.030, 0.235, 0.743],
];

/// The distribution of the load over cells at one hour.
#[derive(Clone, Copy, Debug)]
struct Spread {
    p10: f64,
    p50: f64,
    p90: f64,
    top: f64,
    /// The exponent of the part from p50 to p90 that makes the mean that of the table.
    bend: f64,
}

impl Spread {
    fn new(mean: f64, [p10, p50, p90]: [f64; 3]) -> Self {
        let top = (1.25 * p90).min(0.97);
        let rest = mean - 0.1 * 0.65 * p10 - 0.4 * (p10 + p50) / 2.0 - 0.1 * (p90 + top) / 2.0;
        let bend = (p90 - p50) / (rest / 0.4 - p50).max(1e-6) - 1.0;
        Self {
            p10,
            p50,
            p90,
            top,
            bend: bend.clamp(0.2, 6.0),
        }
    }

    /// The load at the rank `place` (0 to 1): the quantile function.
    fn at(&self, place: f64) -> f64 {
        let along = |from: f64, to: f64, share: f64| from + (to - from) * share;
        match place {
            p if p < 0.1 => along(0.3 * self.p10, self.p10, p / 0.1),
            p if p < 0.5 => along(self.p10, self.p50, (p - 0.1) / 0.4),
            p if p < 0.9 => along(self.p50, self.p90, ((p - 0.5) / 0.4).powf(self.bend)),
            p => along(self.p90, self.top, (p - 0.9) / 0.1),
        }
    }
}

/// The load by hour of cells with these ranks (0 to 1), in the order of cells.
pub fn loads(places: &[f64]) -> Vec<Hourly> {
    let column = |c: usize| through(&std::array::from_fn(|hour| PERCENTILES[hour][c]));
    let (mean, percentiles) = (through(&MEAN_LOAD), [0, 1, 2].map(column));
    let spreads: [Spread; 24] =
        std::array::from_fn(|hour| Spread::new(mean[hour], percentiles.map(|of| of[hour])));
    places
        .iter()
        .map(|place| spreads.map(|spread| spread.at(*place)))
        .collect()
}

/// Values at the middle of each hour whose linear interpolation has these hourly means.
fn through(means: &Hourly) -> Hourly {
    let mut middle = *means;
    for _ in 0..30 {
        for hour in 0..24 {
            let beside = middle[(hour + 23) % 24] + middle[(hour + 1) % 24];
            middle[hour] = ((8.0 * means[hour] - beside) / 6.0).max(0.5 * means[hour]);
        }
    }
    middle
}

/// The demand of each user of each cell by hour, in Mbit/s, with which the cells of an undisturbed
/// network, described by `reception`, have the loads `loads`.
pub(super) fn calibrated(cast: Cast<'_>, reception: &Reception, loads: &[Hourly]) -> Vec<Hourly> {
    let mut wanted = vec![[0.0; 24]; loads.len()];
    for hour in 0..24 {
        let now: Vec<f64> = loads.iter().map(|day| day[hour]).collect();
        let mut air = vec![0.0; loads.len()];
        for (user, rate) in rates(cast, reception, &now) {
            let point = &cast.users.points[user];
            if let Some(home) = point.home {
                air[home] += point.weight / rate;
            }
        }
        for (cell, air) in air.iter().enumerate() {
            if *air > 0.0 {
                wanted[cell][hour] = now[cell] / air;
            }
        }
    }
    wanted
}

/// A crowd: demand above that of the hour, at some sites for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Surge {
    /// The sites around which it gathers.
    pub sites: BTreeSet<ElementId>,
    /// Its beginning.
    pub from: Timestamp,
    /// Its end.
    pub until: Timestamp,
    /// The factor of demand at its height, 0 or more.
    pub factor: f64,
}

/// The time in which a crowd gathers, and in which it disperses, in seconds.
const GATHERING_S: f64 = 1_800.0;

impl Surge {
    /// A stadium event at one site and the two nearest to it, for three hours, with 2.5 to 5 times
    /// the demand (an assumption). None if the network has no sites.
    pub fn stadium(inventory: &Inventory, from: Timestamp, rng: &mut SeededRng) -> Option<Self> {
        let sites: Vec<_> = inventory.of_kind(ElementKind::Site).collect();
        let middle = crate::chance::choose(rng, &sites)?;
        let away = |p| crate::geography::distance_km(middle.position, p);
        let mut near: Vec<(f64, &ElementId)> =
            sites.iter().map(|s| (away(s.position), &s.id)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
        near.truncate(3);
        Some(Self {
            sites: near.into_iter().map(|(_, id)| id.clone()).collect(),
            from,
            until: from.plus_s(3.0 * 3600.0),
            factor: crate::chance::between(rng, 2.5, 5.0),
        })
    }

    /// A storm over a province: more demand from people at home, 1.4 times for `hours` (an
    /// assumption). Mains failures that go with it are faults of their own.
    pub fn storm(inventory: &Inventory, province: &str, from: Timestamp, hours: f64) -> Self {
        let hit = |id: &&ElementId| inventory.province_of(id) == Some(province);
        let sites = inventory.of_kind(ElementKind::Site).map(|s| &s.id);
        Self {
            sites: sites.filter(hit).cloned().collect(),
            from,
            until: from.plus_s(hours * 3600.0),
            factor: 1.4,
        }
    }

    /// The factor of demand at an instant; it rises and falls within half an hour.
    pub fn at(&self, now: Timestamp) -> f64 {
        let (since, left) = (now.seconds_since(self.from), self.until.seconds_since(now));
        let share = (since.min(left) / GATHERING_S).clamp(0.0, 1.0);
        1.0 + (self.factor.max(0.0) - 1.0) * share
    }
}
