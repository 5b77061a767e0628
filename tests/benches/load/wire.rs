//! The client of a session in the load generator: it does just enough to separate messages.
//!
//! A client that parsed each reply would measure itself. This one knows hellos and the one-chunk
//! messages that the server writes (RFC 6242 §4.2), looks at the first bytes of each, and hands out
//! slices of its buffer. Anything else is an error, and the run is void.

use netconf::framing::{END_OF_MESSAGE, Framing, encode};
use netconf::hello::{Capabilities, write_client_hello};
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use server::ssh::{ByteStream, ConnectError, Connector, Target};
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The size from which a buffer is freed after a large reply, in bytes.
const KEPT_BYTES: usize = 4 << 20;

/// The reason why a session cannot be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The transport failed.
    #[error("the transport failed: {0}")]
    Io(#[from] io::Error),
    /// The server sent something unexpected.
    #[error("unexpected: {0}")]
    Unexpected(String),
}

/// One session.
pub(crate) struct Wire {
    stream: ByteStream,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that have been handed out.
    taken: usize,
}

impl Wire {
    /// Connects and exchanges hellos.
    pub(crate) async fn open(connector: &Connector, target: &Target) -> Result<Self, WireError> {
        let mut wire = Self {
            stream: connector.connect(target).await?,
            buffer: Vec::with_capacity(16 << 10),
            taken: 0,
        };
        wire.greet().await?;
        Ok(wire)
    }

    async fn greet(&mut self) -> Result<(), WireError> {
        let (mut hello, mut framed) = (Vec::new(), Vec::new());
        write_client_hello(&Capabilities::new([BASE_1_0, BASE_1_1]), &mut hello);
        encode(&hello, Framing::EndOfMessage, &mut framed);
        self.send(&framed).await?;
        loop {
            let rest = &self.buffer[self.taken..];
            if let Some(at) = find(rest, END_OF_MESSAGE) {
                self.taken += at + END_OF_MESSAGE.len();
                return Ok(());
            }
            self.fill().await?;
        }
    }

    /// Sends bytes that are framed already.
    pub(crate) async fn send(&mut self, framed: &[u8]) -> Result<(), WireError> {
        Ok(self.stream.write_all(framed).await?)
    }

    /// Waits for the next message.
    pub(crate) async fn message(&mut self) -> Result<&[u8], WireError> {
        let (start, end) = loop {
            match self.whole()? {
                Some(found) => break found,
                None => self.fill().await?,
            }
        };
        self.taken = end + END_OF_CHUNKS.len();
        Ok(&self.buffer[start..end])
    }

    /// The next message, if it has arrived.
    pub(crate) fn arrived(&mut self) -> Result<Option<&[u8]>, WireError> {
        let Some((start, end)) = self.whole()? else {
            return Ok(None);
        };
        self.taken = end + END_OF_CHUNKS.len();
        Ok(Some(&self.buffer[start..end]))
    }

    /// Waits for a reply, which must not be an error.
    pub(crate) async fn reply(&mut self) -> Result<&[u8], WireError> {
        accepted(self.message().await?)
    }

    /// One request and its reply.
    pub(crate) async fn call(&mut self, framed: &[u8]) -> Result<&[u8], WireError> {
        self.send(framed).await?;
        self.reply().await
    }

    /// The position of the next complete message in the buffer, if there is one.
    fn whole(&self) -> Result<Option<(usize, usize)>, WireError> {
        let rest = &self.buffer[self.taken..];
        let Some(head) = rest
            .get(2..)
            .and_then(|r| r.iter().position(|b| *b == b'\n'))
        else {
            return Ok(None);
        };
        let odd = || WireError::Unexpected(format!("chunk {:?}", lossy(rest)));
        let digits = rest[2..2 + head].iter();
        let size = digits.fold(0_usize, |n, d| n * 10 + usize::from(d.wrapping_sub(b'0')));
        if !rest.starts_with(b"\n#") || size == 0 {
            return Err(odd());
        }
        let start = 2 + head + 1;
        match rest.get(start + size..start + size + END_OF_CHUNKS.len()) {
            None => Ok(None),
            Some(END_OF_CHUNKS) => Ok(Some((self.taken + start, self.taken + start + size))),
            Some(_) => Err(odd()),
        }
    }

    async fn fill(&mut self) -> Result<(), WireError> {
        if self.taken == self.buffer.len() {
            self.buffer.clear();
            if self.buffer.capacity() > KEPT_BYTES {
                self.buffer = Vec::with_capacity(16 << 10);
            }
        } else if self.taken > 64 << 10 {
            self.buffer.drain(..self.taken);
        } else {
            self.buffer.reserve(16 << 10);
            return self.read().await;
        }
        self.taken = 0;
        self.buffer.reserve(16 << 10);
        self.read().await
    }

    async fn read(&mut self) -> Result<(), WireError> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(WireError::Unexpected("the server hung up".to_owned())),
            _ => Ok(()),
        }
    }
}

const END_OF_CHUNKS: &[u8] = b"\n##\n";

/// Returns the reply unless it is an error. An error would stand first, so a long reply is not
/// searched.
pub(crate) fn accepted(message: &[u8]) -> Result<&[u8], WireError> {
    match find(&message[..message.len().min(200)], b"<rpc-error") {
        None => Ok(message),
        Some(_) => Err(WireError::Unexpected(
            String::from_utf8_lossy(message).into_owned(),
        )),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned()
}

/// The position of `needle`.
pub(crate) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|w| w == needle)
}

/// An operation as a framed `<rpc>`.
pub(crate) fn request(number: u64, operation: &str) -> Vec<u8> {
    let message = format!(
        "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"{number}\">{operation}</rpc>"
    );
    let mut framed = Vec::with_capacity(message.len() + 20);
    encode(message.as_bytes(), Framing::Chunked, &mut framed);
    framed
}
