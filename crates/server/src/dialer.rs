//! Connections to HTTP servers elsewhere: to an origin that is allowed, over TLS if it says so.
//!
//! A name is resolved once, and the connection goes to the very address that was checked, so that a
//! name cannot lead elsewhere in between. Knows no proxy and follows nothing; what is said on a
//! connection is its holder's. Read next: [`crate::webhook`], [`crate::outside`].

use crate::webhook::target::{AllowList, Host, Origin};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// How many of the addresses of a name are tried.
const ADDRESSES: usize = 3;

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file of authorities cannot be read.
    #[error("the authorities in {} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
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

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The name is not known, or cannot be asked for.
    #[error("the name is not resolved: {0}")]
    Name(#[source] io::Error),
    /// The name leads only to addresses that must not be spoken to.
    #[error("the name leads to no public address, but to {0}")]
    Private(IpAddr),
    /// No connection, or no TLS on it.
    #[error("no connection: {0}")]
    Connect(#[source] io::Error),
    /// The name cannot stand in a certificate.
    #[error("the name cannot be verified")]
    ServerName,
    /// The exchange broke off.
    #[error("the exchange broke off: {0}")]
    Http(#[from] hyper::Error),
    /// It took too long.
    #[error("there was no answer within {ms} ms")]
    Late {
        /// How long was waited, in milliseconds.
        ms: u64,
    },
    /// The request is not one: a defect of this build.
    #[error("no request can be made: {0}")]
    Request(#[from] hyper::http::Error),
}

/// A connection, on which one request at a time is sent.
pub type Sender = SendRequest<String>;

/// Whoever makes connections.
pub struct Dialer {
    allowed: AllowList,
    tls: TlsConnector,
}

impl Dialer {
    /// To the origins of this list. Certificates are verified with the authorities in `authorities`
    /// (PEM), or without one with those that the system trusts.
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
        })
    }

    /// The list of what is allowed.
    pub fn allowed(&self) -> &AllowList {
        &self.allowed
    }

    /// A connection to an origin, over TLS if it says so.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn connect(&self, origin: &Origin) -> Result<Sender, Unanswered> {
        let stream = connected(&self.addresses(origin).await?).await?;
        if !origin.secure {
            return spoken(stream).await;
        }
        let name = match &origin.host {
            Host::Address(address) => ServerName::from(*address),
            Host::Name(name) => {
                ServerName::try_from(name.clone()).map_err(|_| Unanswered::ServerName)?
            }
        };
        let stream = self.tls.connect(name, stream).await;
        spoken(stream.map_err(Unanswered::Connect)?).await
    }

    /// Where to connect to: the addresses of the host that may be spoken to.
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

/// The first connection that can be had.
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

async fn spoken<S>(stream: S) -> Result<Sender, Unanswered>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // Ends when the sender is dropped or the other side closes; what fails is told by the sender.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
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
