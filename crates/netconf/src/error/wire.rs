//! `<rpc-error>` to and from XML. Reading is lenient where servers in the field
//! are sloppy: an unknown tag becomes `operation-failed`, never a lost reply.

use super::{ErrorInfo, ErrorPath, ErrorSeverity, ErrorTag, ErrorType, RpcError};
use crate::names::namespace::BASE;
use crate::xml::{XmlElement, write};

impl RpcError {
    /// Appends `<rpc-error>`; the base namespace must be the default one there,
    /// or be declared with `declare`.
    pub fn write(&self, declare: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<rpc-error");
        if declare {
            write::attribute("xmlns", BASE, out);
        }
        out.push(b'>');
        write::leaf("error-type", self.error_type.as_str(), out);
        write::leaf("error-tag", self.tag.as_str(), out);
        write::leaf("error-severity", self.severity.as_str(), out);
        if let Some(tag) = &self.app_tag {
            write::leaf("error-app-tag", tag, out);
        }
        if let Some(path) = &self.path {
            write_path(path, out);
        }
        if let Some(message) = &self.message {
            out.extend_from_slice(b"<error-message xml:lang=\"en\">");
            write::text(message, out);
            out.extend_from_slice(b"</error-message>");
        }
        if !self.info.is_empty() {
            out.extend_from_slice(b"<error-info>");
            for info in &self.info {
                write_info(info, out);
            }
            out.extend_from_slice(b"</error-info>");
        }
        out.extend_from_slice(b"</rpc-error>");
    }

    /// `<rpc-error>` as a string that stands alone.
    pub fn to_xml(&self) -> String {
        let mut out = Vec::with_capacity(256);
        self.write(true, &mut out);
        String::from_utf8(out).expect("made of UTF-8 parts")
    }

    /// Reads an `<rpc-error>` element; missing or unknown parts get the most general value:
    /// `application`, `operation-failed`, `error`.
    pub fn parse(element: XmlElement<'_>) -> RpcError {
        parse_error(element)
    }
}

fn write_path(path: &ErrorPath, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<error-path");
    for (prefix, namespace) in &path.namespaces {
        write::attribute(&format!("xmlns:{prefix}"), namespace, out);
    }
    out.push(b'>');
    write::text(&path.path, out);
    out.extend_from_slice(b"</error-path>");
}

fn write_info(info: &ErrorInfo, out: &mut Vec<u8>) {
    match info {
        ErrorInfo::BadAttribute(name) => write::leaf("bad-attribute", name, out),
        ErrorInfo::BadElement(name) => write::leaf("bad-element", name, out),
        ErrorInfo::BadNamespace(name) => write::leaf("bad-namespace", name, out),
        ErrorInfo::SessionId(id) => write::leaf("session-id", &id.to_string(), out),
        ErrorInfo::Other {
            namespace,
            name,
            text,
        } => {
            out.push(b'<');
            out.extend_from_slice(name.as_bytes());
            if !namespace.is_empty() {
                write::attribute("xmlns", namespace, out);
            }
            out.push(b'>');
            write::text(text, out);
            out.extend_from_slice(b"</");
            out.extend_from_slice(name.as_bytes());
            out.push(b'>');
        }
    }
}

/// Every `<rpc-error>` among the children of a reply.
pub(crate) fn parse_errors(reply: XmlElement<'_>) -> Vec<RpcError> {
    reply
        .children()
        .filter(|child| child.is(BASE, "rpc-error"))
        .map(parse_error)
        .collect()
}

fn parse_error(element: XmlElement<'_>) -> RpcError {
    let text = |name: &str| element.child(BASE, name).map(XmlElement::trimmed_text);
    RpcError {
        error_type: text("error-type")
            .and_then(ErrorType::from_wire)
            .unwrap_or(ErrorType::Application),
        tag: text("error-tag")
            .and_then(ErrorTag::from_wire)
            .unwrap_or(ErrorTag::OperationFailed),
        severity: text("error-severity")
            .and_then(ErrorSeverity::from_wire)
            .unwrap_or(ErrorSeverity::Error),
        app_tag: text("error-app-tag").map(str::to_owned),
        path: element.child(BASE, "error-path").map(parse_path),
        message: text("error-message").map(str::to_owned),
        info: element
            .child(BASE, "error-info")
            .map(|info| info.children().map(parse_info).collect())
            .unwrap_or_default(),
    }
}

fn parse_path(element: XmlElement<'_>) -> ErrorPath {
    let path = element.trimmed_text().to_owned();
    let namespaces = element
        .prefixes()
        .into_iter()
        .filter(|(prefix, _)| !prefix.is_empty() && uses_prefix(&path, prefix))
        .map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned()))
        .collect();
    ErrorPath { path, namespaces }
}

fn uses_prefix(path: &str, prefix: &str) -> bool {
    path.match_indices(prefix).any(|(at, _)| {
        let before = path[..at].chars().next_back();
        path[at + prefix.len()..].starts_with(':')
            && !before.is_some_and(|one| one.is_alphanumeric() || matches!(one, '_' | '-' | '.'))
    })
}

fn parse_info(element: XmlElement<'_>) -> ErrorInfo {
    let text = element.trimmed_text().to_owned();
    let in_base = element.namespace() == BASE;
    match element.name() {
        "bad-attribute" if in_base => ErrorInfo::BadAttribute(text),
        "bad-element" if in_base => ErrorInfo::BadElement(text),
        "bad-namespace" if in_base => ErrorInfo::BadNamespace(text),
        "session-id" if in_base && text.parse::<u32>().is_ok() => {
            ErrorInfo::SessionId(text.parse().unwrap_or_default())
        }
        name => ErrorInfo::Other {
            namespace: if in_base {
                String::new()
            } else {
                element.namespace().to_owned()
            },
            name: name.to_owned(),
            text,
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::xml::{Limits, XmlDocument};

    fn round_trip(error: &RpcError) -> RpcError {
        let document = XmlDocument::parse(error.to_xml(), &Limits::default()).unwrap();
        RpcError::parse(document.root())
    }

    #[test]
    fn reading_undoes_writing_for_every_tag_and_type() {
        for &tag in ErrorTag::ALL {
            for &error_type in ErrorType::ALL {
                let error = RpcError::new(error_type, tag)
                    .app_tag("bad-state")
                    .message("a < b & c")
                    .path(
                        ErrorPath::new("/t:tasks/t:task[t:id='x']").bind("t", "urn:example:tasks"),
                    )
                    .bad_element("task-id")
                    .bad_attribute("message-id")
                    .bad_namespace("urn:x")
                    .info(ErrorInfo::SessionId(7))
                    .info(ErrorInfo::Other {
                        namespace: "urn:example:info".into(),
                        name: "hint".into(),
                        text: "<look>".into(),
                    });
                assert_eq!(round_trip(&error), error);
                let warning = RpcError::new(error_type, tag).warning();
                assert_eq!(round_trip(&warning), warning);
            }
        }
    }

    #[test]
    fn an_error_reads_well() {
        let error = RpcError::application(ErrorTag::DataExists)
            .app_tag("task-known")
            .message("task t-1 exists")
            .path(ErrorPath::new("/t:task").bind("t", "urn:t"))
            .bad_element("task-id");
        insta::assert_snapshot!(error, @"data-exists (application, task-known): task t-1 exists at /t:task [element task-id]");
    }

    #[test]
    fn sloppy_errors_are_still_errors() {
        let xml = format!("<rpc-error xmlns='{BASE}'><error-tag>no-such</error-tag></rpc-error>");
        let document = XmlDocument::parse(xml, &Limits::default()).unwrap();
        let error = RpcError::parse(document.root());
        insta::assert_snapshot!(error, @"operation-failed (application)");
    }

    #[test]
    fn a_path_to_an_element_names_every_namespace_once() {
        let document = XmlDocument::parse(
            "<a xmlns='urn:a'><b xmlns='urn:b'><c/></b></a>",
            &Limits::default(),
        )
        .unwrap();
        let leaf = document.root().children().next().unwrap().children().next();
        let path = ErrorPath::of(leaf.unwrap());
        assert_eq!(path.path, "/n1:a/n2:b/n2:c");
        assert_eq!(path.namespaces.len(), 2);
    }
}
