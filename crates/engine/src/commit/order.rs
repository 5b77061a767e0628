//! In which order locks are taken: what is decided first, then one agent, and never the other way.
//!
//! Two decisions that each wait for an agent which the other holds would wait for ever, and so would an agent that
//! waits for a decision which waits for it. Each thread knows what it holds; where debug assertions are on, as in
//! tests, taking a lock out of order panics at once instead of once in a thousand runs. Read next:
//! [`super::lock`], [`crate::hosting::agents`].

use crate::commit::broken::Broken;
use std::cell::Cell;

/// What a lock holds, in the order in which locks may be taken: of each rank one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Nothing,
    /// What is decided.
    Work,
    /// One agent.
    Agent,
}

thread_local! {
    /// The last lock that this thread holds.
    static HELD: Cell<Rank> = const { Cell::new(Rank::Nothing) };
}

/// A lock that this thread holds. A panic under it is a decision that panicked.
pub(crate) struct Held<'e> {
    before: Rank,
    broken: &'e Broken,
}

impl<'e> Held<'e> {
    /// To be called before the lock is waited for.
    pub(crate) fn take(rank: Rank, broken: &'e Broken) -> Self {
        let before = if cfg!(debug_assertions) {
            let before = HELD.get();
            assert!(before < rank, "{rank:?} is taken under {before:?}");
            HELD.replace(rank)
        } else {
            Rank::Nothing
        };
        Self { before, broken }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            HELD.set(self.before);
        }
        if std::thread::panicking() {
            self.broken.set();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(ranks: &[Rank]) {
        let broken = Broken::default();
        let mut held = Vec::new();
        for rank in ranks {
            held.push(Held::take(*rank, &broken));
        }
        // The last first, as locals are dropped.
        while held.pop().is_some() {}
    }

    #[test]
    fn an_agent_is_taken_under_what_is_decided_or_alone() {
        taken(&[Rank::Work, Rank::Agent]);
        taken(&[Rank::Agent]);
        taken(&[Rank::Work]);
    }

    #[test]
    #[should_panic(expected = "Work is taken under Agent")]
    fn what_is_decided_is_not_taken_under_an_agent() {
        taken(&[Rank::Agent, Rank::Work]);
    }

    #[test]
    #[should_panic(expected = "Agent is taken under Agent")]
    fn no_two_agents_are_taken() {
        taken(&[Rank::Work, Rank::Agent, Rank::Agent]);
    }
}
