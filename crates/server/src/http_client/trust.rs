//! The authorities that certificates of servers elsewhere are verified with.
//!
//! Knows files and the system's store. Read next: [`super`], which connects.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

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

/// TLS with the authorities in a file (PEM), or with those that the system trusts.
///
/// # Errors
/// [`TrustError`] if there is no authority to trust.
pub(super) fn connector(authorities: Option<&Path>) -> Result<TlsConnector, TrustError> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted(authorities)?)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
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
