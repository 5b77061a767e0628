//! An SSH channel as a stream of bytes with an orderly end.
//!
//! The library's own stream, plus the action on drop, which differs between server and client.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use russh::{ChannelId, ChannelMsg, ChannelStream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The SSH subsystem of NETCONF (RFC 6242 §3).
pub const SUBSYSTEM: &str = "netconf";

/// The size in bytes below which a packet counts as small although more was to be sent: each packet
/// has a fixed cost. RFC 4254 has no lower limit; clients take 32,768 and more.
const SMALL_BYTES: usize = 256;

/// The most small packets in a row.
const SMALL_MOST: u32 = 1_024;

type Ending<M> = Box<dyn FnOnce(ChannelStream<M>) + Send>;

/// The bytes of one channel. When it is dropped, the ending gets the library's
/// stream; dropping that closes the channel, which needs a runtime.
pub(super) struct ChannelBytes<M: From<(ChannelId, ChannelMsg)> + Send + 'static> {
    parts: Option<(ChannelStream<M>, Ending<M>)>,
    /// The number of small packets at the end, although there was more to send.
    small: u32,
}

impl<M: From<(ChannelId, ChannelMsg)> + Send + Sync + 'static> ChannelBytes<M> {
    pub(super) fn new(
        stream: ChannelStream<M>,
        ending: impl FnOnce(ChannelStream<M>) + Send + 'static,
    ) -> Self {
        Self {
            parts: Some((stream, Box::new(ending))),
            small: 0,
        }
    }

    fn stream(&mut self) -> Pin<&mut ChannelStream<M>> {
        let (stream, _) = self.parts.as_mut().expect("only Drop takes the parts");
        Pin::new(stream)
    }
}

impl<M: From<(ChannelId, ChannelMsg)> + Send + 'static> Drop for ChannelBytes<M> {
    fn drop(&mut self) {
        if let Some((stream, ending)) = self.parts.take() {
            ending(stream);
        }
    }
}

impl<M: From<(ChannelId, ChannelMsg)> + Send + Sync + 'static> AsyncRead for ChannelBytes<M> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let outcome = self.stream().poll_read(cx, buf);
        if !matches!(outcome, Poll::Ready(Ok(()))) || buf.filled().len() > before {
            return outcome;
        }
        // Either the end, or a packet without data, which RFC 4254 §5.2 does
        // not forbid. After the end, the next read says so again.
        self.stream().poll_read(cx, buf)
    }
}

impl<M: From<(ChannelId, ChannelMsg)> + Send + Sync + 'static> AsyncWrite for ChannelBytes<M> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(self.stream().poll_write(cx, buf))?;
        self.small = match written < buf.len().min(SMALL_BYTES) {
            true => self.small + 1,
            false => 0,
        };
        match self.small > SMALL_MOST {
            true => Poll::Ready(Err(io::Error::other(
                "the other side takes a few bytes at a time",
            ))),
            false => Poll::Ready(Ok(written)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}
