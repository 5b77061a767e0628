//! What is told: outputs of rpcs and structures, as `output/rpcs.rs` has them, notifications and data, as
//! `output/notifications.rs`, `output/data.rs` and `output/usage.rs` have them.
//!
//! Nodes below which the same stands have one type. Read next: `output.rs`, where the macro is.

use super::{below, constant, default, is_typed, pascal, short, snake};
use std::fmt::Write as _;
use yang::{BaseType, Generation, Kind, SchemaNode, ValueType};

const RPCS: &str = "\
//! The outputs of rpcs, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

";

const NOTIFICATIONS: &str = "\
//! Notifications, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::rpcs::*;
";

const DATA: &str = "\
//! Data, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::notifications::*;
use super::rpcs::*;
";

const USAGE: &str = "\
//! Data about users and the platform itself, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

";

/// The module whose data have a file of their own. They come last, and are built of nothing that comes before.
const APART: &str = "convoke-usage";

/// The types of leaves, in the order of their names.
const LEAVES: [&str; 5] = ["Boolean", "Decimal", "Instant", "Number", "Text"];

/// What is never told, and why.
const NEVER_TOLD: [(&str, &str); 2] = [
    ("/irtf-agent:msg-base", "messages are no data"),
    (
        "/irtf-agent:context/request-info/dataParam",
        "a request is words",
    ),
];

/// So many nodes at least stand in front of others for a type to be said by another.
const ALIKE_LEAST: usize = 3;

/// A type: what it is the type of, its name, and the lines of the nodes below.
struct Type {
    kind: String,
    name: String,
    /// Where a root stands.
    root: String,
    lines: Vec<String>,
}

struct Types<'g> {
    generation: &'g Generation,
    found: Vec<Type>,
}

impl Types<'_> {
    /// A name that no other type has: that of the node, or with what is above it.
    fn name(&self, node: &str, above: &str) -> String {
        let name = pascal(node);
        // The prelude's and the writer's are needed, and those of rpcs are those of their inputs.
        let is_taken = matches!(name.as_str(), "Result" | "Node")
            || self.found.iter().any(|its| its.name == name)
            || self.generation.rpcs().any(|rpc| pascal(&rpc.name) == name);
        match is_taken {
            true => pascal(above) + &name,
            false => name,
        }
    }

    /// Adds the type of a root.
    fn add(&mut self, kind: String, node: &SchemaNode) {
        let lines = self.lines(&node.path, &node.module, &node.name);
        let name = self.name(&node.name, short(&node.module));
        let root = format!(" = {} {:?}", constant(&node.module), node.name);
        self.found.push(Type {
            kind,
            name,
            root,
            lines,
        });
    }

    /// Adds the type of data.
    fn add_data(&mut self, node: &SchemaNode) {
        if NEVER_TOLD.iter().any(|(path, _)| *path == node.path) {
            return;
        }
        let keys = match node.kind {
            Kind::List => format!(" {}", node.keys.len()),
            _ => String::new(),
        };
        self.add(format!("data{keys}"), node);
    }

    /// The type of a node below another: one that is known, or a new one.
    fn of(&mut self, node: &SchemaNode, above: &str) -> String {
        let lines = self.lines(&node.path, &node.module, &node.name);
        let mut known = self.found.iter();
        if let Some(known) = known.find(|its| its.kind == "node" && its.lines == lines) {
            return known.name.clone();
        }
        let name = self.name(&node.name, above);
        self.found.push(Type {
            kind: "node".to_owned(),
            name: name.clone(),
            root: String::new(),
            lines,
        });
        name
    }

    /// The nodes below a path, of which one of this module has its namespace from above.
    fn lines(&mut self, path: &str, module: &str, above: &str) -> Vec<String> {
        let nodes = below(self.generation, path).into_iter();
        let told = |node: &&SchemaNode| NEVER_TOLD.iter().all(|(path, _)| *path != node.path);
        nodes
            .filter(told)
            .map(|node| {
                let its = match (&node.kind, &node.value_type) {
                    (Kind::LeafList, Some(of)) => format!(" leaf_list {}", value(of)),
                    (_, Some(of)) => format!(" leaf {}", value(of)),
                    (Kind::Container, _) => format!(" container {}<'a>", self.of(node, above)),
                    (Kind::List, _) => {
                        format!(" list {} {}<'a>", node.keys.len(), self.of(node, above))
                    }
                    _ => " anyxml".to_owned(),
                };
                let of = match node.module == module {
                    true => String::new(),
                    false => format!(" {}", constant(&node.module)),
                };
                let or = default(node).map_or_else(String::new, |it| format!(" or {it}"));
                format!("{}:{its} ={of} {:?}{or};", snake(&node.name), node.name)
            })
            .collect()
    }

    /// The longest type that says the beginning of another.
    fn beginning(&self, of: &Type) -> Option<&Type> {
        let begins = |its: &&Type| {
            its.kind != "rpc"
                && of.kind != "rpc"
                && its.lines.len() >= ALIKE_LEAST
                && its.lines.len() < of.lines.len()
                && of.lines.starts_with(&its.lines)
        };
        let all = self.found.iter().filter(begins);
        all.max_by_key(|its| its.lines.len())
    }

    /// The text of a file with these.
    fn written(&self, opening: &str, types: &[Type]) -> String {
        let mut out = opening.to_owned();
        let lines = || types.iter().flat_map(|its| &its.lines);
        let is_used = |leaf: &&str| {
            let word = format!(" {leaf}");
            lines().any(|line| line.contains(&word))
        };
        let leaves: Vec<&str> = LEAVES.into_iter().filter(is_used).collect();
        writeln!(out, "use super::{{{}, output}};", leaves.join(", ")).unwrap();
        for its in types {
            let Type {
                kind, name, root, ..
            } = its;
            let (like, said) = match self.beginning(its) {
                Some(first) => (format!(" like {}", first.name), first.lines.len()),
                None => (String::new(), 0),
            };
            writeln!(out, "\noutput! {{\n    {kind} {name}{root}{like} {{").unwrap();
            for line in &its.lines[said..] {
                writeln!(out, "        {line}").unwrap();
            }
            out.push_str("    }\n}\n");
        }
        out
    }
}

fn value(of: &ValueType) -> String {
    let typedef = of.typedef.as_deref();
    match of.base {
        BaseType::Boolean => "Boolean".to_owned(),
        BaseType::Decimal64 => format!("Decimal<{}>", of.fraction_digits),
        BaseType::Signed(_) | BaseType::Unsigned(_) => "Number".to_owned(),
        BaseType::String if matches!(typedef, Some("date-and-time" | "timestamptz")) => {
            "Instant".to_owned()
        }
        _ => "Text".to_owned(),
    }
}

/// The outputs of rpcs, and structures.
pub(super) fn rpcs(generation: &Generation) -> String {
    let (types, [rpcs, ..]) = types(generation);
    types.written(RPCS, &types.found[..rpcs])
}

/// Notifications.
pub(super) fn notifications(generation: &Generation) -> String {
    let (types, [rpcs, data, _]) = types(generation);
    types.written(NOTIFICATIONS, &types.found[rpcs..data])
}

/// Data.
pub(super) fn data(generation: &Generation) -> String {
    let (types, [_, data, apart]) = types(generation);
    types.written(DATA, &types.found[data..apart])
}

/// Data that have a file of their own.
pub(super) fn usage(generation: &Generation) -> String {
    let (types, [.., apart]) = types(generation);
    types.written(USAGE, &types.found[apart..])
}

/// All types, and how many come before those of notifications, before those of data, and before those that
/// have a file of their own.
fn types(generation: &Generation) -> (Types<'_>, [usize; 3]) {
    for (path, why) in NEVER_TOLD {
        assert!(generation.schema_node(path).is_some(), "{path}: {why}");
    }
    let mut types = Types {
        generation,
        found: Vec::new(),
    };
    for rpc in generation.rpcs().filter(|rpc| is_typed(&rpc.module)) {
        // At the top there is no namespace from above.
        let lines = types.lines(&format!("{}/output", rpc.path), "", &rpc.name);
        if !lines.is_empty() {
            types.found.push(Type {
                kind: "rpc".to_owned(),
                name: pascal(&rpc.name),
                root: String::new(),
                lines,
            });
        }
    }
    let is_root = |node: &&SchemaNode| {
        let is_inner = matches!(node.kind, Kind::Container | Kind::List);
        is_typed(&node.module) && is_inner && node.path.matches('/').count() == 1
    };
    for node in generation.structure_nodes().iter().filter(is_root) {
        types.add("root".to_owned(), node);
    }
    let rpcs = types.found.len();
    for node in generation.notifications() {
        if is_typed(&node.module) {
            types.add("root".to_owned(), node);
        }
    }
    let before_data = types.found.len();
    // What the draft has comes before what is built of it.
    let data = || generation.schema_nodes().iter().filter(is_root);
    let ours = data().filter(|node| node.module != "irtf-agent" && node.module != APART);
    let drafts = data().filter(|node| node.module == "irtf-agent");
    drafts.chain(ours).for_each(|node| types.add_data(node));
    let before_apart = types.found.len();
    data()
        .filter(|node| node.module == APART)
        .for_each(|node| types.add_data(node));
    (types, [rpcs, before_data, before_apart])
}
