//! The operations on schemas and their answers (draft-zhou §3 and §6.2).
//!
//! Types alone: templates, payloads and patches pass as JSON, and the bindings dress them. What carries an
//! operation out says what it is: `answer`, `learning` and `governing` of [`crate::schemas`]. Read next:
//! there.

mod tree;

pub use tree::{
    ClusterRecord, KeyRecord, PatchRecord, PoolRecord, SampleRecord, SchemaRecord, SchemaRecords,
};

use domain::registry::Registration;
use schema::template::Template;
use schema::violation::PayloadViolation;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The longest utterance that is read for its meaning, in bytes: some seven hundred words.
pub const UTTERANCE_BYTES_MAX: usize = 4_096;

/// `get-schema-template`: the template of a scenario, or one by its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetSchemaTemplate {
    /// Which.
    pub which: Which,
    /// `preferred-language`; what is not there is no error.
    pub language: Option<String>,
}

/// `list-scenarios`: the scenarios, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListScenarios {
    /// The language of titles.
    pub language: Option<String>,
}

/// `validate-payload`: everything that is wrong with a payload.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidatePayload {
    /// The template that it follows.
    pub schema_id: String,
    /// The keys and values.
    pub payload: Map<String, Value>,
}

/// `parse-utterance`: what words may be for. What is said of the keys is read by who asks, for that is long work;
/// the answer is what it is read among.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseUtterance {
    /// The words, up to [`UTTERANCE_BYTES_MAX`](crate::UTTERANCE_BYTES_MAX) bytes.
    pub utterance: String,
    /// The scenario, for who has chosen.
    pub which: Option<Which>,
    /// The agent, for who has chosen.
    pub agent: Option<String>,
    /// The language of titles.
    pub language: Option<String>,
}

/// `get-schema-updates`: the patches of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetSchemaUpdates {
    /// The template.
    pub schema_id: String,
    /// Only patches after this one.
    pub since: Option<String>,
}

/// `request-capability-extension`: asks for a key that a scenario lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestCapabilityExtension {
    /// The scenario.
    pub scenario: String,
    /// What is wanted, in plain words; 1 to 4,096 characters.
    pub text: String,
}

/// `publish-schema-template`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishSchemaTemplate {
    /// The template as authored, a JSON text.
    pub template: String,
}

/// `retire-schema`; answers the newest template that is left of its scenario, if one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetireSchema {
    /// The template.
    pub schema_id: String,
}

/// `render-schema`; answers the text of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderSchema {
    /// The template.
    pub schema_id: String,
    /// Which form.
    pub form: Form,
    /// The language of descriptions.
    pub language: Option<String>,
}

/// `approve-patch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovePatch {
    /// The patch.
    pub patch_id: String,
}

/// `reject-patch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectPatch {
    /// The patch.
    pub patch_id: String,
    /// Why.
    pub reason: Option<String>,
}

/// `judge-alignment`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeAlignment {
    /// The sample.
    pub sample_id: String,
    /// Whether the value is what was meant.
    pub matches: bool,
}

/// `erase-fragments`; answers how many were erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EraseFragments {
    /// Whose.
    pub client: String,
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

/// A template that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedTemplate {
    /// Its identifier.
    pub schema_id: String,
    /// What should be mended.
    pub warnings: Vec<String>,
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

/// A scenario with an agent that takes it, for who chooses by words. It shares all that is long with the registry and
/// the catalogue; its texts are made by whoever reads them ([`ScenarioOffer::texts`]).
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioOffer {
    /// The agent.
    pub taker: Arc<Registration>,
    /// The scenario for people.
    pub title: Option<Arc<str>>,
    /// The template, with the caller's patches.
    pub template: Arc<Template>,
}

/// What an agent says of itself for a scenario, as far as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferTexts {
    /// What the agent says of itself, and of its skills that take the scenario.
    pub description: String,
    /// What people say who want it.
    pub examples: Vec<String>,
}

/// What is wrong with a payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validated {
    /// All that is wrong; nothing if the payload is valid.
    pub violations: Vec<PayloadViolation>,
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
