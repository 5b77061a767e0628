//! Heat: how strongly something was wanted lately (draft-zhou §6.2.1).
//!
//! Decay is exponential and applied when someone looks, so that a cluster nobody asks for costs
//! nothing. Read next: [`super::cluster`].

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A score that halves with every half-life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// The score at `at`.
    score: f64,
    at: Timestamp,
}

impl Heat {
    /// The score at an instant. Before the last addition it is what was added last.
    pub fn at(self, now: Timestamp, half_life_ms: i64) -> f64 {
        let half_lives = (now - self.at).max(0) as f64 / half_life_ms as f64;
        self.score * (-half_lives).exp2()
    }

    /// Adds to what is left at an instant. A clock that went back adds without decay.
    pub(super) fn add(&mut self, heat: f64, now: Timestamp, half_life_ms: i64) {
        self.score = self.at(now, half_life_ms) + heat;
        self.at = self.at.max(now);
    }

    /// Adds another heat, both as they are at the later of their instants.
    pub(super) fn join(&mut self, other: Heat, half_life_ms: i64) {
        let at = self.at.max(other.at);
        self.score = self.at(at, half_life_ms) + other.at(at, half_life_ms);
        self.at = at;
    }

    /// A part of this heat, from 0 to 1.
    pub(super) fn share(self, part: f64) -> Heat {
        Heat {
            score: self.score * part,
            ..self
        }
    }

    /// Orders heats without a clock: the hotter of two has the greater number at every instant.
    pub(super) fn order(self, half_life_ms: i64) -> f64 {
        self.score.log2() + self.at.as_ms() as f64 / half_life_ms as f64
    }
}
