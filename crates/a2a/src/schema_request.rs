//! draft-zhou over A2A: requests for templates, payloads with their `schema_id`, and suggestions.
//!
//! Covers the three requests as methods and as data parts, and the form of a payload and of a
//! result in a data part (§5.1, §A.2). The answers are the platform's. Read next:
//! [`crate::intake`].

use crate::error::Error;
use crate::message::{Message, Part, PartContent};
use crate::method::Method;
use crate::request::A2aRequest;
use crate::version::Dialect;
use crate::wire::{Malformed, Members, Object, read_params};
use domain::content::Payload;
use serde_json::{Map, Value};

/// The member of a result that suggests a change of the schema (§6.2.2).
pub const SUGGESTION: &str = "schema_update_suggestion";

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

/// The request in a part: an object with `method`, and `params` if it has any; none in other parts.
///
/// # Errors
/// [`crate::error::ErrorKind::InvalidParams`], naming the parameter that is wrong.
pub fn asked(part: &Part) -> Option<Result<SchemaRequest, Error>> {
    let object = data(part)?;
    let method = Method::of_schema(object.get("method")?.as_str()?)?;
    let none = Map::new();
    let params = object
        .get("params")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    // The parameters of these methods are the same in every dialect.
    match read_params(Dialect::V10, method, params) {
        Ok(A2aRequest::Schema(request)) => Some(Ok(request)),
        Ok(_) => None,
        Err(malformed) => Some(Err(malformed.invalid_params())),
    }
}

/// The payload in a part: an object with `schema_id` and `payload` (§5.1); none in other parts.
pub fn payload(part: &Part) -> Option<Payload> {
    let object = data(part)?;
    let schema_id = object.get("schema_id")?.as_str()?;
    let values = object.get("payload").filter(|it| it.is_object())?;
    Some(Payload::new(schema_id, values.clone()))
}

/// The payload of a message: that of the first part that has one.
pub fn payload_of(message: &Message) -> Option<Payload> {
    message.parts.iter().find_map(payload)
}

/// A payload as a part, for its sender.
pub fn payload_part(payload: &Payload) -> Part {
    let members = Members::new()
        .with("schema_id", payload.schema_id.as_str())
        .with("payload", payload.values.clone());
    Part::data(members).of_type("application/json")
}

/// A result, with a suggestion in the same object (§A.2).
pub fn result(mut values: Map<String, Value>, suggestion: Option<Value>) -> Map<String, Value> {
    if let Some(suggestion) = suggestion {
        values.insert(SUGGESTION.to_owned(), suggestion);
    }
    values
}

/// The suggestion in a result.
pub fn suggestion(part: &Part) -> Option<&Value> {
    data(part)?.get(SUGGESTION)
}

fn data(part: &Part) -> Option<&Map<String, Value>> {
    match &part.content {
        PartContent::Data(Value::Object(data)) => Some(data),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
