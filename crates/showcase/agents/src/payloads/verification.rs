//! `service_verification_v1` and its result: are these sites in service again?

use super::Schema;
use domain::inventory::ElementId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The question which sites are in service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationOrder {
    /// The sites in question, one or more.
    pub sites: BTreeSet<ElementId>,
}

impl Schema for VerificationOrder {
    const ID: &'static str = "service_verification_v1";
}

/// The sites of them that are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerificationResult {
    /// In service.
    pub restored: BTreeSet<ElementId>,
    /// Not yet.
    pub still_out: BTreeSet<ElementId>,
}

impl Schema for VerificationResult {
    const ID: &'static str = "service_verification_result_v1";
}
