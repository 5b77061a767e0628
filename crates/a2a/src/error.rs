//! Errors, with their codes in each version and binding.
//!
//! The only file that knows codes, reasons and HTTP status codes. Read next: [`crate::jsonrpc`],
//! [`crate::rest`].

use crate::version::{Dialect, UnsupportedVersion};
use domain::excerpt::excerpt;
use domain::task::TaskId;
use schema::read::SourceError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The domain of the reasons in google.rpc.ErrorInfo (v1.0 §11.6).
pub const DOMAIN: &str = "a2a-protocol.org";

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

macro_rules! kinds {
    ($($(#[$about:meta])+ $kind:ident $code:literal $http:literal $grpc:literal $reason:literal;)+) => {
        /// The kinds of refusal and failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorKind { $($(#[$about])+ $kind),+ }

        impl ErrorKind {
            /// Every kind.
            pub const ALL: [Self; [$(Self::$kind),+].len()] = [$(Self::$kind),+];

            /// JSON-RPC code, HTTP status, gRPC status, reason.
            fn row(self) -> (i64, u16, &'static str, &'static str) {
                match self { $(Self::$kind => ($code, $http, $grpc, $reason)),+ }
            }
        }
    };
}

// v1.0 §5.4, §9.5; the codes of this platform are in the range that v0.3 §8.2 leaves to servers.
kinds! {
    /// The body is not JSON.
    ParseError -32700 400 "INVALID_ARGUMENT" "PARSE_ERROR";
    /// The JSON is not a request.
    InvalidRequest -32600 400 "INVALID_ARGUMENT" "INVALID_REQUEST";
    /// The method does not exist.
    MethodNotFound -32601 404 "NOT_FOUND" "METHOD_NOT_FOUND";
    /// The parameters are not those of the method.
    InvalidParams -32602 400 "INVALID_ARGUMENT" "INVALID_PARAMS";
    /// An internal error.
    Internal -32603 500 "INTERNAL" "INTERNAL_ERROR";
    /// The task does not exist, or is not the caller's: both look the same.
    TaskNotFound -32001 404 "NOT_FOUND" "TASK_NOT_FOUND";
    /// The task cannot be cancelled any more.
    TaskNotCancelable -32002 400 "FAILED_PRECONDITION" "TASK_NOT_CANCELABLE";
    /// Push notifications are not supported.
    PushNotificationNotSupported -32003 400 "FAILED_PRECONDITION" "PUSH_NOTIFICATION_NOT_SUPPORTED";
    /// The operation is not supported, or not in this state.
    UnsupportedOperation -32004 400 "FAILED_PRECONDITION" "UNSUPPORTED_OPERATION";
    /// A media type that the agent does not read or write.
    ContentTypeNotSupported -32005 400 "INVALID_ARGUMENT" "CONTENT_TYPE_NOT_SUPPORTED";
    /// The agent's answer is malformed.
    InvalidAgentResponse -32006 500 "INTERNAL" "INVALID_AGENT_RESPONSE";
    /// There is no extended card.
    ExtendedCardNotConfigured -32007 400 "FAILED_PRECONDITION" "EXTENDED_AGENT_CARD_NOT_CONFIGURED";
    /// The client did not ask for an extension that is required.
    ExtensionSupportRequired -32008 400 "FAILED_PRECONDITION" "EXTENSION_SUPPORT_REQUIRED";
    /// The version is not supported.
    VersionNotSupported -32009 400 "FAILED_PRECONDITION" "VERSION_NOT_SUPPORTED";
    /// Of this platform: the caller is not authenticated.
    Unauthenticated -32040 401 "UNAUTHENTICATED" "UNAUTHENTICATED";
    /// Of this platform: the caller is not permitted.
    PermissionDenied -32041 403 "PERMISSION_DENIED" "PERMISSION_DENIED";
    /// Of this platform: the identifier was used before, with another content.
    AlreadyExists -32042 409 "ALREADY_EXISTS" "ALREADY_EXISTS";
    /// Of this platform: the request is too large.
    TooLarge -32043 413 "INVALID_ARGUMENT" "PAYLOAD_TOO_LARGE";
    /// Of this platform: the caller has too many requests.
    TooManyRequests -32044 429 "RESOURCE_EXHAUSTED" "TOO_MANY_REQUESTS";
    /// Of this platform: temporarily unavailable.
    Unavailable -32045 503 "UNAVAILABLE" "UNAVAILABLE";
    /// Of this platform: over HTTP+JSON, a body of a media type that is not read.
    UnsupportedMediaType -32046 415 "INVALID_ARGUMENT" "UNSUPPORTED_MEDIA_TYPE";
    /// Of this platform: over HTTP+JSON, a path that has other verbs.
    VerbNotAllowed -32047 405 "UNIMPLEMENTED" "VERB_NOT_ALLOWED";
}

impl ErrorKind {
    /// The code over JSON-RPC.
    pub fn code(self) -> i64 {
        self.row().0
    }

    /// The status over HTTP+JSON.
    pub fn http_status(self) -> u16 {
        self.row().1
    }

    /// The status of the HTTP response that carries it over JSON-RPC: 200, except where the request
    /// was refused before its method was known.
    pub fn http_status_of_rpc(self) -> u16 {
        match self {
            Self::Unauthenticated
            | Self::PermissionDenied
            | Self::TooLarge
            | Self::TooManyRequests
            | Self::Unavailable
            | Self::UnsupportedMediaType
            | Self::VerbNotAllowed => self.http_status(),
            _ => 200,
        }
    }

    /// The name of the status in google.rpc.
    pub fn grpc_status(self) -> &'static str {
        self.row().2
    }

    /// The reason in google.rpc.ErrorInfo: the name of the error, without "Error".
    pub fn reason(self) -> &'static str {
        self.row().3
    }

    /// The name of the error, as in v1.0 §3.3.2: `TaskNotFoundError`.
    pub fn name(self) -> String {
        let words = self.reason().split('_').filter(|word| *word != "ERROR");
        let capitalised = words.map(|word| {
            let (first, rest) = word.split_at(1);
            format!("{first}{}", rest.to_ascii_lowercase())
        });
        format!("{}Error", capitalised.collect::<String>())
    }

    /// The kind of a JSON-RPC code; none for unknown codes.
    pub fn of_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    fn of_reason(reason: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.reason() == reason)
    }

    fn of_http_status(status: u16) -> Self {
        match status {
            404 => Self::TaskNotFound,
            400 => Self::InvalidParams,
            _ => Self::ALL
                .into_iter()
                .find(|kind| kind.http_status() == status)
                .unwrap_or(Self::Internal),
        }
    }
}

impl From<SourceError> for Error {
    fn from(cause: SourceError) -> Self {
        match cause {
            SourceError::Excess(excess) => {
                let message = format!("The payload is too large: {excess}");
                Self::new(ErrorKind::TooLarge, message)
            }
            cause @ (SourceError::Syntax(_) | SourceError::Twice { .. }) => {
                let message = format!("Invalid JSON payload: {cause}");
                Self::new(ErrorKind::ParseError, message)
            }
        }
    }
}

impl From<UnsupportedVersion> for Error {
    fn from(cause: UnsupportedVersion) -> Self {
        Self::new(ErrorKind::VersionNotSupported, cause.to_string())
    }
}

/// A violation in one member of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldViolation {
    /// The member: a path such as `message.parts[0].text`, or a pointer into a payload.
    pub field: String,
    /// The violation, and the value needed.
    pub description: String,
}

/// An error in the caller's request, or a failure to answer it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// The message, for people.
    pub message: String,
    /// The violating members, all of them.
    pub violations: Vec<FieldViolation>,
    /// Further facts, such as `taskId`; sent to the caller.
    pub metadata: BTreeMap<String, String>,
}

impl Error {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            violations: Vec::new(),
            metadata: BTreeMap::new(),
        }
    }

    /// The error for a task that does not exist, or is not the caller's: both look the same. Of what is
    /// longer than an identifier it quotes the beginning.
    pub fn task_not_found(task_id: &str) -> Self {
        let quoted = match task_id.len() > TaskId::LONGEST {
            true => excerpt(task_id),
            false => task_id.into(),
        };
        Self::new(ErrorKind::TaskNotFound, "Task not found").with("taskId", quoted)
    }

    /// The same error, with a violating member.
    pub fn at(mut self, field: impl Into<String>, description: impl Into<String>) -> Self {
        self.violations.push(FieldViolation {
            field: field.into(),
            description: description.into(),
        });
        self
    }

    /// The same error, with a fact.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.metadata.insert(name.to_owned(), value.into());
        self
    }

    /// The `error` of a JSON-RPC response: `data` is an array of google.rpc details in v1.0 (§9.5)
    /// and an object of the platform's own in v0.3 (§6.12). That a version is not supported is an error
    /// of v1.0 alone (§3.3.2), told to whom no version is agreed on with: it has one form.
    pub fn to_jsonrpc(&self, dialect: Dialect) -> Value {
        let data = match (self.kind, dialect) {
            (ErrorKind::VersionNotSupported, _) | (_, Dialect::V10) => self.details(),
            (_, Dialect::V03 | Dialect::V03Proto) => self.plain_details(),
        };
        json!({"code": self.kind.code(), "message": self.message, "data": data})
    }

    /// The body of an HTTP+JSON response: google.rpc.Status (v1.0 §11.6); v0.3 prescribes no form
    /// and gets the same.
    pub fn to_status(&self) -> Value {
        json!({"error": {
            "code": self.kind.http_status(),
            "status": self.kind.grpc_status(),
            "message": self.message,
            "details": self.details(),
        }})
    }

    fn details(&self) -> Value {
        let mut info = json!({
            "@type": ERROR_INFO,
            "reason": self.kind.reason(),
            "domain": DOMAIN,
        });
        if !self.metadata.is_empty() {
            info["metadata"] = json!(self.metadata);
        }
        match self.violations.is_empty() {
            true => json!([info]),
            false => json!([info, {"@type": BAD_REQUEST, "fieldViolations": self.fields()}]),
        }
    }

    fn plain_details(&self) -> Value {
        let mut data = Map::new();
        data.insert("reason".to_owned(), self.kind.reason().into());
        for (name, value) in &self.metadata {
            data.insert(name.clone(), value.as_str().into());
        }
        if !self.violations.is_empty() {
            data.insert("fieldViolations".to_owned(), self.fields());
        }
        Value::Object(data)
    }

    fn fields(&self) -> Value {
        let field = |it: &FieldViolation| json!({"field": it.field, "description": it.description});
        self.violations.iter().map(field).collect()
    }

    /// Reads the `error` of a JSON-RPC response of a peer; never fails. An unknown code counts as
    /// [`ErrorKind::Internal`], and is kept as fact `code`.
    pub fn of_jsonrpc(error: &Value) -> Self {
        let code = error.get("code").and_then(Value::as_i64);
        let kind = code.and_then(ErrorKind::of_code);
        let mut found = Self::new(kind.unwrap_or(ErrorKind::Internal), text(error, "message"));
        match error.get("data") {
            Some(Value::Array(details)) => found.take_details(details),
            Some(Value::Object(data)) => found.take_plain(data),
            _ => {}
        }
        match (kind, code) {
            (None, Some(code)) => found.with("code", code.to_string()),
            _ => found,
        }
    }

    /// Reads the body of a failed HTTP+JSON response of a peer; never fails. Some peers of v0.3
    /// send the error of JSON-RPC.
    pub fn of_status(http_status: u16, body: &Value) -> Self {
        let code = body.get("code").and_then(Value::as_i64);
        if code.and_then(ErrorKind::of_code).is_some() {
            return Self::of_jsonrpc(body);
        }
        let error = body.get("error").unwrap_or(body);
        let mut found = Self::new(
            ErrorKind::of_http_status(http_status),
            text(error, "message"),
        );
        if let Some(details) = error.get("details").and_then(Value::as_array) {
            let reason = details.iter().filter(|it| text(it, "domain") == DOMAIN);
            let mut kinds = reason.filter_map(|it| ErrorKind::of_reason(&text(it, "reason")));
            found.kind = kinds.next().unwrap_or(found.kind);
            found.take_details(details);
        }
        found
    }

    fn take_details(&mut self, details: &[Value]) {
        for detail in details {
            match detail.get("@type").and_then(Value::as_str) {
                Some(ERROR_INFO) => self.take_facts(detail.get("metadata")),
                Some(BAD_REQUEST) => self.take_fields(detail.get("fieldViolations")),
                _ => {}
            }
        }
    }

    fn take_plain(&mut self, data: &Map<String, Value>) {
        self.take_fields(data.get("fieldViolations"));
        let facts = data.iter().filter(|(name, _)| *name != "reason");
        for (name, value) in facts {
            if let Some(value) = value.as_str() {
                self.metadata.insert(name.clone(), value.to_owned());
            }
        }
    }

    fn take_facts(&mut self, facts: Option<&Value>) {
        for (name, value) in facts.and_then(Value::as_object).into_iter().flatten() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            self.metadata.insert(name.clone(), value);
        }
    }

    fn take_fields(&mut self, fields: Option<&Value>) {
        for it in fields.and_then(Value::as_array).into_iter().flatten() {
            self.violations.push(FieldViolation {
                field: text(it, "field"),
                description: text(it, "description"),
            });
        }
    }
}

fn text(of: &Value, member: &str) -> String {
    let found = of.get(member).and_then(Value::as_str);
    found.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
