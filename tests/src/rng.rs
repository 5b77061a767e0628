//! Seeded pseudo-random numbers for generated tests.
//!
//! Not for secrets, and not for the platform, which has random streams of its own. Read next:
//! [`crate::attacks`].

/// A pseudo-random sequence of numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct SeededRng(pub u64);

impl SeededRng {
    /// An independent sequence for each purpose, named by numbers, under a seed.
    pub fn of(seed: u64, purpose: &[u64]) -> Self {
        let mut rng = Self(seed);
        for number in purpose {
            rng = Self(rng.next() ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93));
        }
        Self(rng.next())
    }

    /// The next number, any of 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A number from 1 to `most`, small ones far more often than large ones.
    pub fn size(&mut self, most: usize) -> usize {
        let bits = most.max(1).ilog2() as usize + 1;
        let most_of_these = 1 << self.below(bits + 1).min(bits);
        1 + self.below(most_of_these).min(most - 1)
    }

    /// True once in so many times, on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A random one of these.
    ///
    /// # Panics
    /// If there is none.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
