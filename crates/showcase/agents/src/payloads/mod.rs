//! The structured payloads of the fault flow, one type per schema version.
//!
//! What a payload may hold is said by the shipped template of its schema ([`schema::shipped`]), and
//! checked by the contract made of it, which tells all that is wrong at once, so that a sender
//! mends it in one round. The form of each is what serde derives, which a test holds to the byte.
//! Refuses to know what agents do with payloads.
//! Read next: [`incident`], [`diagnosis`], [`repair`], [`ticket`], [`verification`]; then `canonical.rs`.

mod canonical;
pub mod compensation;
pub mod complaint;
pub mod diagnosis;
pub mod incident;
pub mod intent;
pub mod quality;
pub mod repair;
pub mod saving;
pub mod ticket;
pub mod verification;

use domain::content::{Content, Payload};
use domain::reply::{Reason, Reply, Verdict};
use schema::contract::{Contract, Limits, Unknown};
use schema::shipped;
use schema::template::Template;
use schema::violation::{Code, PayloadViolation};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A payload type with its schema version.
pub trait Schema: Serialize + DeserializeOwned {
    /// The schema version, e.g. `fault_diagnosis_v1`.
    const ID: &'static str;

    /// The key and value pairs, in canonical form.
    fn values(&self) -> Value {
        canonical::values(self)
    }

    /// The payload as a message carries it.
    fn to_payload(&self) -> Payload {
        Payload::new(Self::ID, self.values())
    }

    /// Reads a payload.
    ///
    /// # Errors
    /// [`UnreadablePayload`]: another schema, or all that its contract refuses.
    fn from_payload(payload: &Payload) -> Result<Self, UnreadablePayload> {
        if payload.schema_id != Self::ID {
            return Err(UnreadablePayload::other_schema(payload, [Self::ID]));
        }
        let accepted = contract(Self::ID)
            .accept(payload.values.clone(), Unknown::Reject)
            .map_err(UnreadablePayload::Refused)?;
        serde_json::from_value(accepted.values.into()).map_err(|_| UnreadablePayload::OutOfReach)
    }

    /// Reads the payload of a content that must have one.
    ///
    /// # Errors
    /// The reply to the sender: what is needed, or what is wrong.
    fn needed_in(content: &Content) -> Result<Self, Reply> {
        let target = content.target_object.as_str();
        let Some(payload) = &content.payload else {
            let words = format!("Needed: a payload of {}", Self::ID);
            let content = Content::new(target, words);
            return Err(Reply::new(Verdict::InputRequired, vec![content]));
        };
        Self::from_payload(payload).map_err(|e| e.reply(target))
    }

    /// Reads the payload of a content, if it has one of this schema that can be read.
    fn in_content(content: &Content) -> Option<Self> {
        Self::from_payload(content.payload.as_ref()?).ok()
    }
}

/// The most values in one payload: an outage of a whole network names every element of it. How long
/// a message may be is for those to say who carry it.
const NODES_MAX: usize = 1_000_000;

/// The contract of a shipped schema.
fn contract(schema_id: &str) -> &'static Contract {
    static CONTRACTS: LazyLock<BTreeMap<String, Contract>> = LazyLock::new(|| {
        let templates = shipped::shipped().into_iter();
        templates
            .map(|t| (t.schema_id.clone(), compiled(&t)))
            .collect()
    });
    CONTRACTS
        .get(schema_id)
        .expect("every payload type has a shipped template, which a test holds")
}

fn compiled(template: &Template) -> Contract {
    let contract = Contract::new(template).expect("shipped templates are clean");
    contract.within(Limits {
        nodes: NODES_MAX,
        ..Limits::default()
    })
}

/// The reason why a payload cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadablePayload {
    /// It follows another schema.
    #[error("{found} is not among the schemas of this agent; current: {}", .current.join(", "))]
    OtherSchema {
        /// The schemas that are current instead: of the same scenario if there is one, else all.
        current: Vec<String>,
        /// The schema found.
        found: String,
    },
    /// Its contract refuses it.
    #[error("{} of the payload's places are not as its schema says", .0.len())]
    Refused(Vec<PayloadViolation>),
    /// It is as its schema says, and names an instant that cannot be reckoned with.
    #[error("the payload names an instant out of reach")]
    OutOfReach,
}

impl UnreadablePayload {
    /// The payload follows none of the schemas that are `taken`.
    pub fn other_schema<'a>(payload: &Payload, taken: impl IntoIterator<Item = &'a str>) -> Self {
        let taken: Vec<&str> = taken.into_iter().collect();
        let scenario = Some(payload.scenario());
        let same = |id: &&str| id.rsplit_once("_v").map(|(name, _)| name) == scenario;
        let current: Vec<&str> = taken.iter().copied().filter(same).collect();
        let current = if current.is_empty() { taken } else { current };
        Self::OtherSchema {
            current: current.into_iter().map(str::to_owned).collect(),
            found: payload.schema_id.clone(),
        }
    }

    /// The reply to the sender: `input-required` if keys merely lack, `refused` if something
    /// wrong stands there; one reason per place.
    pub fn reply(&self, target: &str) -> Reply {
        match self {
            Self::OtherSchema { .. } => {
                Reply::refused("unknown-schema", "schema_id", self.to_string())
            }
            Self::OutOfReach => Reply::refused("out-of-reach", "", self.to_string()),
            Self::Refused(violations) => refused(violations, target),
        }
    }
}

fn refused(violations: &[PayloadViolation], target: &str) -> Reply {
    let lacks = |v: &PayloadViolation| v.code == Code::Missing;
    let verdict = match violations.iter().all(lacks) {
        true => Verdict::InputRequired,
        false => Verdict::Refused,
    };
    let places: Vec<&str> = violations.iter().map(place).collect();
    let words = format!("Needed in the payload: {}", places.join(", "));
    let mut reply = Reply::new(verdict, vec![Content::new(target, words)]);
    reply.reasons = violations.iter().map(reason).collect();
    reply
}

fn reason(violation: &PayloadViolation) -> Reason {
    let expected = &violation.expected;
    Reason {
        reason: violation.code.as_str().to_owned(),
        path: place(violation).to_owned(),
        message: match &violation.found {
            None => format!("needed: {expected}"),
            Some(found) => format!("needed: {expected}; found: {found}"),
        },
    }
}

/// The key, with a place behind it where an entry of an array is meant: `alarms/2/time`.
fn place(violation: &PayloadViolation) -> &str {
    violation.path.trim_start_matches('/')
}

#[cfg(test)]
pub(crate) mod tests;
