//! The throughput of users and the traffic of cells at one instant.
//!
//! A user gets the rate of its radio link for the share of the time in which the cell has nothing
//! else to do (processor sharing); an overloaded cell gives every user less, and so does a site
//! whose backhaul is slower than its cells. Updated cell by cell and site by site, where something
//! has changed. Read next: [`super::energy`].

use super::reception::Reception;
use super::round::Round;
use super::scene::Scene;
use super::stirred::{Cast, Marked, Stirred};

/// The share of its link's rate that a user still gets in a full cell.
const FULL_SHARE: f64 = 0.05;

/// The result of an evaluation; vectors are by number of cell, or of user where noted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Picture {
    /// By user: the serving cell.
    pub(super) serving: Vec<Option<usize>>,
    /// By user: the throughput, in Mbit/s.
    pub(super) throughput: Vec<f64>,
    /// The load, 0 to 1.
    pub(super) load: Vec<f64>,
    /// The demand as a share of the capacity; may exceed 1.
    pub(super) asked: Vec<f64>,
    /// The number of users served.
    pub(super) users: Vec<f64>,
    /// The traffic over the air if the site's backhaul had no limit, in Mbit/s.
    pub(super) offered: Vec<f64>,
    /// The traffic carried, in Mbit/s.
    pub(super) traffic: Vec<f64>,
    /// The sum of its users' throughput, in Mbit/s.
    pub(super) throughput_sum: Vec<f64>,
    /// The 10th percentile of its users' throughput, in Mbit/s.
    pub(super) edge: Vec<f64>,
    /// The interference at its users, in mW per resource element.
    pub(super) foreign: Vec<f64>,
}

impl Picture {
    /// An empty picture.
    pub(super) fn blank(cast: Cast<'_>) -> Self {
        let (users, cells) = (cast.users.points.len(), vec![0.0; cast.units.len()]);
        Self {
            serving: vec![None; users],
            throughput: vec![0.0; users],
            load: cells.clone(),
            asked: cells.clone(),
            users: cells.clone(),
            offered: cells.clone(),
            traffic: cells.clone(),
            throughput_sum: cells.clone(),
            edge: cells.clone(),
            foreign: cells,
        }
    }

    /// Updates these users, these cells and their sites, and `sites`.
    pub(super) fn redraw(
        &mut self,
        cast: Cast<'_>,
        reception: &Reception,
        round: &Round,
        scene: &Scene,
        drawn: &Stirred,
        sites: &[usize],
    ) {
        for &user in drawn.users.members() {
            self.serving[user] = reception.cell_of(user);
            if self.serving[user].is_none() {
                self.throughput[user] = 0.0;
            }
        }
        let mut grounds = Marked::none_of(cast.on.len());
        grounds.add(sites.iter().copied());
        for &cell in drawn.cells.members() {
            self.draw_air(cast, reception.served(cell), round.asked[cell], scene, cell);
            grounds.add([cast.units[cell].site]);
        }
        for &site in grounds.members() {
            self.draw_site(cast, reception, round, scene, site);
        }
    }

    /// Computes a cell as if its site's backhaul had no limit.
    fn draw_air(
        &mut self,
        cast: Cast<'_>,
        served: &[usize],
        asked: f64,
        scene: &Scene,
        cell: usize,
    ) {
        let (mut users, mut offered) = (0.0, 0.0);
        for &user in served {
            let weight = cast.users.points[user].weight;
            users += weight;
            offered += weight * scene.wanted[user] / asked.max(1.0);
        }
        self.asked[cell] = asked;
        self.load[cell] = asked.min(1.0);
        self.users[cell] = users;
        self.offered[cell] = offered;
    }

    /// Computes the cells of a site. If its backhaul is slower than its cells, all their users get
    /// less.
    fn draw_site(
        &mut self,
        cast: Cast<'_>,
        reception: &Reception,
        round: &Round,
        scene: &Scene,
        site: usize,
    ) {
        let (cells, backhaul) = (cast.on[site].clone(), scene.backhaul[site]);
        let carried = cells
            .clone()
            .fold(0.0, |sum, cell| sum + self.offered[cell]);
        let fits = match carried > backhaul {
            true => backhaul.max(0.0) / carried,
            false => 1.0,
        };
        let mut gained = Vec::new();
        for cell in cells {
            self.traffic[cell] = self.offered[cell] * fits;
            let (mut sum, mut foreign) = (0.0, 0.0);
            gained.clear();
            for &user in reception.served(cell) {
                let weight = cast.users.points[user].weight;
                let alone = round.rate[user] * share(self.asked[cell]);
                let gets = (alone * fits).min(backhaul.max(0.0));
                self.throughput[user] = gets;
                sum += weight * gets;
                foreign += weight * round.foreign[user];
                gained.push((gets, weight));
            }
            self.throughput_sum[cell] = sum;
            self.foreign[cell] = match self.users[cell] > 0.0 {
                true => foreign / self.users[cell],
                false => scene.foreign_mw[cell],
            };
            self.edge[cell] = slowest_tenth(&mut gained);
        }
    }
}

/// The share of its link's rate that a user gets in a cell with this demand.
pub(super) fn share(asked: f64) -> f64 {
    (1.0 - asked).max(FULL_SHARE / asked.max(1.0))
}

/// The 10th percentile of weighted values; 0 of no values.
pub(super) fn slowest_tenth(values: &mut [(f64, f64)]) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tenth = 0.1 * values.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut seen = 0.0;
    for (value, weight) in values {
        seen += *weight;
        if seen >= tenth {
            return *value;
        }
    }
    0.0
}
