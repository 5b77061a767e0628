//! The serving cell of each user, and its interferers, at current powers.
//!
//! Incremental: only users who receive a cell whose power changed are computed anew. Refuses to
//! know loads. Read next: `evaluation`.

use super::stirred::Cast;
use super::users::{Ray, served_by};

/// A cell with its received power, in mW per resource element.
pub(super) type ReceivedPower = (usize, f64);

/// The received cells of all users.
#[derive(Clone, Debug)]
pub(super) struct Reception {
    /// The factor of each cell's planned power, 0 if it is off air.
    factor: Vec<f64>,
    /// Of each user: the serving cell.
    serving: Vec<Option<ReceivedPower>>,
    /// At the indices of a user's rays: the cells on the carrier of its serving cell, and their
    /// received power at full load; `disturbers` has their number for each user.
    others: Vec<u32>,
    others_mw: Vec<f64>,
    disturbers: Vec<usize>,
    /// Of each cell, in the order of users: the users who receive it at any power, and those it
    /// serves.
    heard_by: Vec<Vec<usize>>,
    served: Vec<Vec<usize>>,
}

impl Reception {
    /// The received cells of all users at these powers.
    pub(super) fn new(cast: Cast<'_>, factor: &[f64]) -> Self {
        let Cast { units, users, .. } = cast;
        let mut reception = Self {
            factor: factor.to_vec(),
            serving: vec![None; users.points.len()],
            others: vec![0; users.rays.len()],
            others_mw: vec![0.0; users.rays.len()],
            disturbers: vec![0; users.points.len()],
            heard_by: vec![Vec::new(); units.len()],
            served: vec![Vec::new(); units.len()],
        };
        for (user, point) in users.points.iter().enumerate() {
            for ray in &users.rays[point.rays.clone()] {
                reception.heard_by[ray.cell].push(user);
            }
            reception.listen(cast, user);
            if let Some((cell, _)) = reception.serving[user] {
                reception.served[cell].push(user);
            }
        }
        reception
    }

    /// Sets powers; returns the users who receive a cell whose power has changed, each with its
    /// previous serving cell.
    pub(super) fn tune(&mut self, cast: Cast<'_>, factor: &[f64]) -> Vec<(usize, Option<usize>)> {
        let pairs = self.factor.iter().zip(factor).enumerate();
        let changed = pairs.filter(|(_, (before, now))| before != now);
        let mut hearers: Vec<usize> = changed
            .flat_map(|(cell, _)| self.heard_by[cell].iter().copied())
            .collect();
        hearers.sort_unstable();
        hearers.dedup();
        self.factor.copy_from_slice(factor);
        let asked = hearers.into_iter().map(|user| {
            let before = self.cell_of(user);
            self.listen(cast, user);
            let now = self.cell_of(user);
            if before != now {
                self.moves(user, before, now);
            }
            (user, before)
        });
        asked.collect()
    }

    /// Computes the serving cell and the interferers of a user.
    fn listen(&mut self, cast: Cast<'_>, user: usize) {
        let Cast { units, users, .. } = cast;
        let place = users.points[user].rays.clone();
        let rays: &[Ray] = &users.rays[place.clone()];
        let serving = served_by(units, rays, &self.factor);
        let mut disturbers = 0;
        if let Some((cell, _)) = serving {
            let carrier = units[cell].plan.carrier_mhz;
            for ray in rays {
                let factor = self.factor[ray.cell];
                let same = units[ray.cell].plan.carrier_mhz == carrier;
                if same && ray.cell != cell && factor > 0.0 {
                    self.others[place.start + disturbers] = ray.cell as u32;
                    self.others_mw[place.start + disturbers] = ray.rsrp_mw * factor;
                    disturbers += 1;
                }
            }
        }
        self.serving[user] = serving;
        self.disturbers[user] = disturbers;
    }

    /// Moves a user from one cell's list to another's.
    fn moves(&mut self, user: usize, from: Option<usize>, to: Option<usize>) {
        if let Some(from) = from {
            self.served[from].retain(|other| *other != user);
        }
        if let Some(to) = to {
            let served = &mut self.served[to];
            let place = served.partition_point(|other| *other < user);
            served.insert(place, user);
        }
    }

    /// The cell that serves a user, with its received power.
    pub(super) fn serving(&self, user: usize) -> Option<ReceivedPower> {
        self.serving[user]
    }

    /// The cell that serves a user.
    pub(super) fn cell_of(&self, user: usize) -> Option<usize> {
        self.serving[user].map(|(cell, _)| cell)
    }

    /// The interference at a user, in mW per resource element: `outside` the network's, plus that
    /// of cells on its carrier, each `active` for a share of the time.
    pub(super) fn foreign_mw(
        &self,
        cast: Cast<'_>,
        user: usize,
        outside: f64,
        active: &[f64],
    ) -> f64 {
        let from = cast.users.points[user].rays.start;
        let place = from..from + self.disturbers[user];
        let others = self.others[place.clone()]
            .iter()
            .zip(&self.others_mw[place]);
        others.fold(outside, |foreign, (cell, mw)| {
            foreign + mw * active[*cell as usize]
        })
    }

    /// The users whom a cell serves, in order.
    pub(super) fn served(&self, cell: usize) -> &[usize] {
        &self.served[cell]
    }

    /// The users who receive a cell, at any power.
    pub(super) fn heard_by(&self, cell: usize) -> &[usize] {
        &self.heard_by[cell]
    }

    /// The factor of each cell's planned power.
    pub(super) fn factor(&self) -> &[f64] {
        &self.factor
    }
}
