//! The methods, with their names in each version.
//!
//! Parameters are in [`crate::request`], paths in [`crate::rest`]. Read next: [`crate::jsonrpc`].

use crate::error::{Error, ErrorKind};
use crate::version::{UnsupportedVersion, Version, inert};

/// All methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Sends a message; the answer is a task or a message.
    SendMessage,
    /// Sends a message; the answer is a stream.
    SendStreamingMessage,
    /// Reads a task.
    GetTask,
    /// Lists tasks page by page. v1.0 alone.
    ListTasks,
    /// Cancels a task.
    CancelTask,
    /// Subscribes to a task.
    SubscribeToTask,
    /// Creates a push notification configuration for a task.
    CreatePushConfig,
    /// Reads a push configuration.
    GetPushConfig,
    /// Lists the push configurations of a task.
    ListPushConfigs,
    /// Deletes a push configuration.
    DeletePushConfig,
    /// Reads the extended card, for authenticated clients.
    GetExtendedCard,
    /// Reads the template of a scenario (draft-zhou §3.2).
    GetSchemaTemplate,
    /// Reads the changes of a schema (draft-zhou §6.2.2).
    GetSchemaUpdates,
    /// Asks for an extension of a schema (draft-zhou §3.2, step 6).
    RequestCapabilityExtension,
}

/// Each method of A2A with its name in v0.3 and in v1.0. The methods of draft-zhou are not among
/// them.
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

/// The methods of draft-zhou, with names that are the same in both versions.
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

    /// The method of this name, and its version: that of the name, which must be that of the
    /// header.
    ///
    /// # Errors
    /// [`ErrorKind::MethodNotFound`], or [`ErrorKind::VersionNotSupported`] where the header names
    /// a version that has no method of this name, or an unsupported one.
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
            Some((_, of)) => Err(UnsupportedVersion::Method {
                name: name.to_owned(),
                of,
                said: version,
            }
            .into()),
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

    /// A5: without a header the version is 0.3, which has no such method as `SendMessage`.
    #[test]
    fn the_new_names_need_the_header() {
        let refused = Method::called("SendMessage", None).expect_err("0.3 has no such method");
        assert_eq!(refused.kind, ErrorKind::VersionNotSupported);
        assert!(Method::called("message/send", None).is_ok());
        let unknown = Method::called("tasks/list", None).expect_err("not over JSON-RPC");
        assert_eq!(unknown.kind, ErrorKind::MethodNotFound);
    }

    /// The methods of draft-zhou have one name in both versions.
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
