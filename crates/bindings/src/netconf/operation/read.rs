//! `get`, `get-config` (RFC 6241 §7.1, §7.7) and `get-data` (RFC 8526 §3.1).
//!
//! A filter is compiled into a selection that the writer follows. An XPath that is more than a
//! path is a search of the data that the caller may read, beside the session: [`search`].

use super::beside::beside;
use super::filter::{self, Filter};
use super::validation::check;
use crate::netconf::answer::{Answer, Dispatch};
use crate::netconf::encode::Reader;
use crate::netconf::error::{self, RpcOrigin};
use crate::netconf::request_context::RequestContext;
use crate::netconf::search;
use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::filter::{DefaultsMode, Projection, Selection};
use ::netconf::names::namespace::{BASE, DATASTORES, NMDA, WITH_DEFAULTS};
use ::netconf::xml::XmlElement;
use ::netconf::xpath::Expression;
use domain::excerpt::excerpt;
use std::cell::Cell;
use std::sync::Arc;

mod extent;

/// How what is selected is to be read.
pub(crate) struct Retrieval {
    /// Configuration alone, state alone, or both.
    pub(crate) config: Option<bool>,
    /// The mode of defaults.
    pub(crate) defaults: DefaultsMode,
    /// Levels below and including each selected node; none for all.
    pub(crate) max_depth: Option<u16>,
}

/// The rpc that was asked, and as it was sent.
type Asked<'x> = (RpcOrigin, XmlElement<'x>);

/// How the reply holds what was read.
type Wrap = fn(Vec<u8>) -> Answer;

pub(super) fn get(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Dispatch, RpcError> {
    let filter = filter_of(cx, operation)?;
    if !is_plain(operation, &["filter"]) {
        check(cx, operation)?;
    }
    let request = Retrieval {
        config: None,
        defaults: defaults(operation)?,
        max_depth: None,
    };
    read(cx, (origin, operation), filter, request, Answer::Data)
}

pub(super) fn get_config(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Dispatch, RpcError> {
    let filter = filter_of(cx, operation)?;
    check(cx, operation)?;
    let source = operation
        .child(BASE, "source")
        .and_then(|s| s.children().next());
    match source {
        Some(source) if source.name() == "running" => {}
        Some(other) => return Err(error::invalid(other, "the only configuration is 'running'")),
        None => return Err(error::missing(operation, "source")),
    }
    let request = Retrieval {
        config: Some(true),
        defaults: defaults(operation)?,
        max_depth: None,
    };
    read(cx, (origin, operation), filter, request, Answer::Data)
}

pub(super) fn get_data(
    cx: &RequestContext<'_>,
    origin: RpcOrigin,
    operation: XmlElement<'_>,
) -> Result<Dispatch, RpcError> {
    check(cx, operation)?;
    let leaf = |name| operation.child(NMDA, name);
    let datastore = leaf("datastore").ok_or_else(|| error::missing(operation, "datastore"))?;
    let only_config = match datastore_name(datastore) {
        Some("operational") => None,
        Some("running") => Some(true),
        _ => {
            return Err(error::invalid(
                datastore,
                "the datastores are operational and running",
            ));
        }
    };
    let asked = leaf("config-filter").map(|c| c.trimmed_text() == "true");
    let filter = match (leaf("subtree-filter"), leaf("xpath-filter")) {
        (Some(subtree), _) => filter::subtree(subtree)?,
        (None, Some(xpath)) => filter::xpath(cx, xpath.trimmed_text(), xpath)?,
        (None, None) => Filter::Selection(Selection::everything()),
    };
    if only_config.is_some() && asked == Some(false) {
        return Ok(Dispatch::Now(Ok(wrapped(Vec::new()))));
    }
    let request = Retrieval {
        config: only_config.or(asked),
        defaults: defaults(operation)?,
        max_depth: leaf("max-depth").and_then(|d| d.trimmed_text().parse().ok()),
    };
    read(cx, (origin, operation), filter, request, wrapped)
}

/// The local name of a `datastore` value, if it is an identity of ietf-datastores.
pub(super) fn datastore_name<'x>(datastore: XmlElement<'x>) -> Option<&'x str> {
    let (prefix, name) = match datastore.trimmed_text().split_once(':') {
        Some((prefix, name)) => (prefix, name),
        None => ("", datastore.trimmed_text()),
    };
    (datastore.namespace_of_prefix(prefix) == Some(DATASTORES)).then_some(name)
}

/// True if the operation holds nothing but these children, once each: then the schema has nothing
/// to add, and the hot path spares libyang's look.
fn is_plain(operation: XmlElement<'_>, allowed: &[&str]) -> bool {
    let mut seen = 0;
    operation.attributes().len() == 0
        && !operation.has_mixed_content()
        && (operation.has_children() || operation.is_empty())
        && operation.children().all(|child| {
            seen += 1;
            child.namespace() == BASE && allowed.contains(&child.name())
        })
        && seen <= allowed.len()
}

/// The `<filter>` of an operation; without one everything is selected.
fn filter_of<'x>(
    cx: &RequestContext<'_>,
    operation: XmlElement<'x>,
) -> Result<Filter<'x>, RpcError> {
    match operation.child(BASE, "filter") {
        Some(filter) => filter::read(cx, filter),
        None => Ok(Filter::Selection(Selection::everything())),
    }
}

fn defaults(operation: XmlElement<'_>) -> Result<DefaultsMode, RpcError> {
    let Some(leaf) = operation
        .child(WITH_DEFAULTS, "with-defaults")
        .or_else(|| operation.child(NMDA, "with-defaults"))
    else {
        return Ok(DefaultsMode::Explicit);
    };
    let text = leaf.trimmed_text();
    DefaultsMode::from_wire(text).ok_or_else(|| {
        let why = format!("'{}' is no mode of with-defaults", excerpt(text));
        error::invalid(leaf, why)
    })
}

fn read(
    cx: &RequestContext<'_>,
    asked: Asked<'_>,
    filter: Filter<'_>,
    request: Retrieval,
    wrap: Wrap,
) -> Result<Dispatch, RpcError> {
    let mut data = Vec::with_capacity(1_024);
    match filter {
        Filter::Selection(selection) => {
            write(cx, asked, &request, &selection, &mut data)?;
            Ok(Dispatch::Now(Ok(wrap(data))))
        }
        Filter::XPath { scope, .. } if request.max_depth.is_some() => {
            Err(RpcError::application(ErrorTag::OperationNotSupported)
                .path(ErrorPath::of(scope))
                .message("max-depth is not supported with an XPath that is more than a path of names and equalities"))
        }
        Filter::XPath { scope, .. } if !cx.platform.background.has_room(&cx.who.name) => {
            Err(error::busy(ErrorPath::of(scope)))
        }
        Filter::XPath {
            text,
            expression,
            scope,
        } => {
            let extent = extent::of_xpath(text, &scope.prefixes());
            data.extend_from_slice(b"<data>");
            write(cx, asked, &request, &extent, &mut data)?;
            if data.len() > search::SEARCH_BYTES {
                return Err(RpcError::protocol(ErrorTag::TooBig)
                    .path(ErrorPath::of(scope))
                    .message("too many data to search: begin the expression with a path of names, such as /p:a/p:b[…], or use a subtree filter"));
            }
            data.extend_from_slice(b"</data>");
            search(cx, expression, ErrorPath::of(scope), data, wrap)
        }
    }
}

/// What a selection has of the data that the caller may read, as sibling elements.
///
/// # Errors
/// `too-big` if it is more than is read at a time; what the store's failures are.
pub(super) fn retrieve(
    cx: &RequestContext<'_>,
    asked: Asked<'_>,
    selection: &Selection,
    request: &Retrieval,
) -> Result<Vec<u8>, RpcError> {
    let mut data = Vec::with_capacity(1_024);
    write(cx, asked, request, selection, &mut data)?;
    Ok(data)
}

/// Writes what a selection has of the data that the caller may read.
fn write(
    cx: &RequestContext<'_>,
    (origin, operation): Asked<'_>,
    request: &Retrieval,
    selection: &Selection,
    data: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let permit = cx.platform.permit(cx.who, &cx.session_schema.generation);
    let reader = Reader {
        keyed_bytes: Cell::default(),
        platform: cx.platform,
        session_schema: cx.session_schema,
        endpoint: cx.endpoint,
        who: cx.who,
        now: cx.now,
    };
    let projection = Projection::of(selection)
        .config(request.config)
        .defaults(request.defaults)
        .max_depth(request.max_depth)
        .permit(&permit);
    reader
        .write(&projection, data)
        .map_err(|refusal| error::of_reading(&refusal, origin, operation))
}

/// Searches data beside the session; the reply follows in its turn.
fn search(
    cx: &RequestContext<'_>,
    expression: Expression,
    path: ErrorPath,
    data: Vec<u8>,
    wrap: Wrap,
) -> Result<Dispatch, RpcError> {
    let session_schema = Arc::clone(cx.session_schema);
    let work =
        move |over: &dyn Fn() -> bool| search::select(&expression, data, &session_schema, over);
    beside(cx, path, work, move |found, path| match found {
        Ok(data) => Ok(wrap(data)),
        Err(cause) => Err(error::of_search(&cause, path)),
    })
}

/// The `<data>` of ietf-netconf-nmda.
fn wrapped(data: Vec<u8>) -> Answer {
    let mut out = Vec::with_capacity(data.len() + 96);
    out.extend_from_slice(b"<data");
    ::netconf::xml::write::attribute("xmlns", NMDA, &mut out);
    out.push(b'>');
    out.extend_from_slice(&data);
    out.extend_from_slice(b"</data>");
    Answer::Body(out)
}
