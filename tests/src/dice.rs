//! Numbers that look like chance and are the same for the same seed: what generated tests draw from.
//!
//! Not for secrets, and not for the platform, whose chance has streams of its own. Read next:
//! [`crate::attacks`].

/// A sequence of numbers that looks like chance (splitmix64).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// A sequence of its own for each purpose, named by numbers, under a seed.
    pub fn of(seed: u64, purpose: &[u64]) -> Self {
        let mut dice = Self(seed);
        for number in purpose {
            dice = Self(dice.next() ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93));
        }
        Self(dice.next())
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

    /// A number below `end`, 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A number from 1 to `most`, small ones far more often than great ones.
    pub fn size(&mut self, most: usize) -> usize {
        let bits = most.max(1).ilog2() as usize + 1;
        let most_of_these = 1 << self.below(bits + 1).min(bits);
        1 + self.below(most_of_these).min(most - 1)
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    ///
    /// # Panics
    /// If there is none.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
