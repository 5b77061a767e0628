//! Elements as members of JSON objects (RFC 7951), with what RFC 7952 adds for defaults.
//!
//! The elements are those of answers, which are valid: what the schema does not know, such as what stands in
//! anydata, is written as it looks. Recursion is as deep as a parsed document. Read next: [`super::read`].

use crate::restconf::place::Place;
use ::netconf::names::namespace::DEFAULT_ATTRIBUTE;
use ::netconf::xml::XmlElement;
use std::collections::BTreeMap;
use yang::{BaseType, Generation, Kind, SchemaNode};

/// An object with one member: a document whose root is that.
pub(in crate::restconf) fn document(name: &str, inside: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(1_024);
    out.push(b'{');
    text(name, &mut out);
    out.push(b':');
    inside(&mut out);
    out.push(b'}');
    out
}

/// Appends an object with these elements as its members, which stand at a place in the schema. Entries of
/// one list become one array, whatever stands between them.
pub(in crate::restconf) fn members<'x>(
    elements: impl Iterator<Item = XmlElement<'x>>,
    place: &Place,
    generation: &Generation,
    out: &mut Vec<u8>,
) {
    let mut groups: Vec<Vec<XmlElement<'x>>> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for element in elements {
        let name = (element.namespace(), element.name());
        match known.get(&name) {
            Some(group) => groups[*group].push(element),
            None => {
                known.insert(name, groups.len());
                groups.push(vec![element]);
            }
        }
    }
    out.push(b'{');
    for (place_of, group) in groups.iter().enumerate() {
        if place_of > 0 {
            out.push(b',');
        }
        member(group, place, generation, out);
    }
    out.push(b'}');
}

/// One member: all elements of a name.
fn member(group: &[XmlElement<'_>], place: &Place, generation: &Generation, out: &mut Vec<u8>) {
    let first = group[0];
    // What is in no module is in no namespace that is announced: it keeps its bare name.
    let module = generation.module_of(first.namespace()).unwrap_or_default();
    let own = place.child(module, first.name());
    let node = own.node(generation);
    let name = match place.module() == Some(module) || module.is_empty() {
        true => first.name().to_owned(),
        false => format!("{module}:{}", first.name()),
    };
    text(&name, out);
    out.push(b':');
    let is_several = match node.map(|node| node.kind) {
        Some(Kind::List | Kind::LeafList) => true,
        Some(_) => false,
        None => group.len() > 1,
    };
    let inside = own.inside(node);
    match is_several {
        true => {
            out.push(b'[');
            for (index, element) in group.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                value(*element, node, &inside, generation, out);
            }
            out.push(b']');
        }
        false => value(first, node, &inside, generation, out),
    }
    let is_default = first.attribute(DEFAULT_ATTRIBUTE, "default") == Some("true");
    if is_default && !is_several {
        // RFC 8040 §4.8.9, RFC 7952 §5.2.
        out.push(b',');
        text(&format!("@{name}"), out);
        out.extend_from_slice(b":{\"ietf-netconf-with-defaults:default\":true}");
    }
}

fn value(
    element: XmlElement<'_>,
    node: Option<&SchemaNode>,
    inside: &Place,
    generation: &Generation,
    out: &mut Vec<u8>,
) {
    let is_interior = match node.map(|node| node.kind) {
        Some(Kind::Leaf | Kind::LeafList) => false,
        // RFC 7951 §5.5: it is an object, also an empty one.
        Some(Kind::AnyData) => element.has_children() || element.trimmed_text().is_empty(),
        Some(Kind::AnyXml) | None => element.has_children(),
        Some(_) => true,
    };
    if is_interior {
        return members(element.children(), inside, generation, out);
    }
    let types = node.and_then(|node| node.value_type.as_ref());
    match types {
        Some(known) if known.base == BaseType::Union => {
            let types = known.members.iter();
            let fitting = types.filter(|base| is_plain(**base, element.trimmed_text()));
            let base = fitting.copied().next().unwrap_or(BaseType::String);
            scalar(element, base, generation, out);
        }
        Some(known) => scalar(element, known.base, generation, out),
        None => text(element.text(), out),
    }
}

/// Whether the text is one that JSON writes otherwise than as a string, of this member of a union; or one
/// that a member before those takes first.
fn is_plain(base: BaseType, value: &str) -> bool {
    match base {
        BaseType::Signed(bits @ (8 | 16 | 32)) => {
            let most = 1_i64 << (bits - 1);
            value
                .parse::<i64>()
                .is_ok_and(|it| (-most..most).contains(&it))
        }
        BaseType::Unsigned(bits @ (8 | 16 | 32)) => {
            value.parse::<u64>().is_ok_and(|it| it < 1 << bits)
        }
        BaseType::Boolean => matches!(value, "true" | "false"),
        BaseType::IdentityRef => value.contains(':'),
        BaseType::String => true,
        _ => false,
    }
}

/// A value (RFC 7951 §6).
fn scalar(element: XmlElement<'_>, base: BaseType, generation: &Generation, out: &mut Vec<u8>) {
    let trimmed = element.trimmed_text();
    match base {
        BaseType::Signed(8 | 16 | 32) | BaseType::Unsigned(8 | 16 | 32) => {
            match trimmed.parse::<i64>() {
                Ok(number) => out.extend_from_slice(number.to_string().as_bytes()),
                Err(_) => text(trimmed, out),
            }
        }
        BaseType::Boolean if matches!(trimmed, "true" | "false") => {
            out.extend_from_slice(trimmed.as_bytes());
        }
        BaseType::Empty => out.extend_from_slice(b"[null]"),
        BaseType::IdentityRef => {
            let (prefix, name) = trimmed.split_once(':').unwrap_or(("", trimmed));
            let namespace = element.namespace_of_prefix(prefix);
            match namespace.and_then(|namespace| generation.module_of(namespace)) {
                Some(module) => text(&format!("{module}:{name}"), out),
                None => text(trimmed, out),
            }
        }
        BaseType::Signed(_) | BaseType::Unsigned(_) | BaseType::Decimal64 => text(trimmed, out),
        _ => text(element.text(), out),
    }
}

/// A string.
fn text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string is written into memory");
}
