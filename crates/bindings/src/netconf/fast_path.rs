//! Inputs of rpcs of which it is plain that the schema has no objection.
//!
//! libyang's look costs more than all the rest of most requests, and most inputs are a few leaves
//! without anything unusual. What may stand in them is drawn from the compiled schema of each
//! generation, so that nothing of YANG is said again here. What is not recognised, right or wrong, is
//! libyang's to judge. That nothing passes here which libyang would not let pass is held by property
//! tests.

use ::netconf::xml::XmlElement;
use std::collections::HashMap;
use yang::{BaseType, Generation, Kind, SchemaNode, ValueType};

/// Patterns of longer values are libyang's: it has limits of its own.
const SECTIONS_BYTES: usize = 32 * 1_024;

/// Digits of a number that surely fits.
const DIGITS: usize = 18;

/// The rpcs of a generation of whose inputs some are plain.
pub(super) struct PlainInputs(HashMap<String, PlainInput>);

/// The leaves that a plain input consists of.
struct PlainInput {
    namespace: String,
    leaves: Vec<PlainLeaf>,
    /// Those that must be there, as bits by their places.
    needed: u64,
}

struct PlainLeaf {
    namespace: String,
    name: String,
    value: PlainValue,
}

/// Which values are plain.
enum PlainValue {
    /// A string with these sections, and so many characters, if that matters.
    Text {
        sections: Vec<String>,
        characters: Vec<(i128, i128)>,
    },
    /// One of these names.
    Word(Vec<String>),
    /// `true` or `false`.
    Flag,
    /// A number of 0 and more in one of these intervals.
    Number(Vec<(i128, i128)>),
}

impl PlainInputs {
    /// Draws them from the schema.
    pub(super) fn of(generation: &Generation) -> Self {
        let plain = generation
            .rpcs()
            .filter_map(|rpc| Some((rpc.name.clone(), PlainInput::of(generation, rpc)?)));
        Self(plain.collect())
    }

    /// True if the schema certainly has no objection to the operation.
    pub(super) fn has(&self, operation: XmlElement<'_>) -> bool {
        let input = self.0.get(operation.name());
        input.is_some_and(|input| input.has(operation))
    }
}

impl PlainInput {
    /// None if an input without its complex nodes may be wrong, or must have one of them.
    fn of(generation: &Generation, rpc: &SchemaNode) -> Option<Self> {
        let input = format!("{}/input", rpc.path);
        let whole = generation.schema_node(&input)?;
        if whole.is_conditional || whole.needs_content {
            return None;
        }
        let mut plain = Self {
            namespace: rpc.namespace.clone(),
            leaves: Vec::new(),
            needed: 0,
        };
        // The parents that are there whatever is sent: the input, and containers without presence.
        let mut always = vec![input.as_str()];
        for node in generation.schema_nodes() {
            let (above, _) = node.path.rsplit_once('/')?;
            if !always.contains(&above) {
                continue;
            }
            let own = if above == input {
                PlainLeaf::of(node)
            } else {
                None
            };
            let is_container = node.kind == Kind::Container && !node.is_presence;
            // What is not sent stands at its default, and a condition on it holds of that as well.
            if node.is_conditional && node.default.is_some() {
                return None;
            }
            match own {
                Some(leaf) if plain.leaves.len() < 64 => {
                    plain.needed |= u64::from(node.mandatory) << plain.leaves.len();
                    plain.leaves.push(leaf);
                }
                _ if is_container && (node.is_conditional || node.needs_content) => return None,
                // Nodes of a choice exclude each other, so none of them is there whatever is sent.
                _ if node.is_in_choice => {}
                _ if node.mandatory => return None,
                _ if is_container => always.push(&node.path),
                _ => {}
            }
        }
        Some(plain)
    }

    fn has(&self, operation: XmlElement<'_>) -> bool {
        let mut seen = 0_u64;
        operation.namespace() == self.namespace
            && (operation.has_children() || operation.is_empty())
            && operation.attributes().len() == 0
            && !operation.has_mixed_content()
            && operation.children().all(|child| {
                let place = self.leaves.iter().position(|leaf| leaf.is(child));
                let Some(place) = place.filter(|_| is_bare(child)) else {
                    return false;
                };
                let first = seen & (1 << place) == 0;
                seen |= 1 << place;
                first && self.leaves[place].value.has(child.text())
            })
            && seen & self.needed == self.needed
    }
}

/// True if there is nothing in it but text.
fn is_bare(leaf: XmlElement<'_>) -> bool {
    !leaf.has_children() && leaf.attributes().len() == 0
}

impl PlainLeaf {
    fn of(node: &SchemaNode) -> Option<Self> {
        // One entry of a leaf-list is plain, if it need not have any.
        let single = match node.kind {
            Kind::Leaf => true,
            Kind::LeafList => !node.mandatory,
            _ => false,
        };
        if !single || node.is_conditional || node.is_in_choice {
            return None;
        }
        Some(Self {
            namespace: node.namespace.clone(),
            name: node.name.clone(),
            value: PlainValue::of(node, node.value_type.as_ref()?)?,
        })
    }

    fn is(&self, element: XmlElement<'_>) -> bool {
        element.is(&self.namespace, &self.name)
    }
}

impl PlainValue {
    fn of(node: &SchemaNode, its: &ValueType) -> Option<Self> {
        if its.is_reference {
            return None;
        }
        match its.base {
            BaseType::Boolean => Some(Self::Flag),
            BaseType::Enumeration => {
                let names = node.enumeration.iter().map(|(name, _)| name.clone());
                Some(Self::Word(names.collect()))
            }
            BaseType::Unsigned(bits) => {
                let whole = vec![(0, (1_i128 << bits) - 1)];
                let restricted = its.intervals.clone();
                Some(Self::Number(match restricted.is_empty() {
                    true => whole,
                    false => restricted,
                }))
            }
            // libyang knows more of some typedefs than the module says.
            BaseType::String if its.typedef.is_none() => {
                let sections = its.patterns.iter().map(|pattern| section(pattern));
                Some(Self::Text {
                    sections: sections.collect::<Option<_>>()?,
                    characters: its.intervals.clone(),
                })
            }
            _ => None,
        }
    }

    fn has(&self, text: &str) -> bool {
        match self {
            Self::Text {
                sections,
                characters,
            } => {
                is_yang_string(text)
                    && (characters.is_empty() || is_in(characters, text.chars().count() as i128))
                    && (sections.is_empty() || text.len() <= SECTIONS_BYTES)
                    && sections.iter().all(|name| has_section(text, name))
            }
            Self::Word(names) => names.iter().any(|name| name == text),
            Self::Flag => matches!(text, "true" | "false"),
            Self::Number(allowed) => {
                let digits = text.bytes().all(|b| b.is_ascii_digit());
                let canonical = text == "0" || !text.starts_with('0');
                digits
                    && canonical
                    && (1..=DIGITS).contains(&text.len())
                    && text.parse().is_ok_and(|number| is_in(allowed, number))
            }
        }
    }
}

fn is_in(intervals: &[(i128, i128)], number: i128) -> bool {
    let mut intervals = intervals.iter();
    intervals.any(|(least, most)| (*least..=*most).contains(&number))
}

/// RFC 7950 §9.4: no noncharacters; the others are kept out with the XML.
pub(super) fn is_yang_string(text: &str) -> bool {
    text.is_ascii()
        || text.chars().all(|c| {
            let code = c as u32;
            code & 0xFFFE != 0xFFFE && !(0xFDD0..=0xFDEF).contains(&code)
        })
}

/// The name of the section that a pattern asks for; none if it asks for something else.
fn section(pattern: &str) -> Option<String> {
    let name = pattern.strip_prefix(r"[\s\S]*##\s*")?;
    let name = name.strip_suffix(r"\s*\S+[\s\S]*")?;
    let literal = name.bytes().all(|b| b == b' ' || b.is_ascii_alphabetic());
    (literal && !name.is_empty()).then(|| name.to_owned())
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
