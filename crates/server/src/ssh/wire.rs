//! The TCP connection under SSH, which others may cut at any time.
//!
//! The SSH library takes its stream by value and offers no way to stop a
//! session that is stuck in a write; a shared socket does. Reads are collected,
//! since the library asks for a packet's length and body separately.

use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::algorithms::KEEPALIVE_MAX;

/// Bytes fetched by one read of the socket on behalf of smaller ones.
const READ_AHEAD: usize = 4096;

/// The socket, shared between the SSH session and those who may end it.
#[derive(Debug)]
pub(super) struct Socket {
    tcp: TcpStream,
    /// Told when the session has said its last word.
    pub(super) closing: Notify,
}

impl Socket {
    /// Prepares an accepted or connected socket; `keepalive` is the interval of
    /// SSH's keep-alives on it.
    pub(super) fn new(tcp: TcpStream, keepalive: Duration) -> Arc<Self> {
        // Both are refinements: a socket that refuses them still works.
        let _ = tcp.set_nodelay(true);
        // The library cannot send keep-alives while a write is stuck, so the
        // kernel watches written data, of which the first keep-alive is the
        // latest: whatever is under way, a peer is gone after the same time.
        let patience = keepalive * KEEPALIVE_MAX as u32;
        #[cfg(target_os = "linux")]
        let _ = SockRef::from(&tcp).set_tcp_user_timeout(Some(patience));
        #[cfg(not(target_os = "linux"))]
        let _ = patience;
        Arc::new(Self {
            tcp,
            closing: Notify::new(),
        })
    }

    /// Ends the connection both ways at once and wakes whoever waits on it.
    pub(super) fn cut(&self) {
        let _ = SockRef::from(&self.tcp).shutdown(Shutdown::Both);
    }
}

/// Cuts the socket when dropped.
pub(super) struct CutOnDrop(pub(super) Arc<Socket>);

impl Drop for CutOnDrop {
    fn drop(&mut self) {
        self.0.cut();
    }
}

/// The stream given to the SSH library.
pub(super) struct Wire {
    socket: Arc<Socket>,
    ahead: Vec<u8>,
    taken: usize,
}

impl Wire {
    pub(super) fn new(socket: Arc<Socket>) -> Self {
        Self {
            socket,
            ahead: Vec::new(),
            taken: 0,
        }
    }

    fn serve_from_ahead(&mut self, buf: &mut ReadBuf<'_>) {
        let rest = &self.ahead[self.taken..];
        let count = rest.len().min(buf.remaining());
        buf.put_slice(&rest[..count]);
        self.taken += count;
        if self.taken == self.ahead.len() {
            // An idle session keeps no buffer.
            self.ahead = Vec::new();
            self.taken = 0;
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if !self.ahead.is_empty() {
            self.serve_from_ahead(buf);
            return Poll::Ready(Ok(()));
        }
        loop {
            ready!(self.socket.tcp.poll_read_ready(cx))?;
            let outcome = if buf.remaining() >= READ_AHEAD {
                let space = buf.initialize_unfilled();
                self.socket.tcp.try_read(space).map(|count| {
                    buf.advance(count);
                })
            } else {
                let mut space = [0; READ_AHEAD];
                self.socket.tcp.try_read(&mut space).map(|count| {
                    let direct = count.min(buf.remaining());
                    buf.put_slice(&space[..direct]);
                    if direct < count {
                        self.ahead = space[direct..count].to_vec();
                    }
                })
            };
            match outcome {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.socket.tcp.poll_write_ready(cx))?;
            match self.socket.tcp.try_write(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.closing.notify_one();
        match SockRef::from(&self.socket.tcp).shutdown(Shutdown::Write) {
            // The peer may have gone first.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Poll::Ready(Ok(())),
            outcome => Poll::Ready(outcome),
        }
    }
}
