//! Compiles `<filter type="subtree">` to a [`Selection`] (RFC 6241 §6.2).
//!
//! The kind of an element (§6.2) follows from its form alone: with child elements it is a
//! containment node, with text a content match node, else a selection node. Matching is in
//! `data::write`.

use super::{AttributeMatch, Condition, FILTER_NODES, FilterError, Literal, Pattern, Selection};
use crate::xml::XmlElement;

impl Selection {
    /// Compiles the children of a `<filter>` element. Each is a filter of its
    /// own, their outputs are merged; with none, nothing is selected (§6.4.2).
    ///
    /// An element in no namespace (`xmlns=""`) stands for that name in any
    /// namespace (§6.2.1); one that inherits the namespace of the base
    /// operations means exactly that namespace.
    ///
    /// # Errors
    /// [`FilterError::TooBig`].
    pub fn subtree(filter: XmlElement<'_>) -> Result<Selection, FilterError> {
        let mut nodes = 0;
        let mut root = Pattern::default();
        for child in filter.children() {
            root.children.push(pattern(child, &mut nodes)?);
        }
        Ok(Selection::of(root))
    }
}

fn pattern(element: XmlElement<'_>, nodes: &mut usize) -> Result<Pattern, FilterError> {
    *nodes += 1;
    if *nodes > FILTER_NODES {
        return Err(FilterError::TooBig);
    }
    let mut pattern = Pattern {
        namespace: Some(element.namespace())
            .filter(|namespace| !namespace.is_empty())
            .map(Into::into),
        name: Some(element.name().into()),
        attributes: element
            .attributes()
            .map(|attribute| AttributeMatch {
                namespace: attribute.namespace.into(),
                name: attribute.name.into(),
                value: attribute.value.into(),
            })
            .collect(),
        ..Pattern::default()
    };
    if !element.has_children() {
        // §6.2.5: white space at both ends is ignored, nothing else is a selection node.
        let text = element.trimmed_text();
        if text.is_empty() {
            pattern.whole = true;
        } else {
            pattern.value = Some(Literal::new(text, |prefix| {
                element.namespace_of_prefix(prefix)
            }));
        }
        return Ok(pattern);
    }
    for child in element.children() {
        let child = self::pattern(child, nodes)?;
        if child.value.is_some() {
            pattern.conditions.push(Condition {
                pattern: child,
                shown: true,
            });
        } else if !pattern.children.contains(&child) {
            pattern.children.push(child);
        }
    }
    // §6.2.5: with content match nodes only, all of this level is selected.
    pattern.whole = pattern.children.is_empty();
    Ok(pattern)
}
