//! Values and their conversions (XPath 1.0 §3.2 to §3.5, §4).

use super::axis::{Node, Part};
use super::{Budget, EvaluationError};
use crate::xml::XmlDocument;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Nodes(Rc<NodeSet<'a>>),
    Text(Text<'a>),
    Number(f64),
    Boolean(bool),
}

/// Nodes in document order, each once.
#[derive(Debug, Default)]
pub(super) struct NodeSet<'a> {
    pub(super) list: Vec<Node>,
    /// The texts of the nodes, once the set has been compared with many.
    pub(super) texts: OnceCell<BTreeSet<Text<'a>>>,
}

impl NodeSet<'_> {
    pub(super) fn of(list: Vec<Node>) -> Self {
        Self {
            list,
            texts: OnceCell::new(),
        }
    }
}

/// A text that is part of the document or the expression, or was made and is shared.
#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    Part(&'a str),
    Made(Rc<str>),
}

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Part(text) => text,
            Self::Made(text) => text,
        }
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self::Made(text.into())
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl<'a> Value<'a> {
    /// The nodes of a node-set. Nothing else has any (§3.3), and parsing refuses it where nodes are
    /// asked for.
    pub(super) fn into_nodes(self) -> Rc<NodeSet<'a>> {
        match self {
            Self::Nodes(nodes) => nodes,
            Self::Text(_) | Self::Number(_) | Self::Boolean(_) => Rc::default(),
        }
    }

    /// §4.3
    pub(super) fn boolean(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.list.is_empty(),
            Self::Text(text) => !text.as_str().is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Boolean(truth) => *truth,
        }
    }

    /// §4.4
    pub(super) fn number(
        &self,
        document: &'a XmlDocument,
        budget: &mut Budget<'_>,
    ) -> Result<f64, EvaluationError> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Boolean(truth) => f64::from(u8::from(*truth)),
            Self::Nodes(_) | Self::Text(_) => number_of(self.text(document, budget)?.as_str()),
        })
    }

    /// §4.2
    pub(super) fn text(
        &self,
        document: &'a XmlDocument,
        budget: &mut Budget<'_>,
    ) -> Result<Text<'a>, EvaluationError> {
        let text = match self {
            Self::Nodes(nodes) => {
                return match nodes.list.first() {
                    Some(first) => string_value(document, *first, budget),
                    None => Ok(Text::Part("")),
                };
            }
            Self::Text(text) => text.clone(),
            Self::Number(number) => text_of(*number).into(),
            Self::Boolean(true) => Text::Part("true"),
            Self::Boolean(false) => Text::Part("false"),
        };
        budget.spend(text.as_str().len())?;
        Ok(text)
    }
}

/// The string-value of a node (§5); its length is spent from the budget.
pub(super) fn string_value<'a>(
    document: &'a XmlDocument,
    node: Node,
    budget: &mut Budget<'_>,
) -> Result<Text<'a>, EvaluationError> {
    let element = document.at(node.element);
    let part = match node.part {
        Part::Attribute(place) => element
            .attributes()
            .nth(place.into())
            .map_or("", |attribute| attribute.value),
        Part::Text => element.text(),
        Part::Whole if !element.has_children() => element.text(),
        Part::Whole => {
            let mut text = String::new();
            for below in node.element + 1..element.subtree_end() {
                let below = document.at(below);
                let own = if below.has_children() {
                    ""
                } else {
                    below.text()
                };
                budget.spend(1 + own.len())?;
                text.push_str(own);
            }
            return Ok(text.into());
        }
    };
    budget.spend(part.len())?;
    Ok(Text::Part(part))
}

/// §4.4: `'-'? Digits ('.' Digits?)?` or `'-'? '.' Digits` with white space around, or no number.
pub(super) fn number_of(text: &str) -> f64 {
    let text = text.trim_matches(super::lexer::is_space);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let written = digits.bytes().all(|c| c.is_ascii_digit() || c == b'.')
        && digits.bytes().any(|c| c.is_ascii_digit());
    match written {
        true => text.parse().unwrap_or(f64::NAN),
        false => f64::NAN,
    }
}

/// §4.2
fn text_of(number: f64) -> String {
    match number {
        number if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        0.0 => "0".to_owned(),
        number => number.to_string(),
    }
}

/// §4.4: to the nearest integer, and halves towards positive infinity.
pub(super) fn rounded(number: f64) -> f64 {
    (number + 0.5).floor()
}
