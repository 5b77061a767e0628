//! A platform as one of several nodes, of which one leads and the others accept clients and forward to it.
//!
//! ```text
//! standing by ──lease──► leading ──drained, or told to hand over──► standing by …
//!                           └─────lease lost──► the process ends, at once and without a word
//! ```
//! All nodes have one state, in PostgreSQL, and a folder each with the same keys and rules. A tour: [`node`]
//! is the life of a node (its `folder`, its `listeners`), and when it may lead (and `heir` who is to after it); [`membership`] what it knows of the others, which
//! `nodes` tells the engine;
//! [`rules`] the digest that the folders of all must have alike; [`crate::fence`] what a leader's output passes.
//! The lease is `store::lead`'s.
//!
//! [`identity`] is who a node is to the others, [`leader`] who leads; `channel` carries what is asked from a
//! node that accepts clients to the one that leads. [`forwarding`] is what a node does with both: `session_forwarder`
//! carries a session at the node that its client is connected to, `leading` the same at the one that leads. `record`
//! is what they say to each other of it, in the forms of `opening`, and `continuity` what is kept of it while
//! leaders come and go, `session_end` what is told of it if it ends meanwhile; `http_forwarder` does the same of requests over HTTP, `wanted`
//! their bodies where clients wait to be asked, `refusals` the logins that are refused, and `heads` what a node that
//! stands by is told of the state, and of the leader's settings that others should have alike, by `settings_digests`.
//!
//! A folder becomes one of a node by [`joining`], of which `offering` is the other side; `shared_files` are those that
//! all folders have alike. Read next: `docs/cluster.md`.

mod channel;
mod continuity;
mod folder;
pub mod forwarding;
mod heads;
mod heir;
mod http_forwarder;
pub mod identity;
mod input;
pub mod joining;
pub mod leader;
mod leading;
mod listeners;
pub mod membership;
pub mod node;
mod nodes;
mod offering;
mod opening;
mod record;
mod refusals;
pub mod rules;
mod session_end;
mod session_forwarder;
mod settings_digests;
mod shared_files;
mod wanted;

pub use crate::fence::Fence;
pub use forwarding::{Forwarding, ForwardingSetup};
pub use leader::{Leader, LeaderWatch};
pub use membership::{ClusterView, Membership};
pub use node::{ClusterNode, NodeError, NodeNews};
pub use shared_files::{Difference, SharedFilesError};
pub use store::lead::Lease;
