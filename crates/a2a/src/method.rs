//! The methods, by the names that each version has for them.
//!
//! Knows names and which version has which; refuses to know parameters, which are
//! [`crate::request`]'s, and paths, which are [`crate::rest`]'s. Read next: [`crate::jsonrpc`].

use crate::error::{Error, ErrorKind};
use crate::version::{Version, inert};

/// Everything that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Say something; the answer is a task or a message.
    SendMessage,
    /// Say something; the answer is a stream.
    SendStreamingMessage,
    /// Read a task.
    GetTask,
    /// Read tasks page by page. v1.0 alone.
    ListTasks,
    /// End a task.
    CancelTask,
    /// Follow a task.
    SubscribeToTask,
    /// Have oneself told what happens to a task.
    CreatePushConfig,
    /// Read such a configuration.
    GetPushConfig,
    /// Read all of a task.
    ListPushConfigs,
    /// Be told no more.
    DeletePushConfig,
    /// Read the card for the authenticated.
    GetExtendedCard,
    /// Read the template of a scenario (draft-zhou §3.2).
    GetSchemaTemplate,
    /// Read what became of a schema (draft-zhou §6.2.2).
    GetSchemaUpdates,
    /// Ask that a schema cover more (draft-zhou §3.2, step 6).
    RequestCapabilityExtension,
}

/// Method, its name in v0.3, its name in v1.0. The methods of draft-zhou are A2A's in neither.
const NAMES: [(Method, Option<&str>, Option<&str>); 11] = [
    (
        Method::SendMessage,
        Some("message/send"),
        Some("SendMessage"),
    ),
    (
        Method::SendStreamingMessage,
        Some("message/stream"),
        Some("SendStreamingMessage"),
    ),
    (Method::GetTask, Some("tasks/get"), Some("GetTask")),
    (Method::ListTasks, None, Some("ListTasks")),
    (Method::CancelTask, Some("tasks/cancel"), Some("CancelTask")),
    (
        Method::SubscribeToTask,
        Some("tasks/resubscribe"),
        Some("SubscribeToTask"),
    ),
    (
        Method::CreatePushConfig,
        Some("tasks/pushNotificationConfig/set"),
        Some("CreateTaskPushNotificationConfig"),
    ),
    (
        Method::GetPushConfig,
        Some("tasks/pushNotificationConfig/get"),
        Some("GetTaskPushNotificationConfig"),
    ),
    (
        Method::ListPushConfigs,
        Some("tasks/pushNotificationConfig/list"),
        Some("ListTaskPushNotificationConfigs"),
    ),
    (
        Method::DeletePushConfig,
        Some("tasks/pushNotificationConfig/delete"),
        Some("DeleteTaskPushNotificationConfig"),
    ),
    (
        Method::GetExtendedCard,
        Some("agent/getAuthenticatedExtendedCard"),
        Some("GetExtendedAgentCard"),
    ),
];

/// The methods of draft-zhou, the same whatever the version.
const SCHEMA_NAMES: [(Method, &str); 3] = [
    (Method::GetSchemaTemplate, "get_schema_template"),
    (Method::GetSchemaUpdates, "get_schema_updates"),
    (
        Method::RequestCapabilityExtension,
        "request_capability_extension",
    ),
];

impl Method {
    /// The name in a version; none if the version has no such method.
    pub fn name(self, version: Version) -> Option<&'static str> {
        if let Some((_, name)) = SCHEMA_NAMES.iter().find(|(method, _)| *method == self) {
            return Some(name);
        }
        let (_, v03, v10) = NAMES.iter().find(|(method, ..)| *method == self)?;
        match version {
            Version::V03 => *v03,
            Version::V10 => *v10,
        }
    }

    /// The method of this name, and the version that it is spoken in: that of the name, which has
    /// to be that of the header.
    ///
    /// # Errors
    /// [`ErrorKind::MethodNotFound`], or [`ErrorKind::VersionNotSupported`] where the header says
    /// a version that has no method of this name, or none that is spoken.
    pub fn called(name: &str, header: Option<&str>) -> Result<(Self, Version), Error> {
        let version = Version::of_header(header)?;
        if let Some(method) = Self::of_schema(name) {
            return Ok((method, version));
        }
        let mut found = Version::ALL.into_iter().filter_map(|version| {
            let named = |method: &Self| method.name(version) == Some(name);
            let method = NAMES.iter().map(|(method, ..)| *method).find(named)?;
            Some((method, version))
        });
        match found.next() {
            Some((method, spoken)) if spoken == version => Ok((method, version)),
            Some((_, spoken)) => Err(wrong_version(name, spoken, version)),
            None => Err(Error::new(
                ErrorKind::MethodNotFound,
                format!("there is no method '{}'", inert(name)),
            )),
        }
    }

    /// The method of draft-zhou of this name.
    pub fn of_schema(name: &str) -> Option<Self> {
        let mut all = SCHEMA_NAMES.iter();
        all.find(|(_, known)| *known == name)
            .map(|(method, _)| *method)
    }

    /// True if the answer is a stream.
    pub fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

fn wrong_version(name: &str, spoken: Version, said: Version) -> Error {
    let message = format!("'{name}' is a method of {spoken}; the request says {said}");
    Error::new(ErrorKind::VersionNotSupported, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A2, A3: every method is found by the name that a version has for it, in that version alone.
    #[test]
    fn names_and_headers_agree() {
        let all = NAMES.iter().map(|(method, ..)| *method);
        for method in all {
            for version in Version::ALL {
                let Some(name) = method.name(version) else {
                    continue;
                };
                let header = Some(version.as_str());
                assert_eq!(Method::called(name, header).expect(name), (method, version));
                let other = Version::ALL.into_iter().find(|it| *it != version);
                let refused = Method::called(name, other.map(Version::as_str));
                assert_eq!(
                    refused.expect_err(name).kind,
                    ErrorKind::VersionNotSupported
                );
            }
        }
    }

    /// A5: no header is 0.3, whose clients have no such method as `SendMessage`.
    #[test]
    fn the_new_names_need_the_header() {
        let refused = Method::called("SendMessage", None).expect_err("0.3 has no such method");
        assert_eq!(refused.kind, ErrorKind::VersionNotSupported);
        assert!(Method::called("message/send", None).is_ok());
        let unknown = Method::called("tasks/list", None).expect_err("not over JSON-RPC");
        assert_eq!(unknown.kind, ErrorKind::MethodNotFound);
    }

    /// D53: the methods of draft-zhou have one name in both versions.
    #[test]
    fn schema_methods_are_of_both_versions() {
        for (method, name) in SCHEMA_NAMES {
            for version in Version::ALL {
                let called = Method::called(name, Some(version.as_str()));
                assert_eq!(called.expect(name), (method, version));
            }
        }
    }
}
