//! One connection: admission or refusal, TLS, then HTTP/1.1 or HTTP/2 until it ends.
//!
//! Requests are answered by [`super::server`]; timeouts are in [`super::wire`].

use super::admission::ConnectionPermit;
use super::audit;
use super::certificate::Holder;
use super::elsewhere::Gone;
use super::limits::HttpLimits;
use super::server::{HttpConnection, HttpServer};
use super::shortage::lets_go;
use super::turns::{Owner, StreamExecutor};
use super::wire::{Pace, Wire};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use socket2::{SockRef, TcpKeepalive};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls;
use tokio_rustls::server::TlsStream;
use tracing::debug;

/// The time of silence after which a keep-alive is sent, and the interval of further ones.
const KEEPALIVE: Duration = Duration::from_secs(15);
/// The number of keep-alives without an answer after which the connection ends, and, in that many
/// intervals, the longest time for written bytes to stay unacknowledged.
const KEEPALIVES: u32 = 3;
/// The longest head that is answered with a problem, in bytes; beyond this the library answers with
/// the bare status.
const HEAD_BYTES: usize = 32 << 10;
/// The same in fields.
const FIELDS: usize = 256;
/// The most streams that a client may open and reset before any is served (CVE-2023-44487).
const RESETS: usize = 20;
/// The most streams that may end by errors of the client before the connection does
/// (CVE-2025-8671).
const ERRORS: usize = 100;
/// The most bytes of a response that an HTTP/2 stream buffers until they are taken.
const SEND_BYTES: usize = 256 << 10;

/// Serves a connection until it ends.
pub(super) async fn run(tcp: TcpStream, source: SocketAddr, server: Arc<HttpServer>) {
    let first = Instant::now() + server.limits.head;
    prepare(&tcp);
    let permit = Arc::new(server.admission.enter(source.ip()));
    tokio::select! {
        () = begin(tcp, source, &server, &permit, first) => {}
        () = permit.cut() => debug!(http.source = %source, "{source} makes room for another"),
    }
}

/// Sets socket options; a socket that refuses them still works.
fn prepare(tcp: &TcpStream) {
    let _ = tcp.set_nodelay(true);
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE)
        .with_interval(KEEPALIVE)
        .with_retries(KEEPALIVES);
    let _ = SockRef::from(tcp).set_tcp_keepalive(&keepalive);
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(tcp).set_tcp_user_timeout(Some(KEEPALIVE * KEEPALIVES));
}

async fn begin(
    tcp: TcpStream,
    source: SocketAddr,
    server: &Arc<HttpServer>,
    permit: &Arc<ConnectionPermit>,
    first: Instant,
) {
    let connection = |shown: Option<&[u8]>| HttpConnection {
        source,
        holder: shown.map(Holder::shown),
        certificate: shown
            .filter(|_| server.elsewhere.is_some())
            .map(<[u8]>::to_vec),
        permit: Arc::clone(permit),
        pace: Arc::new(Pace::default()),
        is_checked: false,
    };
    let Some(tls) = &server.tls else {
        return speak(tcp, connection(None), server, first).await;
    };
    if let Some(stream) = handshake(tls, tcp, source, server, first).await {
        let shown = stream.get_ref().1.peer_certificates();
        let shown = shown.and_then(|chain| chain.first());
        let connection = connection(shown.map(AsRef::as_ref));
        speak(stream, connection, server, first).await;
    }
}

/// The TLS handshake, in time and in the turns of its source; none if it fails. It costs the server
/// more than the client, so a source that has failed too often is refused at once.
async fn handshake(
    tls: &TlsAcceptor,
    tcp: TcpStream,
    source: SocketAddr,
    server: &HttpServer,
    first: Instant,
) -> Option<TlsStream<TcpStream>> {
    if server.limiter.refused_for(source.ip()).is_some() {
        return None;
    }
    let share = server.share_of_source(source.ip());
    let shaken = timeout_at(first, share.run(tls.accept(tcp)));
    let shaken = tokio::select! {
        shaken = shaken => shaken,
        // The server closes: an incomplete handshake is not awaited.
        () = server.closes() => return None,
    };
    match shaken {
        Ok(Ok(stream)) => Some(stream),
        Ok(Err(error)) => {
            server.limiter.record_failure(source.ip());
            if let Some(why) = refused_certificate(&error) {
                (server.authenticator.trail)(audit::of_stranger(source.ip(), &why));
            }
            debug!(http.source = %source, %error, "no TLS with {source}");
            None
        }
        Err(_) => None,
    }
}

/// The reason for which a client's certificate was refused; none for another error.
fn refused_certificate(error: &io::Error) -> Option<String> {
    let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    let of_certificate = matches!(
        error,
        rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented
    );
    of_certificate.then(|| error.to_string())
}

async fn speak<S>(stream: S, connection: HttpConnection, server: &Arc<HttpServer>, first: Instant)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let source = connection.source;
    let wire = Wire::new(stream, Arc::clone(&connection.pace), &server.limits, first);
    let connection = Arc::new(connection);
    let _gone = server.elsewhere.as_ref().map(|elsewhere| Gone {
        elsewhere: Arc::clone(elsewhere),
        connection: connection.permit.number(),
        pace: Arc::clone(&connection.pace),
    });
    let service = service_fn(|request| {
        // Before the answer is asked for: the library looks at the wire in between.
        let under_way = connection.pace.begin();
        let answering = Arc::clone(server).answer(request, Arc::clone(&connection), under_way);
        async { Ok::<_, Infallible>(answering.await) }
    });
    let owner = Owner {
        limiter: Arc::clone(&server.limiter),
        permit: Arc::clone(&connection.permit),
        source: source.ip(),
    };
    let mut turns = owner.turns();
    let builder = builder(&server.limits, owner);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(wire), service));
    let farewell = async {
        tokio::select! {
            () = server.closes() => {}
            () = connection.permit.leaves() => {}
            () = lets_go(&server.short, &connection.pace, server.limits.spare) => {}
        }
    };
    let ended = tokio::select! {
        ended = turns.run(serving.as_mut(), &connection.pace) => ended,
        () = server.revokes(connection.holder.as_ref()) => {
            debug!(http.source = %source, "the certificate of {source} was revoked");
            return;
        }
        () = farewell => {
            serving.as_mut().graceful_shutdown();
            let rest = turns.run(serving.as_mut(), &connection.pace);
            timeout(server.limits.farewell, rest).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        debug!(http.source = %source, %error, "the connection of {source} broke off");
    }
}

fn builder(limits: &HttpLimits, owner: Owner) -> Builder<StreamExecutor> {
    let stall = limits.stall;
    let mut builder = Builder::new(StreamExecutor { owner, stall });
    // The wire has the patience that HTTP/1.1 lacks, and answers when it ends.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_headers(FIELDS)
        .max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams_max)
        .max_pending_accept_reset_streams(RESETS)
        .max_local_error_reset_streams(ERRORS)
        .max_header_list_size(HEAD_BYTES as u32)
        .max_send_buf_size(SEND_BYTES)
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE);
    builder
}
