//! `fault_diagnosis_v1` and its result: look at this element and say whether it is the cause.
//!
//! Read next: [`crate::domain_agent`], which diagnoses.

use super::{Keys, Schema, Unreadable, list};
use crate::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An element and how it may have failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suspicion {
    /// The element.
    pub target: ElementId,
    /// How.
    pub cause: Cause,
}

/// The order to diagnose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The incidents that made someone ask.
    pub incident_ids: Vec<String>,
    /// What to look at, and for what.
    pub suspicion: Suspicion,
    /// What else it might be, likeliest first.
    pub alternatives: Vec<Suspicion>,
    /// The sites out of service.
    pub sites: BTreeSet<ElementId>,
    /// Since when.
    pub since: Timestamp,
}

impl Diagnosis {
    /// A diagnosis asked for by someone who knows no more than what to look at.
    pub fn of(suspicion: Suspicion) -> Self {
        Self {
            incident_ids: Vec::new(),
            suspicion,
            alternatives: Vec::new(),
            sites: BTreeSet::new(),
            since: Timestamp::default(),
        }
    }
}

impl Schema for Diagnosis {
    const ID: &'static str = "fault_diagnosis_v1";

    fn values(&self) -> Value {
        let alternatives = self
            .alternatives
            .iter()
            .map(|s| json!({ "target": s.target.as_str(), "suspected_cause": s.cause.as_str() }));
        json!({
            "incident_ids": self.incident_ids,
            "target": self.suspicion.target.as_str(),
            "suspected_cause": self.suspicion.cause.as_str(),
            "alternatives": alternatives.collect::<Value>(),
            "sites": list(&self.sites),
            "since": self.since.to_string(),
        })
    }

    fn from_keys(mut keys: Keys<'_>) -> Result<Self, Unreadable> {
        let diagnosis = Self {
            incident_ids: keys.texts("incident_ids"),
            suspicion: suspicion(&mut keys),
            alternatives: keys.objects("alternatives", suspicion),
            sites: keys.elements("sites"),
            since: keys.time("since"),
        };
        keys.done(diagnosis)
    }
}

fn suspicion(keys: &mut Keys<'_>) -> Suspicion {
    Suspicion {
        target: keys.element("target"),
        cause: keys
            .name("suspected_cause", "a cause", Cause::parse)
            .unwrap_or(Cause::FibreCut),
    }
}

/// What a diagnosis found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagnosisResult {
    /// What was looked at.
    pub target: String,
    /// True if a root cause was found.
    pub confirmed: bool,
    /// The root cause, which may be another element than the target.
    pub root_cause: Option<ElementId>,
    /// How it failed.
    pub cause: Option<Cause>,
    /// Readings that led to it, for people.
    pub evidence: Vec<String>,
    /// What to do.
    pub proposal: String,
    /// True if the domain can do it without people on site.
    pub automatic: bool,
    /// Where, as exactly as the readings say.
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
            "location": self.location,
        })
    }

    fn from_keys(mut keys: Keys<'_>) -> Result<Self, Unreadable> {
        let result = Self {
            target: keys.text("target"),
            confirmed: keys.flag("confirmed"),
            root_cause: keys.optional_text("root_cause").map(ElementId::new),
            cause: keys.optional_name("cause", "a cause", Cause::parse),
            evidence: keys.texts("evidence"),
            proposal: keys.text("proposal"),
            automatic: keys.flag("automatic"),
            location: keys.text("location"),
        };
        keys.done(result)
    }
}
