//! Validation of a server's messages by libyang: every reply against its request, every
//! notification, and the data inside.
//!
//! Also records the schema nodes seen, for the coverage test. Read next: [`crate::conformance`].

use netconf::names::namespace::BASE;
use netconf::xml::XmlElement;
use std::collections::BTreeSet;
use yang::Generation;

/// Schema paths of which an instance was seen, in the form of [`yang::SchemaNode::path`].
pub type Seen = BTreeSet<String>;

/// Validates a reply to an operation (an element of its own, as sent).
///
/// # Errors
/// The violation of the schema.
pub fn reply(
    schema: &Generation,
    operation: Option<&str>,
    reply: &str,
    seen: &mut Seen,
) -> Result<(), String> {
    let document = crate::xml::parse(reply)?;
    let root = document.root();
    if !root.is(BASE, "rpc-reply") {
        return Err(format!("<{}> is no reply", root.name()));
    }
    if let Some(error) = root.children().find(|c| c.is(BASE, "rpc-error")) {
        return rpc_error(error);
    }
    let Some(operation) = operation else {
        return Err("a good reply to a bad request".to_owned());
    };
    let asked = crate::xml::parse(operation)?;
    schema
        .check_reply(operation, reply)
        .map_err(|v| format!("as a reply: {v:?}"))?;
    let module = schema.module_of(asked.root().namespace()).unwrap_or("");
    note_operation(
        schema,
        asked.root(),
        &format!("/{module}:{}/input", asked.root().name()),
        seen,
    );
    let output = format!("/{module}:{}/output", asked.root().name());
    for child in root.children() {
        note_operation(schema, child, &format!("{output}/{}", child.name()), seen);
    }
    match (
        asked.root().name(),
        root.children().find(|c| c.name() == "data"),
    ) {
        ("get" | "get-config" | "get-data", Some(data)) => data_of(schema, data, seen),
        ("task-negotiate", Some(data)) => structure(schema, data, seen),
        _ => Ok(()),
    }
}

/// Validates a notification.
///
/// # Errors
/// The violation of the schema.
pub fn notification(schema: &Generation, message: &str, seen: &mut Seen) -> Result<(), String> {
    schema
        .check_notification(message)
        .map_err(|v| format!("as a notification: {v:?}"))?;
    let document = crate::xml::parse(message)?;
    let event = document
        .root()
        .children()
        .nth(1)
        .ok_or("a notification without event")?;
    note(schema, event, "", seen);
    Ok(())
}

fn data_of(schema: &Generation, data: XmlElement<'_>, seen: &mut Seen) -> Result<(), String> {
    let mut text = String::new();
    for child in data.children() {
        text.push_str(&child.standalone());
        note(schema, child, "", seen);
    }
    if text.is_empty() {
        return Ok(());
    }
    schema
        .check_data(&text, true)
        .map_err(|v| format!("as data: {v:?}"))
}

fn structure(schema: &Generation, data: XmlElement<'_>, seen: &mut Seen) -> Result<(), String> {
    let inside: Vec<XmlElement<'_>> = data.children().collect();
    let [only] = inside[..] else {
        return Err("not exactly one structure in <data>".to_owned());
    };
    note(schema, only, "", seen);
    schema
        .check_structure("convoke-negotiation", "reply", &only.standalone())
        .map_err(|v| format!("as a structure: {v:?}"))
}

/// Checks the grammar of `<rpc-error>` (RFC 6241 Appendix B): mandatory elements, in order.
fn rpc_error(error: XmlElement<'_>) -> Result<(), String> {
    const ORDER: [&str; 7] = [
        "error-type",
        "error-tag",
        "error-severity",
        "error-app-tag",
        "error-path",
        "error-message",
        "error-info",
    ];
    let mut last = 0;
    for child in error.children() {
        let place = ORDER.iter().position(|name| child.is(BASE, name));
        match place {
            Some(place) if place >= last => last = place,
            Some(_) => return Err(format!("<{}> out of order in <rpc-error>", child.name())),
            None => return Err(format!("<{}> in <rpc-error>", child.name())),
        }
    }
    for needed in &ORDER[..3] {
        let text = error.child(BASE, needed).map_or("", |e| e.trimmed_text());
        let known = match *needed {
            "error-type" => ["transport", "rpc", "protocol", "application"].contains(&text),
            "error-tag" => netconf::error::ErrorTag::from_wire(text).is_some(),
            _ => text == "error",
        };
        if !known {
            return Err(format!("<{needed}> says \"{text}\""));
        }
    }
    if error
        .child(BASE, "error-message")
        .is_none_or(|m| m.trimmed_text().is_empty())
    {
        return Err("an <rpc-error> without a message for people".to_owned());
    }
    Ok(())
}

/// Records an element of the data and its descendants.
fn note(schema: &Generation, element: XmlElement<'_>, above: &str, seen: &mut Seen) {
    let module = schema.module_of(element.namespace()).unwrap_or("");
    let inherits = element
        .parent()
        .is_some_and(|p| p.namespace() == element.namespace());
    let path = if above.is_empty() || !inherits {
        format!("{above}/{module}:{}", element.name())
    } else {
        format!("{above}/{}", element.name())
    };
    for child in element.children() {
        note(schema, child, &path, seen);
    }
    seen.insert(path);
}

/// Records an element of an operation, whose path has an additional level.
fn note_operation(schema: &Generation, element: XmlElement<'_>, path: &str, seen: &mut Seen) {
    for child in element.children() {
        let below = if child.namespace() == element.namespace() {
            format!("{path}/{}", child.name())
        } else {
            let module = schema.module_of(child.namespace()).unwrap_or("");
            format!("{path}/{module}:{}", child.name())
        };
        note_operation(schema, child, &below, seen);
    }
    seen.insert(path.to_owned());
}
