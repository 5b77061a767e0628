//! Standing rules, and who was told of what waits, as documents of the store.
//!
//! Knows their kinds and names. Read next: `store::Document`, [`super`].

use super::rules::Rules;
use domain::policy::{DecisionSubject, RuleKey, StandingRule};
use domain::time::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use store::{Document, ReadError, Store};

const RULE: &str = "standing-rule";
const ESCALATION: &str = "escalation";

/// By which rules somebody else was told of a decision that waits since then.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Escalation {
    pub(super) since: Timestamp,
    told: BTreeSet<Told>,
}

/// Who was told because of a rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Told {
    rule: RuleKey,
    user: String,
}

/// The same, with the decision.
#[derive(Serialize, Deserialize)]
struct Escalated {
    subject: DecisionSubject,
    #[serde(flatten)]
    told: Escalation,
}

impl Escalation {
    /// What was told of what waits since then; what was told of another time that the same had waited counts no more.
    pub(super) fn of(known: Option<&Self>, since: Timestamp) -> Self {
        let known = known.filter(|known| known.since == since).cloned();
        known.unwrap_or(Self {
            since,
            told: BTreeSet::new(),
        })
    }

    /// One more was told.
    pub(super) fn insert(&mut self, rule: RuleKey, user: String) {
        self.told.insert(Told { rule, user });
    }

    /// Keeps what was told by these rules: of what others told, nobody need know.
    pub(super) fn retain_of(&mut self, rules: &Rules) {
        self.told.retain(|told| rules.find(&told.rule).is_some());
    }

    /// True if this user was told of this by that rule.
    pub(super) fn has(&self, rule: &RuleKey, user: &str) -> bool {
        let is_it = |told: &Told| told.rule == *rule && told.user == user;
        self.told.iter().any(is_it)
    }

    /// Who was told.
    pub(super) fn users(&self) -> BTreeSet<String> {
        self.told.iter().map(|told| told.user.clone()).collect()
    }
}

fn document(kind: &'static str, name: String, body: Option<&impl Serialize>) -> Document {
    let written = |body| serde_json::to_string(body).expect("it is JSON with string keys");
    Document {
        kind: kind.into(),
        name,
        body: body.map(written),
    }
}

/// A rule, to be kept.
pub(super) fn rule(rule: &StandingRule) -> Document {
    document(RULE, rule.key.to_string(), Some(rule))
}

/// The end of a rule.
pub(super) fn no_rule(key: &RuleKey) -> Document {
    document(RULE, key.to_string(), None::<&StandingRule>)
}

/// By which rules somebody was told of a decision.
pub(super) fn escalation(subject: &DecisionSubject, told: Escalation) -> Document {
    let name = subject.to_string();
    let subject = subject.clone();
    document(ESCALATION, name, Some(&Escalated { subject, told }))
}

/// That nobody needs to know that any more.
pub(super) fn no_escalation(subject: &DecisionSubject) -> Document {
    document(ESCALATION, subject.to_string(), None::<&Escalated>)
}

pub(super) fn rules(store: &Store) -> Result<Vec<StandingRule>, ReadError> {
    all(store, RULE)
}

pub(super) fn escalations(
    store: &Store,
) -> Result<HashMap<DecisionSubject, Escalation>, ReadError> {
    let told = all::<Escalated>(store, ESCALATION)?.into_iter();
    Ok(told.map(|it| (it.subject, it.told)).collect())
}

fn all<T: DeserializeOwned>(store: &Store, kind: &str) -> Result<Vec<T>, ReadError> {
    let documents = store.documents(kind)?.into_iter();
    let read = |it: Document| {
        serde_json::from_str(&it.body.unwrap_or_default()).map_err(|cause| ReadError::Corrupt {
            table: format!("document {kind}"),
            key: format!("{}: {cause}", it.name),
        })
    };
    documents.map(read).collect()
}
