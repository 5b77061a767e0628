//! A parsed expression: a table of operators, steps and calls, each naming its operands.
//!
//! Flat, so that nothing recurses when it is dropped. Made by [`super::parse`], read by
//! [`super::evaluate`].

use super::function::Function;
use super::kind::Kind;

/// A node of the table.
pub(super) type Id = u32;

/// A parsed expression that selects nodes, or is true or false of them.
#[derive(Debug, Clone)]
pub struct Expression {
    pub(super) nodes: Vec<Operation>,
    pub(super) facts: Vec<Facts>,
    pub(super) root: Id,
    pub(super) namespaces: Vec<(Box<str>, Box<str>)>,
}

impl Expression {
    /// True if its result is a node-set, as a filter's must be (RFC 6241 §8.9.1). In XPath 1.0
    /// without variables this is known without any data.
    pub fn is_node_set(&self) -> bool {
        self.fact(self.root).kind == Kind::Nodes
    }

    /// The prefixes that its names use, each with its namespace.
    pub fn namespaces(&self) -> impl Iterator<Item = (&str, &str)> {
        let used = self.namespaces.iter();
        used.map(|(prefix, namespace)| (&**prefix, &**namespace))
    }

    pub(super) fn node(&self, id: Id) -> &Operation {
        &self.nodes[id as usize]
    }

    pub(super) fn fact(&self, id: Id) -> Facts {
        self.facts[id as usize]
    }
}

/// The static facts on a node of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) kind: Kind,
    /// True if its value does not depend on the context, so that one evaluation is enough.
    pub(super) constant: bool,
    /// True if it reads `position()` or `last()` of its context.
    pub(super) positional: bool,
    pub(super) depth: u16,
}

/// An operator, a path, a call or a constant.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Or(Vec<Id>),
    And(Vec<Id>),
    Compare(Relation, Id, Id),
    Calculate(Arithmetic, Id, Id),
    Negate(Id),
    Union(Vec<Id>),
    Path(Start, Vec<Step>),
    /// A primary expression with predicates.
    Filter(Id, Vec<Id>),
    Literal {
        text: Box<str>,
        /// Namespace and name, if it reads as a qualified name with a bound prefix.
        identity: Option<(Box<str>, Box<str>)>,
    },
    Number(f64),
    Call(Function, Vec<Id>),
    Derived(Derived),
}

/// `derived-from()`, or `derived-from-or-self()` (RFC 7950 §10.4).
#[derive(Debug, Clone)]
pub(super) struct Derived {
    pub(super) nodes: Id,
    /// Namespace and name of the identity.
    pub(super) base: (Box<str>, Box<str>),
    /// True if the identity itself counts.
    pub(super) or_self: bool,
}

/// The start of a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    Root,
    Context,
    Nodes(Id),
}

/// A location step (XPath 1.0 §2.1).
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Id>,
    /// True if some predicate reads a position, so that each context node is walked by itself.
    pub(super) positional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    ThisNode,
}

impl Axis {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ancestor" => Self::Ancestor,
            "ancestor-or-self" => Self::AncestorOrSelf,
            "attribute" => Self::Attribute,
            "child" => Self::Child,
            "descendant" => Self::Descendant,
            "descendant-or-self" => Self::DescendantOrSelf,
            "following" => Self::Following,
            "following-sibling" => Self::FollowingSibling,
            "parent" => Self::Parent,
            "preceding" => Self::Preceding,
            "preceding-sibling" => Self::PrecedingSibling,
            "self" => Self::ThisNode,
            _ => return None,
        })
    }

    /// §2.4: true if positions count against document order.
    pub(super) fn is_reverse(self) -> bool {
        matches!(
            self,
            Self::Ancestor | Self::AncestorOrSelf | Self::Preceding | Self::PrecedingSibling
        )
    }
}

/// The node test of a step (§2.3).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// `node()`
    Node,
    /// `text()`
    Text,
    /// `comment()` and `processing-instruction()`: there are none in YANG data.
    Nothing,
    /// A name; `None` means any.
    Name {
        namespace: Option<Box<str>>,
        name: Option<Box<str>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
