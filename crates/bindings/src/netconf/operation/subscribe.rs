//! `create-subscription` (RFC 5277 §2.1.1).
//!
//! Read next: [`crate::netconf::subscription`], the subscription that it begins.

use super::validation::check;
use crate::netconf::answer::Answer;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::request_context::RequestContext;
use crate::netconf::search;
use crate::netconf::subscription::{Filter, Subscription};
use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::filter::{Compiled, Selection};
use ::netconf::names::namespace::{BASE, NOTIFICATION};
use ::netconf::xml::XmlElement;
use domain::time::Timestamp;
use std::sync::Arc;

pub(super) fn create(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Answer, RpcError> {
    if !has_base_filter(operation) {
        check(cx, operation)?;
    }
    if cx.subscribed {
        return Err(RpcError::protocol(ErrorTag::InUse)
            .path(ErrorPath::of(operation))
            .message("this session has a subscription already"));
    }
    let leaf = |name| operation.child(NOTIFICATION, name);
    if let Some(stream) = leaf("stream")
        && stream.trimmed_text() != "NETCONF"
    {
        return Err(error::invalid(stream, "the only stream is NETCONF"));
    }
    let start = leaf("startTime").map(|e| time(e)).transpose()?;
    let stop = leaf("stopTime").map(|e| time(e)).transpose()?;
    if let (Some(at), None) = (leaf("stopTime"), start) {
        // RFC 5277 §2.1.1: stopTime without startTime is missing-element.
        return Err(RpcError::protocol(ErrorTag::MissingElement)
            .path(ErrorPath::of(at))
            .bad_element("startTime")
            .message("stopTime needs startTime"));
    }
    if let (Some(at), Some(start)) = (leaf("startTime"), start) {
        if start > cx.now {
            return Err(bad(at, "startTime lies in the future"));
        }
        if let (Some(at), Some(stop)) = (leaf("stopTime"), stop)
            && stop < start
        {
            return Err(bad(at, "stopTime lies before startTime"));
        }
    }
    let filter = leaf("filter").or_else(|| operation.child(BASE, "filter"));
    let filter = filter.map(|f| self::filter(cx, f)).transpose()?;
    let subscription = Subscription::begin(cx, filter, start, stop);
    subscription
        .map(|subscription| Answer::Subscribed(Box::new(subscription)))
        .map_err(|refusal| error::refused(&refusal, origin))
}

/// True for the one form beside the schema's that is understood: `<filter>` in the namespace of the
/// base operations, as ncclient writes it.
fn has_base_filter(operation: XmlElement<'_>) -> bool {
    let known = |child: XmlElement<'_>| {
        child.is(BASE, "filter")
            || ["stream", "startTime", "stopTime"]
                .iter()
                .any(|name| child.is(NOTIFICATION, name))
    };
    let filters = operation
        .children()
        .filter(|c| c.name() == "filter")
        .count();
    filters == 1 && operation.child(BASE, "filter").is_some() && operation.children().all(known)
}

fn time(at: XmlElement<'_>) -> Result<Timestamp, RpcError> {
    Timestamp::parse(at.trimmed_text()).map_err(|e| error::invalid(at, e.to_string()))
}

/// RFC 5277 §2.1.1: a time that makes no sense is bad-element.
fn bad(at: XmlElement<'_>, message: &str) -> RpcError {
    RpcError::protocol(ErrorTag::BadElement)
        .path(ErrorPath::of(at))
        .bad_element(at.name())
        .message(message)
}

fn filter(cx: &RequestContext<'_>, filter: XmlElement<'_>) -> Result<Filter, RpcError> {
    // RFC 5277's own examples qualify these attributes.
    let attribute = |name| {
        let bare = filter.attribute("", name);
        bare.or_else(|| filter.attribute(BASE, name))
            .or_else(|| filter.attribute(NOTIFICATION, name))
    };
    match (attribute("type"), attribute("select")) {
        (Some("xpath"), Some(expression)) => {
            match Selection::xpath(expression, &filter.prefixes()) {
                Ok(Compiled::Selection(selection)) => Ok(Filter::Selection(selection)),
                Ok(Compiled::TooComplex) => {
                    let generation = &cx.session_schema.generation;
                    let expression = search::expression(expression, filter, generation)?;
                    Ok(Filter::XPath(Arc::new(expression)))
                }
                Err(e) => Err(error::of_filter(&e, filter)),
            }
        }
        (Some("xpath"), None) => Err(error::filter_without_select(filter)),
        (None | Some("subtree"), _) => Selection::subtree(filter)
            .map(Filter::Selection)
            .map_err(|e| error::of_filter(&e, filter)),
        (Some(other), _) => Err(error::filter_type(filter, other)),
    }
}
