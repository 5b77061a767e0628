//! The one place that knows status codes, and how an error of NETCONF is written as `errors` (RFC 8040 §7).
//!
//! The tags are those that NETCONF gives; here each has its status, and its path the form of a resource:
//! `/module:input/…` instead of `/nc:rpc/…`. Read next: [`super::binding`].

use super::MODULE;
use super::json;
use super::media::Encoding;
use super::resource::Resource;
use ::netconf::error::{ErrorInfo, ErrorPath, ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, RESTCONF};
use ::netconf::xml::{XmlError, write as xml};
use serde_json::{Map, Value, json};
use yang::Generation;

/// A request that is refused, or that failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RestconfError {
    status: u16,
    error: Box<RpcError>,
    /// The methods that there are, where another was taken.
    allow: Option<&'static str>,
}

/// An error about the request itself.
pub(super) fn bad(tag: ErrorTag, message: impl Into<String>) -> RpcError {
    RpcError::protocol(tag).message(message)
}

impl From<RpcError> for RestconfError {
    fn from(error: RpcError) -> Self {
        Self::with_status(status(&error), error)
    }
}

impl RestconfError {
    fn with_status(status: u16, error: RpcError) -> Self {
        Self {
            status,
            error: Box::new(error),
            allow: None,
        }
    }

    /// A value that cannot be used.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        bad(ErrorTag::InvalidValue, message).into()
    }

    /// Nothing is there, or nothing that may be read: always the same.
    pub(super) fn not_found() -> Self {
        let message = "nothing is here for you";
        Self::with_status(404, bad(ErrorTag::InvalidValue, message))
    }

    /// The resource has no such method.
    pub(super) fn no_method(resource: Resource<'_>) -> Self {
        let message = match resource {
            Resource::Operation(_) => "an operation is carried out with POST",
            Resource::Data(_) => {
                "everything served here is state, and read only; what changes it is an operation"
            }
            _ => "this can only be read",
        };
        let error = bad(ErrorTag::OperationNotSupported, message);
        Self {
            allow: Some(resource.allowed()),
            ..Self::with_status(405, error)
        }
    }

    /// None of the media types is taken in which an answer could be.
    pub(super) fn not_acceptable(offered: &str) -> Self {
        let message = format!("what is here is {offered}");
        Self::with_status(406, bad(ErrorTag::InvalidValue, message))
    }

    /// The body is of a media type that is not read.
    pub(super) fn unsupported_media() -> Self {
        let [json, xml] = Encoding::ALL.map(Encoding::media_type);
        let message = format!("what is read is {json} and {xml}, in UTF-8");
        Self::with_status(415, bad(ErrorTag::InvalidValue, message))
    }

    /// The error of a reading: it is the answer that would be too big, and the request has no path.
    pub(super) fn of_reading(error: RpcError) -> Self {
        let status = match error.tag {
            ErrorTag::TooBig => 400,
            _ => status(&error),
        };
        Self::with_status(
            status,
            RpcError {
                path: None,
                ..error
            },
        )
    }

    /// The answer is more than is written in JSON.
    pub(super) fn too_long(cause: &XmlError) -> Self {
        let message =
            format!("the answer is more than can be written: {cause}; name what is wanted");
        Self::of_reading(bad(ErrorTag::TooBig, message))
    }

    /// The status code.
    pub(super) fn status(&self) -> u16 {
        self.status
    }

    /// The methods that the resource has, where it has not the one that was asked for.
    pub(super) fn allow(&self) -> Option<&'static str> {
        self.allow
    }

    /// The document that says what is wrong.
    pub(super) fn document(&self, encoding: Encoding, generation: &Generation) -> Vec<u8> {
        match encoding {
            Encoding::Json => as_json(&self.error, generation),
            Encoding::Xml => as_xml(&self.error),
        }
    }
}

/// The status of an error (RFC 8040 §7).
fn status(error: &RpcError) -> u16 {
    match error.tag {
        ErrorTag::InvalidValue
        | ErrorTag::MissingAttribute
        | ErrorTag::BadAttribute
        | ErrorTag::UnknownAttribute
        | ErrorTag::MissingElement
        | ErrorTag::BadElement
        | ErrorTag::UnknownElement
        | ErrorTag::UnknownNamespace
        | ErrorTag::MalformedMessage => 400,
        ErrorTag::AccessDenied => 403,
        ErrorTag::InUse
        | ErrorTag::LockDenied
        | ErrorTag::ResourceDenied
        | ErrorTag::DataExists
        | ErrorTag::DataMissing => 409,
        // What is in a bad state, or is not there, is a precondition that does not hold; all else is ours.
        ErrorTag::OperationFailed
            if matches!(error.app_tag.as_deref(), Some("bad-state" | "impossible")) =>
        {
            412
        }
        ErrorTag::TooBig => 413,
        ErrorTag::OperationNotSupported => 501,
        ErrorTag::RollbackFailed | ErrorTag::OperationFailed | ErrorTag::PartialOperation => 500,
    }
}

fn as_json(error: &RpcError, generation: &Generation) -> Vec<u8> {
    let mut members = Map::new();
    let mut tell = |name: &str, value: Value| members.insert(name.to_owned(), value);
    tell("error-type", error.error_type.as_str().into());
    tell("error-tag", error.tag.as_str().into());
    if let Some(tag) = &error.app_tag {
        tell("error-app-tag", tag.as_str().into());
    }
    if let Some(path) = &error.path {
        tell("error-path", named_path(path, generation).into());
    }
    if let Some(message) = &error.message {
        tell("error-message", message.as_str().into());
    }
    if !error.info.is_empty() {
        let told = error.info.iter().map(|info| info_member(info, generation));
        tell("error-info", Value::Object(told.collect()));
    }
    json::document(&format!("{MODULE}:errors"), |out| {
        let errors = json!({ "error": [members] });
        out.extend_from_slice(errors.to_string().as_bytes());
    })
}

fn info_member(info: &ErrorInfo, generation: &Generation) -> (String, Value) {
    let of_base = |name: &str, value: Value| (format!("ietf-netconf:{name}"), value);
    match info {
        ErrorInfo::BadAttribute(name) => of_base("bad-attribute", name.as_str().into()),
        ErrorInfo::BadElement(name) => of_base("bad-element", name.as_str().into()),
        ErrorInfo::BadNamespace(name) => of_base("bad-namespace", name.as_str().into()),
        ErrorInfo::SessionId(id) => of_base("session-id", (*id).into()),
        ErrorInfo::Other {
            namespace,
            name,
            text,
        } => match generation.module_of(namespace) {
            Some(module) => (format!("{module}:{name}"), text.as_str().into()),
            None => (name.clone(), text.as_str().into()),
        },
    }
}

fn as_xml(error: &RpcError) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    out.extend_from_slice(b"<errors");
    xml::attribute("xmlns", RESTCONF, &mut out);
    out.extend_from_slice(b"><error>");
    xml::leaf("error-type", error.error_type.as_str(), &mut out);
    xml::leaf("error-tag", error.tag.as_str(), &mut out);
    if let Some(tag) = &error.app_tag {
        xml::leaf("error-app-tag", tag, &mut out);
    }
    if let Some(path) = &error.path {
        out.extend_from_slice(b"<error-path");
        let steps = resource_steps(path);
        for (prefix, namespace) in &path.namespaces {
            if steps.iter().any(|(own, _)| own == prefix) {
                xml::attribute(&format!("xmlns:{prefix}"), namespace, &mut out);
            }
        }
        out.push(b'>');
        for (prefix, rest) in &steps {
            let step = match prefix.is_empty() {
                true => format!("/{rest}"),
                false => format!("/{prefix}:{rest}"),
            };
            xml::text(&step, &mut out);
        }
        out.extend_from_slice(b"</error-path>");
    }
    if let Some(message) = &error.message {
        xml::leaf("error-message", message, &mut out);
    }
    if !error.info.is_empty() {
        out.extend_from_slice(b"<error-info>");
        error
            .info
            .iter()
            .for_each(|info| write_info(info, &mut out));
        out.extend_from_slice(b"</error-info>");
    }
    out.extend_from_slice(b"</error></errors>");
    out
}

fn write_info(info: &ErrorInfo, out: &mut Vec<u8>) {
    let (namespace, name, text) = match info {
        ErrorInfo::BadAttribute(name) => (BASE, "bad-attribute", name.clone()),
        ErrorInfo::BadElement(name) => (BASE, "bad-element", name.clone()),
        ErrorInfo::BadNamespace(name) => (BASE, "bad-namespace", name.clone()),
        ErrorInfo::SessionId(id) => (BASE, "session-id", id.to_string()),
        ErrorInfo::Other {
            namespace,
            name,
            text,
        } => (namespace.as_str(), name.as_str(), text.clone()),
    };
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    xml::attribute("xmlns", namespace, out);
    out.push(b'>');
    xml::text(&text, out);
    out.extend_from_slice(b"</");
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

/// The steps of a path into a message, as (prefix, rest) of each: `/nc:rpc/p:operation` is the `input` of
/// that operation (RFC 8040 §3.6.3).
fn resource_steps(path: &ErrorPath) -> Vec<(&str, &str)> {
    let mut steps: Vec<_> = steps(&path.path)
        .into_iter()
        .map(|step| match prefix_of(step) {
            Some(prefix) => (prefix, &step[prefix.len() + 1..]),
            None => ("", step),
        })
        .collect();
    if steps.first().is_some_and(|(_, name)| *name == "rpc") {
        steps.remove(0);
        if let Some((_, name)) = steps.first_mut() {
            *name = "input";
        }
    }
    steps
}

/// The path with modules instead of prefixes (RFC 7951 §6.11).
fn named_path(path: &ErrorPath, generation: &Generation) -> String {
    let mut parent = "";
    let steps = resource_steps(path);
    let named = steps.iter().map(|(prefix, rest)| {
        let mut bound = path.namespaces.iter();
        let bound = bound.find(|(known, _)| known == prefix);
        let module = bound.and_then(|(_, namespace)| generation.module_of(namespace));
        match module {
            Some(module) if module != parent => {
                parent = module;
                format!("/{module}:{rest}")
            }
            _ => format!("/{rest}"),
        }
    });
    named.collect()
}

/// The steps of an absolute path; a slash in a predicate ends none.
fn steps(path: &str) -> Vec<&str> {
    let mut is_open = false;
    let mut steps = path.split(|c: char| {
        match c {
            '[' => is_open = true,
            ']' => is_open = false,
            _ => {}
        }
        c == '/' && !is_open
    });
    steps.next();
    steps.collect()
}

/// The prefix of a step's name.
fn prefix_of(step: &str) -> Option<&str> {
    let name = step.split('[').next().unwrap_or_default();
    name.split_once(':').map(|(prefix, _)| prefix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yang::ModuleSet;

    fn error() -> RpcError {
        let path = ErrorPath::new("/n1:rpc/n2:task-negotiate/n3:round[n3:a='x/y']/n3:b")
            .bind("n1", BASE)
            .bind("n2", crate::netconf::AGENT_NAMESPACE)
            .bind("n3", crate::netconf::NEGOTIATION_NAMESPACE);
        bad(ErrorTag::UnknownElement, "no <such>")
            .app_tag("odd")
            .path(path)
            .bad_element("b")
    }

    #[test]
    fn an_error_is_written_in_the_words_of_resources() {
        let generation = yang::Generation::load(&ModuleSet::convoke()).expect("it loads");
        let text = |encoding| {
            let refused = RestconfError::from(error());
            assert_eq!(refused.status(), 400);
            String::from_utf8(refused.document(encoding, &generation)).expect("UTF-8")
        };
        let told: Value = serde_json::from_str(&text(Encoding::Json)).expect("JSON");
        let expected = json!({ "ietf-restconf:errors": { "error": [{
            "error-type": "protocol",
            "error-tag": "unknown-element",
            "error-app-tag": "odd",
            "error-path": "/irtf-agent:input/convoke-negotiation:round[n3:a='x/y']/b",
            "error-message": "no <such>",
            "error-info": { "ietf-netconf:bad-element": "b" },
        }] } });
        assert_eq!(told, expected);
        assert_eq!(
            text(Encoding::Xml),
            "<errors xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\"><error>\
             <error-type>protocol</error-type><error-tag>unknown-element</error-tag>\
             <error-app-tag>odd</error-app-tag>\
             <error-path xmlns:n2=\"urn:ietf:params:xml:ns:yang:irtf-agent\" \
             xmlns:n3=\"urn:convoke:params:xml:ns:yang:convoke-negotiation\">\
             /n2:input/n3:round[n3:a='x/y']/n3:b</error-path>\
             <error-message>no &lt;such&gt;</error-message><error-info>\
             <bad-element xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">b</bad-element>\
             </error-info></error></errors>"
        );
    }

    /// RFC 8040 §7, table of error tags.
    #[test]
    fn each_tag_has_a_status_of_the_rfc() {
        for tag in ErrorTag::ALL {
            let expected: &[u16] = match tag.as_str() {
                "in-use" | "lock-denied" | "resource-denied" | "data-exists" | "data-missing" => {
                    &[409]
                }
                "invalid-value" => &[400, 404, 406],
                "too-big" => &[413, 400],
                "access-denied" => &[401, 403],
                "rollback-failed" | "partial-operation" => &[500],
                "operation-not-supported" => &[405, 501],
                "operation-failed" => &[412, 500],
                _ => &[400],
            };
            let status = status(&RpcError::application(*tag));
            assert!(expected.contains(&status), "{tag}: {status}");
        }
    }
}
