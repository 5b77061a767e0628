//! What the door answers with: a body at once, or one that goes on.
//!
//! A body that goes on ends by itself, or when the door closes, or when the credential under it
//! counts no more: then it ends as streams end, so that what was sent stays good. Read next:
//! [`super::door`].

use hyper::Response;
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// An answer.
pub type Reply = Response<Body>;

/// The body of an answer: any body whose frames cannot fail.
pub type Body = Pin<Box<dyn HttpBody<Data = Bytes, Error = Infallible> + Send>>;

/// A body that is there as a whole.
pub fn whole(bytes: impl Into<Bytes>) -> Body {
    Box::pin(Whole(Some(bytes.into())))
}

/// A body whose pieces are still to come; it ends when the sender is dropped. Give it an `mpsc`
/// channel with few places: a client that reads slowly then holds its sender back.
pub fn stream(pieces: mpsc::Receiver<Bytes>) -> Body {
    Box::pin(Pieces(pieces))
}

/// An answer with a JSON document.
pub fn json(document: &Value) -> Reply {
    let mut reply = Reply::new(whole(document.to_string()));
    let media_type = HeaderValue::from_static("application/json");
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    reply
}

struct Whole(Option<Bytes>);

impl HttpBody for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Bytes::len) as u64)
    }
}

struct Pieces(mpsc::Receiver<Bytes>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.0.poll_recv(cx);
        piece.map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// When a body must end, whatever it has still to say.
pub(super) type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A body that ends when it must, and holds something until then.
pub(super) struct Ending<H> {
    body: Body,
    /// None for a body that is there as a whole.
    end: Option<End>,
    _held: H,
}

impl<H> Ending<H> {
    /// `end` is only made for a body that goes on.
    pub(super) fn new(body: Body, held: H, end: impl FnOnce() -> End) -> Self {
        let goes_on = body.size_hint().exact().is_none();
        Self {
            body,
            end: goes_on.then(end),
            _held: held,
        }
    }
}

impl<H: Unpin> HttpBody for Ending<H> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(cx).is_ready()
        {
            self.end = None;
            self.body = whole(Bytes::new());
            return Poll::Ready(None);
        }
        self.body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
