//! `get-schema` (RFC 6022 §3.1): the text of every announced module.

use super::validation::check;
use crate::netconf::answer::Answer;
use crate::netconf::error;
use crate::netconf::request_context::RequestContext;
use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::names::namespace::MONITORING;
use ::netconf::xml::{XmlElement, write as xml};
use domain::excerpt::excerpt;

pub(super) fn get_schema(
    cx: &RequestContext<'_>,
    operation: XmlElement<'_>,
) -> Result<Answer, RpcError> {
    check(cx, operation)?;
    let leaf = |name| operation.child(MONITORING, name);
    let identifier = leaf("identifier").ok_or_else(|| error::missing(operation, "identifier"))?;
    if let Some(format) = leaf("format") {
        let text = format.trimmed_text();
        let name = text.rsplit_once(':').map_or(text, |(_, name)| name);
        if name != "yang" {
            return Err(error::invalid(
                format,
                format!("only the format yang is served, not {}", excerpt(name)),
            ));
        }
    }
    let version = leaf("version").map(|v| v.trimmed_text());
    let name = identifier.trimmed_text();
    let text = cx
        .session_schema
        .generation
        .schema(name, version)
        .ok_or_else(|| {
            // RFC 6022 §3.1: invalid-value when there is no such schema. (Two that fit cannot be:
            // a generation has one revision of a module.)
            RpcError::application(ErrorTag::InvalidValue)
                .path(ErrorPath::of(identifier))
                .message(match version {
                    Some(version) => {
                        format!("there is no schema {}@{}", excerpt(name), excerpt(version))
                    }
                    None => format!("there is no schema {}", excerpt(name)),
                })
        })?;
    let mut out = Vec::with_capacity(text.len() + text.len() / 8 + 128);
    out.extend_from_slice(b"<data");
    xml::attribute("xmlns", MONITORING, &mut out);
    out.push(b'>');
    xml::text(text, &mut out);
    out.extend_from_slice(b"</data>");
    Ok(Answer::Body(out))
}
