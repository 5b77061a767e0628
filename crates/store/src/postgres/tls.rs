//! TLS to a database: certificates for the very name that was written, from authorities that are
//! trusted.
//!
//! Knows files and the system's store. SCRAM's channel binding is not offered: verified TLS names
//! the server already. Read next: [`super::net`], which connects.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// The reason for which TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error("the authorities in {} cannot be read", path.display())]
    File {
        path: PathBuf,
        #[source]
        cause: pem::Error,
    },
    #[error("no authority to trust was found in {0}")]
    Nobody(String),
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

/// TLS did not come about; the certificate is at fault if the cause is no failure of the connection.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Handshake(pub(super) io::Error);

/// What makes connections, with the authorities that it trusts.
#[derive(Clone)]
pub(super) struct Trust(TlsConnector);

impl Trust {
    /// Trusts the authorities in a file (PEM), or those that the system trusts.
    pub(super) fn new(authorities: Option<&Path>) -> Result<Self, TlsError> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(trusted(authorities)?)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

fn trusted(authorities: Option<&Path>) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let place = match authorities {
        Some(path) => {
            let unreadable = |cause| TlsError::File {
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
        true => Err(TlsError::Nobody(place)),
        false => Ok(roots),
    }
}

impl<S> MakeTlsConnect<S> for Trust
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Secured<S>;
    type TlsConnect = ToName;
    type Error = Handshake;

    fn make_tls_connect(&mut self, name: &str) -> Result<ToName, Handshake> {
        Ok(ToName {
            connector: self.0.clone(),
            name: name.to_owned(),
        })
    }
}

/// A connection to the server of this name.
pub(super) struct ToName {
    connector: TlsConnector,
    name: String,
}

impl<S> TlsConnect<S> for ToName
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Secured<S>;
    type Error = Handshake;
    type Future = Pin<Box<dyn Future<Output = Result<Secured<S>, Handshake>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.name);
            let name = name.map_err(|cause| io::Error::new(io::ErrorKind::InvalidInput, cause));
            let stream = self.connector.connect(name.map_err(Handshake)?, stream);
            Ok(Secured(stream.await.map_err(Handshake)?))
        })
    }
}

/// A stream in TLS.
pub(super) struct Secured<S>(TlsStream<S>);

impl<S> tokio_postgres::tls::TlsStream for Secured<S>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Secured<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Secured<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
