//! HTTP+JSON, the other binding of both versions (v1.0 §11, v0.3 §3.2.3), both sides.
//!
//! Knows paths, verbs and status codes, and no sockets. v1.0 is at the root of the agent's URL,
//! v0.3 under `/v1`. v0.3 has two dialects: a response is written in that of its request, or in
//! that of the official clients where the request has no body. Read next: [`path`], [`outbound`].

pub mod outbound;
pub mod path;

use crate::error::{Error, ErrorKind};
use crate::event::StreamResponse;
use crate::media::MediaType;
use crate::method::Method;
use crate::request::{A2aRequest, CancelTask, GetTask, ListPushConfigs, PushConfigKey};
use crate::response::Response;
use crate::version::{Dialect, UnsupportedVersion, Version, inert};
use crate::wire::{self, Malformed, Object};
use path::Route;
use serde_json::{Map, Value, json};

/// A request as received.
#[derive(Clone, Copy, Debug)]
pub struct RestRequest<'a> {
    /// `GET`, `POST`, …
    pub verb: &'a str,
    /// The path below the agent's URL, with its leading slash and its escapes.
    pub path: &'a str,
    /// The query, behind `?`; empty if there is none.
    pub query: &'a str,
    /// The value of [`crate::version::HEADER`].
    pub version_header: Option<&'a str>,
    /// The value of `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// The media type of v1.0 (§14.1.1).
pub const MEDIA_TYPE: &str = "application/a2a+json";
const JSON: &str = "application/json";

/// The form of the response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseForm {
    /// The dialect of the request.
    pub dialect: Dialect,
    /// The media type of the response: that of the request.
    pub media_type: &'static str,
}

/// A response.
#[derive(Clone, Debug, PartialEq)]
pub struct RestResponse {
    /// The status code.
    pub status: u16,
    /// `Content-Type`.
    pub media_type: &'static str,
    /// The body.
    pub body: Value,
}

impl ResponseForm {
    /// The response with a result.
    pub fn reply(self, response: &Response) -> RestResponse {
        RestResponse {
            status: 200,
            media_type: self.media_type,
            body: match (self.dialect, response) {
                (Dialect::V03, Response::Sent(sent)) => named(&sent.clone().into()),
                (dialect, response) => wire::result(dialect, response),
            },
        }
    }

    /// The response with an error. v0.3 leaves the form open: some official clients read the name
    /// of the error at the root, others its code, and both find them beside the status.
    pub fn error(self, error: &Error) -> RestResponse {
        let mut body = error.to_status();
        if self.dialect.version() == Version::V03 {
            let plain = error.to_jsonrpc(self.dialect);
            for (name, value) in plain.as_object().into_iter().flatten() {
                body[name] = value.clone();
            }
            body["type"] = error.kind.name().into();
        }
        RestResponse {
            status: error.kind.http_status(),
            media_type: self.media_type,
            body,
        }
    }

    /// An event of a stream: the data of its frame.
    pub fn event(self, event: &StreamResponse) -> Value {
        match self.dialect {
            Dialect::V03 => named(event),
            dialect => wire::event(dialect, event),
        }
    }
}

/// An event under its member name: the form of v0.3 §7.1 and §7.2 over HTTP+JSON, unlike that over
/// JSON-RPC.
fn named(event: &StreamResponse) -> Value {
    let name = match event {
        StreamResponse::Task(_) => "task",
        StreamResponse::Message(_) => "message",
        StreamResponse::Status(_) => "statusUpdate",
        StreamResponse::Artifact(_) => "artifactUpdate",
    };
    json!({name: wire::event(Dialect::V03, event)})
}

/// A request, with the form of its response.
#[derive(Clone, Debug, PartialEq)]
pub struct RestCall {
    /// The form of its response.
    pub form: ResponseForm,
    /// The request.
    pub request: A2aRequest,
}

/// A request that is refused before it is carried out, with the form of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestRejection {
    /// The form of its response.
    pub form: ResponseForm,
    /// The error.
    pub error: Error,
}

/// Reads a request.
///
/// # Errors
/// [`RestRejection`]: an unknown path or verb, a version that is not supported there, a body of another
/// media type, no JSON, or invalid parameters, in that order.
pub fn read(incoming: &RestRequest<'_>) -> Result<RestCall, RestRejection> {
    let version = path::version(incoming.path);
    let mut form = ResponseForm {
        dialect: match version {
            Version::V10 => Dialect::V10,
            Version::V03 => Dialect::V03Proto,
        },
        media_type: JSON,
    };
    match read_into(&mut form, version, incoming) {
        Ok(request) => Ok(RestCall { form, request }),
        Err(error) => Err(RestRejection { form, error }),
    }
}

fn read_into(
    form: &mut ResponseForm,
    version: Version,
    incoming: &RestRequest<'_>,
) -> Result<A2aRequest, Error> {
    let said = incoming.content_type.and_then(MediaType::parse);
    if said.is_some_and(|it| it.essence() == MEDIA_TYPE) {
        form.media_type = MEDIA_TYPE;
    }
    let route = path::route(version, incoming.verb, incoming.path)?;
    let said = Version::of_header(incoming.version_header)?;
    if said != version {
        return Err(UnsupportedVersion::Path { of: version, said }.into());
    }
    let asked = query(incoming.query);
    let body = body(incoming)?;
    if version == Version::V03 && is_v03_json(&body) {
        form.dialect = Dialect::V03;
    }
    let read = request(form.dialect, route, &asked, body);
    read.map_err(|wrong| once(&asked, wrong).invalid_params())
}

fn request(
    dialect: Dialect,
    route: Route,
    query: &Map<String, Value>,
    body: Map<String, Value>,
) -> Result<A2aRequest, Malformed> {
    let asked = Object::of_members(query);
    Ok(match route {
        Route::SendMessage => send(dialect, Method::SendMessage, body)?,
        Route::SendStreamingMessage => send(dialect, Method::SendStreamingMessage, body)?,
        Route::ListTasks => wire::read_params(dialect, Method::ListTasks, query)?,
        Route::GetTask(id) => A2aRequest::GetTask(GetTask {
            id,
            history_length: asked.count("historyLength")?,
        }),
        Route::CancelTask(id) => A2aRequest::CancelTask(CancelTask {
            id,
            metadata: Object::of_members(&body).free("metadata")?,
        }),
        Route::SubscribeToTask(id) => A2aRequest::SubscribeToTask(id),
        Route::CreatePushConfig(task_id) => create_push_config(dialect, task_id, body)?,
        Route::GetPushConfig(task_id, id) => A2aRequest::GetPushConfig(PushConfigKey {
            task_id,
            id: Some(id),
        }),
        Route::ListPushConfigs(task_id) => A2aRequest::ListPushConfigs(ListPushConfigs {
            task_id,
            page_size: asked.count("pageSize")?,
            page_token: asked.text("pageToken")?,
        }),
        Route::DeletePushConfig(task_id, id) => A2aRequest::DeletePushConfig(PushConfigKey {
            task_id,
            id: Some(id),
        }),
        Route::GetExtendedCard => A2aRequest::GetExtendedCard,
    })
}

/// The parameters of a message. The ProtoJSON of v0.3 calls the message `request`, as an official
/// client does, or `message`.
fn send(
    dialect: Dialect,
    method: Method,
    mut body: Map<String, Value>,
) -> Result<A2aRequest, Malformed> {
    if dialect == Dialect::V03Proto
        && let Some(message) = body.remove("request")
        && body.insert("message".to_owned(), message).is_some()
    {
        return Err(Malformed::member("request", "stands beside 'message'"));
    }
    wire::read_params(dialect, method, &body)
}

/// The parameters of a push configuration. v0.3 §7.5 puts the configuration beside its task, and
/// both under `config`, which one official client leaves out; the task is always that of the path.
fn create_push_config(
    dialect: Dialect,
    task_id: String,
    body: Map<String, Value>,
) -> Result<A2aRequest, Malformed> {
    let mut params = match dialect.version() {
        Version::V10 => body,
        Version::V03 => {
            let said = Object::of_members(&body);
            let config = said.at("config", Object::of)?.unwrap_or(said);
            let mut inner = config.free("pushNotificationConfig")?;
            if let Some(id) = said.text("configId")? {
                inner.entry("id").or_insert(id.into());
            }
            Map::from_iter([("pushNotificationConfig".to_owned(), inner.into())])
        }
    };
    params.remove("task_id");
    params.insert("taskId".to_owned(), task_id.into());
    let dialect = dialect.version().into();
    wire::read_params(dialect, Method::CreatePushConfig, &params)
}

/// True if a body of v0.3 is in the form of the specification, not in ProtoJSON.
fn is_v03_json(body: &Map<String, Value>) -> bool {
    let message = body.get("message").and_then(Value::as_object);
    let config = body.get("config").and_then(Value::as_object);
    message.is_some_and(|it| it.contains_key("parts"))
        || config.is_some_and(|it| it.contains_key("taskId"))
}

fn body(incoming: &RestRequest<'_>) -> Result<Map<String, Value>, Error> {
    if incoming.body.is_empty() || incoming.verb == "GET" {
        return Ok(Map::new());
    }
    let said = incoming.content_type.unwrap_or_default();
    let parsed = MediaType::parse(said);
    if !parsed.is_some_and(|it| [JSON, MEDIA_TYPE].contains(&it.essence())) {
        let message = format!("'{}' is not read here, {JSON} is", inert(said));
        return Err(Error::new(ErrorKind::UnsupportedMediaType, message));
    }
    match schema::read::json(incoming.body)? {
        Value::Object(body) => Ok(body),
        _ => Err(Malformed::whole("an object is needed").invalid_params()),
    }
}

/// The parameters of a query; `true` and `false` as booleans, and what is repeated as an array (v1.0
/// §11.5), which no parameter is read from.
fn query(query: &str) -> Map<String, Value> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = path::unescaped(&value.replace('+', " "));
        let value = match value.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => text.into(),
        };
        (path::unescaped(&name.replace('+', " ")), value)
    });
    let mut asked = Map::new();
    for (name, value) in pairs.filter(|(_, value)| value != "") {
        let known = asked.entry(name).or_insert(Value::Null);
        *known = match known.take() {
            Value::Null => value,
            Value::Array(mut all) => {
                all.push(value);
                all.into()
            }
            first => json!([first, value]),
        };
    }
    asked
}

/// Says of a parameter that was not read that it is repeated, if that is why.
fn once(asked: &Map<String, Value>, wrong: Malformed) -> Malformed {
    match asked.get(&wrong.path) {
        Some(Value::Array(_)) => Malformed::member(&wrong.path, "stands twice in the query"),
        _ => wrong,
    }
}

#[cfg(test)]
mod tests;
