//! Rounds of A2A-T and ours.
//!
//! With A2A-T every proposal begins a round, whoever makes it; an answer is of the round of what it
//! answers, or, of peers that count messages, of the next. With us a round holds one turn of each
//! side, and the negotiation is exhausted with the last. Where both end is reckoned here.

use domain::negotiation::{Negotiation, Stance, Turn};

/// The number of proposals made since the negotiation was opened last: the round of A2A-T that the
/// standing one is of.
pub fn proposals(negotiation: &Negotiation) -> u32 {
    since_opened(negotiation)
        .filter(|t| t.speech.stance == Stance::Offer)
        .count() as u32
}

/// The proposal that began a round of A2A-T, from 1.
pub(super) fn proposal(negotiation: &Negotiation, round: u32) -> Option<&Turn> {
    let mut offers = since_opened(negotiation).filter(|t| t.speech.stance == Stance::Offer);
    offers.nth(round.checked_sub(1)? as usize)
}

fn since_opened(negotiation: &Negotiation) -> impl Iterator<Item = &Turn> {
    let opened = negotiation.opened;
    negotiation.turns.iter().filter(move |t| t.round >= opened)
}

/// The limit of our rounds under which so many proposals can be made and the last one answered.
/// That there are no more is held by [`hear`](super::hear).
pub fn round_limit(max_rounds: u32) -> u32 {
    max_rounds / 2 + 1
}

/// The number of proposals that can be made, with the last one answered, within so many rounds of
/// ours.
pub fn max_rounds(round_limit: u32) -> u32 {
    round_limit.saturating_mul(2).saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_reckoned_both_ways() {
        for limit in 1..100 {
            assert_eq!(round_limit(max_rounds(limit)), limit);
        }
        assert_eq!(max_rounds(0), 1);
    }
}
