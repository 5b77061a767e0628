//! One POST: to a checked address, over TLS if the URL's scheme is `https`, signed, once.
//!
//! Follows no redirects, uses no proxy and no cookies, and no credentials except those of the
//! request. Connections are made by [`crate::dialer`], kept for a while and reused. Retries are
//! scheduled by [`super::schedule`]. Read next: [`super::delivery`].

use super::signature::Sealer;
use super::target::{AllowList, Origin, Target};
use crate::dialer::{Dialer, Sender, TrustError, Unanswered};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::path::Path;
use std::pin::Pin;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The most idle connections kept to one host.
const KEPT: usize = 4;
/// The longest time for which an idle connection is kept.
const KEPT_FOR: Duration = Duration::from_secs(30);
/// The most bytes of a response's body that are read so that its connection can be reused.
const ANSWER_MOST: usize = 64 * 1_024;
/// A request to be posted.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingRequest {
    /// The type of the body.
    pub media_type: &'static str,
    /// Further fields for the receiver, which may be secrets.
    pub fields: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

/// The client that posts reports; share it in an `Arc`.
pub struct WebhookClient {
    dialer: Dialer,
    sealer: Sealer,
    kept: Mutex<BTreeMap<Origin, Vec<(Instant, Sender)>>>,
}

impl WebhookClient {
    /// A client for the origins of this list. Certificates are verified with the authorities in
    /// `authorities` (PEM), or with those that the system trusts.
    ///
    /// # Errors
    /// [`TrustError`] if there is no authority to trust.
    pub fn new(
        allowed: AllowList,
        sealer: Sealer,
        authorities: Option<&Path>,
    ) -> Result<Self, TrustError> {
        Ok(Self {
            dialer: Dialer::new(allowed, authorities)?,
            sealer,
            kept: Mutex::default(),
        })
    }

    /// The list of allowed origins.
    pub fn allowed(&self) -> &AllowList {
        self.dialer.allowed()
    }

    /// Posts a request and returns the status of the response. `created` is the time of the
    /// signature, in seconds since 1970.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn post(
        &self,
        target: &Target,
        outgoing: OutgoingRequest,
        created: i64,
    ) -> Result<u16, Unanswered> {
        let mut request = self.request(target, outgoing, created)?;
        // A kept connection may have been closed meanwhile; what it did not take goes on a new one.
        while let Some(mut sender) = self.take_kept(&target.origin) {
            match sender.try_send(request).await {
                Ok(response) => return self.finish(&target.origin, sender, response).await,
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(error.into_error().into()),
                },
            }
        }
        let mut sender = self.dialer.connect(&target.origin).await?;
        let response = sender.send(request).await?;
        self.finish(&target.origin, sender, response).await
    }

    fn request(
        &self,
        target: &Target,
        outgoing: OutgoingRequest,
        created: i64,
    ) -> Result<Request<String>, hyper::http::Error> {
        let (uri, media_type) = (target.to_string(), outgoing.media_type);
        let seal = self.sealer.seal(&uri, media_type, &outgoing.body, created);
        let mut request = Request::post(&target.path)
            .header(HOST, target.origin.authority())
            .header(USER_AGENT, concat!("convoke/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, media_type)
            .header("content-digest", seal.content_digest)
            .header("signature-input", seal.signature_input)
            .header("signature", seal.signature);
        for (name, value) in outgoing.fields {
            let mut value = HeaderValue::try_from(value)?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request.body(outgoing.body)
    }

    /// Reads the response, and keeps the connection if it can be reused.
    async fn finish(
        &self,
        origin: &Origin,
        sender: Sender,
        response: Response<Incoming>,
    ) -> Result<u16, Unanswered> {
        let status = response.status().as_u16();
        if was_read(response.into_body()).await && !sender.is_closed() {
            self.keep(origin, sender);
        }
        Ok(status)
    }

    fn keep(&self, origin: &Origin, sender: Sender) {
        let mut kept = self.kept.lock().expect("no holder panics");
        kept.retain(|_, connections| {
            connections.retain(|(since, sender)| is_usable(*since, sender));
            !connections.is_empty()
        });
        let connections = kept.entry(origin.clone()).or_default();
        if connections.len() < KEPT {
            connections.push((Instant::now(), sender));
        }
    }

    fn take_kept(&self, origin: &Origin) -> Option<Sender> {
        let mut kept = self.kept.lock().expect("no holder panics");
        let connections = kept.get_mut(origin)?;
        std::iter::from_fn(|| connections.pop())
            .find(|(since, sender)| is_usable(*since, sender))
            .map(|(_, sender)| sender)
    }
}

fn is_usable(since: Instant, sender: &Sender) -> bool {
    since.elapsed() < KEPT_FOR && sender.is_ready()
}

/// Reads a response's body; false if it is too long or incomplete.
async fn was_read(mut body: Incoming) -> bool {
    let mut size = 0;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(frame) = frame else {
            return false;
        };
        size += frame.data_ref().map_or(0, |data| data.len());
        if size > ANSWER_MOST {
            return false;
        }
    }
    true
}
