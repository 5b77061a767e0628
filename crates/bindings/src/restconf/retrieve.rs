//! Data resources, read (RFC 8040 §4.3): selected and written by NETCONF's provider, then taken out of what
//! leads to them.
//!
//! What is not there and what may not be read are one answer. Read next: [`super::identifier`],
//! [`super::json`].

use super::MODULE;
use super::answer::RestconfAnswer;
use super::errors::{self, RestconfError};
use super::fields::fields;
use super::identifier::{Identified, identified};
use super::json;
use super::media::Encoding;
use super::place::Place;
use super::query::{OF_DATA, Query};
use crate::netconf::{Retrieval, Sessionless};
use ::netconf::error::ErrorTag;
use ::netconf::filter::{FilterError, ResourceField, ResourceStep, Selection};
use ::netconf::names::namespace::RESTCONF;
use ::netconf::xml::{Limits, XmlDocument, XmlElement, write as xml};
use yang::Generation;

/// Reads the datastore, or a resource in it: the path to it is as it came. One that is there, and of which
/// `fields` or `content` leave nothing, is read without its children.
///
/// # Errors
/// [`RestconfError`]: 404 if there is nothing that the principal may read.
pub(super) fn data(
    cx: &Sessionless<'_>,
    path: &str,
    query: Option<&str>,
    encoding: Encoding,
) -> Result<RestconfAnswer, RestconfError> {
    let generation = cx.generation();
    let query = Query::read(query, OF_DATA)?;
    let resource = identified(path, generation)?;
    let wanted = match query.value("fields") {
        Some(text) => fields(text, &resource.place, generation)?,
        None => Vec::new(),
    };
    let selection = selection_of(&resource, &wanted)?;
    let depth = query.depth()?;
    // The datastore itself is a level (§4.8.2), of which NETCONF knows nothing.
    let is_root = resource.steps.is_empty();
    let above = u16::from(is_root && wanted.is_empty());
    let retrieval = Retrieval {
        config: query.content()?,
        defaults: query.defaults()?,
        max_depth: depth.map(|levels| levels - above),
    };
    let read = |selection: &Selection, retrieval: &Retrieval| {
        let read = cx.retrieve(selection, retrieval);
        read.map_err(RestconfError::of_reading)
    };
    let data = read(&selection, &retrieval)?;
    if is_root {
        let body = whole(data, encoding, generation)?;
        return Ok(RestconfAnswer::document(encoding, body));
    }
    let mut body = part(data, &resource, encoding, generation)?;
    let is_narrowed = !wanted.is_empty() || retrieval.config.is_some();
    if body.is_none() && is_narrowed && resource.has_children(generation) {
        let selection = selection_of(&resource, &[])?;
        let bare = Retrieval {
            config: None,
            max_depth: Some(1),
            ..retrieval
        };
        body = part(read(&selection, &bare)?, &resource, encoding, generation)?;
    }
    let body = body.ok_or_else(RestconfError::not_found)?;
    Ok(RestconfAnswer::document(encoding, body))
}

fn selection_of(
    resource: &Identified,
    wanted: &[ResourceField],
) -> Result<Selection, RestconfError> {
    Selection::resource(&resource.steps, wanted).map_err(|refused| match refused {
        FilterError::TooBig | FilterError::UnboundPrefix(_) => {
            RestconfError::from(errors::bad(ErrorTag::TooBig, refused.to_string()))
        }
    })
}

/// The datastore (§3.3.1).
fn whole(
    data: Vec<u8>,
    encoding: Encoding,
    generation: &Generation,
) -> Result<Vec<u8>, RestconfError> {
    match encoding {
        Encoding::Xml => {
            let mut out = Vec::with_capacity(data.len() + 96);
            out.extend_from_slice(b"<data");
            xml::attribute("xmlns", RESTCONF, &mut out);
            out.push(b'>');
            out.extend_from_slice(&data);
            out.extend_from_slice(b"</data>");
            Ok(out)
        }
        Encoding::Json => {
            let document = parsed(data)?;
            Ok(json::document(&format!("{MODULE}:data"), |out| {
                json::members(document.root().children(), &Place::root(), generation, out);
            }))
        }
    }
}

/// The resource alone, without what leads to it; none if it was not selected.
fn part(
    data: Vec<u8>,
    resource: &Identified,
    encoding: Encoding,
    generation: &Generation,
) -> Result<Option<Vec<u8>>, RestconfError> {
    let document = parsed(data)?;
    let Some(found) = resource.steps.iter().try_fold(document.root(), below) else {
        return Ok(None);
    };
    let mut out = Vec::with_capacity(1_024);
    match encoding {
        Encoding::Xml => found.write_standalone(&mut out),
        Encoding::Json => {
            let place = resource.parent.clone().of_message();
            json::members(std::iter::once(found), &place, generation, &mut out);
        }
    }
    Ok(Some(out))
}

/// The child that a step names: nothing else of that name was selected.
fn below<'x>(parent: XmlElement<'x>, step: &ResourceStep) -> Option<XmlElement<'x>> {
    parent.child(&step.namespace, &step.name)
}

/// What was written, within an element that stands for the datastore.
fn parsed(data: Vec<u8>) -> Result<XmlDocument, RestconfError> {
    let mut text = Vec::with_capacity(data.len() + 16);
    text.extend_from_slice(b"<data>");
    text.extend_from_slice(&data);
    text.extend_from_slice(b"</data>");
    drop(data);
    XmlDocument::parse(text, &Limits::client()).map_err(|cause| RestconfError::too_long(&cause))
}
