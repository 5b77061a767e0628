//! The results and words of an agent elsewhere, as the content of its task here.
//!
//! Knows parts, artifacts and payloads; refuses to know states. Read next: [`super::remote_task`].

use super::super::message_content::inert;
use super::task_context::TaskContext;
use super::telecom;
use a2a::message::{Part, PartContent};
use a2a::task::Artifact;
use a2a::{objects, schema_part};
use domain::content::{Content, Payload};
use serde_json::Value;

/// The content of a task about `target`: the result that its agent brought, and its words.
pub(super) fn of(target: &str, brought: &[Part], said: &[Part], known: &TaskContext) -> Content {
    let all = || brought.iter().chain(said);
    let payload = all().find_map(|it| payload(it).filter(|it| known.is_published(&it.schema_id)));
    let is_payload = |part: &Part| match (self::payload(part), &payload) {
        (Some(it), Some(payload)) => it == *payload,
        _ => false,
    };
    let words = |parts: &[Part]| {
        let others = parts.iter().filter(|part| !is_payload(part));
        let lines: Vec<String> = others.filter_map(text_of).collect();
        inert(lines.join("\n").trim())
    };
    let (result, said) = (words(brought), words(said));
    let description = [&said, &result].into_iter().find(|it| !it.is_empty());
    let description = description.map_or("nothing was said", String::as_str);
    let mut content = Content::new(target, description);
    content.result = Some(result).filter(|it| !it.is_empty());
    content.payload = payload;
    content
}

/// The payload in a part: data of a schema (002 §4), or with its schema beside it (draft-zhou §5.1).
fn payload(part: &Part) -> Option<Payload> {
    let typed = objects::schema_of(part).and_then(|schema_id| match &part.content {
        PartContent::Data(Value::Object(values)) => Some(Payload {
            schema_id,
            values: values.clone(),
        }),
        _ => None,
    });
    typed.or_else(|| schema_part::payload(part))
}

/// The parts of an artifact, and the text of A2A-T where they have none.
pub(super) fn parts(artifact: &Artifact) -> Vec<Part> {
    let has_words = artifact
        .parts
        .iter()
        .any(|part| matches!(part.content, PartContent::Text(_)));
    let outcome = telecom::outcome(&artifact.metadata).filter(|_| !has_words);
    artifact
        .parts
        .iter()
        .cloned()
        .chain(outcome.map(Part::text))
        .collect()
}

/// A part in words: a file by its place, and not at all if it is in the part.
fn text_of(part: &Part) -> Option<String> {
    match &part.content {
        PartContent::Text(text) => Some(text.clone()),
        PartContent::Data(value) => Some(value.to_string()),
        PartContent::Url(url) => Some(url.clone()),
        PartContent::Raw(_) => None,
    }
}
