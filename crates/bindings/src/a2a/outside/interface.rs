//! The interface of an agent elsewhere, and the form of requests to it: version, binding, URL.
//!
//! Knows what is put into an HTTP request and what is read from its answer; refuses to know how that
//! is moved. Read next: `a2a::jsonrpc`, `a2a::rest`.

use a2a::card::{AgentInterface, Card, HTTP_JSON, JSONRPC};
use a2a::error::{Error, ErrorKind};
use a2a::event::StreamResponse;
use a2a::jsonrpc::{self, Id};
use a2a::method::Method;
use a2a::request::A2aRequest;
use a2a::response::Response;
use a2a::rest::outbound as rest;
use a2a::version::{self, Version};
use a2a::{extension, sse};
use serde_json::Value;

/// The binding in which requests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binding {
    JsonRpc,
    HttpJson,
}

/// An interface of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerInterface {
    /// Its URL, without a slash at its end over HTTP+JSON.
    pub url: String,
    version: Version,
    binding: Binding,
    tenant: Option<String>,
}

/// A request, as HTTP sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerRequest {
    /// `GET`, `POST` or `DELETE`.
    pub verb: &'static str,
    /// The URL.
    pub url: String,
    /// Header fields.
    pub fields: Vec<(&'static str, String)>,
    /// The body; empty if there is none.
    pub body: String,
}

/// All requests of one connection are answered one by one: their number says nothing.
const NUMBER: u64 = 1;

impl PeerInterface {
    /// The best interface of a card: v1.0 before v0.3, and of one version the one that the card names
    /// first. None if it names none that is spoken here.
    pub fn of(card: &Card) -> Option<Self> {
        let newest_first = Version::ALL.into_iter().rev();
        newest_first
            .flat_map(|version| card.interfaces.iter().map(move |it| (version, it)))
            .find_map(|(version, it)| Self::spoken(version, it))
    }

    fn spoken(version: Version, it: &AgentInterface) -> Option<Self> {
        let binding = match it.binding.as_str() {
            JSONRPC => Binding::JsonRpc,
            HTTP_JSON => Binding::HttpJson,
            _ => return None,
        };
        (Version::of_header(Some(&it.version)) == Ok(version)).then(|| Self {
            url: match binding {
                Binding::JsonRpc => it.url.clone(),
                Binding::HttpJson => it.url.trim_end_matches('/').to_owned(),
            },
            version,
            binding,
            tenant: it.tenant.clone(),
        })
    }

    /// A request with the extensions that it makes use of.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedOperation`] if there is no such request in this version or binding.
    pub fn write(&self, request: &A2aRequest, extensions: &[String]) -> Result<PeerRequest, Error> {
        let tenant = self.tenant.as_deref();
        let (verb, url, body) = match self.binding {
            Binding::JsonRpc => {
                let id = Id::from(NUMBER);
                let body = jsonrpc::write(&id, self.version, tenant, request)?;
                ("POST", self.url.clone(), Some(body))
            }
            Binding::HttpJson => {
                let sent = rest::write(self.version, tenant, request)?;
                (sent.verb, format!("{}{}", self.url, sent.target), sent.body)
            }
        };
        let mut fields = vec![(version::HEADER, self.version.as_str().to_owned())];
        if body.is_some() {
            fields.push(("Content-Type", "application/json".to_owned()));
        }
        if !extensions.is_empty() {
            fields.push((extension::header(self.version), extensions.join(", ")));
        }
        fields.push(("Accept", format!("application/json, {}", sse::MEDIA_TYPE)));
        Ok(PeerRequest {
            verb,
            url,
            fields,
            body: body.map(|body| body.to_string()).unwrap_or_default(),
        })
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// The agent's refusal; [`ErrorKind::InvalidAgentResponse`] if it is no answer.
    pub fn read(&self, method: Method, status: u16, body: &[u8]) -> Result<Response, Error> {
        let body = json(status, body)?;
        match self.binding {
            Binding::JsonRpc if is_enveloped(&body) => {
                jsonrpc::read_reply(&Id::from(NUMBER), self.version, method, &body)
            }
            Binding::JsonRpc if status < 300 => Err(no_answer("it is no response of JSON-RPC")),
            Binding::JsonRpc => Err(Error::of_status(status, &body)),
            Binding::HttpJson => rest::read_reply(self.version, method, status, &body),
        }
    }

    /// An event of a stream.
    ///
    /// # Errors
    /// As of [`PeerInterface::read`].
    pub fn read_event(&self, data: &str) -> Result<StreamResponse, Error> {
        let data = json(200, data.as_bytes())?;
        match self.binding {
            Binding::JsonRpc => jsonrpc::read_event(&Id::from(NUMBER), self.version, &data),
            Binding::HttpJson => rest::read_event(self.version, &data),
        }
    }
}

fn is_enveloped(body: &Value) -> bool {
    body.get("result").is_some() || body.get("error").is_some_and(Value::is_object)
}

/// The JSON of a body; one that is none says at least by its status whether it is a refusal.
fn json(status: u16, body: &[u8]) -> Result<Value, Error> {
    match schema::json::read(body) {
        Ok(value) => Ok(value),
        Err(_) if status >= 300 => Ok(Value::Null),
        Err(cause) => Err(no_answer(&cause.to_string())),
    }
}

fn no_answer(why: &str) -> Error {
    Error::new(ErrorKind::InvalidAgentResponse, why)
}
