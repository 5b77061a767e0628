//! Responses being sent: the bytes that are not taken, their account, and the time since which
//! nothing was taken.
//!
//! A response is sent in pieces of 16 KiB, each of which is released once it was written to the
//! connection. Unreleased bytes count for the user, or, for unknown callers, for the connection.
//! HTTP/2 has a window for each stream that its client may keep closed while the connection goes
//! on, which the wire cannot detect: a stream of which a piece is not taken for too long ends
//! alone, with `RST_STREAM` (RFC 9113 §6.4). Its last piece does not end the stream, as only an
//! open stream can be reset. Uses the runtime's clock only. Read next: [`super::wire`], for a
//! connection that takes nothing.

use super::untaken::Untaken;
use hyper::body::Bytes;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::debug;

/// The longest piece of a response, in bytes.
const PIECE_BYTES: usize = 16 << 10;

/// A response, with its bytes that are not taken.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// True if it is sent on a stream of HTTP/2.
    of_stream: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    untaken: Option<Untaken>,
    /// Bytes that exist and were not handed to the connection.
    left: usize,
    /// Bytes that were handed over, and not written yet.
    out: usize,
    /// The time at which a piece was last written; or handed over, if none was outstanding before.
    since: Option<Instant>,
    /// Waker of the task that waits until all are written.
    end: Option<Waker>,
}

tokio::task_local! {
    /// The response of the stream that is being polled.
    static OF_STREAM: Arc<Delivery>;
}

impl Delivery {
    /// The response of the stream that is being polled; a new one in HTTP/1.1.
    pub(super) fn of_answer() -> Arc<Self> {
        OF_STREAM.try_with(Arc::clone).unwrap_or_default()
    }

    /// Begins to count: `left` bytes exist already.
    pub(super) fn begin(&self, untaken: Untaken, left: usize) {
        let mut state = self.lock();
        state.untaken = Some(untaken);
        state.left = left;
        state.note();
    }

    /// Sets the number of bytes that exist and were not handed over.
    pub(super) fn has(&self, left: usize) {
        let mut state = self.lock();
        state.left = left;
        state.note();
    }

    /// Cuts the next piece off the existing bytes.
    pub(super) fn piece(self: &Arc<Self>, bytes: &mut Bytes) -> Bytes {
        let bytes = bytes.split_to(bytes.len().min(PIECE_BYTES));
        let mut state = self.lock();
        state.left = state.left.saturating_sub(bytes.len());
        if state.out == 0 {
            state.since = Some(Instant::now());
        }
        state.out += bytes.len();
        state.note();
        drop(state);
        let delivery = Arc::clone(self);
        Bytes::from_owner(Piece { bytes, delivery })
    }

    /// Notes that no more of it will be handed over.
    pub(super) fn abandon(&self) {
        let mut state = self.lock();
        state.left = 0;
        state.note();
    }

    /// False while the end must wait for pieces to be written.
    pub(super) fn may_end(&self) -> bool {
        !self.of_stream || self.lock().out == 0
    }

    /// Ready once the end need not wait.
    pub(super) fn poll_end(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if !self.of_stream || state.out == 0 {
            return Poll::Ready(());
        }
        state.end = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The time since which nothing was taken of it, though there are bytes to take.
    fn stalled_since(&self) -> Option<Instant> {
        let state = self.lock();
        state.since.filter(|_| state.out > 0)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note(&mut self) {
        let bytes = self.left + self.out;
        if let Some(untaken) = &mut self.untaken {
            untaken.note(bytes);
        }
    }
}

/// A piece of a response; dropped once it was written, or never will be.
struct Piece {
    bytes: Bytes,
    delivery: Arc<Delivery>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut state = self.delivery.lock();
        state.out -= self.bytes.len();
        state.since = Some(Instant::now());
        state.note();
        let is_over = state.out == 0;
        let end = state.end.take_if(|_| is_over);
        drop(state);
        end.into_iter().for_each(Waker::wake);
    }
}

/// A stream that ends when its response is stalled for too long.
pub(super) struct WatchedResponse<F> {
    stream: Pin<Box<F>>,
    delivery: Arc<Delivery>,
    stall: Duration,
    patience: Option<Pin<Box<Sleep>>>,
}

impl<F> WatchedResponse<F> {
    /// A stream whose response may be stalled for `stall`.
    pub(super) fn new(stream: F, stall: Duration) -> Self {
        Self {
            stream: Box::pin(stream),
            delivery: Arc::new(Delivery {
                of_stream: true,
                state: Mutex::default(),
            }),
            stall,
            patience: None,
        }
    }

    /// Ready when the stall has lasted too long.
    fn poll_stalled(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(since) = self.delivery.stalled_since() else {
            self.patience = None;
            return Poll::Pending;
        };
        let until = since + self.stall;
        let sleep = || Box::pin(sleep_until(until));
        let patience = self.patience.get_or_insert_with(sleep);
        if patience.deadline() != until {
            patience.as_mut().reset(until);
        }
        patience.as_mut().poll(cx)
    }
}

impl<F: Future<Output = ()>> Future for WatchedResponse<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self {
            stream, delivery, ..
        } = &mut *self;
        let polled = OF_STREAM.sync_scope(Arc::clone(delivery), || stream.as_mut().poll(cx));
        if polled.is_ready() {
            return Poll::Ready(());
        }
        ready!(self.poll_stalled(cx));
        debug!("a stream ends, for nothing of its answer is taken");
        Poll::Ready(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use engine::{Accounts, UserLimits};
    use std::future::{pending, poll_fn};

    #[test]
    fn what_is_not_taken_counts_until_it_is() {
        let accounts = Accounts::new(UserLimits::default());
        let held = accounts.hold("noc");
        let delivery = Arc::new(Delivery::default());
        let mut left = Bytes::from(vec![0; 2 * PIECE_BYTES + 5]);
        delivery.begin(Untaken::OfUser(accounts.hold("noc")), left.len());
        let pieces: Vec<Bytes> = (0..3).map(|_| delivery.piece(&mut left)).collect();
        let lengths: Vec<usize> = pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [PIECE_BYTES, PIECE_BYTES, 5]);
        assert_eq!(held.of_user(), 2 * PIECE_BYTES + 5);
        for (piece, untaken) in pieces.into_iter().zip([PIECE_BYTES + 5, 5, 0]) {
            drop(piece);
            assert_eq!(held.of_user(), untaken);
        }
        delivery.begin(Untaken::OfUser(accounts.hold("noc")), 7);
        delivery.abandon();
        assert_eq!(held.of_user(), 0);
    }

    /// A stream with a response of two pieces of which `untaken` are not taken.
    fn stream(untaken: usize, stall: Duration) -> WatchedResponse<impl Future<Output = ()>> {
        let stream = async move {
            let mut left = Bytes::from(vec![0; 2 * PIECE_BYTES]);
            let delivery = Delivery::of_answer();
            let mut pieces = [0, 1].map(|_| delivery.piece(&mut left)).to_vec();
            pieces.truncate(untaken);
            assert_eq!(delivery.may_end(), untaken == 0);
            pending().await
        };
        WatchedResponse::new(stream, stall)
    }

    fn poll<F: Future<Output = ()>>(stream: &mut WatchedResponse<F>) -> Poll<()> {
        Pin::new(stream).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn a_stream_of_which_nothing_is_taken_ends() {
        stream(2, Duration::ZERO).await;
        stream(1, Duration::ZERO).await;
        let mut taken = stream(0, Duration::ZERO);
        assert!(poll(&mut taken).is_pending() && taken.patience.is_none());
        let mut quiet = WatchedResponse::new(pending(), Duration::ZERO);
        assert!(poll(&mut quiet).is_pending() && quiet.patience.is_none());
    }

    #[tokio::test]
    async fn a_piece_that_is_taken_is_patience_anew() {
        let stall = Duration::from_secs(3_600);
        let mut stream = stream(1, stall);
        assert!(poll(&mut stream).is_pending());
        let until =
            |stream: &WatchedResponse<_>| stream.patience.as_ref().map(|sleep| sleep.deadline());
        let first = until(&stream);
        assert_eq!(first, stream.delivery.stalled_since().map(|at| at + stall));
        let mut more = Bytes::from("more");
        while stream.delivery.stalled_since() == first.map(|at| at - stall) {
            drop(stream.delivery.piece(&mut more.clone()));
        }
        drop(stream.delivery.piece(&mut more));
        assert!(poll(&mut stream).is_pending());
        assert!(until(&stream) > first);
    }

    #[tokio::test]
    async fn the_end_waits_for_the_last_piece() {
        let delivery = Arc::new(Delivery {
            of_stream: true,
            state: Mutex::default(),
        });
        let piece = delivery.piece(&mut Bytes::from("last"));
        let mut end = std::pin::pin!(poll_fn(|cx| delivery.poll_end(cx)));
        let polled = poll_fn(|cx| Poll::Ready(end.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        drop(piece);
        end.await;
    }
}
