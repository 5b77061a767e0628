//! RESTCONF behind the HTTP server: `/restconf`, `/ems/NAME/restconf` and what is below, and where the first is
//! (`/.well-known/host-meta`).
//!
//! Requests are interpreted by [`bindings::restconf`]; here are bodies, streams and the signs of life that
//! keep them open. Credentials, limits and turns are those of every route. Read next: [`crate::http`].

use crate::clock::Clock;
use crate::http::{Caller, HttpRequest, HttpResponse, Problem, Router, body};
use bindings::netconf::Platform;
use bindings::restconf::{
    EventStream, Frames, ROOT, Restconf, RestconfAnswer, RestconfBody, RestconfRequest, SYSTEMS,
};
use engine::Endpoint;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The scope that a token needs, if it has scopes.
pub const SCOPE: &str = "restconf";

/// The interval of comments that keep an idle stream open (HTML §9.2.7).
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Where RESTCONF is (RFC 8040 §3.1, RFC 6415).
const HOST_META: &str = "<XRD xmlns=\"http://docs.oasis-open.org/ns/xri/xrd-1.0\">\
                         <Link rel=\"restconf\" href=\"/restconf\"/></XRD>";

/// The same server with the routes of RESTCONF; `url` is the server's own, as clients have it.
#[must_use]
pub fn mounted(router: Router, platform: &Arc<Platform>, clock: &Arc<Clock>, url: &str) -> Router {
    let service = Arc::new(RestconfService {
        binding: Restconf::new(Arc::clone(platform), url),
        clock: Arc::clone(clock),
    });
    let router = router.open("/.well-known/host-meta", &[Method::GET], |_| {
        ready(Ok(host_meta()))
    });
    let roots = [format!("{ROOT}/*"), format!("{SYSTEMS}/{{}}{ROOT}/*")];
    roots.iter().fold(router, |router, root| {
        let service = Arc::clone(&service);
        router.guarded(root, &[], Some(SCOPE), move |caller, ask| {
            Arc::clone(&service).answer(caller, ask)
        })
    })
}

struct RestconfService {
    binding: Restconf,
    clock: Arc<Clock>,
}

impl RestconfService {
    async fn answer(
        self: Arc<Self>,
        mut caller: Caller,
        mut ask: HttpRequest,
    ) -> Result<HttpResponse, Problem> {
        let captures = std::mem::take(&mut ask.captures);
        let (endpoint, path) = match &captures[..] {
            [system, path] => {
                let found = self.binding.management_system(system);
                (found.ok_or_else(Problem::not_found)?, path.as_str())
            }
            others => {
                let path = others.first().map_or("", String::as_str);
                (Endpoint::Platform, path)
            }
        };
        let (who, method) = (&caller.principal, ask.head.method.as_str());
        // Who may not have what is asked for is told so at once, and need not send it.
        let now = self.clock.now();
        let content = match self.binding.takes_body(who, &endpoint, method, path, now) {
            true => Some(ask.content(&mut caller).await?),
            false => None,
        };
        let fields = ask.head.headers.iter();
        let fields: Vec<(&str, &str)> = fields
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect();
        let request = RestconfRequest {
            endpoint: &endpoint,
            method: ask.head.method.as_str(),
            path,
            query: ask.head.uri.query(),
            headers: &fields,
            body: content.as_deref().unwrap_or_default(),
        };
        let now = self.clock.now();
        let answer = self.binding.answer(&caller.principal, &request, now);
        Ok(reply(answer.await, &self.clock))
    }
}

fn reply(answer: RestconfAnswer, clock: &Arc<Clock>) -> HttpResponse {
    let body = match answer.body {
        RestconfBody::Empty => body::whole(Bytes::new()),
        RestconfBody::Whole(bytes) => body::whole(bytes),
        RestconfBody::Stream(events) => {
            let clock = Arc::clone(clock);
            // Nothing is made before its reader has room for it.
            body::unfold((events, clock, true), |_| 0, told)
        }
    };
    let mut reply = HttpResponse::new(body);
    let status = StatusCode::from_u16(answer.status);
    *reply.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        // Our own names and words; one that a field cannot carry is not sent.
        if let Ok(value) = HeaderValue::try_from(value) {
            reply
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
    }
    reply
}

/// A stream with the clock by which it ends, and whether nothing of it was sent yet.
type Told = (Box<EventStream>, Arc<Clock>, bool);

/// The next frames of a stream, and the rest of it.
async fn told((mut events, clock, is_new): Told) -> Option<(Bytes, Told)> {
    let quiet_until = Instant::now() + KEEP_ALIVE;
    loop {
        match events.frames(clock.now()) {
            Frames::Ready(frames) => return Some((frames.into(), (events, clock, false))),
            Frames::Over => return None,
            Frames::Again => tokio::task::yield_now().await,
            // Firefox tells a page of an answer only once it has something of its body.
            Frames::Wait(_) if is_new => return Some(comment(events, clock)),
            Frames::Wait(again_ms) => {
                let again = again_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
                let until = again.map_or(quiet_until, |again| again.min(quiet_until));
                let woken = timeout_at(until, events.changed()).await;
                if woken.is_err() && Instant::now() >= quiet_until {
                    return Some(comment(events, clock));
                }
            }
        }
    }
}

/// What says nothing but that the stream is open.
fn comment(events: Box<EventStream>, clock: Arc<Clock>) -> (Bytes, Told) {
    let comment = Bytes::from_static(b": keep-alive\n\n");
    (comment, (events, clock, false))
}

fn host_meta() -> HttpResponse {
    let mut reply = HttpResponse::new(body::whole(HOST_META));
    let media_type = HeaderValue::from_static("application/xrd+xml");
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    reply
}
