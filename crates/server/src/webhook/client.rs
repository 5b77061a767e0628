//! One POST: to an address that was checked, over TLS if the URL says so, sealed, once.
//!
//! Follows no redirect, knows no proxy, no cookie and no credential but what the letter brings. A name is resolved once, and
//! the connection goes to the very address that was checked, so that a name cannot lead elsewhere
//! in between. Connections are kept a while and used again. When to try again is
//! [`super::schedule`]'s. Read next: [`super::delivery`].

use super::signature::Sealer;
use super::target::{AllowList, Host, Origin, Target};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// How many connections to one host are kept for later reports.
const KEPT: usize = 4;
/// How long a connection is kept.
const KEPT_FOR: Duration = Duration::from_secs(30);
/// How much of an answer's body is read, so that its connection can be used again, in bytes.
const ANSWER_MOST: usize = 64 * 1_024;
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

/// Why a report was not answered.
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

type Sender = SendRequest<String>;

/// What one POST carries.
#[derive(Clone, PartialEq, Eq)]
pub struct Letter {
    /// The type of the body.
    pub media_type: &'static str,
    /// Fields that its receiver wants besides, which may be secrets.
    pub fields: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

/// Whoever posts reports; share it in an `Arc`.
pub struct Client {
    allowed: AllowList,
    sealer: Sealer,
    tls: TlsConnector,
    kept: Mutex<BTreeMap<Origin, Vec<(Instant, Sender)>>>,
}

impl Client {
    /// A client for the origins of this list. Certificates are verified with the authorities in
    /// `authorities` (PEM), or without one with those that the system trusts.
    ///
    /// # Errors
    /// [`TrustError`] if there is no authority to trust.
    pub fn new(
        allowed: AllowList,
        sealer: Sealer,
        authorities: Option<&Path>,
    ) -> Result<Self, TrustError> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(trusted(authorities)?)
            .with_no_client_auth();
        Ok(Self {
            allowed,
            sealer,
            tls: TlsConnector::from(Arc::new(config)),
            kept: Mutex::default(),
        })
    }

    /// The list of what is allowed.
    pub fn allowed(&self) -> &AllowList {
        &self.allowed
    }

    /// Posts a letter and answers the status of the response. `created` is the time of the seal, in
    /// seconds since 1970 began.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub async fn post(
        &self,
        target: &Target,
        letter: Letter,
        created: i64,
    ) -> Result<u16, Unanswered> {
        let mut request = self.request(target, letter, created)?;
        // A kept connection may have been closed meanwhile; what it did not take goes on a new one.
        while let Some(mut sender) = self.take_kept(&target.origin) {
            match sender.try_send_request(request).await {
                Ok(response) => return self.finish(&target.origin, sender, response).await,
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(error.into_error().into()),
                },
            }
        }
        let mut sender = self.connect(&target.origin).await?;
        let response = sender.send_request(request).await?;
        self.finish(&target.origin, sender, response).await
    }

    fn request(
        &self,
        target: &Target,
        letter: Letter,
        created: i64,
    ) -> Result<Request<String>, hyper::http::Error> {
        let (uri, media_type) = (target.to_string(), letter.media_type);
        let seal = self.sealer.seal(&uri, media_type, &letter.body, created);
        let mut request = Request::post(&target.path)
            .header(HOST, target.origin.authority())
            .header(USER_AGENT, concat!("convoke/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, media_type)
            .header("content-digest", seal.content_digest)
            .header("signature-input", seal.signature_input)
            .header("signature", seal.signature);
        for (name, value) in letter.fields {
            let mut value = HeaderValue::try_from(value)?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request.body(letter.body)
    }

    async fn connect(&self, origin: &Origin) -> Result<Sender, Unanswered> {
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

    /// Takes the answer in, and keeps the connection if it can be used again.
    async fn finish(
        &self,
        origin: &Origin,
        sender: Sender,
        response: Response<Incoming>,
    ) -> Result<u16, Unanswered> {
        let status = response.status().as_u16();
        if was_read(response.into_body()).await && !sender.is_closed() {
            self.keep(origin, sender);
        }
        Ok(status)
    }

    fn keep(&self, origin: &Origin, sender: Sender) {
        let mut kept = self.kept.lock().expect("no holder panics");
        kept.retain(|_, connections| {
            connections.retain(|(since, sender)| is_usable(*since, sender));
            !connections.is_empty()
        });
        let connections = kept.entry(origin.clone()).or_default();
        if connections.len() < KEPT {
            connections.push((Instant::now(), sender));
        }
    }

    fn take_kept(&self, origin: &Origin) -> Option<Sender> {
        let mut kept = self.kept.lock().expect("no holder panics");
        let connections = kept.get_mut(origin)?;
        std::iter::from_fn(|| connections.pop())
            .find(|(since, sender)| is_usable(*since, sender))
            .map(|(_, sender)| sender)
    }
}

fn is_usable(since: Instant, sender: &Sender) -> bool {
    since.elapsed() < KEPT_FOR && sender.is_ready()
}

/// The first connection that can be had.
async fn connected(addresses: &[SocketAddr]) -> Result<TcpStream, Unanswered> {
    let mut failure = io::ErrorKind::AddrNotAvailable.into();
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // A report is one write and waits for its answer.
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

/// Reads an answer's body; false if it is long or breaks off.
async fn was_read(mut body: Incoming) -> bool {
    let mut size = 0;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(frame) = frame else {
            return false;
        };
        size += frame.data_ref().map_or(0, |data| data.len());
        if size > ANSWER_MOST {
            return false;
        }
    }
    true
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
