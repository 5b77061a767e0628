//! How an engine deals with schemas, as whoever puts it together says.
//!
//! Read next: [`super::evolving`], which begins with it.

use domain::time::Timestamp;
use schema::contract::Unknown;
use schema::evolution::EvolutionSettings;
use schema::semantics::Embedder;
use schema::signature::SigningKey;
use schema::template::Template;
use std::sync::Arc;

/// How an engine deals with schemas.
pub struct SchemaSetup {
    /// In whose namespace templates are published: the platform's name.
    pub namespace: String,
    /// Templates that are there from the beginning; a template of a result before those that name
    /// it.
    pub templates: Vec<Template>,
    /// How schemas evolve.
    pub settings: EvolutionSettings,
    /// What happens to keys that a schema does not have.
    pub unknown: Unknown,
    /// From text to vector; none if nothing evolves.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The key under seals; none if nothing is sealed.
    pub sealing: Option<SigningKey>,
    /// When these were made: the revision of their YANG modules.
    pub made: Timestamp,
    /// Where typed payloads stand in the YANG model; none if they stand alone.
    pub typed: Option<Arc<dyn TypedForm>>,
}

/// The YANG modules of templates, as a protocol serves them.
pub trait TypedForm: Send + Sync {
    /// The module of a template, published then.
    fn module(&self, template: &Template, published: Timestamp) -> String;

    /// Compiles modules, each a name and a text, beside all else that is served.
    ///
    /// # Errors
    /// Why they do not fit together.
    fn trial(&self, modules: &[(String, String)]) -> Result<(), String>;
}

impl SchemaSetup {
    /// These templates, which stay as they are: nothing evolves, nothing is sealed.
    pub fn fixed(templates: Vec<Template>) -> Self {
        Self {
            namespace: "convoke".to_owned(),
            templates,
            settings: EvolutionSettings::default(),
            unknown: Unknown::Reject,
            embedder: None,
            sealing: None,
            made: Timestamp::default(),
            typed: None,
        }
    }
}
