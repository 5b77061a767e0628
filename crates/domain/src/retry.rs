//! Trying again: the pauses between attempts, which double up to a longest one.
//!
//! Pure: whoever tries has the clock, and decides what counts as a failure and when to give up. No
//! pause is drawn: those who fail together are bounded where they are answered. Read next:
//! [`crate::time`].

/// The pauses between attempts, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The pause after the first failure; doubled after each further one.
    pub first_ms: u32,
    /// The longest pause.
    pub longest_ms: u32,
}

impl Backoff {
    /// The same pause after each failure.
    pub const fn constant(pause_ms: u32) -> Self {
        Self {
            first_ms: pause_ms,
            longest_ms: pause_ms,
        }
    }

    /// The pause after this many failures in a row, of which the first counts 1, in milliseconds.
    pub fn pause_ms(self, failures: u32) -> u32 {
        let doubled = 1_u32
            .checked_shl(failures.saturating_sub(1))
            .unwrap_or(u32::MAX);
        self.first_ms.saturating_mul(doubled).min(self.longest_ms)
    }
}

/// The attempts at one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    backoff: Backoff,
    attempts: u32,
}

impl Retry {
    /// No attempt has failed yet.
    pub const fn new(backoff: Backoff) -> Self {
        Self {
            backoff,
            attempts: 0,
        }
    }

    /// Counts an attempt that failed, or brought nothing; returns the pause before the next one, in
    /// milliseconds.
    pub fn next_pause_ms(&mut self) -> u32 {
        self.attempts = self.attempts.saturating_add(1);
        self.backoff.pause_ms(self.attempts)
    }

    /// The number of attempts since the last success.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// True if the pause that comes next is the longest.
    pub fn is_at_longest(&self) -> bool {
        let next = self.attempts.saturating_add(1);
        self.backoff.pause_ms(next) == self.backoff.longest_ms
    }

    /// Begins anew after a success.
    pub fn reset(&mut self) {
        self.attempts = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_begin_anew_after_a_success() {
        let mut retry = Retry::new(Backoff {
            first_ms: 1_000,
            longest_ms: 60_000,
        });
        let next = |_| (retry.is_at_longest(), retry.next_pause_ms() / 1_000);
        let (longest, pauses): (Vec<_>, Vec<_>) = (0..8).map(next).unzip();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(longest.iter().filter(|longest| **longest).count(), 2);
        assert_eq!(retry.attempts(), 8);
        retry.reset();
        assert_eq!((retry.attempts(), retry.next_pause_ms()), (0, 1_000));
    }

    proptest! {
        /// A pause is never shorter than the one before, nor outside its bounds.
        #[test]
        fn pauses_grow_within_their_bounds(first_ms in 1_u32.., more in 0_u32.., failures in 1_u32..) {
            let longest_ms = first_ms.saturating_add(more);
            let backoff = Backoff { first_ms, longest_ms };
            let (pause, next) = (backoff.pause_ms(failures), backoff.pause_ms(failures.saturating_add(1)));
            prop_assert!(first_ms <= pause && pause <= next && next <= longest_ms);
        }

        #[test]
        fn a_constant_pause_is_one(pause_ms: u32, failures: u32) {
            prop_assert_eq!(Backoff::constant(pause_ms).pause_ms(failures), pause_ms);
        }
    }
}
