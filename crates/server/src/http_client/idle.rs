//! Connections between two requests: kept for a while, and used again.
//!
//! Knows origins and when a connection was last used. Read next: [`super`].

use super::connection::ClientConnection;
use crate::webhook::target::Origin;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The longest time for which an idle connection is kept.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// The idle connections of a client.
pub(super) struct IdleConnections {
    /// The most that are kept to one origin.
    most: usize,
    kept: Mutex<BTreeMap<Origin, Vec<(Instant, ClientConnection)>>>,
}

impl IdleConnections {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// Keeps a connection, if it is still open and there is room.
    pub(super) fn keep(&self, origin: Origin, connection: ClientConnection) {
        if self.most == 0 || connection.is_closed() {
            return;
        }
        let mut kept = self.kept.lock().expect("no holder panics");
        kept.retain(|_, connections| {
            connections.retain(|(since, connection)| is_usable(*since, connection));
            !connections.is_empty()
        });
        let connections = kept.entry(origin).or_default();
        if connections.len() < self.most {
            connections.push((Instant::now(), connection));
        }
    }

    /// Takes out a connection to an origin; none if none is usable.
    pub(super) fn take(&self, origin: &Origin) -> Option<ClientConnection> {
        let mut kept = self.kept.lock().expect("no holder panics");
        let connections = kept.get_mut(origin)?;
        std::iter::from_fn(|| connections.pop())
            .find(|(since, connection)| is_usable(*since, connection))
            .map(|(_, connection)| connection)
    }
}

fn is_usable(since: Instant, connection: &ClientConnection) -> bool {
    since.elapsed() < KEPT_FOR && connection.is_ready()
}
