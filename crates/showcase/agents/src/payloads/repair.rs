//! `fault_repair_v1` (the trouble ticket), `fault_repair_decision_v1` (how it is to be worked) and
//! `field_guidance_v1` (the engineer's question), with their results.
//!
//! Read next: [`crate::service_copilot`], [`crate::resource_copilot`].

use super::Schema;
use super::values::{Values, list, non_empty};
use domain::cause::Cause;
use domain::inventory::ElementId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A trouble ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Names the ticket.
    pub ticket_id: String,
    /// The broken element.
    pub element: ElementId,
    /// The cause.
    pub cause: Cause,
    /// The place, for people; empty if nobody said.
    pub place: String,
    /// The sites to bring back.
    pub affected_sites: BTreeSet<ElementId>,
    /// The thing to do; empty if nobody said.
    pub proposal: String,
    /// The evidence for it.
    pub evidence: Vec<String>,
}

impl Schema for Repair {
    const ID: &'static str = "fault_repair_v1";

    fn values(&self) -> Value {
        json!({
            "ticket_id": self.ticket_id,
            "element": self.element.as_str(),
            "cause": self.cause.as_str(),
            "place": non_empty(&self.place),
            "affected_sites": list(&self.affected_sites),
            "proposal": non_empty(&self.proposal),
            "evidence": self.evidence,
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            ticket_id: values.text("ticket_id"),
            element: values.element("element")?,
            cause: values.name("cause", Cause::parse)?,
            place: values.text("place"),
            affected_sites: values.elements("affected_sites"),
            proposal: values.text("proposal"),
            evidence: values.texts("evidence"),
        })
    }
}

/// The plan of how a ticket is to be worked: proposed by whoever has it, agreed on before anybody
/// goes.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub spares: Vec<String>,
    /// The things that they do, in order.
    pub order_of_work: Vec<String>,
}

impl Schema for RepairDecision {
    const ID: &'static str = "fault_repair_decision_v1";

    fn values(&self) -> Value {
        json!({
            "ticket_id": self.ticket_id,
            "element": self.element.as_str(),
            "way": self.way,
            "crew": self.crew,
            "spares": self.spares,
            "order_of_work": self.order_of_work,
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            ticket_id: values.text("ticket_id"),
            element: values.element("element")?,
            way: values.text("way"),
            crew: values.text("crew"),
            spares: values.texts("spares"),
            order_of_work: values.texts("order_of_work"),
        })
    }
}

/// The outcome of a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairResult {
    /// The ticket.
    pub ticket_id: String,
    /// True if something broken was mended.
    pub repaired: bool,
    /// The element at which the engineer was.
    pub element: ElementId,
    /// The finding; empty if nobody said.
    pub finding: String,
}

impl Schema for RepairResult {
    const ID: &'static str = "fault_repair_result_v1";

    fn values(&self) -> Value {
        json!({
            "ticket_id": self.ticket_id,
            "repaired": self.repaired,
            "element": self.element.as_str(),
            "finding": non_empty(&self.finding),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            ticket_id: values.text("ticket_id"),
            repaired: values.flag("repaired"),
            element: values.element("element")?,
            finding: values.text("finding"),
        })
    }
}

/// An engineer's question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guidance {
    /// In words.
    pub question: String,
    /// The element that the engineer stands at.
    pub element: ElementId,
    /// The cause that the ticket names.
    pub cause: Cause,
}

impl Schema for Guidance {
    const ID: &'static str = "field_guidance_v1";

    fn values(&self) -> Value {
        json!({
            "question": self.question,
            "element": self.element.as_str(),
            "cause": self.cause.as_str(),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let element = values.element("element")?;
        let cause = values.name("cause", Cause::parse);
        Some(Self {
            question: values.text("question"),
            cause: cause.unwrap_or_else(|| Cause::usual_of(&element)),
            element,
        })
    }
}

/// The answer to an engineer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuidanceResult {
    /// In words.
    pub answer: String,
    /// The thing to do, in order.
    pub steps: Vec<String>,
    /// The element to repair.
    pub element: ElementId,
    /// The alarms that stand on it and beside it now.
    pub alarms: Vec<String>,
}

impl Schema for GuidanceResult {
    const ID: &'static str = "field_guidance_result_v1";

    fn values(&self) -> Value {
        json!({
            "answer": self.answer,
            "steps": self.steps,
            "element": self.element.as_str(),
            "alarms": self.alarms,
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            answer: values.text("answer"),
            steps: values.texts("steps"),
            element: values.element("element")?,
            alarms: values.texts("alarms"),
        })
    }
}
