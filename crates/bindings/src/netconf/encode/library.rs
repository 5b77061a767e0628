//! `/yang-library` and the older `/modules-state` (RFC 8525): what the generation implements.
//!
//! libyang prints both once per generation; here they are only filtered.

use super::reader::Reader;
use ::netconf::data::{Node, write};
use ::netconf::filter::Projection;
use ::netconf::names::namespace::YANG_LIBRARY;
use ::netconf::xml::{XmlDocument, XmlElement};

impl Reader<'_> {
    pub(super) fn write_library(
        &self,
        printed: &XmlDocument,
        projection: &Projection<'_>,
        out: &mut Vec<u8>,
    ) {
        let generation = &self.session_schema.generation;
        write(
            &node(printed.root(), YANG_LIBRARY, generation, "").state(),
            projection,
            out,
        );
    }
}

/// An element that libyang printed, as a node: which children are keys, the schema says.
fn node<'a>(
    element: XmlElement<'a>,
    parent_namespace: &str,
    generation: &'a yang::Generation,
    parent_path: &str,
) -> Node<'a> {
    let path = match parent_path {
        "" => format!("/ietf-yang-library:{}", element.name()),
        parent => format!("{parent}/{}", element.name()),
    };
    let namespace = if element.namespace() == parent_namespace && !parent_path.is_empty() {
        ""
    } else {
        element.namespace()
    };
    let schema = generation.schema_node(&path);
    let keys = schema.map_or(0, |s| s.keys.len() as u8);
    if !element.has_children() {
        let interior =
            schema.is_some_and(|s| matches!(s.kind, yang::Kind::Container | yang::Kind::List));
        if !interior {
            return leaf(element, namespace);
        }
    }
    let start = match keys {
        0 => Node::container(namespace, element.name()),
        keys => Node::entry(namespace, element.name(), keys),
    };
    element.children().fold(start, |parent, child| {
        parent.with(node(child, element.namespace(), generation, &path))
    })
}

/// A leaf; an identityref keeps the prefix it was printed with.
fn leaf<'a>(element: XmlElement<'a>, namespace: &'a str) -> Node<'a> {
    let text = element.text();
    if element.name() == "name"
        && element.parent().is_some_and(|p| p.name() == "datastore")
        && let Some((prefix, name)) = text.split_once(':')
        && let Some(of) = element.namespace_of_prefix(prefix)
    {
        let identity = ::netconf::data::IdentityRef {
            prefix,
            namespace: of,
            name,
        };
        return Node::value(namespace, element.name(), identity);
    }
    Node::value(namespace, element.name(), text)
}
