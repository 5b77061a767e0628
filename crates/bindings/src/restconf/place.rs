//! The place of a node in the schema, and the names and namespaces that follow from it.
//!
//! A place is a path as [`yang::SchemaNode::path`] has it, made longer step by step; below an anydata or
//! anyxml it begins at the root again. Read next: [`super::identifier`], [`super::json`].

use yang::{Generation, Kind, SchemaNode};

/// A place in the schema, and the module of the node there.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The path from the root; empty at the root, and below anydata.
    path: String,
    /// The module of the node there; empty at the root.
    module: String,
    /// True if every name below needs its module.
    is_top: bool,
}

impl Place {
    /// The root of all data, where every name has its module.
    pub(super) fn root() -> Self {
        Self {
            is_top: true,
            ..Self::default()
        }
    }

    /// The input or output of an rpc.
    pub(super) fn of_operation(module: &str, rpc: &str, part: &str) -> Self {
        Self {
            path: format!("/{module}:{rpc}/{part}"),
            module: module.to_owned(),
            is_top: false,
        }
    }

    /// The module of the names below that have none; none if all have one.
    pub(super) fn module(&self) -> Option<&str> {
        (!self.is_top).then_some(self.module.as_str())
    }

    /// The place of a child of that name and module.
    pub(super) fn child(&self, module: &str, name: &str) -> Self {
        let is_same = module == self.module && !self.path.is_empty();
        Self {
            path: match is_same {
                true => format!("{}/{name}", self.path),
                false => format!("{}/{module}:{name}", self.path),
            },
            module: module.to_owned(),
            is_top: false,
        }
    }

    /// The same place as that of a message's members, which are named with their modules wherever they
    /// stand.
    pub(super) fn of_message(self) -> Self {
        Self {
            is_top: true,
            ..self
        }
    }

    /// The node there, of data, of operations and notifications or of structures.
    pub(super) fn node<'g>(&self, generation: &'g Generation) -> Option<&'g SchemaNode> {
        let known = generation.schema_node(&self.path);
        known.or_else(|| {
            let mut structures = generation.structure_nodes().iter();
            structures.find(|node| node.path == self.path)
        })
    }

    /// The place below which children of the node there stand: that of the node, or of anydata the root,
    /// with its module.
    pub(super) fn inside(self, node: Option<&SchemaNode>) -> Self {
        let is_any = node.is_none_or(|node| matches!(node.kind, Kind::AnyData | Kind::AnyXml));
        match is_any {
            true => Self {
                path: String::new(),
                ..self
            },
            false => self,
        }
    }
}

/// A name as RFC 7951 §4 writes it: the module, if one is named, and the local name. None if it is no
/// identifier of YANG (RFC 7950 §6.2).
pub(super) fn split(name: &str) -> Option<(Option<&str>, &str)> {
    let (module, local) = match name.split_once(':') {
        Some((module, local)) => (Some(module), local),
        None => (None, name),
    };
    let whole = module.is_none_or(is_identifier) && is_identifier(local);
    whole.then_some((module, local))
}

fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        && text.len() <= 256
}
