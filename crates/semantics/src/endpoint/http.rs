//! One POST to the endpoint and its answer.
//!
//! Blocking for the caller: a runtime of its own on a thread of its own carries the exchange, so
//! that it does not matter where [`super::Endpoint`] is called from. No redirect, no proxy, no
//! cookie, no retry.
// The network, a clock for the timeout and a thread are what this feature is about.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use super::Settings;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// How long an answer may be, in bytes.
const ANSWER_MOST: usize = 4 * 1_024 * 1_024;

/// Why an endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadEndpoint {
    /// Not a URL with `http` or `https` and a host.
    #[error("'{0}' is no URL of an endpoint, such as https://host/v1")]
    Url(String),
    /// A key would travel in the clear.
    #[error("a key is sent over https, or to the host itself, only")]
    KeyInTheClear,
    /// The key cannot stand in a header.
    #[error("the key holds characters that no header may hold")]
    Key,
    /// The file of authorities cannot be read.
    #[error("the authorities in {} cannot be read", path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: pem::Error,
    },
    /// No authority was found.
    #[error("no authority to trust was found")]
    Nobody,
    /// TLS refuses its own settings: a defect of this build.
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

/// Why an endpoint did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// No connection, or no TLS on it.
    #[error("no connection: {0}")]
    Connect(#[source] std::io::Error),
    /// The exchange broke off.
    #[error("the exchange broke off: {0}")]
    Http(#[from] hyper::Error),
    /// It took too long.
    #[error("there was no answer within {ms} ms")]
    Late {
        /// How long was waited, in milliseconds.
        ms: u128,
    },
    /// Another status than 200.
    #[error("the endpoint answers {status}: {told}")]
    Status {
        /// The status.
        status: u16,
        /// The start of what it says.
        told: String,
    },
    /// Longer than any answer, or not UTF-8.
    #[error("the answer is longer than {ANSWER_MOST} bytes or no text")]
    Answer,
    /// No thread or runtime could be had.
    #[error("the exchange could not be begun: {0}")]
    Begin(#[source] std::io::Error),
    /// The request is not one: a defect of this build.
    #[error("no request can be made: {0}")]
    Request(#[from] hyper::http::Error),
}

/// Whoever asks one endpoint.
pub(super) struct Client {
    secure: Option<(TlsConnector, ServerName<'static>)>,
    host: String,
    port: u16,
    path: String,
    authorization: Option<HeaderValue>,
    timeout: Duration,
}

impl Client {
    /// A client for the chat completions of an API.
    pub(super) fn new(settings: &Settings) -> Result<Self, BadEndpoint> {
        let bad = || BadEndpoint::Url(settings.url.clone());
        let base = settings.url.trim_end_matches('/');
        let uri: Uri = format!("{base}/chat/completions")
            .parse()
            .map_err(|_| bad())?;
        let host = uri
            .host()
            .ok_or_else(bad)?
            .trim_matches(['[', ']'])
            .to_owned();
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(bad()),
        };
        if settings.key.is_some() && !secure && !is_own(&host) {
            return Err(BadEndpoint::KeyInTheClear);
        }
        Ok(Self {
            port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            path: uri.path_and_query().ok_or_else(bad)?.to_string(),
            secure: if secure {
                Some((connector(settings)?, server_name(&host).ok_or_else(bad)?))
            } else {
                None
            },
            authorization: settings.key.as_deref().map(bearer).transpose()?,
            timeout: settings.timeout,
            host,
        })
    }

    /// Host and port.
    pub(super) fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    /// Posts a body and answers the answer's.
    ///
    /// # Errors
    /// [`Unanswered`]
    pub(super) fn post(&self, body: String) -> Result<String, Unanswered> {
        std::thread::scope(|scope| {
            let exchange = std::thread::Builder::new()
                .name("endpoint".to_owned())
                .spawn_scoped(scope, || self.run(body))
                .map_err(Unanswered::Begin)?;
            exchange
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn run(&self, body: String) -> Result<String, Unanswered> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Unanswered::Begin)?;
        let ms = self.timeout.as_millis();
        runtime.block_on(async {
            match tokio::time::timeout(self.timeout, self.exchange(body)).await {
                Ok(answer) => answer,
                Err(_) => Err(Unanswered::Late { ms }),
            }
        })
    }

    async fn exchange(&self, body: String) -> Result<String, Unanswered> {
        let stream = TcpStream::connect((self.host.as_str(), self.port))
            .await
            .map_err(Unanswered::Connect)?;
        match &self.secure {
            None => self.ask(stream, body).await,
            Some((tls, name)) => {
                let stream = tls
                    .connect(name.clone(), stream)
                    .await
                    .map_err(Unanswered::Connect)?;
                self.ask(stream, body).await
            }
        }
    }

    async fn ask<S>(&self, stream: S, body: String) -> Result<String, Unanswered>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Ends when the sender is dropped; what fails is told by the sender.
        tokio::spawn(async move { drop(connection.await) });
        let response = sender.send_request(self.request(body)?).await?;
        taken(response).await
    }

    fn request(&self, body: String) -> Result<Request<String>, hyper::http::Error> {
        let mut request = Request::post(&self.path)
            .header(HOST, self.authority())
            .header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        request.body(body)
    }
}

/// The body of an answer with status 200.
async fn taken(response: Response<Incoming>) -> Result<String, Unanswered> {
    let status = response.status().as_u16();
    let mut body = response.into_body();
    let mut bytes: Vec<u8> = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame?;
        bytes.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
        if bytes.len() > ANSWER_MOST {
            return Err(Unanswered::Answer);
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| Unanswered::Answer)?;
    match status {
        200 => Ok(text),
        _ => Err(Unanswered::Status {
            status,
            told: text.chars().filter(|c| !c.is_control()).take(200).collect(),
        }),
    }
}

/// True for the host itself.
fn is_own(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|a| a.is_loopback())
}

fn bearer(key: &str) -> Result<HeaderValue, BadEndpoint> {
    let mut value = HeaderValue::try_from(format!("Bearer {key}")).map_err(|_| BadEndpoint::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

fn server_name(host: &str) -> Option<ServerName<'static>> {
    match host.parse::<IpAddr>() {
        Ok(address) => Some(ServerName::from(address)),
        Err(_) => ServerName::try_from(host.to_owned()).ok(),
    }
}

fn connector(settings: &Settings) -> Result<TlsConnector, BadEndpoint> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted(settings.authorities.as_deref())?)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn trusted(authorities: Option<&Path>) -> Result<RootCertStore, BadEndpoint> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(path) => {
            let unreadable = |cause| BadEndpoint::Authorities {
                path: path.to_owned(),
                cause,
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                roots.add(certificate.map_err(unreadable)?)?;
            }
        }
        None => {
            // The system's store may hold certificates that nothing can be verified with.
            let _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    match roots.is_empty() {
        true => Err(BadEndpoint::Nobody),
        false => Ok(roots),
    }
}
