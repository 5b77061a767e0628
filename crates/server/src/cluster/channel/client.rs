//! The side that asks: one connection to the node that leads, made anew when it is lost or another
//! leads.
//!
//! Tells what surely was not carried out from what may have been. Nothing is sent twice here.

use super::{
    CONNECT, CONNECTION_WINDOW_BYTES, ChannelBody, HEAD_BYTES, KEEPALIVE, NODE_FIELD, PROTOCOL,
    PROTOCOL_FIELD, SEND_BYTES, STREAM_WINDOW_BYTES, STREAMS, TOLD, VERSION_FIELD, prepare,
};
use crate::cluster::identity::ChannelIdentity;
use crate::cluster::leader::Leader;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::header::HeaderValue;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::io;
use tokio::net::TcpStream;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tracing::{debug, warn};

use std::sync::{Arc, PoisonError};

/// The reason for which a request got no response.
#[derive(Debug, thiserror::Error)]
pub(in crate::cluster) enum Unreached {
    /// There is no connection; the request was not sent.
    #[error("no connection to {node} at {address}: {cause}")]
    Connect {
        /// The node.
        node: String,
        /// Its address.
        address: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The connection broke off before anything of the request was sent.
    #[error("the connection broke off before it was sent")]
    Unsent,
    /// The node does not lead; it did nothing.
    #[error("the node that was asked does not lead")]
    NotLeading,
    /// The node speaks another version of the protocol; it did nothing.
    #[error("the node speaks another version of the channel's protocol")]
    Version,
    /// Too many requests and sessions are under way; it was not sent.
    #[error("too much is under way between this node and the one that leads")]
    Full,
    /// The connection broke off; the request may have been carried out.
    #[error("the connection broke off: {0}")]
    Broken(#[source] hyper::Error),
}

impl Unreached {
    /// True if the request may have been carried out.
    pub(in crate::cluster) fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Broken(_))
    }
}

/// The way to a leader, with a connection once there is one. Each leader has its own, so that whoever asks the next
/// one does not wait for those who still try to reach one that stands still.
#[derive(Default)]
struct Way {
    leader: Leader,
    requests: Mutex<Option<SendRequest<ChannelBody>>>,
}

/// The side that asks.
pub(in crate::cluster) struct ChannelClient {
    identity: ChannelIdentity,
    way: std::sync::Mutex<Arc<Way>>,
    under_way: Arc<Semaphore>,
    told: Semaphore,
}

impl ChannelClient {
    /// One that has no connection yet.
    pub(in crate::cluster) fn new(identity: ChannelIdentity) -> Self {
        Self {
            identity,
            way: std::sync::Mutex::default(),
            under_way: Arc::new(Semaphore::new(STREAMS as usize)),
            told: Semaphore::new(TOLD),
        }
    }

    /// Tells `leader` something that it need not know unless the connection lasts that there is to it; after
    /// what was sent on that before. It is told however much is under way.
    pub(in crate::cluster) async fn tell(
        &self,
        leader: &Leader,
        mut request: Request<ChannelBody>,
    ) {
        let Ok(_permit) = self.told.acquire().await else {
            return;
        };
        let way = {
            let way = self.way.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&way)
        };
        if way.leader != *leader {
            return;
        }
        let there = way.requests.lock().await.clone();
        if let Some(mut requests) = there {
            self.sign(&mut request);
            drop(requests.send_request(request).await);
        }
    }

    /// Sends a request to `leader` and waits for the head of the response; the permit is to be kept for
    /// as long as the response is read.
    ///
    /// # Errors
    /// [`Unreached`], and the body if nothing of it was sent.
    pub(in crate::cluster) async fn send(
        &self,
        leader: &Leader,
        mut request: Request<ChannelBody>,
    ) -> Result<(Response<Incoming>, OwnedSemaphorePermit), (Unreached, Option<ChannelBody>)> {
        let permit = Arc::clone(&self.under_way).try_acquire_owned();
        let Ok(permit) = permit else {
            return Err((Unreached::Full, Some(request.into_body())));
        };
        self.sign(&mut request);
        let mut requests = match self.connection(leader).await {
            Ok(requests) => requests,
            Err(why) => return Err((why, Some(request.into_body()))),
        };
        let response = requests.try_send_request(request).await;
        let response = response.map_err(|mut error| match error.take_message() {
            Some(unsent) => (Unreached::Unsent, Some(unsent.into_body())),
            None => (Unreached::Broken(error.into_error()), None),
        })?;
        match response.status() {
            StatusCode::MISDIRECTED_REQUEST if !is_of_client(&response) => {
                Err((Unreached::NotLeading, None))
            }
            StatusCode::HTTP_VERSION_NOT_SUPPORTED if !is_of_client(&response) => {
                warn!(
                    cluster.node = leader.node,
                    "{} speaks another version of the channel's protocol", leader.node
                );
                Err((Unreached::Version, None))
            }
            _ => Ok((response, permit)),
        }
    }

    /// Says whose request it is, and of which version.
    fn sign(&self, request: &mut Request<ChannelBody>) {
        let fields = request.headers_mut();
        fields.insert(PROTOCOL_FIELD, PROTOCOL);
        let version = HeaderValue::from_static(env!("CARGO_PKG_VERSION"));
        fields.insert(VERSION_FIELD, version);
        if let Ok(node) = HeaderValue::from_str(&self.identity.node) {
            fields.insert(NODE_FIELD, node);
        }
    }

    /// The connection to a leader, if it is still good, or a new one, which whoever comes meanwhile waits for.
    async fn connection(&self, leader: &Leader) -> Result<SendRequest<ChannelBody>, Unreached> {
        let way = self.way(leader);
        let made = timeout(CONNECT, async {
            let mut requests = way.requests.lock().await;
            if let Some(there) = requests.as_ref().filter(|there| !there.is_closed()) {
                return Ok(there.clone());
            }
            let made = self.connect(leader).await?;
            debug!(cluster.node = leader.node, "connected to {}", leader.node);
            Ok(requests.insert(made).clone())
        });
        let made = made.await;
        let made = made.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        made.map_err(|cause| Unreached::Connect {
            node: leader.node.clone(),
            address: leader.address.clone(),
            cause,
        })
    }

    /// The way to a leader: that of the newest is kept.
    fn way(&self, leader: &Leader) -> Arc<Way> {
        let mut way = self.way.lock().unwrap_or_else(PoisonError::into_inner);
        if way.leader == *leader {
            return Arc::clone(&way);
        }
        let other = Arc::new(Way {
            leader: leader.clone(),
            requests: Mutex::default(),
        });
        if leader.epoch >= way.leader.epoch {
            *way = Arc::clone(&other);
        }
        other
    }

    async fn connect(&self, leader: &Leader) -> io::Result<SendRequest<ChannelBody>> {
        let tcp = TcpStream::connect(&leader.address).await?;
        prepare(&tcp);
        let connector = TlsConnector::from(Arc::clone(&self.identity.client));
        let stream = connector
            .connect(ChannelIdentity::name_of(&leader.node), tcp)
            .await?;
        let mut http = Builder::new(TokioExecutor::new());
        http.timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .initial_max_send_streams(STREAMS as usize)
            .max_send_buf_size(SEND_BYTES)
            .max_header_list_size(HEAD_BYTES)
            .keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .keep_alive_while_idle(true);
        let shaken = http.handshake(TokioIo::new(stream)).await;
        let (requests, connection) = shaken.map_err(io::Error::other)?;
        let node = leader.node.clone();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                debug!(cluster.node = node, %error, "the connection to {node} broke off");
            }
        });
        Ok(requests)
    }
}

/// True if a response is one to a client, whatever its status.
fn is_of_client<B>(response: &Response<B>) -> bool {
    response.headers().contains_key(PROTOCOL_FIELD)
}
