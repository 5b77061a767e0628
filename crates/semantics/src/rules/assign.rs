//! The candidate that each key gets: the surest first, no token for two keys, nothing below the
//! threshold (§6.1).

use super::candidate::Candidate;
use super::slot::{Kind, Slot};
use schema::steps::Steps;
use std::ops::Range;

/// The candidates that the keys got, and those that no key got.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    /// One candidate for a key at most.
    pub(crate) kept: Vec<Candidate>,
    /// For keys without: the surest candidate below the threshold.
    pub(crate) fallen: Vec<Candidate>,
}

/// Gives each key its candidate, counting `steps`. `reserved` are runs that belong to `other`.
pub(crate) fn settle(
    mut candidates: Vec<Candidate>,
    slots: &[Slot],
    reserved: &[Range<usize>],
    threshold: f64,
    steps: &Steps,
) -> Assignment {
    candidates.retain(|c| !c.value.is_null() && !c.run.is_empty());
    candidates.sort_by(|a, b| order(a, b, slots));
    let mut settlement = Assignment::default();
    for candidate in candidates {
        let decided = settlement.kept.iter().chain(&settlement.fallen);
        steps.take(1);
        if decided.into_iter().any(|k| k.slot == candidate.slot) {
            continue;
        }
        let others = reserved.len() + settlement.kept.len();
        steps.take(candidate.run.len().saturating_mul(1 + others));
        let free = !reserved.iter().any(|r| candidate.takes_of(r))
            && !settlement
                .kept
                .iter()
                .any(|k| k.clashes(&candidate) && !shares(k, &candidate, slots));
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
fn order(a: &Candidate, b: &Candidate, slots: &[Slot]) -> std::cmp::Ordering {
    let later =
        a.slot == b.slot && matches!(slots[a.slot].kind, Kind::Amount | Kind::Choice | Kind::Flag);
    let place = if later {
        b.run.start.cmp(&a.run.start)
    } else {
        a.run.start.cmp(&b.run.start)
    };
    b.confidence
        .total_cmp(&a.confidence)
        .then(b.run.len().cmp(&a.run.len()))
        .then(a.slot.cmp(&b.slot).then(place))
}

/// "in two hours" holds a day and a time; "mobile internet is slow" a service and what is wrong with
/// it, neither of which holds the other.
fn shares(one: &Candidate, other: &Candidate, slots: &[Slot]) -> bool {
    let within =
        |a: &Candidate, b: &Candidate| b.run.start <= a.run.start && a.run.end <= b.run.end;
    let choices = slots[one.slot].kind == Kind::Choice && slots[other.slot].kind == Kind::Choice;
    choices && !within(one, other) && !within(other, one)
        || matches!(
            (slots[one.slot].kind, slots[other.slot].kind),
            (Kind::Day, Kind::Clock) | (Kind::Clock, Kind::Day)
        )
}
