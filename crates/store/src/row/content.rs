//! `Content` as JSON, exactly.
//!
//! Not as section text: a later release may read text differently, and state must be read back
//! exactly. Read next: [`super::task`].

use domain::content::{Content, Payload};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The sections; absent ones are left out.
#[derive(Serialize, Deserialize)]
pub(crate) struct ContentRow<'a> {
    target_object: Cow<'a, str>,
    task_description: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    environmental_information: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_response: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asynchronous: Option<bool>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    terms: Cow<'a, [(String, String)]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<PayloadRow<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    progress: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    others: Cow<'a, [(String, String)]>,
}

#[derive(Serialize, Deserialize)]
struct PayloadRow<'a> {
    schema_id: Cow<'a, str>,
    values: Cow<'a, Map<String, Value>>,
}

fn optional(text: &Option<String>) -> Option<Cow<'_, str>> {
    text.as_deref().map(Cow::Borrowed)
}

impl<'a> From<&'a Content> for ContentRow<'a> {
    fn from(content: &'a Content) -> Self {
        Self {
            target_object: Cow::Borrowed(&content.target_object),
            task_description: Cow::Borrowed(&content.task_description),
            environmental_information: optional(&content.environmental_information),
            expected_response: optional(&content.expected_response),
            asynchronous: content.asynchronous,
            terms: Cow::Borrowed(&content.terms),
            payload: content.payload.as_ref().map(|payload| PayloadRow {
                schema_id: Cow::Borrowed(&payload.schema_id),
                values: Cow::Borrowed(&payload.values),
            }),
            progress: optional(&content.progress),
            result: optional(&content.result),
            others: Cow::Borrowed(&content.others),
        }
    }
}

impl From<ContentRow<'_>> for Content {
    fn from(row: ContentRow<'_>) -> Self {
        Self {
            target_object: row.target_object.into_owned(),
            task_description: row.task_description.into_owned(),
            environmental_information: row.environmental_information.map(Cow::into_owned),
            expected_response: row.expected_response.map(Cow::into_owned),
            asynchronous: row.asynchronous,
            terms: row.terms.into_owned(),
            payload: row.payload.map(|payload| Payload {
                schema_id: payload.schema_id.into_owned(),
                values: payload.values.into_owned(),
            }),
            progress: row.progress.map(Cow::into_owned),
            result: row.result.map(Cow::into_owned),
            others: row.others.into_owned(),
        }
    }
}

/// The content as one JSON object.
pub(crate) fn to_json(content: &Content) -> String {
    json(&ContentRow::from(content))
}

/// The content in `json`; none if there is none.
pub(crate) fn from_json(json: &str) -> Option<Content> {
    let row: ContentRow<'_> = serde_json::from_str(json).ok()?;
    Some(row.into())
}

/// A row type as JSON.
pub(crate) fn json(row: &impl Serialize) -> String {
    // Growing a string step by step costs more than the letters.
    let mut text = Vec::with_capacity(1_024);
    serde_json::to_writer(&mut text, row)
        .expect("a row type has text keys and finite numbers only");
    String::from_utf8(text).expect("JSON is UTF-8")
}
