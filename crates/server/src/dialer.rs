//! Connections to HTTP servers elsewhere: to an allowed origin, over TLS if its scheme is `https`.
//!
//! A name is resolved once, and the connection goes to the very address that was checked (no DNS
//! rebinding). Bytes from a server are read in bounded turns, all servers together on all cores but
//! one, and interim responses are limited. Proxies and redirects are not supported; requests are
//! made by the holder of the connection. Read next: [`crate::webhook`], [`crate::outside`].

use crate::fair::{FairShares, Share};
use crate::webhook::target::{AllowList, Host, Origin};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::ext::on_informational;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// The most addresses of a name that are tried.
const ADDRESSES: usize = 3;
/// The longest head of a response, in bytes.
const HEAD_BYTES: usize = 32 << 10;
/// The bytes read in one turn, completed by the rest of the last read.
const TURN_BYTES: usize = 16 << 10;
/// The most interim responses (RFC 9110 §15.2) before the final one.
const INTERIM_MOST: usize = 16;

/// The reason for which TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file of authorities cannot be read.
    #[error("the authorities in {} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: pem::Error,
    },
    /// No authority was found.
    #[error("no authority to trust was found in {0}")]
    Nobody(String),
    /// TLS refuses its own settings: a defect of this build.
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

/// The reason for which a request got no response.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The name cannot be resolved.
    #[error("the name is not resolved: {0}")]
    Name(#[source] io::Error),
    /// The name resolves only to forbidden addresses.
    #[error("the name leads to no public address, but to {0}")]
    Private(IpAddr),
    /// No connection was established, or no TLS on it.
    #[error("no connection: {0}")]
    Connect(#[source] io::Error),
    /// The name cannot be in a certificate.
    #[error("the name cannot be verified")]
    ServerName,
    /// The exchange was interrupted.
    #[error("the exchange broke off: {0}")]
    Http(#[from] hyper::Error),
    /// The response took too long.
    #[error("there was no answer within {ms} ms")]
    Late {
        /// The time waited, in milliseconds.
        ms: u64,
    },
    /// The request is malformed: a defect of this build.
    #[error("no request can be made: {0}")]
    Request(#[from] hyper::http::Error),
}

/// A connection, on which one request at a time is sent.
pub struct Sender {
    requests: SendRequest<String>,
    turn: Arc<Turn>,
}

impl Sender {
    /// Sends a request and waits for the response.
    ///
    /// # Errors
    /// [`hyper::Error`] if the exchange is interrupted, or there are too many interim responses.
    pub async fn send(
        &mut self,
        request: Request<String>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        let request = self.counted(request);
        self.requests.send_request(request).await
    }

    /// The same; the request is returned if nothing of it was sent.
    ///
    /// # Errors
    /// [`TrySendError`], with the request where it may be sent again.
    pub async fn try_send(
        &mut self,
        request: Request<String>,
    ) -> Result<Response<Incoming>, TrySendError<Request<String>>> {
        let request = self.counted(request);
        self.requests.try_send_request(request).await
    }

    /// True if another request can be sent at once.
    pub fn is_ready(&self) -> bool {
        self.requests.is_ready()
    }

    /// True if the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    fn counted(&self, mut request: Request<String>) -> Request<String> {
        let turn = Arc::clone(&self.turn);
        turn.interim.store(0, Relaxed);
        on_informational(&mut request, move |_| {
            turn.interim.fetch_add(1, Relaxed);
        });
        request
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

/// Makes connections to allowed origins.
pub struct Dialer {
    allowed: AllowList,
    tls: TlsConnector,
    share: Share,
}

impl Dialer {
    /// A dialer for the origins of this list. Certificates are verified with the authorities in
    /// `authorities` (PEM), or with those that the system trusts.
    ///
    /// # Errors
    /// [`TrustError`] if there is no authority to trust.
    pub fn new(allowed: AllowList, authorities: Option<&Path>) -> Result<Self, TrustError> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(trusted(authorities)?)
            .with_no_client_auth();
        Ok(Self {
            allowed,
            tls: TlsConnector::from(Arc::new(config)),
            share: FairShares::of_this_machine().of("elsewhere"),
        })
    }

    /// The list of allowed origins.
    pub fn allowed(&self) -> &AllowList {
        &self.allowed
    }

    /// Connects to an origin, over TLS if its scheme is `https`.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn connect(&self, origin: &Origin) -> Result<Sender, Unanswered> {
        let stream = connected(&self.addresses(origin).await?).await?;
        if !origin.secure {
            return self.spoken(stream).await;
        }
        let name = match &origin.host {
            Host::Address(address) => ServerName::from(*address),
            Host::Name(name) => {
                ServerName::try_from(name.clone()).map_err(|_| Unanswered::ServerName)?
            }
        };
        let greeting = self.tls.connect(name, stream);
        let stream = self.share.clone().run(greeting).await;
        self.spoken(stream.map_err(Unanswered::Connect)?).await
    }

    async fn spoken<S>(&self, stream: S) -> Result<Sender, Unanswered>
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
        let served = self.share.clone().run(in_turns);
        // Ends when the sender is dropped or the other side closes; what fails is told by the sender.
        tokio::spawn(async move { drop(served.await) });
        Ok(Sender { requests, turn })
    }

    /// The addresses of the host to which a connection is allowed.
    async fn addresses(&self, origin: &Origin) -> Result<Vec<SocketAddr>, Unanswered> {
        let found: Vec<SocketAddr> = match &origin.host {
            Host::Address(address) => vec![SocketAddr::new(*address, origin.port)],
            Host::Name(name) => {
                let found = tokio::net::lookup_host((name.as_str(), origin.port)).await;
                found.map_err(Unanswered::Name)?.collect()
            }
        };
        let may = |at: &&SocketAddr| self.allowed.may_connect(origin, at.ip());
        let addresses: Vec<_> = found.iter().filter(may).take(ADDRESSES).copied().collect();
        match found.first() {
            Some(first) if addresses.is_empty() => Err(Unanswered::Private(first.ip())),
            _ => Ok(addresses),
        }
    }
}

/// The first connection that succeeds.
async fn connected(addresses: &[SocketAddr]) -> Result<TcpStream, Unanswered> {
    let mut failure = io::ErrorKind::AddrNotAvailable.into();
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // A request is one write and waits for its answer.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => failure = error,
        }
    }
    Err(Unanswered::Connect(failure))
}

fn trusted(authorities: Option<&Path>) -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    let place = match authorities {
        Some(path) => {
            let unreadable = |cause| TrustError::File {
                path: path.to_owned(),
                cause,
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                roots.add(certificate.map_err(unreadable)?)?;
            }
            path.display().to_string()
        }
        None => {
            // The system's store may hold certificates that nothing can be verified with.
            let _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            "the system's store".to_owned()
        }
    };
    match roots.is_empty() {
        true => Err(TrustError::Nobody(place)),
        false => Ok(roots),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// The outcome of a request to a server that sends `beginning` and then `piece`, `times` times
    /// or endlessly; and the number of pieces sent before the connection was closed.
    async fn asked(
        beginning: &str,
        piece: &str,
        times: usize,
    ) -> (Result<u16, hyper::Error>, usize) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let dialer = Dialer::new(
            AllowList::new(&[], std::slice::from_ref(&origin)).unwrap(),
            None,
        )
        .unwrap();
        let (beginning, piece) = (beginning.to_owned(), piece.to_owned());
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1_024];
            let _ = stream.read(&mut request).await.unwrap();
            let mut sent = 0;
            let mut next = beginning;
            while stream.write_all(next.as_bytes()).await.is_ok() && sent < times {
                next.clone_from(&piece);
                sent += 1;
            }
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            sent
        });
        let target = dialer.allowed().admit_url(&format!("{origin}/")).unwrap();
        let mut sender = dialer.connect(&target.origin).await.unwrap();
        let request = Request::get("/").body(String::new()).unwrap();
        let answer = sender.send(request).await;
        drop(sender);
        (answer.map(|a| a.status().as_u16()), served.await.unwrap())
    }

    const HINTS: &str = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";

    #[tokio::test]
    async fn some_interim_answers_come_before_the_answer() {
        let (answer, _) = asked("", HINTS, INTERIM_MOST).await;
        assert_eq!(answer.unwrap(), 204);
    }

    /// Regression: a server that only sends interim responses kept a thread busy for the whole time
    /// limit.
    #[tokio::test]
    async fn interim_answers_without_end_end_the_exchange() {
        let (answer, _) = asked("", HINTS, usize::MAX).await;
        let error = answer.unwrap_err();
        let why = std::error::Error::source(&error).map(ToString::to_string);
        let wanted = format!("more than {INTERIM_MOST} interim answers came before the answer");
        assert_eq!(why, Some(wanted));
    }

    #[tokio::test]
    async fn a_head_without_end_ends_the_exchange() {
        let (answer, _) = asked("HTTP/1.1 200 OK\r\n", "a: b\r\n", usize::MAX).await;
        assert!(answer.is_err());
        let (answer, _) = asked("HTTP/1.1 200 OK\r\na: ", "long", usize::MAX).await;
        assert!(answer.unwrap_err().is_parse_too_large());
    }

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
