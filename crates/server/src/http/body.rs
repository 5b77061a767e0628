//! What the door answers with: a body at once, or one that goes on.
//!
//! A body that goes on is made piece by piece, in its user's turns, each once the one before was
//! taken. It ends by itself, or when the door closes, or when the credential under it counts no
//! more: then it ends as streams end, so that what was sent stays good. Read next: [`super::door`];
//! [`super::delivery`], for what is not taken.

use super::delivery::Delivery;
use crate::fair::{LastingTurns, Share};
use hyper::Response;
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// An answer.
pub type Reply = Response<Body>;

/// The body of an answer: any body whose frames cannot fail.
pub type Body = Pin<Box<dyn HttpBody<Data = Bytes, Error = Infallible> + Send>>;

/// A body that is there as a whole.
pub fn whole(bytes: impl Into<Bytes>) -> Body {
    Box::pin(Whole(Some(bytes.into())))
}

/// The bytes of a text that others have as well; they are not copied.
pub fn shared(text: Arc<str>) -> Bytes {
    struct Utf8(Arc<str>);
    impl AsRef<[u8]> for Utf8 {
        fn as_ref(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }
    Bytes::from_owner(Utf8(text))
}

/// A body whose pieces are still to come: `next` makes one of what is left, and says what is left
/// then; it ends where there is none. A piece is made once the client has room for it, so that
/// nothing is queued for one that reads slowly.
pub fn unfold<S, N, F>(all: S, next: N) -> Body
where
    N: Fn(S) -> F + Send + Unpin + 'static,
    F: Future<Output = Option<(Bytes, S)>> + Send + 'static,
    S: 'static,
{
    let making = Some(Box::pin(next(all)));
    Box::pin(Unfold { next, making })
}

/// How many bytes of a body are there: all of them, or none of one that goes on.
pub(super) fn length(body: &Body) -> usize {
    body.size_hint().exact().unwrap_or(0) as usize
}

/// The same body, made in its user's turns; one that is there as a whole needs none.
pub(super) fn in_turn(body: Body, share: Share) -> Body {
    match body.size_hint().exact() {
        Some(_) => body,
        None => Box::pin(InTurn {
            turns: share.lasting(),
            body,
        }),
    }
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

struct Unfold<N, F> {
    next: N,
    /// The next piece; none at the end.
    making: Option<Pin<Box<F>>>,
}

impl<S, N, F> HttpBody for Unfold<N, F>
where
    N: Fn(S) -> F + Unpin,
    F: Future<Output = Option<(Bytes, S)>>,
{
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Self { next, making } = &mut *self;
        let Some(piece) = making else {
            return Poll::Ready(None);
        };
        let Some((bytes, left)) = ready!(piece.as_mut().poll(cx)) else {
            *making = None;
            return Poll::Ready(None);
        };
        piece.set(next(left));
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}

/// It is polled by a connection, which waits for turns of its own and may have a piece in hand.
struct InTurn {
    turns: LastingTurns,
    body: Body,
}

impl HttpBody for InTurn {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Self { turns, body } = &mut *self;
        ready!(turns.poll(cx));
        body.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// When a body must end, whatever it has still to say.
pub(super) type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A body on its way out: it ends when it must, counts until it is taken, and holds something while
/// it is under way.
pub(super) struct Outgoing<H> {
    body: Body,
    /// What was made and is not handed over.
    made: Bytes,
    /// None for a body that is there as a whole.
    end: Option<End>,
    delivery: Arc<Delivery>,
    _held: H,
}

impl<H> Outgoing<H> {
    /// It goes out as `delivery`, which has begun; `end` is only made for a body that goes on.
    pub(super) fn new(
        body: Body,
        delivery: Arc<Delivery>,
        held: H,
        end: impl FnOnce() -> End,
    ) -> Self {
        Self {
            end: body.size_hint().exact().is_none().then(end),
            body,
            made: Bytes::new(),
            delivery,
            _held: held,
        }
    }

    /// The next of what is to be handed over; none at the end.
    fn poll_made(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame<Bytes>>> {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(cx).is_ready()
        {
            self.end = None;
            self.body = Box::pin(Whole(None));
        }
        let frame = ready!(self.body.as_mut().poll_frame(cx));
        Poll::Ready(frame.map(|Ok(frame)| frame))
    }
}

impl<H: Unpin> HttpBody for Outgoing<H> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if this.made.is_empty() {
            match ready!(this.poll_made(cx)).map(Frame::into_data) {
                Some(Ok(bytes)) => this.made = bytes,
                Some(Err(trailers)) => return Poll::Ready(Some(Ok(trailers))),
                None => return this.delivery.poll_end(cx).map(|()| None),
            }
        }
        let piece = this.delivery.piece(&mut this.made);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.made.is_empty() && self.body.is_end_stream() && self.delivery.may_end()
    }

    fn size_hint(&self) -> SizeHint {
        let made = self.made.len() as u64;
        match self.body.size_hint().exact() {
            Some(more) => SizeHint::with_exact(made + more),
            None => SizeHint::default(),
        }
    }
}

impl<H> Drop for Outgoing<H> {
    fn drop(&mut self) {
        self.delivery.abandon();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fair::FairShares;
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::task::Waker;

    thread_local! {
        static MADE: Cell<u32> = const { Cell::new(0) };
    }

    async fn count(left: u32) -> Option<(Bytes, u32)> {
        MADE.set(MADE.get() + 1);
        Some((left.to_string().into(), left.checked_sub(1)?))
    }

    fn poll(body: &mut Body) -> Poll<Option<Bytes>> {
        let mut context = Context::from_waker(Waker::noop());
        let polled = body.as_mut().poll_frame(&mut context);
        polled.map(|frame| Some(frame?.unwrap().into_data().unwrap()))
    }

    #[test]
    fn a_piece_is_made_when_it_is_asked_for() {
        let mut body = unfold(2, count);
        for (piece, made) in [(Some("2"), 1), (Some("1"), 2), (None, 3), (None, 3)] {
            assert_eq!(poll(&mut body), Poll::Ready(piece.map(Bytes::from)));
            assert_eq!(MADE.get(), made);
        }
    }

    #[tokio::test]
    async fn a_body_that_goes_on_waits_for_its_users_turn() {
        let shares = FairShares::new(1);
        let mut body = in_turn(unfold(9, count), shares.of("eve"));
        let mut other = in_turn(unfold(9, count), shares.of("ann"));
        let mut whole = in_turn(whole("all"), shares.of("eve"));
        let mut turn = shares.of("eve").turns();
        let mut context = Context::from_waker(Waker::noop());
        let polled = turn.poll(&mut context, |_| {
            assert!(poll(&mut body).is_pending() && MADE.get() == 0);
            assert!(poll(&mut other).is_ready() && MADE.get() == 1);
            poll(&mut whole)
        });
        assert_eq!(polled, Poll::Ready(Some("all".into())));
        let piece = poll_fn(|context| body.as_mut().poll_frame(context)).await;
        assert!(piece.is_some() && MADE.get() == 2);
    }
}
