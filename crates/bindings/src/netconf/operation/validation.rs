//! Whether the schema has an objection to what was sent: plain at once, or libyang's to say.
//!
//! Read next: [`crate::netconf::fast_path`], what is plain; [`super::xpaths`], what libyang must not be
//! shown.

use super::xpaths;
use crate::netconf::request_context::RequestContext;
use crate::netconf::{error, fast_path};
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;

/// Checks an operation against the schema, but for what stands in its filters: that is anything, and yet
/// libyang types what it knows of it, XPaths among it. A filter is bounded where it is compiled. Of most
/// operations it is plain that the schema has no objection.
pub(super) fn check(cx: &RequestContext<'_>, operation: XmlElement<'_>) -> Result<(), RpcError> {
    if cx.session_schema.plain_inputs.has(operation) {
        return Ok(());
    }
    if let Some(leaf) = without_yang_string(operation) {
        return Err(error::invalid(
            leaf,
            "a YANG string has no noncharacters (RFC 7950 §9.4)",
        ));
    }
    let is_filter = |child: XmlElement<'_>| matches!(child.name(), "filter" | "subtree-filter");
    let mut text = Vec::new();
    operation.write_hollow(is_filter, &mut text);
    let text = String::from_utf8(text).expect("made of slices of a str");
    check_text(cx, operation, &text)
}

/// The first element whose text no string of YANG is, which libyang lets pass.
fn without_yang_string(element: XmlElement<'_>) -> Option<XmlElement<'_>> {
    match fast_path::is_yang_string(element.text()) {
        true => element.children().find_map(without_yang_string),
        false => Some(element),
    }
}

/// Checks the text of an operation, or of a part of it.
pub(super) fn check_text(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
    text: &str,
) -> Result<(), RpcError> {
    xpaths::has_short_xpaths(operation)?;
    cx.session_schema
        .generation
        .check_rpc(text)
        .map_err(|violation| error::of_violation(&violation, operation))
}
