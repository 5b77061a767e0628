//! How often a type comes on adjacent devices at once: what both ends of a link complain about, or what
//! takes out one device after the other, is not of one device alone.
//!
//! Knows one type at a time; refuses to know what causes it. Read next: [`crate::graph`].

use crate::history::AlarmHistory;
use crate::neighbourhood::onsets;

/// Seconds within which a type has come at once, and the gap from which it begins anew.
const AT_ONCE_S: i64 = 100;
const ANEW_S: i64 = 1_000;

/// The share of a type's onsets that have it on an adjacent device at about the same time; none
/// without a topology.
pub(crate) fn spread(history: &AlarmHistory, alarm_type: usize) -> Option<f64> {
    history.links()?;
    let (mut all, mut spread) = (0.0, 0.0);
    for device in 0..history.devices() {
        for onset in onsets(history.times(device, alarm_type), ANEW_S) {
            let near = |times: &[i64]| {
                let next = times.partition_point(|time| *time < onset - AT_ONCE_S);
                times
                    .get(next)
                    .is_some_and(|time| *time <= onset + AT_ONCE_S)
            };
            let mut adjacent = history.adjacent(device).iter();
            all += 1.0;
            spread += f64::from(adjacent.any(|other| near(history.times(*other, alarm_type))));
        }
    }
    (all > 0.0).then_some(spread / all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::history::HistoryBuilder;
    use crate::links::DeviceLinks;

    #[test]
    fn what_comes_on_both_ends_of_a_link_spreads() {
        let mut builder = HistoryBuilder::default();
        for (device, start_s) in [("1", 0), ("2", 60), ("1", 5_000), ("3", 5_010)] {
            builder.push("los", device, start_s).unwrap();
        }
        let links = DeviceLinks::from_text("1,2").unwrap();
        let history = builder.finish(Some(&links)).unwrap();
        assert_eq!(spread(&history, 0), Some(0.5));
    }
}
