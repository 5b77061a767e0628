//! Expensive subtree filters (RFC 6241 §6): wide, deep, repeated, with wildcard namespaces, and
//! content that matches nothing or everything.
//!
//! Knows no access rules. Read next: [`super::xpath`], whose vocabulary is the same.

use super::escaped;
use super::xpath::MODULES;
use crate::rng::SeededRng;
use std::fmt::Write as _;

/// The greatest depth of a filter within the limits of messages.
const DEEPEST: usize = 56;

/// The content of a filter.
pub fn subtree(rng: &mut SeededRng) -> String {
    match rng.below(6) {
        0 => wide(rng),
        1 => deep(rng),
        2 => repeated(rng),
        _ => {
            let mut filter = String::new();
            for _ in 0..rng.size(8) {
                node(rng, 4, None, &mut filter);
            }
            filter
        }
    }
}

/// A node with its content; without a module a root node, or an unknown one.
fn node(
    rng: &mut SeededRng,
    levels: usize,
    within: Option<&'static [&'static str]>,
    filter: &mut String,
) {
    let (name, declared, names) = match within {
        Some(names) => ((*rng.one(names)).to_owned(), String::new(), names),
        None => {
            let (_, namespace, names) = *rng.one(&MODULES);
            let declared = match rng.below(5) {
                // A wildcard, as RFC 6241 §6.2.1 has it.
                0 => " xmlns=\"\"".to_owned(),
                1 => " xmlns=\"urn:nobody\"".to_owned(),
                _ => format!(" xmlns=\"{namespace}\""),
            };
            let root = if rng.once_in(8) {
                *rng.one(names)
            } else {
                names[0]
            };
            (root.to_owned(), declared, names)
        }
    };
    let attribute = match rng.below(20) {
        0 => format!(" a{}=\"{}\"", rng.below(3), rng.below(9)),
        _ => String::new(),
    };
    let _ = write!(filter, "<{name}{declared}{attribute}");
    match (levels, rng.below(5)) {
        (0, _) | (_, 0) => filter.push_str("/>"),
        (_, 1) => {
            let text = match rng.below(3) {
                0 => "x".repeat(rng.size(4_000)),
                1 => "running".to_owned(),
                _ => "a<b&c \u{202e}".to_owned(),
            };
            let _ = write!(filter, ">{}</{name}>", escaped(&text));
        }
        _ => {
            filter.push('>');
            for _ in 0..rng.size(6) {
                node(rng, levels - 1, Some(names), filter);
            }
            let _ = write!(filter, "</{name}>");
        }
    }
}

/// Many siblings, up to the limit of nodes and beyond.
fn wide(rng: &mut SeededRng) -> String {
    let (_, namespace, names) = *rng.one(&MODULES);
    let many = rng.size(5_000);
    let mut filter = format!("<{} xmlns=\"{namespace}\">", names[0]);
    for number in 0..many {
        let _ = match rng.once_in(3) {
            true => write!(filter, "<n{number}/>"),
            false => write!(filter, "<{}/>", rng.one(names)),
        };
    }
    let _ = write!(filter, "</{}>", names[0]);
    filter
}

/// Deeply nested nodes.
fn deep(rng: &mut SeededRng) -> String {
    let (_, namespace, names) = *rng.one(&MODULES);
    let levels = rng.size(DEEPEST);
    let chain: Vec<&str> = (0..levels).map(|_| *rng.one(names)).collect();
    let begins = chain.iter().map(|name| format!("<{name}>"));
    let ends = chain.iter().rev().map(|name| format!("</{name}>"));
    let inside: String = begins.chain(ends).collect();
    format!("<{0} xmlns=\"{namespace}\">{inside}</{0}>", names[0])
}

/// The same root many times, each selecting something else of it, or all.
fn repeated(rng: &mut SeededRng) -> String {
    let (_, namespace, names) = *rng.one(&MODULES);
    let mut filter = String::new();
    for _ in 0..rng.size(600) {
        let _ = write!(filter, "<{} xmlns=\"{namespace}\">", names[0]);
        if rng.once_in(2) {
            let inner = rng.one(names);
            let _ = write!(filter, "<{inner}><{}/></{inner}>", rng.one(names));
        }
        let _ = write!(filter, "</{}>", names[0]);
    }
    filter
}
