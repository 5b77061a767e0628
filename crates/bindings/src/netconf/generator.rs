//! The types of what comes in and of what is told are those of the modules: here they are written, and those
//! that are committed are held against them.
//!
//! Knows how names, types and defaults of YANG are called in Rust. Read next: [`inputs`], [`outputs`].

#![allow(clippy::unwrap_used)]

mod inputs;
mod outputs;

use yang::{BaseType, Generation, ModuleSet, SchemaNode};

/// Set, the files are written anew instead of compared.
const WRITE: &str = "GENERATE";

/// True for the modules whose nodes are typed: ours, and the draft's. Inputs of those of the RFCs hold
/// filters, which are anything, and are read where they are used.
pub(super) fn is_typed(module: &str) -> bool {
    module == "irtf-agent" || module.starts_with("convoke-")
}

/// The constant of `modules.rs`.
fn constant(module: &str) -> String {
    short(module).to_uppercase()
}

/// The name of a module without what it shares with others.
fn short(module: &str) -> &str {
    module.strip_prefix("convoke-").unwrap_or("agent")
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

/// The nodes directly below a path, of rpcs, data and structures.
fn below<'g>(generation: &'g Generation, path: &str) -> Vec<&'g SchemaNode> {
    let nodes = generation.schema_nodes().iter();
    let nodes = nodes.chain(generation.structure_nodes());
    let own = |node: &&SchemaNode| {
        let rest = node.path.strip_prefix(path);
        let rest = rest.and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| !rest.contains('/'))
    };
    nodes.filter(own).collect()
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

/// Holds a file of this crate against what the modules say, or writes it.
fn hold(file: &str, generated: impl Fn(&Generation) -> String) {
    let generation = Generation::load(&ModuleSet::convoke()).unwrap();
    let generated = generated(&generation);
    let file = format!("{}/src/netconf/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, &generated).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap();
    let differs = written.lines().zip(generated.lines()).find(|(w, g)| w != g);
    assert!(
        written == generated,
        "the modules have changed ({WRITE}=1 writes {file} anew): {differs:?}"
    );
}

#[test]
fn inputs_are_those_of_the_modules() {
    hold("input/rpcs.rs", inputs::generated);
}

#[test]
fn outputs_are_those_of_the_modules() {
    hold("output/rpcs.rs", outputs::rpcs);
    hold("output/notifications.rs", outputs::notifications);
    hold("output/data.rs", outputs::data);
    hold("output/usage.rs", outputs::usage);
}
