//! The times of each alarm type at a device and around it.
//!
//! Times are whole seconds, ascending. Read next: `counts`, `attribution`.

use crate::history::AlarmHistory;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The times of the types at a device, on the devices adjacent to it, and on all of these.
#[derive(Debug)]
pub(crate) struct Neighbourhood<'h> {
    /// At the device itself, by type.
    pub(crate) own: Vec<(usize, &'h [i64])>,
    /// On the adjacent devices together, by type.
    pub(crate) adjacent: Vec<(usize, Vec<i64>)>,
    /// At the device and on the adjacent ones together, by type.
    pub(crate) near: Vec<(usize, Cow<'h, [i64]>)>,
}

impl<'h> Neighbourhood<'h> {
    /// The neighbourhood of a device.
    pub(crate) fn of(history: &'h AlarmHistory, device: usize) -> Self {
        let own: Vec<_> = history.raised(device).collect();
        let mut adjacent: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        for other in history.adjacent(device) {
            for (alarm_type, times) in history.raised(*other) {
                adjacent.entry(alarm_type).or_default().extend(times);
            }
        }
        adjacent
            .values_mut()
            .for_each(|times| times.sort_unstable());
        let mut near: BTreeMap<usize, Cow<'h, [i64]>> = BTreeMap::new();
        near.extend(own.iter().map(|(it, times)| (*it, Cow::Borrowed(*times))));
        for (alarm_type, times) in &adjacent {
            let near = near.entry(*alarm_type).or_default().to_mut();
            near.extend(times);
            near.sort_unstable();
        }
        Self {
            own,
            adjacent: adjacent.into_iter().collect(),
            near: near.into_iter().collect(),
        }
    }
}

/// The first time, and each that follows the one before it by more than `gap` seconds: what flaps
/// counts once.
pub(crate) fn onsets(times: &[i64], gap: i64) -> Vec<i64> {
    let later = times.windows(2).filter(|pair| pair[1] - pair[0] > gap);
    let first = times.first().copied();
    first.into_iter().chain(later.map(|pair| pair[1])).collect()
}

/// A place in times that only moves forward.
pub(crate) struct Cursor<'t> {
    times: &'t [i64],
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The beginning of these times.
    pub(crate) fn new(times: &'t [i64]) -> Self {
        Self { times, at: 0 }
    }

    /// The first time that is not before `bound`, which is no less than the last one.
    pub(crate) fn first_from(&mut self, bound: i64) -> Option<i64> {
        let rest = &self.times[self.at..];
        let mut reach = 1;
        while reach <= rest.len() && rest[reach - 1] < bound {
            reach *= 2;
        }
        let known = reach / 2;
        let open = &rest[known..reach.min(rest.len())];
        self.at += known + open.partition_point(|time| *time < bound);
        self.times.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_flaps_counts_once() {
        assert_eq!(onsets(&[0, 3, 6, 10, 20, 23], 3), [0, 10, 20]);
        assert!(onsets(&[], 3).is_empty());
    }

    proptest! {
        #[test]
        fn a_cursor_finds_what_a_search_finds(
            mut times in proptest::collection::vec(0_i64..100, 0..60),
            mut bounds in proptest::collection::vec(-5_i64..110, 0..60),
        ) {
            times.sort_unstable();
            bounds.sort_unstable();
            let mut cursor = Cursor::new(&times);
            for bound in bounds {
                let found = times.iter().copied().find(|time| *time >= bound);
                prop_assert_eq!(cursor.first_from(bound), found);
            }
        }
    }
}
