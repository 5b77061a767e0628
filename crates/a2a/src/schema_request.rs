//! The three requests of draft-zhou: for templates, for their changes, and that a scenario cover more
//! (§3.2, §6.2.2).
//!
//! Knows their parameters, which are the same in every dialect. The answers are the platform's. Read
//! next: [`crate::request`], of which they are part; [`crate::schema_part`], in which they come inside a
//! message.

use crate::method::Method;
use crate::wire::{Malformed, Members, Object};

/// One of the three questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaRequest {
    /// [`Method::GetSchemaTemplate`].
    Template(TemplateQuery),
    /// [`Method::GetSchemaUpdates`].
    Updates(UpdatesQuery),
    /// [`Method::RequestCapabilityExtension`].
    Extension(ExtensionRequest),
}

impl SchemaRequest {
    /// The method that it calls.
    pub fn method(&self) -> Method {
        match self {
            Self::Template(_) => Method::GetSchemaTemplate,
            Self::Updates(_) => Method::GetSchemaUpdates,
            Self::Extension(_) => Method::RequestCapabilityExtension,
        }
    }

    /// The parameters, which are the same in every dialect.
    pub(crate) fn members(&self) -> Members {
        match self {
            Self::Template(it) => it.members(),
            Self::Updates(it) => it.members(),
            Self::Extension(it) => it.members(),
        }
    }
}

/// `get_schema_template`: by scenario, by version, or by both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateQuery {
    /// The scenario; its newest stable version, unless another is named.
    pub scenario: Option<String>,
    /// The version.
    pub schema_id: Option<String>,
    /// The language, a tag of BCP 47.
    pub preferred_language: Option<String>,
}

impl TemplateQuery {
    pub(crate) fn members(&self) -> Members {
        Members::new()
            .text("scenario", self.scenario.as_ref())
            .text("schema_id", self.schema_id.as_ref())
            .text("preferred_language", self.preferred_language.as_ref())
    }

    pub(crate) fn read(object: Object<'_>) -> Result<Self, Malformed> {
        let query = Self {
            scenario: object.text("scenario")?,
            schema_id: object.text("schema_id")?,
            preferred_language: object.text("preferred_language")?,
        };
        match (&query.scenario, &query.schema_id) {
            (None, None) => Err(Malformed::member(
                "scenario",
                "scenario or schema_id is needed",
            )),
            _ => Ok(query),
        }
    }
}

/// `get_schema_updates`: the changes of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatesQuery {
    /// The version.
    pub schema_id: String,
    /// The patch after which changes are returned; none for all.
    pub since_patch_id: Option<String>,
}

impl UpdatesQuery {
    pub(crate) fn members(&self) -> Members {
        Members::new()
            .with("schema_id", self.schema_id.as_str())
            .text("since_patch_id", self.since_patch_id.as_ref())
    }

    pub(crate) fn read(object: Object<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            schema_id: object.needed_text("schema_id")?,
            since_patch_id: object.text("since_patch_id")?,
        })
    }
}

/// `request_capability_extension`: the wish that a scenario cover more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionRequest {
    /// The scenario.
    pub scenario: String,
    /// The wish, in words.
    pub text: String,
}

impl ExtensionRequest {
    pub(crate) fn members(&self) -> Members {
        Members::new()
            .with("scenario", self.scenario.as_str())
            .with("text", self.text.as_str())
    }

    pub(crate) fn read(object: Object<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            scenario: object.needed_text("scenario")?,
            text: object.needed_text("text")?,
        })
    }
}
