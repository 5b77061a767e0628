//! The loads of cells and the rates of links: a fixed-point iteration between load and
//! interference.
//!
//! A cell's load is the demand of its users over the rate of their links; interference is the power
//! of other cells on the same carrier, in proportion to their loads, which depend on interference
//! in turn: so loads are found in rounds that start with the loads of an undisturbed day. The
//! result depends on the instant, the ground and the settings of cells alone, not on previous
//! evaluations. Refuses to know time (`account`), and how a rate follows from loads (`round`).
//!
//! The evaluation is incremental: rounds are kept, and the next evaluation recomputes in each only
//! the users who receive other cells, or the same cells at other loads, and the cells that serve
//! them. A property test checks that the result is bit-identical to a full computation. Read next:
//! `picture`.

use super::picture::Picture;
use super::reception::Reception;
use super::round::{Carrier, Round, active};
use super::scene::Scene;
use super::stirred::{Cast, Stirred, differing};

/// The most rounds, and the change of a load below which the iteration ends.
const ROUNDS_MOST: usize = 8;
const SETTLED: f64 = 2e-3;

/// The rounds of the last evaluation, with its result.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    carriers: Vec<Carrier>,
    scene: Scene,
    /// By sample point: the demand of all its users, in Mbit/s.
    wishes: Vec<f64>,
    reception: Reception,
    rounds: Vec<Round>,
    picture: Picture,
}

impl Evaluation {
    /// The evaluation of a network as planned, without demand.
    pub(super) fn new(cast: Cast<'_>, reception: Reception) -> Self {
        let mut evaluation = Self {
            carriers: cast.units.iter().map(Carrier::of).collect(),
            wishes: vec![0.0; cast.users.points.len()],
            scene: Scene {
                factor: reception.factor().to_vec(),
                foreign_mw: vec![0.0; cast.units.len()],
                usual: vec![0.0; cast.units.len()],
                wanted: vec![0.0; cast.users.points.len()],
                backhaul: vec![f64::MAX; cast.on.len()],
            },
            reception,
            rounds: Vec::new(),
            picture: Picture::blank(cast),
        };
        evaluation.look(cast, &Stirred::everybody(cast), &[]);
        evaluation
    }

    /// Evaluates `scene`.
    pub(super) fn see(&mut self, cast: Cast<'_>, scene: Scene) {
        if scene == self.scene {
            return;
        }
        let heard = self.reception.tune(cast, &scene.factor);
        let before = std::mem::replace(&mut self.scene, scene);
        let pairs = cast.users.points.iter().zip(&self.scene.wanted);
        self.wishes = pairs.map(|(point, wanted)| point.weight * wanted).collect();
        let stirred = self.stirred(cast, &before, &heard);
        let sites: Vec<usize> = differing(&before.backhaul, &self.scene.backhaul).collect();
        self.look(cast, &stirred, &sites);
    }

    /// The result of the last evaluation.
    pub(super) fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The inputs of the last evaluation.
    pub(super) fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The users and cells that a change of the inputs affects in every round: users who receive
    /// other cells, and the cells whose users or users' demand changed.
    fn stirred(&self, cast: Cast<'_>, before: &Scene, heard: &[(usize, Option<usize>)]) -> Stirred {
        let mut stirred = Stirred::nobody(cast);
        for (user, served_by) in heard {
            stirred.users.add([*user]);
            stirred.cells.add(*served_by);
        }
        for cell in differing(&before.foreign_mw, &self.scene.foreign_mw) {
            stirred
                .users
                .add(self.reception.served(cell).iter().copied());
            // Its picture tells of what disturbs it even if it serves nobody.
            stirred.cells.add([cell]);
        }
        for user in differing(&before.wanted, &self.scene.wanted) {
            stirred.cells.add(self.reception.cell_of(user));
        }
        stirred
    }

    /// Iterates and updates the result; `sites` are those whose backhaul has changed.
    fn look(&mut self, cast: Cast<'_>, stirred: &Stirred, sites: &[usize]) {
        let rounds_before = self.rounds.len();
        let mut load = self.scene.usual.clone();
        let mut number = 0;
        while number < ROUNDS_MOST {
            self.take_round(cast, number, load, stirred);
            let round = &self.rounds[number];
            let change = round.asked.iter().zip(&round.load);
            let change = change.map(|(a, l)| (a.min(1.0) - l).abs());
            let settles = change.fold(0.0, f64::max) < SETTLED;
            load = round.asked.iter().map(|a| a.min(1.0)).collect();
            number += 1;
            if settles {
                break;
            }
        }
        let last = self.take_round(cast, number, load, stirred);
        self.rounds.truncate(number + 1);
        // A picture of another round has nothing in common with this one.
        let drawn = match rounds_before == number + 1 {
            true => last,
            false => Stirred::everybody(cast),
        };
        let (reception, round) = (&self.reception, &self.rounds[number]);
        self.picture
            .redraw(cast, reception, round, &self.scene, &drawn, sites);
    }

    /// Computes a round where it differs from the last evaluation; returns what was computed.
    fn take_round(
        &mut self,
        cast: Cast<'_>,
        number: usize,
        load: Vec<f64>,
        stirred: &Stirred,
    ) -> Stirred {
        let stirred = match self.rounds.get(number) {
            Some(known) => self.swayed(cast, stirred, &known.load, &load),
            None => {
                self.rounds.push(Round::blank(cast));
                Stirred::everybody(cast)
            }
        };
        let (scene, round) = (&self.scene, &mut self.rounds[number]);
        let active = active(&load);
        round.load = load;
        for &user in stirred.users.members() {
            if let Some((cell, mw)) = self.reception.serving(user) {
                let outside = scene.foreign_mw[cell];
                let foreign = self.reception.foreign_mw(cast, user, outside, &active);
                round.foreign[user] = foreign;
                round.rate[user] = self.carriers[cell].rate(mw, foreign);
            }
        }
        for &cell in stirred.cells.members() {
            let served = self.reception.served(cell).iter();
            let asked = |sum, &user: &usize| sum + self.wishes[user] / round.rate[user];
            round.asked[cell] = served.fold(0.0, asked);
        }
        stirred
    }

    /// The users and cells to compute anew in a round that starts with other loads: `stirred`, the
    /// users interfered with by a cell whose load differs, and the cells that serve all of them.
    fn swayed(&self, cast: Cast<'_>, stirred: &Stirred, before: &[f64], load: &[f64]) -> Stirred {
        let others = differing(before, load);
        if 2 * others.clone().count() > load.len() {
            return Stirred::everybody(cast);
        }
        let mut swayed = stirred.clone();
        for other in others.filter(|other| self.scene.factor[*other] > 0.0) {
            let carrier = cast.units[other].plan.carrier_mhz;
            let disturbs = |user: &usize| {
                let cell = self.reception.cell_of(*user).filter(|cell| *cell != other);
                cell.is_some_and(|cell| cast.units[cell].plan.carrier_mhz == carrier)
            };
            let hearers = self.reception.heard_by(other).iter().copied();
            swayed.users.add(hearers.filter(disturbs));
        }
        let users = swayed.users.members().iter();
        let cells = users.filter_map(|user| self.reception.cell_of(*user));
        swayed.cells.add(cells);
        swayed
    }
}
