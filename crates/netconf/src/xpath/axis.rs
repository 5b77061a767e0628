//! Nodes of a document, and the axes along which steps walk (XPath 1.0 §2.2).
//!
//! The elements of a [`XmlDocument`] stand in document order and know where their subtree ends, so an
//! axis is a range or a walk upwards. [`of_set`] walks an axis from many nodes at once and meets no
//! node much more often than once, whatever the nodes are; [`of_one`] walks from one, in the order
//! of the axis. The root element stands for the root node of the data: it has no name.

use super::EvaluationError;
use super::expression::{Axis, Test};
use crate::xml::{XmlDocument, XmlElement};
use std::collections::BTreeSet;

/// A node; ordered as in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node {
    pub(super) element: u32,
    pub(super) part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The element itself.
    Whole,
    /// One of its attributes, by place.
    Attribute(u16),
    /// Its text, where it has any and no children.
    Text,
}

/// The root node.
pub(super) const ROOT: Node = Node::whole(0);

type Walked = Result<(), EvaluationError>;

impl Node {
    pub(super) const fn whole(element: u32) -> Self {
        Self {
            element,
            part: Part::Whole,
        }
    }

    pub(super) fn element_in(self, document: &XmlDocument) -> XmlElement<'_> {
        document.at(self.element)
    }

    fn parent(self, document: &XmlDocument) -> Option<Self> {
        match self.part {
            Part::Whole => {
                let parent = document.at(self.element).parent();
                parent.map(|parent| Self::whole(parent.index()))
            }
            Part::Attribute(_) | Part::Text => Some(Self::whole(self.element)),
        }
    }

    /// The index of the first element that follows it in document order.
    fn end(self, document: &XmlDocument) -> u32 {
        match self.part {
            Part::Whole => document.at(self.element).subtree_end(),
            Part::Attribute(_) | Part::Text => self.element + 1,
        }
    }
}

/// True if a node met on an axis passes the step's node test.
pub(super) fn means(test: &Test, axis: Axis, document: &XmlDocument, node: Node) -> bool {
    let named = |namespace: &str, name: &str| match test {
        Test::Name {
            namespace: wanted,
            name: own,
        } => {
            own.as_deref().is_none_or(|own| own == name)
                && wanted.as_deref().is_none_or(|wanted| wanted == namespace)
        }
        _ => false,
    };
    match (test, node.part) {
        (Test::Node, _) | (Test::Text, Part::Text) => true,
        (Test::Text | Test::Nothing, _) => false,
        (Test::Name { .. }, Part::Whole) => {
            let element = document.at(node.element);
            axis != Axis::Attribute && node != ROOT && named(element.namespace(), element.name())
        }
        (Test::Name { .. }, Part::Attribute(place)) => {
            let attribute = document.at(node.element).attributes().nth(place.into());
            axis == Axis::Attribute
                && attribute.is_some_and(|found| named(found.namespace, found.name))
        }
        (Test::Name { .. }, Part::Text) => false,
    }
}

/// Walks an axis from one node, in the order of the axis.
pub(super) fn of_one(
    document: &XmlDocument,
    axis: Axis,
    from: Node,
    visit: &mut dyn FnMut(Node) -> Walked,
) -> Walked {
    match axis {
        Axis::ThisNode => visit(from),
        Axis::Parent => from.parent(document).map_or(Ok(()), visit),
        Axis::Ancestor | Axis::AncestorOrSelf => {
            let mut next = match axis {
                Axis::Ancestor => from.parent(document),
                _ => Some(from),
            };
            while let Some(node) = next {
                visit(node)?;
                next = node.parent(document);
            }
            Ok(())
        }
        Axis::Preceding | Axis::PrecedingSibling => {
            let mut met = Vec::new();
            of_set(document, axis, &[from], &mut |node| {
                // Twice over: it is turned round.
                met.push(node);
                Ok(())
            })?;
            met.into_iter().rev().try_for_each(visit)
        }
        _ => of_set(document, axis, &[from], visit),
    }
}

/// Walks an axis from a set of nodes in document order. The order is unspecified, and a parent is
/// met once for each of its children.
pub(super) fn of_set(
    document: &XmlDocument,
    axis: Axis,
    from: &[Node],
    visit: &mut dyn FnMut(Node) -> Walked,
) -> Walked {
    match axis {
        Axis::ThisNode => from.iter().copied().try_for_each(visit),
        Axis::Parent => {
            let mut parents = from.iter().filter_map(|node| node.parent(document));
            parents.try_for_each(visit)
        }
        Axis::Ancestor | Axis::AncestorOrSelf => ancestors(document, axis, from, visit),
        Axis::Attribute => wholes(from).try_for_each(|element| {
            let attributes = document.at(element).attributes().len();
            (0..attributes).try_for_each(|place| {
                let place = u16::try_from(place).expect("the guard limits attributes");
                visit(Node {
                    element,
                    part: Part::Attribute(place),
                })
            })
        }),
        Axis::Child => wholes(from).try_for_each(|element| {
            text_of(document, element).map_or(Ok(()), &mut *visit)?;
            let mut children = document.at(element).children();
            children.try_for_each(|child| visit(Node::whole(child.index())))
        }),
        Axis::Descendant | Axis::DescendantOrSelf => descendants(document, axis, from, visit),
        Axis::Following => {
            let ends = from.iter().map(|node| node.end(document));
            let all = document.at(0).subtree_end();
            ends.min()
                .map_or(Ok(()), |end| range(document, end..all, visit))
        }
        Axis::Preceding => preceding(document, from, visit),
        Axis::FollowingSibling => {
            let mut seen = BTreeSet::new();
            wholes(from).try_for_each(|element| {
                let first = |parent: &XmlElement<'_>| seen.insert(parent.index());
                let Some(parent) = document.at(element).parent().filter(first) else {
                    return Ok(());
                };
                let mut next = document.at(element).subtree_end();
                while next < parent.subtree_end() {
                    visit(Node::whole(next))?;
                    next = document.at(next).subtree_end();
                }
                Ok(())
            })
        }
        Axis::PrecedingSibling => {
            let mut seen = BTreeSet::new();
            wholes(from).rev().try_for_each(|element| {
                let last = |parent: &XmlElement<'_>| seen.insert(parent.index());
                let Some(parent) = document.at(element).parent().filter(last) else {
                    return Ok(());
                };
                let mut siblings = parent.children().map(|sibling| sibling.index());
                siblings
                    .by_ref()
                    .take_while(|&sibling| sibling < element)
                    .try_for_each(|sibling| visit(Node::whole(sibling)))
            })
        }
    }
}

/// The elements among nodes; only those have children, siblings and attributes.
fn wholes(from: &[Node]) -> impl DoubleEndedIterator<Item = u32> + '_ {
    let wholes = from.iter().filter(|node| node.part == Part::Whole);
    wholes.map(|node| node.element)
}

fn text_of(document: &XmlDocument, element: u32) -> Option<Node> {
    let it = document.at(element);
    let has_text = !it.has_children() && !it.text().is_empty();
    has_text.then_some(Node {
        element,
        part: Part::Text,
    })
}

/// All elements of a range and their texts, in document order.
fn range(
    document: &XmlDocument,
    elements: std::ops::Range<u32>,
    visit: &mut dyn FnMut(Node) -> Walked,
) -> Walked {
    for element in elements {
        visit(Node::whole(element))?;
        text_of(document, element).map_or(Ok(()), &mut *visit)?;
    }
    Ok(())
}

fn ancestors(
    document: &XmlDocument,
    axis: Axis,
    from: &[Node],
    visit: &mut dyn FnMut(Node) -> Walked,
) -> Walked {
    let mut seen = BTreeSet::new();
    for node in from {
        let mut next = match axis {
            Axis::Ancestor => node.parent(document),
            _ => Some(*node),
        };
        // Above one that was met, all were.
        while let Some(node) = next.filter(|node| seen.insert(*node)) {
            visit(node)?;
            next = node.parent(document);
        }
    }
    Ok(())
}

fn descendants(
    document: &XmlDocument,
    axis: Axis,
    from: &[Node],
    visit: &mut dyn FnMut(Node) -> Walked,
) -> Walked {
    let with_self = axis == Axis::DescendantOrSelf;
    let mut covered = 0;
    for node in from {
        let within = node.element < covered;
        match node.part {
            Part::Whole if !within => {
                if with_self {
                    visit(*node)?;
                }
                text_of(document, node.element).map_or(Ok(()), &mut *visit)?;
                covered = document.at(node.element).subtree_end();
                range(document, node.element + 1..covered, visit)?;
            }
            Part::Text if with_self && !within => visit(*node)?,
            Part::Attribute(_) if with_self => visit(*node)?,
            _ => {}
        }
    }
    Ok(())
}

fn preceding(
    document: &XmlDocument,
    from: &[Node],
    visit: &mut dyn FnMut(Node) -> Walked,
) -> Walked {
    let Some(last) = from.last() else {
        return Ok(());
    };
    for element in 1..last.element {
        // Not an ancestor.
        if document.at(element).subtree_end() <= last.element {
            visit(Node::whole(element))?;
            text_of(document, element).map_or(Ok(()), &mut *visit)?;
        }
    }
    Ok(())
}
