//! How far the clock of a management system is from ours, as far as its events show.
//!
//! The `eventTime` of what has just arrived is compared with its arrival, and the median of the last
//! few counts: one lie, or one that is late, moves nothing. A system that is behind by minutes may
//! merely be slow, so only hours count there. Pure: instants are arguments. Read next:
//! [`super::alarm_book`].

use domain::telemetry::{Action, Outcome};
use domain::time::Timestamp;
use std::collections::VecDeque;

/// The number of events that are compared.
const SAMPLES: usize = 9;
/// From when on a clock counts as ahead, in milliseconds.
const AHEAD_MS: i64 = 5_000;
/// From when on it counts as behind, in milliseconds.
const BEHIND_MS: i64 = 1_800_000;

/// The clock of a management system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemClock {
    samples: VecDeque<i64>,
}

impl SystemClock {
    /// Takes in the time of an event that was sent at once and arrived at `now`.
    pub fn heard(&mut self, event: Timestamp, now: Timestamp) {
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples
            .push_back(event.as_ms().saturating_sub(now.as_ms()));
    }

    /// How far the clock is ahead, in milliseconds; negative if it is behind, 0 if it counts as right.
    pub fn ahead_ms(&self) -> i64 {
        let mut sorted: Vec<i64> = self.samples.iter().copied().collect();
        sorted.sort_unstable();
        match sorted.get(sorted.len() / 2) {
            Some(&ms) if !(-BEHIND_MS..=AHEAD_MS).contains(&ms) => ms,
            _ => 0,
        }
    }

    /// An action with its instants by the system's clock.
    pub fn asked(&self, action: Action) -> Action {
        match action {
            Action::Trace {
                vehicle,
                from,
                until,
            } => Action::Trace {
                vehicle,
                from: from + self.ahead_ms(),
                until: until + self.ahead_ms(),
            },
            other => other,
        }
    }

    /// An outcome with its instants by our clock.
    pub fn answered(&self, outcome: Outcome) -> Outcome {
        let shifted = |theirs: Timestamp| theirs + -self.ahead_ms();
        match outcome {
            Outcome::Dispatched { arrival } => Outcome::Dispatched {
                arrival: shifted(arrival),
            },
            Outcome::Traced {
                mut visits,
                left_to,
                came_from,
            } => {
                for visit in &mut visits {
                    visit.from = shifted(visit.from);
                    visit.until = shifted(visit.until);
                }
                Outcome::Traced {
                    visits,
                    left_to,
                    came_from,
                }
            }
            other => other,
        }
    }

    /// An instant of the system's clock by ours; never after `now`, and `now` itself if it says none.
    pub fn ours(&self, theirs: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let Some(theirs) = theirs else { return now };
        let ms = theirs.as_ms().saturating_sub(self.ahead_ms());
        Timestamp::from_ms(ms.max(0)).min(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(1_800_000_000_000 + ms)
    }

    #[test]
    fn a_clock_that_is_ahead_is_put_right_and_one_lie_is_not_believed() {
        let mut clock = SystemClock::default();
        assert_eq!(clock.ours(Some(at(0)), at(10)), at(0));
        for second in 0..5 {
            clock.heard(at(second * 1_000 + 3_600_000), at(second * 1_000));
        }
        assert_eq!(clock.ahead_ms(), 3_600_000);
        clock.heard(at(80_000_000_000), at(6_000));
        assert_eq!(clock.ahead_ms(), 3_600_000);
        assert_eq!(clock.ours(Some(at(3_606_000)), at(7_000)), at(6_000));
    }

    #[test]
    fn slow_is_not_behind_and_the_future_is_now() {
        let mut clock = SystemClock::default();
        (0..9).for_each(|_| clock.heard(at(0), at(600_000)));
        assert_eq!(clock.ahead_ms(), 0);
        assert_eq!(clock.ours(Some(at(900_000)), at(600_000)), at(600_000));
        (0..9).for_each(|_| clock.heard(at(0), at(7_200_000)));
        assert_eq!(clock.ours(Some(at(0)), at(7_200_000)), at(7_200_000));
        assert_eq!(clock.ours(None, at(5)), at(5));
    }
}
