//! Operation resources (RFC 8040 §3.6, §4.4.2): which there are, and how one is carried out.
//!
//! An input becomes the element that NETCONF takes, and goes its way from there; an output is written from
//! what NETCONF answers. Read next: [`super::json`], [`crate::netconf`].

use super::MODULE;
use super::answer::RestconfAnswer;
use super::errors::{self, RestconfError};
use super::escape::decoded;
use super::json;
use super::media::Encoding;
use super::place::{self, Place};
use crate::netconf::Sessionless;
use ::netconf::error::{ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, RESTCONF};
use ::netconf::xml::{Limits, XmlDocument, XmlError, write as xml};
use schema::read::SourceError;
use serde_json::Value;
use yang::{Generation, Kind};

/// The operations that the principal may carry out (§3.3.2).
pub(super) fn list(cx: &Sessionless<'_>, encoding: Encoding) -> RestconfAnswer {
    let operations = cx.operations();
    let body = match encoding {
        Encoding::Json => json::document(&format!("{MODULE}:operations"), |out| {
            let each = operations
                .iter()
                .map(|(_, module, rpc)| format!("\"{module}:{rpc}\":[null]"));
            let inside = each.collect::<Vec<_>>().join(",");
            out.extend_from_slice(format!("{{{inside}}}").as_bytes());
        }),
        Encoding::Xml => {
            let mut out = b"<operations".to_vec();
            xml::attribute("xmlns", RESTCONF, &mut out);
            out.push(b'>');
            for (namespace, _, rpc) in &operations {
                out.extend_from_slice(format!("<{rpc} xmlns=\"{namespace}\"/>").as_bytes());
            }
            out.extend_from_slice(b"</operations>");
            out
        }
    };
    RestconfAnswer::document(encoding, body)
}

/// Whether the principal may carry out an operation, by its name as it came.
pub(super) fn is_permitted(cx: &Sessionless<'_>, name: &str) -> bool {
    let Some(name) = decoded(name) else {
        return false;
    };
    let is_asked =
        |(_, module, rpc): &(_, &str, &str)| name.split_once(':') == Some((*module, *rpc));
    cx.operations().iter().any(is_asked)
}

/// An operation that is asked for.
struct Asked<'a> {
    module: &'a str,
    rpc: &'a str,
    namespace: &'a str,
}

/// Carries an operation out: its name is as it came, and so is its input, in the encoding that its
/// `Content-Type` names. What comes of it is written in `encoding`.
///
/// # Errors
/// [`RestconfError`]: 404 if no module has it, 501 if it is not offered, 415 if the input is in no encoding
/// that is read.
pub(super) async fn call(
    cx: &Sessionless<'_>,
    name: &str,
    (content_type, body): (Option<&str>, &[u8]),
    encoding: Encoding,
) -> Result<RestconfAnswer, RestconfError> {
    let generation = cx.generation();
    let name = decoded(name).ok_or_else(RestconfError::not_found)?;
    let asked = asked(&name, generation).ok_or_else(RestconfError::not_found)?;
    let element = element(&asked, content_type, body, generation)?;
    let message = [
        format!("<rpc xmlns=\"{BASE}\">").into_bytes(),
        element,
        b"</rpc>".to_vec(),
    ];
    let message = XmlDocument::parse(message.concat(), &Limits::default());
    let message = message.map_err(|cause| malformed(&cause))?;
    let operation = message.root().children().next();
    let operation = operation.ok_or_else(RestconfError::not_found)?;
    let output = cx.call(operation).await?;
    answered(&asked, output, encoding, generation)
}

fn asked<'a>(name: &'a str, generation: &'a Generation) -> Option<Asked<'a>> {
    let (Some(module), rpc) = place::split(name)? else {
        return None;
    };
    let node = generation.schema_node(&format!("/{module}:{rpc}"))?;
    (node.kind == Kind::Rpc).then_some(Asked {
        module,
        rpc,
        namespace: &node.namespace,
    })
}

/// The element of the operation, with its input.
fn element(
    asked: &Asked<'_>,
    content_type: Option<&str>,
    body: &[u8],
    generation: &Generation,
) -> Result<Vec<u8>, RestconfError> {
    if body.is_empty() {
        let Asked { rpc, namespace, .. } = asked;
        return Ok(format!("<{rpc} xmlns=\"{namespace}\"/>").into_bytes());
    }
    match content_type.and_then(Encoding::of_content) {
        Some(Encoding::Json) => of_json(asked, body, generation),
        Some(Encoding::Xml) => of_xml(asked, body),
        None => Err(RestconfError::unsupported_media()),
    }
}

fn of_json(
    asked: &Asked<'_>,
    body: &[u8],
    generation: &Generation,
) -> Result<Vec<u8>, RestconfError> {
    let document = schema::read::json(body).map_err(|refused| {
        let message = format!("the body is not read: {refused}");
        match refused {
            SourceError::Excess(_) => errors::bad(ErrorTag::TooBig, message),
            SourceError::Syntax(_) | SourceError::Twice { .. } => {
                errors::bad(ErrorTag::MalformedMessage, message)
            }
        }
    })?;
    let name = format!("{}:input", asked.module);
    let input = match &document {
        Value::Object(members) if members.len() == 1 => members.get(&name),
        _ => None,
    };
    let Some(Value::Object(input)) = input else {
        return Err(not_the_input(&name).into());
    };
    let mut out = Vec::with_capacity(body.len() + 256);
    json::operation((asked.module, asked.rpc), input, generation, &mut out)?;
    Ok(out)
}

fn of_xml(asked: &Asked<'_>, body: &[u8]) -> Result<Vec<u8>, RestconfError> {
    let document = XmlDocument::parse(body, &Limits::default());
    let document = document.map_err(|cause| malformed(&cause))?;
    let input = document.root();
    let Asked { rpc, namespace, .. } = asked;
    let has_text =
        input.has_mixed_content() || !input.has_children() && !input.trimmed_text().is_empty();
    if !input.is(namespace, "input") || has_text {
        return Err(not_the_input(&format!("<input xmlns=\"{namespace}\">")).into());
    }
    let mut out = Vec::with_capacity(body.len() + 256);
    input.write_renamed(rpc, |_| true, &mut out);
    Ok(out)
}

fn not_the_input(expected: &str) -> RpcError {
    errors::bad(
        ErrorTag::MalformedMessage,
        format!("a body is the input of the operation, {expected}, and nothing else"),
    )
}

fn malformed(cause: &XmlError) -> RestconfError {
    let tag = match cause.is_too_big() {
        true => ErrorTag::TooBig,
        false => ErrorTag::MalformedMessage,
    };
    errors::bad(tag, cause.to_string()).into()
}

/// The answer with an output; §4.4.2: 204 without one.
fn answered(
    asked: &Asked<'_>,
    output: Vec<u8>,
    encoding: Encoding,
    generation: &Generation,
) -> Result<RestconfAnswer, RestconfError> {
    if output.is_empty() {
        return Ok(RestconfAnswer::empty(204));
    }
    let mut text = format!("<output xmlns=\"{}\">", asked.namespace).into_bytes();
    text.extend_from_slice(&output);
    text.extend_from_slice(b"</output>");
    drop(output);
    let body = match encoding {
        Encoding::Xml => text,
        Encoding::Json => {
            let document = XmlDocument::parse(text, &Limits::client());
            let document = document.map_err(|cause| RestconfError::too_long(&cause))?;
            let place = Place::of_operation(asked.module, asked.rpc, "output");
            json::document(&format!("{}:output", asked.module), |out| {
                json::members(document.root().children(), &place, generation, out);
            })
        }
    };
    Ok(RestconfAnswer::document(encoding, body))
}
