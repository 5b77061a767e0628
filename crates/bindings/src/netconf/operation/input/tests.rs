//! The types of inputs are those of the modules.

#![allow(clippy::unwrap_used)]

use super::InputNode as _;
use netconf::xml::{Limits, XmlDocument};
use std::fmt::Write as _;
use yang::{BaseType, Generation, Kind, ModuleSet, SchemaNode, ValueType};

/// Set, the file is written anew instead of compared.
const WRITE: &str = "INPUTS_WRITE";

const OPENING: &str = "\
//! The inputs of rpcs, generated from `yang/`: nothing here is written by hand.
//!
//! `INPUTS_WRITE=1 cargo test -p convoke-bindings --lib inputs` writes this file; without `INPUTS_WRITE` the
//! test says whether it is as the modules are. What the words mean: [`super`].

use super::{Instant, Text, Word, input};
";

/// True for the modules whose inputs are typed: ours, and the draft's. Those of the RFCs hold filters,
/// which are anything, and are read where they are used.
pub(super) fn is_typed(module: &str) -> bool {
    module == "irtf-agent" || module.starts_with("convoke-")
}

/// The constant of `modules.rs`.
fn constant(module: &str) -> String {
    let name = module.strip_prefix("convoke-").unwrap_or("agent");
    name.to_uppercase()
}

fn pascal(name: &str) -> String {
    let words = name.split('-').filter(|word| !word.is_empty());
    words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '-' => out.push('_'),
            c if c.is_uppercase() => {
                out.push('_');
                out.extend(c.to_lowercase());
            }
            c => out.push(c),
        }
    }
    match out.as_str() {
        "type" | "match" => format!("r#{out}"),
        _ => out,
    }
}

/// The nodes directly below a path.
fn below<'g>(generation: &'g Generation, path: &str) -> Vec<&'g SchemaNode> {
    let nodes = generation.schema_nodes().iter();
    let own = |node: &&SchemaNode| {
        let rest = node.path.strip_prefix(path);
        let rest = rest.and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| !rest.contains('/'))
    };
    nodes.filter(own).collect()
}

fn value(of: &ValueType) -> String {
    match of.base {
        BaseType::Boolean => "bool".to_owned(),
        BaseType::Decimal64 => "f64".to_owned(),
        BaseType::Enumeration => "Word<'x>".to_owned(),
        BaseType::Signed(bits) => format!("i{bits}"),
        BaseType::Unsigned(bits) => format!("u{bits}"),
        BaseType::String if of.typedef.as_deref() == Some("date-and-time") => {
            "Instant<'x>".to_owned()
        }
        _ => "Text<'x>".to_owned(),
    }
}

/// A default as Rust writes it.
fn default(of: &SchemaNode) -> Option<String> {
    let written = of.default.as_ref()?;
    match of.value_type.as_ref()?.base {
        BaseType::Boolean | BaseType::Decimal64 | BaseType::Signed(_) | BaseType::Unsigned(_) => {
            Some(written.clone())
        }
        BaseType::Enumeration => Some(format!("{written:?}")),
        _ => None,
    }
}

/// Writes the lines of the nodes below a path; answers the containers and lists among them.
fn lines<'g>(
    generation: &'g Generation,
    (name, path): (&str, &str),
    out: &mut String,
) -> Vec<(String, &'g SchemaNode)> {
    let mut inner = Vec::new();
    for node in below(generation, path) {
        let (module, yang) = (constant(&node.module), &node.name);
        let its = match &node.value_type {
            Some(of) => value(of),
            None => {
                let its = format!("{name}{}", pascal(yang));
                inner.push((its.clone(), node));
                its + "<'x>"
            }
        };
        let default = default(node);
        // A default has no place in the message.
        let its = match &default {
            Some(_) => its.replace("Word<'x>", "&'x str"),
            None => its,
        };
        let kind = match node.kind {
            Kind::List | Kind::LeafList => "many",
            _ if default.is_some() => "defaulted",
            _ if node.is_key || node.mandatory => "needed",
            _ => "optional",
        };
        let or = default.map_or_else(String::new, |default| format!(" or {default}"));
        let method = snake(yang);
        writeln!(
            out,
            "        {method}: {kind} {its} = {module} {yang:?}{or};"
        )
        .unwrap();
    }
    inner
}

/// The file as it should be.
fn generated(generation: &Generation) -> String {
    let mut out = OPENING.to_owned();
    for rpc in generation.rpcs().filter(|rpc| is_typed(&rpc.module)) {
        let (name, module) = (pascal(&rpc.name), constant(&rpc.module));
        writeln!(
            out,
            "\ninput! {{\n    rpc {name} = {module} {:?} {{",
            rpc.name
        )
        .unwrap();
        let path = format!("{}/input", rpc.path);
        let mut open = lines(generation, (&name, &path), &mut out);
        out.push_str("    }\n}\n");
        while !open.is_empty() {
            for (name, node) in std::mem::take(&mut open) {
                writeln!(out, "\ninput! {{\n    node {name} {{").unwrap();
                open.extend(lines(generation, (&name, &node.path), &mut out));
                out.push_str("    }\n}\n");
            }
        }
    }
    out
}

#[test]
fn inputs_are_those_of_the_modules() {
    let generation = Generation::load(&ModuleSet::convoke()).unwrap();
    let generated = generated(&generation);
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/netconf/operation/input/rpcs.rs"
    );
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(file, &generated).unwrap();
    }
    let written = std::fs::read_to_string(file).unwrap();
    let differs = written.lines().zip(generated.lines()).find(|(w, g)| w != g);
    assert!(
        written == generated,
        "the modules have changed ({WRITE}=1 writes the file anew): {differs:?}"
    );
}

/// RFC 7950 §9.2.1: a sign is optional, of unsigned integers too.
#[test]
fn an_unsigned_integer_may_have_a_sign() {
    let value = |xml: &str| {
        let document = XmlDocument::parse(xml, &Limits::default()).unwrap();
        u64::read(document.root())
    };
    assert_eq!(value("<a>-0</a>"), Some(0));
    assert_eq!(value("<a> +7 </a>"), Some(7));
    assert_eq!(value("<a>18446744073709551615</a>"), Some(u64::MAX));
    assert_eq!(value("<a>-1</a>"), None);
}
