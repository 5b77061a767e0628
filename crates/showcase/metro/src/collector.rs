//! How alarms are delivered: by a collector of each part of the town, which polls.
//!
//! A poll brings what has come since the last one, in a batch, by the times that its messages tell; in a
//! storm a collector drops what it cannot hold; and some hours apart, again and again, it asks for all
//! that stands, which brings what was lost and repeats what was not. Clocks of equipment differ. Read
//! next: [`crate::run`].

use crate::cascade::NoticedCondition;
use crate::chance::{below, chance, log_normal, normal, uniform};
use domain::inventory::ElementId;
use domain::time::SeededRng;
use std::collections::BTreeMap;

/// The share of messages that are lost on the way to a collector.
const LOST: f64 = 0.08;
/// Seconds from noticing to sending: the median, and the deviation of the logarithm.
const SENT_S: (f64, f64) = (4.0, 0.8);
/// Seconds between a collector's polls.
const POLLS_S: [f64; 2] = [15.0, 45.0];
/// Messages that a collector holds between two polls.
const HELD: usize = 60;
/// Seconds from one comparison of all alarms that stand to the next.
const COMPARED_S: f64 = 21_600.0;
/// Seconds by which clocks differ: most of them, and one in twenty.
const CLOCK_S: f64 = 2.0;
const BAD_CLOCK_S: f64 = 25.0;
const BAD_CLOCKS: f64 = 0.05;

/// A message as it arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Seconds from the beginning of the run until it is delivered.
    pub delivered_s: f64,
    /// Seconds until the condition began or ended, by the clock of whoever noticed.
    pub time_s: f64,
    /// The condition, by its place.
    pub condition: usize,
    /// True if it ended.
    pub cleared: bool,
}

/// A collector of one part of the town.
struct Part {
    period_s: f64,
    phase_s: f64,
    /// Messages by poll.
    polled: BTreeMap<u64, usize>,
}

/// Delivers conditions, each with the node that noticed it and that node's part of the town; in the
/// order of delivery.
pub fn collect(
    conditions: &[(NoticedCondition, ElementId, String)],
    rng: &mut SeededRng,
) -> Vec<Message> {
    let mut clocks: BTreeMap<&ElementId, f64> = BTreeMap::new();
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    let mut order: Vec<usize> = (0..conditions.len()).collect();
    order.sort_by(|x, y| conditions[*x].0.from_s.total_cmp(&conditions[*y].0.from_s));
    let mut messages = Vec::new();
    for place in order {
        let (condition, node, part) = &conditions[place];
        let clock_s = *clocks.entry(node).or_insert_with(|| clock(rng));
        let part = parts.entry(part).or_insert_with(|| Part {
            period_s: uniform(rng, POLLS_S),
            phase_s: uniform(rng, [0.0, POLLS_S[1]]),
            polled: BTreeMap::new(),
        });
        let raise = |delivered_s: f64| Message {
            delivered_s,
            time_s: condition.from_s + clock_s,
            condition: place,
            cleared: false,
        };
        let sent_s = condition.told_from_s.unwrap_or(condition.from_s);
        let raised_s = part.delivers(sent_s, rng);
        messages.extend(raised_s.map(raise));
        let ended_s = part.delivers(condition.until_s.max(sent_s), rng);
        let mut compared_s = next_comparison_s(sent_s);
        while condition.until_s > compared_s {
            messages.push(raise(compared_s + uniform(rng, [5.0, 60.0])));
            compared_s += COMPARED_S;
        }
        // A clearing that was lost is noticed at the next comparison.
        let by_comparison_s = next_comparison_s(condition.until_s);
        let ended_s = ended_s.unwrap_or(by_comparison_s + uniform(rng, [5.0, 60.0]));
        messages.push(Message {
            // Nothing ends before it was told of.
            delivered_s: raised_s.map_or(ended_s, |raised_s| ended_s.max(raised_s)),
            time_s: condition.until_s + clock_s,
            condition: place,
            cleared: true,
        });
    }
    // What one poll brings is told by its own times; what has the same time in an order that is drawn, for
    // the place of a condition would tell which fault it is of.
    let drawn: Vec<usize> = conditions.iter().map(|_| below(rng, usize::MAX)).collect();
    messages.sort_by(|x, y| {
        let by_delivery = x.delivered_s.total_cmp(&y.delivered_s);
        let by_time = by_delivery.then_with(|| x.time_s.total_cmp(&y.time_s));
        let key = |message: &Message| (drawn[message.condition], message.cleared);
        by_time.then_with(|| key(x).cmp(&key(y)))
    });
    messages
}

/// The second of the first comparison after another.
fn next_comparison_s(after_s: f64) -> f64 {
    (after_s / COMPARED_S).floor() * COMPARED_S + COMPARED_S
}

/// Seconds by which a node's clock is ahead.
fn clock(rng: &mut SeededRng) -> f64 {
    let deviation = match chance(rng, BAD_CLOCKS) {
        true => BAD_CLOCK_S,
        false => CLOCK_S,
    };
    normal(rng, deviation)
}

impl Part {
    /// The second at which what is sent at `at_s` is delivered; none if it is lost.
    fn delivers(&mut self, at_s: f64, rng: &mut SeededRng) -> Option<f64> {
        let sent_s = at_s + log_normal(rng, SENT_S.0, SENT_S.1);
        let lost = chance(rng, LOST);
        let poll = ((sent_s - self.phase_s).max(0.0) / self.period_s).ceil();
        let held = self.polled.entry(poll as u64).or_default();
        *held += 1;
        let storm = *held > HELD && below(rng, 2) == 0;
        (!lost && !storm).then_some(self.phase_s + poll * self.period_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::{Purpose, generator};
    use crate::vocabulary::MetroAlarmType;

    fn condition(
        element: &str,
        from_s: f64,
        until_s: f64,
    ) -> (NoticedCondition, ElementId, String) {
        let element = ElementId::new(element);
        let condition = NoticedCondition {
            element: element.clone(),
            alarm_type: MetroAlarmType::RLos,
            from_s,
            until_s,
            told_from_s: None,
        };
        (condition, element, "Agg-01".to_owned())
    }

    /// The order within a poll tells nothing of what caused what, as the order of generation would.
    #[test]
    fn one_poll_is_in_the_order_of_its_times_and_else_in_none() {
        let port = |n: u32| condition("optic:1/a", 100.0 - f64::from(n / 20), 1e6);
        let forty: Vec<_> = (0..40).map(port).collect();
        let messages = collect(&forty, &mut generator(1, Purpose::Collector));
        let pairs = || messages.windows(2).map(|pair| (&pair[0], &pair[1]));
        assert!(pairs().all(|(x, y)| (x.delivered_s, x.time_s) <= (y.delivered_s, y.time_s)));
        let ties = pairs().filter(|(x, y)| (x.delivered_s, x.time_s) == (y.delivered_s, y.time_s));
        let [up, down] = ties.fold([0, 0], |[up, down], (x, y)| {
            match x.condition < y.condition {
                true => [up + 1, down],
                false => [up, down + 1],
            }
        });
        assert!(up > 2 && down > 2, "{up} and {down}");
    }

    #[test]
    fn what_stands_is_told_again_at_each_comparison() {
        let long = [condition("optic:1/a", 100.0, 4.5 * COMPARED_S)];
        let messages = collect(&long, &mut generator(1, Purpose::Collector));
        let again = messages
            .iter()
            .filter(|m| !m.cleared && m.delivered_s > COMPARED_S);
        assert_eq!(again.count(), 4);
        assert!(messages.last().is_some_and(|m| m.cleared));
    }

    #[test]
    fn what_is_lost_comes_with_the_comparison_and_storms_are_dropped() {
        let many: Vec<_> = (0..2_000)
            .map(|n| condition(&format!("optic:{n}/a"), f64::from(n) * 60.0, 1e6))
            .collect();
        let messages = collect(&many, &mut generator(1, Purpose::Collector));
        let soon = |m: &&Message| !m.cleared && m.delivered_s - many[m.condition].0.from_s < 300.0;
        let told = messages.iter().filter(soon).count();
        assert!((1_750..1_950).contains(&told), "{told} of 2,000 at once");
        let all: std::collections::BTreeSet<usize> = messages
            .iter()
            .filter(|m| !m.cleared)
            .map(|m| m.condition)
            .collect();
        assert_eq!(all.len(), 2_000, "all in the end");
        let storm: Vec<_> = (0..400)
            .map(|n| condition(&format!("optic:{n}/a"), 100.0, 900.0))
            .collect();
        let messages = collect(&storm, &mut generator(1, Purpose::Collector));
        let told = messages.iter().filter(|m| !m.cleared).count();
        assert!(told < 330, "{told} of 400");
    }
}
