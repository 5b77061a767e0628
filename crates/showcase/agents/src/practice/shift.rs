//! People on shift: who is free when, and how long things take them.

use domain::time::{SeededRng, Timestamp};
use rand_chacha::rand_core::Rng;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// From which hour to which the day shift works.
const DAY_H: (i64, i64) = (6, 22);
/// People at a desk by day and by night.
const BY_DAY: usize = 2;
const BY_NIGHT: usize = 1;

/// Shortest and longest duration, in minutes.
pub type Minutes = (f64, f64);

/// Seconds drawn evenly from a range of minutes.
pub fn takes_s(range: Minutes, rng: &mut SeededRng) -> f64 {
    // 53 bits are what a float holds.
    let share = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    60.0 * (range.0 + share * (range.1 - range.0))
}

/// The hour of the day at an instant (UTC).
pub fn hour_of(at: Timestamp) -> i64 {
    at.as_ms().rem_euclid(DAY_MS) / HOUR_MS
}

/// The next instant after `now` at which a day's hour begins.
pub fn next_at(now: Timestamp, hour: i64) -> Timestamp {
    let midnight = now.as_ms() - now.as_ms().rem_euclid(DAY_MS);
    let today = midnight + hour * HOUR_MS;
    let next = if today > now.as_ms() {
        today
    } else {
        today + DAY_MS
    };
    Timestamp::from_ms(next)
}

/// The people of one desk.
#[derive(Clone, Debug)]
pub struct Shift {
    /// Until when each is busy.
    busy: [Timestamp; BY_DAY],
    /// Office hours; none for a desk that never closes.
    hours: Option<(i64, i64)>,
    people: usize,
}

impl Shift {
    /// A desk that never closes, with fewer people at night.
    pub fn around_the_clock() -> Self {
        Self {
            busy: [Timestamp::from_ms(0); BY_DAY],
            hours: None,
            people: BY_DAY,
        }
    }

    /// A desk of one person who works from the one hour to the other.
    pub fn office(hours: (i64, i64)) -> Self {
        Self {
            hours: Some(hours),
            people: 1,
            ..Self::around_the_clock()
        }
    }

    fn at_work(&self, now: Timestamp) -> usize {
        match self.hours {
            Some(_) => self.people,
            None if (DAY_H.0..DAY_H.1).contains(&hour_of(now)) => self.people,
            None => BY_NIGHT,
        }
    }

    /// True if somebody who is there has nothing to do.
    pub fn is_free(&self, now: Timestamp) -> bool {
        let mut there = self.busy.iter().take(self.at_work(now));
        there.any(|until| *until <= now)
    }

    /// Has whoever is free first do something that takes `seconds`, not before `earliest`; when it
    /// is done.
    pub fn work(&mut self, earliest: Timestamp, seconds: f64) -> Timestamp {
        let at_work = self.at_work(earliest);
        let free = self.busy.iter_mut().take(at_work).min();
        let free = free.expect("somebody is at every desk");
        let mut begins = earliest.max(*free);
        if let Some((opens, closes)) = self.hours
            && !(opens..closes).contains(&hour_of(begins))
        {
            begins = next_at(begins, opens);
        }
        *free = begins.plus_s(seconds);
        *free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64, minute: i64) -> Timestamp {
        Timestamp::from_ms(20_000 * DAY_MS + hour * HOUR_MS + minute * 60_000)
    }

    #[test]
    fn two_work_by_day_and_one_by_night() {
        let mut day = Shift::around_the_clock();
        let ends = [1, 2, 3].map(|_| day.work(at(12, 0), 600.0));
        assert_eq!(ends, [at(12, 10), at(12, 10), at(12, 20)]);
        let mut night = Shift::around_the_clock();
        let ends = [1, 2].map(|_| night.work(at(3, 0), 600.0));
        assert_eq!(ends, [at(3, 10), at(3, 20)]);
    }

    #[test]
    fn an_office_opens_in_the_morning() {
        let mut desk = Shift::office((8, 18));
        assert_eq!(desk.work(at(19, 0), 600.0), at(32, 10));
        assert_eq!(desk.work(at(10, 0), 600.0), at(32, 20));
        assert_eq!(next_at(at(8, 0), 8), at(32, 0));
        assert_eq!(next_at(at(7, 59), 8), at(8, 0));
    }
}
