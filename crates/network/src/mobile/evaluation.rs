//! Who is served by what, how well, and what that loads: a picture of one instant.
//!
//! Knows signal, noise and neighbours; a picture depends on the instant, the ground and the
//! settings of cells alone, not on what was before. Refuses to know time (`account`).
//!
//! A cell's load is what its users want over what it can send to each of them; interference is what
//! other cells of the same carrier send, in the measure of their loads, which depend on
//! interference again: so loads are found in rounds. A user gets the rate of the radio link in the
//! share of the time in which the cell has nothing else to do (processor sharing); a cell that is
//! asked for more than it has gives every user less. Read next: [`super::energy`].

use super::propagation::efficiency;
use super::users::{Ray, Unit, User, Users, served_by};
use std::ops::Range;

/// Rounds at most, and the change of a load at which there is no further.
const ROUNDS_MOST: usize = 8;
const SETTLED: f64 = 2e-3;
/// The share of the time in which a cell without traffic sends.
const REFERENCE_SIGNALS: f64 = 0.05;
/// The share of a full cell that one who comes to it still gets.
const FULL_SHARE: f64 = 0.05;

/// What is on air: the same in every round.
pub(super) struct Radio<'a> {
    pub(super) units: &'a [Unit],
    pub(super) users: &'a [User],
    foreign_mw: &'a [f64],
    /// For each user: the cell and what arrives of it.
    serving: Vec<Option<(usize, f64)>>,
    /// Cells that send on the carrier that serves a user, and what would arrive of each at full
    /// load.
    others: Vec<(usize, f64)>,
    /// For each user: its part of `others`.
    of: Vec<Range<usize>>,
}

/// A picture; vectors by number of cell, or of user where it says so.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Picture {
    /// Of each user: who serves it.
    pub(super) serving: Vec<Option<usize>>,
    /// Of each user: what it gets if it asks, in Mbit/s.
    pub(super) throughput: Vec<f64>,
    /// 0 to 1.
    pub(super) load: Vec<f64>,
    /// What is asked for as a share of what there is; may be above 1.
    pub(super) asked: Vec<f64>,
    /// How many users it serves.
    pub(super) users: Vec<f64>,
    /// What it would carry over the air if nothing held its site back, in Mbit/s.
    pub(super) offered: Vec<f64>,
    /// What it carries, in Mbit/s.
    pub(super) traffic: Vec<f64>,
    /// Sum over its users of what each gets, in Mbit/s.
    pub(super) throughput_sum: Vec<f64>,
    /// What the slowest tenth gets, in Mbit/s.
    pub(super) edge: Vec<f64>,
    /// Foreign power at its users, in mW per resource element.
    pub(super) foreign: Vec<f64>,
}

impl<'a> Radio<'a> {
    /// `factor`: by what each cell's power is changed, 0 where it is off air; `foreign_mw`: power
    /// per resource element on each cell's carrier that comes from outside the network.
    pub(super) fn new(
        units: &'a [Unit],
        users: &'a Users,
        factor: &'a [f64],
        foreign_mw: &'a [f64],
    ) -> Self {
        let mut radio = Self {
            units,
            users: &users.points,
            foreign_mw,
            serving: Vec::with_capacity(users.points.len()),
            others: Vec::new(),
            of: Vec::with_capacity(users.points.len()),
        };
        for user in &users.points {
            radio.hear(&users.rays[user.rays.clone()], factor);
        }
        radio
    }

    /// Adds one user: who serves it, and who disturbs.
    fn hear(&mut self, rays: &[Ray], factor: &[f64]) {
        let serving = served_by(self.units, rays, factor);
        let from = self.others.len();
        if let Some((cell, _)) = serving {
            let carrier = self.units[cell].plan.carrier_mhz;
            for ray in rays {
                let same = self.units[ray.cell].plan.carrier_mhz == carrier;
                if same && ray.cell != cell && factor[ray.cell] > 0.0 {
                    self.others.push((ray.cell, ray.rsrp_mw * factor[ray.cell]));
                }
            }
        }
        self.serving.push(serving);
        self.of.push(from..self.others.len());
    }

    /// The rate in Mbit/s that each served user would have alone, while cells are loaded so.
    pub(super) fn rates(&self, load: &[f64]) -> impl Iterator<Item = (usize, f64)> {
        let active = active(load);
        self.serving
            .iter()
            .enumerate()
            .filter_map(move |(user, serving)| {
                let (cell, mw) = (*serving)?;
                let foreign = self.foreign(user, cell, &active);
                Some((user, self.rate(cell, mw, foreign)))
            })
    }

    fn foreign(&self, user: usize, cell: usize, active: &[f64]) -> f64 {
        let mut foreign = self.foreign_mw[cell];
        for (other, mw) in &self.others[self.of[user].clone()] {
            foreign += mw * active[*other];
        }
        foreign
    }

    fn rate(&self, cell: usize, mw: f64, foreign_mw: f64) -> f64 {
        let unit = &self.units[cell];
        unit.plan.bandwidth_mhz * efficiency(mw / (unit.noise_mw + foreign_mw))
    }

    /// The picture if each user wants `wanted` Mbit/s; `load` is where the rounds begin,
    /// `backhaul` what each site's backhaul carries, in Mbit/s.
    pub(super) fn picture(&self, wanted: &[f64], load: Vec<f64>, backhaul: &[f64]) -> Picture {
        let mut load = load;
        for _ in 0..ROUNDS_MOST {
            let asked = self.asked(wanted, &load);
            let change = asked.iter().zip(&load).map(|(a, l)| (a.min(1.0) - l).abs());
            let change = change.fold(0.0, f64::max);
            load = asked.iter().map(|a| a.min(1.0)).collect();
            if change < SETTLED {
                break;
            }
        }
        self.look(wanted, &load, backhaul)
    }

    fn asked(&self, wanted: &[f64], load: &[f64]) -> Vec<f64> {
        let mut asked = vec![0.0; self.units.len()];
        for (user, rate) in self.rates(load) {
            if let Some((cell, _)) = self.serving[user] {
                asked[cell] += self.users[user].weight * wanted[user] / rate;
            }
        }
        asked
    }

    fn look(&self, wanted: &[f64], load: &[f64], backhaul: &[f64]) -> Picture {
        let cells = self.units.len();
        let mut picture = Picture {
            serving: self.serving.iter().map(|s| s.map(|(c, _)| c)).collect(),
            throughput: vec![0.0; self.users.len()],
            load: vec![0.0; cells],
            asked: self.asked(wanted, load),
            users: vec![0.0; cells],
            offered: Vec::new(),
            traffic: vec![0.0; cells],
            throughput_sum: vec![0.0; cells],
            edge: vec![0.0; cells],
            foreign: vec![0.0; cells],
        };
        let asked = &picture.asked;
        picture.load = asked.iter().map(|a| a.min(1.0)).collect();
        for (user, rate) in self.rates(load) {
            let Some((cell, _)) = self.serving[user] else {
                continue;
            };
            picture.throughput[user] = rate * share(asked[cell]);
            let weight = self.users[user].weight;
            picture.users[cell] += weight;
            picture.traffic[cell] += weight * wanted[user] / asked[cell].max(1.0);
        }
        picture.offered.clone_from(&picture.traffic);
        self.squeeze(&mut picture, backhaul);
        self.sum_up(&mut picture, load);
        picture
    }

    /// Where the backhaul of a site carries less than its cells would, everybody there gets less.
    fn squeeze(&self, picture: &mut Picture, backhaul: &[f64]) {
        let mut carried = vec![0.0; backhaul.len()];
        for (unit, traffic) in self.units.iter().zip(&picture.traffic) {
            carried[unit.site] += traffic;
        }
        let fits = |site: usize| -> f64 {
            match carried[site] > backhaul[site] {
                true => backhaul[site].max(0.0) / carried[site],
                false => 1.0,
            }
        };
        for (unit, traffic) in self.units.iter().zip(&mut picture.traffic) {
            *traffic *= fits(unit.site);
        }
        for (serving, throughput) in picture.serving.iter().zip(&mut picture.throughput) {
            if let Some(cell) = serving {
                let site = self.units[*cell].site;
                *throughput = (*throughput * fits(site)).min(backhaul[site].max(0.0));
            }
        }
    }

    fn sum_up(&self, picture: &mut Picture, load: &[f64]) {
        let active = active(load);
        let mut of: Vec<Vec<(f64, f64)>> = vec![Vec::new(); self.units.len()];
        for (user, point) in self.users.iter().enumerate() {
            let Some(cell) = picture.serving[user] else {
                continue;
            };
            let gets = picture.throughput[user];
            picture.throughput_sum[cell] += point.weight * gets;
            picture.foreign[cell] += point.weight * self.foreign(user, cell, &active);
            of[cell].push((gets, point.weight));
        }
        for (cell, users) in of.into_iter().enumerate() {
            picture.foreign[cell] = match picture.users[cell] > 0.0 {
                true => picture.foreign[cell] / picture.users[cell],
                false => self.foreign_mw[cell],
            };
            picture.edge[cell] = slowest_tenth(users);
        }
    }
}

/// The share of the time in which each cell sends.
fn active(load: &[f64]) -> Vec<f64> {
    let active = |load: &f64| REFERENCE_SIGNALS + (1.0 - REFERENCE_SIGNALS) * load.min(1.0);
    load.iter().map(active).collect()
}

/// The share of a link's rate that one who comes gets of a cell that is asked for so much.
pub(super) fn share(asked: f64) -> f64 {
    (1.0 - asked).max(FULL_SHARE / asked.max(1.0))
}

/// What the slowest tenth does not exceed, of values with weights; 0 of nobody.
pub(super) fn slowest_tenth(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tenth = 0.1 * values.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut seen = 0.0;
    for (value, weight) in values {
        seen += weight;
        if seen >= tenth {
            return value;
        }
    }
    0.0
}
