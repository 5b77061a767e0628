//! Writes the elements that an expression selected with all below them, their ancestors, and the
//! keys of the list entries on the way, in one pass over the document.

use super::Name;
use crate::xml::XmlElement;
use std::collections::BTreeMap;

/// The leaves that are keys of a list: a tree of the names of data nodes, as far as keys are below.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    key: bool,
    /// By namespace, then by name.
    below: BTreeMap<Box<str>, BTreeMap<Box<str>, Keys>>,
}

impl Keys {
    /// Adds a key leaf by its path from the top, namespaces and names.
    pub fn insert<'n>(&mut self, path: impl IntoIterator<Item = Name<'n>>) {
        let mut place = self;
        for (namespace, name) in path {
            let below = place.below.entry(namespace.into()).or_default();
            place = below.entry(name.into()).or_default();
        }
        place.key = true;
    }

    fn below(&self, element: XmlElement<'_>) -> Option<&Keys> {
        let below = self.below.get(element.namespace())?;
        below.get(element.name())
    }

    /// Writes the selected elements, which are in document order and of a document whose root
    /// stands for the root of the data; nothing of the root itself.
    pub fn write(&self, selected: &[XmlElement<'_>], out: &mut Vec<u8>) {
        let Some(first) = selected.first() else {
            return;
        };
        let root = first.document().root();
        let mut rest = selected;
        if first.index() == 0 {
            root.children()
                .for_each(|child| out.extend_from_slice(child.verbatim().as_bytes()));
            return;
        }
        self.children(root, &mut rest, out);
    }

    /// The children of an ancestor of the remaining selected elements.
    fn children(&self, parent: XmlElement<'_>, rest: &mut &[XmlElement<'_>], out: &mut Vec<u8>) {
        for child in parent.children() {
            // Nodes selected inside a selected node are written with it.
            while rest
                .first()
                .is_some_and(|next| next.index() < child.index())
            {
                *rest = &rest[1..];
            }
            let below = self.below(child);
            match rest.first().map(|next| next.index()) {
                Some(next) if next == child.index() => {
                    out.extend_from_slice(child.verbatim().as_bytes());
                }
                Some(next) if next < child.subtree_end() => {
                    out.extend_from_slice(child.start_tag().as_bytes());
                    below.unwrap_or(&NO_KEYS).children(child, rest, out);
                    end_tag(child, out);
                }
                _ if below.is_some_and(|keys| keys.key) => {
                    out.extend_from_slice(child.verbatim().as_bytes());
                }
                _ => {}
            }
        }
    }
}

fn end_tag(element: XmlElement<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"</");
    if !element.prefix().is_empty() {
        out.extend_from_slice(element.prefix().as_bytes());
        out.push(b':');
    }
    out.extend_from_slice(element.name().as_bytes());
    out.push(b'>');
}

const NO_KEYS: Keys = Keys {
    key: false,
    below: BTreeMap::new(),
};
