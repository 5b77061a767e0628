//! How much what cells hear on their carriers changes by itself: users move, neighbours wake, and all of it is
//! their own network's.
//!
//! Learnt from counters: how many decibels a cell hears more, or less, than two periods before, over all cells
//! and the last half day. Most change little and a few very much, so that a rise of one cell alone, however
//! great, is no proof of anything. Begins with a guess that counts as much as some hundred changes, and
//! begins anew after a restart. Knows what changes by itself; refuses to know why. Read next: `source.rs`, which
//! asks whether a rise is more than that.

use domain::telemetry::Performance;

/// Changes are counted by decibels, up to so many either way.
const SPAN_DB: i32 = 25;
/// Decibels by which most changes differ from none, and the share of those that may be of any size: the guess.
const SPREAD_DB: f64 = 1.0;
const ANY_SHARE: f64 = 0.03;
/// The changes that the guess counts as.
const GUESS: f64 = 300.0;
/// What a count has left after a period: half of it after nine hours.
const FADES: f64 = 0.98;

/// The changes of what cells hear.
#[derive(Clone, Debug)]
pub(super) struct Hearing {
    /// By decibel, from the greatest fall to the greatest rise.
    counts: Vec<f64>,
    /// Their sum.
    all: f64,
}

impl Default for Hearing {
    fn default() -> Self {
        let guess = |db: i32| {
            let near = (-(f64::from(db) / SPREAD_DB).powi(2) / 2.0).exp();
            let near = near / (SPREAD_DB * (2.0 * std::f64::consts::PI).sqrt());
            GUESS * ((1.0 - ANY_SHARE) * near + ANY_SHARE / f64::from(2 * SPAN_DB + 1))
        };
        let counts: Vec<f64> = (-SPAN_DB..=SPAN_DB).map(guess).collect();
        let all = counts.iter().sum();
        Self { counts, all }
    }
}

impl Hearing {
    /// Takes down how all cells hear now that served in both periods.
    pub(super) fn learn(&mut self, before: &Performance, now: &Performance) {
        for count in &mut self.counts {
            *count *= FADES;
        }
        for (id, is) in &now.cells {
            let Some(was) = before.cells.get(id) else {
                continue;
            };
            if is.saving.serves() && was.saving.serves() {
                self.counts[bin(is.interference_dbm - was.interference_dbm)] += 1.0;
            }
        }
        self.all = self.counts.iter().sum();
    }

    /// How unusual a change is: the negative logarithm of its density.
    pub(super) fn surprise(&self, db: f64) -> f64 {
        let (low, part) = (db.floor(), db - db.floor());
        let counted = self.counts[bin(low)] * (1.0 - part) + self.counts[bin(low + 1.0)] * part;
        // What has never been seen is not impossible.
        let unseen = ANY_SHARE / f64::from(2 * SPAN_DB + 1);
        -((counted + unseen) / (self.all + ANY_SHARE)).ln()
    }
}

fn bin(db: f64) -> usize {
    let span = f64::from(SPAN_DB);
    (db.clamp(-span, span).round() + span) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{at, id};
    use domain::telemetry::CellPerformance;
    use std::collections::BTreeMap;

    fn heard(dbm: impl Iterator<Item = f64>) -> Performance {
        let cell = |(n, dbm): (usize, f64)| {
            let counted = CellPerformance {
                interference_dbm: dbm,
                ..CellPerformance::default()
            };
            (id(&format!("cell:{n}")), counted)
        };
        Performance {
            from: at(0),
            until: at(900),
            cells: dbm.enumerate().map(cell).collect(),
            links: BTreeMap::new(),
        }
    }

    #[test]
    fn what_happens_often_by_itself_surprises_less() {
        let mut hearing = Hearing::default();
        let (small, great) = (hearing.surprise(0.5), hearing.surprise(8.0));
        assert!(great - small > 5.0, "{small} {great}");
        // One cell in ten hears eight decibels more now and then, and one as many less.
        for _ in 0..10 {
            let quiet = heard((0..100).map(|_| -95.0));
            let loud = heard((0..100).map(|n| if n % 10 == 0 { -87.0 } else { -95.0 }));
            hearing.learn(&quiet, &loud);
            hearing.learn(&loud, &quiet);
        }
        assert!(hearing.surprise(8.0) - hearing.surprise(0.0) < 4.0);
        assert!(hearing.surprise(15.0) > hearing.surprise(8.0));
    }
}
