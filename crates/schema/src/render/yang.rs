//! A template as a YANG module (RFC 7950), and its payloads as typed XML.
//!
//! Knows how each shape is modelled and written; refuses to compile or validate: that is libyang's
//! work, in the crate `yang`. [`to_xml`] and [`to_rfc7951`] write a payload, [`from_rfc7951`] reads
//! one back.
//!
//! | shape | node |
//! |---|---|
//! | string, integer, number, boolean | leaf: string or enumeration, int64, decimal64 with six digits, boolean |
//! | array of these | leaf-list |
//! | array of objects with properties | list without key |
//! | object with properties | container; with presence unless it is required and has required members |
//! | any object, any array, arrays in arrays, unknown type | anydata, holding one element `json` with the JSON text |
//! | `other` | leaf-list of string |

mod data;
mod statement;
mod types;

pub use data::{JSON, NoTypedForm, from_rfc7951, to_rfc7951, to_xml};

use super::wording::{self, Words};
use crate::language::Language;
use crate::template::{Annotation, Key, KeyStatus, KeyType, OTHER, Property, Shape, Template};
use serde_json::Value;
use statement::Statement;

/// The place of the payload's container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement<'a> {
    /// At the top of its own module, as state data.
    Standalone,
    /// Within a node of another module, such as the input of an rpc.
    Augment {
        /// The module augmented.
        module: &'a str,
        /// The prefix that `path` names it by.
        prefix: &'a str,
        /// The schema node identifier of the place, e.g. `/cs:submit/cs:input`.
        path: &'a str,
        /// True if lists there are ordered by the system unless they say otherwise: within
        /// configuration and the input of an rpc or action.
        input: bool,
    },
}

/// The form of a key or member in the data tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataNodeKind {
    /// One value.
    Leaf,
    /// Several values.
    LeafList,
    /// Several objects.
    List,
    /// One object.
    Container {
        /// True if being there says something by itself.
        presence: bool,
    },
    /// JSON whose content the template does not declare.
    AnyData,
}

impl DataNodeKind {
    /// As YANG calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::LeafList => "leaf-list",
            Self::List => "list",
            Self::Container { .. } => "container",
            Self::AnyData => "anydata",
        }
    }
}

/// One node of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YangNode {
    /// The place of its value in the payload: `/alarms/time` for each `time` in the array `alarms`.
    pub path: String,
    /// Its form in the data tree.
    pub kind: DataNodeKind,
    /// The YANG type of a leaf or leaf-list.
    pub yang_type: Option<&'static str>,
}

/// The nodes of a template's module, in order, parents first.
pub fn nodes(template: &Template) -> Vec<YangNode> {
    let mut nodes = Vec::new();
    for key in &template.keys {
        let path = format!("/{}", key.key_name);
        match key.key_name.as_str() {
            OTHER => nodes.push(YangNode {
                path,
                kind: DataNodeKind::LeafList,
                yang_type: Some("string"),
            }),
            _ => list_nodes(&key.shape, key.required, path, &mut nodes),
        }
    }
    nodes
}

fn list_nodes(shape: &Shape, required: bool, path: String, nodes: &mut Vec<YangNode>) {
    let kind = kind(shape, required);
    let scalar = match kind {
        DataNodeKind::LeafList => shape.constraint.items.as_deref(),
        _ => Some(shape),
    };
    let leaf = matches!(kind, DataNodeKind::Leaf | DataNodeKind::LeafList);
    nodes.push(YangNode {
        path: path.clone(),
        kind,
        yang_type: scalar.filter(|_| leaf).map(types::name),
    });
    for member in members(shape, kind) {
        let path = format!("{path}/{}", member.name);
        list_nodes(&member.shape, member.required, path, nodes);
    }
}

/// The form of a value of that shape in the data tree.
pub(super) fn kind(shape: &Shape, required: bool) -> DataNodeKind {
    match shape.key_type {
        KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Boolean => {
            DataNodeKind::Leaf
        }
        KeyType::Any => DataNodeKind::AnyData,
        KeyType::Object if shape.constraint.properties.is_empty() => DataNodeKind::AnyData,
        KeyType::Object => DataNodeKind::Container {
            presence: !(required && demands(&shape.constraint.properties)),
        },
        KeyType::Array => match shape.constraint.items.as_deref() {
            None => DataNodeKind::AnyData,
            Some(items) => match kind(items, false) {
                DataNodeKind::Leaf => DataNodeKind::LeafList,
                DataNodeKind::Container { .. } => DataNodeKind::List,
                DataNodeKind::LeafList | DataNodeKind::List | DataNodeKind::AnyData => {
                    DataNodeKind::AnyData
                }
            },
        },
    }
}

/// The members of an object, or of the objects of a list.
fn members(shape: &Shape, kind: DataNodeKind) -> &[Property] {
    match (kind, shape.constraint.items.as_deref()) {
        (DataNodeKind::Container { .. }, _) => &shape.constraint.properties,
        (DataNodeKind::List, Some(items)) => &items.constraint.properties,
        _ => &[],
    }
}

/// True if a member's absence is refused by YANG itself, without a `must`.
fn demands(members: &[Property]) -> bool {
    members.iter().any(|m| m.required && !needs_must(&m.shape))
}

/// True if a required value of that shape needs a `must`, for YANG has no mandatory presence
/// container.
fn needs_must(shape: &Shape) -> bool {
    kind(shape, true) == DataNodeKind::Container { presence: true }
}

/// The namespace of a template's module.
pub fn namespace(template: &Template) -> String {
    format!(
        "urn:convoke:params:xml:ns:yang:schema:{}",
        identifier(&template.schema_id)
    )
}

/// A name as a YANG identifier. Names that lint passes stay as they are; whatever YANG does not
/// take in others becomes `_`.
pub(super) fn identifier(name: &str) -> String {
    let fits = |(at, c): (usize, char)| match c {
        'a'..='z' | 'A'..='Z' | '_' => c,
        '0'..='9' | '-' | '.' if at > 0 => c,
        _ => '_',
    };
    let identifier: String = name.chars().enumerate().map(fits).collect();
    match identifier.is_empty() {
        true => "_".to_owned(),
        false => identifier,
    }
}

/// The YANG 1.1 module of a template, described in the language asked for: a `grouping payload`
/// and a presence container called as the `schema_id`.
///
/// `revision` is the module's date, `YYYY-MM-DD`. The module is called as the `schema_id`, its
/// prefix likewise.
pub fn module(
    template: &Template,
    placement: Placement<'_>,
    language: &Language,
    revision: &str,
) -> String {
    Modeller {
        template,
        language,
        input: matches!(placement, Placement::Augment { input: true, .. }),
    }
    .module(placement, revision)
    .to_string()
}

struct Modeller<'a> {
    template: &'a Template,
    language: &'a Language,
    input: bool,
}

impl Modeller<'_> {
    fn module(&self, placement: Placement<'_>, revision: &str) -> Statement {
        let name = identifier(&self.template.schema_id);
        let title = wording::title(self.template, self.language);
        let mut module = Statement::new("module", &name)
            .with("yang-version", "1.1")
            .with_text("namespace", &namespace(self.template))
            .with("prefix", &name);
        if let Placement::Augment {
            module: of, prefix, ..
        } = placement
        {
            module.push(Statement::new("import", of).with("prefix", prefix));
        }
        module.push(Statement::text(
            "description",
            &format!("{title}: payloads of the schema template {name}."),
        ));
        module.push(
            Statement::text("revision", revision)
                .with_text("description", &format!("Made from {name}.")),
        );
        for format in types::formats(self.template) {
            module.push(types::typedef(format));
        }
        module.push(self.grouping());
        module.push(self.placed(placement));
        module
    }

    fn grouping(&self) -> Statement {
        let mut grouping =
            Statement::new("grouping", "payload").with_text("description", "The keys, in order.");
        for key in &self.template.keys {
            grouping.push(self.key(key));
        }
        grouping
    }

    fn placed(&self, placement: Placement<'_>) -> Statement {
        let mut container = Statement::new("container", &identifier(&self.template.schema_id))
            .with_text("presence", "A payload is there, with or without keys.");
        if placement == Placement::Standalone {
            container.push(Statement::new("config", "false"));
        }
        for key in self.template.own_keys().filter(|key| key.required) {
            container.extend(must(&key.key_name, &key.shape));
        }
        container.push(Statement::text(
            "description",
            wording::title(self.template, self.language),
        ));
        container.push(Statement::new("uses", "payload"));
        match placement {
            Placement::Standalone => container,
            Placement::Augment { path, .. } => {
                let mut augment = Statement::text("augment", path)
                    .with_text("description", "A payload as typed XML.");
                augment.push(container);
                augment
            }
        }
    }

    fn key(&self, key: &Key) -> Statement {
        if key.key_name == OTHER {
            let mut other = Statement::new("leaf-list", OTHER).with("type", "string");
            other.extend(self.ordered());
            other.extend(self.described(&key.annotation, &key.shape, None));
            return other;
        }
        let default = wording::default(key);
        let mut node = self.node(&key.key_name, &key.shape, key.required, default);
        if key.standing == KeyStatus::Deprecated {
            node.push(Statement::new("status", "deprecated"));
        }
        let experimental = (key.standing == KeyStatus::Experimental)
            .then(|| Words::of(self.language).experimental);
        node.extend(self.described(&key.annotation, &key.shape, experimental));
        node
    }

    fn member(&self, member: &Property) -> Statement {
        let mut node = self.node(&member.name, &member.shape, member.required, None);
        node.extend(self.described(&member.annotation, &member.shape, None));
        node
    }

    fn described(
        &self,
        annotation: &Annotation,
        shape: &Shape,
        mark: Option<&str>,
    ) -> Option<Statement> {
        let told = wording::told(annotation, shape, self.language, &self.template.language);
        let told = match mark {
            Some(mark) => format!("[{mark}] {told}").trim_end().to_owned(),
            None => told,
        };
        (!told.is_empty()).then(|| Statement::text("description", &told))
    }

    /// A data node without its description.
    fn node(
        &self,
        name: &str,
        shape: &Shape,
        required: bool,
        default: Option<&Value>,
    ) -> Statement {
        let kind = kind(shape, required);
        let mut node = Statement::new(kind.as_str(), &identifier(name));
        match kind {
            DataNodeKind::Leaf => {
                node.push(types::of(shape));
                node.extend(units(shape));
                node.extend(mandatory(required));
                node.extend(default.and_then(|value| types::default(shape, value)));
            }
            DataNodeKind::LeafList => self.leaf_list(&mut node, shape, required, default),
            DataNodeKind::List => {
                node.extend(self.counts(shape, required));
                node.extend(self.ordered());
            }
            DataNodeKind::Container { presence } => {
                node.extend(presence.then(|| Statement::text("presence", "The object is there.")));
            }
            DataNodeKind::AnyData => node.extend(mandatory(required)),
        }
        self.below(&mut node, members(shape, kind));
        node
    }

    fn leaf_list(
        &self,
        node: &mut Statement,
        shape: &Shape,
        required: bool,
        default: Option<&Value>,
    ) {
        let items = shape.constraint.items.as_deref();
        let items = items.expect("a leaf-list is an array of scalars");
        node.push(types::of(items));
        node.extend(units(shape).or_else(|| units(items)));
        if let Some(Value::Array(values)) = default {
            node.extend(
                values
                    .iter()
                    .filter_map(|value| types::default(items, value)),
            );
        }
        node.extend(self.counts(shape, required));
        node.extend(self.ordered());
    }

    fn below(&self, node: &mut Statement, members: &[Property]) {
        for member in members.iter().filter(|member| member.required) {
            node.extend(must(&member.name, &member.shape));
        }
        for member in members {
            node.push(self.member(member));
        }
    }

    fn counts(&self, shape: &Shape, required: bool) -> Vec<Statement> {
        let least = required.then(|| Statement::new("min-elements", "1"));
        let most = shape.constraint.max_items;
        // `max-elements 0` is not YANG; a template that says so has an array nobody can fill.
        let most = most.map(|most| Statement::new("max-elements", &most.max(1).to_string()));
        least.into_iter().chain(most).collect()
    }

    fn ordered(&self) -> Option<Statement> {
        // Elsewhere data keep their order by themselves (RFC 7950 §7.7.7).
        self.input.then(|| Statement::new("ordered-by", "user"))
    }
}

fn mandatory(required: bool) -> Option<Statement> {
    required.then(|| Statement::new("mandatory", "true"))
}

fn units(shape: &Shape) -> Option<Statement> {
    let unit = shape.constraint.unit.as_deref()?;
    Some(Statement::text("units", unit))
}

/// The constraint on a parent that a required object be there, where `mandatory` cannot say it.
fn must(name: &str, shape: &Shape) -> Option<Statement> {
    needs_must(shape).then(|| {
        let name = identifier(name);
        Statement::text("must", &name)
            .with_text("error-message", &format!("{name} is missing."))
            .with_text("error-app-tag", "missing")
    })
}
