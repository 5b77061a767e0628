//! What can be asked about schemas, and what comes of it (draft-zhou §3 and §6.2).
//!
//! Templates, payloads and patches pass as JSON; the bindings dress them. Read next:
//! [`crate::schemas`], which answers.

use domain::time::Timestamp;
use schema::evolution::Ratios;
use schema::violation::Violation;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A question or a wish about schemas.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaRequest {
    /// `get-schema-template`.
    Template {
        /// Which.
        which: Which,
        /// `preferred-language`; what is not there is no error.
        language: Option<String>,
    },
    /// `list-scenarios`.
    Scenarios {
        /// The language of titles.
        language: Option<String>,
    },
    /// `validate-payload`.
    Validate {
        /// The template that it follows.
        schema_id: String,
        /// The keys and values.
        payload: Map<String, Value>,
    },
    /// `get-schema-updates`.
    Updates {
        /// The template.
        schema_id: String,
        /// Only patches after this one.
        since: Option<String>,
    },
    /// `request-capability-extension`.
    Extend {
        /// The scenario.
        scenario: String,
        /// What is wanted, in plain words.
        text: String,
    },
    /// `publish-schema-template`.
    Publish {
        /// The template as authored, a JSON text.
        template: String,
    },
    /// `retire-schema`.
    Retire {
        /// The template.
        schema_id: String,
    },
    /// `render-schema`.
    Render {
        /// The template.
        schema_id: String,
        /// Which form.
        form: Form,
        /// The language of descriptions.
        language: Option<String>,
    },
    /// `approve-patch`.
    Approve {
        /// The patch.
        patch_id: String,
    },
    /// `reject-patch`.
    Reject {
        /// The patch.
        patch_id: String,
        /// Why.
        reason: Option<String>,
    },
    /// `judge-alignment`.
    Judge {
        /// The sample.
        sample_id: String,
        /// Whether the value is what was meant.
        matches: bool,
    },
    /// `erase-fragments`.
    Erase {
        /// Whose.
        client: String,
    },
}

/// Which template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The newest of a scenario.
    Scenario(String),
    /// This one.
    Schema(String),
}

/// A form of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// JSON Schema, draft 2020-12.
    JsonSchema,
    /// The YANG module.
    Yang,
    /// Instructions for a language model.
    Prompt,
    /// A grammar for constrained decoding.
    Gbnf,
    /// The response format of OpenAI-compatible endpoints.
    ResponseFormat,
    /// An HTML form.
    HtmlForm,
}

/// What comes of a [`SchemaRequest`].
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaOutcome {
    /// A template.
    Template(TemplateAnswer),
    /// The scenarios, by name.
    Scenarios(Vec<ScenarioAnswer>),
    /// What is wrong with a payload.
    Validated(Validated),
    /// Patches.
    Updates(Updates),
    /// The wish was taken.
    Taken,
    /// A template was published.
    Published {
        /// Its identifier.
        schema_id: String,
        /// What should be mended.
        warnings: Vec<String>,
    },
    /// A template was retired.
    Retired {
        /// The newest that is left of its scenario.
        current_schema_id: Option<String>,
    },
    /// A form.
    Rendered(String),
    /// How a patch stands now.
    Patch(PatchStanding),
    /// So many fragments were erased.
    Erased(u64),
}

/// A template, and who vouches for it.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateAnswer {
    /// Its identifier.
    pub schema_id: String,
    /// Its scenario.
    pub scenario: String,
    /// The language served.
    pub language: String,
    /// In one language, with the caller's patches.
    pub template: Value,
    /// As authored: what the seal is over.
    pub signed: Value,
    /// A detached JWS; none without a key.
    pub seal: Option<String>,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioAnswer {
    /// Its name.
    pub scenario: String,
    /// Its name for people.
    pub title: Option<String>,
    /// Its newest template.
    pub schema_id: String,
    /// The template of its result.
    pub response_schema_id: Option<String>,
    /// The agents that take it.
    pub agents: Vec<String>,
}

/// What is wrong with a payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validated {
    /// All that is wrong; nothing if the payload is valid.
    pub violations: Vec<Violation>,
    /// What was taken, but should be mended.
    pub warnings: Vec<String>,
    /// The payload as it is kept; none if it is not valid.
    pub canonical: Option<Map<String, Value>>,
}

/// Patches of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct Updates {
    /// The newest template of the scenario.
    pub current_schema_id: String,
    /// The patches, oldest first.
    pub patches: Vec<PatchAnswer>,
}

/// What a reply tells besides, to its caller alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notice {
    /// What of the payload was taken, but should be mended; each begins with its place.
    pub warnings: Vec<String>,
    /// Patches that the caller was not told of in a reply before, oldest first.
    pub patches: Vec<PatchAnswer>,
}

/// A patch, and who vouches for it.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchAnswer {
    /// Its identifier.
    pub patch_id: String,
    /// The template that it adds to.
    pub parent_schema_id: String,
    /// The patch.
    pub patch: Value,
    /// A detached JWS; none without a key.
    pub seal: Option<String>,
}

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

/// Where a patch is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatchStanding {
    /// It waits for approval.
    Pending,
    /// Clients are told of it.
    Active,
    /// It was rejected, or its keys were promoted or withdrawn.
    Ended,
}

impl PatchStanding {
    /// The name in module convoke-schema.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Ended => "ended",
        }
    }
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
