//! `fault_diagnosis_v1` and its result: look at this element and say whether it is the cause.
//!
//! Read next: [`crate::domain_agent`], which diagnoses.

use super::Schema;
use super::values::{Values, list, non_empty};
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An element and how it may have failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suspicion {
    /// The element.
    pub target: ElementId,
    /// The cause.
    pub cause: Cause,
}

impl Suspicion {
    /// The suspicion of what may be wrong with an element about which nothing else is known.
    pub fn usual(target: ElementId) -> Self {
        let cause = Cause::usual_of(&target);
        Self { target, cause }
    }

    fn json(&self) -> Value {
        json!({ "target": self.target.as_str(), "suspected_cause": self.cause.as_str() })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let usual = Self::usual(values.element("target")?);
        let cause = values.name("suspected_cause", Cause::parse);
        Some(Self {
            cause: cause.unwrap_or(usual.cause),
            ..usual
        })
    }
}

/// The order to diagnose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The incidents that made someone ask.
    pub incident_ids: Vec<String>,
    /// The element to look at, and for what.
    pub suspicion: Suspicion,
    /// The other causes that it might have, likeliest first.
    pub alternatives: Vec<Suspicion>,
    /// The sites out of service.
    pub sites: BTreeSet<ElementId>,
    /// Since when, as far as known.
    pub since: Option<Timestamp>,
}

impl Diagnosis {
    /// A diagnosis asked for by someone who knows no more than what to look at.
    pub fn of(suspicion: Suspicion) -> Self {
        Self {
            incident_ids: Vec::new(),
            suspicion,
            alternatives: Vec::new(),
            sites: BTreeSet::new(),
            since: None,
        }
    }
}

impl Schema for Diagnosis {
    const ID: &'static str = "fault_diagnosis_v1";

    fn values(&self) -> Value {
        let alternatives = self.alternatives.iter().map(Suspicion::json);
        json!({
            "incident_ids": self.incident_ids,
            "target": self.suspicion.target.as_str(),
            "suspected_cause": self.suspicion.cause.as_str(),
            "alternatives": alternatives.collect::<Value>(),
            "sites": list(&self.sites),
            "since": self.since.map(|at| at.to_string()),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            incident_ids: values.texts("incident_ids"),
            suspicion: Suspicion::read(values)?,
            alternatives: values.objects("alternatives", Suspicion::read),
            sites: values.elements("sites"),
            since: values.time("since"),
        })
    }
}

/// The findings of a diagnosis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagnosisResult {
    /// The element that was looked at.
    pub target: String,
    /// True if a root cause was found.
    pub confirmed: bool,
    /// The root cause, which may be another element than the target.
    pub root_cause: Option<ElementId>,
    /// The way in which it failed.
    pub cause: Option<Cause>,
    /// Readings that led to it, for people.
    pub evidence: Vec<String>,
    /// The thing to do.
    pub proposal: String,
    /// True if the domain can do it without people on site.
    pub automatic: bool,
    /// The place, as exactly as the readings say; empty if they do not.
    pub location: String,
}

impl Schema for DiagnosisResult {
    const ID: &'static str = "fault_diagnosis_result_v1";

    fn values(&self) -> Value {
        json!({
            "target": self.target,
            "confirmed": self.confirmed,
            "root_cause": self.root_cause.as_ref().map(ElementId::as_str),
            "cause": self.cause.map(Cause::as_str),
            "evidence": self.evidence,
            "proposal": self.proposal,
            "automatic": self.automatic,
            "location": non_empty(&self.location),
        })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            target: values.text("target"),
            confirmed: values.flag("confirmed"),
            root_cause: values.element("root_cause"),
            cause: values.name("cause", Cause::parse),
            evidence: values.texts("evidence"),
            proposal: values.text("proposal"),
            automatic: values.flag("automatic"),
            location: values.text("location"),
        })
    }
}
