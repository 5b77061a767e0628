//! XPath filters (RFC 6241 §8.9) over data already written as XML.
//!
//! Expressions of clients are evaluated by `netconf`'s own evaluator, whose cost is bounded; this
//! one is the reference in its tests. An expression of forty characters can keep it busy for hours.
//!
//! Knows nothing of datastores: the caller hands over only the data that the reader may see.

use std::ffi::CString;

use yang_rs::ffi as raw;

use crate::error::{LibraryError, XPathError};
use crate::ffi::{Rejection, Shape, Tree};
use crate::generation::Generation;

/// A document to evaluate an expression against when there are no data, so that a wrong expression
/// is refused even then.
const NOTHING: &str = "<x xmlns=\"urn:convoke:nothing\"/>";

impl Generation {
    /// Selects nodes from `data` (a sequence of top-level elements): the nodes that `xpath` selects
    /// with all below them, their ancestors, and the keys of the list entries on the way; empty if
    /// nothing matches. Elements come in the order of the schema, entries of a state list in that
    /// of the data.
    ///
    /// `prefixes` are (prefix, namespace) as in scope at the `<filter>`
    /// element. As everywhere in XPath 1.0 the default namespace does not count:
    /// a name without a prefix is an error, and so is a namespace that no
    /// module has. The data are not validated. Time grows with the data, and
    /// with the product of nested `//` steps: cap both.
    ///
    /// # Errors
    /// [`XPathError`].
    pub fn select(
        &self,
        data: &str,
        xpath: &str,
        prefixes: &[(&str, &str)],
    ) -> Result<String, XPathError> {
        let expression = c_string(xpath, "the expression")?;
        let bound = bound(prefixes)?;
        let mut tree = self.readable(data)?;
        let nothing = tree.is_empty();
        if nothing {
            tree = self.readable(NOTHING)?;
        }
        let selection = tree.find(&expression, &bound).map_err(unusable)?;
        if nothing {
            return Ok(String::new());
        }
        // libyang leaves the root out of a node set; it stands for everything.
        if xpath.trim() != "/" {
            tree.retain(&selection);
        }
        tree.print().ok_or_else(|| XPathError::Data {
            message: "it cannot be printed".to_owned(),
        })
    }

    /// True if `xpath` selects anything of an event (the element inside a `<notification>`).
    /// Prefixes and expressions as in [`Generation::select`].
    ///
    /// # Errors
    /// [`XPathError`].
    pub fn selects_event(
        &self,
        event: &str,
        xpath: &str,
        prefixes: &[(&str, &str)],
    ) -> Result<bool, XPathError> {
        let expression = c_string(xpath, "the expression")?;
        let bound = bound(prefixes)?;
        let tree = Tree::operation(&self.context, event, Shape::Event).map_err(unreadable)?;
        let selection = tree.find(&expression, &bound).map_err(unusable)?;
        // libyang leaves the root out of a node set; it stands for everything.
        Ok(xpath.trim() == "/" || !selection.is_empty())
    }

    fn readable(&self, data: &str) -> Result<Tree<'_>, XPathError> {
        let options = raw::LYD_PARSE_STORE_ONLY | raw::LYD_PARSE_OPAQ;
        Tree::data(&self.context, data, options, 0).map_err(unreadable)
    }
}

fn unreadable(rejection: Rejection) -> XPathError {
    match rejection {
        Rejection::Nul => XPathError::Nul { place: "the data" },
        Rejection::Library(mut errors) => XPathError::Data {
            message: errors.swap_remove(0).message,
        },
    }
}

fn unusable(error: LibraryError) -> XPathError {
    if error.message.ends_with("result is not a node set.") {
        XPathError::NotANodeSet
    } else {
        XPathError::Expression {
            message: error.message,
        }
    }
}

/// The prefixes in libyang's form; the default namespace does not count.
fn bound(prefixes: &[(&str, &str)]) -> Result<Vec<(CString, CString)>, XPathError> {
    prefixes
        .iter()
        .filter(|(prefix, _)| !prefix.is_empty())
        .map(|(prefix, uri)| Ok((c_string(prefix, "a prefix")?, c_string(uri, "a namespace")?)))
        .collect()
}

fn c_string(text: &str, place: &'static str) -> Result<CString, XPathError> {
    CString::new(text).map_err(|_| XPathError::Nul { place })
}

#[cfg(test)]
mod tests;
