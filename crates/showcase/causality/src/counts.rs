//! How often alarm types precede each other, come together and come alone, at six scales of time.
//!
//! What is counted are onsets, so that flapping counts once; the partner may be at the same device
//! or at an adjacent one. Read next: `order`, [`crate::learning`].

use crate::history::AlarmHistory;
use crate::neighbourhood::{Cursor, Neighbourhood, onsets};
use crate::square::Square;
use crate::statistics::ln_poisson_tail;

/// The scales in seconds, half a decade from one to the next: from the jitter of reports to a
/// quarter of an hour. Every second one belongs together: 3, 30, 300 and 10, 100, 1000.
pub(crate) const SCALES_S: [i64; 6] = [3, 10, 30, 100, 300, 1_000];

/// The counts at one scale.
pub(crate) struct ScaleCounts {
    /// Onsets of either type that tell that the first precedes the second, by more than the scale
    /// two places before and at most this one.
    pub(crate) precedes: Square,
    /// Onsets of the first with the second within the scale, before or after.
    pub(crate) together: Square,
    /// The same as expected if the times of both had nothing to do with each other.
    pub(crate) expected: Square,
    /// Onsets of each type.
    pub(crate) onsets: Vec<f64>,
    /// Those of them with no other type within the scale.
    pub(crate) alone: Vec<f64>,
}

/// Counts at all scales. `progress` is told the share that is done.
pub(crate) fn count(history: &AlarmHistory, progress: &mut dyn FnMut(f64)) -> Vec<ScaleCounts> {
    let types = history.types().len();
    let mut scales: Vec<_> = SCALES_S.iter().map(|_| ScaleCounts::new(types)).collect();
    for device in 0..history.devices() {
        let near = Neighbourhood::of(history, device);
        for (place, counts) in scales.iter_mut().enumerate() {
            counts.add(history, &near, place);
        }
        progress((device + 1) as f64 / history.devices() as f64);
    }
    scales
}

impl ScaleCounts {
    fn new(types: usize) -> Self {
        Self {
            precedes: Square::new(types),
            together: Square::new(types),
            expected: Square::new(types),
            onsets: vec![0.0; types],
            alone: vec![0.0; types],
        }
    }

    /// The share of a type's onsets that are alone.
    pub(crate) fn alone_share(&self, alarm_type: usize) -> f64 {
        self.alone[alarm_type] / self.onsets[alarm_type].max(1.0)
    }

    /// Standard deviations by which two types come together more often than expected, seen from
    /// that of them which says so more strongly.
    pub(crate) fn excess(&self, a: usize, b: usize) -> f64 {
        let excess = |pair| {
            let expected: f64 = self.expected[pair];
            (self.together[pair] - expected) / (expected + 1e-9).sqrt()
        };
        f64::max(excess((a, b)), excess((b, a)))
    }

    /// The logarithm of the probability that two types come together so often by chance, seen from that
    /// of them which makes it less likely: the upper tail of Poisson's distribution.
    pub(crate) fn ln_by_chance(&self, a: usize, b: usize) -> f64 {
        let tail = |pair| ln_poisson_tail(self.together[pair], self.expected[pair]);
        f64::min(tail((a, b)), tail((b, a)))
    }

    fn add(&mut self, history: &AlarmHistory, around: &Neighbourhood<'_>, place: usize) {
        let scale = SCALES_S[place];
        let least = place.checked_sub(2).map_or(0, |place| SCALES_S[place]);
        let near = around.near.iter();
        let covered: Vec<f64> = near
            .map(|(_, times)| covered(history, times, scale))
            .collect();
        for (own, times) in &around.own {
            let onsets = onsets(times, scale);
            let mut accompanied = vec![false; onsets.len()];
            for ((other, times), covered) in around.near.iter().zip(&covered) {
                if other == own {
                    continue;
                }
                let met = Meetings::of(&onsets, times, [least, scale], &mut accompanied);
                self.precedes[(*other, *own)] += met.before as f64;
                self.precedes[(*own, *other)] += met.after as f64;
                self.together[(*own, *other)] += met.within as f64;
                self.expected[(*own, *other)] += onsets.len() as f64 * covered;
            }
            let alone = accompanied.iter().filter(|with| !**with).count();
            self.onsets[*own] += onsets.len() as f64;
            self.alone[*own] += alone as f64;
        }
    }
}

/// How many onsets have another type near them.
#[derive(Default)]
struct Meetings {
    /// Before, by more than the lesser and at most the greater lag.
    before: usize,
    /// After, likewise.
    after: usize,
    /// Before or after by at most the greater lag.
    within: usize,
}

impl Meetings {
    fn of(
        onsets: &[i64],
        times: &[i64],
        [least, most]: [i64; 2],
        accompanied: &mut [bool],
    ) -> Self {
        let mut met = Self::default();
        let [mut from_most, mut from_least] = [Cursor::new(times), Cursor::new(times)];
        for (onset, accompanied) in onsets.iter().zip(accompanied) {
            let first = from_most.first_from(onset - most);
            let next = from_least.first_from(onset + least + 1);
            let within = first.is_some_and(|time| time <= onset + most);
            met.before += usize::from(first.is_some_and(|time| time < onset - least));
            met.after += usize::from(next.is_some_and(|time| time <= onset + most));
            met.within += usize::from(within);
            *accompanied |= within;
        }
        met
    }
}

/// The share of the history that lies within `scale` of one of these times: the probability that an
/// onset at any second would meet one.
fn covered(history: &AlarmHistory, times: &[i64], scale: i64) -> f64 {
    let [first, last] = history.span_s();
    let (mut seconds, mut until) = (0, first);
    for time in times {
        let from = (time - scale).max(until);
        until = (time + scale + 1).min(last + 1);
        seconds += until - from;
    }
    seconds as f64 / history.length_s()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::history::HistoryBuilder;

    fn counted(alarms: &[(&str, i64)]) -> Vec<ScaleCounts> {
        let mut builder = HistoryBuilder::default();
        for (alarm_type, start_s) in alarms {
            builder.push(alarm_type, "d", *start_s).unwrap();
        }
        count(&builder.finish(None).unwrap(), &mut |_| {})
    }

    #[test]
    fn lags_are_counted_at_their_own_scale() {
        let scales = counted(&[("a", 0), ("b", 3), ("a", 5_000), ("b", 5_031), ("a", 9_000)]);
        let precedes = scales
            .iter()
            .map(|it| [it.precedes[(0, 1)], it.precedes[(1, 0)]]);
        // Of 3 s: at 3 and 10, told by both onsets; of 31 s: at 100 and 300.
        let expected = [
            [2.0, 0.0],
            [2.0, 0.0],
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 0.0],
            [0.0, 0.0],
        ];
        assert_eq!(precedes.collect::<Vec<_>>(), expected);
        let alone: Vec<_> = scales.iter().map(|it| [it.alone[0], it.alone[1]]).collect();
        assert_eq!(alone[0], [2.0, 1.0]);
        assert_eq!(alone[5], [1.0, 0.0]);
    }

    #[test]
    fn what_overlaps_covers_once() {
        let scales = counted(&[("a", 0), ("b", 50), ("b", 52), ("a", 99)]);
        let both = 2.0 * (3.0 + 3.0 + 1.0 + 2.0) / 100.0;
        assert!((scales[0].expected[(0, 1)] - both).abs() < 1e-12);
        let ends = 1.0 * (4.0 + 4.0) / 100.0;
        assert!((scales[0].expected[(1, 0)] - ends).abs() < 1e-12);
    }
}
