//! The side that is asked: accepts nodes, and hands their requests on.
//!
//! Bounds connections, handshakes, streams and heads. Who may ask is settled by TLS.

use super::{
    BoxError, CONNECT, CONNECTION_WINDOW_BYTES, ChannelBody, HEAD_BYTES, KEEPALIVE, NODE_FIELD,
    PROTOCOL, PROTOCOL_FIELD, PeerAddress, SEND_BYTES, STREAM_WINDOW_BYTES, STREAMS, TOLD,
    VERSION_FIELD, prepare, whole,
};
use crate::cluster::identity::ChannelIdentity;
use crate::ssh::limiter::Source;
use hyper::body::Incoming;
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::task::AbortOnDropHandle;
use tracing::{debug, warn};

/// The most connections of nodes.
const CONNECTIONS: usize = 256;

/// The most connections of whoever has not shown that it is a node: the oldest of the source with most of them makes
/// room for the next, so that strangers keep no node elsewhere out, however fast they come.
const STRANGERS: usize = 64;

/// A response under way.
pub(in crate::cluster) type Answering = Pin<Box<dyn Future<Output = Response<ChannelBody>> + Send>>;

/// What is asked over the channel.
pub(in crate::cluster) trait ChannelService: Send + Sync + 'static {
    /// Answers a request of a node; `connection` is the number of the connection on which it came. It is
    /// called in the order of the requests on a connection; what is awaited afterwards has no order.
    fn answer(self: Arc<Self>, request: Request<Incoming>, connection: u64) -> Answering;

    /// Notes that a connection has ended.
    fn connection_ended(&self, connection: u64);
}

/// The side that is asked. Dropping it ends all connections.
#[derive(Debug)]
pub(in crate::cluster) struct ChannelServer {
    _task: AbortOnDropHandle<()>,
}

impl ChannelServer {
    /// Accepts nodes on `socket`. Must be called inside a tokio runtime.
    pub(in crate::cluster) fn start(
        socket: TcpListener,
        identity: &ChannelIdentity,
        service: Arc<dyn ChannelService>,
    ) -> Self {
        let tls = TlsAcceptor::from(Arc::clone(&identity.server));
        let task = tokio::spawn(accept(socket, tls, service));
        Self {
            _task: AbortOnDropHandle::new(task),
        }
    }
}

async fn accept(socket: TcpListener, tls: TlsAcceptor, service: Arc<dyn ChannelService>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let number = AtomicU64::new(0);
    let mut connections = JoinSet::new();
    let mut strangers: VecDeque<Stranger> = VecDeque::new();
    loop {
        let accepted = tokio::select! {
            accepted = socket.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((tcp, from)) => {
                let (tls, service) = (tls.clone(), Arc::clone(&service));
                let number = number.fetch_add(1, Relaxed);
                let (room, is_known) = (Arc::clone(&room), Arc::new(AtomicBool::new(false)));
                let known = Arc::clone(&is_known);
                let task = connections.spawn(async move {
                    let served = async {
                        let stream = greeted(tcp, tls).await?;
                        known.store(true, Relaxed);
                        let full = "too many connections of nodes";
                        let _permit = room.try_acquire_owned().map_err(|_| full)?;
                        serve(stream, service, (number, from)).await
                    };
                    if let Err(error) = served.await {
                        debug!(%error, "a connection of a node broke off");
                    }
                });
                strangers.retain(|it| !it.is_known.load(Relaxed) && !it.task.is_finished());
                if strangers.len() >= STRANGERS {
                    make_room(&mut strangers);
                }
                strangers.push_back(Stranger {
                    source: Source::of(from.ip()),
                    task,
                    is_known,
                });
            }
            Err(error) => {
                warn!(%error, "cannot accept a connection of a node");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Says that a connection has ended, however it does.
struct Ending {
    service: Arc<dyn ChannelService>,
    number: u64,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.service.connection_ended(self.number);
    }
}

/// A connection in its handshake.
struct Stranger {
    source: Source,
    task: AbortHandle,
    /// True once it has shown that it is a node.
    is_known: Arc<AtomicBool>,
}

/// Ends the oldest connection of the source that has most of them.
fn make_room(strangers: &mut VecDeque<Stranger>) {
    let mut held: HashMap<Source, usize> = HashMap::new();
    for stranger in &*strangers {
        *held.entry(stranger.source).or_default() += 1;
    }
    let most = held.values().copied().max();
    let goes = |stranger: &Stranger| held.get(&stranger.source).copied() == most;
    let place = strangers.iter().position(goes);
    if let Some(stranger) = place.and_then(|place| strangers.remove(place))
        && !stranger.is_known.load(Relaxed)
    {
        stranger.task.abort();
    }
}

/// The handshake, in which both sides show that they are nodes.
async fn greeted(tcp: TcpStream, tls: TlsAcceptor) -> io::Result<TlsStream<TcpStream>> {
    prepare(&tcp);
    let stream = timeout(CONNECT, tls.accept(tcp)).await;
    stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

async fn serve(
    stream: TlsStream<TcpStream>,
    service: Arc<dyn ChannelService>,
    (number, from): (u64, SocketAddr),
) -> Result<(), BoxError> {
    let _ending = Ending {
        service: Arc::clone(&service),
        number,
    };
    let asked = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(PeerAddress(from));
        let answering = match refused(&request) {
            Some(refusal) => Box::pin(ready(refusal)),
            None => Arc::clone(&service).answer(request, number),
        };
        async { Ok::<_, Infallible>(answering.await) }
    });
    let mut http = Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS + TOLD as u32)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(SEND_BYTES)
        .max_header_list_size(HEAD_BYTES)
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        // Its clients may end as many requests at once as they have under way.
        .max_pending_accept_reset_streams(STREAMS as usize)
        .max_local_error_reset_streams(STREAMS as usize)
        .auto_date_header(false);
    Ok(http.serve_connection(TokioIo::new(stream), asked).await?)
}

/// The refusal of another version of the protocol.
fn refused(request: &Request<Incoming>) -> Option<Response<ChannelBody>> {
    let fields = request.headers();
    if fields.get(PROTOCOL_FIELD) == Some(&PROTOCOL) {
        return None;
    }
    let told = |name| {
        let value = fields.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or("unknown")
    };
    let (node, version) = (told(NODE_FIELD), told(VERSION_FIELD));
    warn!(
        cluster.node = node,
        "{node}, of version {version}, speaks another version of the channel's protocol"
    );
    let mut response = Response::new(whole("another version of the protocol"));
    *response.status_mut() = StatusCode::HTTP_VERSION_NOT_SUPPORTED;
    Some(response)
}
