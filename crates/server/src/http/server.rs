//! From a request to its response: checked, authenticated, routed, and finished.
//!
//! The order hides the routes from strangers: without a credential every path that is not public is
//! answered alike, and with one a path that does not exist and one that is not the caller's are.
//! Read next: [`super::guard`], [`super::caller`], [`super::router`].

use super::admission::{Admission, ConnectionPermit, Full};
use super::audit;
use super::body::{self, HttpResponse, Outgoing};
use super::caller::{Caller, GONE, HttpAuthenticator};
use super::certificate::Holder;
use super::delivery::Delivery;
use super::elsewhere::Elsewhere;
use super::guard::{self, ServerNames};
use super::limits::HttpLimits;
use super::problem::Problem;
use super::request::HttpRequest;
use super::router::{Answering, Entry, Found, Router};
use super::untaken::Untaken;
use super::wire::{Pace, UnderWay};
use crate::fair::{FairShares, Share};
use crate::ssh::ConnectionLimiter;
use crate::ssh::limiter::Source;
use engine::accounts::{Accounts, Requests};
use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, COOKIE, HeaderName,
    HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::{Request, StatusCode, Version};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;
use tracing::debug;

/// The fields of every response, unless its route sets them: no caching, sniffing, framing or
/// referrer.
const USUAL: [(HeaderName, HeaderValue); 4] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// The paths of health checks, which only wait for other input of the same source, or user.
const HEALTH: [&str; 2] = ["/livez", "/readyz"];

/// The state shared by the connections of a server.
pub(super) struct HttpServer {
    pub(super) router: Router,
    pub(super) authenticator: Arc<HttpAuthenticator>,
    pub(super) names: ServerNames,
    pub(super) limits: Arc<HttpLimits>,
    pub(super) limiter: Arc<ConnectionLimiter>,
    pub(super) shares: Arc<FairShares>,
    pub(super) admission: Arc<Admission>,
    pub(super) tls: Option<TlsAcceptor>,
    /// The memory taken by bodies, in bytes.
    pub(super) held: Arc<AtomicUsize>,
    pub(super) closing: watch::Receiver<bool>,
    /// The usage of each user.
    pub(super) accounts: Arc<Accounts>,
    /// True while memory is short.
    pub(super) short: watch::Receiver<bool>,
    /// Counts changes of credentials.
    pub(super) changes: watch::Receiver<u64>,
    /// What answers in place of the routes; none where they do.
    pub(super) elsewhere: Option<Arc<dyn Elsewhere>>,
}

/// A request being handled: head, body, changes of credentials, and the cell in which its route
/// puts the renewed caller once the body is read.
type Entering = (Parts, Incoming, watch::Receiver<u64>, Arc<OnceLock<Caller>>);

/// The connection on which a request came.
pub(super) struct HttpConnection {
    pub(super) source: SocketAddr,
    /// The client's certificate, if it showed one.
    pub(super) holder: Option<Arc<Holder>>,
    /// The same in DER, where requests are answered elsewhere.
    pub(super) certificate: Option<Vec<u8>>,
    pub(super) permit: Arc<ConnectionPermit>,
    pub(super) pace: Arc<Pace>,
    /// True if it is a connection to another node, which has checked heads.
    pub(super) is_checked: bool,
}

impl HttpServer {
    /// Answers a request, which is under way until its response has ended.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Arc<HttpConnection>,
        under_way: UnderWay,
    ) -> HttpResponse {
        if let Some(elsewhere) = self.elsewhere.clone() {
            return self
                .forward(elsewhere.as_ref(), request, &connection, under_way)
                .await;
        }
        let (head, body) = request.into_parts();
        let (method, path) = (head.method.clone(), head.uri.path().to_owned());
        let version = head.version;
        let (caller, request, outcome) = self.attend(head, body, &connection).await;
        let mut reply = outcome.unwrap_or_else(Problem::reply);
        leave_reserve(&connection.permit, version, &mut reply);
        if let (true, Some(caller)) = (connection.is_checked, &caller) {
            let name = Answered(caller.principal.name.clone());
            reply.extensions_mut().insert(name);
        }
        let name = caller.as_ref().map(|caller| caller.principal.name.as_str());
        let status = reply.status().as_u16();
        debug!(
            http.source = %connection.source, http.status = status, user = name.unwrap_or(""),
            "{method} {path} is answered with {status}"
        );
        let untaken = connection.permit.untaken(name, &self.accounts);
        self.finish(reply, caller, untaken, (under_way, request))
    }

    async fn attend(
        self: &Arc<Self>,
        mut head: Parts,
        body: Incoming,
        connection: &HttpConnection,
    ) -> (
        Option<Caller>,
        Option<Requests>,
        Result<HttpResponse, Problem>,
    ) {
        if !connection.is_checked
            && let Err(problem) = guard::check(&head, &self.names, &self.limits)
        {
            return (None, None, Err(problem));
        }
        let open = self.router.find_open(&head);
        let mut changes = self.changes.clone();
        changes.mark_unchanged();
        let recognised = self.recognised(&mut head, connection);
        let shows_nothing = matches!(recognised, Ok(None)) && !is_of_health(&head);
        if shows_nothing && connection.permit.is_in_reserve() {
            return (None, None, Err(self.no_room_without_credential()));
        }
        let caller = match (&open, recognised) {
            // A public route is open to callers with an invalid credential too.
            (Found::Route(..), recognised) => recognised.unwrap_or_default(),
            (_, Err(problem)) => return (None, None, Err(problem)),
            (Found::Methods(allowed), Ok(None)) => {
                return (None, None, Err(Problem::wrong_method(allowed)));
            }
            (Found::Nothing, Ok(None)) => return (None, None, Err(Problem::unauthenticated())),
            (_, Ok(caller)) => caller,
        };
        // Public routes, health checks among them, must be answered even at the limit.
        let request = match (&open, &caller) {
            (Found::Route(..), _) | (_, None) => Ok(None),
            (_, Some(caller)) => self.room_for(caller).map(Some),
        };
        match request {
            Ok(request) => {
                let asking = Arc::new(OnceLock::new());
                let ask = (head, body, changes, Arc::clone(&asking));
                let outcome = self.enter(ask, caller.clone(), connection).await;
                // A stream is for the caller as renewed once the body was read.
                let caller = asking.get().cloned().or(caller);
                (caller, request, outcome)
            }
            Err(problem) => (caller, None, Err(problem)),
        }
    }

    /// Counts a request among those of its user, unless they are too many.
    fn room_for(&self, caller: &Caller) -> Result<Requests, Problem> {
        let wait = self.limits.retry_after;
        if self.accounts.is_short() {
            return Err(Problem::unavailable("memory is short", wait));
        }
        let request = self.accounts.begin(&caller.principal.name);
        request.ok_or_else(|| Problem::too_many("too many requests of this user at once", wait))
    }

    /// The caller, if the request has a valid credential; failures are reported to the gate.
    fn recognised(
        &self,
        head: &mut Parts,
        connection: &HttpConnection,
    ) -> Result<Option<Caller>, Problem> {
        let address = connection.source.ip();
        let put_off = |wait| Problem::too_many("too many credentials did not count", wait);
        if let Some(wait) = self.put_off_for(head, connection) {
            head.headers.remove(AUTHORIZATION);
            head.headers.remove(COOKIE);
            return Err(put_off(wait));
        }
        let holder = connection.holder.as_ref();
        let recognised = self
            .authenticator
            .recognise(head, holder, connection.source);
        match recognised {
            Ok(Some(caller)) => {
                self.admit(&caller, connection)?;
                Ok(Some(caller))
            }
            Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {
                self.limiter.record_failure(address);
                connection.permit.fail();
                (self.authenticator.trail)(audit::of_stranger(address, problem.detail()));
                let wait = self.limiter.refused_for(address);
                Err(wait.map_or(problem, put_off))
            }
            other => other,
        }
    }

    /// The time for which the credential of a head is not looked at, as too many did not count. A signature
    /// is not looked at where the last did not hold. On another connection it is: behind a proxy all are
    /// one source.
    pub(super) fn put_off_for(&self, head: &Parts, on: &HttpConnection) -> Option<Duration> {
        let shows = head.headers.contains_key(AUTHORIZATION) && on.permit.has_but_failed();
        shows
            .then(|| self.limiter.refused_for(on.source.ip()))
            .flatten()
    }

    pub(super) fn no_room_without_credential(&self) -> Problem {
        let detail = "too many connections without a credential";
        Problem::too_many(detail, self.limits.retry_after)
    }

    /// Counts a connection to its authenticated user. The login is recorded in the trail once a
    /// connection, not with each request.
    fn admit(&self, caller: &Caller, connection: &HttpConnection) -> Result<(), Problem> {
        if self.count(&caller.principal.name, connection)? {
            (self.authenticator.trail)(audit::of_caller(caller));
        }
        Ok(())
    }

    /// Counts a connection to a user who has authenticated on it; true if the one before was another, or
    /// none.
    pub(super) fn count(&self, name: &str, connection: &HttpConnection) -> Result<bool, Problem> {
        let (permit, wait) = (&connection.permit, self.limits.retry_after);
        let full = match permit.authenticate(name, &self.accounts) {
            Ok(is_new) => return Ok(is_new),
            Err(full) => full,
        };
        // One that counts as somebody else's stays for him.
        if !permit.is_of_user() {
            permit.leave();
        }
        Err(match full {
            Full::Connections => Problem::unavailable("too many connections", wait),
            Full::OfUser => Problem::too_many("too many connections of this user", wait),
        })
    }

    async fn enter(
        self: &Arc<Self>,
        (head, body, changes, asking): Entering,
        caller: Option<Caller>,
        connection: &HttpConnection,
    ) -> Result<HttpResponse, Problem> {
        let (entry, captures) = match self.router.find(&head) {
            Found::Route(entry, captures) => (entry, captures),
            Found::Methods(allowed) => return Err(Problem::wrong_method(&allowed)),
            Found::Nothing => return Err(Problem::not_found()),
        };
        let name = caller.as_ref().map(|caller| caller.principal.name.clone());
        let name = name.as_deref();
        let own = name.map(|name| self.accounts.hold(name));
        let untaken = connection.permit.untaken(name, &self.accounts);
        let share = match name {
            Some(name) => self.shares.of(name),
            None => self.share_of_source(connection.source.ip()),
        };
        let is_of_health = is_of_health(&head);
        let ask = HttpRequest {
            head,
            captures,
            body,
            limits: Arc::clone(&self.limits),
            held: Arc::clone(&self.held),
            own,
            authenticator: Arc::clone(&self.authenticator),
            changes: changes.clone(),
            asking: Arc::clone(&asking),
        };
        match (entry, caller) {
            (Entry::Open(answer), _) if is_of_health => answer(ask).await,
            (Entry::Open(answer), _) => self.in_turn(share, untaken, move || answer(ask)).await,
            (Entry::Guarded { .. }, None) => Err(Problem::unauthenticated()),
            (
                Entry::Guarded {
                    scope,
                    ends,
                    answer,
                },
                Some(caller),
            ) => match caller.lacks(scope) {
                Some(lacking) => {
                    (self.authenticator.trail)(audit::of_scope(&caller, lacking));
                    Err(Problem::insufficient_scope(lacking))
                }
                None if ends => {
                    self.in_turn(share, untaken, move || answer(caller, ask))
                        .await
                }
                None => {
                    let of_head = caller.clone();
                    // Before the body is read the principal may still change: it is renewed then.
                    let stays = || match asking.get() {
                        Some(asking) => self.authenticator.still_knows(asking),
                        None => self.authenticator.still_counts(&of_head),
                    };
                    tokio::select! {
                        biased;
                        () = self.gone(changes, stays) => Err(Problem::invalid_token(GONE)),
                        answered = self.in_turn(share, untaken, move || answer(caller, ask)) => answered,
                    }
                }
            },
        }
    }

    /// Handles the request in the turns of its user, a stream to its end, provided that enough of
    /// earlier responses was taken; the bytes that exist of it count as not taken from then on.
    ///
    /// It is a task of its own. Polled within its connection, which may belong to another user by
    /// now, it would hold its turn until the connection's comes, while other work of its user
    /// waits.
    async fn in_turn(
        self: &Arc<Self>,
        share: Share,
        untaken: Untaken,
        answer: impl FnOnce() -> Answering + Send + 'static,
    ) -> Result<HttpResponse, Problem> {
        let (server, delivery) = (Arc::clone(self), Delivery::of_answer());
        let answered = tokio::spawn(share.clone().run(async move {
            server.has_room(&untaken)?;
            let mut reply = answer().await?;
            delivery.begin(untaken, body::length(reply.body()));
            reply.extensions_mut().insert(delivery);
            Ok(reply)
        }));
        let reply = match AbortOnDropHandle::new(answered).await {
            Ok(answered) => answered?,
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => {
                    return Err(Problem::unavailable(
                        "the platform stops",
                        self.limits.retry_after,
                    ));
                }
            },
        };
        Ok(reply.map(|body| body::in_turn(body, share)))
    }

    pub(super) fn has_room(&self, untaken: &Untaken) -> Result<(), Problem> {
        if !untaken.is_full(self.limits.untaken_bytes_max) {
            return Ok(());
        }
        if let Some(name) = untaken.user() {
            self.accounts.of(name).refuse();
        }
        let detail = "too much of what was answered is not taken";
        Err(Problem::too_many(detail, self.limits.retry_after))
    }

    /// The share of the connections of a source, before authentication. User names have no '/', so
    /// that no user shares with a source.
    pub(super) fn share_of_source(&self, address: IpAddr) -> Share {
        self.shares.of(&format!("/{}", Source::of(address)))
    }

    /// Adds the fields of every response, and makes a stream end in time.
    pub(super) fn finish(
        self: Arc<Self>,
        reply: HttpResponse,
        caller: Option<Caller>,
        untaken: Untaken,
        held: (UnderWay, Option<Requests>),
    ) -> HttpResponse {
        let (mut head, body) = reply.into_parts();
        // Other than in a task of its own it is answered here.
        let delivery = head.extensions.remove::<Arc<Delivery>>();
        let delivery = delivery.unwrap_or_else(Delivery::of_answer);
        delivery.begin(untaken, body::length(&body));
        for (name, value) in USUAL {
            head.headers.entry(name).or_insert(value);
        }
        let body = Outgoing::new(body, delivery, held, || Box::pin(self.end(caller)));
        HttpResponse::from_parts(head, Box::pin(body))
    }

    /// Completes when the server closes, or when the caller's credential is no longer valid.
    async fn end(self: Arc<Self>, caller: Option<Caller>) {
        let gone = async {
            match &caller {
                Some(caller) => {
                    let stays = || self.authenticator.still_knows(caller);
                    self.gone(self.changes.clone(), stays).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.closes() => {}
            () = gone => {}
        }
    }

    /// Completes when a caller may not stay: its credential is no longer valid, or its principal
    /// became an agent or stopped being one. Its request is then dropped.
    async fn gone(&self, mut changes: watch::Receiver<u64>, stays: impl Fn() -> bool) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(self.limits.recheck) => {}
                () = changed(&mut changes) => {}
            }
            if !stays() {
                return;
            }
        }
    }

    /// Completes when the certificate of a connection was revoked.
    pub(super) async fn revokes(&self, holder: Option<&Arc<Holder>>) {
        let mut changes = self.changes.clone();
        while !holder.is_some_and(|holder| self.authenticator.was_revoked(holder)) {
            changed(&mut changes).await;
        }
    }

    /// Completes when the server closes.
    pub(super) async fn closes(&self) {
        let mut closing = self.closing.clone();
        drop(closing.wait_for(|closing| *closing).await);
    }
}

/// The user to whom a response is, if the request was forwarded by another node.
#[derive(Clone, Debug)]
pub(super) struct Answered(pub(super) String);

/// Lets a connection end that only health checks may stay on; HTTP/2 has a frame for it (RFC 9113 §6.8,
/// §8.2.2).
pub(super) fn leave_reserve(permit: &ConnectionPermit, version: Version, reply: &mut HttpResponse) {
    if permit.is_in_reserve() {
        permit.leave();
    }
    if permit.is_leaving() && version < Version::HTTP_2 {
        let closes = HeaderValue::from_static("close");
        reply.headers_mut().insert(CONNECTION, closes);
    }
}

/// True if a request is a health check.
pub(super) fn is_of_health(head: &Parts) -> bool {
    HEALTH.contains(&head.uri.path())
}

/// Completes with the next change; never if the sender is gone.
async fn changed(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        std::future::pending().await
    }
}
