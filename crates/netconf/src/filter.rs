//! Filters: subtree filters, simple XPath, paths of resources, and the access rules that restrict them.
//!
//! A [`Selection`] is compiled once and matched while data are written ([`crate::data`]); before
//! that, providers ask it which data to look up and which to skip. The rules of RFC 6241 §6 are in
//! `subtree` (compilation) and in `data::write` (matching).

mod permit;
mod projection;
mod resource;
mod subtree;
#[cfg(test)]
mod tests;
mod xpath;

use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use permit::{Access, Cursor};
pub use permit::{PermitRule, PermitScope, PermitStep, PermitTree};
pub use projection::{DefaultsMode, Projection};
pub use resource::{KeyValue, ResourceField, ResourceStep};
pub use xpath::Compiled;

use crate::data::{Node, Value};
use crate::framing::decimal;

/// The most nodes of a filter; each costs time with every data node it meets.
pub const FILTER_NODES: usize = 4096;

/// The error for a filter that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// More than [`FILTER_NODES`] nodes.
    #[error("the filter has more than {FILTER_NODES} nodes")]
    TooBig,
    /// An XPath prefix that the filter element does not bind.
    #[error("prefix \"{0}\" is not bound to a namespace")]
    UnboundPrefix(String),
}

/// A compiled filter; cheap to clone.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The root of the datastore; its own name is ignored.
    root: Arc<Pattern>,
}

/// One filter node: the data nodes that it matches, and its demands on them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pattern {
    /// `None`: any (RFC 6241 §6.2.1).
    pub(crate) namespace: Option<Box<str>>,
    /// `None`: any, which only XPath can say.
    pub(crate) name: Option<Box<str>>,
    /// RFC 6241 §6.2.2.
    pub(crate) attributes: Vec<AttributeMatch>,
    /// The value that a leaf must have; then it is selected.
    pub(crate) value: Option<Literal>,
    /// The conditions that leaves among its children must meet, all of them.
    pub(crate) conditions: Vec<Condition>,
    /// Selects the node with everything below it.
    pub(crate) whole: bool,
    /// The patterns of its children.
    pub(crate) children: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributeMatch {
    pub(crate) namespace: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) value: Box<str>,
}

/// A content match node (RFC 6241 §6.2.5) or an XPath equality predicate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    pub(crate) pattern: Pattern,
    /// A content match node is part of the output, a predicate is not.
    pub(crate) shown: bool,
}

/// A value in a filter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Literal {
    pub(crate) text: Box<str>,
    /// Namespace and name, if it reads as a qualified name with a bound prefix.
    pub(crate) identity: Option<(Box<str>, Box<str>)>,
}

impl Literal {
    /// A literal; `namespace_of` resolves the prefixes in scope.
    fn new<'n>(text: &str, namespace_of: impl Fn(&str) -> Option<&'n str>) -> Self {
        let identity = text.split_once(':').and_then(|(prefix, name)| {
            namespace_of(prefix).map(|namespace| (namespace.into(), name.into()))
        });
        Literal {
            text: text.into(),
            identity,
        }
    }

    pub(crate) fn is_value_of(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Text(text) => **text == *self.text,
            Value::Unsigned(number) => self.is_decimal(false, *number),
            Value::Signed(number) => self.is_decimal(*number < 0, number.unsigned_abs()),
            Value::Boolean(truth) => *self.text == *(if *truth { "true" } else { "false" }),
            Value::Empty => self.text.is_empty(),
            Value::Identity(identity) => match &self.identity {
                Some((namespace, name)) => {
                    **namespace == *identity.namespace && **name == *identity.name
                }
                None => *self.text == *identity.name,
            },
        }
    }

    fn is_decimal(&self, negative: bool, magnitude: u64) -> bool {
        let digits = match (negative, self.text.strip_prefix('-')) {
            (true, Some(digits)) => digits,
            (false, None) => &self.text,
            _ => return false,
        };
        let mut canonical = Vec::with_capacity(20);
        decimal(magnitude, &mut canonical);
        canonical == digits.as_bytes()
    }
}

impl Pattern {
    /// True if it matches nodes of this name.
    #[inline]
    pub(crate) fn names(&self, namespace: &str, name: &str) -> bool {
        self.name.as_deref().is_none_or(|own| own == name)
            && self.namespace.as_deref().is_none_or(|own| own == namespace)
    }

    /// True if it matches this node, whose namespace is `namespace`; conditions are not considered.
    #[inline]
    pub(crate) fn means(&self, namespace: &str, node: &Node<'_>) -> bool {
        self.names(namespace, node.name)
            && (self.attributes.is_empty() || self.attributes_match(node))
    }

    fn attributes_match(&self, node: &Node<'_>) -> bool {
        self.attributes.iter().all(|wanted| {
            node.attributes.iter().any(|one| {
                *wanted.name == *one.name
                    && *wanted.namespace == *one.namespace
                    && *wanted.value == *one.value
            })
        })
    }

    /// True if a leaf that it matches is selected by it.
    pub(crate) fn selects_leaf(&self, value: &Value<'_>) -> bool {
        match &self.value {
            Some(literal) => literal.is_value_of(value),
            // A leaf has no children to hold a condition.
            None => self.whole && self.conditions.is_empty(),
        }
    }

    /// True if all its conditions hold among those of `children` that `shown` admits.
    pub(crate) fn holds<'n>(
        &self,
        namespace: &str,
        children: &'n [Node<'n>],
        shown: impl Fn(usize, &'n Node<'n>) -> bool,
    ) -> bool {
        self.value.is_none()
            && self.conditions.iter().all(|condition| {
                let mut children = children.iter().enumerate();
                children.any(|(index, child)| {
                    condition.is_met_by(namespace, child) && shown(index, child)
                })
            })
    }
}

impl Condition {
    /// True if a child of a node in `namespace` meets it.
    pub(crate) fn is_met_by(&self, namespace: &str, child: &Node<'_>) -> bool {
        let namespace = if child.namespace.is_empty() {
            namespace
        } else {
            child.namespace
        };
        child
            .leaf_value()
            .is_some_and(|value| self.pattern.selects_leaf(value))
            && self.pattern.means(namespace, child)
    }
}

/// A set that nearly always has one element or none.
#[derive(Debug)]
pub(crate) struct Few<'f, T> {
    first: Option<&'f T>,
    rest: Vec<&'f T>,
}

impl<T> Clone for Few<'_, T> {
    fn clone(&self) -> Self {
        Few {
            first: self.first,
            rest: self.rest.clone(),
        }
    }
}

impl<'f, T> Few<'f, T> {
    pub(crate) fn none() -> Self {
        Few {
            first: None,
            rest: Vec::new(),
        }
    }

    pub(crate) fn one(only: &'f T) -> Self {
        Few {
            first: Some(only),
            rest: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: &'f T) {
        if self.first.is_none() {
            self.first = Some(item);
        } else {
            self.rest.push(item);
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'f T> + '_ {
        self.first.into_iter().chain(self.rest.iter().copied())
    }
}

impl Selection {
    /// Selects everything.
    pub fn everything() -> Self {
        Selection::of(Pattern {
            whole: true,
            ..Pattern::default()
        })
    }

    /// Selects nothing: an empty filter (RFC 6241 §6.4.2).
    pub fn nothing() -> Self {
        Selection::of(Pattern::default())
    }

    fn of(root: Pattern) -> Self {
        Selection {
            root: Arc::new(root),
        }
    }

    /// True if it is [`everything`](Self::everything).
    pub fn is_everything(&self) -> bool {
        self.root.whole
    }
}

/// The part of the nodes at one place that is asked for and may be read; it allows a provider to
/// fetch no more than needed. Fetching more is harmless: the writer prunes again.
#[derive(Debug, Clone)]
pub struct View<'f> {
    /// `None`: everything.
    pub(crate) patterns: Option<Few<'f, Pattern>>,
    /// The levels to write of a selected node.
    pub(crate) max_depth: u32,
    /// The levels still to write below, once selected.
    pub(crate) depth: u32,
    pub(crate) permit: Cursor<'f>,
    pub(crate) config: Option<bool>,
}

/// The entries of a list that can be selected at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys<'f> {
    /// All of them: scan.
    Any,
    /// Those with one of these key values: look up.
    Exactly(BTreeSet<&'f str>),
}

impl<'f> View<'f> {
    /// True if everything below is asked for, unconditionally, as far as it may be read.
    pub fn is_everything(&self) -> bool {
        self.patterns.is_none()
    }

    /// True if state is asked for, not only configuration.
    pub fn wants_state(&self) -> bool {
        self.config != Some(true)
    }

    /// The view of a child; `None` if it can be left out: nobody asked for it, it is too deep, or
    /// nothing of it may be read. A leaf that a condition reads cannot be left out. Keys of list
    /// entries are always needed.
    pub fn child(&self, namespace: &str, name: &str) -> Option<View<'f>> {
        let permit = self.permit.below(namespace, name)?;
        let (patterns, depth) = match &self.patterns {
            None => (None, a_level_down(self.depth)?),
            Some(patterns) => match asked_below(patterns, namespace, name)? {
                Asked::Whole => (None, a_level_down(self.max_depth)?),
                Asked::WholeIfItHolds => (None, u32::MAX),
                Asked::Partly(below) => (Some(below), u32::MAX),
            },
        };
        Some(View {
            patterns,
            depth,
            permit,
            ..self.clone()
        })
    }

    /// True if a child is needed, for the output or for a condition.
    pub fn wants(&self, namespace: &str, name: &str) -> bool {
        self.child(namespace, name).is_some()
    }

    /// Of the view of a list's entries: the values of the key leaf `key` that can be selected at
    /// all.
    pub fn demanded_keys(&self, key: &str) -> Keys<'f> {
        let Some(patterns) = &self.patterns else {
            return Keys::Any;
        };
        let mut values = BTreeSet::new();
        for pattern in patterns.iter() {
            let mut demanded = pattern
                .conditions
                .iter()
                .filter(|condition| condition.pattern.name.as_deref() == Some(key))
                .filter_map(|condition| condition.pattern.value.as_ref())
                .map(|literal| &*literal.text);
            let Some(value) = demanded.next() else {
                return Keys::Any;
            };
            // A key has one value: two demands that differ are met by no entry.
            if demanded.all(|other| other == value) {
                values.insert(value);
            }
        }
        Keys::Exactly(values)
    }
}

/// The demand of patterns on a child of the nodes that they match.
enum Asked<'f> {
    Whole,
    /// All of it, under a condition on its parent that only the writer can judge.
    WholeIfItHolds,
    Partly(Few<'f, Pattern>),
}

fn asked_below<'f>(above: &Few<'f, Pattern>, namespace: &str, name: &str) -> Option<Asked<'f>> {
    let mut below = Few::none();
    for pattern in above.iter() {
        // Only under a condition, or it would not be here: assume the best.
        if pattern.whole {
            return Some(Asked::WholeIfItHolds);
        }
        let looked_at = pattern
            .conditions
            .iter()
            .map(|condition| &condition.pattern);
        for child in pattern.children.iter().chain(looked_at) {
            if child.names(namespace, name) {
                below.push(child);
            }
        }
    }
    let is_whole = |pattern: &Pattern| pattern.whole && pattern.conditions.is_empty();
    if below.iter().any(is_whole) {
        return Some(Asked::Whole);
    }
    (!below.is_empty()).then_some(Asked::Partly(below))
}

/// The levels below a node that is itself one of `levels`; [`u32::MAX`] is no limit.
pub(crate) fn a_level_down(levels: u32) -> Option<u32> {
    match levels {
        u32::MAX => Some(u32::MAX),
        some => some.checked_sub(1),
    }
}
