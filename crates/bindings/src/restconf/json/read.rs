//! The input of an rpc in JSON (RFC 7951), as the element that NETCONF takes.
//!
//! What is said here is said of JSON alone: names without or with a module that is none, values that are no
//! value of JSON for the type (RFC 7951 §6). Whether the nodes are those of the rpc, and what their values
//! may be, the schema says of the element as of any other. Read next: [`super::write`].

use crate::restconf::place::{self, Place};
use ::netconf::error::{ErrorTag, RpcError};
use ::netconf::xml::write as xml;
use domain::excerpt::excerpt;
use serde_json::{Map, Value};
use yang::{BaseType, Generation, Kind, SchemaNode};

/// Appends the element of an operation with the members of an input, which are counted before.
///
/// # Errors
/// `unknown-namespace` for a module that is not there, `unknown-element` for a name that is none,
/// `invalid-value` for a value that JSON has otherwise.
pub(in crate::restconf) fn operation(
    (module, rpc): (&str, &str),
    input: &Map<String, Value>,
    generation: &Generation,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let namespace = namespace(module, generation)?;
    let place = Place::of_operation(module, rpc, "input");
    begin(rpc, Some(namespace), out);
    out.push(b'>');
    Reader { generation }.members(input, &place, &[], out)?;
    end(rpc, out);
    Ok(())
}

struct Reader<'g> {
    generation: &'g Generation,
}

impl Reader<'_> {
    /// Members as elements, keys first (RFC 7950 §7.8.5).
    fn members(
        &self,
        members: &Map<String, Value>,
        place: &Place,
        keys: &[String],
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let is_key = |name: &str| {
            let local = name.split_once(':').map_or(name, |(_, local)| local);
            keys.iter().any(|key| key == local)
        };
        let first = members.iter().filter(|(name, _)| is_key(name));
        let others = members.iter().filter(|(name, _)| !is_key(name));
        for (name, value) in first.chain(others) {
            self.member(name, value, place, out)?;
        }
        Ok(())
    }

    fn member(
        &self,
        name: &str,
        value: &Value,
        place: &Place,
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let (module, local) = place::split(name).ok_or_else(|| unknown(name))?;
        let module = module.or(place.module()).ok_or_else(|| unknown(name))?;
        let own = place.child(module, local);
        let node = own.node(self.generation);
        let namespace = match place.module() == Some(module) {
            true => None,
            false => Some(namespace(module, self.generation)?),
        };
        let inside = own.inside(node);
        let each = match (node.map(|node| node.kind), value) {
            (Some(Kind::List | Kind::LeafList) | None, Value::Array(entries))
                if !is_empty(value) =>
            {
                entries.as_slice()
            }
            (Some(Kind::List | Kind::LeafList), _) => {
                return Err(wrong(local, "an array"));
            }
            _ => std::slice::from_ref(value),
        };
        for one in each {
            let about = Element {
                local,
                namespace,
                node,
                inside: &inside,
            };
            self.element(&about, one, out)?;
        }
        Ok(())
    }

    fn element(
        &self,
        about: &Element<'_>,
        value: &Value,
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let Element {
            local,
            namespace,
            node,
            inside,
        } = *about;
        begin(local, namespace, out);
        let kind = node.map(|node| node.kind);
        let keys = node.map_or(&[][..], |node| &node.keys);
        match (kind, value) {
            (Some(Kind::Leaf | Kind::LeafList), value) => {
                self.leaf(about, value, out)?;
            }
            (_, Value::Object(members)) => {
                out.push(b'>');
                self.members(members, inside, keys, out)?;
            }
            (Some(Kind::AnyData | Kind::AnyXml) | None, value) => {
                out.push(b'>');
                xml::text(&plain(local, value)?, out);
            }
            _ => return Err(wrong(local, "an object")),
        }
        end(local, out);
        Ok(())
    }

    /// The rest of a leaf's start tag, and its value.
    fn leaf(&self, about: &Element<'_>, value: &Value, out: &mut Vec<u8>) -> Result<(), RpcError> {
        let local = about.local;
        let types = about.node.and_then(|node| node.value_type.as_ref());
        let base = types.map_or(BaseType::String, |known| known.base);
        if base == BaseType::IdentityRef
            && let Value::String(identity) = value
        {
            return self.identity(about, identity, out);
        }
        out.push(b'>');
        let value = match (base, value) {
            (BaseType::Empty, value) if is_empty(value) => String::new(),
            (BaseType::Empty, _) => return Err(wrong(local, "[null]")),
            (BaseType::Boolean, Value::Bool(_)) | (BaseType::Union, _) => plain(local, value)?,
            (BaseType::Boolean, _) => return Err(wrong(local, "true or false")),
            (BaseType::Signed(8 | 16 | 32) | BaseType::Unsigned(8 | 16 | 32), value) => match value
            {
                Value::Number(number) => number.to_string(),
                _ => return Err(wrong(local, "a number")),
            },
            (_, Value::String(text)) => text.clone(),
            _ => return Err(wrong(local, "a string")),
        };
        xml::text(&value, out);
        Ok(())
    }

    /// An identity, of the leaf's own module if none is named (RFC 7951 §6.8).
    fn identity(
        &self,
        about: &Element<'_>,
        identity: &str,
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let own = about.node.map(|node| node.module.as_str());
        let (module, name) = match place::split(identity) {
            Some((module, name)) => (module.or(own).unwrap_or_default(), name),
            None => return Err(wrong(about.local, "an identity")),
        };
        xml::attribute("xmlns:idn", namespace(module, self.generation)?, out);
        out.extend_from_slice(b">idn:");
        xml::text(name, out);
        Ok(())
    }
}

/// A node of the input, and what is known of it.
struct Element<'e> {
    local: &'e str,
    /// Its namespace, where that is not its parent's.
    namespace: Option<&'e str>,
    node: Option<&'e SchemaNode>,
    inside: &'e Place,
}

/// `[null]` (RFC 7951 §6.9).
fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Array(one) if matches!(one.as_slice(), [Value::Null]))
}

/// A value of which only JSON says the type.
fn plain(local: &str, value: &Value) -> Result<String, RpcError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        value if is_empty(value) => Ok(String::new()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(wrong(local, "a single value")),
    }
}

fn begin(name: &str, namespace: Option<&str>, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    if let Some(namespace) = namespace {
        xml::attribute("xmlns", namespace, out);
    }
}

fn end(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"</");
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

fn namespace<'g>(module: &str, generation: &'g Generation) -> Result<&'g str, RpcError> {
    generation.namespace_of(module).ok_or_else(|| {
        bad(
            ErrorTag::UnknownNamespace,
            format!("there is no module '{}'", excerpt(module)),
        )
        .bad_namespace(excerpt(module).into_owned())
    })
}

/// What is wrong with the input as JSON.
fn bad(tag: ErrorTag, message: String) -> RpcError {
    RpcError::protocol(tag).message(message)
}

/// A member that names no node: annotations among them, of which none is taken.
fn unknown(name: &str) -> RpcError {
    bad(
        ErrorTag::UnknownElement,
        format!("'{}' names no node", excerpt(name)),
    )
    .bad_element(excerpt(name).into_owned())
}

fn wrong(local: &str, expected: &str) -> RpcError {
    bad(
        ErrorTag::InvalidValue,
        format!("in JSON '{}' is {expected} (RFC 7951)", excerpt(local)),
    )
    .bad_element(excerpt(local).into_owned())
}
