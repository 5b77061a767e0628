//! `fault_diagnosis_v1` and its result: look at this element and say whether it is the cause.
//!
//! Read next: [`crate::domain_agent`], which diagnoses.

use super::Schema;
use super::canonical::instant;
use domain::cause::Cause;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An element and how it may have failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Suspect")]
pub struct Suspicion {
    /// The element.
    pub target: ElementId,
    /// The cause.
    #[serde(rename = "suspected_cause")]
    pub cause: Cause,
}

impl Suspicion {
    /// The suspicion of what may be wrong with an element about which nothing else is known.
    pub fn usual(target: ElementId) -> Self {
        let cause = Cause::usual_of(&target);
        Self { target, cause }
    }
}

/// A suspicion as it may be written: whoever names no cause means the usual one.
#[derive(Deserialize)]
struct Suspect {
    target: ElementId,
    suspected_cause: Option<Cause>,
}

impl From<Suspect> for Suspicion {
    fn from(written: Suspect) -> Self {
        let usual = Self::usual(written.target);
        Self {
            cause: written.suspected_cause.unwrap_or(usual.cause),
            ..usual
        }
    }
}

/// The order to diagnose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The incidents that made someone ask.
    #[serde(default)]
    pub incident_ids: Vec<String>,
    /// The element to look at, and for what.
    #[serde(flatten)]
    pub suspicion: Suspicion,
    /// The other causes that it might have, likeliest first.
    #[serde(default)]
    pub alternatives: Vec<Suspicion>,
    /// The sites out of service.
    #[serde(default)]
    pub sites: BTreeSet<ElementId>,
    /// Since when, as far as known.
    #[serde(default, with = "instant")]
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
}

/// The findings of a diagnosis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
    #[serde(skip_serializing_if = "String::is_empty")]
    pub location: String,
}

impl Schema for DiagnosisResult {
    const ID: &'static str = "fault_diagnosis_result_v1";
}
