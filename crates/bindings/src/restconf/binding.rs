//! The way of a request: its resource, its method, its encodings, then who carries it out.
//!
//! The order is fixed: a resource that is of no kind is 404, a method that it has not 405, an encoding that
//! nobody has 406, before anything is looked up. Read next: [`super::retrieve`], [`super::operations`],
//! [`super::events`].

use super::answer::{RestconfAnswer, RestconfBody};
use super::errors::RestconfError;
use super::events::EventStream;
use super::json;
use super::media::{self, EVENT_STREAM, Encoding};
use super::query::Query;
use super::resource::Resource;
use super::{MODULE, operations, retrieve};
use crate::netconf::{Platform, Sessionless};
use ::netconf::names::namespace::RESTCONF;
use domain::access::Principal;
use domain::ems::Ems;
use domain::time::Timestamp;
use engine::Endpoint;
use serde_json::json;
use std::sync::Arc;

/// A request as it came over HTTP.
#[derive(Clone, Copy, Debug)]
pub struct RestconfRequest<'a> {
    /// Whose API resource it is below.
    pub endpoint: &'a Endpoint,
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// The path below the API resource, with its leading slash and its escapes; empty at that itself.
    pub path: &'a str,
    /// The part behind `?`, if there is one.
    pub query: Option<&'a str>,
    /// Names, in lower case, and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, whole; empty if it [is not looked at](Restconf::takes_body).
    pub body: &'a [u8],
}

impl<'a> RestconfRequest<'a> {
    fn headers_of(&self, name: &'static str) -> impl Iterator<Item = &'a str> + Clone {
        let headers = self.headers.iter();
        headers
            .filter(move |(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    fn header(&self, name: &'static str) -> Option<&'a str> {
        self.headers_of(name).next()
    }
}

/// RESTCONF over the endpoints of the platform and of the management systems of its network.
#[derive(Clone)]
pub struct Restconf {
    platform: Arc<Platform>,
}

impl std::fmt::Debug for Restconf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Restconf")
    }
}

impl Restconf {
    /// The binding of a platform, at a server with this URL, which has no slash at its end. From now on
    /// the data tells where its streams are.
    pub fn new(platform: Arc<Platform>, url: &str) -> Self {
        platform.serve_restconf(url);
        Self { platform }
    }

    /// The endpoint of a management system; none without a network, or with one that has no such system.
    pub fn management_system(&self, name: &str) -> Option<Endpoint> {
        let is_managed = self.platform.engine().is_managed();
        Ems::parse(name).filter(|_| is_managed).map(Endpoint::Ems)
    }

    /// Whether the body of a request is looked at: not where the principal may not have what is asked for.
    pub fn takes_body(
        &self,
        who: &Principal,
        endpoint: &Endpoint,
        method: &str,
        path: &str,
        now: Timestamp,
    ) -> bool {
        match Resource::at(path) {
            Some(Resource::Operation(name)) if method == "POST" => {
                let cx = Sessionless::begin(&self.platform, endpoint, who, now);
                operations::is_permitted(&cx, name)
            }
            _ => false,
        }
    }

    /// Answers a request of a principal. What an operation waits for, the answer waits for.
    pub async fn answer(
        &self,
        who: &Principal,
        request: &RestconfRequest<'_>,
        now: Timestamp,
    ) -> RestconfAnswer {
        let cx = Sessionless::begin(&self.platform, request.endpoint, who, now);
        let accepted = Encoding::accepted(request.headers_of("accept"));
        let answer = answer(&cx, request, accepted).await;
        answer.unwrap_or_else(|refused| {
            let encoding = accepted.unwrap_or_default();
            let document = refused.document(encoding, cx.generation());
            let answer = RestconfAnswer {
                status: refused.status(),
                ..RestconfAnswer::document(encoding, document)
            };
            match refused.allow() {
                Some(methods) => answer.with("allow", methods),
                None => answer,
            }
        })
    }
}

async fn answer(
    cx: &Sessionless<'_>,
    request: &RestconfRequest<'_>,
    accepted: Option<Encoding>,
) -> Result<RestconfAnswer, RestconfError> {
    let resource = Resource::at(request.path).ok_or_else(RestconfError::not_found)?;
    if !resource.allows(request.method) {
        return Err(RestconfError::no_method(resource));
    }
    if request.method == "OPTIONS" {
        return Ok(RestconfAnswer::empty(200).with("allow", resource.allowed()));
    }
    if let Resource::Stream(stream, encoding) = resource {
        if media::quality(request.headers_of("accept"), EVENT_STREAM) == 0 {
            return Err(RestconfError::not_acceptable(EVENT_STREAM));
        }
        let last = request.header("last-event-id");
        let begun = EventStream::begin(cx, stream, request.query, last, encoding)?;
        return Ok(stream_of(begun, request.method));
    }
    let encoding = accepted.ok_or_else(|| {
        let [json, xml] = Encoding::ALL.map(Encoding::media_type);
        RestconfError::not_acceptable(&format!("{json} and {xml}"))
    })?;
    if let Resource::Data(path) = resource {
        return retrieve::data(cx, path, request.query, encoding);
    }
    // None of the others has any.
    Query::read(request.query, &[])?;
    match resource {
        Resource::Operation(name) => {
            let content = (request.header("content-type"), request.body);
            operations::call(cx, name, content, encoding).await
        }
        Resource::Operations => Ok(operations::list(cx, encoding)),
        Resource::LibraryVersion => Ok(library_version(cx, encoding)),
        Resource::Api | Resource::Data(_) | Resource::Stream(..) => Ok(api(cx, encoding)),
    }
}

fn stream_of(stream: EventStream, method: &str) -> RestconfAnswer {
    RestconfAnswer {
        status: 200,
        headers: vec![
            ("content-type", EVENT_STREAM.to_owned()),
            ("cache-control", "no-cache, no-store".to_owned()),
        ],
        body: match method {
            "HEAD" => RestconfBody::Empty,
            _ => RestconfBody::Stream(Box::new(stream)),
        },
    }
}

/// The API resource (RFC 8040 §3.3).
fn api(cx: &Sessionless<'_>, encoding: Encoding) -> RestconfAnswer {
    let version = library_revision(cx);
    let body = match encoding {
        Encoding::Json => json::document(&format!("{MODULE}:restconf"), |out| {
            let inside = json!({ "data": {}, "operations": {}, "yang-library-version": version });
            out.extend_from_slice(inside.to_string().as_bytes());
        }),
        Encoding::Xml => format!(
            "<restconf xmlns=\"{RESTCONF}\"><data/><operations/>\
             <yang-library-version>{version}</yang-library-version></restconf>"
        )
        .into_bytes(),
    };
    RestconfAnswer::document(encoding, body)
}

/// The revision of ietf-yang-library (RFC 8040 §3.3.3).
fn library_version(cx: &Sessionless<'_>, encoding: Encoding) -> RestconfAnswer {
    let version = library_revision(cx);
    let body = match encoding {
        Encoding::Json => json::document(&format!("{MODULE}:yang-library-version"), |out| {
            out.extend_from_slice(format!("\"{version}\"").as_bytes());
        }),
        Encoding::Xml => {
            format!("<yang-library-version xmlns=\"{RESTCONF}\">{version}</yang-library-version>")
                .into_bytes()
        }
    };
    RestconfAnswer::document(encoding, body)
}

fn library_revision<'c>(cx: &'c Sessionless<'_>) -> &'c str {
    let library = cx.generation().module("ietf-yang-library");
    library.map_or("", |module| &module.revision)
}
