//! The TCP connection under SSH, which may be shut down from other tasks.
//!
//! The SSH library takes its stream by value and offers no way to stop a
//! session that is stuck in a write; a shared socket does. Reads are collected,
//! since the library asks for a packet's length and body separately.
//!
//! A server's input is handed on in the turns of its sender: of the source until it has
//! authenticated, then of the user. The library processes it on a task of its own, so that without
//! turns many connections would have as many places among all ready tasks. Read next:
//! [`super::unauthenticated`], for the input before that.

use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::algorithms::KEEPALIVE_MAX;
use super::unauthenticated::Unauthenticated;
use crate::fair::{LastingTurns, Share};

/// The bytes fetched by one read of the socket on behalf of smaller ones, and so processed in one
/// turn; or the rest of a packet, if that is longer.
const READ_AHEAD: usize = 4096;

/// The socket, shared between the SSH session and the tasks that may end it.
#[derive(Debug)]
pub(super) struct Socket {
    tcp: TcpStream,
    /// The share of the authenticated user, until it is taken.
    user: Mutex<Option<Share>>,
    /// Notified when the session has sent its last message.
    pub(super) closing: Notify,
}

impl Socket {
    /// Sets up an accepted or connected socket; `keepalive` is the interval of SSH's keep-alives on
    /// it.
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
            user: Mutex::default(),
            closing: Notify::new(),
        })
    }

    /// Hands over the share of the user who has authenticated.
    pub(super) fn authenticated(&self, share: Share) {
        *self.user() = Some(share);
    }

    fn user(&self) -> MutexGuard<'_, Option<Share>> {
        self.user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shuts the connection down in both directions and wakes its waiting tasks.
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
    /// True if the bytes read ahead wait for a turn.
    waits: bool,
    /// The turns in which bytes are handed on; none on a client.
    turns: Option<LastingTurns>,
    /// The checks of input before authentication; none on a client, or after it.
    stranger: Option<Unauthenticated>,
}

impl Wire {
    /// The wire of a client.
    pub(super) fn new(socket: Arc<Socket>) -> Self {
        Self {
            socket,
            ahead: Vec::new(),
            taken: 0,
            waits: false,
            turns: None,
            stranger: None,
        }
    }

    /// The wire of a server: before authentication, the source's share counts and no more than
    /// `bytes_max` may come.
    pub(super) fn of_stranger(socket: Arc<Socket>, source: Share, bytes_max: usize) -> Self {
        Self {
            turns: Some(source.lasting()),
            stranger: Some(Unauthenticated::new(bytes_max)),
            ..Self::new(socket)
        }
    }

    /// Checks received bytes.
    fn heard(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(stranger) = &mut self.stranger else {
            return Ok(());
        };
        if let Some(user) = self.socket.user().take() {
            self.turns = Some(user.lasting());
            self.stranger = None;
            return Ok(());
        }
        let heard = stranger.hear(bytes);
        heard.map_err(|violation| io::Error::new(io::ErrorKind::InvalidData, violation))
    }

    /// Reads directly into the caller's buffer.
    fn read_through(&mut self, buf: &mut ReadBuf<'_>) -> io::Result<()> {
        let before = buf.filled().len();
        let count = self.socket.tcp.try_read(buf.initialize_unfilled())?;
        buf.advance(count);
        self.heard(&buf.filled()[before..])
    }

    /// Reads the available bytes, few at most.
    fn read_ahead(&mut self) -> io::Result<()> {
        let mut space = [0; READ_AHEAD];
        let count = self.socket.tcp.try_read(&mut space)?;
        self.heard(&space[..count])?;
        self.ahead = space[..count].to_vec();
        self.waits = self.turns.is_some();
        Ok(())
    }

    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(turns) = self.turns.as_mut().filter(|_| self.waits) {
            ready!(turns.poll(cx));
            self.waits = false;
        }
        Poll::Ready(())
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
        while self.ahead.is_empty() {
            ready!(self.socket.tcp.poll_read_ready(cx))?;
            // A large read is the rest of a packet whose turn has come.
            let through = buf.remaining() >= READ_AHEAD;
            let read = match through {
                true => self.read_through(buf),
                false => self.read_ahead(),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(()) if !through && !self.ahead.is_empty() => {}
                // All that is wanted, or the end.
                outcome => return Poll::Ready(outcome),
            }
        }
        ready!(self.poll_turn(cx));
        self.serve_from_ahead(buf);
        Poll::Ready(Ok(()))
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fair::FairShares;
    use std::future::poll_fn;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    /// A server's wire with these bytes to be read, and the client's socket.
    async fn wire(source: Share, bytes: &[u8]) -> (Wire, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (tcp, _) = listener.accept().await.unwrap();
        client.write_all(bytes).await.unwrap();
        tcp.readable().await.unwrap();
        let socket = Socket::new(tcp, Duration::from_secs(60));
        (Wire::of_stranger(socket, source, 1_000), client)
    }

    /// Polls once for a byte.
    async fn poll(wire: &mut Wire) -> Poll<io::Result<()>> {
        let mut byte = [0];
        let mut buf = ReadBuf::new(&mut byte);
        poll_fn(|cx| Poll::Ready(Pin::new(&mut *wire).poll_read(cx, &mut buf))).await
    }

    #[tokio::test]
    async fn bytes_are_handed_on_in_the_turn_of_who_sends_them() {
        let shares = FairShares::new(1);
        let (mut first, _one) = wire(shares.of("/source"), b"SSH-2.0-x\n").await;
        let (mut second, _two) = wire(shares.of("/source"), b"SSH-2.0-y\n").await;
        let (mut other, _three) = wire(shares.of("/other"), b"SSH-2.0-z\n").await;
        assert!(poll(&mut first).await.is_ready());
        assert!(poll(&mut second).await.is_pending(), "it has its source's");
        assert!(poll(&mut other).await.is_ready());
        // The bytes read with it are processed in the same turn; the next one begins when that
        // ends.
        assert!(poll(&mut first).await.is_ready());
        assert_eq!(second.read_u8().await.unwrap(), b'S');
    }

    #[tokio::test]
    async fn who_has_authenticated_has_turns_of_his_own_and_may_send_more() {
        let shares = FairShares::new(1);
        let (mut eves, mut client) = wire(shares.of("/source"), b"SSH-2.0-x\n").await;
        let (mut anothers, _other) = wire(shares.of("/source"), b"SSH-2.0-y\n").await;
        assert_eq!(eves.read_exact(&mut [0; 10]).await.unwrap(), 10);
        eves.socket.authenticated(shares.of("eve"));
        client.write_all(&[0; 2_000]).await.unwrap();
        while poll(&mut anothers).await.is_pending() {
            tokio::task::yield_now().await;
        }
        // The source's turn is taken, and it is not asked for.
        eves.read_u8().await.unwrap();
        assert_eq!(eves.read_exact(&mut [0; 1_999]).await.unwrap(), 1_999);
    }

    #[tokio::test]
    async fn nothing_is_handed_on_of_who_says_what_he_may_not() {
        let shares = FairShares::new(1);
        let ignore = b"SSH-2.0-x\n\0\0\0\x0c\x06\x02\0\0\0\0\0\0\0\0\0\0";
        let (mut says, _client) = wire(shares.of("/source"), ignore).await;
        let error = says.read_u8().await.unwrap_err();
        assert_eq!(error.to_string(), "message 2 before SSH_MSG_NEWKEYS");
        let (mut more, _client) = wire(shares.of("/source"), &[b'x'; 1_001]).await;
        let error = more.read_u8().await.unwrap_err();
        assert_eq!(error.to_string(), "more bytes than a login needs");
    }
}
