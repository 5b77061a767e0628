//! What the client of a session sends, as the node that leads reads it from the one that accepted it.
//!
//! Read next: [`super::record`], the form; [`super::leading`], who reads.

use super::channel::BoxError;
use super::opening::Opening;
use super::record::{FromClient, Records};
use hyper::body::{Body, Incoming};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tracing::debug;

/// What a client sends, from the records of the node that accepted it.
pub(super) struct Input {
    body: Incoming,
    records: Records,
    /// Bytes of the client that are not read yet, and how many of them are.
    bytes: (Vec<u8>, usize),
    has_ended: bool,
}

impl Input {
    pub(super) fn new(body: Incoming) -> Self {
        Self {
            body,
            records: Records::default(),
            bytes: (Vec::new(), 0),
            has_ended: false,
        }
    }

    pub(super) async fn opening(&mut self) -> Result<Opening, BoxError> {
        match poll_fn(|cx| self.poll_record(cx)).await? {
            FromClient::Open(opening) => Ok(opening),
            _ => Err("no session was introduced".into()),
        }
    }

    /// The next record.
    fn poll_record(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<FromClient<Opening>>> {
        loop {
            let next = self.records.next_from_client().map_err(io::Error::other)?;
            if let Some(record) = next {
                return Poll::Ready(Ok(record));
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => self.records.push(&frame.into_data().unwrap_or_default()),
                Some(Err(error)) => {
                    debug!(%error, "the way to the node of a session is lost");
                    return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
                }
                // The other node ends the stream when its client is gone.
                None => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            }
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.bytes.1 == self.bytes.0.len() {
            if self.has_ended {
                return Poll::Ready(Ok(()));
            }
            match ready!(self.poll_record(cx))? {
                FromClient::Bytes(bytes) => self.bytes = (bytes, 0),
                FromClient::End => self.has_ended = true,
                FromClient::Open(_) => {
                    let twice = "a session is introduced twice";
                    return Poll::Ready(Err(io::Error::other(twice)));
                }
            }
        }
        let (bytes, read) = &mut self.bytes;
        let more = buf.remaining().min(bytes.len() - *read);
        buf.put_slice(&bytes[*read..*read + more]);
        *read += more;
        if *read == bytes.len() {
            // An idle session keeps no buffer.
            self.bytes = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }
}
