//! TLS of the server: 1.3 alone (RFC 8446), our certificate, and those of clients (RFC 7589).
//!
//! With an authority for clients, one that shows a certificate which that did not sign gets no
//! connection; one that shows none may still bring a token. Who a certificate is of is
//! [`super::certificate`]'s. The time is the platform's.

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
    /// Our certificate, and behind it those up to an authority.
    pub certificate: PathBuf,
    /// Its private key, which only its owner may read.
    pub key: PathBuf,
    /// The authorities of clients' certificates; clients need none without.
    pub client_ca: Option<PathBuf>,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or holds nothing of the kind.
    #[error("[http.tls]: {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
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
    /// Certificate and key do not go together, or cannot be used.
    #[error("[http.tls]: {}: {cause}", path.display())]
    Unusable {
        /// The file of the certificate, or of the authorities.
        path: PathBuf,
        /// Why.
        #[source]
        cause: rustls::Error,
    },
    /// No client can be verified.
    #[error("[http.tls]: {}: {cause}", path.display())]
    Authorities {
        /// The file of the authorities.
        path: PathBuf,
        /// Why.
        #[source]
        cause: VerifierBuilderError,
    },
}

/// What connections of the server begin with.
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

/// Certificates expire by the platform's clock.
#[derive(Debug)]
struct PlatformTime(Arc<Clock>);

impl TimeProvider for PlatformTime {
    fn current_time(&self) -> Option<UnixTime> {
        let ms = u64::try_from(self.0.now().as_ms()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_millis(ms)))
    }
}
