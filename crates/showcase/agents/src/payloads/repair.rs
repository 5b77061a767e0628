//! `fault_repair_v1` (the trouble ticket), `fault_repair_decision_v1` (how it is to be worked) and
//! `field_guidance_v1` (the engineer's question), with their results.
//!
//! Read next: [`crate::service_copilot`], [`crate::resource_copilot`].

use super::Schema;
use domain::cause::Cause;
use domain::inventory::ElementId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A trouble ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// Names the ticket.
    pub ticket_id: String,
    /// The broken element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// The place, for people; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The sites to bring back.
    #[serde(default)]
    pub affected_sites: BTreeSet<ElementId>,
    /// The thing to do; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub proposal: String,
    /// The evidence for it.
    #[serde(default)]
    pub evidence: Vec<String>,
}

impl Schema for Repair {
    const ID: &'static str = "fault_repair_v1";
}

/// The plan of how a ticket is to be worked: proposed by whoever has it, agreed on before anybody
/// goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairDecision {
    /// The ticket.
    pub ticket_id: String,
    /// The element that is worked at.
    pub element: ElementId,
    /// The way of repairing.
    pub way: String,
    /// The crew that goes.
    pub crew: String,
    /// The spare parts that they take along.
    #[serde(default)]
    pub spares: Vec<String>,
    /// The things that they do, in order.
    #[serde(default)]
    pub order_of_work: Vec<String>,
}

impl Schema for RepairDecision {
    const ID: &'static str = "fault_repair_decision_v1";
}

/// The outcome of a ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairResult {
    /// The ticket.
    pub ticket_id: String,
    /// True if something broken was mended.
    pub repaired: bool,
    /// The element at which the engineer was.
    pub element: ElementId,
    /// The finding; empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub finding: String,
}

impl Schema for RepairResult {
    const ID: &'static str = "fault_repair_result_v1";
}

/// An engineer's question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guidance {
    /// In words.
    pub question: String,
    /// The element that the engineer stands at.
    pub element: ElementId,
    /// The cause that the ticket names; none for the usual one.
    pub cause: Option<Cause>,
}

impl Schema for Guidance {
    const ID: &'static str = "field_guidance_v1";
}

/// The answer to an engineer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidanceResult {
    /// In words.
    pub answer: String,
    /// The thing to do, in order.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The element to repair.
    pub element: ElementId,
    /// The alarms that stand on it and beside it now.
    #[serde(default)]
    pub alarms: Vec<String>,
}

impl Schema for GuidanceResult {
    const ID: &'static str = "field_guidance_result_v1";
}
