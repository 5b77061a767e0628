//! A payload as typed XML: the container of a template's own YANG module in `task-negotiate`.
//!
//! libyang has checked it against the module; here it becomes the JSON that everything else works
//! with (RFC 7951). libyang stops at the first thing that is wrong: of a payload that it refuses,
//! the template's own check says all of it. Read next: `schema::render::yang`.

use super::validation::check_text;
use crate::netconf::error;
use crate::netconf::input::{Input, TaskNegotiate};
use crate::netconf::request_context::RequestContext;
use ::netconf::error::ErrorPath;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::content::Payload;
use engine::Refusal;
use engine::refusal::InvalidInput;
use schema::json::{Budget, Excess};
use schema::render::yang::{DataNodeKind, JSON, YangNode, from_rfc7951, namespace, nodes};
use schema::template::Template;
use serde_json::{Map, Value};
use std::sync::Arc;

/// True for the container of a template.
pub(super) fn is_payload(child: &XmlElement<'_>) -> bool {
    child.namespace().starts_with(SCHEMAS)
}

/// The payload that stands in the container of a template.
///
/// # Errors
/// `unknown-element` if a template's module was swapped out since libyang looked; `too-big` if more
/// values stand in it than are read.
pub(super) fn payload(
    element: XmlElement<'_>,
    served: &[Arc<Template>],
) -> Result<Payload, RpcError> {
    let template = served.iter().find(|t| namespace(t) == element.namespace());
    let template = template.ok_or_else(|| {
        let namespace = element.namespace();
        let schema_id = namespace.strip_prefix(SCHEMAS).unwrap_or(namespace);
        error::invalid(
            element,
            format!("no schema '{schema_id}' is served any more"),
        )
    })?;
    if let Err(excess) = spend(&mut Budget::default(), element) {
        return Err(error::too_big(element, excess.to_string()));
    }
    let nodes = nodes(template);
    let printed = Value::Object(members(element, "", &nodes));
    Ok(Payload {
        schema_id: template.schema_id.clone(),
        values: from_rfc7951(template, &printed),
    })
}

/// Of an operation that libyang refuses because of a typed payload: all that is wrong with the
/// payload, as of one in JSON. None if the operation is refused without it as well, or the template
/// has no objection to what libyang refuses.
pub(super) fn all_violations(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Option<RpcError> {
    let container = operation.children().find(is_payload)?;
    check_text(cx, operation, &without(operation, is_payload)).ok()?;
    let payload = payload(container, &cx.platform.engine.templates()).ok()?;
    let refusal = refusal(cx, payload)?;
    let error = error::refused(&refusal, TaskNegotiate::ORIGIN);
    Some(error.path(ErrorPath::of(container)))
}

/// What the template's own check says of a payload, if it is not taken.
fn refusal(cx: &RequestContext<'_>, payload: Payload) -> Option<Refusal> {
    let violations = cx.platform.engine.violations(cx.who, &payload)?;
    (!violations.is_empty()).then_some(
        InvalidInput::Payload {
            schema_id: payload.schema_id,
            alternative: None,
            violations,
        }
        .into(),
    )
}

/// An operation without some of its children.
fn without(operation: XmlElement<'_>, is_left_out: impl Fn(&XmlElement<'_>) -> bool) -> String {
    let mut text = Vec::with_capacity(operation.verbatim().len() + 256);
    let is_kept = |child: &XmlElement<'_>| !is_left_out(child);
    operation.write_renamed(operation.name(), is_kept, &mut text);
    String::from_utf8(text).expect("made of texts")
}

/// What the namespaces of templates' modules begin with.
const SCHEMAS: &str = "urn:convoke:params:xml:ns:yang:schema:";

/// Spends what the elements of a payload take, and the JSON that stands in them.
fn spend(budget: &mut Budget, element: XmlElement<'_>) -> Result<(), Excess> {
    budget.spend_one()?;
    if element.name() == JSON {
        budget.spend(element.text().as_bytes())?;
    }
    element
        .children()
        .try_for_each(|child| spend(budget, child))
}

/// The children of an element as RFC 7951 writes them.
fn members(element: XmlElement<'_>, path: &str, nodes: &[YangNode]) -> Map<String, Value> {
    let mut members = Map::new();
    for child in element.children() {
        let path = format!("{path}/{}", child.name());
        let node = nodes.iter().find(|n| n.path == path);
        let kind = node.map(|n| n.kind);
        let value = match child.has_children()
            || matches!(
                kind,
                Some(DataNodeKind::Container { .. } | DataNodeKind::List)
            ) {
            true => Value::Object(self::members(child, &path, nodes)),
            false => scalar(child, node.and_then(|n| n.yang_type)),
        };
        let several = matches!(kind, Some(DataNodeKind::LeafList | DataNodeKind::List));
        match members.get_mut(child.name()) {
            Some(Value::Array(entries)) => entries.push(value),
            _ if several => {
                members.insert(child.name().to_owned(), Value::Array(vec![value]));
            }
            _ => {
                members.insert(child.name().to_owned(), value);
            }
        }
    }
    members
}

/// A leaf: white space around numbers and booleans does not count (RFC 7950 §9.1).
fn scalar(leaf: XmlElement<'_>, yang_type: Option<&str>) -> Value {
    match yang_type {
        Some("boolean") => match leaf.trimmed_text() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            other => other.into(),
        },
        Some("int64" | "decimal64") => leaf.trimmed_text().into(),
        _ => leaf.text().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::netconf::xml::{Limits, XmlDocument};

    /// What of a payload takes more memory than its bytes is counted: elements, and JSON in them.
    #[test]
    fn elements_and_the_json_in_them_share_what_may_be_read() {
        let template = schema::shipped::template("fault_diagnosis_v1").expect("it is shipped");
        let served = [Arc::new(template)];
        let read = |inside: &str| {
            let name = "fault_diagnosis_v1";
            let xml = format!("<{name} xmlns=\"{SCHEMAS}{name}\">{inside}</{name}>");
            let limits = Limits {
                elements: 1 << 16,
                ..Limits::default()
            };
            let document = XmlDocument::parse(xml, &limits).expect("XML");
            let read = payload(document.root(), &served);
            read.map_err(|error| error.tag.as_str().to_owned())
        };
        let json = |values: usize| format!("<json>[{}0]</json>", "0,".repeat(values));
        assert!(read(&json(30_000)).is_ok());
        for many in [json(40_000), json(20_000).repeat(2), "<x/>".repeat(40_000)] {
            assert_eq!(read(&many), Err("too-big".to_owned()));
        }
    }
}
