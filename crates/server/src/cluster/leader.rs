//! Who leads, as a node knows it.
//!
//! Knows a name and an address; how a node learns them is [`super::membership`]'s.

use tokio::sync::watch;

/// The node that leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leader {
    /// Its name.
    pub node: String,
    /// The address of its channel, as `host:port`.
    pub address: String,
    /// The fencing token of its lead, greater than that of any before.
    pub epoch: u64,
}

/// Who leads, as last seen; none if nobody does.
pub type LeaderWatch = watch::Receiver<Option<Leader>>;
