//! Comparisons (XPath 1.0 §3.4), each at a cost linear in the nodes and texts compared.

use super::axis::{Node, Part};
use super::expression::Relation;
use super::value::{NodeSet, Text, Value, number_of, string_value};
use super::{Budget, EvaluationError, Name};
use crate::xml::XmlDocument;
use std::collections::BTreeSet;

/// The state of a comparison: document, budget and relation.
pub(super) struct Comparison<'a, 'c, 'b> {
    pub(super) document: &'a XmlDocument,
    pub(super) budget: &'c mut Budget<'b>,
    pub(super) relation: Relation,
}

type Compared = Result<bool, EvaluationError>;

impl<'a> Comparison<'a, '_, '_> {
    pub(super) fn holds(&mut self, left: &Value<'a>, right: &Value<'a>) -> Compared {
        match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => match self.relation {
                Relation::Equal => self.shares(left, right),
                Relation::Unequal => self.differs(left, right),
                _ => {
                    let (left, right) = (self.extent(left)?, self.extent(right)?);
                    Ok(self.extents(left, right))
                }
            },
            (Value::Boolean(_), _) | (_, Value::Boolean(_)) => {
                let number = |value: &Value<'_>| f64::from(u8::from(value.boolean()));
                Ok(self.numbers(number(left), number(right)))
            }
            (Value::Nodes(nodes), other) => self.any(nodes, other, false),
            (other, Value::Nodes(nodes)) => self.any(nodes, other, true),
            (Value::Text(left), Value::Text(right)) if self.is_equality() => {
                self.budget.spend(left.as_str().len())?;
                Ok((left == right) == (self.relation == Relation::Equal))
            }
            (left, right) => {
                let left = left.number(self.document, self.budget)?;
                let right = right.number(self.document, self.budget)?;
                Ok(self.numbers(left, right))
            }
        }
    }

    /// True if some node is, or is not, a value of an identityref that a literal names.
    pub(super) fn with_identity(
        &mut self,
        nodes: &NodeSet<'a>,
        literal: &str,
        named: Name<'_>,
    ) -> Compared {
        for node in &nodes.list {
            let text = string_value(self.document, *node, self.budget)?;
            let equal = match identity(self.document, *node) {
                Some(identity) => identity == named,
                None => text.as_str() == literal,
            };
            if equal == (self.relation == Relation::Equal) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn is_equality(&self) -> bool {
        matches!(self.relation, Relation::Equal | Relation::Unequal)
    }

    /// A set with a text or a number; `turned` if the set stands on the right.
    fn any(&mut self, nodes: &NodeSet<'a>, other: &Value<'a>, turned: bool) -> Compared {
        let as_text = match other {
            Value::Text(text) if self.is_equality() => Some(text),
            _ => None,
        };
        let number = match as_text {
            Some(_) => f64::NAN,
            None => other.number(self.document, self.budget)?,
        };
        for node in &nodes.list {
            let own = string_value(self.document, *node, self.budget)?;
            let holds = match (as_text, turned) {
                (Some(text), _) => (own == *text) == (self.relation == Relation::Equal),
                (None, false) => self.numbers(number_of(own.as_str()), number),
                (None, true) => self.numbers(number, number_of(own.as_str())),
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if two nodes, one of each set, have equal texts. The larger set is sorted, once.
    fn shares(&mut self, left: &NodeSet<'a>, right: &NodeSet<'a>) -> Compared {
        let (few, many) = match left.list.len() <= right.list.len() {
            true => (left, right),
            false => (right, left),
        };
        if few.list.is_empty() {
            return Ok(false);
        }
        let texts = match many.texts.get() {
            Some(texts) => texts,
            None => {
                let mut texts = BTreeSet::new();
                for node in &many.list {
                    self.budget.spend(1)?;
                    texts.insert(string_value(self.document, *node, self.budget)?);
                }
                many.texts.get_or_init(|| texts)
            }
        };
        for node in &few.list {
            self.budget.spend(1)?;
            if texts.contains(&string_value(self.document, *node, self.budget)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if two nodes, one of each set, have different texts: so they do unless all texts are
    /// equal.
    fn differs(&mut self, left: &NodeSet<'a>, right: &NodeSet<'a>) -> Compared {
        let Some(first) = left.list.first() else {
            return Ok(false);
        };
        if right.list.is_empty() {
            return Ok(false);
        }
        let first: Text<'a> = string_value(self.document, *first, self.budget)?;
        for node in right.list.iter().chain(&left.list) {
            self.budget.spend(1)?;
            if string_value(self.document, *node, self.budget)? != first {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The least and the greatest number of a set.
    fn extent(&mut self, nodes: &NodeSet<'a>) -> Result<(f64, f64), EvaluationError> {
        let mut extent = (f64::NAN, f64::NAN);
        for node in &nodes.list {
            self.budget.spend(1)?;
            let text = string_value(self.document, *node, self.budget)?;
            let number = number_of(text.as_str());
            // Of a number and none, `min` and `max` take the number.
            extent = (extent.0.min(number), extent.1.max(number));
        }
        Ok(extent)
    }

    fn extents(&self, left: (f64, f64), right: (f64, f64)) -> bool {
        match self.relation {
            Relation::Less | Relation::LessOrEqual => self.numbers(left.0, right.1),
            _ => self.numbers(left.1, right.0),
        }
    }

    fn numbers(&self, left: f64, right: f64) -> bool {
        match self.relation {
            Relation::Equal => left == right,
            Relation::Unequal => left != right,
            Relation::Less => left < right,
            Relation::LessOrEqual => left <= right,
            Relation::Greater => left > right,
            Relation::GreaterOrEqual => left >= right,
        }
    }
}

/// The identity that a leaf holds: a qualified name whose prefix the leaf itself declares, as
/// [`crate::data`] writes it.
pub(super) fn identity(document: &XmlDocument, node: Node) -> Option<Name<'_>> {
    let element = document.at(node.element);
    if matches!(node.part, Part::Attribute(_)) || element.has_children() {
        return None;
    }
    let (prefix, name) = element.text().split_once(':')?;
    let mut declared = element.declarations();
    let (_, namespace) = declared.find(|(own, _)| *own == prefix && !own.is_empty())?;
    Some((namespace, name))
}
