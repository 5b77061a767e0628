//! HTTP+JSON as a client: requests to send, and responses to read.
//!
//! Speaks v0.3 in the dialect of the official clients. Read next: [`super`], the other side.

use super::path::{V03, escaped};
use crate::error::{Error, ErrorKind};
use crate::event::StreamResponse;
use crate::jsonrpc::invalid_response;
use crate::method::Method;
use crate::request::{A2aRequest, PushConfigKey};
use crate::response::Response;
use crate::version::{Dialect, Version};
use crate::wire;
use serde_json::{Value, json};

/// A request to send.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboundRequest {
    /// `GET`, `POST` or `DELETE`.
    pub verb: &'static str,
    /// Path and query, to be put behind the URL of the interface.
    pub target: String,
    /// The body, if there is one.
    pub body: Option<Value>,
}

/// The dialect that a client speaks over HTTP+JSON.
pub fn dialect(version: Version) -> Dialect {
    match version {
        Version::V03 => Dialect::V03Proto,
        Version::V10 => Dialect::V10,
    }
}

/// A request as sent by a client; `tenant` is a segment in front of the path (v1.0 §3.1).
///
/// # Errors
/// [`ErrorKind::UnsupportedOperation`] if the binding has no such request.
pub fn write(
    version: Version,
    tenant: Option<&str>,
    request: &A2aRequest,
) -> Result<OutboundRequest, Error> {
    let dialect = dialect(version);
    let params = || wire::params(dialect, request);
    let (verb, path, query, body) = match request {
        A2aRequest::SendMessage(_) => ("POST", "message:send".to_owned(), None, Some(params())),
        A2aRequest::SendStreamingMessage(_) => {
            ("POST", "message:stream".to_owned(), None, Some(params()))
        }
        A2aRequest::GetTask(it) => {
            let query = json!({"historyLength": it.history_length});
            ("GET", task(&it.id), Some(query), None)
        }
        A2aRequest::ListTasks(_) => ("GET", "tasks".to_owned(), Some(params()), None),
        A2aRequest::CancelTask(it) => {
            let body = (!it.metadata.is_empty()).then(|| json!({"metadata": it.metadata}));
            ("POST", format!("{}:cancel", task(&it.id)), None, body)
        }
        A2aRequest::SubscribeToTask(id) => ("POST", format!("{}:subscribe", task(id)), None, None),
        A2aRequest::CreatePushConfig(it) => {
            let task_id = it.task_id.as_deref().unwrap_or_default();
            let body = match version {
                Version::V10 => params(),
                Version::V03 => json!({
                    "parent": format!("tasks/{task_id}"),
                    "configId": it.id.as_deref().unwrap_or_default(),
                    "config": params(),
                }),
            };
            ("POST", configs(task_id), None, Some(body))
        }
        A2aRequest::ListPushConfigs(it) => {
            let query = json!({"pageSize": it.page_size, "pageToken": it.page_token});
            ("GET", configs(&it.task_id), Some(query), None)
        }
        A2aRequest::GetPushConfig(it) => ("GET", config(it), None, None),
        A2aRequest::DeletePushConfig(it) => ("DELETE", config(it), None, None),
        A2aRequest::GetExtendedCard => ("GET", card(version), None, None),
        A2aRequest::Schema(_) => return Err(not_over_http(request)),
    };
    let tenant = tenant
        .map(|it| format!("/{}", escaped(it)))
        .unwrap_or_default();
    let root = match version {
        Version::V10 => tenant,
        Version::V03 => format!("/{V03}"),
    };
    let query = query.map(|it| written_query(&it)).unwrap_or_default();
    Ok(OutboundRequest {
        verb,
        target: format!("{root}/{path}{query}"),
        body,
    })
}

fn task(id: &str) -> String {
    format!("tasks/{}", escaped(id))
}

fn configs(task_id: &str) -> String {
    format!("{}/pushNotificationConfigs", task(task_id))
}

fn config(key: &PushConfigKey) -> String {
    let id = key.id.as_deref().unwrap_or_default();
    format!("{}/{}", configs(&key.task_id), escaped(id))
}

fn card(version: Version) -> String {
    match version {
        Version::V10 => "extendedAgentCard".to_owned(),
        Version::V03 => "card".to_owned(),
    }
}

fn not_over_http(request: &A2aRequest) -> Error {
    let message = format!("HTTP+JSON has no {:?}", request.method());
    Error::new(ErrorKind::UnsupportedOperation, message)
}

fn written_query(params: &Value) -> String {
    let members = params.as_object().into_iter().flatten();
    let said = members.filter(|(_, value)| !value.is_null());
    let pairs = said.map(|(name, value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        format!("{}={}", escaped(name), escaped(&text))
    });
    let pairs: Vec<String> = pairs.collect();
    match pairs.is_empty() {
        true => String::new(),
        false => format!("?{}", pairs.join("&")),
    }
}

/// Reads the response to a request.
///
/// # Errors
/// The agent's error; [`ErrorKind::InvalidAgentResponse`] if it is malformed.
pub fn read_reply(
    version: Version,
    method: Method,
    status: u16,
    body: &Value,
) -> Result<Response, Error> {
    match status {
        200..=299 => wire::read_result(dialect(version), method, body).map_err(invalid_response),
        _ => Err(Error::of_status(status, body)),
    }
}

/// Reads an event of a stream.
///
/// # Errors
/// As of [`read_reply`].
pub fn read_event(version: Version, data: &Value) -> Result<StreamResponse, Error> {
    wire::read_event(dialect(version), data).map_err(invalid_response)
}
