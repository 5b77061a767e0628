//! `task-negotiate` inputs of which it is plain that the schema has no objection.
//!
//! libyang's look costs more than all the rest of a negotiation. Most inputs are a few leaves
//! without anything unusual; of those this file says so itself. What it does not recognise, right
//! or wrong, is libyang's to judge, and so is every generation but the one it was written for.
//! That it never lets pass what libyang would not is held by a property test.

use crate::netconf::{AGENT_NAMESPACE, NEGOTIATION_NAMESPACE};
use ::netconf::xml::XmlElement;
use yang::Generation;

/// The modules that define the input, with their revisions.
const WRITTEN_FOR: [(&str, &str); 3] = [
    ("agent-message", "2025-07-01"),
    ("irtf-agent", "2025-07-01"),
    ("convoke-negotiation", "2026-11-22"),
];
/// Modules that deviate them, none of which touches the input.
const DEVIATED_BY: &[(&str, &str)] = &[("convoke-deviations", "2026-11-21")];
/// Patterns of longer values are libyang's: it has limits of its own.
const CONTENT_BYTES: usize = 32 * 1_024;
/// The input of `task-negotiate`, as it was when this was written.
const INPUT: &str = "/irtf-agent:task-negotiate/input/";
const LEAVES: [&str; 25] = [
    "task-sendFrom",
    "task-sendTo",
    "commuType",
    "task-id",
    "content",
    "type",
    "convoke-negotiation:task-async",
    "convoke-negotiation:task-subscription",
    "convoke-negotiation:task-subscription/subscript-protocol",
    "convoke-negotiation:task-subscription/subscript-method",
    "convoke-negotiation:task-subscription/subscript-url",
    "convoke-negotiation:expected-response",
    "convoke-negotiation:term-explains",
    "convoke-negotiation:term-explains/term",
    "convoke-negotiation:term-explains/explaination",
    "convoke-negotiation:msg-data",
    "convoke-negotiation:context",
    "convoke-negotiation:round",
    "convoke-negotiation:alternative",
    "convoke-negotiation:parent-task",
    "convoke-negotiation:deadline",
    "convoke-negotiation:answer-within",
    "convoke-negotiation:fulfillment-required",
    "convoke-negotiation:round-limit",
    "convoke-negotiation:conversation",
];

/// True if the generation has the input as this file knows it.
pub(in crate::netconf) fn covers(generation: &Generation) -> bool {
    let as_written = WRITTEN_FOR.iter().all(|(name, revision)| {
        generation.module(name).is_some_and(|module| {
            let known =
                |by: &(String, String)| DEVIATED_BY.contains(&(by.0.as_str(), by.1.as_str()));
            module.revision == *revision && module.deviations.iter().all(known)
        })
    });
    // Payloads of templates stand in presence containers of their own modules: nobody needs them.
    let typed = |module: &str| {
        let namespace = generation.namespace_of(module).unwrap_or_default();
        namespace.starts_with(super::typed::SCHEMAS)
    };
    let nodes = generation
        .schema_nodes()
        .iter()
        .filter(|n| !typed(&n.module));
    let mut inputs = nodes.filter_map(|node| Some((node, node.path.strip_prefix(INPUT)?)));
    as_written && inputs.all(|(node, path)| !node.mandatory && LEAVES.contains(&path))
}

/// True if the schema certainly has no objection to the operation.
pub(in crate::netconf) fn is_plain(operation: XmlElement<'_>) -> bool {
    let mut seen = [false; 8];
    operation.has_children()
        && operation.attributes().len() == 0
        && !operation.has_mixed_content()
        && operation.children().all(|leaf| {
            let place = match place(leaf) {
                Some(place) if !leaf.has_children() && leaf.attributes().len() == 0 => place,
                _ => return false,
            };
            let first = !std::mem::replace(&mut seen[place], true);
            first && is_value(place, leaf.text())
        })
}

/// Which of the usual leaves it is.
fn place(leaf: XmlElement<'_>) -> Option<usize> {
    let name = leaf.name();
    match leaf.namespace() {
        AGENT_NAMESPACE => [
            "task-sendFrom",
            "task-sendTo",
            "commuType",
            "task-id",
            "content",
            "type",
        ]
        .iter()
        .position(|known| *known == name),
        NEGOTIATION_NAMESPACE => match name {
            "task-async" => Some(6),
            "round" => Some(7),
            _ => None,
        },
        _ => None,
    }
}

fn is_value(place: usize, text: &str) -> bool {
    match place {
        0..=3 => is_yang_string(text),
        4 => {
            text.len() <= CONTENT_BYTES
                && is_yang_string(text)
                && has_section(text, "target object")
                && has_section(text, "task description")
        }
        5 => matches!(text, "FEASIBILITY" | "FULFILLMENT"),
        6 => matches!(text, "true" | "false"),
        _ => {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            digits && !text.starts_with('0') && (1..=9).contains(&text.len())
        }
    }
}

/// RFC 7950 §9.4: no noncharacters; the others are kept out with the XML.
fn is_yang_string(text: &str) -> bool {
    text.is_ascii()
        || text.chars().all(|c| {
            let code = c as u32;
            code & 0xFFFE != 0xFFFE && !(0xFDD0..=0xFDEF).contains(&code)
        })
}

/// `[\s\S]*##\s*NAME\s*\S+[\s\S]*`, where white space and what follows it is ASCII.
fn has_section(text: &str, name: &str) -> bool {
    let space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut rest = text;
    while let Some(at) = rest.find("##") {
        // One mark further, for there may be three in a row.
        rest = &rest[at + 1..];
        let heading = rest[1..].trim_start_matches(space);
        if let Some(body) = heading.strip_prefix(name) {
            let first = body.trim_start_matches(space).bytes().next();
            if first.is_some_and(|b| b.is_ascii_graphic()) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
