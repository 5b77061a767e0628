//! What stands below an element of an input, by name.
//!
//! The schema has been checked, so leaves are single and well typed; what is below an element is in
//! its namespace. Read next: [`super`].

use crate::netconf::error;
use ::netconf::error::RpcError;
use ::netconf::xml::Element;
use domain::time::Timestamp;
use std::str::FromStr;

/// The child of that name.
pub(super) fn child<'x>(element: Element<'x>, name: &str) -> Option<Element<'x>> {
    element.child(element.namespace(), name)
}

/// The children of that name, in order.
pub(super) fn all<'x>(element: Element<'x>, name: &str) -> impl Iterator<Item = Element<'x>> {
    let named = move |c: &Element<'x>| c.is(element.namespace(), name);
    element.children().filter(named)
}

/// A string.
pub(super) fn text(element: Element<'_>, name: &str) -> Option<String> {
    child(element, name).map(|e| e.text().to_owned())
}

/// The strings of a leaf-list.
pub(super) fn texts(element: Element<'_>, name: &str) -> Vec<String> {
    all(element, name).map(|e| e.text().to_owned()).collect()
}

/// An enumeration, or anything else in which white space around the value does not count.
pub(super) fn word<'x>(element: Element<'x>, name: &str) -> Option<&'x str> {
    child(element, name).map(|e| e.trimmed_text())
}

/// A boolean; false if it is not there.
pub(super) fn flag(element: Element<'_>, name: &str) -> bool {
    word(element, name) == Some("true")
}

/// A number.
pub(super) fn number<N: FromStr>(element: Element<'_>, name: &str) -> Option<N> {
    word(element, name)?.parse().ok()
}

/// An instant below an element.
pub(super) fn time(element: Element<'_>, name: &str) -> Result<Option<Timestamp>, RpcError> {
    child(element, name).map(instant).transpose()
}

/// An instant; the schema lets some pass that no calendar has.
pub(super) fn instant(leaf: Element<'_>) -> Result<Timestamp, RpcError> {
    let parsed = Timestamp::parse(leaf.trimmed_text());
    parsed.map_err(|why| error::invalid(leaf, why.to_string()))
}
