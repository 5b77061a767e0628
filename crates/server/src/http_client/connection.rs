//! One connection to a server elsewhere: requests one after the other, over HTTP/1.1.
//!
//! Bytes from the server are read in bounded turns of a share; heads, and the number of interim
//! responses before one, are limited. Addresses are not known here. Read next: [`super`].

use super::Unanswered;
use crate::fair::Share;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::ext::on_informational;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest head of a response, in bytes.
const HEAD_BYTES: usize = 32 << 10;
/// The bytes read in one turn, completed by the rest of the last read.
const TURN_BYTES: usize = 16 << 10;
/// The most interim responses (RFC 9110 §15.2) before the final one.
pub(super) const INTERIM_MOST: usize = 16;

/// A connection, on which one request at a time is sent.
pub(super) struct ClientConnection {
    requests: SendRequest<String>,
    turn: Arc<Turn>,
}

impl ClientConnection {
    /// Begins HTTP on a stream, which is read in the turns of this share.
    ///
    /// # Errors
    /// [`Unanswered::Http`]
    pub(super) async fn begin<S>(stream: S, share: Share) -> Result<Self, Unanswered>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let turn = Arc::new(Turn::default());
        let stream = InTurns {
            stream,
            turn: Arc::clone(&turn),
        };
        let mut http = Builder::new();
        let http = http.max_buf_size(HEAD_BYTES);
        let (requests, connection) = http.handshake(TokioIo::new(stream)).await?;
        let mut connection = Box::pin(connection);
        let of = Arc::clone(&turn);
        let in_turns = poll_fn(move |cx| {
            of.bytes.store(0, Relaxed);
            connection.as_mut().poll(cx)
        });
        let served = share.run(in_turns);
        // Ends when the connection is dropped or the other side closes; the request tells what fails.
        tokio::spawn(async move { drop(served.await) });
        Ok(Self { requests, turn })
    }

    /// Sends a request and waits for the head of the response; the request is returned if nothing
    /// of it was sent.
    ///
    /// # Errors
    /// [`TrySendError`] if the exchange is interrupted, or there are too many interim responses.
    pub(super) async fn send(
        &mut self,
        mut request: Request<String>,
    ) -> Result<Response<Incoming>, TrySendError<Request<String>>> {
        let turn = Arc::clone(&self.turn);
        turn.interim.store(0, Relaxed);
        on_informational(&mut request, move |_| {
            turn.interim.fetch_add(1, Relaxed);
        });
        self.requests.try_send_request(request).await
    }

    /// True if another request can be sent at once.
    pub(super) fn is_ready(&self) -> bool {
        self.requests.is_ready()
    }

    /// True if the connection has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }
}

/// The counters of a connection's input.
#[derive(Debug, Default)]
struct Turn {
    /// Bytes in this turn.
    bytes: AtomicUsize,
    /// Interim responses to this request.
    interim: AtomicUsize,
}

/// A stream that is read in turns.
struct InTurns<S> {
    stream: S,
    turn: Arc<Turn>,
}

impl<S: AsyncRead + Unpin> AsyncRead for InTurns<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.turn.interim.load(Relaxed) > INTERIM_MOST {
            let why = format!("more than {INTERIM_MOST} interim answers came before the answer");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
        }
        if self.turn.bytes.load(Relaxed) >= TURN_BYTES {
            // Further bytes are for the next turn.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let read = buf.filled().len() - before;
        self.turn.bytes.fetch_add(read, Relaxed);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for InTurns<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn reads a bounded number of bytes, however many are available.
    #[tokio::test]
    async fn a_turn_reads_so_much() {
        let turn = Arc::new(Turn::default());
        let endless = tokio::io::repeat(b'x');
        let stream = tokio::io::join(endless, tokio::io::sink());
        let mut stream = InTurns {
            stream,
            turn: Arc::clone(&turn),
        };
        let mut room = vec![0; 64 << 10];
        for _ in 0..3 {
            turn.bytes.store(0, Relaxed);
            let mut read = 0;
            let polled = poll_fn(|cx| {
                loop {
                    let mut buf = ReadBuf::new(&mut room[..4 << 10]);
                    match Pin::new(&mut stream).poll_read(cx, &mut buf) {
                        Poll::Ready(Ok(())) => read += buf.filled().len(),
                        polled => return Poll::Ready(polled),
                    }
                }
            });
            assert!(polled.await.is_pending());
            assert_eq!(read, TURN_BYTES);
        }
    }
}
