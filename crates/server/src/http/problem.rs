//! A refusal over HTTP: a status and `application/problem+json` (RFC 9457).
//!
//! The only file of the server that assigns status codes. Protocols behind the server have error
//! bodies of their own; refusals by the server itself look like this for all of them.

use super::body::{self, HttpResponse};
use hyper::header::{
    ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use hyper::{Method, StatusCode};
use serde_json::json;
use std::time::Duration;

/// The media type of a problem (RFC 9457 §3).
pub const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The protection space, which is the same for everything behind the server (RFC 9110 §11.5).
const REALM: &str = "convoke";

/// A refusal or failure of a request.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{status}: {detail}")]
pub struct Problem {
    status: StatusCode,
    detail: String,
    fields: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// The explanation, for people.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// A problem of that status; `detail` is shown to the client.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            fields: Vec::new(),
        }
    }

    /// The same with a further head field.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.fields.push((name, value));
        self
    }

    /// The request is malformed: 400.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// A credential is needed and none was shown: 401 without an error code (RFC 6750 §3.1).
    pub fn unauthenticated() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "a token or certificate is needed").challenged("")
    }

    /// The token is refused: 401 (RFC 6750 §3.1, `invalid_token`).
    pub fn invalid_token(why: &str) -> Self {
        let error = format!(r#", error="invalid_token", error_description="{why}""#);
        Self::new(StatusCode::UNAUTHORIZED, why).challenged(&error)
    }

    /// The credential is malformed: 400 (RFC 6750 §3.1, `invalid_request`).
    pub fn invalid_request(why: &str) -> Self {
        let error = format!(r#", error="invalid_request", error_description="{why}""#);
        Self::bad_request(why).challenged(&error)
    }

    /// The token lacks a scope: 403 (RFC 6750 §3.1, `insufficient_scope`).
    pub fn insufficient_scope(needed: &str) -> Self {
        let error = format!(r#", error="insufficient_scope", scope="{needed}""#);
        let detail = format!("the token has not the scope '{needed}'");
        Self::new(StatusCode::FORBIDDEN, detail).challenged(&error)
    }

    /// The caller is known, but not permitted: 403.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, detail)
    }

    /// Nothing is there, or nothing that the caller may know of: 404, and always the same.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "nothing is here for you")
    }

    /// The method is not among the allowed ones: 405 (RFC 9110 §15.5.6).
    pub fn wrong_method(allowed: &[Method]) -> Self {
        let mut names: Vec<&str> = allowed.iter().map(Method::as_str).collect();
        if allowed.contains(&Method::GET) && !allowed.contains(&Method::HEAD) {
            names.push("HEAD");
        }
        let names = names.join(", ");
        let value = HeaderValue::from_str(&names).expect("methods are tokens");
        let detail = format!("what is allowed is {names}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, detail).with(ALLOW, value)
    }

    /// The request did not arrive in time: 408; the connection ends.
    pub fn too_slow(what: &str, within: Duration) -> Self {
        let detail = format!("{what} took longer than {} s", within.as_secs_f64());
        Self::new(StatusCode::REQUEST_TIMEOUT, detail).closing()
    }

    /// The body is too long: 413; the connection ends.
    pub fn too_large(most_bytes: usize) -> Self {
        let detail = format!("a body has at most {most_bytes} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, detail).closing()
    }

    /// The target is too long: 414.
    pub fn target_too_long(most_bytes: usize) -> Self {
        let detail = format!("a request target has at most {most_bytes} bytes");
        Self::new(StatusCode::URI_TOO_LONG, detail).closing()
    }

    /// The content is encoded: 415, and which coding is read (RFC 9110 §8.4, §12.5.3).
    pub fn encoded() -> Self {
        let detail = "content is read as it is, without a Content-Encoding";
        let identity = HeaderValue::from_static("identity");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail).with(ACCEPT_ENCODING, identity)
    }

    /// The head has too many fields, or too long ones: 431 (RFC 6585 §5).
    pub fn head_too_large(fields_max: usize, bytes_max: usize) -> Self {
        let detail = format!("a head has at most {fields_max} fields of {bytes_max} bytes in all");
        Self::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, detail).closing()
    }

    /// The request is addressed to a foreign name: 421 (RFC 9110 §15.5.20).
    pub fn misdirected() -> Self {
        let detail = "nobody is called that here; `names` in [http] says who is";
        Self::new(StatusCode::MISDIRECTED_REQUEST, detail)
    }

    /// Too many attempts: 429 (RFC 6585 §4).
    pub fn too_many(detail: &str, wait: Duration) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, detail).after(wait)
    }

    /// Temporarily unavailable: 503.
    pub fn unavailable(detail: &str, wait: Duration) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).after(wait)
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The response.
    pub fn reply(self) -> HttpResponse {
        let mut reply = HttpResponse::new(body::whole(self.text()));
        *reply.status_mut() = self.status;
        reply.headers_mut().insert(CONTENT_TYPE, MEDIA_TYPE);
        reply.headers_mut().extend(self.fields);
        reply
    }

    /// The whole response in HTTP/1.1, for a connection that is not served any more.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let text = self.text();
        let reason = self.status.canonical_reason().unwrap_or_default();
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.status.as_u16());
        let closing = (CONNECTION, HeaderValue::from_static("close"));
        let typed = (CONTENT_TYPE, MEDIA_TYPE);
        let fields = self.fields.iter().filter(|(name, _)| name != CONNECTION);
        for (name, value) in fields.chain([&closing, &typed]) {
            head.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or("")));
        }
        format!("{head}content-length: {}\r\n\r\n{text}", text.len()).into_bytes()
    }

    fn text(&self) -> String {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let status = self.status.as_u16();
        json!({ "type": "about:blank", "title": title, "status": status, "detail": self.detail })
            .to_string()
    }

    fn challenged(self, error: &str) -> Self {
        let value = format!(r#"Bearer realm="{REALM}"{error}"#);
        let value = HeaderValue::from_str(&value).expect("our own words are ASCII");
        self.with(WWW_AUTHENTICATE, value)
    }

    fn closing(self) -> Self {
        self.with(CONNECTION, HeaderValue::from_static("close"))
    }

    fn after(self, wait: Duration) -> Self {
        // In whole seconds, and none too early (RFC 9110 §10.2.3).
        let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
        self.with(RETRY_AFTER, HeaderValue::from(seconds))
    }
}
