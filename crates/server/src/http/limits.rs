//! The limits of the HTTP server and their default values.
//!
//! Only values. The memory that the server may hold follows from them: connections times a head and
//! an answer, and `bodies_bytes_max`.

use std::time::Duration;

/// The limits of the HTTP server.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// The time for a request's head, from its first byte; for the first request from the beginning
    /// of the connection, TLS included: 408.
    pub head: Duration,
    /// The time for a request's body: 408.
    pub body: Duration,
    /// The longest idle time of a connection between requests.
    pub idle: Duration,
    /// The longest idle time of a connection while memory is short.
    pub spare: Duration,
    /// The longest time that a client may take nothing of a response, in HTTP/2 less than 16 KiB or
    /// the rest of it: the stream ends; or the connection, if it is stalled as a whole.
    pub stall: Duration,
    /// The longest request target, in bytes: 414.
    pub target_bytes_max: usize,
    /// The most bytes of head fields, names and values together: 431.
    pub fields_bytes_max: usize,
    /// The most head fields: 431.
    pub fields_max: usize,
    /// The longest body, in bytes: 413.
    pub body_bytes_max: usize,
    /// The most bytes of all bodies held at one time: 503.
    pub bodies_bytes_max: usize,
    /// The most bytes of these of one user, NETCONF sessions included: 429.
    pub bodies_of_user_bytes_max: usize,
    /// The most bytes of responses not taken on an unauthenticated connection; a user's, together,
    /// are limited by [`engine::UserLimits`]: 429.
    pub untaken_bytes_max: usize,
    /// The most unauthenticated connections at once; further ones go into the reserve.
    pub unauthenticated_max: usize,
    /// The share of these that one source may hold.
    pub unauthenticated_source_max: usize,
    /// The age at which such a connection may be closed for another of the same source.
    pub stale: Duration,
    /// The most connections beyond that, on which health checks and requests with a credential are
    /// answered; others get 429.
    pub reserve: usize,
    /// The most authenticated connections at once: 503.
    pub connections_max: usize,
    /// The most concurrent requests on one HTTP/2 connection.
    pub streams_max: u32,
    /// The waiting time told to a client that is refused temporarily (`Retry-After`).
    pub retry_after: Duration,
    /// The interval at which the credential of a long response is checked again.
    pub recheck: Duration,
    /// The longest time for responses to end when the server closes.
    pub farewell: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(60),
            idle: Duration::from_secs(75),
            spare: Duration::from_secs(1),
            stall: Duration::from_secs(30),
            target_bytes_max: 8 << 10,
            fields_bytes_max: 16 << 10,
            fields_max: 100,
            body_bytes_max: 2 << 20,
            bodies_bytes_max: 256 << 20,
            bodies_of_user_bytes_max: 64 << 20,
            untaken_bytes_max: 256 << 10,
            unauthenticated_max: 100,
            unauthenticated_source_max: 80,
            stale: Duration::from_secs(3),
            reserve: 32,
            connections_max: 10_000,
            streams_max: 100,
            retry_after: Duration::from_secs(3),
            recheck: Duration::from_secs(5),
            farewell: Duration::from_secs(2),
        }
    }
}
