//! The bytes under HTTP, with timeouts for an incomplete head, for an idle client, and for one that
//! takes nothing.
//!
//! Knows bytes and, by [`Pace`], the requests under way; of HTTP itself only the answer to a late
//! head (408) where it is unambiguous: in HTTP/1.1, before any response.

use super::limits::HttpLimits;
use super::problem::Problem;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// The first bytes of HTTP/2 (RFC 9113 §3.4), which HTTP/1.1 never begins with.
const HTTP_2: &[u8] = b"PRI ";
/// The bytes read in one turn, completed by the rest of the last read.
const TURN_BYTES: usize = 16 << 10;

/// The requests of one connection: the number received, and of those under way.
#[derive(Debug, Default)]
pub(super) struct Pace {
    came: AtomicU64,
    under_way: AtomicUsize,
    /// Bytes read in this turn of the connection.
    read: AtomicUsize,
    /// Waker of the task that waits until none is under way.
    rest: Mutex<Option<Waker>>,
}

impl Pace {
    /// Counts a request; it is under way until the returned guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, SeqCst);
        self.came.fetch_add(1, SeqCst);
        UnderWay(Arc::clone(self))
    }

    /// The number of requests received, if none of them is under way.
    pub(super) fn resting(&self) -> Option<u64> {
        (self.under_way.load(SeqCst) == 0).then(|| self.came.load(SeqCst))
    }

    /// True if a request was received.
    pub(super) fn has_begun(&self) -> bool {
        self.came.load(SeqCst) > 0
    }

    /// Begins another turn of the connection.
    pub(super) fn begin_turn(&self) {
        self.read.store(0, Relaxed);
    }

    /// True if no request is under way; else wakes the task once that is so.
    fn is_at_rest(&self, cx: &Context<'_>) -> bool {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let at_rest = self.under_way.load(SeqCst) == 0;
        *rest = (!at_rest).then(|| cx.waker().clone());
        at_rest
    }
}

/// A request under way.
pub(super) struct UnderWay(Arc<Pace>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut rest = self.0.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = self.0.under_way.fetch_sub(1, SeqCst) == 1;
        let waker = rest.take_if(|_| ended);
        drop(rest);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The thing awaited while no request is under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// The first byte of the first request.
    First,
    /// The first byte of another request.
    Next,
    /// The rest of a head.
    Head,
}

/// A stream with timeouts.
pub(super) struct Wire<S> {
    stream: S,
    pace: Arc<Pace>,
    head: Duration,
    idle: Duration,
    stall: Duration,
    waiting: Waiting,
    /// The number of requests received when this waiting began.
    came: u64,
    is_http_2: bool,
    until: Pin<Box<Sleep>>,
    /// The deadline for bytes to be taken, while none are.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    /// A wire over a stream on which the first head must be complete at `first`.
    pub(super) fn new(stream: S, pace: Arc<Pace>, limits: &HttpLimits, first: Instant) -> Self {
        Self {
            stream,
            pace,
            head: limits.head,
            idle: limits.idle,
            stall: limits.stall,
            waiting: Waiting::First,
            came: 0,
            is_http_2: false,
            until: Box::pin(tokio::time::sleep_until(first)),
            stalled: None,
        }
    }

    /// Notes that requests came meanwhile, and begins to wait for another.
    fn catch_up(&mut self) {
        let came = self.pace.came.load(SeqCst);
        if self.came != came && self.pace.under_way.load(SeqCst) == 0 {
            self.came = came;
            self.wait(Waiting::Next, self.idle);
        }
    }

    fn wait(&mut self, what: Waiting, time: Duration) {
        self.waiting = what;
        self.until.as_mut().reset(Instant::now() + time);
    }

    fn heard(&mut self, bytes: &[u8]) {
        self.catch_up();
        if self.waiting == Waiting::First {
            // The time of the first head runs from the beginning of the connection.
            self.is_http_2 = bytes.starts_with(HTTP_2);
            self.waiting = Waiting::Head;
        }
        // In HTTP/2 much is said between requests that is no head.
        if self.waiting == Waiting::Next && !self.is_http_2 {
            self.wait(Waiting::Head, self.head);
        }
    }

    /// Ready when there was nothing to read for too long.
    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The library may have looked for the last time before an answer ended, and must look again.
        if !self.pace.is_at_rest(cx) {
            return Poll::Pending;
        }
        self.catch_up();
        ready!(self.until.as_mut().poll(cx));
        if self.waiting == Waiting::Head && !self.is_http_2 {
            // Nothing else was written, so that this fits into the socket's buffer.
            let farewell = Problem::too_slow("the head", self.head).bytes();
            let _ = Pin::new(&mut self.stream).poll_write(cx, &farewell);
            let _ = Pin::new(&mut self.stream).poll_flush(cx);
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// The outcome of a write, unless it has been pending for too long.
    fn unstalled<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let time = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(time)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.pace.read.load(Relaxed) >= TURN_BYTES {
            // Further bytes are for the next turn.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buf.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Pending => self.poll_patience(cx),
            outcome => {
                if let Some(bytes @ [_, ..]) = buf.filled().get(before..) {
                    self.pace.read.fetch_add(bytes.len(), Relaxed);
                    self.heard(bytes);
                }
                outcome
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.unstalled(cx, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(cx);
        self.unstalled(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.unstalled(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.unstalled(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
