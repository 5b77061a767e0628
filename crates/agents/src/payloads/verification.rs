//! `service_verification_v1` and its result: are these sites in service again?

use super::{Keys, Schema, Unreadable, list};
use domain::inventory::ElementId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The sites in question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The sites in question.
    pub sites: BTreeSet<ElementId>,
}

impl Schema for Verification {
    const ID: &'static str = "service_verification_v1";

    fn values(&self) -> Value {
        json!({ "sites": list(&self.sites) })
    }

    fn from_keys(mut keys: Keys<'_>) -> Result<Self, Unreadable> {
        let sites = keys.elements("sites");
        keys.done(Self { sites })
    }
}

/// Which of them are.
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

    fn from_keys(mut keys: Keys<'_>) -> Result<Self, Unreadable> {
        let result = Self {
            restored: keys.elements("restored"),
            still_out: keys.elements("still_out"),
        };
        keys.done(result)
    }
}
