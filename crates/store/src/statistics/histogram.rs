//! How many commits took how long, as a histogram.
//!
//! The writer adds one to one counter and waits for nobody; whoever reads sums up. Read next:
//! [`super`].

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// The bounds of the buckets, in microseconds: the last is that of all commits, however long they took.
const BOUNDS_US: [u32; 12] = [
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    u32::MAX,
];

/// Counts commits by their length.
#[derive(Debug, Default)]
pub(super) struct Histogram([AtomicU64; BOUNDS_US.len()]);

/// How many commits took how long, from the shortest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitBuckets([u64; BOUNDS_US.len()]);

/// How many commits took no longer than a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitBucket {
    /// The bound, in microseconds; [`u32::MAX`] for all commits, however long they took.
    pub up_to_us: u32,
    /// How many, those of every lower bound among them.
    pub commits: u64,
}

impl Histogram {
    /// Counts one that took so long.
    pub(super) fn count(&self, took: Duration) {
        let last = BOUNDS_US.len() - 1;
        let fits = |up_to: &u32| took <= Duration::from_micros((*up_to).into());
        let at = BOUNDS_US[..last].iter().position(fits).unwrap_or(last);
        self.0[at].fetch_add(1, Relaxed);
    }

    pub(super) fn read(&self) -> CommitBuckets {
        CommitBuckets(self.0.each_ref().map(|bucket| bucket.load(Relaxed)))
    }
}

impl CommitBuckets {
    /// The buckets, from the shortest on, each of which counts what those before it count as well.
    pub fn iter(&self) -> impl Iterator<Item = CommitBucket> {
        let mut commits = 0;
        BOUNDS_US
            .into_iter()
            .zip(self.0)
            .map(move |(up_to_us, more)| {
                commits += more;
                CommitBucket { up_to_us, commits }
            })
    }

    /// The number of all commits.
    pub fn all(&self) -> u64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_counted_from_the_bound_on_that_it_keeps() {
        let histogram = Histogram::default();
        for us in [0, 500, 501, 1_000_000, 1_000_001, u64::MAX / 2] {
            histogram.count(Duration::from_micros(us));
        }
        let read = histogram.read();
        let told: Vec<(u32, u64)> = read.iter().map(|it| (it.up_to_us, it.commits)).collect();
        assert_eq!(told[..2], [(500, 2), (1_000, 3)]);
        assert_eq!(told[9..], [(500_000, 3), (1_000_000, 4), (u32::MAX, 6)]);
        assert!(told.is_sorted(), "{told:?}");
        assert_eq!(read.all(), 6);
    }
}
