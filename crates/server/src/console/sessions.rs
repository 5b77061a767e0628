//! The sessions of the console as the engine tells and ends them: those of the state folder that count.
//!
//! Whose are told to whom, and ended by whom, the engine says. Read next: [`crate::sign_in`]; `engine`'s `console.rs`.

use crate::clock::Clock;
use crate::sign_in::{ConsoleCredential, SignIn};
use crate::token::Tokens;
use engine::{ConsoleSession, ConsoleSessionEnd, ConsoleSessionOrigin, ConsoleSessions};
use std::sync::Arc;
use tracing::error;

/// The sessions of a state folder.
pub struct KeptSessions {
    /// Their files.
    pub sign_in: SignIn,
    /// The tokens, with which sessions by token end.
    pub tokens: Tokens,
    /// The time by which they end.
    pub clock: Arc<Clock>,
}

impl KeptSessions {
    fn counting(&self) -> Vec<ConsoleCredential> {
        let now = self.clock.credential_time();
        let sessions = self.sign_in.sessions(now);
        let mut sessions = sessions.unwrap_or_else(|failure| {
            error!("sessions of the console: {failure}");
            Vec::new()
        });
        sessions.retain(|session| {
            let token = session.token.as_ref();
            token.is_none_or(|token| self.tokens.bears(token, now))
        });
        sessions
    }
}

impl ConsoleSessions for KeptSessions {
    fn all(&self) -> Vec<ConsoleSession> {
        let sessions = self.counting().into_iter();
        let told = sessions.map(|session| ConsoleSession {
            id: session.label().to_owned(),
            by: match session.token {
                None => ConsoleSessionOrigin::Link,
                Some(_) => ConsoleSessionOrigin::Token,
            },
            user: session.name,
            since: session.since,
            until: session.expires,
        });
        told.collect()
    }

    fn end(&self, wanted: &str) -> ConsoleSessionEnd {
        let mut sessions = self.counting();
        sessions.retain(|session| session.label() == wanted);
        let sign_in = self.sign_in.clone();
        Box::pin(async move {
            let end = move || {
                let mut ended = sessions
                    .iter()
                    .map(|session| sign_in.end(session).map(drop));
                ended.try_for_each(|ended| ended)
            };
            let ended = tokio::task::spawn_blocking(end).await;
            ended.expect("no change panics").map_err(|failure| {
                error!("sign-in to the console: {failure}");
                "sessions cannot be written".to_owned()
            })
        })
    }
}
