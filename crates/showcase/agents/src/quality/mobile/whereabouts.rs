//! Where a vehicle was at a time, as far as its records go, and the silences in them.
//!
//! Knows visits; refuses to know alarms. Read next: [`super`].

use super::{SHORTEST_S, SILENCE_S};
use crate::complaints::reader::when::TimeSpan;
use crate::quality::Trace;
use domain::telemetry::Visit;
use domain::time::Timestamp;

/// The place of a vehicle at the time in question, as far as records go.
pub(super) enum Whereabouts<'a> {
    /// Served here, by these.
    Here(Vec<&'a Visit>),
    /// Here without a record, between these.
    Silent(Option<&'a Visit>, Option<&'a Visit>),
    /// Not here, between these.
    Away(Option<&'a Visit>, Option<&'a Visit>),
}

pub(super) fn whereabouts<'a>(trace: &'a Trace, when: TimeSpan) -> Whereabouts<'a> {
    let middle = when.middle();
    let meets = |v: &&Visit| {
        v.from.plus_s(-SILENCE_S) <= when.until && v.until.plus_s(SILENCE_S) >= when.from
    };
    let before = trace.visits.iter().rfind(|v| v.from <= middle);
    let after = trace.visits.iter().find(|v| v.from > middle);
    let covered = before.is_some_and(|v| v.until.plus_s(SILENCE_S) >= middle && v.failures == 0)
        || before.is_some_and(|v| v.until >= middle);
    // A gap that begins or ends within the time asked about is what was felt, if calls failed.
    if let Some((before, after)) = felt_gaps(trace, when).into_iter().next() {
        return match is_absence(trace, Some(before), after) {
            true => Whereabouts::Away(Some(before), after),
            false => Whereabouts::Silent(Some(before), after),
        };
    }
    if covered {
        return Whereabouts::Here(trace.visits.iter().filter(meets).collect());
    }
    match is_absence(trace, before, after) {
        true => Whereabouts::Away(before, after),
        false => Whereabouts::Silent(before, after),
    }
}

/// A silence behind a visit; the visit after it, if there is one.
pub(super) type Gap<'a> = (&'a Visit, Option<&'a Visit>);

pub(super) fn span_of(trace: &Trace, gap: &Gap<'_>) -> TimeSpan {
    TimeSpan {
        from: gap.0.until,
        until: gap.1.map_or(trace.until, |v| v.from).max(gap.0.until),
    }
}

/// The silences behind failures that meet the time asked about, those first that fill most of it.
pub(super) fn felt_gaps(trace: &Trace, when: TimeSpan) -> Vec<Gap<'_>> {
    let gaps = trace.visits.iter().enumerate();
    let gaps = gaps.filter(|(_, v)| v.failures > 0);
    let gaps = gaps.map(|(at, v)| (v, trace.visits.get(at + 1)));
    let felt = |gap: &Gap<'_>| {
        let span = span_of(trace, gap);
        let meets = span.from <= when.until && span.until >= when.from;
        // A tunnel is no outage.
        meets && span.seconds() >= SHORTEST_S
    };
    let mut gaps: Vec<Gap<'_>> = gaps.filter(felt).collect();
    gaps.sort_by_key(|gap| {
        let common = common(span_of(trace, gap), when);
        std::cmp::Reverse(common.until - common.from)
    });
    gaps
}

/// The part that two spans that meet have in common.
pub(super) fn common(a: TimeSpan, b: TimeSpan) -> TimeSpan {
    let from = a.from.max(b.from);
    TimeSpan {
        from,
        until: a.until.min(b.until).max(from),
    }
}

/// True if the vehicle was in another province between two visits: it left, and this is the longest
/// time without a visit.
pub(super) fn is_absence(trace: &Trace, before: Option<&Visit>, after: Option<&Visit>) -> bool {
    let gap = |from: Timestamp, until: Timestamp| until - from;
    let own = match (before, after) {
        (Some(b), Some(a)) => gap(b.until, a.from),
        (Some(b), None) => return trace.left_to.is_some() && ends_away(trace, b),
        (None, Some(_)) => return trace.came_from.is_some(),
        (None, None) => return false,
    };
    let pairs = trace.visits.windows(2);
    let longest = pairs.map(|p| gap(p[0].until, p[1].from)).max();
    let crossed = trace.left_to.is_some() && trace.came_from.is_some();
    crossed && longest.is_none_or(|longest| own >= longest)
}

/// True if what follows the last visit is an absence: the vehicle left and has not come back.
fn ends_away(trace: &Trace, last: &Visit) -> bool {
    // It came back from there earlier if there is a long gap before the last visit as well.
    let tail = trace.until - last.until;
    let pairs = trace.visits.windows(2);
    let longest = pairs.map(|p| p[1].from - p[0].until).max().unwrap_or(0);
    trace.came_from.is_none() || tail >= longest
}
