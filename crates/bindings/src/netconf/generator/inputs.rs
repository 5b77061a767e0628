//! The inputs of rpcs, as `input/rpcs.rs` has them.
//!
//! A type for each container and list, called by its whole path. Read next: `input.rs`, where the
//! macro is.

use super::{below, constant, default, is_typed, pascal, snake};
use std::fmt::Write as _;
use yang::{BaseType, Generation, Kind, SchemaNode, ValueType};

const OPENING: &str = "\
//! The inputs of rpcs, and what each gives, generated from `yang/`: nothing here is written by hand.
//!
//! `GENERATE=1 cargo test -p convoke-bindings --lib generator` writes this file; without `GENERATE` the test
//! says whether it is as the modules are. What the words mean: [`super`].

use super::{Instant, Text, Word, input};
use crate::netconf::output;
";

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
pub(super) fn generated(generation: &Generation) -> String {
    let mut out = OPENING.to_owned();
    for rpc in generation.rpcs().filter(|rpc| is_typed(&rpc.module)) {
        let (name, module) = (pascal(&rpc.name), constant(&rpc.module));
        let gives = match below(generation, &format!("{}/output", rpc.path)).is_empty() {
            true => "()".to_owned(),
            false => format!("output::{name}<'x>"),
        };
        writeln!(
            out,
            "\ninput! {{\n    rpc {name} = {module} {:?} gives {gives} {{",
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
