//! Searches by an XPath that is more than a path: what they may cost, and what is said when they
//! cost more.
//!
//! The evaluator is [`::netconf::xpath`]; here it is given a schema and a budget, and run on the
//! platform's [`Background`](crate::background::Background), over what its sender may read and only
//! after the request was permitted. Steps are counted, so that the same expression over the same
//! data is refused on every machine or on none.

use super::error;
use super::session_schema::SessionSchema;
use ::netconf::error::{ErrorPath, RpcError};
use ::netconf::xml::{Limits, XmlDocument, XmlElement};
use ::netconf::xpath::{Budget, EvaluationError, Expression, Modules, Name};
use schema::contract::Pattern;
use std::cell::RefCell;
use std::collections::BTreeMap;
use yang::Generation;

/// How much data one search may read, in bytes of XML.
pub(super) const SEARCH_BYTES: usize = 4 << 20;

/// What one search of data may cost, in steps of [`Budget`].
pub(super) const SEARCH_STEPS: u64 = 10_000_000;

/// What it may cost to look whether an event is wanted.
pub(super) const EVENT_STEPS: u64 = 100_000;

/// How large a pattern of `re-match` may be when compiled, in bytes.
const PATTERN_BYTES: usize = 128 << 10;

/// How many patterns one search keeps compiled.
const PATTERNS: usize = 64;

/// Reads an expression that stands at an element, and checks what the schema says of it: every
/// prefix is that of a module, and the result is a node-set.
pub(super) fn expression(
    text: &str,
    scope: XmlElement<'_>,
    generation: &Generation,
) -> Result<Expression, RpcError> {
    let path = || ErrorPath::of(scope);
    let expression = Expression::parse(text, &scope.prefixes())
        .map_err(|cause| error::of_expression(&cause, path()))?;
    for (prefix, namespace) in expression.namespaces() {
        if generation.module_of(namespace).is_none() {
            return Err(error::unknown_namespace(prefix, namespace, path()));
        }
    }
    match expression.is_node_set() {
        true => Ok(expression),
        false => Err(error::no_node_set(path())),
    }
}

/// What an expression selects of data, which stand in an element of any name.
pub(super) fn select(
    expression: &Expression,
    data: Vec<u8>,
    session_schema: &SessionSchema,
    over: &dyn Fn() -> bool,
) -> Result<Vec<u8>, EvaluationError> {
    let document =
        XmlDocument::parse(data, &Limits::client()).expect("what the platform writes is XML");
    let mut budget = Budget::steps(SEARCH_STEPS).until(over);
    let selected = expression.select(&document, &Schema::of(session_schema), &mut budget)?;
    let mut found = Vec::new();
    session_schema.keys.write(&selected, &mut found);
    Ok(found)
}

/// Whether an expression selects anything of an event, which stands in an element of any name.
pub(super) fn selects_event(
    expression: &Expression,
    event: Vec<u8>,
    session_schema: &SessionSchema,
    over: &dyn Fn() -> bool,
) -> Result<bool, EvaluationError> {
    let document =
        XmlDocument::parse(event, &Limits::client()).expect("what the platform writes is XML");
    let mut budget = Budget::steps(EVENT_STEPS).until(over);
    let selected = expression.select(&document, &Schema::of(session_schema), &mut budget)?;
    Ok(!selected.is_empty())
}

/// What the functions of YANG are answered from.
struct Schema<'a> {
    session_schema: &'a SessionSchema,
    patterns: RefCell<BTreeMap<String, Pattern>>,
}

impl<'a> Schema<'a> {
    fn of(session_schema: &'a SessionSchema) -> Self {
        Self {
            session_schema,
            patterns: RefCell::default(),
        }
    }
}

impl Modules for Schema<'_> {
    fn is_derived(&self, identity: Name<'_>, base: Name<'_>) -> bool {
        let generation = &self.session_schema.generation;
        let module = |(namespace, _): Name<'_>| generation.module_of(namespace);
        match (module(identity), module(base)) {
            (Some(of), Some(from)) => generation.is_derived((of, identity.1), (from, base.1)),
            _ => false,
        }
    }

    fn enum_value(&self, leaf: XmlElement<'_>) -> Option<i64> {
        let path = schema_path(leaf, &self.session_schema.generation)?;
        let values = self.session_schema.enumerations.get(&path)?;
        let mut named = values.iter().filter(|(name, _)| name == leaf.text());
        named.next().map(|(_, number)| *number)
    }

    fn re_match(&self, text: &str, pattern: &str) -> Result<bool, String> {
        let mut patterns = self.patterns.borrow_mut();
        if let Some(known) = patterns.get(pattern) {
            return Ok(known.matches(text));
        }
        let compiled =
            Pattern::within(pattern, PATTERN_BYTES).map_err(|fault| fault.to_string())?;
        let matches = compiled.matches(text);
        if patterns.len() == PATTERNS {
            patterns.clear();
        }
        patterns.insert(pattern.to_owned(), compiled);
        Ok(matches)
    }
}

/// The path of an element's schema node, as [`yang::SchemaNode::path`] has it for data and events.
fn schema_path(element: XmlElement<'_>, generation: &Generation) -> Option<String> {
    let mut steps = Vec::new();
    let mut next = Some(element);
    while let Some(element) = next {
        // The root of the document stands for the root of the data.
        if element.parent().is_some() {
            steps.push((generation.module_of(element.namespace())?, element.name()));
        }
        next = element.parent();
    }
    let mut path = String::new();
    let mut above = "";
    for (module, name) in steps.into_iter().rev() {
        path.push('/');
        if module != above {
            path.push_str(module);
            path.push(':');
        }
        path.push_str(name);
        above = module;
    }
    Some(path)
}

#[cfg(test)]
mod tests;
