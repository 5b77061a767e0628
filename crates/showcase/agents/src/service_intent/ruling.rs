//! The choice of who yields: the intent that comes first prevails, unless it has nothing to lose.
//!
//! Throughput and energy are not traded against each other by a rate of exchange, since nobody gave
//! one; the order of priorities decides, and a party that loses next to nothing yields whatever its
//! place. If energy yields, the saving target is meanwhile as low as the parties say it would have to
//! be. A ruling holds for a bounded time, after which the conflict may be put again.

use crate::payloads::intent::{
    Intent, IntentOrder, IntentPolicy, IntentResult, IntentStatus, Party,
};

/// Under this a loss of throughput is none, in Mbit/s.
const LOSS_LEAST_MBPS: f64 = 0.1;
/// Under this a loss of energy is none, in kWh.
const LOSS_LEAST_KWH: f64 = 0.05;

/// Decides a conflict under a policy.
pub fn rule(policy: &IntentPolicy, order: &IntentOrder) -> IntentResult {
    let place = |i: Intent| policy.priorities.iter().position(|p| *p == i);
    let mut parties: Vec<&Party> = order.parties.iter().collect();
    parties.sort_by_key(|p| (!loses(p), place(p.intent).unwrap_or(usize::MAX)));
    let prevails = parties.first().map(|p| p.intent);
    let mut yields: Vec<Intent> = parties.iter().skip(1).map(|p| p.intent).collect();
    yields.retain(|i| Some(*i) != prevails);
    yields.dedup();
    let asked = order.policy.duration_minutes;
    let bound = policy.duration_minutes;
    let duration_minutes = asked.into_iter().chain(bound).min();
    let first = parties.first().copied();
    let second = parties.get(1).copied();
    let lowered = order.policy.saving_target_percent;
    let lowered = lowered.filter(|_| yields.contains(&Intent::Energy));
    let targets = [policy.saving_target_percent, lowered]
        .into_iter()
        .flatten();
    IntentResult {
        status: IntentStatus::Decided,
        prevails,
        yields,
        reason: first.zip(second).map(|(a, b)| words(policy, a, b)),
        policy: IntentPolicy {
            duration_minutes,
            saving_target_percent: targets.min_by(f64::total_cmp),
            ..policy.clone()
        },
    }
}

fn loses(party: &Party) -> bool {
    party.loss_mbps >= LOSS_LEAST_MBPS || party.loss_kwh >= LOSS_LEAST_KWH
}

fn words(policy: &IntentPolicy, first: &Party, second: &Party) -> String {
    let loss = |p: &Party| {
        format!(
            "{} would lose {:.1} Mbit/s and {:.1} kWh",
            p.intent.as_str(),
            p.loss_mbps,
            p.loss_kwh
        )
    };
    let because = match loses(second) {
        true => {
            let order: Vec<&str> = policy.priorities.iter().map(|i| i.as_str()).collect();
            format!("the order is {}", order.join(", "))
        }
        false => format!("{} loses nothing to speak of", second.intent.as_str()),
    };
    let (name, other) = (first.intent.as_str(), second.intent.as_str());
    let (lost, others) = (loss(first), loss(second));
    format!("{name} prevails over {other}: {because}; {lost}, {others}")
}
