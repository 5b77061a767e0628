//! The byte stream of one NETCONF session, and the peer at its other end.
//!
//! Knows neither SSH nor NETCONF: anything that reads and writes can become a
//! [`ByteStream`] (an SSH channel, TLS, a pipe in a test). Readers that must
//! never wait take it apart with [`super::split`].

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::PublicKey;
use super::logins::Login;
use super::throttle::Throttle;
use crate::fence::Fence;

/// The peer of a session.
#[derive(Clone, Debug)]
pub struct SshPeer {
    /// The authenticated principal.
    pub principal: String,
    /// The address of the connection.
    pub address: SocketAddr,
    /// Number of the connection, unique among the listeners of one gate.
    /// Several sessions may share it.
    pub connection: u64,
    /// The key with which it has authenticated.
    pub key: PublicKey,
    /// The validity of its key. When it is revoked the connection is closed with a disconnect
    /// message; the session itself may send its own.
    pub login: Login,
}

/// The future of a session, returned by [`Subsystem::serve`].
pub type SessionFuture = Pin<Box<dyn Future<Output = ()> + Send + 'static>>;

/// The server of the `netconf` subsystem.
///
/// Implemented by any `Fn(ByteStream, SshPeer) -> impl Future<Output = ()>`.
pub trait Subsystem: Send + Sync + 'static {
    /// Serves one session until the returned future completes.
    ///
    /// The channel closes when the stream is dropped. The future is dropped at
    /// once when the connection is lost, and 5 s after the peer closed only
    /// this channel: what the session holds must be released by `Drop`.
    fn serve(&self, stream: ByteStream, peer: SshPeer) -> SessionFuture;
}

impl<F, R> Subsystem for F
where
    F: Fn(ByteStream, SshPeer) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    fn serve(&self, stream: ByteStream, peer: SshPeer) -> SessionFuture {
        Box::pin(self(stream, peer))
    }
}

/// Both directions of a stream in one object.
trait Duplex: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Duplex for T {}

/// The bytes of one session. Dropping it closes the channel, and on the
/// client's side the connection.
///
/// A write must not be abandoned half-way (as `select!` can do): what an SSH
/// channel has begun to send it will send.
pub struct ByteStream {
    inner: Option<Pin<Box<dyn Duplex>>>,
    /// Closing a channel spawns a task; the drop may happen outside a runtime.
    runtime: Option<tokio::runtime::Handle>,
    cut: Option<Cut>,
    hang_up: HangUp,
    throttle: Throttle,
    fence: Fence,
}

/// Set if the connection is to end with the session, whatever its peer wants.
#[derive(Clone, Debug, Default)]
pub(super) struct HangUp(Arc<AtomicBool>);

impl HangUp {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Ends the transport under a stream.
pub(super) type Cut = Box<dyn FnOnce() + Send>;

impl ByteStream {
    /// Makes a session's stream of any other.
    pub fn new(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        Self {
            inner: Some(Box::pin(stream)),
            runtime: tokio::runtime::Handle::try_current().ok(),
            cut: None,
            hang_up: HangUp::default(),
            throttle: Throttle::default(),
            fence: Fence::default(),
        }
    }

    /// The same stream, under which `cut` ends the transport at once; see
    /// [`super::Outbound::cut`].
    #[must_use]
    pub fn cut_by(mut self, cut: impl FnOnce() + Send + 'static) -> Self {
        self.cut = Some(Box::new(cut));
        self
    }

    /// The same stream, which tells this whether the connection is to end with the session.
    #[must_use]
    pub(super) fn hung_up_by(mut self, hang_up: HangUp) -> Self {
        self.hang_up = hang_up;
        self
    }

    /// The same stream, whose peer is throttled while `throttle` is on.
    #[must_use]
    pub fn throttled_by(mut self, throttle: Throttle) -> Self {
        self.throttle = throttle;
        self
    }

    /// The same stream, whose output passes this fence.
    #[must_use]
    pub fn fenced_by(mut self, fence: Fence) -> Self {
        self.fence = fence;
        self
    }

    pub(super) fn throttle(&self) -> Throttle {
        self.throttle.clone()
    }

    pub(super) fn hang_up(&self) -> HangUp {
        self.hang_up.clone()
    }

    pub(super) fn take_cut(&mut self) -> Option<Cut> {
        self.cut.take()
    }

    fn inner(&mut self) -> Pin<&mut dyn Duplex> {
        self.inner
            .as_mut()
            .expect("only Drop takes the inner stream")
            .as_mut()
    }
}

impl Drop for ByteStream {
    fn drop(&mut self) {
        // In a runtime it must not be entered: the future that owns a session may be dropped by the very call that
        // was to start it, and that has the context.
        let _context = match tokio::runtime::Handle::try_current() {
            Ok(_) => None,
            Err(_) => self.runtime.as_ref().map(tokio::runtime::Handle::enter),
        };
        self.inner = None;
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream").finish_non_exhaustive()
    }
}

impl AsyncRead for ByteStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.inner().poll_read(cx, buf)
    }
}

impl AsyncWrite for ByteStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        self.fence.checked()?;
        self.inner().poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    /// A runtime that has ended drops a session in the very call that was to start it.
    #[test]
    fn a_stream_is_dropped_by_the_call_that_was_to_start_its_session() {
        let runtime = tokio::runtime::Runtime::new().expect("threads can be had");
        let handle = runtime.handle().clone();
        let stream = runtime.block_on(async { ByteStream::new(tokio::io::empty()) });
        drop(runtime);
        let _inside = handle.enter();
        let mut session = tokio::spawn(async move {
            let _stream = stream;
            std::future::pending::<()>().await;
        });
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Err(ended)) = Pin::new(&mut session).poll(&mut cx) else {
            panic!("it goes on");
        };
        assert!(ended.is_cancelled(), "{ended}");
    }
}
