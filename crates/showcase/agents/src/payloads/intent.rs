//! `service_intent_v1` and its result: which intent prevails where two conflict.
//!
//! Read next: [`crate::service_intent`], which holds the priorities.

use super::Schema;
use super::compensation::{figure, number, whole};
use super::values::Values;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The wants of an operator of the network, in three intents (draft §2.2, Figure 2).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    /// Faults are found and mended.
    Fault,
    /// Users get what they were promised.
    Experience,
    /// Energy is saved.
    Energy,
}

domain::named! {
    /// The name in the template.
    Intent
}

/// The action wanted of the service-intent agent.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntentAction {
    /// To say which of the parties yields.
    #[default]
    Arbitrate,
    /// To hold these priorities and bounds.
    Set,
    /// To say which it holds.
    Show,
}

domain::named! {
    /// The name in the template.
    IntentAction
}

/// One side of a conflict, and what it loses if it yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Party {
    /// The intent.
    pub intent: Intent,
    /// Its wants, in words.
    pub wants: String,
    /// Its loss of throughput, in Mbit/s.
    pub loss_mbps: f64,
    /// Its loss of energy, in kWh.
    pub loss_kwh: f64,
}

impl Party {
    fn json(&self) -> Value {
        json!({
            "intent": self.intent.as_str(),
            "wants": self.wants,
            "loss_mbps": figure(Some(self.loss_mbps)),
            "loss_kwh": figure(Some(self.loss_kwh)),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            intent: values.name("intent", Intent::parse)?,
            wants: values.text("wants"),
            loss_mbps: number(values, "loss_mbps").unwrap_or_default(),
            loss_kwh: number(values, "loss_kwh").unwrap_or_default(),
        })
    }
}

/// Priorities, and the bounds within which they hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntentPolicy {
    /// The intents, the first first; empty where nothing is said of them.
    pub priorities: Vec<Intent>,
    /// The throughput that users keep at the least, in Mbit/s.
    pub min_throughput_mbps: Option<f64>,
    /// The load up to which cells may save energy, in percent.
    pub max_load_percent: Option<u64>,
    /// By how much consumption is to fall, in percent.
    pub saving_target_percent: Option<f64>,
    /// For how long a conflict is decided at the most, in minutes.
    pub duration_minutes: Option<u64>,
}

impl IntentPolicy {
    fn into(self, mut object: Value) -> Value {
        let names: Vec<&str> = self.priorities.iter().map(|i| i.as_str()).collect();
        object["priorities"] = json!(names);
        object["min_throughput_mbps"] = figure(self.min_throughput_mbps);
        object["max_load_percent"] = json!(self.max_load_percent);
        object["saving_target_percent"] = figure(self.saving_target_percent);
        object["duration_minutes"] = json!(self.duration_minutes);
        object
    }

    fn read(values: Values<'_>) -> Self {
        Self {
            priorities: intents(values, "priorities"),
            min_throughput_mbps: number(values, "min_throughput_mbps"),
            max_load_percent: whole(values, "max_load_percent"),
            saving_target_percent: number(values, "saving_target_percent"),
            duration_minutes: whole(values, "duration_minutes"),
        }
    }
}

fn intents(values: Values<'_>, key: &str) -> Vec<Intent> {
    let names = values.texts(key);
    names.iter().filter_map(|n| Intent::parse(n)).collect()
}

/// The order to the service-intent agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntentOrder {
    /// The action wanted.
    pub action: IntentAction,
    /// The place; none for the whole network.
    pub area: Option<String>,
    /// The incident that it is for.
    pub incident_id: Option<String>,
    /// The parties in conflict.
    pub parties: Vec<Party>,
    /// The policy to hold from now on, or what a decision should keep to.
    pub policy: IntentPolicy,
}

impl Schema for IntentOrder {
    const ID: &'static str = "service_intent_v1";

    fn values(&self) -> Value {
        let parties: Vec<Value> = self.parties.iter().map(Party::json).collect();
        self.policy.clone().into(json!({
            "action": self.action.as_str(),
            "area": self.area,
            "incident_id": self.incident_id,
            "parties": parties,
        }))
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let action = values.name("action", IntentAction::parse);
        Some(Self {
            action: action.unwrap_or_default(),
            area: values.optional_text("area"),
            incident_id: values.optional_text("incident_id"),
            parties: values.objects("parties", Party::read),
            policy: IntentPolicy::read(values),
        })
    }
}

/// The outcome of an intent order.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntentStatus {
    /// A conflict is decided.
    #[default]
    Decided,
    /// A policy is in force.
    InForce,
    /// A policy is over.
    Replaced,
}

domain::named! {
    /// The name in the template.
    IntentStatus
}

/// The decision, or the policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntentResult {
    /// The outcome.
    pub status: IntentStatus,
    /// The intent that prevails.
    pub prevails: Option<Intent>,
    /// The intents that yield.
    pub yields: Vec<Intent>,
    /// The policy in force.
    pub policy: IntentPolicy,
    /// The reason, in words.
    pub reason: Option<String>,
}

impl Schema for IntentResult {
    const ID: &'static str = "service_intent_result_v1";

    fn values(&self) -> Value {
        let yields: Vec<&str> = self.yields.iter().map(|i| i.as_str()).collect();
        self.policy.clone().into(json!({
            "status": self.status.as_str(),
            "prevails": self.prevails.map(Intent::as_str),
            "yields": yields,
            "reason": self.reason,
        }))
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            status: values.name("status", IntentStatus::parse)?,
            prevails: values.name("prevails", Intent::parse),
            yields: intents(values, "yields"),
            policy: IntentPolicy::read(values),
            reason: values.optional_text("reason"),
        })
    }
}
