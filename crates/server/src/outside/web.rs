//! One HTTP request to an agent elsewhere: to an allowed address, limited in time and size.
//!
//! A connection serves one request. The content of requests is not known here. Read next:
//! [`crate::http_client`].

use crate::fence::Fence;
use crate::http_client::{ClientResponse, HttpClient, TrustError, Unanswered, secret, within};
use crate::webhook::target::{AllowList, Inadmissible};
use a2a::sse::{MEDIA_TYPE, SseDecoder, SseEvent};
use bindings::a2a::outside::PeerRequest;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, http};
use std::collections::VecDeque;
use std::path::Path;
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
    http: HttpClient,
}

impl Web {
    pub(super) fn new(
        allowed: AllowList,
        authorities: Option<&Path>,
        fence: Fence,
    ) -> Result<Self, TrustError> {
        let http = HttpClient::new(allowed, authorities, 0)?.fenced_by(fence);
        Ok(Self { http })
    }

    /// Checks that connections to a URL are allowed.
    pub(super) fn admits(&self, url: &str) -> Result<(), Inadmissible> {
        self.http.allowed().admit_url(url).map(drop)
    }

    /// Sends a request; returns the response, its body limited in length, within a time.
    pub(super) async fn ask(
        &self,
        sending: &PeerRequest,
        token: Option<&str>,
        most: usize,
        patience: Duration,
    ) -> Result<Answer, Failure> {
        let asked = async {
            let response = self.send(sending, token).await?;
            Ok(Answer {
                status: response.status(),
                etag: response.field(ETAG).map(str::to_owned),
                body: response.bytes(most).await?,
            })
        };
        within(patience, asked).await
    }

    /// Opens a stream of events.
    pub(super) async fn follow(
        &self,
        sending: &PeerRequest,
        token: Option<&str>,
        patience: Duration,
    ) -> Result<Events, Failure> {
        let response = within(patience, self.send(sending, token)).await?;
        let (status, kind) = (response.status(), response.field(CONTENT_TYPE));
        let kind = kind.unwrap_or_default();
        match status == 200 && kind.starts_with(MEDIA_TYPE) {
            false => Err(Failure::Answer(format!("no stream, but {status} {kind}"))),
            true => Ok(Events {
                response,
                frames: SseDecoder::within(EVENT_MOST),
                whole: VecDeque::new(),
            }),
        }
    }

    async fn send(
        &self,
        sending: &PeerRequest,
        token: Option<&str>,
    ) -> Result<ClientResponse, Failure> {
        let target = self.http.allowed().admit_url(&sending.url)?;
        let (method, mut fields) = head(sending).map_err(Unanswered::Request)?;
        if let Some(token) = token {
            let value = secret(&format!("Bearer {token}"));
            let value =
                value.map_err(|_| Failure::Answer("the token for it is no token".to_owned()))?;
            fields.append(AUTHORIZATION, value);
        }
        let body = sending.body.clone();
        Ok(self.http.send(&target, method, fields, body).await?)
    }
}

fn head(sending: &PeerRequest) -> Result<(Method, HeaderMap), http::Error> {
    let mut fields = HeaderMap::new();
    for (name, value) in &sending.fields {
        fields.append(HeaderName::try_from(*name)?, HeaderValue::try_from(value)?);
    }
    Ok((Method::try_from(sending.verb)?, fields))
}

/// The events of a stream.
pub(super) struct Events {
    response: ClientResponse,
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
            let piece = timeout(SILENCE, self.response.piece()).await.ok()?.ok()??;
            self.whole.extend(self.frames.push(&piece).ok()?);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fence::tests::goes_out_only_while_leading;

    #[tokio::test]
    async fn who_leads_no_more_asks_nobody_elsewhere() {
        goes_out_only_while_leading(async |origin, fence| {
            let allowed = AllowList::new(&[], std::slice::from_ref(&origin)).unwrap();
            let web = Web::new(allowed, None, fence).unwrap();
            let sending = PeerRequest {
                verb: "GET",
                url: origin,
                fields: Vec::new(),
                body: String::new(),
            };
            let asked = web.ask(&sending, None, 1_024, Duration::from_secs(60));
            asked.await?;
            Ok(())
        })
        .await;
    }
}
