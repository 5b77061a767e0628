//! The harness shared by tests of several crates.
//!
//! - [`conformance`]: protocol behaviour as pages of messages and answers, run against any
//!   [`conformance::Host`]: in memory ([`memory`]), or a server behind SSH ([`ssh`]), perhaps
//!   with a [`node`] in front that forwards;
//! - [`xml`]: structural comparison of documents, with wildcards;
//! - [`judge`]: validation of a server's messages by libyang;
//! - [`cast`]: deterministic agents, their profiles, and the access rules of the cases;
//! - [`attacks`]: generated attacks, from [`rng`];
//! - [`cards`]: the card of an A2A agent elsewhere;
//! - [`cluster`]: a cluster of nodes that are nothing but rows;
//! - [`console`]: sessions of the console that no browser has;
//! - [`network`]: the network of the cases, as its management systems know it;
//! - [`checklist`]: points of the drafts, compared with their proofs;
//! - [`workspace`]: the folders of the crates;
//! - [`circles`]: what the files of a crate name of each other.
//!
//! Knows the public interfaces only. Read next: [`conformance`].

pub mod attacks;
pub mod cards;
pub mod cast;
pub mod checklist;
pub mod circles;
pub mod cluster;
pub mod conformance;
pub mod console;
pub mod judge;
pub mod memory;
pub mod network;
pub mod node;
pub mod rng;
pub mod ssh;
pub mod workspace;
pub mod xml;
