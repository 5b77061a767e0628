//! A request as a route sees it: a head that passed the checks, and a body that is read within
//! limits.
//!
//! Its credential is removed; the [`super::Caller`] is a separate argument, which is renewed once
//! the body is read.

use super::caller::{Caller, HttpAuthenticator};
use super::elsewhere::BodyWanted;
use super::limits::HttpLimits;
use super::problem::Problem;
use super::share::Share;
use crate::token::{TokenEntry, TokenMark};
use engine::accounts::Held;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::CONTENT_LENGTH;
use hyper::http::request::Parts;
use std::future::poll_fn;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;
use tokio::time::timeout;

/// A request.
pub struct HttpRequest {
    /// Method, target and head fields, without `Authorization` and cookies.
    pub head: Parts,
    /// The path segments that match the wildcards of the route's pattern.
    pub captures: Vec<String>,
    pub(super) body: Incoming,
    pub(super) limits: Arc<HttpLimits>,
    pub(super) held: Arc<AtomicUsize>,
    /// The share of its user's memory that the body takes; none for unknown callers.
    pub(super) own: Option<Held>,
    pub(super) authenticator: Arc<HttpAuthenticator>,
    /// Changes of credentials since its sender was authenticated.
    pub(super) changes: watch::Receiver<u64>,
    /// The renewed caller, for the server, once the body is read.
    pub(super) asking: Arc<OnceLock<Caller>>,
}

/// A body that was read; its memory is given back with it.
#[derive(Debug)]
pub struct RequestBytes {
    bytes: Bytes,
    _share: Share,
    _own: Option<Held>,
}

impl Deref for RequestBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8]> for RequestBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl HttpRequest {
    /// What a session of the console keeps of the token that begins it.
    pub(crate) fn mark_of(&self, token: &TokenEntry) -> TokenMark {
        self.authenticator.tokens.mark(token)
    }

    /// Reads the body; the head remains in the request. The caller is then renewed from its
    /// credential and the present access rules.
    ///
    /// # Errors
    /// [`Problem`]: 413 if it is longer than 2 MiB, 408 if it takes longer than a minute, 503 if
    /// all bodies together are too many, 429 if those of its user are, 400 if it is incomplete, 401
    /// if the caller's credential is no longer valid when it is read.
    pub async fn content(&mut self, of: &mut Caller) -> Result<RequestBytes, Problem> {
        let most = self.limits.body_bytes_max;
        let announced = self.head.headers.get(CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: usize| length > most) {
            return Err(Problem::too_large(most));
        }
        if let Some(BodyWanted(told)) = self.head.extensions.remove() {
            told.send_replace(true);
        }
        let within = self.limits.body;
        let taken = timeout(within, self.take()).await;
        let taken = taken.unwrap_or_else(|_| Err(Problem::too_slow("the body", within)))?;
        if self.changes.has_changed().unwrap_or(false) {
            *of = self.authenticator.renewed(of)?;
        }
        // Nothing of a body is left to be taken in a second time.
        let _ = self.asking.set(of.clone());
        Ok(taken)
    }

    async fn take(&mut self) -> Result<RequestBytes, Problem> {
        let mut bytes = Vec::new();
        let mut share = Share::of(&self.held);
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await {
            let frame = frame.map_err(|_| Problem::bad_request("the body breaks off"))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if bytes.len() + data.len() > self.limits.body_bytes_max {
                return Err(Problem::too_large(self.limits.body_bytes_max));
            }
            if !share.grow(data.len(), self.limits.bodies_bytes_max) {
                let wait = self.limits.retry_after;
                return Err(Problem::unavailable("too many bodies at once", wait));
            }
            if let Some(own) = &mut self.own
                && (!own.set(bytes.len() + data.len())
                    || own.of_user() > self.limits.bodies_of_user_bytes_max)
            {
                let wait = self.limits.retry_after;
                return Err(Problem::too_many("this user holds too much at once", wait));
            }
            bytes.extend_from_slice(&data);
        }
        Ok(RequestBytes {
            bytes: bytes.into(),
            _share: share,
            _own: self.own.take(),
        })
    }
}
