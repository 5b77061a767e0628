//! The bytes of one node: tags, namespaces, values. Pruning is in `write`.

use super::node::{Content, Defaulted, Metadata, Node, Value};
use crate::filter::DefaultsMode;
use crate::framing::decimal;
use crate::names::namespace;
use crate::xml::write as xml;

/// A leaf, or ready XML, with its tags.
pub(super) fn write_terminal(
    node: &Node<'_>,
    inherited: &str,
    namespace: &str,
    mode: DefaultsMode,
    out: &mut Vec<u8>,
) {
    open_tag(node, inherited, namespace, out);
    if mode == DefaultsMode::ReportAllTagged && node.defaulted == Defaulted::Implicit {
        // The basic mode is explicit: only values that it leaves out count as defaults.
        xml::attribute("xmlns:wd", namespace::DEFAULT_ATTRIBUTE, out);
        out.extend_from_slice(b" wd:default=\"true\"");
    }
    match &node.content {
        Content::Leaf(Value::Identity(identity)) => {
            xml::attribute(
                &format!("xmlns:{}", identity.prefix),
                identity.namespace,
                out,
            );
            out.push(b'>');
            out.extend_from_slice(identity.prefix.as_bytes());
            out.push(b':');
            out.extend_from_slice(identity.name.as_bytes());
        }
        Content::Leaf(value) => {
            out.push(b'>');
            let inside = out.len();
            match value {
                Value::Text(text) => xml::text(text, out),
                Value::Unsigned(number) => decimal(*number, out),
                Value::Signed(number) => {
                    if *number < 0 {
                        out.push(b'-');
                    }
                    decimal(number.unsigned_abs(), out);
                }
                Value::Boolean(true) => out.extend_from_slice(b"true"),
                Value::Boolean(false) => out.extend_from_slice(b"false"),
                Value::Empty | Value::Identity(_) => {}
            }
            return end_tag(node.name, inside, out);
        }
        Content::Verbatim(inside) => {
            out.push(b'>');
            out.extend_from_slice(inside.as_bytes());
        }
        Content::Interior(_) => {}
    }
    end_tag(node.name, 0, out);
}

/// The start tag; a namespace is declared where it changes.
pub(super) fn start_tag(node: &Node<'_>, inherited: &str, namespace: &str, out: &mut Vec<u8>) {
    open_tag(node, inherited, namespace, out);
    out.push(b'>');
}

/// The start tag without its `>`.
#[inline]
fn open_tag(node: &Node<'_>, inherited: &str, namespace: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(node.name.as_bytes());
    if !node.namespace.is_empty() && inherited != namespace {
        xml::attribute("xmlns", namespace, out);
    }
    if !node.attributes.is_empty() {
        write_metadata(&node.attributes, out);
    }
}

fn write_metadata(attributes: &[Metadata<'_>], out: &mut Vec<u8>) {
    for (index, one) in attributes.iter().enumerate() {
        let declared = attributes[..index]
            .iter()
            .any(|earlier| earlier.prefix == one.prefix);
        // The prefix xmlns is bound by definition and must not be declared.
        if !declared && !matches!(one.prefix, "" | "xmlns") {
            xml::attribute(&format!("xmlns:{}", one.prefix), one.namespace, out);
        }
        let name = match one.prefix {
            "" => one.name.to_owned(),
            prefix => format!("{prefix}:{}", one.name),
        };
        xml::attribute(&name, &one.value, out);
    }
}

/// The end tag; `<a>` with nothing after it becomes `<a/>`.
#[inline]
pub(super) fn end_tag(name: &str, inside: usize, out: &mut Vec<u8>) {
    if out.len() == inside {
        out.pop();
        out.extend_from_slice(b"/>");
    } else {
        out.extend_from_slice(b"</");
        out.extend_from_slice(name.as_bytes());
        out.push(b'>');
    }
}
