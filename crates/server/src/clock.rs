//! The clock: the only place where the time of day is read.
//!
//! It runs on the machine's monotonic clock and is slewed towards the system clock. So a step of
//! the system clock, even by hours, never moves this clock back or stops it, and shifts a deadline
//! by a tenth of its time at most. It can also run many times as fast, for a simulated network, or
//! stand still until a simulation sets it. Read next: [`crate::runtime`], which sets it.

use crate::fence::Fence;
use domain::time::Timestamp;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tracing::{info, warn};

/// The divisor of the slew rate: the clock gains or loses at most the elapsed time divided by this.
const STEER: i64 = 10;

/// The difference in nanoseconds from which the system clock counts as astray; below half of it, no
/// more.
const ASTRAY_NS: i64 = 1_000_000_000;

const MS_NS: i64 = 1_000_000;

/// The clocks that a [`Clock`] is based on.
pub trait TimeSource: Debug + Send + Sync {
    /// The system clock, in nanoseconds since 1970; it may jump either way.
    fn wall_ns(&self) -> i64;

    /// Nanoseconds since some instant; never goes back.
    fn monotonic_ns(&self) -> i64;
}

/// The machine's own clocks.
#[derive(Debug)]
struct Machine {
    began: Instant,
}

impl TimeSource for Machine {
    fn wall_ns(&self) -> i64 {
        wall_ns()
    }

    fn monotonic_ns(&self) -> i64 {
        self.began.elapsed().as_nanos() as i64
    }
}

/// The system clock; an instant before 1970 is 1970.
fn wall_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(i64::MAX)
}

/// The platform's clock; share it in an `Arc`.
#[derive(Debug)]
pub struct Clock {
    source: Box<dyn TimeSource>,
    fence: Fence,
    /// True if the time is that of a story.
    is_told: bool,
    reading: Mutex<Reading>,
}

/// The last reading of the clock, with the time at which it was made.
#[derive(Debug)]
struct Reading {
    shown_ns: i64,
    read_ns: i64,
    mode: Mode,
    astray: bool,
}

/// The way in which a clock runs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// It follows the system clock.
    Following,
    /// It runs this many times as fast as time passes, independently of the system clock.
    Fast(f64),
    /// It stands until it is set.
    Standing,
}

impl Clock {
    /// A clock that follows the system clock.
    pub fn wall() -> Self {
        Self::by(Machine {
            began: Instant::now(),
        })
    }

    /// A clock that begins at the source's system clock, and follows it.
    pub fn by(source: impl TimeSource + 'static) -> Self {
        let reading = Reading {
            shown_ns: source.wall_ns(),
            read_ns: source.monotonic_ns(),
            mode: Mode::Following,
            astray: false,
        };
        Self {
            source: Box::new(source),
            fence: Fence::default(),
            is_told: false,
            reading: Mutex::new(reading),
        }
    }

    /// The clock of a platform that may act only while this lets it.
    #[must_use]
    pub fn fenced(self, fence: Fence) -> Self {
        Self { fence, ..self }
    }

    /// What everything passes that the platform says and does.
    pub fn fence(&self) -> &Fence {
        &self.fence
    }

    /// A clock that stands at `at` until it is set.
    pub fn standing(at: Timestamp) -> Self {
        let clock = Self::wall();
        *clock.reading() = Reading {
            shown_ns: ns(at),
            read_ns: 0,
            mode: Mode::Standing,
            astray: false,
        };
        clock
    }

    /// The same, of a story: what outlives it, such as a credential, goes by [`Self::credential_time`].
    #[must_use]
    pub fn of_story(self) -> Self {
        Self {
            is_told: true,
            ..self
        }
    }

    /// The time by which credentials are issued and expire: that of the system clock where this clock
    /// is a story's or a fast one, which people and their browsers do not live by.
    pub fn credential_time(&self) -> Timestamp {
        let is_fast = matches!(self.reading().mode, Mode::Fast(_));
        match self.is_told || is_fast {
            true => Self::wall_time(),
            false => self.now(),
        }
    }

    /// This clock, but `speed` times as fast as time passes (1 or more), beginning now; at 1 it
    /// follows the system clock.
    #[must_use]
    pub fn at_speed(self, speed: f64) -> Self {
        if speed > 1.0 {
            self.reading().mode = Mode::Fast(speed);
        }
        self
    }

    /// The current time of the system clock.
    pub fn wall_time() -> Timestamp {
        Timestamp::from_ms(wall_ns() / MS_NS)
    }

    /// The current time; never before an instant returned earlier.
    ///
    /// While the system clock is astray, because it was set, this clock runs a tenth faster or
    /// slower until both agree again.
    pub fn now(&self) -> Timestamp {
        let mut reading = self.reading();
        match reading.mode {
            Mode::Following => reading.steer(self.source.wall_ns(), self.source.monotonic_ns()),
            Mode::Fast(speed) => reading.race(speed, self.source.monotonic_ns()),
            Mode::Standing => {}
        }
        Timestamp::from_ms(reading.shown_ns / MS_NS)
    }

    /// The time until this clock, at its present rate, shows `at`; zero if it already does.
    pub fn until(&self, at: Timestamp) -> Duration {
        let left = Duration::from_millis((at - self.now()).max(0) as u64);
        match self.reading().mode {
            Mode::Fast(speed) => left.div_f64(speed),
            Mode::Following | Mode::Standing => left,
        }
    }

    /// Monotonic milliseconds, for timeouts; independent of the system clock.
    pub fn monotonic_ms(&self) -> u64 {
        (self.source.monotonic_ns() / MS_NS) as u64
    }

    /// Stops the clock at `at`, or at its present time if that is later.
    pub fn set(&self, at: Timestamp) {
        let mut reading = self.reading();
        reading.mode = Mode::Standing;
        reading.shown_ns = reading.shown_ns.max(ns(at));
    }

    /// Follows the system clock from now on: at once if that is ahead, else from the present time.
    pub fn follow_wall(&self) {
        let mut reading = self.reading();
        reading.mode = Mode::Following;
        reading.shown_ns = reading.shown_ns.max(self.source.wall_ns());
        reading.read_ns = self.source.monotonic_ns();
    }

    /// Advances the clock to `at` at least, so that recorded events are never in the future.
    pub fn not_before(&self, at: Timestamp) {
        let mut reading = self.reading();
        reading.shown_ns = reading.shown_ns.max(ns(at));
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().expect("no holder panics")
    }
}

impl Reading {
    fn race(&mut self, speed: f64, monotonic_ns: i64) {
        let passed = monotonic_ns.saturating_sub(self.read_ns).max(0);
        let gone = (passed as f64 * speed) as i64;
        self.shown_ns = self.shown_ns.saturating_add(gone);
        self.read_ns = self.read_ns.max(monotonic_ns);
    }

    fn steer(&mut self, wall_ns: i64, monotonic_ns: i64) {
        let passed = monotonic_ns.saturating_sub(self.read_ns).max(0);
        let kept = self.shown_ns.saturating_add(passed);
        let gap = wall_ns.saturating_sub(kept);
        let most = passed / STEER;
        self.shown_ns = kept.saturating_add(gap.clamp(-most, most));
        self.read_ns = self.read_ns.max(monotonic_ns);
        self.heed(gap);
    }

    /// Logs once that the system clock is astray, and once that it no longer is.
    fn heed(&mut self, gap_ns: i64) {
        let (by_ms, by_ns) = (gap_ns / MS_NS, gap_ns.saturating_abs());
        if !self.astray && by_ns >= ASTRAY_NS {
            self.astray = true;
            warn!(
                by_ms,
                "the wall clock was set: it is {by_ms} ms away and is followed slowly; a restart \
                 follows it at once, unless the log is ahead of it"
            );
        } else if self.astray && by_ns < ASTRAY_NS / 2 {
            self.astray = false;
            info!("the platform's clock agrees with the wall again");
        }
    }
}

fn ns(at: Timestamp) -> i64 {
    at.as_ms().saturating_mul(MS_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

    const HOUR_MS: i64 = 3_600_000;
    const NOON_MS: i64 = 1_795_262_400_000;

    /// Clocks set by the test: elapsed time and system clock.
    #[derive(Clone, Debug, Default)]
    struct Hands {
        passed_ms: Arc<AtomicI64>,
        set_ms: Arc<AtomicI64>,
    }

    impl TimeSource for Hands {
        fn wall_ns(&self) -> i64 {
            (NOON_MS + self.passed_ms.load(Relaxed) + self.set_ms.load(Relaxed)) * MS_NS
        }

        fn monotonic_ns(&self) -> i64 {
            self.passed_ms.load(Relaxed) * MS_NS
        }
    }

    /// Lets `ms` pass and reads the clock a thousand times; returns how far it went.
    fn goes(clock: &Clock, hands: &Hands, ms: i64) -> i64 {
        let before = clock.now();
        let mut last = before;
        for _ in 0..1_000 {
            hands.passed_ms.fetch_add(ms / 1_000, Relaxed);
            let now = clock.now();
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
        last - before
    }

    #[test]
    fn it_never_goes_back() {
        let clock = Clock::standing(Timestamp::from_ms(5_000));
        assert_eq!(clock.now().as_ms(), 5_000);
        clock.set(Timestamp::from_ms(4_000));
        assert_eq!(clock.now().as_ms(), 5_000);
        clock.follow_wall();
        assert!(clock.now().as_ms() > 5_000);
    }

    #[test]
    fn while_nobody_sets_the_wall_it_shows_what_the_wall_shows() {
        let hands = Hands::default();
        let clock = Clock::by(hands.clone());
        assert_eq!(goes(&clock, &hands, 10_000), 10_000);
        assert_eq!(clock.now().as_ms(), NOON_MS + 10_000);
    }

    #[test]
    fn a_jump_of_the_wall_makes_time_pass_a_tenth_faster_or_slower_and_no_more() {
        let hands = Hands::default();
        let clock = Clock::by(hands.clone());
        for jump in [2, -2, -2, -2, 2, 2, 2, -2, 2, -2] {
            hands.set_ms.fetch_add(jump * HOUR_MS, Relaxed);
            let gone = goes(&clock, &hands, 60_000);
            assert!(
                (54_000..=66_000).contains(&gone),
                "{gone} ms in 60 s after {jump} h"
            );
        }
    }

    #[test]
    fn at_speed_it_goes_on_from_the_wall_whatever_that_shows_later() {
        let hands = Hands::default();
        let clock = Clock::by(hands.clone()).at_speed(60.0);
        hands.set_ms.store(-2 * HOUR_MS, Relaxed);
        assert_eq!(goes(&clock, &hands, 60_000), HOUR_MS);
        assert_eq!(clock.now().as_ms(), NOON_MS + HOUR_MS);
        let hour = clock.now() + HOUR_MS;
        assert_eq!(clock.until(hour), Duration::from_secs(60));
        assert_eq!(clock.until(clock.now()), Duration::ZERO);
        assert_eq!(clock.monotonic_ms(), 60_000, "timeouts are not hastened");
        let usual = Clock::by(Hands::default()).at_speed(1.0);
        assert_eq!(usual.until(usual.now() + 5), Duration::from_millis(5));
    }

    #[test]
    fn it_comes_back_to_the_wall_and_stays_there() {
        for jump in [2, -2] {
            let hands = Hands::default();
            let clock = Clock::by(hands.clone());
            hands.set_ms.store(jump * HOUR_MS, Relaxed);
            goes(&clock, &hands, 19 * HOUR_MS);
            assert_ne!(clock.now().as_ms(), hands.wall_ns() / MS_NS);
            goes(&clock, &hands, HOUR_MS + 1_000);
            assert_eq!(clock.now().as_ms(), hands.wall_ns() / MS_NS);
            assert_eq!(goes(&clock, &hands, 10_000), 10_000);
        }
    }

    #[test]
    fn a_wall_behind_the_record_is_waited_for_while_time_goes_on() {
        let hands = Hands::default();
        let clock = Clock::by(hands.clone());
        clock.not_before(Timestamp::from_ms(NOON_MS + 2 * HOUR_MS));
        assert_eq!(clock.now().as_ms(), NOON_MS + 2 * HOUR_MS);
        assert_eq!(goes(&clock, &hands, 10_000), 9_000);
        clock.not_before(Timestamp::from_ms(NOON_MS));
        assert_eq!(clock.now().as_ms(), NOON_MS + 2 * HOUR_MS + 9_000);
    }

    #[test]
    fn a_wall_at_the_ends_of_time_breaks_nothing() {
        for set in [i64::MIN / 4, i64::MAX / 4] {
            let hands = Hands::default();
            let clock = Clock::by(hands.clone());
            hands.set_ms.store(set / MS_NS, Relaxed);
            let gone = goes(&clock, &hands, 1_000);
            assert!((900..=1_100).contains(&gone));
        }
    }
}
