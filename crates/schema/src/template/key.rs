//! One key of a template.

use super::{Annotation, Shape};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A key definition (§4.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// In snake_case, unique within the schema.
    pub key_name: String,
    /// The values that it takes: `key_type` and the members that narrow it.
    pub shape: Shape,
    /// True if a payload must have it.
    pub required: bool,
    /// Stands for the key where a payload leaves it out; never `null`.
    pub default_value: Option<Value>,
    /// `semantic_description`, in as many languages as there are.
    pub annotation: Annotation,
    /// Touches payment, identity or access: changes of it want two approvals (§7).
    pub security_relevant: bool,
    /// Its stage of life.
    pub standing: KeyStatus,
}

/// The stage of life of a key (§6.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KeyStatus {
    /// Of the base schema, or promoted.
    #[default]
    Stable,
    /// In a patch, on trial; told as `"experimental": true`.
    Experimental,
    /// On its way out; told as `"deprecated": true`.
    Deprecated,
}
