//! The HTTP client: requests to servers elsewhere, at allowed origins, over TLS if the scheme is
//! `https`.
//!
//! A name is resolved once, and the connection goes to the very address that was checked (no DNS
//! rebinding). Heads, bodies and interim responses are bounded, and the bytes of all servers
//! together are read in turns, on all cores but one. Redirects, which could lead elsewhere, are not
//! followed; there are no proxies, not those of the environment either, no cookies, and no
//! credentials but those of a request. Nothing is sent twice. Read next: `connection`, `idle`;
//! [`crate::webhook`] and [`crate::outside`], which ask.

mod connection;
mod idle;
mod trust;

pub use trust::TrustError;

use crate::fair::{FairShares, Share};
use crate::fence::Fence;
use crate::webhook::target::{AllowList, Origin, Target, UrlHost};
use connection::ClientConnection;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{HOST, HeaderName, HeaderValue, InvalidHeaderValue, USER_AGENT};
use hyper::{HeaderMap, Method, Request};
use idle::IdleConnections;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// The most addresses of a name that are tried.
const ADDRESSES: usize = 3;

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
    /// The body of the response is too long.
    #[error("the answer is longer than {most} bytes")]
    Long {
        /// The limit, in bytes.
        most: usize,
    },
    /// The request is malformed: a defect of this build.
    #[error("no request can be made: {0}")]
    Request(#[from] hyper::http::Error),
}

/// The client; share it in an `Arc`.
pub struct HttpClient {
    allowed: AllowList,
    tls: TlsConnector,
    share: Share,
    idle: Arc<IdleConnections>,
    fence: Fence,
}

impl HttpClient {
    /// A client for the origins of this list. Certificates are verified with the authorities in
    /// `authorities` (PEM), or with those that the system trusts. At most `idle` connections to an
    /// origin are kept for further requests.
    ///
    /// # Errors
    /// [`TrustError`] if there is no authority to trust.
    pub fn new(
        allowed: AllowList,
        authorities: Option<&Path>,
        idle: usize,
    ) -> Result<Self, TrustError> {
        Ok(Self {
            allowed,
            tls: trust::connector(authorities)?,
            share: FairShares::of_this_machine().of("elsewhere"),
            idle: Arc::new(IdleConnections::new(idle)),
            fence: Fence::default(),
        })
    }

    /// The same client, whose requests pass this fence.
    #[must_use]
    pub fn fenced_by(self, fence: Fence) -> Self {
        Self { fence, ..self }
    }

    /// The list of allowed origins.
    pub fn allowed(&self) -> &AllowList {
        &self.allowed
    }

    /// Sends a request, on a kept connection if there is one, and waits for the head of the
    /// response.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn send(
        &self,
        target: &Target,
        method: Method,
        fields: HeaderMap,
        body: String,
    ) -> Result<ClientResponse, Unanswered> {
        let mut request = Request::builder()
            .method(method)
            .uri(&target.path)
            .header(HOST, target.origin.authority())
            .header(USER_AGENT, concat!("convoke/", env!("CARGO_PKG_VERSION")))
            .body(body)?;
        request.headers_mut().extend(fields);
        loop {
            let idle = self.idle.take(&target.origin);
            let is_new = idle.is_none();
            let mut connection = match idle {
                Some(connection) => connection,
                None => self.connect(&target.origin).await?,
            };
            match connection.send(request).await {
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    return Ok(ClientResponse {
                        status: head.status.as_u16(),
                        fields: head.headers,
                        body,
                        connection,
                        origin: target.origin.clone(),
                        idle: Arc::clone(&self.idle),
                    });
                }
                // A kept connection may have been closed meanwhile: what it did not take goes on
                // the next.
                Err(mut error) => match error.take_message() {
                    Some(unsent) if !is_new => request = unsent,
                    _ => return Err(error.into_error().into()),
                },
            }
        }
    }

    async fn connect(&self, origin: &Origin) -> Result<ClientConnection, Unanswered> {
        let stream = connected(&self.addresses(origin).await?).await?;
        let stream = self.fence.stream(stream);
        if !origin.secure {
            return ClientConnection::begin(stream, self.share.clone()).await;
        }
        let name = match &origin.host {
            UrlHost::Address(address) => ServerName::from(*address),
            UrlHost::Name(name) => {
                ServerName::try_from(name.clone()).map_err(|_| Unanswered::ServerName)?
            }
        };
        let greeting = self.tls.connect(name, stream);
        let stream = self.share.clone().run(greeting).await;
        let stream = stream.map_err(Unanswered::Connect)?;
        ClientConnection::begin(stream, self.share.clone()).await
    }

    /// The addresses of the host to which a connection is allowed.
    async fn addresses(&self, origin: &Origin) -> Result<Vec<SocketAddr>, Unanswered> {
        let found: Vec<SocketAddr> = match &origin.host {
            UrlHost::Address(address) => vec![SocketAddr::new(*address, origin.port)],
            UrlHost::Name(name) => {
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

/// A response whose body is still to be read. Dropped before, it ends its connection.
pub struct ClientResponse {
    status: u16,
    fields: HeaderMap,
    body: Incoming,
    connection: ClientConnection,
    origin: Origin,
    idle: Arc<IdleConnections>,
}

impl ClientResponse {
    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// A field, if it is there and in ASCII.
    pub fn field(&self, name: HeaderName) -> Option<&str> {
        self.fields.get(name)?.to_str().ok()
    }

    /// The next piece of the body; none at its end. Cancel-safe.
    ///
    /// # Errors
    /// [`Unanswered::Http`] if the body is interrupted.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, Unanswered> {
        match poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await {
            None => Ok(None),
            Some(frame) => Ok(Some(frame?.into_data().unwrap_or_default())),
        }
    }

    /// The whole body, of `most` bytes; its connection can be kept then.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn bytes(mut self, most: usize) -> Result<Vec<u8>, Unanswered> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > most {
                return Err(Unanswered::Long { most });
            }
        }
        self.idle.keep(self.origin, self.connection);
        Ok(bytes)
    }
}

/// The outcome of an exchange, if that takes no longer than this.
///
/// # Errors
/// Those of the exchange, and [`Unanswered::Late`].
pub async fn within<T, E: From<Unanswered>>(
    limit: Duration,
    exchange: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let late = Unanswered::Late {
        ms: limit.as_millis() as u64,
    };
    timeout(limit, exchange).await.unwrap_or(Err(late.into()))
}

/// The value of a field that no log shows.
///
/// # Errors
/// [`InvalidHeaderValue`] if no field can hold it.
pub fn secret(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(text)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
