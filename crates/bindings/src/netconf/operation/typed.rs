//! A payload as typed XML: the container of a template's own YANG module in `task-negotiate`.
//!
//! libyang has checked it against the module; here it becomes the JSON that everything else works
//! with (RFC 7951). Read next: `schema::render::yang`.

use crate::netconf::error;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use domain::content::Payload;
use schema::render::yang::{Kind, Node, from_rfc7951, namespace, nodes};
use schema::template::Template;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The payload that stands in an element of the input; none if the element is no container of a
/// template.
///
/// # Errors
/// `unknown-element` if a template's module was swapped out since libyang looked.
pub(super) fn payload(
    element: Element<'_>,
    served: &[Arc<Template>],
) -> Result<Option<Payload>, RpcError> {
    let Some(schema_id) = element.namespace().strip_prefix(SCHEMAS) else {
        return Ok(None);
    };
    let template = served.iter().find(|t| namespace(t) == element.namespace());
    let template = template.ok_or_else(|| {
        error::invalid(
            element,
            format!("no schema '{schema_id}' is served any more"),
        )
    })?;
    let nodes = nodes(template);
    let printed = Value::Object(members(element, "", &nodes));
    Ok(Some(Payload {
        schema_id: template.schema_id.clone(),
        values: from_rfc7951(template, &printed),
    }))
}

/// What the namespaces of templates' modules begin with.
pub(super) const SCHEMAS: &str = "urn:convoke:params:xml:ns:yang:schema:";

/// The children of an element as RFC 7951 writes them.
fn members(element: Element<'_>, path: &str, nodes: &[Node]) -> Map<String, Value> {
    let mut members = Map::new();
    for child in element.children() {
        let path = format!("{path}/{}", child.name());
        let node = nodes.iter().find(|n| n.path == path);
        let kind = node.map(|n| n.kind);
        let value = match child.has_children()
            || matches!(kind, Some(Kind::Container { .. } | Kind::List))
        {
            true => Value::Object(self::members(child, &path, nodes)),
            false => scalar(child, node.and_then(|n| n.yang_type)),
        };
        let several = matches!(kind, Some(Kind::LeafList | Kind::List));
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
fn scalar(leaf: Element<'_>, yang_type: Option<&str>) -> Value {
    match yang_type {
        Some("boolean") => Value::Bool(leaf.trimmed_text() == "true"),
        Some("int64" | "decimal64") => leaf.trimmed_text().into(),
        _ => leaf.text().into(),
    }
}
