//! One guest with all its resources: everything at once, or one request after the other on one
//! session.
//!
//! Read next: `attack`, which runs both.

use crate::attack::{Shared, ended, flood, search};
use crate::platform::{GUEST, Place};
use crate::transport::ask_in_vain;
use crate::wire::{Wire, request};
use server::ssh::Connector;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::LocalSet;

/// Sessions that request all they may read, and their requests in flight.
const READING: (usize, usize) = (8, 64);
/// Sessions that search.
const SEARCHING: usize = 2;
/// HTTP connections with requests for paths that do not exist.
const REFUSED: usize = 100;
/// Connections with long texts, and the bytes of each.
const FLOOD: (usize, usize) = (2, 480_000);
/// Elements of a filter, nearly the most of a message.
const FILTERED: usize = 30_000;
/// The time limit to open a session.
const PATIENCE: Duration = Duration::from_secs(20);

/// The kind of attack by a guest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Guest {
    /// Reads, searches, requests nonexistent paths and sends texts without permission, all at once.
    All,
    /// Sends filters of many elements on one session, on an otherwise idle platform.
    OneSession,
}

impl Guest {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::All => "guest-with-all-he-has",
            Self::OneSession => "guest-on-one-session",
        }
    }

    /// A description for people.
    pub(crate) fn what(self) -> String {
        match self {
            Self::All => format!(
                "{} sessions of pipelined gets, {SEARCHING} of searches, {REFUSED} connections of what \
                 is not there, {} of texts, all of a guest",
                READING.0, FLOOD.0
            ),
            Self::OneSession => format!(
                "a guest's filters of {FILTERED} elements on one session, others asking every {} ms",
                self.pause().map_or(0, |pause| pause.as_millis())
            ),
        }
    }

    /// The pause of the victim between two requests: long enough for its server thread to fall
    /// asleep, so that the latency includes waking it.
    pub(crate) fn pause(self) -> Option<Duration> {
        (self == Self::OneSession).then_some(Duration::from_millis(5))
    }

    /// Spawns all its tasks.
    pub(crate) fn begin(
        self,
        attackers: &LocalSet,
        place: &Place,
        done: &Shared,
    ) -> Result<(), Box<dyn Error>> {
        if self == Self::OneSession {
            let filter = "<a/>".repeat(FILTERED);
            let get = format!("<get><filter type=\"subtree\">{filter}</filter></get>");
            return keep_asking(attackers, place, done, (get, 2));
        }
        for _ in 0..READING.0 {
            keep_asking(attackers, place, done, ("<get/>".to_owned(), READING.1))?;
        }
        for first in 0..SEARCHING {
            let (target, did) = (place.target(GUEST)?, Rc::clone(done));
            let searching = async move { search(&target, first, &did).await };
            attackers.spawn_local(ended(done, searching));
        }
        for _ in 0..REFUSED {
            let (place, did) = (place.clone(), Rc::clone(done));
            let part = async move { ask_in_vain(&place, Some(&place.guest_token), &did).await };
            attackers.spawn_local(ended(done, part));
        }
        flood(attackers, place, &place.guest_token, FLOOD, done);
        Ok(())
    }
}

/// Runs a session with so many of one request in flight, for ever.
fn keep_asking(
    attackers: &LocalSet,
    place: &Place,
    done: &Shared,
    (operation, in_flight): (String, usize),
) -> Result<(), Box<dyn Error>> {
    let (target, did) = (place.target(GUEST)?, Rc::clone(done));
    let asking = async move {
        let mut wire = Wire::open(&Connector::new(16, PATIENCE), &target).await?;
        let framed = request(1, &operation);
        for _ in 1..in_flight {
            wire.send(&framed).await?;
        }
        loop {
            wire.send(&framed).await?;
            let reply = wire.message().await?;
            did.borrow_mut().take(reply);
        }
    };
    attackers.spawn_local(ended(done, asking));
    Ok(())
}
