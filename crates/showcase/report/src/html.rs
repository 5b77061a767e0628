//! The pages: a batch, and one run. Each is one file that opens without a network.
//!
//! Nothing is loaded from anywhere, which the page's Content-Security-Policy holds; the one script,
//! which moves the map through time, is named there by its digest. Without it the map shows the
//! worst moment. Pages are well-formed XML below their doctype. Read next: [`crate::picture`].

mod batch;
mod frame;
mod run;

pub use batch::batch;
pub use frame::{POLICY, SCRIPT};
pub use run::run;

/// Where a batch came from, as its page says at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The command that makes the same batch again.
    pub command: String,
    /// The machine on which it ran.
    pub machine: String,
    /// When, in words.
    pub date: String,
    /// What the policies assume, a sentence each, with its source in words.
    pub assumptions: Vec<String>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
