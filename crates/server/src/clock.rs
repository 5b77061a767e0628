//! The clock: the only place where the time of day is read.
//!
//! It follows the wall, or stands where a simulation has set it; either way it never goes back.
//! Read next: [`crate::world`], which sets it.

use domain::time::Timestamp;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The clock; share it in an `Arc`.
#[derive(Debug)]
pub struct Clock {
    /// Where a simulation has set it; negative while it follows the wall.
    set: AtomicI64,
    /// The latest instant given out, so that a wall clock that is put back moves nothing back.
    latest: AtomicI64,
    began: Instant,
    /// Serialises setting and following.
    mode: Mutex<()>,
}

const FOLLOWS_WALL: i64 = -1;

impl Clock {
    /// A clock that follows the wall.
    pub fn wall() -> Self {
        Self {
            set: AtomicI64::new(FOLLOWS_WALL),
            latest: AtomicI64::new(0),
            began: Instant::now(),
            mode: Mutex::new(()),
        }
    }

    /// A clock that stands at `at` until it is set.
    pub fn standing(at: Timestamp) -> Self {
        let clock = Self::wall();
        clock.set(at);
        clock
    }

    /// What the wall shows.
    pub fn wall_time() -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_ms(since.as_millis() as i64)
    }

    /// The time of day; never before an instant given out earlier.
    pub fn now(&self) -> Timestamp {
        let now = match self.set.load(Ordering::Acquire) {
            FOLLOWS_WALL => Self::wall_time().as_ms(),
            set => set,
        };
        let before = self.latest.fetch_max(now, Ordering::AcqRel);
        Timestamp::from_ms(now.max(before))
    }

    /// Monotonic milliseconds, for timeouts.
    pub fn monotonic_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Stands at `at` from now on.
    pub fn set(&self, at: Timestamp) {
        let _mode = self.mode.lock().expect("no holder panics");
        self.set.store(at.as_ms(), Ordering::Release);
    }

    /// Follows the wall from now on.
    pub fn follow_wall(&self) {
        let _mode = self.mode.lock().expect("no holder panics");
        self.set.store(FOLLOWS_WALL, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_goes_back() {
        let clock = Clock::standing(Timestamp::from_ms(5_000));
        assert_eq!(clock.now().as_ms(), 5_000);
        clock.set(Timestamp::from_ms(4_000));
        assert_eq!(clock.now().as_ms(), 5_000);
        clock.follow_wall();
        assert!(clock.now().as_ms() > 5_000);
    }
}
