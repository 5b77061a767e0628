//! Identifiers of data resources (RFC 8040 §3.5.3): the steps to a node, with the values of keys.
//!
//! Read by the schema, which says of each step what it is and which keys it has; whether anything is there
//! is not known here. Read next: [`super::fields`], [`super::retrieve`].

use super::errors::RestconfError;
use super::escape::decoded;
use super::place::{self, Place};
use ::netconf::filter::{KeyValue, ResourceStep};
use domain::excerpt::excerpt;
use std::borrow::Cow;
use yang::{BaseType, Generation, Kind, SchemaNode};

/// A data resource.
#[derive(Debug)]
pub(super) struct Identified {
    /// The steps to it.
    pub(super) steps: Vec<ResourceStep>,
    /// The place of its parent in the schema.
    pub(super) parent: Place,
    /// Its own.
    pub(super) place: Place,
}

impl Identified {
    /// True if it may be there without anything in it.
    pub(super) fn has_children(&self, generation: &Generation) -> bool {
        let node = self.place.node(generation);
        node.is_some_and(|node| matches!(node.kind, Kind::Container | Kind::List))
    }
}

/// The resource at a path as it came, below the datastore; the datastore itself if that is empty.
///
/// # Errors
/// 404 for a node that no module has; 400 for a path that is none, or keys that are not those of its list.
pub(super) fn identified(path: &str, generation: &Generation) -> Result<Identified, RestconfError> {
    let mut found = Identified {
        steps: Vec::new(),
        parent: Place::root(),
        place: Place::root(),
    };
    if path.is_empty() {
        return Ok(found);
    }
    for segment in path.split('/') {
        let (name, values) = match segment.split_once('=') {
            Some((name, values)) => (name, Some(values)),
            None => (segment, None),
        };
        let name = undone(name)?;
        let (place, node) = child(&found.place, &name, generation)?;
        let step = ResourceStep {
            namespace: node.namespace.clone(),
            name: node.name.clone(),
            ..told(node, &place, values, generation)?
        };
        found.steps.push(step);
        found.parent = std::mem::replace(&mut found.place, place);
    }
    Ok(found)
}

/// The node of that name, which may be without module where its parent's is meant.
fn child<'g>(
    parent: &Place,
    name: &str,
    generation: &'g Generation,
) -> Result<(Place, &'g SchemaNode), RestconfError> {
    let none = || {
        let name = excerpt(name);
        RestconfError::invalid(format!(
            "'{name}' is no step of a path: module:name, or name"
        ))
    };
    let (module, local) = place::split(name).ok_or_else(none)?;
    let module = module.or(parent.module()).ok_or_else(none)?;
    let place = parent.child(module, local);
    match place.node(generation) {
        Some(node) if is_data(node) => Ok((place, node)),
        _ => Err(RestconfError::not_found()),
    }
}

/// True for a node of data, and none of an operation or notification.
pub(super) fn is_data(node: &SchemaNode) -> bool {
    let is_of_data = matches!(
        node.kind,
        Kind::Container | Kind::List | Kind::Leaf | Kind::LeafList | Kind::AnyData | Kind::AnyXml
    );
    is_of_data && !node.in_operation
}

/// The keys or the value that a step has.
fn told(
    node: &SchemaNode,
    place: &Place,
    values: Option<&str>,
    generation: &Generation,
) -> Result<ResourceStep, RestconfError> {
    let mut step = ResourceStep::default();
    match (node.kind, values) {
        (Kind::List, Some(values)) => {
            let values: Vec<&str> = values.split(',').collect();
            if values.len() != node.keys.len() || node.keys.is_empty() {
                return Err(keys_needed(node));
            }
            for (key, text) in node.keys.iter().zip(values) {
                let leaf = place.child(&node.module, key);
                let value = value(leaf.node(generation), text, generation)?;
                step.keys.push((key.clone(), value));
            }
        }
        (Kind::LeafList, Some(text)) => {
            step.value = Some(value(Some(node), text, generation)?);
        }
        (Kind::List | Kind::LeafList, None) => return Err(keys_needed(node)),
        (_, Some(_)) => {
            let name = &node.name;
            return Err(RestconfError::invalid(format!(
                "'{name}' is no list, so it has no keys"
            )));
        }
        (_, None) => {}
    }
    Ok(step)
}

fn keys_needed(node: &SchemaNode) -> RestconfError {
    let name = &node.name;
    RestconfError::invalid(match (node.kind, node.keys.as_slice()) {
        (Kind::LeafList, _) => format!("an entry of '{name}' is named by its value: {name}=VALUE"),
        (_, []) => format!("entries of '{name}' have no keys; read what they stand in"),
        (_, keys) => format!(
            "an entry of '{name}' is named by its keys, in this order: {name}={}; all of them are \
             read with the parameter fields={name} where they stand",
            keys.join(",")
        ),
    })
}

/// The value of a key; an identity may have its module (RFC 7951 §6.8).
fn value(
    leaf: Option<&SchemaNode>,
    text: &str,
    generation: &Generation,
) -> Result<KeyValue, RestconfError> {
    let text = undone(text)?.into_owned();
    let types = leaf.and_then(|leaf| leaf.value_type.as_ref());
    let identity = match types.map(|known| known.base) {
        Some(BaseType::IdentityRef) => text.split_once(':').and_then(|(module, name)| {
            let namespace = generation.namespace_of(module)?;
            Some((namespace.to_owned(), name.to_owned()))
        }),
        _ => None,
    };
    Ok(KeyValue { text, identity })
}

fn undone(part: &str) -> Result<Cow<'_, str>, RestconfError> {
    let malformed =
        || RestconfError::invalid("the path has an escape that is none (RFC 3986 §2.1)");
    decoded(part).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yang::ModuleSet;

    #[test]
    fn a_path_is_read_by_the_schema() {
        let generation = Generation::load(&ModuleSet::convoke()).expect("it loads");
        let read = |path: &str| match identified(path, &generation) {
            Ok(found) => {
                let told = found.steps.iter().map(|step| {
                    let keys = step
                        .keys
                        .iter()
                        .map(|(name, it)| format!("[{name}={}]", it.text));
                    let value = step.value.iter().map(|it| format!("[.={}]", it.text));
                    format!("/{}{}", step.name, keys.chain(value).collect::<String>())
                });
                told.collect::<String>()
            }
            Err(refused) => refused.status().to_string(),
        };
        for (path, expected) in [
            ("", ""),
            ("irtf-agent:agent", "/agent"),
            ("irtf-agent:agent/name", "/agent/name"),
            ("irtf-agent:agent/irtf-agent:name", "/agent/name"),
            (
                "convoke-registry:registry/agent=ip%2Feast",
                "/registry/agent[name=ip/east]",
            ),
            (
                "convoke-registry:registry/agent=a%2Cb",
                "/registry/agent[name=a,b]",
            ),
            ("convoke-registry:registry/agent=", "/registry/agent[name=]"),
            (
                "ietf-netconf-monitoring:netconf-state/schemas/schema=a,,ietf-netconf-monitoring:yang",
                "/netconf-state/schemas/schema[identifier=a][version=][format=ietf-netconf-monitoring:yang]",
            ),
            (
                "ietf-netconf-monitoring:netconf-state/capabilities/capability=urn%3Ax",
                "/netconf-state/capabilities/capability[.=urn:x]",
            ),
            ("agent", "400"),
            ("irtf-agent:agent/", "400"),
            ("irtf-agent:agent//name", "400"),
            ("irtf-agent:agent=x", "400"),
            ("irtf-agent:ag%zzent", "400"),
            ("irtf-agent:a<b", "400"),
            ("convoke-registry:registry/agent", "400"),
            ("convoke-registry:registry/agent=a,b", "400"),
            (
                "ietf-netconf-monitoring:netconf-state/capabilities/capability",
                "400",
            ),
            ("irtf-agent:nothing", "404"),
            ("no-module:agent", "404"),
            ("irtf-agent:agent/name/deeper", "404"),
            ("irtf-agent:task-negotiate", "404"),
            ("irtf-agent:task-negotiate/input", "404"),
            ("irtf-agent:condition-notifications", "404"),
        ] {
            assert_eq!(read(path), expected, "{path}");
        }
    }
}
