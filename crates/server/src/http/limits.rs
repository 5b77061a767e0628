//! The figures of the HTTP server and their usual values.
//!
//! Knows no mechanism. The least memory that the server may come to hold follows from them:
//! connections times a head and an answer, and `bodies_bytes_max`.

use std::time::Duration;

/// How much is too much, and how long too long.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// The time for a request's head, from its first byte on; of the first request from the
    /// beginning of the connection on, TLS included: 408.
    pub head: Duration,
    /// The time for a request's body: 408.
    pub body: Duration,
    /// How long a connection may be idle between requests.
    pub idle: Duration,
    /// How long a connection on which no request is under way is kept while memory is short.
    pub spare: Duration,
    /// How long a client may take nothing of an answer, in HTTP/2 less than 16 KiB or what is left of it:
    /// its stream ends; the connection, if it is that which takes nothing.
    pub stall: Duration,
    /// The longest request target, in bytes: 414.
    pub target_bytes_max: usize,
    /// The longest head fields, names and values together, in bytes: 431.
    pub fields_bytes_max: usize,
    /// The most head fields: 431.
    pub fields_max: usize,
    /// The longest body, in bytes: 413.
    pub body_bytes_max: usize,
    /// All bodies that are held at one time, in bytes: 503.
    pub bodies_bytes_max: usize,
    /// The part of them that one user may hold, sessions over NETCONF included, in bytes: 429.
    pub bodies_of_user_bytes_max: usize,
    /// What of answers may wait to be taken on a connection on which nobody has authenticated, in bytes;
    /// of those of a user, together, as much as [`engine::UserLimits`] says: 429.
    pub untaken_bytes_max: usize,
    /// Connections on which nobody has authenticated, at once; one more comes into the reserve.
    pub unauthenticated_max: usize,
    /// The share of these that one source may hold.
    pub unauthenticated_source_max: usize,
    /// How old such a connection must be to make room for another of the same source.
    pub stale: Duration,
    /// Connections beyond that, on which it is told whether the platform lives and whoever shows a
    /// credential is let in, at once: 429 for all else.
    pub reserve: usize,
    /// Connections on which somebody has authenticated, at once: 503.
    pub connections_max: usize,
    /// Requests at once on one HTTP/2 connection.
    pub streams_max: u32,
    /// What a client that is refused for a while is told to wait.
    pub retry_after: Duration,
    /// How often it is looked whether the credential under a long answer still counts.
    pub recheck: Duration,
    /// How long answers may take to end when the server closes.
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
