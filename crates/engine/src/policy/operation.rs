//! What is asked about decisions and standing rules (module convoke-policy).
//!
//! Types alone: what carries an operation out says what it is. Read next: [`super::governing`].

use domain::policy::{
    DecisionKind, PendingDecision, RuleConditions, RuleKey, RuleVerdict, StandingRule, TimeOut,
};
use domain::time::Timestamp;
use std::sync::Arc;

/// `add-rule`: a standing rule of whoever asks.
#[derive(Clone, Debug, PartialEq)]
pub struct AddRule {
    /// How it is called, which no other rule of its author is.
    pub name: String,
    /// The kind of decisions that it is about.
    pub kind: DecisionKind,
    /// Which of them.
    pub conditions: RuleConditions,
    /// What it says of them.
    pub verdict: RuleVerdict,
    /// What it says after a while.
    pub time_out: Option<TimeOut>,
    /// Until when it holds.
    pub valid_until: Option<Timestamp>,
}

/// `withdraw-rule`: one's own, or as an administrator anybody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawRule {
    /// Who added it; whoever asks, if nobody is named.
    pub author: Option<String>,
    /// How it is called.
    pub name: String,
}

/// What waits that the principal may decide, the longest waiting first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingDecisions;

/// The answer to [`WaitingDecisions`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    /// How many there are in all.
    pub count: u64,
    /// The first of them.
    pub decisions: Vec<WaitingDecision>,
}

/// A decision that waits, and why no rule takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingDecision {
    /// What it is about.
    pub pending: PendingDecision,
    /// Why it is not decided by rules, by its name in module convoke-policy; none if it is about to be.
    pub why: Option<&'static str>,
    /// The rules that speak of it.
    pub rules: Vec<RuleKey>,
    /// Who was told of it because of these, since nobody decided it in time.
    pub escalated_to: Vec<String>,
}

/// The standing rules that the principal may see: one's own, of administrators all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingRules;

/// A standing rule, and how it is.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingRuleRecord {
    /// The rule.
    pub rule: Arc<StandingRule>,
    /// By its name in module convoke-policy: `in-force`, `over` or `lapsed`.
    pub state: &'static str,
}
