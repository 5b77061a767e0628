//! One POST to the endpoint and its answer.
//!
//! Blocking for the caller: a runtime of its own on a thread of its own carries the exchange, so
//! that it does not matter where [`super::ModelEndpoint`] is called from. No redirect, no proxy, no
//! cookie, no retry. The key is read here and goes nowhere but into its header.
// The network, a thread for it and the variable of the key are what this feature is about.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use super::EndpointSettings;
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

/// The length that a request may have, in bytes: template and utterance together.
const REQUEST_MOST: usize = 1_024 * 1_024;

/// The reason why an endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadEndpoint {
    /// Not a URL with `http` or `https` and a host.
    #[error("'{0}' is no URL of an endpoint, such as https://host/v1")]
    Url(String),
    /// The URL tells a user or a password.
    #[error("the URL of an endpoint tells no user and no password: name a variable with the key")]
    Userinfo,
    /// Utterances would travel in the clear.
    #[error("'{0}' is not reached over https: say that it may be reached in the clear")]
    Clear(String),
    /// The variable of the key is not set, empty or no text.
    #[error("there is no key in the environment variable {variable}")]
    NoKey {
        /// The variable.
        variable: String,
    },
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
        /// The reason.
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

/// The reason why an endpoint did not answer.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// No connection, or no TLS on it.
    #[error("no connection: {0}")]
    Connect(#[source] std::io::Error),
    /// The exchange broke off.
    #[error("the exchange broke off: {0}")]
    Http(#[from] hyper::Error),
    /// It took too long.
    #[error("there was no answer within {ms} ms")]
    Late {
        /// The time waited, in milliseconds.
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
    /// Longer than the settings let it be.
    #[error("the answer is longer than {most} bytes")]
    Long {
        /// The length that it may have, in bytes.
        most: usize,
    },
    /// Not UTF-8.
    #[error("the answer is no text")]
    NoText,
    /// Template and utterance are longer than any request.
    #[error("the request is longer than {REQUEST_MOST} bytes")]
    Asked,
    /// No thread or runtime could be had.
    #[error("the exchange could not be begun: {0}")]
    Begin(#[source] std::io::Error),
    /// The request is not one: a defect of this build.
    #[error("no request can be made: {0}")]
    Request(#[from] hyper::http::Error),
}

/// A client of one endpoint.
pub(super) struct Client {
    secure: Option<(TlsConnector, ServerName<'static>)>,
    host: String,
    port: u16,
    path: String,
    authorization: Option<Secret>,
    timeout: Duration,
    answer_bytes_max: usize,
}

/// A key, as a header and as what must not be told.
struct Secret {
    key: String,
    header: HeaderValue,
}

impl Client {
    /// A client for the chat completions of an API.
    pub(super) fn new(settings: &EndpointSettings) -> Result<Self, BadEndpoint> {
        let bad = || BadEndpoint::Url(settings.url.clone());
        let uri = completions(&settings.url)?;
        let host = uri.host().ok_or_else(bad)?;
        let host = host.trim_matches(['[', ']']).to_owned();
        let secure = uri.scheme_str() == Some("https");
        if !secure && !is_own(&host) && !settings.in_the_clear {
            return Err(BadEndpoint::Clear(settings.url.clone()));
        }
        if !secure && !is_own(&host) && settings.key_variable.is_some() {
            return Err(BadEndpoint::KeyInTheClear);
        }
        Ok(Self {
            port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            path: uri.path().to_owned(),
            secure: if secure {
                Some((connector(settings)?, server_name(&host).ok_or_else(bad)?))
            } else {
                None
            },
            authorization: settings.key_variable.as_deref().map(secret).transpose()?,
            timeout: settings.timeout,
            answer_bytes_max: settings.answer_bytes_max,
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
    /// [`EndpointError`]
    pub(super) fn post(&self, body: String) -> Result<String, EndpointError> {
        if body.len() > REQUEST_MOST {
            return Err(EndpointError::Asked);
        }
        std::thread::scope(|scope| {
            let exchange = std::thread::Builder::new()
                .name("endpoint".to_owned())
                .spawn_scoped(scope, || self.run(body))
                .map_err(EndpointError::Begin)?;
            exchange
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn run(&self, body: String) -> Result<String, EndpointError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(EndpointError::Begin)?;
        let ms = self.timeout.as_millis();
        let answer = runtime.block_on(async {
            match tokio::time::timeout(self.timeout, self.exchange(body)).await {
                Ok(answer) => answer,
                Err(_) => Err(EndpointError::Late { ms }),
            }
        });
        // A name that is still being looked up would hold the caller beyond the timeout.
        runtime.shutdown_background();
        answer
    }

    async fn exchange(&self, body: String) -> Result<String, EndpointError> {
        let stream = TcpStream::connect((self.host.as_str(), self.port))
            .await
            .map_err(EndpointError::Connect)?;
        match &self.secure {
            None => self.ask(stream, body).await,
            Some((tls, name)) => {
                let stream = tls
                    .connect(name.clone(), stream)
                    .await
                    .map_err(EndpointError::Connect)?;
                self.ask(stream, body).await
            }
        }
    }

    async fn ask<S>(&self, stream: S, body: String) -> Result<String, EndpointError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Ends when the sender is dropped; what fails is told by the sender.
        tokio::spawn(async move { drop(connection.await) });
        let response = sender.send_request(self.request(body)?).await?;
        self.taken(response).await
    }

    fn request(&self, body: String) -> Result<Request<String>, hyper::http::Error> {
        let mut request = Request::post(&self.path)
            .header(HOST, self.authority())
            .header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.header.clone());
        }
        request.body(body)
    }

    /// The body of an answer with status 200.
    async fn taken(&self, response: Response<Incoming>) -> Result<String, EndpointError> {
        let status = response.status().as_u16();
        let most = self.answer_bytes_max;
        let mut body = response.into_body();
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            let frame = frame?;
            bytes.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
            if bytes.len() > most {
                return Err(EndpointError::Long { most });
            }
        }
        let text = String::from_utf8(bytes).map_err(|_| EndpointError::NoText)?;
        match status {
            200 => Ok(text),
            _ => Err(EndpointError::Status {
                status,
                told: self.told(&text),
            }),
        }
    }

    /// The start of what an endpoint says, on one line, without the key if it says that.
    fn told(&self, text: &str) -> String {
        let text = match &self.authorization {
            Some(secret) => text.replace(&secret.key, "…"),
            None => text.to_owned(),
        };
        text.chars().filter(|c| !c.is_control()).take(200).collect()
    }
}

/// The URI at which chat completions are asked for, below the base of an API.
fn completions(base: &str) -> Result<Uri, BadEndpoint> {
    let bad = || BadEndpoint::Url(base.to_owned());
    if base.contains('@') {
        return Err(BadEndpoint::Userinfo);
    }
    if base.contains(['?', '#']) {
        return Err(bad());
    }
    let uri = format!("{}/chat/completions", base.trim_end_matches('/'));
    let uri: Uri = uri.parse().map_err(|_| bad())?;
    match uri.scheme_str() {
        Some("http" | "https") => Ok(uri),
        _ => Err(bad()),
    }
}

/// True for the host itself.
fn is_own(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|a| a.is_loopback())
}

/// The key in a variable.
fn secret(variable: &str) -> Result<Secret, BadEndpoint> {
    let key = std::env::var(variable)
        .unwrap_or_default()
        .trim()
        .to_owned();
    if key.is_empty() {
        return Err(BadEndpoint::NoKey {
            variable: variable.to_owned(),
        });
    }
    let mut header =
        HeaderValue::try_from(format!("Bearer {key}")).map_err(|_| BadEndpoint::Key)?;
    header.set_sensitive(true);
    Ok(Secret { key, header })
}

fn server_name(host: &str) -> Option<ServerName<'static>> {
    match host.parse::<IpAddr>() {
        Ok(address) => Some(ServerName::from(address)),
        Err(_) => ServerName::try_from(host.to_owned()).ok(),
    }
}

fn connector(settings: &EndpointSettings) -> Result<TlsConnector, BadEndpoint> {
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
