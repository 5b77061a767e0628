//! Paths and verbs (v1.0 §11.3, v0.3 §3.5.6).
//!
//! Knows both versions' paths, with or without a trailing slash, and a colon that a client escaped.
//! Read next: [`super::outbound`], the client's side.

use crate::error::{Error, ErrorKind};
use crate::version::{Version, inert};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The method and parameters that a verb and a path stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// `POST /message:send`
    SendMessage,
    /// `POST /message:stream`
    SendStreamingMessage,
    /// `GET /tasks`
    ListTasks,
    /// `GET /tasks/{id}`
    GetTask(String),
    /// `POST /tasks/{id}:cancel`
    CancelTask(String),
    /// `POST` or `GET /tasks/{id}:subscribe`
    SubscribeToTask(String),
    /// `POST /tasks/{id}/pushNotificationConfigs`
    CreatePushConfig(String),
    /// `GET /tasks/{id}/pushNotificationConfigs/{id}`
    GetPushConfig(String, String),
    /// `GET /tasks/{id}/pushNotificationConfigs`
    ListPushConfigs(String),
    /// `DELETE /tasks/{id}/pushNotificationConfigs/{id}`
    DeletePushConfig(String, String),
    /// `GET /extendedAgentCard`, in v0.3 `GET /v1/card`
    GetExtendedCard,
}

/// The segment that v0.3 begins with.
pub(super) const V03: &str = "v1";

/// The version that a path belongs to.
pub fn version(path: &str) -> Version {
    match segments(path).first().map(String::as_str) {
        Some(V03) => Version::V03,
        _ => Version::V10,
    }
}

/// The route of a verb and a path in a version.
///
/// # Errors
/// [`ErrorKind::MethodNotFound`] for an unknown path; [`ErrorKind::VerbNotAllowed`] for a path that
/// has other verbs, which are named in fact `allow`.
pub fn route(version: Version, verb: &str, path: &str) -> Result<Route, Error> {
    let segments = segments(path);
    let prefix = usize::from(version == Version::V03);
    let rest: Vec<&str> = segments.iter().skip(prefix).map(String::as_str).collect();
    let found = routes(version, &rest);
    if found.is_empty() {
        let message = format!("there is no path '{}'", inert(path));
        return Err(Error::new(ErrorKind::MethodNotFound, message));
    }
    let allowed: Vec<&str> = found.iter().map(|(verb, _)| *verb).collect();
    let allowed = allowed.join(", ");
    let mut matching = found.into_iter().filter(|(it, _)| *it == verb);
    matching.next().map(|(_, route)| route).ok_or_else(|| {
        let message = format!("'{}' is not taken here, {allowed} is", inert(verb));
        Error::new(ErrorKind::VerbNotAllowed, message).with("allow", allowed)
    })
}

/// The verbs of a path, each with its route.
fn routes(version: Version, path: &[&str]) -> Vec<(&'static str, Route)> {
    match path {
        ["message:send"] => vec![("POST", Route::SendMessage)],
        ["message:stream"] => vec![("POST", Route::SendStreamingMessage)],
        ["extendedAgentCard"] if version == Version::V10 => vec![("GET", Route::GetExtendedCard)],
        ["card"] if version == Version::V03 => vec![("GET", Route::GetExtendedCard)],
        ["tasks"] => vec![("GET", Route::ListTasks)],
        ["tasks", task] => task_routes(task),
        ["tasks", task, "pushNotificationConfigs"] => vec![
            ("GET", Route::ListPushConfigs((*task).to_owned())),
            ("POST", Route::CreatePushConfig((*task).to_owned())),
        ],
        ["tasks", task, "pushNotificationConfigs", id] => {
            let (task, id) = ((*task).to_owned(), (*id).to_owned());
            vec![
                ("GET", Route::GetPushConfig(task.clone(), id.clone())),
                ("DELETE", Route::DeletePushConfig(task, id)),
            ]
        }
        _ => Vec::new(),
    }
}

fn task_routes(task: &str) -> Vec<(&'static str, Route)> {
    match task.rsplit_once(':') {
        Some((id, "cancel")) => vec![("POST", Route::CancelTask(id.to_owned()))],
        Some((id, "subscribe")) => vec![
            ("GET", Route::SubscribeToTask(id.to_owned())),
            ("POST", Route::SubscribeToTask(id.to_owned())),
        ],
        _ => vec![("GET", Route::GetTask(task.to_owned()))],
    }
}

fn segments(path: &str) -> Vec<String> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split('/').map(unescaped).collect()
}

/// The text with percent-escapes decoded (RFC 3986 §2.1); malformed ones are left as they are, and
/// bytes that are not UTF-8 replaced.
pub(super) fn unescaped(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// All but the unreserved characters of RFC 3986 §2.3.
const RESERVED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The text with all characters percent-escaped except unreserved ones.
pub(super) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    /// Every path of both versions, escaped colons and trailing slashes as well.
    #[test]
    fn paths_ask_for_what_the_tables_say() {
        let asked = [
            ("POST", "/message:send"),
            ("POST", "/message%3Asend"),
            ("POST", "/v1/message:send/"),
            ("POST", "/message:stream"),
            ("GET", "/tasks"),
            ("GET", "/tasks/"),
            ("GET", "/tasks/t%201"),
            ("GET", "/tasks/urn:task:1"),
            ("POST", "/tasks/t1:cancel"),
            ("POST", "/tasks/t1%3acancel"),
            ("POST", "/tasks/urn:task:1:subscribe"),
            ("GET", "/v1/tasks/t1:subscribe"),
            ("POST", "/tasks/t1/pushNotificationConfigs"),
            ("GET", "/tasks/t1/pushNotificationConfigs"),
            ("GET", "/tasks/t1/pushNotificationConfigs/c1"),
            ("DELETE", "/tasks/t1/pushNotificationConfigs/c1"),
            ("GET", "/extendedAgentCard"),
            ("GET", "/v1/card"),
            ("GET", "/v1/extendedAgentCard"),
            ("GET", "/card"),
            ("GET", "/message:send"),
            ("PUT", "/tasks/t1/pushNotificationConfigs/c1"),
            ("GET", "/"),
            ("GET", "/nothing"),
        ];
        let told = asked.map(|(verb, path)| {
            let version = version(path);
            let found = match route(version, verb, path) {
                Ok(route) => format!("{route:?}"),
                Err(error) => format!("{} {error}", error.kind.http_status()),
            };
            format!("{verb} {path} -> {version} {found}")
        });
        assert_snapshot!(told.join("\n"), @r#"
        POST /message:send -> 1.0 SendMessage
        POST /message%3Asend -> 1.0 SendMessage
        POST /v1/message:send/ -> 0.3 SendMessage
        POST /message:stream -> 1.0 SendStreamingMessage
        GET /tasks -> 1.0 ListTasks
        GET /tasks/ -> 1.0 ListTasks
        GET /tasks/t%201 -> 1.0 GetTask("t 1")
        GET /tasks/urn:task:1 -> 1.0 GetTask("urn:task:1")
        POST /tasks/t1:cancel -> 1.0 CancelTask("t1")
        POST /tasks/t1%3acancel -> 1.0 CancelTask("t1")
        POST /tasks/urn:task:1:subscribe -> 1.0 SubscribeToTask("urn:task:1")
        GET /v1/tasks/t1:subscribe -> 0.3 SubscribeToTask("t1")
        POST /tasks/t1/pushNotificationConfigs -> 1.0 CreatePushConfig("t1")
        GET /tasks/t1/pushNotificationConfigs -> 1.0 ListPushConfigs("t1")
        GET /tasks/t1/pushNotificationConfigs/c1 -> 1.0 GetPushConfig("t1", "c1")
        DELETE /tasks/t1/pushNotificationConfigs/c1 -> 1.0 DeletePushConfig("t1", "c1")
        GET /extendedAgentCard -> 1.0 GetExtendedCard
        GET /v1/card -> 0.3 GetExtendedCard
        GET /v1/extendedAgentCard -> 0.3 404 there is no path '/v1/extendedAgentCard'
        GET /card -> 1.0 404 there is no path '/card'
        GET /message:send -> 1.0 405 'GET' is not taken here, POST is
        PUT /tasks/t1/pushNotificationConfigs/c1 -> 1.0 405 'PUT' is not taken here, GET, DELETE is
        GET / -> 1.0 404 there is no path '/'
        GET /nothing -> 1.0 404 there is no path '/nothing'
        "#);
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_read_again(text in any::<String>()) {
            prop_assert_eq!(unescaped(&escaped(&text)), text);
        }

        #[test]
        fn nothing_makes_it_panic(path in any::<String>(), verb in ".{0,5}") {
            let _ = route(version(&path), &verb, &path);
        }
    }
}
