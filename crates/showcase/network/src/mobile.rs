//! The mobile domain: cells, the users they serve, and energy.
//!
//! Knows users and their demand; refuses to know faults, which it is given as [`TransportState`], and the
//! decisions on powers and sleep. Pure: an evaluation follows from the instant, the ground and the
//! settings of cells. A tour:
//! - [`propagation`]: the public formulas of coverage and rates;
//! - [`demand`]: a measured daily load, and crowds;
//! - `users`: sample points around sites, with shadowing;
//! - `reception`: the serving cell and the interferers of each user;
//! - `scene`: the inputs of an evaluation; `round`: the rates of links under the loads of a round;
//! - `picture`: the throughput of users and the traffic of cells;
//! - `evaluation`: the loads of cells, iterated incrementally (`stirred`);
//! - `look`: the evaluation of the whole domain at one instant, on its ground;
//! - `service`: the service at places, of areas and of sites at that instant;
//! - [`energy`]: the consumption of radio units by load, power and sleep;
//! - `account`: performance of a period, and the tally;
//! - [`battery`]: operation without mains;
//! - [`nearby`]: spatial lookup.
//!
//! Its integration into the running simulation is in `simulation/mobile.rs`.

mod account;
pub mod battery;
pub mod demand;
pub mod energy;
mod evaluation;
mod look;
pub mod nearby;
mod picture;
pub mod propagation;
mod reception;
mod round;
mod scene;
mod service;
mod stirred;
mod users;

pub use account::MobileTotals;
pub use demand::Surge;
pub use service::{AreaState, PlaceService};

use crate::chance::{between, stream};
use account::{Account, Rates};
use domain::inventory::{Cell, ElementId, ElementKind, Inventory};
use domain::radio::POWER_OFFSET_MAX_DB;
use domain::radio::load::Hourly;
use domain::telemetry::{Performance, Saving};
use domain::time::{SeededRng, Timestamp};
use evaluation::Evaluation;
use nearby::Nearby;
use picture::Picture;
use reception::Reception;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use stirred::Cast;
use users::{Land, Unit, Users};

/// The purpose of the users' random stream; see [`stream`].
const PURPOSE: u64 = 21;
/// A measurement period, in milliseconds; periods end at full quarters of an hour.
pub const PERIOD_MS: i64 = 900_000;

/// The settings of the mobile domain.
#[derive(Clone, Debug, PartialEq)]
pub struct MobileSettings {
    /// Sample points around each site, 1 to 100.
    pub points_per_site: usize,
    /// The guaranteed rate of each user, in Mbit/s; a lower one counts as a violated guarantee.
    pub guaranteed_mbps: f64,
    /// True if users and loads are evaluated all day and reported every 900 s; false if only on
    /// changes, which is faster, without reports.
    pub performance: bool,
    /// The mean number of stadium events per day.
    pub stadiums_per_day: f64,
}

impl Default for MobileSettings {
    fn default() -> Self {
        Self {
            points_per_site: 12,
            guaranteed_mbps: 2.0,
            performance: true,
            stadiums_per_day: 0.0,
        }
    }
}

/// The state of the rest of the network on which the mobile domain depends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransportState {
    /// Sites out of service, whatever the cause.
    pub sites_out: BTreeSet<ElementId>,
    /// Sites whose equipment is without power or stopped: their cells draw no power and lose their
    /// settings.
    pub unpowered: BTreeSet<ElementId>,
    /// Cells whose radio unit has failed.
    pub cells_failed: BTreeSet<ElementId>,
    /// The reduction of each cell's transmit power below its plan, in dB.
    pub losses_db: BTreeMap<ElementId, f64>,
    /// Power from outside the network on a cell's carrier at its users, in dBm.
    pub interference_dbm: BTreeMap<ElementId, f64>,
    /// The limit of a site's backhaul, in Mbit/s; sites without entry have no limit.
    pub backhaul_mbps: BTreeMap<ElementId, f64>,
}

/// The settings ordered for a cell, and its state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Told {
    offset_db: f64,
    saving: Saving,
    /// The end of waking: until then awake as to energy, asleep as to users.
    waking: Option<Timestamp>,
    /// The number of the latest order, by which older ones are recognised.
    order: u32,
}

/// The mobile domain of one network.
#[derive(Clone, Debug)]
pub struct Mobile {
    settings: MobileSettings,
    sites: Vec<ElementId>,
    positions: Vec<(f64, f64)>,
    nearby: Nearby,
    units: Vec<Unit>,
    numbers: BTreeMap<ElementId, usize>,
    on: Vec<Range<usize>>,
    users: Users,
    /// By cell: the load of an undisturbed day, and the demand of each of its users.
    loads: Vec<Hourly>,
    wanted: Vec<Hourly>,
    surges: Vec<Surge>,
    ground: TransportState,
    told: Vec<Told>,
    /// True if an order or a crowd came since the last evaluation.
    changed: bool,
    evaluation: Evaluation,
    rates: Rates,
    account: Account,
}

impl Mobile {
    /// The mobile domain of `inventory` at `start`, undisturbed: the same inventory, settings and
    /// seed give the same users.
    pub fn new(
        inventory: &Inventory,
        settings: &MobileSettings,
        seed: u64,
        start: Timestamp,
    ) -> Self {
        let mut rng = stream(seed, PURPOSE);
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
        let users = land.settle(settings.points_per_site.clamp(1, 100), &mut rng);
        let loads = demand::loads(&places(&units, &on, &mut rng));
        let cast = Cast {
            units: &units,
            on: &on,
            users: &users,
        };
        let reception = Reception::new(cast, &vec![1.0; units.len()]);
        let wanted = demand::calibrated(cast, &reception, &loads);
        let mut mobile = Self {
            settings: settings.clone(),
            told: vec![Told::default(); units.len()],
            changed: false,
            evaluation: Evaluation::new(cast, reception),
            rates: Rates::default(),
            account: Account::new(units.len(), start),
            surges: Vec::new(),
            ground: TransportState::default(),
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

    /// Advances to `now` with everything unchanged, and evaluates anew on this ground. An instant
    /// before the last one counts as the last one.
    pub fn see(&mut self, ground: TransportState, now: Timestamp) {
        let now = now.max(self.account.at);
        self.account
            .pass(now, self.evaluation.picture(), &self.rates);
        self.forget(&ground);
        self.ground = ground;
        self.changed = false;
        self.evaluate(now);
    }

    /// The ground of the last evaluation.
    pub fn ground(&self) -> &TransportState {
        &self.ground
    }

    /// Adds demand where and while `surge` says; takes effect at the next evaluation.
    pub fn add_surge(&mut self, surge: Surge) {
        self.surges.push(surge);
        self.changed = true;
    }

    /// True if an order or a crowd came since the last evaluation.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Raises the power of a cell from the next evaluation on; unknown cells are ignored.
    ///
    /// The offset is clamped to 0 to [`POWER_OFFSET_MAX_DB`].
    pub fn set_power(&mut self, cell: &ElementId, offset_db: f64) {
        if let Some(told) = self.told_mut(cell) {
            told.offset_db = offset_db.clamp(0.0, POWER_OFFSET_MAX_DB);
        }
    }

    /// Sets a cell's sleep mode from the next evaluation on; unknown cells are ignored.
    pub fn set_saving(&mut self, cell: &ElementId, saving: Saving) {
        if let Some(told) = self.told_mut(cell) {
            (told.saving, told.waking) = (saving, None);
        }
    }

    /// Starts waking a cell until `ready`: it draws power as if awake, but serves no user yet.
    pub fn begin_waking(&mut self, cell: &ElementId, ready: Timestamp) {
        if let Some(told) = self.told_mut(cell) {
            told.waking = Some(ready);
        }
    }

    /// The instant at which a waking cell is ready.
    pub fn waking(&self, cell: &ElementId) -> Option<Timestamp> {
        self.told[self.number(cell)?].waking
    }

    /// Counts one more order to a cell; returns its number, by which the latest is recognised.
    pub fn next_order(&mut self, cell: &ElementId) -> u32 {
        self.told_mut(cell).map_or(0, |told| {
            told.order += 1;
            told.order
        })
    }

    /// The number of the latest order to a cell; losing power counts as an order.
    pub fn order(&self, cell: &ElementId) -> Option<u32> {
        Some(self.told[self.number(cell)?].order)
    }

    /// The power offset of a cell, in dB, and its sleep mode.
    pub fn told(&self, cell: &ElementId) -> Option<(f64, Saving)> {
        let told = self.told[self.number(cell)?];
        Some((told.offset_db, told.saving))
    }

    /// True if a cell is on air and can serve users.
    pub fn on_air(&self, cell: &ElementId) -> bool {
        self.number(cell)
            .is_some_and(|cell| self.evaluation.scene().factor[cell] > 0.0)
    }

    /// The totals since the beginning, up to the last evaluation.
    pub fn tally(&self) -> MobileTotals {
        self.account.tally
    }

    /// The totals up to `now`, if nothing changes until then.
    pub fn tally_at(&self, now: Timestamp) -> MobileTotals {
        let seconds = now.seconds_since(self.account.at).max(0.0);
        self.account.tally.after(seconds, &self.rates)
    }

    /// The power drawn by the cells of a site at this instant, in watts.
    pub fn site_power_w(&self, site: &ElementId) -> f64 {
        self.of_site(site, &self.rates.power_w)
    }

    /// The power they would draw if none of them slept, in watts.
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

    /// Ends the measurement period at the last evaluated instant; cells of sites out of service do
    /// not report.
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

    /// The result of the last evaluation.
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

    /// Resets the settings of cells that lose power.
    fn forget(&mut self, ground: &TransportState) {
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

/// The cells in the order of their identifiers, and the range of cells of each site.
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

/// The rank of each cell by load, 0 to 1: sites with a capacity layer are busy, wide carriers are
/// less loaded than narrow ones, and the rest is random. Ranks are distinct.
fn places(units: &[Unit], on: &[Range<usize>], rng: &mut SeededRng) -> Vec<f64> {
    let mut scores = vec![0.0; units.len()];
    for cells in on {
        let busy = between(rng, 0.0, 0.6);
        for cell in cells.clone() {
            let plan: &Cell = &units[cell].plan;
            let wide = match plan.capacity_layer {
                true if plan.bandwidth_mhz > 20.0 => -0.6,
                true => -0.1,
                false => 0.0,
            };
            scores[cell] = busy + wide + between(rng, 0.0, 0.4);
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
