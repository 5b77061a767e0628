//! The tree `/schemas` of module convoke-schema, as records.
//!
//! Read next: [`crate::query::SchemaTree`], which answers with it.

use super::{PatchAnswer, PatchStanding};
use domain::time::Timestamp;
use schema::evolution::Ratios;
use serde_json::Value;
use std::sync::Arc;

/// The tree `/schemas`, as far as the principal may see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaRecords {
    /// The templates, by identifier.
    pub schemas: Arc<[SchemaRecord]>,
    /// The patches, by identifier.
    pub patches: Vec<PatchRecord>,
    /// The pools; for schema administrators.
    pub pools: Vec<PoolRecord>,
    /// The values that wait to be judged; for schema administrators.
    pub samples: Vec<SampleRecord>,
}

/// An entry of `/schemas/schema`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaRecord {
    /// Its identifier.
    pub schema_id: String,
    /// Its scenario.
    pub scenario: String,
    /// Its number within the scenario.
    pub version: Option<u32>,
    /// `current`, `superseded` or `retired`.
    pub state: &'static str,
    /// Who published it.
    pub publisher: String,
    /// When.
    pub published: Timestamp,
    /// SHA-256 of its canonical form, in hexadecimal digits.
    pub hash: String,
    /// The languages of its descriptions.
    pub languages: Vec<String>,
    /// The template of its result.
    pub response_schema_id: Option<String>,
}

/// An entry of `/schemas/patch`.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchRecord {
    /// The patch, and who vouches for it.
    pub answer: PatchAnswer,
    /// Where it is in its life.
    pub state: PatchStanding,
    /// The client whose alone it is.
    pub client: Option<String>,
    /// When it was made.
    pub timestamp: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// Who approved it.
    pub approved_by: Vec<String>,
    /// Its keys that are not forgotten.
    pub keys: Vec<KeyRecord>,
}

/// A key that a patch brought.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRecord {
    /// Its name.
    pub key_name: String,
    /// Where it is in its life: `experimental`, `stable`, `deprecated` or `withdrawn`.
    pub state: &'static str,
    /// When it became active.
    pub since: Timestamp,
    /// The four measures.
    pub ratios: Ratios,
}

/// An entry of `/schemas/pool`.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolRecord {
    /// The scenario.
    pub scenario: String,
    /// The client whose pool it is; empty for everyone's.
    pub cohort: String,
    /// What made its vectors.
    pub embedder: String,
    /// How many fragments came in.
    pub fragments: u64,
    /// How many triggers wait.
    pub queued: u32,
    /// Its clusters.
    pub clusters: Vec<ClusterRecord>,
}

/// A cluster of a pool; what was said is not told.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterRecord {
    /// Its number within the pool.
    pub id: u64,
    /// How hot it is now.
    pub heat: f64,
    /// Fragments within the window.
    pub occurrences: u32,
    /// Distinct clients within the window.
    pub clients: u32,
}

/// An entry of `/schemas/sample`.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRecord {
    /// Its identifier.
    pub sample_id: String,
    /// The scenario.
    pub scenario: String,
    /// The key.
    pub key_name: String,
    /// The value received.
    pub value: Value,
    /// What was asked for in plain words.
    pub request: Option<String>,
}
