//! draft-zhou in data parts: requests about schemas, payloads with their `schema_id`, and suggestions.
//!
//! Covers the three requests inside a message, and the form of a payload and of a result (§5.1, §A.2).
//! Read next: [`crate::schema_request`], [`crate::intake`].

use crate::error::Error;
use crate::message::{Message, Part, PartContent};
use crate::method::Method;
use crate::request::A2aRequest;
use crate::schema_request::SchemaRequest;
use crate::version::Dialect;
use crate::wire::{Members, read_params};
use domain::content::Payload;
use serde_json::{Map, Value};

/// The member of a result that suggests a change of the schema (§6.2.2).
pub const SUGGESTION: &str = "schema_update_suggestion";

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
