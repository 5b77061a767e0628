//! JSON-RPC 2.0, the binding that both versions have (v1.0 §9, v0.3 §3.2.1), both sides.
//!
//! Knows envelopes, and the version that the name of a method belongs to. Batches and notifications
//! are refused, as A2A does not have them. A `get_schema_template` without an envelope, and its like, are answered
//! without one. Read next: [`crate::sse`], in which the envelopes of a stream travel.

use crate::error::{Error, ErrorKind};
use crate::event::StreamResponse;
use crate::method::Method;
use crate::request::A2aRequest;
use crate::response::Response;
use crate::version::{Dialect, Version};
use crate::wire;
use serde_json::{Map, Number, Value, json};

/// The identifier of a request, returned unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// Absent, as where there is no envelope, or it was not read. Answered with null.
    Absent,
    /// Null.
    Null,
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
}

impl Id {
    fn read(request: &Map<String, Value>) -> Result<Self, Error> {
        match request.get("id") {
            None => Ok(Self::Absent),
            Some(Value::Null) => Ok(Self::Null),
            Some(Value::Number(number)) if is_kept(number) => Ok(Self::Number(number.clone())),
            Some(Value::String(text)) => Ok(Self::Text(text.clone())),
            Some(Value::Number(_)) => {
                Err(no_request("id", "a number of 64 bits at most is needed"))
            }
            Some(_) => Err(no_request("id", "a string, a number or null is needed")),
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Absent | Self::Null => Value::Null,
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
        }
    }
}

/// True of a number that can be returned unchanged: one beyond 2^53 that is no integer of 64 bits
/// was rounded when it was read.
fn is_kept(number: &Number) -> bool {
    let is_exact = |it: f64| it.abs() <= 2f64.powi(53);
    !number.is_f64() || number.as_f64().is_some_and(is_exact)
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

/// The form of the response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcEnvelope {
    /// Its identifier.
    pub id: Id,
    /// The dialect of the request.
    pub dialect: Dialect,
    /// True if it came without an envelope.
    pub is_bare: bool,
}

impl RpcEnvelope {
    /// The response with a result.
    pub fn result(&self, response: &Response) -> Value {
        self.around("result", wire::result(self.dialect, response))
    }

    /// The response with an error.
    pub fn error(&self, error: &Error) -> Value {
        self.around("error", error.to_jsonrpc(self.dialect))
    }

    /// An event of a stream.
    pub fn event(&self, event: &StreamResponse) -> Value {
        self.around("result", wire::event(self.dialect, event))
    }

    fn around(&self, member: &str, value: Value) -> Value {
        match (self.is_bare, member) {
            (true, "result") => value,
            (true, _) => json!({member: value}),
            (false, _) => json!({"jsonrpc": "2.0", "id": self.id.value(), member: value}),
        }
    }
}

/// A request, with the form of its response.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcCall {
    /// The form of its response.
    pub envelope: RpcEnvelope,
    /// The tenant that it names; no agent here has one.
    pub tenant: Option<String>,
    /// The request.
    pub request: A2aRequest,
}

/// A request that is refused before it is carried out, with the form of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcRejection {
    /// The form of its response.
    pub envelope: RpcEnvelope,
    /// The error.
    pub error: Error,
}

/// Reads a request; `version_header` is the value of [`crate::version::HEADER`].
///
/// # Errors
/// [`RpcRejection`]: too large, no JSON, no request, a batch, a notification, an unknown method, an
/// unsupported version, or invalid parameters, in that order.
pub fn read(body: &[u8], version_header: Option<&str>) -> Result<RpcCall, RpcRejection> {
    let mut envelope = RpcEnvelope {
        id: Id::Absent,
        dialect: dialect_of_header(version_header),
        is_bare: false,
    };
    match read_into(&mut envelope, body, version_header) {
        Ok((tenant, request)) => Ok(RpcCall {
            envelope,
            tenant,
            request,
        }),
        Err(error) => Err(RpcRejection { envelope, error }),
    }
}

/// The dialect of an error, where the method does not determine it.
fn dialect_of_header(version_header: Option<&str>) -> Dialect {
    match Version::of_header(version_header) {
        Ok(Version::V03) => Dialect::V03,
        _ => Dialect::V10,
    }
}

fn read_into(
    envelope: &mut RpcEnvelope,
    body: &[u8],
    version_header: Option<&str>,
) -> Result<(Option<String>, A2aRequest), Error> {
    let request = parsed(body)?;
    envelope.id = Id::read(&request)?;
    let name = method_name(envelope, &request)?;
    // A notification (JSON-RPC 2.0 §4.1): nothing may be answered to it, and every method of A2A has an
    // answer (v1.0 §9).
    if envelope.id == Id::Absent && !envelope.is_bare {
        return Err(no_request("id", "is missing, notifications are not taken"));
    }
    if name.contains('/') {
        envelope.dialect = Dialect::V03;
    }
    let (method, version) = Method::called(name, version_header)?;
    envelope.dialect = version.into();
    let none = Map::new();
    let params = params(&request)?.unwrap_or(&none);
    let tenant = params.get("tenant").and_then(Value::as_str);
    let tenant = tenant.filter(|it| !it.is_empty()).map(str::to_owned);
    let read = wire::read_params(envelope.dialect, method, params);
    Ok((tenant, read.map_err(wire::Malformed::invalid_params)?))
}

fn parsed(body: &[u8]) -> Result<Map<String, Value>, Error> {
    match schema::read::json(body)? {
        Value::Object(request) => Ok(request),
        Value::Array(_) => Err(no_request("", "batches are not taken, send one request")),
        _ => Err(no_request("", "an object is needed")),
    }
}

/// The name of the method. Only schema requests may leave the envelope out.
fn method_name<'a>(
    envelope: &mut RpcEnvelope,
    request: &'a Map<String, Value>,
) -> Result<&'a str, Error> {
    let name = request.get("method").and_then(Value::as_str);
    let is_of_schema = name.is_some_and(|name| Method::of_schema(name).is_some());
    envelope.is_bare = is_of_schema && !request.contains_key("jsonrpc");
    if !envelope.is_bare && request.get("jsonrpc") != Some(&json!("2.0")) {
        return Err(no_request("jsonrpc", "'2.0' is needed"));
    }
    let name = name.filter(|name| !name.is_empty());
    name.ok_or_else(|| no_request("method", "a string is needed"))
}

fn params(request: &Map<String, Value>) -> Result<Option<&Map<String, Value>>, Error> {
    match request.get("params") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(params)) => Ok(Some(params)),
        Some(_) => Err(wire::Malformed::member("params", "an object is needed").invalid_params()),
    }
}

fn no_request(member: &str, why: &str) -> Error {
    let dot = if member.is_empty() { "" } else { ": " };
    let message = format!("Request payload validation error: {member}{dot}{why}");
    let error = Error::new(ErrorKind::InvalidRequest, message);
    match member.is_empty() {
        true => error,
        false => error.at(member, why),
    }
}

/// A request as sent by a client.
///
/// # Errors
/// [`ErrorKind::UnsupportedOperation`] if the version has no such method.
pub fn write(
    id: &Id,
    version: Version,
    tenant: Option<&str>,
    request: &A2aRequest,
) -> Result<Value, Error> {
    let method = request.method().name(version).ok_or_else(|| {
        let message = format!("{version} has no {:?}", request.method());
        Error::new(ErrorKind::UnsupportedOperation, message)
    })?;
    let mut params = wire::params(version.into(), request);
    if let (Some(tenant), Version::V10) = (tenant, version) {
        params["tenant"] = tenant.into();
    }
    Ok(json!({"jsonrpc": "2.0", "id": id.value(), "method": method, "params": params}))
}

/// Reads the response to a request.
///
/// # Errors
/// The agent's error; [`ErrorKind::InvalidAgentResponse`] if it is malformed, or answers another
/// request.
pub fn read_reply(
    id: &Id,
    version: Version,
    method: Method,
    reply: &Value,
) -> Result<Response, Error> {
    let result = opened(id, reply)?;
    wire::read_result(version.into(), method, result).map_err(invalid_response)
}

/// Reads an event of a stream.
///
/// # Errors
/// As of [`read_reply`].
pub fn read_event(id: &Id, version: Version, reply: &Value) -> Result<StreamResponse, Error> {
    let result = opened(id, reply)?;
    wire::read_event(version.into(), result).map_err(invalid_response)
}

fn opened<'a>(id: &Id, reply: &'a Value) -> Result<&'a Value, Error> {
    if let Some(error) = reply.get("error").filter(|error| !error.is_null()) {
        return Err(Error::of_jsonrpc(error));
    }
    if reply.get("id") != Some(&id.value()) {
        return Err(invalid_response(wire::Malformed::member(
            "id",
            "is that of another request",
        )));
    }
    let result = reply.get("result");
    result.ok_or_else(|| invalid_response(wire::Malformed::member("result", "is missing")))
}

pub(crate) fn invalid_response(wrong: wire::Malformed) -> Error {
    Error::new(
        ErrorKind::InvalidAgentResponse,
        format!("Invalid agent response: {wrong}"),
    )
}

#[cfg(test)]
mod tests;
