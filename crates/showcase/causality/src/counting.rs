//! The yardstick: which type is counted to follow which, and nothing else.
//!
//! What anybody would try first, so that learning is compared with something: of all alarms of a
//! type, the share that another type follows within a quarter of an hour, at the same device or an
//! adjacent one. The edge goes from the type that the other follows more often, if that share is not
//! below a cut. Read next: [`crate::score`].

use crate::history::AlarmHistory;
use crate::neighbourhood::{Cursor, Neighbourhood};
use crate::square::Square;

/// The seconds within which a type follows another.
pub const WITHIN_S: i64 = 900;
/// The cut that served two labelled sets best, the wireless and the microwave one of PCIC 2021:
/// chosen with their truth in sight, so in favour of the yardstick.
pub const COMMON_CUT: f64 = 0.0043;

/// A pair of types in the direction in which the first is followed more often.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedPair {
    /// The type that is followed.
    pub cause: String,
    /// The type that follows.
    pub effect: String,
    /// The share of the first that the second follows.
    pub share: f64,
}

/// How often types follow each other.
#[derive(Clone, Debug)]
pub struct FollowCounts {
    pairs: Vec<FollowedPair>,
}

impl FollowCounts {
    /// Counts in a history.
    pub fn of(history: &AlarmHistory) -> Self {
        let follows = follows(history);
        let (names, counts) = (history.types(), history.alarms_by_type());
        let types = 0..names.len();
        let pairs = types
            .clone()
            .flat_map(|a| types.clone().map(move |b| (a, b)));
        let decided = pairs.filter(|(a, b)| follows[(*a, *b)] > follows[(*b, *a)]);
        let mut pairs: Vec<_> = decided
            .map(|(a, b)| FollowedPair {
                cause: names[a].clone(),
                effect: names[b].clone(),
                share: follows[(a, b)] / counts[a] as f64,
            })
            .collect();
        pairs.sort_by(|a, b| b.share.total_cmp(&a.share));
        Self { pairs }
    }

    /// The pairs, the greatest share first.
    pub fn pairs(&self) -> &[FollowedPair] {
        &self.pairs
    }
}

/// The alarms of each type that are followed by each other one.
fn follows(history: &AlarmHistory) -> Square {
    let mut follows = Square::new(history.types().len());
    for device in 0..history.devices() {
        let around = Neighbourhood::of(history, device);
        for (own, times) in &around.own {
            for (other, others) in around.near.iter().filter(|(other, _)| other != own) {
                let mut cursor = Cursor::new(others);
                let followed = times.iter().filter(|time| {
                    let next = cursor.first_from(**time + 1);
                    next.is_some_and(|next| next <= **time + WITHIN_S)
                });
                follows[(*own, *other)] += followed.count() as f64;
            }
        }
    }
    follows
}
