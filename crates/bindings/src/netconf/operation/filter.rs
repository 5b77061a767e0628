//! The filters of `get`, `get-config`, `get-data` and `create-subscription`, and why one cannot be used.
//!
//! The one place that reads them, so that each rpc refuses the same filter alike; it is asked before the
//! schema, which would say it otherwise. Read next: [`super::read`], [`super::subscribe`].

use crate::netconf::request_context::RequestContext;
use crate::netconf::{error, search};
use ::netconf::error::RpcError;
use ::netconf::filter::{Compiled, Selection};
use ::netconf::names::namespace::{BASE, NOTIFICATION};
use ::netconf::xml::XmlElement;
use ::netconf::xpath::Expression;

/// What a filter selects.
pub(super) enum Filter<'x> {
    Selection(Selection),
    /// An expression to search by, and the element in whose scope its prefixes stand.
    XPath {
        text: &'x str,
        expression: Expression,
        scope: XmlElement<'x>,
    },
}

/// The namespaces in which a filter's attributes are looked for: none, as RFC 6241 §6.1 has them; then
/// those with which the examples of RFC 5277 qualify them, and clients after these.
const NAMESPACES: [&str; 3] = ["", BASE, NOTIFICATION];

/// Reads `<filter>` (RFC 6241 §6.1 and §8.9.5).
///
/// # Errors
/// `bad-attribute`, `missing-attribute` or `unknown-attribute`; what [`subtree`] and [`xpath`] refuse.
pub(super) fn read<'x>(
    cx: &RequestContext<'_>,
    filter: XmlElement<'x>,
) -> Result<Filter<'x>, RpcError> {
    let unknown = filter
        .attributes()
        .find(|a| !(NAMESPACES.contains(&a.namespace) && matches!(a.name, "type" | "select")));
    if let Some(unknown) = unknown {
        return Err(error::filter_attribute(filter, unknown.name));
    }
    let attribute = |name| {
        let mut namespaces = NAMESPACES.iter();
        namespaces.find_map(|namespace| filter.attribute(namespace, name))
    };
    match (attribute("type"), attribute("select")) {
        (None | Some("subtree"), _) => subtree(filter),
        (Some("xpath"), Some(expression)) => xpath(cx, expression, filter),
        (Some("xpath"), None) => Err(error::filter_without_select(filter)),
        (Some(other), _) => Err(error::filter_type(filter, other)),
    }
}

/// The filter that the children of an element are.
///
/// # Errors
/// `too-big`
pub(super) fn subtree(filter: XmlElement<'_>) -> Result<Filter<'_>, RpcError> {
    Selection::subtree(filter)
        .map(Filter::Selection)
        .map_err(|cause| error::of_filter(&cause, filter))
}

/// The filter that an XPath is; its prefixes are those of `scope`, where it stands.
///
/// # Errors
/// `invalid-value` if it is none, or selects no nodes; `too-big`.
pub(super) fn xpath<'x>(
    cx: &RequestContext<'_>,
    text: &'x str,
    scope: XmlElement<'x>,
) -> Result<Filter<'x>, RpcError> {
    match Selection::xpath(text, &scope.prefixes()) {
        Ok(Compiled::Selection(selection)) => Ok(Filter::Selection(selection)),
        Ok(Compiled::TooComplex) => Ok(Filter::XPath {
            text,
            expression: search::expression(text, scope, &cx.session_schema.generation)?,
            scope,
        }),
        Err(cause) => Err(error::of_filter(&cause, scope)),
    }
}
