//! What standing rules write on their authors' accounts: what was paid and is not stored yet, and what goes out though
//! its author writes too fast.
//!
//! Whom a rule tells in time is told in time: whoever writes without a pause would put that off for ever. So each author
//! has, beside his share, room for one escalation a second. Knows no account. Read next: [`super::acting`], which asks
//! for whom somebody is told; [`super::patches`], what is paid once.

use domain::policy::{DecisionSubject, RuleKey};
use domain::time::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// The time from one escalation of an author beyond his share to the next.
const APART_MS: i64 = 1_000;

#[derive(Default)]
pub(super) struct Charges {
    /// From when on an author has room for another beyond his share.
    next: HashMap<String, Timestamp>,
    /// What was paid for a decision that was not stored.
    paid: BTreeSet<(DecisionSubject, RuleKey)>,
}

impl Charges {
    /// Takes the room that an author has beyond his share, if he has it now. A clock that was set back puts nothing off.
    pub(super) fn lends(&mut self, author: &str, now: Timestamp) -> bool {
        let waits = |next: &Timestamp| now < *next && *next <= now + APART_MS;
        let is_free = !self.next.get(author).is_some_and(waits);
        if is_free {
            self.next.insert(author.to_owned(), now + APART_MS);
        }
        is_free
    }

    /// True if this was paid before, and could not be stored.
    pub(super) fn is_paid(&self, subject: &DecisionSubject, rule: &RuleKey) -> bool {
        self.paid.contains(&(subject.clone(), rule.clone()))
    }

    /// Notes that it is paid, until it is known what became of it.
    pub(super) fn pay(&mut self, subject: &DecisionSubject, rule: &RuleKey) {
        self.paid.insert((subject.clone(), rule.clone()));
    }

    /// Notes that it is stored, or refused.
    pub(super) fn settle(&mut self, subject: &DecisionSubject, rule: &RuleKey) {
        self.paid.remove(&(subject.clone(), rule.clone()));
    }

    /// Forgets what was paid, but for this.
    pub(super) fn retain(&mut self, keeps: impl Fn(&DecisionSubject, &RuleKey) -> bool) {
        self.paid.retain(|(subject, rule)| keeps(subject, rule));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_author_has_room_for_one_a_second_beyond_his_share() {
        let (at, mut charges) = (Timestamp::from_ms, Charges::default());
        assert!(charges.lends("ann", at(0)) && charges.lends("bob", at(10)));
        assert!(!charges.lends("ann", at(999)));
        assert!(charges.lends("ann", at(1_000)));
        assert!(!charges.lends("bob", at(1_000)));
        assert!(charges.lends("ann", at(5)), "the clock was set back");
        assert!(!charges.lends("ann", at(6)));
        assert!(charges.lends("ann", at(1_005)));
    }
}
