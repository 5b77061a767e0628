//! The compiled schema as plain records: for coverage tests, access control
//! and documentation.

use yang_rs::context::Context;
use yang_rs::schema::{SchemaModule, SchemaNode as Compiled, SchemaNodeKind};

use crate::ffi;
use crate::value_type::ValueType;

/// The kind of a schema node. Choices and cases do not appear: their nodes are children of the
/// parent, as in instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `container`
    Container,
    /// `list`
    List,
    /// `leaf`
    Leaf,
    /// `leaf-list`
    LeafList,
    /// `anyxml`
    AnyXml,
    /// `anydata`
    AnyData,
    /// `rpc`
    Rpc,
    /// The input of an rpc or action.
    Input,
    /// The output of an rpc or action.
    Output,
    /// `action`
    Action,
    /// `notification`
    Notification,
}

/// `nacm:default-deny-all` and `nacm:default-deny-write` (RFC 8341 §3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultDeny {
    /// No access without a rule.
    All,
    /// No write access without a rule.
    Write,
}

/// The `status` statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// In use.
    Current,
    /// Still there, not for new use.
    Deprecated,
    /// Removed; not implemented.
    Obsolete,
}

/// One node of the compiled schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaNode {
    /// The path from the root, `/module:name/name/…`; a name carries a prefix where its module
    /// differs from its parent's. Operations have `input` and `output` levels, e.g.
    /// `/irtf-agent:task-negotiate/input/task-id`.
    pub path: String,
    /// The module that defines the node (for an augment, the augmenting one).
    pub module: String,
    /// That module's namespace.
    pub namespace: String,
    /// The local name.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// True for configuration, false for state and inside operations.
    pub config: bool,
    /// True for an rpc or action and all below it.
    pub in_operation: bool,
    /// `mandatory true`, or `min-elements` above 0.
    pub mandatory: bool,
    /// True for a container or an input in which something must be there: a node, or one of a choice.
    pub needs_content: bool,
    /// True for a container that means something by being there (RFC 7950 §7.5.1).
    pub is_presence: bool,
    /// True if a `when` or `must` decides about it.
    pub is_conditional: bool,
    /// True if it is one of several that exclude each other (`choice`).
    pub is_in_choice: bool,
    /// The type of a leaf or leaf-list.
    pub value_type: Option<ValueType>,
    /// True for a leaf that is a key of its list.
    pub is_key: bool,
    /// The names of a list's keys, in order.
    pub keys: Vec<String>,
    /// A leaf's default, in canonical form.
    pub default: Option<String>,
    /// The values of an enumeration with their numbers (RFC 7950 §9.6.4.2); empty for other types.
    pub enumeration: Vec<(String, i64)>,
    /// The `units` statement.
    pub units: Option<String>,
    /// The `description` statement.
    pub description: Option<String>,
    /// Access control's default, inherited from ancestors.
    pub nacm_default_deny: Option<DefaultDeny>,
    /// The `status` statement.
    pub status: Status,
}

impl SchemaNode {
    /// The path as instances have it: without the levels `input` and `output`
    /// of operations.
    pub fn instance_path(&self) -> String {
        if !self.in_operation {
            return self.path.clone();
        }
        // Operations stand at the top: the level is the one below them.
        let mut parts: Vec<&str> = self.path.split('/').collect();
        if matches!(parts.get(2), Some(&("input" | "output"))) {
            parts.remove(2);
        }
        parts.join("/")
    }
}

/// The properties that a node inherits from its parent.
struct Above<'p> {
    path: &'p str,
    module: &'p str,
    deny: Option<DefaultDeny>,
    in_operation: bool,
    in_event: bool,
    in_choice: bool,
}

/// Above what stands in no other node.
const ROOT: Above<'_> = Above {
    path: "",
    module: "",
    deny: None,
    in_operation: false,
    in_event: false,
    in_choice: false,
};

/// The implemented modules by name, except those named.
fn implemented<'c>(context: &'c Context, except: &[&str]) -> Vec<SchemaModule<'c>> {
    let mut modules: Vec<_> = context
        .modules(false)
        .filter(|module| module.is_implemented() && !except.contains(&module.name()))
        .collect();
    modules.sort_by(|a, b| a.name().cmp(b.name()));
    modules
}

/// All nodes of the implemented modules, except those named, but for structures.
pub(crate) fn walk(context: &Context, except: &[&str]) -> Vec<SchemaNode> {
    let mut nodes = Vec::new();
    for module in &implemented(context, except) {
        for node in module
            .data()
            .chain(module.rpcs())
            .chain(module.notifications())
        {
            // libyang adds the element <rpc-error> to the module of RFC 6241 as
            // if it were data; the module has none.
            if module.name() == "ietf-netconf" && node.name() == "rpc-error" {
                continue;
            }
            visit(&node, &ROOT, &mut nodes);
        }
    }
    nodes
}

/// The structures of the implemented modules, except those named, and all below them.
pub(crate) fn structures(context: &Context, except: &[&str]) -> Vec<SchemaNode> {
    let mut nodes = Vec::new();
    for module in &implemented(context, except) {
        for node in ffi::structures(context, module) {
            visit(&node, &ROOT, &mut nodes);
        }
    }
    nodes
}

fn visit(node: &Compiled<'_>, above: &Above<'_>, nodes: &mut Vec<SchemaNode>) {
    let Some(kind) = kind(node.kind()) else {
        // A choice or a case: its nodes stand where it would.
        if node.is_mandatory() {
            // A choice among nothing, for want of features, is one too.
            let parent = nodes.iter_mut().rev().find(|n| n.path == above.path);
            parent.into_iter().for_each(|n| n.needs_content = true);
        }
        let below = Above {
            in_choice: true,
            ..*above
        };
        node.children()
            .for_each(|child| visit(&child, &below, nodes));
        return;
    };
    let module = node.module().name().to_owned();
    let path = if module == above.module {
        format!("{}/{}", above.path, node.name())
    } else {
        format!("{}/{module}:{}", above.path, node.name())
    };
    let deny = default_deny(node).or(above.deny);
    let below = Above {
        path: &path,
        module: &module,
        deny,
        in_operation: above.in_operation || matches!(kind, Kind::Rpc | Kind::Action),
        in_event: above.in_event || kind == Kind::Notification,
        in_choice: false,
    };
    nodes.push(SchemaNode {
        is_in_choice: above.in_choice,
        ..record(node, kind, &below)
    });

    for (kind, name, part) in [
        (Kind::Input, "input", node.input()),
        (Kind::Output, "output", node.output()),
    ] {
        let Some((children, mut musts)) = part else {
            continue;
        };
        let path = format!("{path}/{name}");
        let own = nodes
            .last()
            .expect("the operation was pushed")
            .namespace
            .clone();
        nodes.push(SchemaNode {
            path: path.clone(),
            module: module.clone(),
            namespace: own,
            name: name.to_owned(),
            kind,
            config: false,
            in_operation: true,
            mandatory: false,
            needs_content: false,
            is_presence: false,
            is_conditional: musts.next().is_some(),
            is_in_choice: false,
            value_type: None,
            is_key: false,
            keys: Vec::new(),
            default: None,
            enumeration: Vec::new(),
            units: None,
            description: None,
            nacm_default_deny: deny,
            status: status(node),
        });
        let below = Above {
            path: &path,
            ..below
        };
        children.for_each(|child| visit(&child, &below, nodes));
    }
    if !matches!(kind, Kind::Rpc | Kind::Action) {
        node.all_children()
            .for_each(|child| visit(&child, &below, nodes));
    }
}

/// The record of a node, with the properties inherited from its parent.
fn record(node: &Compiled<'_>, kind: Kind, handed: &Above<'_>) -> SchemaNode {
    SchemaNode {
        path: handed.path.to_owned(),
        module: node.module().name().to_owned(),
        namespace: node.module().namespace().to_owned(),
        name: node.name().to_owned(),
        kind,
        config: !handed.in_operation && !handed.in_event && node.is_config(),
        in_operation: handed.in_operation,
        // libyang marks containers that hold a mandatory node, too.
        mandatory: kind != Kind::Container && node.is_mandatory(),
        needs_content: kind == Kind::Container && node.is_mandatory(),
        is_presence: kind == Kind::Container && !node.is_np_container(),
        is_conditional: node.whens().next().is_some()
            || node.musts().is_some_and(|mut musts| musts.next().is_some()),
        is_in_choice: false,
        value_type: if matches!(kind, Kind::Leaf | Kind::LeafList) {
            ffi::value_type(node)
        } else {
            None
        },
        is_key: kind == Kind::Leaf && node.is_list_key(),
        keys: if kind == Kind::List {
            node.list_keys().map(|key| key.name().to_owned()).collect()
        } else {
            Vec::new()
        },
        // Without `has_default` yang5 answers an empty string where there is none.
        default: if kind == Kind::Leaf && node.has_default() {
            node.default_value_canonical().ok().flatten()
        } else {
            None
        },
        enumeration: if matches!(kind, Kind::Leaf | Kind::LeafList) {
            ffi::enumeration(node)
        } else {
            Vec::new()
        },
        units: if matches!(kind, Kind::Leaf | Kind::LeafList) {
            node.units().map(str::to_owned)
        } else {
            None
        },
        description: node.description().map(str::to_owned),
        nacm_default_deny: handed.deny,
        status: status(node),
    }
}

fn kind(kind: SchemaNodeKind) -> Option<Kind> {
    Some(match kind {
        SchemaNodeKind::Container => Kind::Container,
        SchemaNodeKind::List => Kind::List,
        SchemaNodeKind::Leaf => Kind::Leaf,
        SchemaNodeKind::LeafList => Kind::LeafList,
        SchemaNodeKind::AnyXml => Kind::AnyXml,
        SchemaNodeKind::AnyData => Kind::AnyData,
        SchemaNodeKind::Rpc => Kind::Rpc,
        SchemaNodeKind::Input => Kind::Input,
        SchemaNodeKind::Output => Kind::Output,
        SchemaNodeKind::Action => Kind::Action,
        SchemaNodeKind::Notification => Kind::Notification,
        SchemaNodeKind::Choice | SchemaNodeKind::Case => return None,
    })
}

fn default_deny(node: &Compiled<'_>) -> Option<DefaultDeny> {
    // RFC 8341 §3.4.4 step 11 denies these two by name, for the module of
    // RFC 6241 is older than the extension.
    let is_base = node.kind() == SchemaNodeKind::Rpc && node.module().name() == "ietf-netconf";
    if is_base && matches!(node.name(), "kill-session" | "delete-config") {
        return Some(DefaultDeny::All);
    }
    ffi::extensions(node)
        .into_iter()
        .find_map(
            |(module, extension)| match (module.as_str(), extension.as_str()) {
                ("ietf-netconf-acm", "default-deny-all") => Some(DefaultDeny::All),
                ("ietf-netconf-acm", "default-deny-write") => Some(DefaultDeny::Write),
                _ => None,
            },
        )
}

fn status(node: &Compiled<'_>) -> Status {
    if node.is_status_obsolete() {
        Status::Obsolete
    } else if node.is_status_deprecated() {
        Status::Deprecated
    } else {
        Status::Current
    }
}
