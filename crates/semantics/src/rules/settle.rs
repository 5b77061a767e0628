//! Which candidate each key gets: the surest first, no token for two keys, nothing below the
//! threshold (§6.1, D62).

use super::brief::{Brief, Kind};
use super::propose::Candidate;
use schema::steps::Steps;
use std::ops::Range;

/// What the keys got, and what no key got.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settlement {
    /// One candidate for a key at most.
    pub(crate) kept: Vec<Candidate>,
    /// For keys without: the surest candidate below the threshold.
    pub(crate) fallen: Vec<Candidate>,
}

/// Gives each key its candidate, counting `steps`. `reserved` are runs that belong to `other`.
pub(crate) fn settle(
    mut candidates: Vec<Candidate>,
    briefs: &[Brief],
    reserved: &[Range<usize>],
    threshold: f64,
    steps: &Steps,
) -> Settlement {
    candidates.retain(|c| !c.value.is_null() && !c.run.is_empty());
    candidates.sort_by(|a, b| order(a, b, briefs));
    let mut settlement = Settlement::default();
    for candidate in candidates {
        let decided = settlement.kept.iter().chain(&settlement.fallen);
        steps.take(1);
        if decided.into_iter().any(|k| k.brief == candidate.brief) {
            continue;
        }
        let others = reserved.len() + settlement.kept.len();
        steps.take(candidate.run.len().saturating_mul(1 + others));
        let free = !reserved.iter().any(|r| candidate.takes_of(r))
            && !settlement
                .kept
                .iter()
                .any(|k| k.clashes(&candidate) && !shares(k, &candidate, briefs));
        if !free {
            continue;
        }
        if candidate.confidence >= threshold {
            settlement.kept.push(candidate);
        } else {
            settlement.fallen.push(candidate);
        }
    }
    settlement
}

/// The surest first; of equals, for numbers and listed values the last that was said ("three rooms.
/// Actually, only one"), else the first key and the first said.
fn order(a: &Candidate, b: &Candidate, briefs: &[Brief]) -> std::cmp::Ordering {
    let later = a.brief == b.brief
        && matches!(
            briefs[a.brief].kind,
            Kind::Amount | Kind::Choice | Kind::Flag
        );
    let place = if later {
        b.run.start.cmp(&a.run.start)
    } else {
        a.run.start.cmp(&b.run.start)
    };
    b.confidence
        .total_cmp(&a.confidence)
        .then(b.run.len().cmp(&a.run.len()))
        .then(a.brief.cmp(&b.brief).then(place))
}

/// "in two hours" holds a day and a time; "mobile internet is slow" a service and what is wrong with
/// it, neither of which holds the other.
fn shares(one: &Candidate, other: &Candidate, briefs: &[Brief]) -> bool {
    let within =
        |a: &Candidate, b: &Candidate| b.run.start <= a.run.start && a.run.end <= b.run.end;
    let choices =
        briefs[one.brief].kind == Kind::Choice && briefs[other.brief].kind == Kind::Choice;
    choices && !within(one, other) && !within(other, one)
        || matches!(
            (briefs[one.brief].kind, briefs[other.brief].kind),
            (Kind::Day, Kind::Clock) | (Kind::Clock, Kind::Day)
        )
}
