//! What waits for a decision, and the standing rules by which some of it is decided without asking.
//!
//! ```text
//!   something waits ──► rules that cover it, by rights that their authors have now
//!                         │ none ─────────────► its decider is asked
//!                         │ they disagree ────► its decider is asked
//!                         │ one says ask ─────► its decider is asked; after a while: accept, reject,
//!                         │                     or somebody else is told
//!                         └ all say the same ─► decided, in the name of the first of them
//! ```
//! Pure: who has which rights is an argument, as is time. Read next: [`mod@decide`], the one function that
//! decides; [`offers`], what it looks into; `engine`'s `policy`, which keeps rules and acts by them.

pub mod decide;
pub mod offers;

pub use decide::{Ruling, RulingReason, decide};
pub use offers::Offers;

use crate::access::Credential;
use crate::task::TaskId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The kind of a decision that waits.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionKind {
    /// A result, to be judged by its publisher (§4.5).
    Result,
    /// A decision or a counter-proposal of the executor, to be agreed to (§5.3, 2).
    Decision,
    /// A question of the executor, to be answered (§4.4).
    Question,
    /// Credentials, to be given to the executor.
    Credentials,
    /// An assignment that lacks something, to be completed.
    Completion,
    /// The turn of a side in a feasibility (§5.3, 1).
    Feasibility,
    /// A plan of the publisher, to be answered by the executor (§4.3).
    Plan,
    /// A patch of a schema, to be approved or rejected.
    Patch,
}

crate::named! {
    /// The name in module convoke-policy.
    DecisionKind
}

impl DecisionKind {
    /// True if a yes or a no decides it, so that a rule can: the others want words.
    pub fn is_ruled(self) -> bool {
        matches!(
            self,
            Self::Result | Self::Decision | Self::Feasibility | Self::Patch
        )
    }

    /// True if it is about a task, which has a publisher and an executor.
    pub fn is_of_task(self) -> bool {
        self != Self::Patch
    }
}

/// What a decision is about: a kind, and the identifier of the task or the patch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DecisionSubject {
    /// The kind.
    pub kind: DecisionKind,
    /// The identifier of the task, or of the patch.
    pub id: String,
}

impl DecisionSubject {
    /// The task that it is about; none if it is about none.
    pub fn task(&self) -> Option<TaskId> {
        self.kind.is_of_task().then(|| TaskId::new(&*self.id))
    }
}

impl fmt::Display for DecisionSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.id)
    }
}

/// A decision that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingDecision {
    /// What it is about.
    pub subject: DecisionSubject,
    /// Whose decision it is; none if it is anybody's who may decide such things.
    pub decider: Option<String>,
    /// The other side; none if there is none.
    pub agent: Option<String>,
    /// The domain of that agent.
    pub domain: Option<String>,
    /// What the task is about, or the version of the schema that the patch adds to.
    pub target: Option<String>,
    /// The type of the task, or what the schema is for.
    pub scenario: Option<String>,
    /// The round of a negotiation in which the decision would be.
    pub round: Option<u32>,
    /// What is offered; of what is no offer, what it is about.
    pub offers: Offers,
    /// Since when it waits.
    pub since: Timestamp,
    /// Until when it can be decided; none if that is not limited.
    pub until: Option<Timestamp>,
    /// True if only a person says yes to it: a patch that is security-relevant.
    pub wants_person: bool,
    /// Who has said yes already, where one is not enough.
    pub approved_by: BTreeSet<String>,
}

/// What a rule says of the decisions that it covers.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleVerdict {
    /// The result is accepted, the offer taken (of several alternatives the first), the patch approved.
    Accept,
    /// It is refused.
    Reject,
    /// Its decider is asked, whatever else is said.
    Ask,
}

crate::named! {
    /// The name in module convoke-policy.
    RuleVerdict
}

/// The name of a rule: who added it, and how he calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleKey {
    /// Who added it.
    pub author: String,
    /// How he calls it.
    pub name: String,
}

impl fmt::Display for RuleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.author, self.name)
    }
}

/// The bounds of one number of what is offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberBound {
    /// The key of the payload.
    pub key: String,
    /// The least that is covered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// The most that is covered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

/// Which decisions of its kind a rule covers: those of which all of this is true.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleConditions {
    /// Whose decisions; its author's, if nobody else is named. Of patches it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decider: Option<String>,
    /// The other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The domain of the other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// What the task is about, or the version of the schema that the patch adds to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The type of the task, or what the schema is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Numbers of every alternative that is offered. What is not there is within no bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<NumberBound>,
}

/// What becomes of a decision that was asked for and not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOut {
    /// After how long, in milliseconds from when it began to wait.
    pub after_ms: i64,
    /// What then.
    pub then: Afterwards,
}

/// What a rule says once a decision has waited long enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Afterwards {
    /// It is accepted.
    Accept,
    /// It is refused.
    Reject,
    /// This user is told as well.
    Escalate(String),
}

/// A standing rule: who decides what without asking, up to which bound, until when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingRule {
    /// Its name.
    pub key: RuleKey,
    /// The kind of decisions that it is about.
    pub kind: DecisionKind,
    /// Which of them.
    pub conditions: RuleConditions,
    /// What it says of them.
    pub verdict: RuleVerdict,
    /// What it says after a while, if it says that its decider is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_out: Option<TimeOut>,
    /// Until when it holds; none if that is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// When it was added.
    pub added: Timestamp,
    /// The credential of its author that the host knew then: it lapses where the host knows another, or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
    /// The digest of its keys: it lapses where they are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_digest: Option<String>,
}

impl StandingRule {
    /// Whose decisions it is about; none of patches, which whoever may decides.
    pub fn decider(&self) -> Option<&str> {
        let decider = self.conditions.decider.as_ref();
        let is_of_task = self.kind.is_of_task();
        is_of_task.then(|| decider.map_or(&*self.key.author, String::as_str))
    }

    /// What it says of what, on one line, what decides most first: for those who look through the audit trail.
    pub fn terms(&self) -> String {
        let mut terms = format!("{} {}", self.verdict.as_str(), self.kind.as_str());
        let mut say = |name: &str, is: &str, value: &dyn fmt::Display| {
            terms.push_str(&format!(" {name}{is}{value}"));
        };
        let wanted = &self.conditions;
        if let Some(decider) = &wanted.decider {
            say("decider", "=", decider);
        }
        if let Some(time_out) = &self.time_out {
            say("after", "=", &format!("{}s", time_out.after_ms / 1_000));
            match &time_out.then {
                Afterwards::Accept => say("then", "=", &"accept"),
                Afterwards::Reject => say("then", "=", &"reject"),
                Afterwards::Escalate(user) => say("escalate-to", "=", user),
            }
        }
        if let Some(until) = &self.valid_until {
            say("valid-until", "=", until);
        }
        let texts = [
            ("domain", &wanted.domain),
            ("scenario", &wanted.scenario),
            ("agent", &wanted.agent),
            ("target", &wanted.target),
        ];
        for (name, text) in texts {
            text.iter().for_each(|it| say(name, "=", it));
        }
        for bound in &wanted.bounds {
            bound.least.iter().for_each(|it| say(&bound.key, ">=", it));
            bound.most.iter().for_each(|it| say(&bound.key, "<=", it));
        }
        terms
    }
}

/// What happened to a rule, or by one.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyChange {
    /// It was added.
    RuleAdded,
    /// It was withdrawn.
    RuleWithdrawn,
    /// Something was decided by it.
    Decided,
    /// Somebody else was told of what nobody had decided.
    Escalated,
}

crate::named! {
    /// The name in module convoke-policy.
    PolicyChange
}

/// An entry of the log about a standing rule: `policy-update`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyUpdate {
    /// When.
    pub time: Timestamp,
    /// The rule.
    pub rule: RuleKey,
    /// What happened.
    pub change: PolicyChange,
    /// The rule as it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<StandingRule>,
    /// What was decided, or waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<DecisionSubject>,
    /// Since when that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Whose decision that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decider: Option<String>,
    /// How it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<RuleVerdict>,
    /// Who was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_to: Option<String>,
}

impl PolicyUpdate {
    /// Something that happened to a rule, and nothing else said of it.
    pub fn of(rule: RuleKey, change: PolicyChange, time: Timestamp) -> Self {
        Self {
            time,
            rule,
            change,
            added: None,
            subject: None,
            since: None,
            decider: None,
            verdict: None,
            escalated_to: None,
        }
    }

    /// True if it concerns this user: who added the rule, whose decision it was, or who was told.
    pub fn concerns(&self, user: &str) -> bool {
        let others = [&self.decider, &self.escalated_to];
        self.rule.author == user || others.into_iter().flatten().any(|name| name == user)
    }
}
