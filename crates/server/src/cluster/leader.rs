//! Who leads, as a node knows it.
//!
//! Knows a name and an address; how a node learns them, and what it is to lead, is decided elsewhere.

use tokio::sync::watch;

/// The node that leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leader {
    /// Its name.
    pub node: String,
    /// The address of its channel, as `host:port`.
    pub address: String,
    /// The number of its lead, which grows from one lead to the next.
    pub epoch: u64,
}

/// Who leads now; none while nobody does.
pub type LeaderWatch = watch::Receiver<Option<Leader>>;
