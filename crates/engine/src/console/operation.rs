//! What is asked about sessions of the console (module convoke-usage).
//!
//! Types alone: what carries an operation out says what it is. Read next: [`crate::console::ending`].

/// The sessions of the console that the principal may see, by user and beginning: one's own, of administrators all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleSessionsOf;

/// `end-console-session`: ends one's own session of the console, or as an administrator anybody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndConsoleSession {
    /// Its identifier.
    pub id: String,
}
