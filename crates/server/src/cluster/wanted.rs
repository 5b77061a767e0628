//! Bodies that clients send only once they are asked for (`Expect: 100-continue`, RFC 9110 §10.1.1).
//!
//! ```text
//! node ──/http, with a number──────────► leader   looks at the head, and refuses or begins to read
//!      ──/http-wanted, the same number─►          answered when it reads: only now the client is asked
//! ```
//!
//! The library asks a client for its body when that is first looked at, so the node looks no sooner. Read next:
//! [`super::http_forwarder`] and [`super::leading`], the two sides of a request.

use super::channel::{
    Answering, ChannelBody, ChannelClient, Unreached, at_once, number, refusal, uri, whole,
};
use super::leader::LeaderWatch;
use crate::http::BodyWanted;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The path on the channel of whether a body is read.
pub(super) const PATH: &str = "/http-wanted";

/// The number of a request whose client waits to be asked for the body.
pub(super) const EXPECTS: HeaderName = HeaderName::from_static("convoke-expects");

/// Completes once the leader reads the body of the request of this number; never if it does not.
pub(super) async fn is_read(client: Arc<ChannelClient>, leader: LeaderWatch, number: u64) {
    let known = leader.borrow().clone();
    let mut request = Request::new(whole(Bytes::new()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(PATH);
    request
        .headers_mut()
        .insert(EXPECTS, HeaderValue::from(number));
    let answered = match &known {
        Some(known) => client.send(known, request).await,
        None => return pending().await,
    };
    match answered {
        Ok((response, _permit)) if response.status() == StatusCode::OK => {}
        // Without room to ask, the client sends what may not be read, as it would without asking.
        Err((Unreached::Full, _)) => {}
        // The request has its answer, or it ends with its leader.
        Ok(_) | Err(_) => pending().await,
    }
}

/// The requests here whose clients wait to be asked for the body, by the way to their node and by number.
#[derive(Debug, Default)]
pub(super) struct Wanted(Mutex<HashMap<(u64, u64), watch::Receiver<bool>>>);

/// A request among them, until it is dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    wanted: Arc<Wanted>,
    of: (u64, u64),
}

impl Wanted {
    /// Enters a request; what is returned second is to be told when its body is read.
    pub(super) fn enter(self: &Arc<Self>, of: (u64, u64)) -> (Waiting, BodyWanted) {
        let told = watch::Sender::new(false);
        self.lock().insert(of, told.subscribe());
        let wanted = Arc::clone(self);
        (Waiting { wanted, of }, BodyWanted(told))
    }

    /// Answers whether the body of a request is read: 200 when it is, 410 once it is not to be.
    pub(super) fn answer(&self, fields: &HeaderMap, way: u64) -> Answering {
        let known =
            number(fields, &EXPECTS).and_then(|number| self.lock().get(&(way, number)).cloned());
        let Some(mut known) = known else {
            return at_once(not_read());
        };
        Box::pin(async move {
            match known.wait_for(|is_read| *is_read).await {
                Ok(_) => Response::new(whole(Bytes::new())),
                Err(_) => not_read(),
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(u64, u64), watch::Receiver<bool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_read() -> Response<ChannelBody> {
    refusal(StatusCode::GONE, "it is not read")
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.wanted.lock().remove(&self.of);
    }
}
