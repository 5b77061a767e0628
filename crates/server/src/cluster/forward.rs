//! What the clients of a node meet while another leads.
//!
//! Knows who leads, and sockets; how anything gets to the leader is its implementation's. Read next:
//! [`super::turned_away`], [`super::node`].

use crate::host::{Host, Listening};
use crate::http::{HttpListener, HttpServing};
use crate::ssh::{SshListener, SshServing};
use tokio::sync::watch;

/// Who leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leader {
    /// The name of the node.
    pub node: String,
    /// Where other nodes reach it.
    pub address: String,
    /// The number of times that the lead was taken.
    pub epoch: u64,
}

/// Who leads, as last seen; none if nobody does.
pub type LeaderWatch = watch::Receiver<Option<Leader>>;

/// Serves the clients of a node while it stands by; there is one for the whole life of the process. Connections
/// that began so go on when the node takes the lead: its sockets alone are another's then.
pub trait Forward: Send + Sync {
    /// Serves the clients of a NETCONF endpoint.
    fn ssh(&self, listening: &Listening, listener: SshListener) -> SshServing;

    /// Serves the clients of the HTTP server.
    fn http(&self, listener: HttpListener) -> HttpServing;

    /// This node leads with this host from now on, or leads no more. What goes out of the host passes
    /// the fence of its clock.
    fn leads(&self, host: Option<&Host>);
}
