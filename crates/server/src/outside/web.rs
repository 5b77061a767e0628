//! One HTTP request to an agent elsewhere: to an allowed address, limited in time and size.
//!
//! Follows no redirects, which could lead elsewhere; a connection serves one request. The content
//! of requests is not known here. Read next: [`crate::dialer`].

use crate::dialer::{Dialer, Unanswered};
use crate::webhook::target::Inadmissible;
use a2a::sse::{MEDIA_TYPE, SseDecoder, SseEvent};
use bindings::a2a::outside::Sending;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::timeout;

/// The longest event of a stream, in bytes.
const EVENT_MOST: usize = 4 * 1_024 * 1_024;
/// The time of silence after which a stream counts as broken; agents send comments more often.
const SILENCE: Duration = Duration::from_secs(90);

/// The reason for which there is no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The URL is malformed, or no connection is allowed there.
    #[error("its address cannot be used: {0}")]
    Address(#[from] Inadmissible),
    /// No response was received.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    /// The response is too long.
    #[error("the answer is longer than {most} bytes")]
    Long {
        /// The limit, in bytes.
        most: usize,
    },
    /// The response is malformed.
    #[error("the answer cannot be used: {0}")]
    Answer(String),
}

/// A response.
pub(super) struct Answer {
    pub(super) status: u16,
    /// `ETag`, if it has one.
    pub(super) etag: Option<String>,
    pub(super) body: Vec<u8>,
}

/// An HTTP client.
pub(super) struct Web {
    dialer: Dialer,
}

impl Web {
    pub(super) fn new(dialer: Dialer) -> Self {
        Self { dialer }
    }

    /// Checks that connections to a URL are allowed.
    pub(super) fn admits(&self, url: &str) -> Result<(), Inadmissible> {
        self.dialer.allowed().admit_url(url).map(drop)
    }

    /// Sends a request; returns the response, its body limited in length, within a time.
    pub(super) async fn ask(
        &self,
        sending: &Sending,
        token: Option<&str>,
        most: usize,
        patience: Duration,
    ) -> Result<Answer, Failure> {
        let asked = async {
            let response = self.send(sending, token).await?;
            let etag = response.headers().get(ETAG);
            let etag = etag.and_then(|tag| tag.to_str().ok()).map(str::to_owned);
            Ok(Answer {
                status: response.status().as_u16(),
                etag,
                body: whole(response.into_body(), most).await?,
            })
        };
        within(patience, asked).await
    }

    /// Opens a stream of events.
    pub(super) async fn follow(
        &self,
        sending: &Sending,
        token: Option<&str>,
        patience: Duration,
    ) -> Result<Events, Failure> {
        let response = within(patience, self.send(sending, token)).await?;
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let status = response.status().as_u16();
        match status == 200 && kind.starts_with(MEDIA_TYPE) {
            true => Ok(Events {
                body: response.into_body(),
                frames: SseDecoder::within(EVENT_MOST),
                whole: VecDeque::new(),
            }),
            false => Err(Failure::Answer(format!("no stream, but {status} {kind}"))),
        }
    }

    async fn send(
        &self,
        sending: &Sending,
        token: Option<&str>,
    ) -> Result<Response<Incoming>, Failure> {
        let target = self.dialer.allowed().admit_url(&sending.url)?;
        let mut request = Request::builder()
            .method(sending.verb)
            .uri(&target.path)
            .header(HOST, target.origin.authority())
            .header(USER_AGENT, concat!("convoke/", env!("CARGO_PKG_VERSION")));
        for (name, value) in &sending.fields {
            request = request.header(*name, value);
        }
        if let Some(token) = token {
            let mut value = HeaderValue::try_from(format!("Bearer {token}"))
                .map_err(|_| Failure::Answer("the token for it is no token".to_owned()))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let request = request.body(sending.body.clone());
        let request = request.map_err(Unanswered::Request)?;
        let mut sender = self.dialer.connect(&target.origin).await?;
        let response = sender.send(request).await;
        Ok(response.map_err(Unanswered::Http)?)
    }
}

async fn within<T>(
    patience: Duration,
    asked: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let late = Unanswered::Late {
        ms: patience.as_millis() as u64,
    };
    timeout(patience, asked).await.unwrap_or(Err(late.into()))
}

async fn whole(mut body: Incoming, most: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while let Some(piece) = piece(&mut body).await? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > most {
            return Err(Failure::Long { most });
        }
    }
    Ok(bytes)
}

/// The next piece of a body; none at its end.
async fn piece(body: &mut Incoming) -> Result<Option<Bytes>, Failure> {
    match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
        None => Ok(None),
        Some(Err(broken)) => Err(Unanswered::Http(broken).into()),
        Some(Ok(frame)) => Ok(Some(frame.into_data().unwrap_or_default())),
    }
}

/// The events of a stream.
pub(super) struct Events {
    body: Incoming,
    frames: SseDecoder,
    whole: VecDeque<SseEvent>,
}

impl Events {
    /// The data of the next event; none at the end of the stream, or when it breaks. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(frame) = self.whole.pop_front() {
                return Some(frame.data);
            }
            let piece = timeout(SILENCE, piece(&mut self.body)).await.ok()?.ok()??;
            self.whole.extend(self.frames.push(&piece).ok()?);
        }
    }
}
