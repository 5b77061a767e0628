//! Answers for a server that has none: 503 with the reason, to everybody, before anybody is known.
//!
//! Few connections, each for a short while and with little input. Read next: [`super::listener`].

use super::body::{self, HttpResponse};
use super::problem::Problem;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

/// The most connections at a time; more wait in the kernel.
const CONNECTIONS: usize = 128;
/// The longest time of one.
const LONGEST: Duration = Duration::from_secs(10);
/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 16 << 10;
/// When a client may ask again.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// What is answered, and how it is protected.
pub(super) struct Away {
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) why: Box<dyn Fn() -> String + Send + Sync>,
}

/// Answers until it is stopped, or rests and the last connection has ended.
pub(super) async fn accept(
    socket: Arc<TcpListener>,
    away: Away,
    mut stopped: watch::Receiver<bool>,
    rests: Arc<Notify>,
) {
    let away = Arc::new(away);
    let mut connections = JoinSet::new();
    loop {
        let is_room = connections.len() < CONNECTIONS;
        tokio::select! {
            _ = stopped.changed() => return,
            () = rests.notified() => break,
            accepted = socket.accept(), if is_room => match accepted {
                Ok((tcp, _)) => drop(connections.spawn(run(tcp, Arc::clone(&away)))),
                Err(error) => {
                    warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(socket);
    tokio::select! {
        _ = stopped.changed() => {}
        () = async { while connections.join_next().await.is_some() {} } => {}
    }
}

async fn run(tcp: TcpStream, away: Arc<Away>) {
    let served = async {
        match &away.tls {
            None => speak(tcp, &away).await,
            Some(tls) => {
                if let Ok(stream) = tls.accept(tcp).await {
                    speak(stream, &away).await;
                }
            }
        }
    };
    if timeout(LONGEST, served).await.is_err() {
        debug!("a client was sent away long enough");
    }
}

async fn speak<S>(stream: S, away: &Away)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request| {
        let answer = answer(&request, away);
        async { Ok::<_, Infallible>(answer) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().keep_alive(false).max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .max_concurrent_streams(8)
        .max_header_list_size(HEAD_BYTES as u32);
    // Who hangs up before has no answer.
    let _ = builder
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn answer(request: &Request<Incoming>, away: &Away) -> HttpResponse {
    match request.uri().path() {
        "/livez" => body::json(&json!({ "status": "alive" })),
        _ => Problem::unavailable(&(away.why)(), ASK_AGAIN).reply(),
    }
}
