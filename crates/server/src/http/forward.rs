//! Requests that one node of a cluster takes and another one answers.
//!
//! ```text
//! client ─► connection, limits, TLS, heads ─► Elsewhere ┄ channel ┄► ForwardedRequests ─► credentials, routes
//! ```
//!
//! The node that takes a request keeps what protects a server from its clients: connections by source,
//! handshakes, heads, whoever takes nothing. The other one authenticates, authorises and answers, as if the
//! client were connected to it. How a request gets there is not known here. Read next: `server`;
//! [`crate::cluster`].

use super::admission::Admission;
use super::body::HttpResponse;
use super::certificate::Holder;
use super::elsewhere::{Elsewhere, ForwardRequest, ForwardedAnswer};
use super::guard;
use super::limits::HttpLimits;
use super::problem::Problem;
use super::server::{Answered, HttpConnection, HttpServer, is_of_health, leave_reserve};
use super::wire::{Pace, UnderWay};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::debug;

impl HttpServer {
    /// Has a request answered elsewhere.
    pub(super) async fn forward(
        self: Arc<Self>,
        elsewhere: &dyn Elsewhere,
        request: Request<Incoming>,
        connection: &HttpConnection,
        under_way: UnderWay,
    ) -> HttpResponse {
        let (head, body) = request.into_parts();
        let (method, path) = (head.method.clone(), head.uri.path().to_owned());
        let version = head.version;
        let shown = head.headers.contains_key(AUTHORIZATION) || connection.holder.is_some();
        let (mut reply, user) = match self.may_pass(&head, connection) {
            Err(problem) => (problem.reply(), None),
            Ok(()) => {
                let request = ForwardRequest {
                    head,
                    body,
                    source: connection.source,
                    certificate: connection.certificate.clone(),
                    connection: connection.permit.number(),
                };
                elsewhere.answer(request).await
            }
        };
        match &user {
            // What was asked was carried out, whatever becomes of the connection.
            Some(name) if self.count(name, connection).is_err() => connection.permit.leave(),
            Some(_) => {}
            None if shown && reply.status() == StatusCode::UNAUTHORIZED => {
                self.limiter.record_failure(connection.source.ip());
                connection.permit.fail();
            }
            None => {}
        }
        leave_reserve(&connection.permit, version, &mut reply);
        let (name, status) = (user.as_deref(), reply.status().as_u16());
        debug!(
            http.source = %connection.source, http.status = status, user = name.unwrap_or(""),
            "{method} {path} is answered elsewhere with {status}"
        );
        let untaken = connection.permit.untaken(name, &self.accounts);
        self.finish(reply, None, untaken, (under_way, None))
    }

    /// Whether a request may be handed on.
    fn may_pass(&self, head: &Parts, connection: &HttpConnection) -> Result<(), Problem> {
        guard::check(head, &self.names, &self.limits)?;
        let wait = self.limits.retry_after;
        let shows = head.headers.contains_key(AUTHORIZATION) || connection.holder.is_some();
        if !shows && !is_of_health(head) && connection.permit.is_in_reserve() {
            return Err(self.no_room_without_credential());
        }
        if let Some(wait) = self.put_off_for(head, connection) {
            return Err(Problem::too_many(
                "too many credentials did not count",
                wait,
            ));
        }
        if self.accounts.is_short() {
            return Err(Problem::unavailable("memory is short", wait));
        }
        self.has_room(&connection.permit.untaken(None, &self.accounts))
    }
}

/// A connection of a client to another node: the number of the way to that node, and its number there.
pub(crate) type FarConnection = (u64, u64);

/// The most connections to other nodes that are known; one beyond that is new with each request.
const CONNECTIONS_MAX: usize = 65_536;

/// What answers requests that other nodes took.
pub(crate) struct ForwardedRequests {
    server: Arc<HttpServer>,
    admission: Arc<Admission>,
    connections: Mutex<HashMap<FarConnection, Arc<HttpConnection>>>,
}

impl ForwardedRequests {
    /// To this server.
    pub(super) fn to(server: &Arc<HttpServer>) -> Self {
        // The other node bounds connections before they have authenticated.
        let unbounded = HttpLimits {
            unauthenticated_max: usize::MAX,
            unauthenticated_source_max: usize::MAX,
            ..HttpLimits::clone(&server.limits)
        };
        Self {
            server: Arc::clone(server),
            admission: Admission::new(&unbounded),
            connections: Mutex::default(),
        }
    }

    /// Answers a request as if its client, with the `source` and perhaps `certificate` that are told, were
    /// connected here. The connection is known from the call on, before anything is awaited.
    pub(crate) fn answer(
        &self,
        of: FarConnection,
        source: SocketAddr,
        certificate: Option<Vec<u8>>,
        request: Request<Incoming>,
    ) -> impl Future<Output = ForwardedAnswer> + Send + use<> {
        let connection = self.connection(of, source, certificate);
        let under_way = connection.pace.begin();
        let answered = Arc::clone(&self.server).answer(request, connection, under_way);
        async {
            let mut reply = answered.await;
            let user = reply.extensions_mut().remove::<Answered>();
            (reply, user.map(|Answered(name)| name))
        }
    }

    /// How many connections of other nodes are known.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Notes that a connection to another node has ended.
    pub(crate) fn gone(&self, of: FarConnection) {
        self.lock().remove(&of);
    }

    /// Notes that the way to another node has ended, and all connections to it.
    pub(crate) fn connection_ended(&self, way: u64) {
        self.lock().retain(|(of, _), _| *of != way);
    }

    fn connection(
        &self,
        of: FarConnection,
        source: SocketAddr,
        certificate: Option<Vec<u8>>,
    ) -> Arc<HttpConnection> {
        let mut connections = self.lock();
        if let Some(known) = connections.get(&of) {
            return Arc::clone(known);
        }
        let connection = Arc::new(HttpConnection {
            source,
            holder: certificate.as_deref().map(Holder::shown),
            certificate: None,
            permit: Arc::new(self.admission.enter(source.ip())),
            pace: Arc::new(Pace::default()),
            is_checked: true,
        });
        if connections.len() < CONNECTIONS_MAX {
            connections.insert(of, Arc::clone(&connection));
        }
        connection
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<FarConnection, Arc<HttpConnection>>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
