//! How late effects follow their causes, and how far away.
//!
//! Knows which type causes which; this is only to describe it. Read next: [`crate::graph`].

use crate::history::AlarmHistory;
use crate::neighbourhood::onsets;

/// The longest delay, in seconds, and the gap from which an effect begins anew.
const LONGEST_S: i64 = 1_000;
/// The delays that are told apart: from the longest before to the longest after.
const DELAYS: usize = 2 * LONGEST_S as usize + 1;

/// How an effect follows a cause.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Delay {
    /// The median of seconds from cause to effect; negative if the effect is reported first.
    pub(crate) median_s: Option<i64>,
    /// The onsets of the effect that have the cause nearest at their own device.
    pub(crate) at_device: usize,
    /// Those that have it nearest on an adjacent one.
    pub(crate) over_link: usize,
}

/// The delays of an effect behind each of these causes. Each onset of the effect is given the alarm
/// of the cause nearest in time, the device's own before that of another one: an earlier one alone
/// if time can be trusted (`only_before`).
pub(crate) fn delays(
    history: &AlarmHistory,
    effect: usize,
    causes: &[usize],
    only_before: bool,
) -> Vec<Delay> {
    let mut seen: Vec<_> = causes.iter().map(|_| Delays::default()).collect();
    let after = if only_before { 0 } else { LONGEST_S };
    for device in 0..history.devices() {
        for onset in onsets(history.times(device, effect), LONGEST_S) {
            for (cause, seen) in causes.iter().zip(&mut seen) {
                let nearest_at = |device| nearest(history.times(device, *cause), onset, after);
                let own = nearest_at(device);
                let adjacent = history.adjacent(device).iter();
                let adjacent = adjacent.filter_map(|device| nearest_at(*device));
                let adjacent = adjacent.min_by_key(|lag| remoteness(*lag));
                seen.add(own, adjacent);
            }
        }
    }
    seen.iter().map(Delays::described).collect()
}

/// The delay behind the nearest of these times.
fn nearest(times: &[i64], onset: i64, after: i64) -> Option<i64> {
    let next = times.partition_point(|time| *time <= onset);
    let before = next.checked_sub(1).map(|place| onset - times[place]);
    let behind = times.get(next).map(|time| onset - time);
    let near = before.into_iter().chain(behind);
    near.filter(|lag| (-after..=LONGEST_S).contains(lag))
        .min_by_key(|lag| remoteness(*lag))
}

/// The order in which delays are preferred: the shorter, then the one after the cause.
fn remoteness(lag: i64) -> (i64, bool) {
    (lag.abs(), lag < 0)
}

/// The delays behind one cause.
struct Delays {
    /// The number of each, from the longest before.
    counts: Vec<usize>,
    at_device: usize,
    over_link: usize,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            counts: vec![0; DELAYS],
            at_device: 0,
            over_link: 0,
        }
    }
}

impl Delays {
    fn add(&mut self, own: Option<i64>, adjacent: Option<i64>) {
        let lag = match (own, adjacent) {
            (Some(own), Some(adjacent)) if adjacent.abs() < own.abs() => adjacent,
            (Some(own), _) => {
                self.at_device += 1;
                return self.count(own);
            }
            (None, Some(adjacent)) => adjacent,
            (None, None) => return,
        };
        self.over_link += 1;
        self.count(lag);
    }

    fn count(&mut self, lag: i64) {
        let place = usize::try_from(lag + LONGEST_S).expect("no delay is longer");
        self.counts[place] += 1;
    }

    fn described(&self) -> Delay {
        let half = (self.at_device + self.over_link).div_ceil(2);
        let mut below = 0;
        let median = self.counts.iter().position(|count| {
            below += count;
            half > 0 && below >= half
        });
        Delay {
            median_s: median.map(|place| place as i64 - LONGEST_S),
            at_device: self.at_device,
            over_link: self.over_link,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::history::HistoryBuilder;
    use crate::links::DeviceLinks;

    fn told(only_before: bool) -> Delay {
        let mut builder = HistoryBuilder::default();
        for (alarm_type, device, start_s) in [
            ("c", "1", 0),
            ("e", "1", 7),
            ("e", "1", 9),
            ("c", "2", 5_000),
            ("e", "1", 5_020),
            ("c", "1", 5_022),
            ("e", "2", 9_000),
            ("c", "2", 9_001),
            ("e", "1", 20_000),
        ] {
            builder.push(alarm_type, device, start_s).unwrap();
        }
        let links = DeviceLinks::from_text("1,2").unwrap();
        let history = builder.finish(Some(&links)).unwrap();
        delays(&history, 1, &[0], only_before).remove(0)
    }

    #[test]
    fn the_nearest_cause_is_taken_and_an_earlier_one_where_time_counts() {
        let trusted = told(true);
        assert_eq!(trusted.median_s, Some(7));
        assert_eq!([trusted.at_device, trusted.over_link], [1, 1]);
        let doubted = told(false);
        assert_eq!(doubted.median_s, Some(-1));
        assert_eq!([doubted.at_device, doubted.over_link], [3, 0]);
    }
}
