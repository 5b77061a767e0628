//! The channel between nodes: HTTP/2 over mutual TLS, from a node that accepts clients to the one that
//! leads.
//!
//! Each request names the version of this protocol; another one is refused with 505, and a node that
//! does not lead answers 421, so that whoever asks looks again. A stream that is not read holds up no
//! other: each has a window of its own, and that of the connection is never the narrower one. A peer that
//! is silent for two seconds is gone. Knows no clients: what is asked is in `record` and `requests`. Read next: `client`,
//! `server`; [`super::identity`].

mod client;
mod server;

pub(super) use client::{ChannelClient, Unreached};
pub(super) use server::{Answering, ChannelServer, ChannelService};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode, Uri};
use socket2::{SockRef, TcpKeepalive};
use std::error::Error;
use std::future::{poll_fn, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;

/// The version of the protocol on the channel.
pub(super) const PROTOCOL: HeaderValue = HeaderValue::from_static("1");
/// The field of that version; of a response, that it is one to a client.
pub(super) const PROTOCOL_FIELD: HeaderName = HeaderName::from_static("convoke-cluster");
/// The field of the version of the program, for the log.
const VERSION_FIELD: HeaderName = HeaderName::from_static("convoke-version");
/// The field with the name of the node that asks, for the log.
pub(super) const NODE_FIELD: HeaderName = HeaderName::from_static("convoke-node");

/// Where the node that asks is connected from, beside its request.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerAddress(pub(super) SocketAddr);

/// The time of silence after which a peer is asked for a sign of life, and the time for it to give one.
const KEEPALIVE: Duration = Duration::from_secs(1);
/// The time for a connection to be there, TLS included.
const CONNECT: Duration = Duration::from_secs(2);
/// The most streams of a connection: sessions and requests of all clients of a node.
const STREAMS: u32 = 16_384;
/// The streams beyond those on which a node tells what has ended, so that it can when it has no other.
const TOLD: usize = 16;
/// The bytes of a stream that may wait for its reader.
const STREAM_WINDOW_BYTES: u32 = 128 << 10;
/// The same of all streams together: all that HTTP/2 can say, so that no stream waits for another.
const CONNECTION_WINDOW_BYTES: u32 = (1 << 31) - 1;
/// The bytes of a stream that may wait to be sent.
const SEND_BYTES: usize = 64 << 10;
/// The longest head, in bytes: that of a client, and what is said about it.
const HEAD_BYTES: u32 = 64 << 10;

/// A reason of whatever kind.
pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// The body of a request or a response on the channel.
pub(super) type ChannelBody = Pin<Box<dyn Body<Data = Bytes, Error = BoxError> + Send>>;

/// A body of a few bytes.
pub(super) fn whole(bytes: impl Into<Bytes>) -> ChannelBody {
    Box::pin(Whole(Some(bytes.into())))
}

/// An answer for which nothing is awaited.
pub(super) fn at_once(response: Response<ChannelBody>) -> Answering {
    Box::pin(ready(response))
}

/// A refusal by this node, which is none to a client.
pub(super) fn refusal(status: StatusCode, why: &'static str) -> Response<ChannelBody> {
    let mut response = Response::new(whole(why));
    *response.status_mut() = status;
    response
}

/// The address of something on the channel; which node it is, TLS has settled.
pub(super) fn uri(path: &str) -> Uri {
    let uri = format!("https://node{path}").parse();
    uri.expect("paths on the channel are literals")
}

/// The number in a field; none if there is none.
pub(super) fn number(fields: &HeaderMap, field: &HeaderName) -> Option<u64> {
    fields.get(field)?.to_str().ok()?.parse().ok()
}

/// A body of a few bytes; none if it is longer, or breaks off.
pub(super) async fn short(mut body: Incoming, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        bytes.extend_from_slice(&frame.ok()?.into_data().unwrap_or_default());
        if bytes.len() > most {
            return None;
        }
    }
    Some(bytes)
}

struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let bytes = self.0.take().filter(|bytes| !bytes.is_empty());
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Bytes::len) as u64)
    }
}

/// Sets socket options; a socket that refuses them still works.
fn prepare(tcp: &TcpStream) {
    let _ = tcp.set_nodelay(true);
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE)
        .with_retries(2);
    let _ = SockRef::from(tcp).set_tcp_keepalive(&keepalive);
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(tcp).set_tcp_user_timeout(Some(2 * KEEPALIVE));
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
