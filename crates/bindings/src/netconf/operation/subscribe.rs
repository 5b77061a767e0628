//! `create-subscription` (RFC 5277 §2.1.1).
//!
//! Read next: [`crate::netconf::subscription`], the subscription that it begins.

use super::filter::{self, Filter};
use super::validation::check;
use crate::netconf::answer::Answer;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::request_context::RequestContext;
use crate::netconf::subscription::{EventFilter, Subscription};
use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, NOTIFICATION};
use ::netconf::xml::XmlElement;
use domain::time::Timestamp;
use std::sync::Arc;

pub(super) fn create(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Answer, RpcError> {
    begin(cx, origin, operation).map(Answer::Subscribed)
}

/// The subscription that is asked for.
///
/// # Errors
/// Those of RFC 5277 §2.1.1; what a filter or the store is refused with.
pub(super) fn begin(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Box<Subscription>, RpcError> {
    let leaf = |name| operation.child(NOTIFICATION, name);
    let filter = leaf("filter").or_else(|| operation.child(BASE, "filter"));
    let filter = filter.map(|f| filter::read(cx, f)).transpose()?;
    if !has_base_filter(operation) {
        check(cx, operation)?;
    }
    if cx.subscribed {
        return Err(RpcError::protocol(ErrorTag::InUse)
            .path(ErrorPath::of(operation))
            .message("this session has a subscription already"));
    }
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
    let filter = filter.map(wanted);
    let subscription = Subscription::begin(cx, filter, start, stop);
    subscription
        .map(Box::new)
        .map_err(|refusal| error::refused(&refusal, origin))
}

/// Which events a filter selects.
fn wanted(filter: Filter<'_>) -> EventFilter {
    match filter {
        Filter::Selection(selection) => EventFilter::Selection(selection),
        Filter::XPath { expression, .. } => EventFilter::XPath(Arc::new(expression)),
    }
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
