//! The nodes of a cluster that serve this platform, as whoever runs them knows them.
//!
//! Knows no engine, and refuses to know leases, databases and how a node hears of what it is asked for. Read
//! next: [`lead`], what the engine asks; `domain::cluster`, which node may be asked for what.

mod lead;
pub(crate) mod operation;

use domain::cluster::{ClusterStanding, NodeRequest};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

/// Knows the nodes of a cluster, and notes what they are asked for (`Engine::join_cluster`).
pub trait Nodes: Send + Sync {
    /// The nodes and who leads, as they were seen last; answered from memory, at once.
    fn standing(&self) -> ClusterStanding;

    /// Notes what a node is asked for where the node looks, which then acts upon it by itself.
    fn request(&self, node: &str, request: NodeRequest) -> NodeRequestFuture;
}

/// Ends once it is noted what a node is asked for.
pub type NodeRequestFuture = Pin<Box<dyn Future<Output = Result<(), NodeRequestFailure>> + Send>>;

/// Why it could not be noted; the same may succeed when tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cluster did not take it: {0}")]
pub struct NodeRequestFailure(pub String);

/// The cluster that the platform is a node of, if it is.
pub(crate) type Joined = OnceLock<Arc<dyn Nodes>>;
