//! `service_intent_v1` and its result: which intent prevails where two conflict.
//!
//! Read next: [`crate::service_intent`], which holds the priorities.

use super::Schema;
use serde::{Deserialize, Serialize};
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Party {
    /// The intent.
    pub intent: Intent,
    /// Its wants, in words.
    #[serde(default)]
    pub wants: String,
    /// Its loss of throughput, in Mbit/s.
    #[serde(default)]
    pub loss_mbps: f64,
    /// Its loss of energy, in kWh.
    #[serde(default)]
    pub loss_kwh: f64,
}

/// Priorities, and the bounds within which they hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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

/// The order to the service-intent agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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
    #[serde(flatten)]
    pub policy: IntentPolicy,
}

impl Schema for IntentOrder {
    const ID: &'static str = "service_intent_v1";
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IntentResult {
    /// The outcome.
    pub status: IntentStatus,
    /// The intent that prevails.
    pub prevails: Option<Intent>,
    /// The intents that yield.
    pub yields: Vec<Intent>,
    /// The policy in force.
    #[serde(flatten)]
    pub policy: IntentPolicy,
    /// The reason, in words.
    pub reason: Option<String>,
}

impl Schema for IntentResult {
    const ID: &'static str = "service_intent_result_v1";
}
