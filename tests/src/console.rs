//! Sessions of the console of the cases, which no browser has: three, until they are ended.
//!
//! Read next: `engine`'s `console.rs`, whose they are.

use domain::time::Timestamp;
use engine::{ConsoleSession, ConsoleSessionEnd, ConsoleSessionOrigin, ConsoleSessions, Engine};
use std::sync::{Arc, Mutex, PoisonError};

/// The sessions that go on.
struct Browsers(Mutex<Vec<ConsoleSession>>);

/// Opens a console at which `operator` and `ada` are signed in by a link, and `guest` by a token.
pub fn open(engine: &Engine, now: Timestamp) {
    let session = |id: &str, user: &str, by| ConsoleSession {
        id: id.to_owned(),
        user: user.to_owned(),
        since: now,
        until: now.plus_s(3_600.0),
        by,
    };
    let all = vec![
        session("a1", "operator", ConsoleSessionOrigin::Link),
        session("b2", "guest", ConsoleSessionOrigin::Token),
        session("c3", "ada", ConsoleSessionOrigin::Link),
    ];
    engine.open_console(Arc::new(Browsers(Mutex::new(all))));
}

impl ConsoleSessions for Browsers {
    fn all(&self) -> Vec<ConsoleSession> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    fn end(&self, id: &str) -> ConsoleSessionEnd {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|session| session.id != id);
        Box::pin(std::future::ready(Ok(())))
    }
}
