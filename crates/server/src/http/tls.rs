//! TLS of the server: 1.3 alone (RFC 8446), the server's certificate, and those of clients (RFC
//! 7589).
//!
//! With an authority for clients, a client with a certificate of another authority gets no
//! connection; one without a certificate may still use a token. Certificates are mapped to names by
//! [`super::certificate`]. The time is the platform's.

use crate::clock::Clock;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::time_provider::TimeProvider;
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};

/// The files of TLS, all PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, followed by those up to an authority.
    pub certificate: PathBuf,
    /// Its private key, which only its owner may read.
    pub key: PathBuf,
    /// The authorities of clients' certificates; without it clients are not asked for any.
    pub client_ca: Option<PathBuf>,
}

/// The reason for which TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds no such item.
    #[error("[http.tls]: {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: pem::Error,
    },
    /// Others than the owner may read the private key.
    #[error("[http.tls]: {} is open to others (mode {mode:03o}); run chmod 600", path.display())]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Certificate and key do not match, or cannot be used.
    #[error("[http.tls]: {}: {cause}", path.display())]
    Unusable {
        /// The file of the certificate, or of the authorities.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: rustls::Error,
    },
    /// Certificates of clients cannot be verified.
    #[error("[http.tls]: {}: {cause}", path.display())]
    Authorities {
        /// The file of the authorities.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: VerifierBuilderError,
    },
}

/// The TLS configuration of the server's connections.
///
/// # Errors
/// [`TlsError`]
pub fn configure(files: &TlsFiles, clock: &Arc<Clock>) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = read_all(&files.certificate)?;
    let key = read_key(&files.key)?;
    let provider = Arc::new(ring::default_provider());
    let time = Arc::new(PlatformTime(Arc::clone(clock)));
    let builder = ServerConfig::builder_with_details(Arc::clone(&provider), time)
        .with_protocol_versions(&[&TLS13])
        .expect("the provider has TLS 1.3");
    let builder = match &files.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => builder.with_client_cert_verifier(verifier(path, provider)?),
    };
    let unusable = |cause| TlsError::Unusable {
        path: files.certificate.clone(),
        cause,
    };
    let mut config = builder.with_single_cert(chain, key).map_err(unusable)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn verifier(
    path: &Path,
    provider: Arc<rustls::crypto::CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in read_all(path)? {
        roots.add(certificate).map_err(|cause| TlsError::Unusable {
            path: path.to_owned(),
            cause,
        })?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .allow_unauthenticated()
        .build()
        .map_err(|cause| TlsError::Authorities {
            path: path.to_owned(),
            cause,
        })
}

fn read_all(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    match found {
        Ok(found) if Vec::is_empty(&found) => Err(pem::Error::NoItemsFound),
        found => found,
    }
    .map_err(at(path))
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let unreadable = |cause: io::Error| at(path)(pem::Error::Io(cause));
    let mode = std::fs::metadata(path)
        .map_err(unreadable)?
        .permissions()
        .mode()
        & 0o777;
    if mode & 0o077 != 0 {
        return Err(TlsError::OpenToOthers {
            path: path.to_owned(),
            mode,
        });
    }
    PrivateKeyDer::from_pem_file(path).map_err(at(path))
}

fn at(path: &Path) -> impl Fn(pem::Error) -> TlsError {
    move |cause| TlsError::File {
        path: path.to_owned(),
        cause,
    }
}

/// The platform's clock, by which certificates expire.
#[derive(Debug)]
struct PlatformTime(Arc<Clock>);

impl TimeProvider for PlatformTime {
    fn current_time(&self) -> Option<UnixTime> {
        let ms = u64::try_from(self.0.now().as_ms()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_millis(ms)))
    }
}
