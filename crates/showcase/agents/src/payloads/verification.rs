//! `service_verification_v1` and its result: are these sites in service again?

use super::Schema;
use super::values::{Values, list};
use domain::inventory::ElementId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The question which sites are in service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationOrder {
    /// The sites in question, one or more.
    pub sites: BTreeSet<ElementId>,
}

impl Schema for VerificationOrder {
    const ID: &'static str = "service_verification_v1";

    fn values(&self) -> Value {
        json!({ "sites": list(&self.sites) })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        let sites = values.elements("sites");
        Some(Self { sites })
    }
}

/// The sites of them that are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationResult {
    /// In service.
    pub restored: BTreeSet<ElementId>,
    /// Not yet.
    pub still_out: BTreeSet<ElementId>,
}

impl Schema for VerificationResult {
    const ID: &'static str = "service_verification_result_v1";

    fn values(&self) -> Value {
        json!({ "restored": list(&self.restored), "still_out": list(&self.still_out) })
    }

    fn read(values: Values<'_>) -> Option<Self> {
        Some(Self {
            restored: values.elements("restored"),
            still_out: values.elements("still_out"),
        })
    }
}
