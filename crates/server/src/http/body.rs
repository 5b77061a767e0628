//! Bodies of responses: complete ones, and streams.
//!
//! A stream is made piece by piece, in its user's turns, each once the one before was taken. It
//! ends by itself, when the server closes, or when its credential is revoked: then in an orderly
//! way, so that the pieces sent are valid. Read next: [`super::server`]; [`super::delivery`], for
//! pieces that are not taken.

use super::delivery::Delivery;
use crate::fair::{LastingTurns, Share};
use hyper::Response;
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use std::pin::Pin;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker, ready};

/// A response.
pub type HttpResponse = Response<ResponseBody>;

/// The body of a response. Those that are made here do not fail; one that comes from another node may.
pub type ResponseBody = Pin<Box<dyn HttpBody<Data = Bytes, Error = Interrupted> + Send>>;

/// The body of a response broke off: what was sent of it is not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body of a response broke off")]
pub struct Interrupted;

/// A complete body.
pub fn whole(bytes: impl Into<Bytes>) -> ResponseBody {
    Box::pin(Whole(Some(bytes.into())))
}

/// The bytes of a shared text; they are not copied.
pub fn shared(text: Arc<str>) -> Bytes {
    struct Utf8(Arc<str>);
    impl AsRef<[u8]> for Utf8 {
        fn as_ref(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }
    Bytes::from_owner(Utf8(text))
}

/// A stream: `next` makes a piece of the remaining state, and returns the new state; it ends where
/// there is none. A piece is made once the client has room for it, so that nothing is queued for a
/// slow reader. `there` tells how many bytes of the remaining state exist already: they count as
/// [not taken](super::delivery).
pub fn unfold<S, N, F>(all: S, there: fn(&S) -> usize, next: N) -> ResponseBody
where
    N: Fn(S) -> F + Send + Unpin + 'static,
    F: Future<Output = Option<(Bytes, S)>> + Send + 'static,
    S: 'static,
{
    Box::pin(Unfold {
        bytes: there(&all),
        making: Some(Box::pin(next(all))),
        there,
        next,
    })
}

/// The number of bytes that exist of a body: all of a complete one, or a part of a stream.
pub(super) fn length(body: &ResponseBody) -> usize {
    body.size_hint().lower() as usize
}

/// The same body, made in its user's turns; a complete one needs none.
pub(super) fn in_turn(body: ResponseBody, share: Share) -> ResponseBody {
    match body.size_hint().exact() {
        Some(_) => body,
        None => Box::pin(InTurn {
            turns: share.lasting(),
            woken: Arc::default(),
            body,
        }),
    }
}

/// A response with a JSON document.
pub fn json(document: &Value) -> HttpResponse {
    let mut reply = HttpResponse::new(whole(document.to_string()));
    let media_type = HeaderValue::from_static("application/json");
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    reply
}

struct Whole(Option<Bytes>);

impl HttpBody for Whole {
    type Data = Bytes;
    type Error = Interrupted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Bytes::len) as u64)
    }
}

struct Unfold<S, N, F> {
    next: N,
    there: fn(&S) -> usize,
    /// The bytes that exist of the remaining state.
    bytes: usize,
    /// The next piece; none at the end.
    making: Option<Pin<Box<F>>>,
}

impl<S, N, F> HttpBody for Unfold<S, N, F>
where
    N: Fn(S) -> F + Unpin,
    F: Future<Output = Option<(Bytes, S)>>,
{
    type Data = Bytes;
    type Error = Interrupted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        let this = &mut *self;
        let Some(piece) = &mut this.making else {
            return Poll::Ready(None);
        };
        let Some((bytes, left)) = ready!(piece.as_mut().poll(cx)) else {
            (this.making, this.bytes) = (None, 0);
            return Poll::Ready(None);
        };
        this.bytes = (this.there)(&left);
        piece.set((this.next)(left));
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        hint.set_lower(self.bytes as u64);
        hint
    }
}

/// A body polled in turns of its own, as the connection that polls it waits for other turns and may
/// already have a piece. A body that waits takes no turn, however often its connection is polled for
/// the sake of something else.
struct InTurn {
    turns: LastingTurns,
    woken: Arc<Woken>,
    body: ResponseBody,
}

/// Whether a body was woken since it was polled last, and by whom it is polled.
struct Woken {
    is: AtomicBool,
    by: Mutex<Waker>,
}

impl Default for Woken {
    fn default() -> Self {
        Self {
            is: AtomicBool::new(true),
            by: Mutex::new(Waker::noop().clone()),
        }
    }
}

impl Woken {
    /// Notes who is to be woken; true if the body is to be polled.
    fn polled_by(&self, waker: &Waker) -> bool {
        let mut by = self.by.lock().unwrap_or_else(PoisonError::into_inner);
        by.clone_from(waker);
        // Behind the waker: whoever wakes between the two finds it.
        self.is.load(Acquire)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.is.store(true, Release);
        let by = self
            .by
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        by.wake();
    }
}

impl HttpBody for InTurn {
    type Data = Bytes;
    type Error = Interrupted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        let Self { turns, woken, body } = &mut *self;
        if !woken.polled_by(cx.waker()) {
            return Poll::Pending;
        }
        ready!(turns.poll(cx));
        woken.is.store(false, Release);
        let waker = Waker::from(Arc::clone(woken));
        let polled = body.as_mut().poll_frame(&mut Context::from_waker(&waker));
        if polled.is_ready() {
            woken.is.store(true, Release);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The time at which a body must end, even if incomplete.
pub(super) type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A body being sent: it ends when it must, is counted until it is taken, and holds something while
/// it is under way.
pub(super) struct Outgoing<H> {
    body: ResponseBody,
    /// The bytes made and not handed over yet.
    made: Bytes,
    /// None for a complete body.
    end: Option<End>,
    delivery: Arc<Delivery>,
    _held: H,
}

impl<H> Outgoing<H> {
    /// A body sent as `delivery`, which has begun; `end` is only made for a stream.
    pub(super) fn new(
        body: ResponseBody,
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

    /// The next bytes to be handed over; none at the end.
    fn poll_made(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(cx).is_ready()
        {
            self.end = None;
            self.body = Box::pin(Whole(None));
        }
        self.body.as_mut().poll_frame(cx)
    }
}

impl<H: Unpin> HttpBody for Outgoing<H> {
    type Data = Bytes;
    type Error = Interrupted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        let this = &mut *self;
        if this.made.is_empty() {
            let made = ready!(this.poll_made(cx)).transpose()?;
            match made.map(Frame::into_data) {
                Some(Ok(bytes)) => {
                    this.delivery.has(bytes.len() + length(&this.body));
                    this.made = bytes;
                }
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
        match self.body.size_hint().exact() {
            Some(more) => SizeHint::with_exact(self.made.len() as u64 + more),
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

    thread_local! {
        static MADE: Cell<u32> = const { Cell::new(0) };
    }

    async fn count(left: u32) -> Option<(Bytes, u32)> {
        MADE.set(MADE.get() + 1);
        Some((left.to_string().into(), left.checked_sub(1)?))
    }

    fn left(left: &u32) -> usize {
        *left as usize
    }

    fn poll(body: &mut ResponseBody) -> Poll<Option<Bytes>> {
        let mut context = Context::from_waker(Waker::noop());
        let polled = body.as_mut().poll_frame(&mut context);
        polled.map(|frame| Some(frame?.unwrap().into_data().unwrap()))
    }

    #[test]
    fn a_piece_is_made_when_it_is_asked_for() {
        let mut body = unfold(2, left, count);
        assert_eq!(length(&body), 2);
        for (piece, made, there) in [
            (Some("2"), 1, 1),
            (Some("1"), 2, 0),
            (None, 3, 0),
            (None, 3, 0),
        ] {
            assert_eq!(poll(&mut body), Poll::Ready(piece.map(Bytes::from)));
            assert_eq!((MADE.get(), length(&body)), (made, there));
        }
    }

    #[tokio::test]
    async fn a_body_that_goes_on_waits_for_its_users_turn() {
        let shares = FairShares::new(1);
        let mut body = in_turn(unfold(9, left, count), shares.of("eve"));
        let mut other = in_turn(unfold(9, left, count), shares.of("ann"));
        let mut whole = in_turn(whole("all"), shares.of("eve"));
        assert_eq!((length(&body), length(&whole)), (9, 3));
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

    #[tokio::test]
    async fn a_body_that_waits_is_not_polled_for_the_sake_of_others() {
        thread_local!(static POLLED: Cell<usize> = const { Cell::new(0) });
        let waits = |()| {
            poll_fn(|_| {
                POLLED.set(POLLED.get() + 1);
                Poll::<Option<(Bytes, ())>>::Pending
            })
        };
        let shares = FairShares::new(1);
        let mut bodies = [(); 2].map(|()| in_turn(unfold((), |()| 0, waits), shares.of("eve")));
        for _ in 0..9 {
            assert!(bodies.iter_mut().all(|body| poll(body).is_pending()));
            tokio::task::yield_now().await;
        }
        assert_eq!(POLLED.get(), 2);
    }
}
