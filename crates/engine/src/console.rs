//! Sessions of the console in browsers, as whoever serves it knows them.
//!
//! Knows no engine, and refuses to know secrets, cookies and files. Read next: [`ending`], whose are told to whom, and who
//! ends one; `server::sign_in`, what a session is.

mod ending;
pub(crate) mod operation;

use domain::time::Timestamp;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

/// Keeps the sessions of the console (`Engine::open_console`).
pub trait ConsoleSessions: Send + Sync {
    /// Those that count now, in any order.
    fn all(&self) -> Vec<ConsoleSession>;

    /// Ends one, if it has not ended.
    fn end(&self, id: &str) -> ConsoleSessionEnd;
}

/// Ends once a session has ended; with why it could not be ended, if so.
pub type ConsoleSessionEnd = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Who keeps them, if a console is served.
pub(crate) type ConsoleServed = OnceLock<Arc<dyn ConsoleSessions>>;

/// A session of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleSession {
    /// Its identifier, which lets nobody in.
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// When it began.
    pub since: Timestamp,
    /// When it ends by itself.
    pub until: Timestamp,
    /// What began it.
    pub by: ConsoleSessionOrigin,
}

/// What a session of the console was begun by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleSessionOrigin {
    /// A one-time link.
    Link,
    /// A bearer token, with which it ends.
    Token,
}

impl ConsoleSessionOrigin {
    /// Its name in module convoke-usage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Token => "token",
        }
    }
}
