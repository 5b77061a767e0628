//! The one function that decides what standing rules say of a decision.
//!
//! A rule speaks with the rights that its author has at that moment, or not at all. Where two that speak say
//! different things, nothing is decided. Read next: [`super`], what rules are.

use super::{Afterwards, NumberBound, PendingDecision, RuleVerdict, StandingRule};
use crate::time::Timestamp;

/// Why a ruling is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RulingReason {
    /// No rule speaks of it.
    NoRule,
    /// All rules that speak of it say the same.
    Rule,
    /// Two rules that speak of it disagree.
    Disagreement,
    /// All say yes, to what only a person says yes to.
    NeedsPerson,
}

impl RulingReason {
    /// The name in module convoke-policy.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoRule => "no-rule",
            Self::Rule => "rule-asks",
            Self::Disagreement => "rules-disagree",
            Self::NeedsPerson => "needs-person",
        }
    }
}

/// What the rules say of a decision at some moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling<'r> {
    /// What is to be done. [`RuleVerdict::Ask`] if a person is to decide.
    pub verdict: RuleVerdict,
    /// Why.
    pub why: RulingReason,
    /// The rules that speak of it, by name. What is decided, is decided by the first.
    pub rules: Vec<&'r StandingRule>,
    /// Those among them by which somebody else is to be told by now.
    pub escalations: Vec<&'r StandingRule>,
    /// When time alone may change this; none if it does not.
    pub look_again: Option<Timestamp>,
}

/// What the rules say of a decision now, of which only those count that have the right to it.
pub fn decide<'r>(
    rules: impl IntoIterator<Item = &'r StandingRule>,
    pending: &PendingDecision,
    has_right: impl Fn(&StandingRule) -> bool,
    now: Timestamp,
) -> Ruling<'r> {
    let speaks = |rule: &&StandingRule| rule.speaks_of(pending, now) && has_right(rule);
    let mut rules: Vec<&StandingRule> = rules.into_iter().filter(speaks).collect();
    rules.sort_by(|a, b| a.key.cmp(&b.key));
    let mut verdicts = rules.iter().map(|rule| rule.says(pending, now));
    let (verdict, why) = match verdicts.next() {
        None => (RuleVerdict::Ask, RulingReason::NoRule),
        Some(first) if verdicts.any(|other| other != first) => {
            (RuleVerdict::Ask, RulingReason::Disagreement)
        }
        Some(RuleVerdict::Accept) if pending.wants_person => {
            (RuleVerdict::Ask, RulingReason::NeedsPerson)
        }
        Some(first) => (first, RulingReason::Rule),
    };
    let escalates = |rule: &&&StandingRule| rule.escalates_to(pending, now).is_some();
    let escalations = rules.iter().filter(escalates).copied().collect();
    let turns = rules.iter().flat_map(|rule| rule.turns(pending, now));
    let look_again = turns.min();
    Ruling {
        verdict,
        why,
        rules,
        escalations,
        look_again,
    }
}

impl StandingRule {
    /// True if it holds by now.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.valid_until.is_none_or(|until| now < until)
    }

    /// True if it is about this decision, and holds. Who has said yes has no more to say.
    pub fn speaks_of(&self, pending: &PendingDecision, now: Timestamp) -> bool {
        self.is_valid(now)
            && self.kind == pending.subject.kind
            && !pending.approved_by.contains(&self.key.author)
            && self.covers(pending)
    }

    /// Whom it wants to be told by now that this waits.
    pub fn escalates_to(&self, pending: &PendingDecision, now: Timestamp) -> Option<&str> {
        match self.after_time_out(pending, now)? {
            Afterwards::Escalate(user) => Some(user),
            Afterwards::Accept | Afterwards::Reject => None,
        }
    }

    fn covers(&self, pending: &PendingDecision) -> bool {
        let wanted = &self.conditions;
        let whose = self.decider();
        let is_whose = whose.is_none() || whose == pending.decider.as_deref();
        let fits =
            |wanted: &Option<String>, has: &Option<String>| wanted.is_none() || wanted == has;
        is_whose
            && fits(&wanted.agent, &pending.agent)
            && fits(&wanted.domain, &pending.domain)
            && fits(&wanted.target, &pending.target)
            && fits(&wanted.scenario, &pending.scenario)
            && wanted.bounds.iter().all(|bound| bound.holds(pending))
    }

    /// What it says of a decision that it speaks of.
    pub fn says(&self, pending: &PendingDecision, now: Timestamp) -> RuleVerdict {
        match self.after_time_out(pending, now) {
            Some(Afterwards::Accept) => RuleVerdict::Accept,
            Some(Afterwards::Reject) => RuleVerdict::Reject,
            Some(Afterwards::Escalate(_)) | None => self.verdict,
        }
    }

    /// What it says since the decision has waited long enough; none before, and of a rule that does not ask.
    fn after_time_out(&self, pending: &PendingDecision, now: Timestamp) -> Option<&Afterwards> {
        let asks = self.verdict == RuleVerdict::Ask;
        let time_out = self.time_out.as_ref().filter(|_| asks)?;
        (pending.since + time_out.after_ms <= now).then_some(&time_out.then)
    }

    /// When it will say something else, or nothing any more.
    fn turns(&self, pending: &PendingDecision, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        let asks = self.verdict == RuleVerdict::Ask;
        let time_out = self.time_out.as_ref().filter(|_| asks);
        let time_out = time_out.map(|it| pending.since + it.after_ms);
        let turns = time_out.into_iter().chain(self.valid_until);
        turns.filter(move |at| now < *at)
    }
}

impl NumberBound {
    /// True if this number of every alternative is there and within.
    fn holds(&self, pending: &PendingDecision) -> bool {
        let is_within = |number: f64| {
            self.least.is_none_or(|least| least <= number)
                && self.most.is_none_or(|most| number <= most)
        };
        let number = |index| pending.offers.value(index, &self.key)?.as_f64();
        let alternatives = pending.offers.alternatives();
        alternatives > 0 && (0..alternatives).all(|index| number(index).is_some_and(is_within))
    }
}

#[cfg(test)]
mod tests;
