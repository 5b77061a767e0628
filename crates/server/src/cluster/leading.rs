//! The sessions and requests that other nodes forward to the one that leads: they are those of its own
//! platform, with its rights, shares and limits.
//!
//! Whether a user and a key count is decided here, by the files of this node, whatever the other one found.
//! Nothing goes out once the lead is lost. Read next: [`super::session_forwarder`], the other side of a session;
//! [`crate::session`], which serves it.

use super::channel::{
    Answering, BoxError, ChannelBody, NODE_FIELD, PROTOCOL, PROTOCOL_FIELD, at_once, number,
    refusal, short, whole,
};
use super::heads;
use super::http_forwarder::{self, CONNECTION_NUMBER};
use super::input::Input;
use super::opening::{Marks, Opening, SessionEnd, endpoint_of};
use super::record::{ToClient, write_data};
use super::settings_digests::SettingsDigests;
use super::wanted::{EXPECTS, Wanted};
use crate::fence::Fence;
use crate::host::Entrance;
use crate::http::ForwardedAnswer;
use crate::http::body::ResponseBody;
use crate::session::forwarded::{
    CannotReturn, ForwardedSession, ForwardedSessions, Last, Returning,
};
use crate::session::{self, Parts};
use crate::ssh::entry::ForwardedEntry;
use crate::ssh::{ByteStream, PublicKey};
use base64ct::{Base64, Encoding as _};
use bindings::netconf::{Peer, SavedSession, SessionInput, SessionMark};
use domain::audit::{AuditEvent, AuditKind};
use domain::negotiation::RequestKey;
use engine::Endpoint;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, DuplexStream, ReadBuf};
use tokio::time::timeout;
use tracing::info;

/// The time for a session to be introduced.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// The output of a session that may wait for the channel, in bytes.
const PIPE_BYTES: usize = 64 << 10;
/// The most bytes of an event to be recorded.
const EVENT_BYTES: usize = 16 << 10;
/// The most bytes in a frame.
const FRAME_BYTES: usize = 16 << 10;

/// What this node serves to others while it leads.
pub(super) struct LeadingNode {
    pub(super) entrance: Entrance,
    pub(super) sessions: Arc<ForwardedSessions>,
    pub(super) term: u64,
    pub(super) wanted: Arc<Wanted>,
}

/// The reason for which a session is not taken up.
#[derive(Debug)]
enum Refused {
    /// What was said cannot be read.
    Unreadable(String),
    /// It may not, or it is over: it is useless to ask again.
    ForGood(&'static str),
    /// There is no room now.
    ForNow(&'static str),
}

impl From<CannotReturn> for Refused {
    fn from(why: CannotReturn) -> Self {
        Self::ForGood(match why {
            CannotReturn::Over => "the session is over",
            CannotReturn::Outdated => "the session has returned since",
        })
    }
}

impl LeadingNode {
    /// What its output passes.
    pub(super) fn fence(&self) -> &Fence {
        self.entrance.clock.fence()
    }

    /// Takes a session up that another node has accepted.
    pub(super) async fn session(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Response<ChannelBody> {
        let node = request.headers().get(NODE_FIELD);
        let node = node.and_then(|node| node.to_str().ok().map(str::to_owned));
        let mut input = Input::new(request.into_body());
        let opened = match timeout(INTRODUCTION, input.opening()).await {
            Ok(Ok(opening)) => self.open(opening, input, node).await,
            Ok(Err(error)) => Err(Refused::Unreadable(error.to_string())),
            Err(_) => Err(Refused::Unreadable("it took too long".to_owned())),
        };
        let (status, body) = match opened {
            Ok(output) => {
                let fence = self.fence().clone();
                let body: ChannelBody = Box::pin(Piped { output, fence });
                (StatusCode::OK, body)
            }
            Err(Refused::Unreadable(why)) => (StatusCode::BAD_REQUEST, whole(why)),
            Err(Refused::ForGood(why)) => (StatusCode::FORBIDDEN, whole(why)),
            Err(Refused::ForNow(why)) => (StatusCode::SERVICE_UNAVAILABLE, whole(why)),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        response
    }

    /// Answers a request that another node has taken; `way` is the number of the connection to it.
    pub(super) fn request(self: Arc<Self>, request: Request<Incoming>, way: u64) -> Answering {
        let Some(http) = &self.entrance.http else {
            return at_once(refusal(
                StatusCode::NOT_FOUND,
                "this node has no HTTP server",
            ));
        };
        let Some((far, mut request)) = taken(request) else {
            return at_once(refusal(
                StatusCode::BAD_REQUEST,
                "the request cannot be read",
            ));
        };
        let waiting = far.expects.map(|number| {
            let (waiting, told) = self.wanted.enter((way, number));
            request.extensions_mut().insert(told);
            waiting
        });
        let of = (way, far.connection);
        let answered = http.answer(of, far.source, far.certificate, request);
        Box::pin(async move {
            let _waiting = waiting;
            self.passed_on(answered).await
        })
    }

    /// The answer to a client, for as long as this node leads.
    async fn passed_on(
        self: Arc<Self>,
        answered: impl Future<Output = ForwardedAnswer>,
    ) -> Response<ChannelBody> {
        let (reply, user) = answered.await;
        if !self.fence().passes() {
            // It was carried out, or may have been.
            return refusal(StatusCode::BAD_GATEWAY, "this node leads no more");
        }
        let fence = self.fence().clone();
        let mut reply = reply.map(|body| Box::pin(Answered { body, fence }) as ChannelBody);
        reply.headers_mut().insert(PROTOCOL_FIELD, PROTOCOL);
        if let Some(user) = user.and_then(|user| HeaderValue::from_bytes(user.as_bytes()).ok()) {
            reply.headers_mut().insert(http_forwarder::USER, user);
        }
        reply
    }

    /// The last head of the state, and the digest of the entry that is asked about; and these settings.
    pub(super) async fn head(
        self: Arc<Self>,
        body: Incoming,
        settings: Option<Arc<SettingsDigests>>,
    ) -> Response<ChannelBody> {
        heads::answer(self.entrance.clone(), body, settings).await
    }

    /// Whether a session is over whose client takes nothing: 410 if it is.
    pub(super) fn is_over(&self, request: &Request<Incoming>) -> Response<ChannelBody> {
        let session = number(request.headers(), &CONNECTION_NUMBER)
            .and_then(|number| u32::try_from(number).ok());
        match session.is_some_and(|session| self.sessions.is_over(session)) {
            true => refusal(StatusCode::GONE, "the session is over"),
            false => Response::new(whole(Bytes::new())),
        }
    }

    /// Notes that a connection to another node has ended.
    pub(super) fn gone(&self, request: &Request<Incoming>, way: u64) -> Response<ChannelBody> {
        let number = number(request.headers(), &CONNECTION_NUMBER);
        if let (Some(http), Some(number)) = (&self.entrance.http, number) {
            http.gone((way, number));
        }
        Response::new(whole(Bytes::new()))
    }

    /// Records a login that another node has refused; whatever else happens to clients is recorded here.
    pub(super) async fn audit(self: Arc<Self>, body: Incoming) -> Response<ChannelBody> {
        let read = timeout(INTRODUCTION, short(body, EVENT_BYTES)).await;
        let event = read.ok().flatten();
        let event = event.and_then(|bytes| serde_json::from_slice::<AuditEvent>(&bytes).ok());
        match event.filter(|event| event.kind == AuditKind::LoginFailed) {
            Some(event) => {
                let at = &self.entrance;
                at.platform.engine().audit(event, at.clock.now());
                Response::new(whole(Bytes::new()))
            }
            None => refusal(StatusCode::BAD_REQUEST, "the event cannot be read"),
        }
    }

    /// Records that another node was given what the folders of all nodes have alike.
    pub(super) fn joined(&self, node: &str, source: &str) {
        let event = AuditEvent::new(AuditKind::NodeJoined, "").to(node);
        let at = &self.entrance;
        let event = event.from(source);
        at.platform.engine().audit(event, at.clock.now());
    }

    /// Records the end of a session that ended while nobody had it, unless that is known here.
    pub(super) async fn session_ended(self: Arc<Self>, body: Incoming) -> Response<ChannelBody> {
        let read = timeout(INTRODUCTION, short(body, EVENT_BYTES)).await;
        let end = read.ok().flatten();
        let end = end.and_then(|bytes| serde_json::from_slice::<SessionEnd>(&bytes).ok());
        let Some(end) = end else {
            return refusal(StatusCode::BAD_REQUEST, "the end cannot be read");
        };
        if let Ok(returning) = self.sessions.returns(end.id, u64::MAX).await {
            let peer = Peer {
                user: end.user,
                source_host: end.source.to_string(),
            };
            let at = &self.entrance;
            at.platform.record_end(end.id, &peer, at.clock.now());
            returning.end();
        }
        Response::new(whole(Bytes::new()))
    }

    async fn open(
        &self,
        opening: Opening,
        input: Input,
        node: Option<String>,
    ) -> Result<DuplexStream, Refused> {
        let unreadable = |what: &str| Refused::Unreadable(what.to_owned());
        let endpoint = endpoint_of(&opening.endpoint).ok_or_else(|| unreadable("the endpoint"))?;
        let key = PublicKey::from_openssh(&opening.key).map_err(|_| unreadable("the key"))?;
        let saved = match opening.saved {
            None => None,
            Some(form) => Some(form.read().ok_or_else(|| unreadable("what was saved"))?),
        };
        let at = &self.entrance;
        if !at.serves(&endpoint) {
            return Err(Refused::ForGood("there is no such endpoint"));
        }
        let saved = match saved {
            None => None,
            Some(saved) => {
                let returning = self.sessions.returns(saved.id, opening.attempt).await;
                Some((saved, returning.map_err(Refused::from)?))
            }
        };
        let begins = saved.is_none().then(|| opening.source.ip());
        let (user, authenticator) = (opening.user, at.authenticator.as_ref());
        let Some(user) = authenticator.authenticate(&user, &key) else {
            return Err(Refused::ForGood("the key does not count here"));
        };
        let entry = ForwardedEntry::of(&at.limiter, authenticator, &user, &key, begins);
        let entry = entry.map_err(|why| {
            info!(ssh.address = %opening.source, user, "{why}: '{user}' at {} is sent away", opening.source);
            match why {
                crate::ssh::entry::TAKEN_AWAY => Refused::ForGood(why),
                _ => Refused::ForNow(why),
            }
        })?;
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let (_, writer) = tokio::io::split(near);
        let stream = ByteStream::new(tokio::io::join(input, writer));
        let (connection, offset) = (opening.connection, opening.answered);
        let input = SessionInput {
            first: RequestKey { connection, offset },
            doubtful: opening.doubtful,
        };
        // Other endpoints have streams of their own, whose places say nothing of the log's.
        let node = node.filter(|_| endpoint == Endpoint::Platform);
        let forwarded = self.forwarded(saved, input, node);
        let parts = Parts {
            platform: Arc::clone(&at.platform),
            endpoint,
            peer: Peer {
                user: user.clone(),
                source_host: opening.source.ip().to_string(),
            },
            clock: Arc::clone(&at.clock),
            patience: at.patience,
            login: entry.login(),
        };
        let serving = at
            .shares
            .of(&user)
            .run(session::serve_forwarded(stream, parts, forwarded));
        tokio::spawn(async move {
            let _entry = entry;
            serving.await;
        });
        Ok(far)
    }

    fn forwarded(
        &self,
        saved: Option<(SavedSession, Returning)>,
        input: SessionInput,
        node: Option<String>,
    ) -> ForwardedSession {
        let mut marks = Marks::default();
        let telling = move |output: Vec<u8>, mark: &SessionMark, last| {
            let mut told = Vec::with_capacity(output.len() + 256);
            write_data(&output, &mut told);
            match last {
                Last::No => ToClient::Quiet(marks.write(mark)).write(&mut told),
                Last::Over => ToClient::<()>::Close.write(&mut told),
                Last::Killed => ToClient::<()>::Killed.write(&mut told),
            }
            told
        };
        let ends = [ToClient::<()>::Close, ToClient::Left].map(|end| {
            let mut told = Vec::new();
            end.write(&mut told);
            told
        });
        ForwardedSession::new(
            saved,
            input,
            Box::new(telling),
            ends,
            (&self.sessions, self.term, node),
        )
    }
}

/// What is told of a client beside its request.
struct FarClient {
    source: SocketAddr,
    certificate: Option<Vec<u8>>,
    /// The number of its connection.
    connection: u64,
    /// The number of its request, if it waits to be asked for the body.
    expects: Option<u64>,
}

/// The request as its client has made it; none if it cannot be read.
fn taken(mut request: Request<Incoming>) -> Option<(FarClient, Request<Incoming>)> {
    let fields = request.headers_mut();
    let connection = number(fields, &CONNECTION_NUMBER)?;
    let expects = number(fields, &EXPECTS);
    let method = Method::from_bytes(fields.remove(http_forwarder::METHOD)?.as_bytes()).ok()?;
    let target: Uri = fields
        .remove(http_forwarder::TARGET)?
        .to_str()
        .ok()?
        .parse()
        .ok()?;
    let source = fields
        .remove(http_forwarder::SOURCE)?
        .to_str()
        .ok()?
        .parse()
        .ok()?;
    let certificate = match fields.remove(http_forwarder::CERTIFICATE) {
        None => None,
        Some(text) => Some(Base64::decode_vec(text.to_str().ok()?).ok()?),
    };
    let is_between = |name: &HeaderName| name.as_str().starts_with(http_forwarder::BETWEEN_NODES);
    let between: Vec<_> = fields
        .keys()
        .filter(|name| is_between(name))
        .cloned()
        .collect();
    between.iter().for_each(|name| drop(fields.remove(name)));
    *request.method_mut() = method;
    *request.uri_mut() = target;
    let client = FarClient {
        source,
        certificate,
        connection,
        expects,
    };
    Some((client, request))
}

/// A response on its way, for as long as this node leads.
struct Answered {
    body: ResponseBody,
    fence: Fence,
}

impl Body for Answered {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(self.body.as_mut().poll_frame(cx));
        if frame.is_some() {
            self.fence.checked()?;
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The output of a session on its way, for as long as this node leads.
struct Piped {
    output: DuplexStream,
    fence: Fence,
}

impl Body for Piped {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let mut space = [std::mem::MaybeUninit::uninit(); FRAME_BYTES];
        let mut buf = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut self.output).poll_read(cx, &mut buf))?;
        if buf.filled().is_empty() {
            return Poll::Ready(None);
        }
        self.fence.checked()?;
        let bytes = Bytes::copy_from_slice(buf.filled());
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}
