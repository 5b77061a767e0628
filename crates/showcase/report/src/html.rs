//! The pages: a batch, a sweep, and one run. Each is one file that opens without a network.
//!
//! Nothing is loaded from elsewhere, as the page's Content-Security-Policy enforces; the one
//! script, which moves the map through time, is admitted there by its digest. Without it the map
//! shows the worst moment. Pages are well-formed XML below their doctype. Read next:
//! [`crate::picture`].

mod batch;
mod degradation;
mod frame;
mod run;

pub use batch::batch;
pub use degradation::degradation;
pub use frame::{POLICY, SCRIPT};
pub use run::run;

/// The provenance of a batch, printed at the end of its page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The command that reproduces the batch.
    pub command: String,
    /// The machine on which it ran.
    pub machine: String,
    /// The date of the batch, in words.
    pub date: String,
    /// The assumptions of the policies, a sentence each, with the source in words.
    pub assumptions: Vec<String>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
