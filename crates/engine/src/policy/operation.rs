//! What is asked about decisions and standing rules (module convoke-policy).
//!
//! Types alone: what carries an operation out says what it is. Read next: [`super::governing`], [`super::checking`].

use domain::policy::{
    DecisionKind, DecisionSubject, PendingDecision, RuleConditions, RuleKey, RuleVerdict,
    StandingRule, TimeOut,
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

/// `check-rule`: what a standing rule of whoever asks would decide of what waits, and what in it names nothing. What
/// [`AddRule`] refuses is refused likewise, at once; the rest is [carried out](super::checking::RuleTrial) by whoever asks.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRule(pub AddRule);

/// What comes of a [`CheckRule`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleCheck {
    /// How many decisions it would take, of the 1,000 that it could cover and that wait longest.
    pub decides_count: u64,
    /// The first 100 of them, the longest waiting first.
    pub decides: Vec<RuleDecision>,
    /// What in it names nothing, in the order of its conditions.
    pub remarks: Vec<RuleRemark>,
}

/// A decision that waits and that a rule would take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDecision {
    /// What it is about.
    pub subject: DecisionSubject,
    /// How it would be decided.
    pub verdict: RuleVerdict,
    /// When, if not at once: by a rule that lets it wait first, or once another comes to say the same, or is over.
    pub at: Option<Timestamp>,
}

/// That a condition of a rule names nothing that there is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleRemark {
    /// What it lacks.
    pub lack: RuleLack,
    /// What the condition says; of a bound, its key.
    pub value: String,
}

/// What a condition of a rule lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleLack {
    /// No template that is served is of that scenario.
    Scenario,
    /// No agent that takes that scenario declares that it negotiates such decisions.
    Negotiation,
    /// No agent of that name is registered.
    Agent,
    /// No agent of that domain is registered.
    Domain,
    /// No template has that key.
    Key,
    /// What has that key has no number there.
    Number,
}

impl RuleLack {
    /// The condition, by its name in module convoke-policy.
    pub fn about(self) -> &'static str {
        match self {
            Self::Scenario | Self::Negotiation => "scenario",
            Self::Agent => "agent",
            Self::Domain => "domain",
            Self::Key | Self::Number => "bound",
        }
    }

    /// The remark, by its name there.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scenario => "scenario-unknown",
            Self::Negotiation => "not-negotiated",
            Self::Agent => "agent-unknown",
            Self::Domain => "domain-unknown",
            Self::Key => "key-unknown",
            Self::Number => "key-no-number",
        }
    }
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
