//! HTTP requests of clients that are connected to this node, while another one leads.
//!
//! A request goes to the leader as it came, beside where it came from; the response comes back piece by piece.
//! One that surely was not carried out is sent to the next leader, and so is one that only reads; of any other
//! that may have been, the client is told so: 502. Read next: [`super::leading`], the other side;
//! [`crate::http::forward`], which takes and answers them.

use super::channel::{BoxError, ChannelBody, ChannelClient, PROTOCOL_FIELD, Unreached, uri, whole};
use super::leader::{Leader, LeaderWatch};
use super::wanted::{self, EXPECTS};
use crate::http::body::Interrupted;
use crate::http::{Elsewhere, ForwardRequest, ForwardedAnswer, HttpResponse, Problem};
use base64ct::{Base64, Encoding as _};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{
    CONNECTION, EXPECT, HeaderName, HeaderValue, InvalidHeaderValue, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use tracing::debug;

/// The path of a client's request on the channel.
pub(super) const PATH: &str = "/http";
/// The path on the channel of what is to be recorded of a client.
pub(super) const AUDIT_PATH: &str = "/audit";
/// The path on the channel of the end of a client's connection.
pub(super) const GONE_PATH: &str = "/http-gone";

/// The method of a client's request.
pub(super) const METHOD: HeaderName = HeaderName::from_static("convoke-method");
/// Its target.
pub(super) const TARGET: HeaderName = HeaderName::from_static("convoke-target");
/// Where its client is connected from.
pub(super) const SOURCE: HeaderName = HeaderName::from_static("convoke-source");
/// The certificate that its client has shown, in DER and Base64.
pub(super) const CERTIFICATE: HeaderName = HeaderName::from_static("convoke-certificate");
/// The number of its connection at the node that took it.
pub(super) const CONNECTION_NUMBER: HeaderName = HeaderName::from_static("convoke-connection");
/// In a response, the user to whom it is.
pub(super) const USER: HeaderName = HeaderName::from_static("convoke-user");

/// The fields of one connection alone (RFC 9110 §7.6.1), which is not the next one.
const OF_CONNECTION: [HeaderName; 8] = [
    CONNECTION,
    TRANSFER_ENCODING,
    UPGRADE,
    TE,
    TRAILER,
    EXPECT,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// What fields between nodes begin with.
pub(super) const BETWEEN_NODES: &str = "convoke-";

/// The time for another leader to be known, after the one that was asked is lost.
const ANOTHER: Duration = Duration::from_secs(2);
/// The time after which whoever was put off may ask again.
const LOOK_AGAIN: Duration = Duration::from_secs(3);

/// The way of requests to whoever leads.
pub(super) struct HttpForwarder {
    pub(super) client: Arc<ChannelClient>,
    pub(super) leader: LeaderWatch,
    /// How many requests had clients that wait to be asked for the body.
    pub(super) expected: AtomicU64,
}

/// A request that may be sent more than once.
struct Repeatable {
    fields: HeaderMap,
    /// The body; none if it was sent.
    body: Option<ChannelBody>,
    /// True if it only reads.
    reads: bool,
}

impl HttpForwarder {
    async fn ask(&self, request: ForwardRequest) -> Result<ForwardedAnswer, Problem> {
        if request.head.uri.path() == "/livez" {
            return Ok((crate::http::routes::alive(), None));
        }
        let mut request = self.repeatable(request)?;
        let until = Instant::now() + ANOTHER;
        let mut known = self.leader.clone();
        loop {
            let Some(leader) = known.borrow_and_update().clone() else {
                return Err(nobody());
            };
            let why = match self.send(&leader, &mut request).await {
                Ok(answer) => return Ok(answer),
                Err(why) => why,
            };
            debug!("a request is not answered: {why}");
            if matches!(why, Unreached::Full | Unreached::Version) {
                return Err(Problem::unavailable(&why.to_string(), LOOK_AGAIN));
            }
            if !request.may_be_repeated() {
                return Err(match why.is_in_doubt() {
                    true => Problem::new(StatusCode::BAD_GATEWAY, IN_DOUBT),
                    false => nobody(),
                });
            }
            match timeout_at(until, known.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Err(nobody()),
            }
        }
    }

    fn repeatable(&self, request: ForwardRequest) -> Result<Repeatable, Problem> {
        let expects = request.head.headers.get(EXPECT);
        let expects = expects.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(CONTINUE));
        if !expects || request.body.is_end_stream() {
            return Repeatable::new(request, None);
        }
        let number = self.expected.fetch_add(1, Relaxed);
        let (client, leader) = (Arc::clone(&self.client), self.leader.clone());
        let is_read = Box::pin(wanted::is_read(client, leader, number));
        Repeatable::new(request, Some((number, is_read)))
    }

    async fn send(
        &self,
        leader: &Leader,
        request: &mut Repeatable,
    ) -> Result<ForwardedAnswer, Unreached> {
        match self.client.send(leader, request.again()).await {
            Ok((response, permit)) => Ok(answer(response, permit)),
            Err((why, unsent)) => {
                request.body = unsent;
                Err(why)
            }
        }
    }
}

/// What a client says that waits to be asked for the body.
const CONTINUE: &[u8] = b"100-continue";

/// Completes once the body is to be read.
type IsRead = Pin<Box<dyn Future<Output = ()> + Send>>;

const IN_DOUBT: &str = "the node that leads was lost, and may have carried this out or not: look before you send it again";

fn nobody() -> Problem {
    Problem::unavailable("no node leads at the moment", LOOK_AGAIN)
}

impl Elsewhere for HttpForwarder {
    fn answer(
        &self,
        request: ForwardRequest,
    ) -> Pin<Box<dyn Future<Output = ForwardedAnswer> + Send + '_>> {
        Box::pin(async move {
            let answer = self.ask(request).await;
            answer.unwrap_or_else(|problem| (problem.reply(), None))
        })
    }

    fn gone(&self, connection: u64) {
        let Some(leader) = self.leader.borrow().clone() else {
            return;
        };
        let (client, number) = (Arc::clone(&self.client), HeaderValue::from(connection));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let mut request = Request::new(whole(Bytes::new()));
                *request.method_mut() = Method::POST;
                *request.uri_mut() = uri(GONE_PATH);
                request.headers_mut().insert(CONNECTION_NUMBER, number);
                client.tell(&leader, request).await;
            });
        }
    }
}

impl Repeatable {
    /// Of a request, with its number and when its body is to be read if its client waits for that.
    fn new(request: ForwardRequest, waits: Option<(u64, IsRead)>) -> Result<Self, Problem> {
        let unsayable =
            |_: InvalidHeaderValue| Problem::bad_request("the head cannot be handed on");
        let Parts {
            method,
            uri,
            mut headers,
            ..
        } = request.head;
        let between = |name: &HeaderName| name.as_str().starts_with(BETWEEN_NODES);
        let foreign: Vec<HeaderName> = headers
            .keys()
            .filter(|name| between(name))
            .cloned()
            .collect();
        foreign
            .iter()
            .chain(&OF_CONNECTION)
            .for_each(|name| drop(headers.remove(name)));
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        headers.insert(
            METHOD,
            HeaderValue::from_str(method.as_str()).map_err(unsayable)?,
        );
        headers.insert(TARGET, HeaderValue::from_str(target).map_err(unsayable)?);
        let source = HeaderValue::from_str(&request.source.to_string()).map_err(unsayable)?;
        headers.insert(SOURCE, source);
        headers.insert(CONNECTION_NUMBER, HeaderValue::from(request.connection));
        let is_read = waits.map(|(number, is_read)| {
            headers.insert(EXPECTS, HeaderValue::from(number));
            is_read
        });
        if let Some(der) = request.certificate {
            let text = HeaderValue::from_str(&Base64::encode_string(&der)).map_err(unsayable)?;
            headers.insert(CERTIFICATE, text);
        }
        let reads = matches!(method, Method::GET | Method::HEAD) && request.body.is_end_stream();
        Ok(Self {
            fields: headers,
            body: Some(Box::pin(Taken {
                body: request.body,
                is_read,
            })),
            reads,
        })
    }

    fn may_be_repeated(&self) -> bool {
        self.reads || self.body.is_some()
    }

    fn again(&mut self) -> Request<ChannelBody> {
        let body = self.body.take().unwrap_or_else(|| whole(Bytes::new()));
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri(PATH);
        *request.headers_mut() = self.fields.clone();
        request
    }
}

fn answer(response: Response<Incoming>, permit: OwnedSemaphorePermit) -> ForwardedAnswer {
    let (mut head, body) = response.into_parts();
    let user = head.headers.remove(USER);
    let user = user.and_then(|user| String::from_utf8(user.as_bytes().to_vec()).ok());
    head.headers.remove(PROTOCOL_FIELD);
    let body = Given {
        body,
        _permit: permit,
    };
    let mut reply = HttpResponse::new(Box::pin(body));
    *reply.status_mut() = head.status;
    *reply.headers_mut() = head.headers;
    (reply, user)
}

/// The body of a client's request.
struct Taken {
    body: Incoming,
    /// None if it is to be read at once.
    is_read: Option<IsRead>,
}

impl Body for Taken {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some(is_read) = &mut self.is_read {
            ready!(is_read.as_mut().poll(cx));
            self.is_read = None;
        }
        match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            // No route has a use for trailers, of which some may not be passed on.
            Some(Ok(frame)) if !frame.is_data() => Poll::Ready(None),
            frame => Poll::Ready(frame.map(|frame| frame.map_err(Into::into))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of the leader's response.
struct Given {
    body: Incoming,
    _permit: OwnedSemaphorePermit,
}

impl Body for Given {
    type Data = Bytes;
    type Error = Interrupted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        polled.map(|frame| {
            frame.map(|frame| {
                frame.map_err(|error| {
                    debug!(%error, "the response of the leader broke off");
                    Interrupted
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
